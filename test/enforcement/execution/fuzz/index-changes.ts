/** What somebody may do to the index of a git folder: forged trees, entries and extensions, and bytes of any kind. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheTree, sealed } from "../index-bytes.ts";
import type { Change } from "./git-folder.ts";

export const INDEX_CHANGES: readonly Change[] = [
  [
    "a forged tree of all",
    (f) => f.extension("TREE", cacheTree({ name: "", count: f.random.pick([4, 5]), hash: f.names.evilTree }), true),
  ],
  ["forged trees", (f) => f.extension("TREE", cacheTree(f.node()))],
  ["trees as git has them", (f) => void f.git("write-tree")],
  ["no trees", (f) => f.index((index) => ({ ...index, extensions: [] }))],
  ["trees of any bytes", (f) => f.extension("TREE", f.bytes(f.random.int(60)))],
  [
    "a tree cut off",
    (f) => f.index((i) => ({ ...i, extensions: i.extensions.map((e) => ({ ...e, body: e.body.subarray(0, -1) })) })),
  ],
  [
    "an extension",
    (f) =>
      f.extension(
        f.random.pick(["link", "sdir", "FSMN", "UNTR", "REUC", "EOIE", "IEOT", "ABCD", "abcd"]),
        f.bytes(f.random.pick([0, 4, 20, 24, 40])),
      ),
  ],
  ["a link to no shared index", (f) => f.extension("link", Buffer.alloc(20))],
  ["an end of the entries", (f) => f.extension("EOIE", Buffer.concat([Buffer.from([0, 0, 0, 12]), f.bytes(20)]))],
  [
    "flags",
    (f) =>
      f.entry(() => ({
        flags: f.random.pick([0x8000, 0x4000, 0xc000, 0x1000, 0x2000, 0x3000]),
        extended: f.random.pick([0, 0x2000, 0x4000, 0x6000, 0x8000]),
      })),
  ],
  [
    "a mode",
    (f) =>
      f.entry(() => ({
        mode: f.random.pick([0o100644, 0o100755, 0o120000, 0o160000, 0o040000, 0o100664, 0, 0o170000]),
      })),
  ],
  [
    "a content",
    (f) =>
      f.entry(() => ({
        hash: f.random.pick([f.names.evilBlob, f.names.evilTree, f.names.base, "0".repeat(40), "e".repeat(40)]),
      })),
  ],
  [
    "a name",
    (f) =>
      f.entry(() => ({
        name: f.random.pick(["docs/z", "x.sh", "../x", ".git/x", "docs", "docs/a.txt/x", "/x", "docs//x", "z"]),
      })),
  ],
  [
    "an entry less",
    (f) => f.index((i) => ({ ...i, entries: i.entries.filter((_, at) => at !== f.random.int(i.entries.length)) })),
  ],
  [
    "an entry twice",
    (f) =>
      f.index((i) => ({ ...i, entries: i.entries.flatMap((one) => (f.random.chance(1 / 4) ? [one, one] : [one])) })),
  ],
  ["another order", (f) => f.index((i) => ({ ...i, entries: [...i.entries].reverse() }))],
  ["another version", (f) => f.index((i) => ({ ...i, version: f.random.pick([2, 3, 4, 5, 1]) }))],
  ["version 4", (f) => void f.git("update-index", "--index-version", "4")],
  ["a split index", (f) => void f.git("update-index", "--split-index")],
  ["a cache of untracked files", (f) => void f.git("update-index", "--untracked-cache")],
  ["a sparse index", (f) => void f.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs")],
  [
    "an entry to be added",
    (f) => {
      writeFileSync(join(f.top, "docs/later"), "x");
      f.git("add", "-N", "docs/later");
    },
  ],
  ["an assumption", (f) => void f.git("update-index", "--assume-unchanged", "x.sh")],
  [
    "threads",
    (f) => {
      f.git("config", "index.threads", "4");
      f.git(
        "-c",
        "index.recordEndOfIndexEntries=true",
        "-c",
        "index.recordOffsetTable=true",
        "update-index",
        "--force-write-index",
      );
    },
  ],
  [
    "bytes",
    (f) => {
      const bytes = readFileSync(f.in("index"));
      const body = bytes.subarray(0, -20);
      for (let left = f.random.int(3); left >= 0; left--) body[f.random.int(body.length)] = f.random.int(256);
      writeFileSync(f.in("index"), f.random.chance(1 / 2) ? sealed(body) : Buffer.concat([body, Buffer.alloc(20)]));
    },
  ],
  [
    "a cut",
    (f) => writeFileSync(f.in("index"), sealed(readFileSync(f.in("index")).subarray(0, -21 - f.random.int(80)))),
  ],
  ["no index", (f) => rmSync(f.in("index"))],
];
