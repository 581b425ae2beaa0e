/** Indexes, a byte at a time: what each holds, or why it is refused. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stagedIn } from "../../../compiler/enforcement/execution/repository/index-file.ts";
import { foldersOf } from "../../../compiler/enforcement/execution/repository/trees.ts";
import { type CacheNode, cacheTree } from "../../enforcement/execution/index-bytes.ts";
import { type Check, same } from "./check.ts";
import { contentOf, type Hash, type IndexEntry, type IndexText, indexOf, type Tree, treesOf } from "./index-bytes.ts";

export function checks(): readonly Check[] {
  return [
    { what: "entries of an index", run: entries },
    { what: "long names of an index", run: longNames },
    { what: "cut names of an index", run: cutNames },
    { what: "an index that is not one", run: broken },
    { what: "a name without an end", run: endless },
    { what: "flags of an index", run: flags },
    { what: "odd entries of an index", run: odd },
    { what: "extensions of an index", run: extensions },
    { what: "trees of an index", run: trees },
    { what: "trees that an index names", run: named },
    { what: "trees that an index forges", run: forged },
    { what: "a large index", run: large },
  ];
}

const BROKEN = "the index is not what git writes";
const FORGED = "the index names trees that are not those of its entries: git read-tree HEAD, and stage again";
const UNORDERED = "the entries of the index are not in order, or not merged";

/** `NAME MODE HASH` of each entry, or why it is refused. */
function read(bytes: Buffer | undefined, hash: Hash = "sha1"): readonly string[] | string {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-index-"));
  try {
    if (bytes !== undefined) writeFileSync(join(folder, "index"), bytes);
    return [...stagedIn(folder, hash).entries].map(([name, one]) => `${name} ${one.mode.toString(8)} ${one.hash}`);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "GitError") throw error;
    return error.message;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function told(what: string, text: IndexText, expected: "all" | string): void {
  const all = (text.entries ?? []).map(
    ({ name, mode = 0o100644, hash = contentOf(text.hash ?? "sha1", name) }) => `${name} ${mode.toString(8)} ${hash}`,
  );
  same(what, read(indexOf(text), text.hash), expected === "all" ? all : expected);
}

const files = (...names: readonly string[]): IndexEntry[] => names.map((name) => ({ name }));

function entries(): void {
  same("no index", read(undefined), []);
  for (const hash of ["sha1", "sha256"] as const)
    for (const version of [2, 3, 4]) {
      told(`none of ${version}`, { version, hash }, "all");
      // Each length that a name's padding can have.
      const names = Array.from({ length: 18 }, (_, i) => "b".repeat(i + 1));
      for (const name of names) told(`one of ${version}`, { version, hash, entries: files(name) }, "all");
      told(`many of ${version}`, { version, hash, entries: files(...names) }, "all");
      told(
        `folders of ${version}`,
        { version, hash, entries: files("a-b", "a/b/c", "a/d", "a0", "b\xff/\xe9") },
        "all",
      );
      const modes = [0o100644, 0o100755, 0o120000, 0o160000].map((mode) => ({ name: mode.toString(8), mode }));
      told(`modes of ${version}`, { version, hash, entries: modes }, "all");
      told(
        `no hash of ${version}`,
        { version, hash, entries: files("a"), seal: (one) => Buffer.alloc(one.length) },
        "all",
      );
    }
  for (const name of ["a", "", "b"])
    told("out of order", { entries: files("b", name) }, name === "" ? LINK : UNORDERED);
}

function longNames(): void {
  const name = (length: number): string => Array.from({ length }, (_, i) => (i % 100 === 50 ? "/" : "n")).join("");
  for (const version of [2, 4]) {
    for (const length of [4094, 4095, 4096]) told(`${length}`, { version, entries: files(name(length)) }, "all");
    const long = "the index holds a path that is too long";
    for (const length of [4097, 5000]) told(`${length}`, { version, entries: files(name(length)) }, long);
    for (const length of [0, 3, 5, 0xfff])
      told("another length", { version, entries: [{ name: "abcd", length }] }, BROKEN);
    told("another long length", { version, entries: [{ name: name(4095), length: 4094 }] }, BROKEN);
  }
  const pieces = [name(4096), `${name(4096)}n`];
  told("too long from two pieces", { version: 4, entries: files(...pieces) }, unwritable(pieces[1] as string));
}

function cutNames(): void {
  const long = "x".repeat(4096);
  for (const left of [0, 1, 10, 3000, 3966, 3967, 3968, 3969])
    told(`${left} left`, { version: 4, entries: files(long, `${long.slice(0, left)}y`) }, "all");
  const after = (cut: number | readonly number[], last = "abc"): void =>
    told(`cut ${cut}`, { version: 4, entries: [{ name: last }, { name: "abd", cut, length: 3 }] }, BROKEN);
  for (const cut of [4, 127, 128, 4096, 4097, 20_000]) after(cut);
  after([0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
  const cutOff = (cut: number | readonly number[], size: number): IndexText => ({
    ...{ version: 4, entries: [{ name: "a", cut }], change: (body) => body.subarray(0, size) },
  });
  // The number begins behind the header and 62 bytes.
  for (const cut of [[], [0x80], [0xff, 0xff]])
    for (const size of [12 + 62, 12 + 63, 12 + 64]) told(`ends after ${size}`, cutOff(cut, size), BROKEN);
}

/** Where no NUL follows, not even in the hash at the end, there is no name. */
function endless(): void {
  const first = (version: number): number => 12 + 62 + (version === 4 ? 1 : 0);
  for (const version of [2, 4])
    for (const length of [0, 1])
      for (const name of ["a", "b", "c", ""])
        told(
          `no NUL behind ${name}`,
          {
            ...{ version, entries: [{ name, length, cut: 0 }] },
            change: (body) => body.subarray(0, first(version) + name.length),
            seal: (hash) => Buffer.from(hash.map((byte) => byte || 1)),
          },
          BROKEN,
        );
}

function broken(): void {
  const text: IndexText = { entries: files("a", "bcdefghij") };
  for (const version of [0, 1, 5, 0xffff_ffff])
    told(`version ${version}`, { ...text, version }, `the index is of version ${version}`);
  const whole = indexOf(text);
  for (const hash of ["sha1", "sha256"] as const) {
    const empty = indexOf({ hash });
    same(`nothing of ${hash}`, read(empty, hash), []);
    for (let size = 0; size < empty.length; size++) {
      same(`${size} bytes`, read(empty.subarray(0, size), hash), BROKEN);
      if (size < 12)
        same(`${size} zeros`, read(Buffer.concat([Buffer.from("DIRC"), Buffer.alloc(size)]), hash), BROKEN);
    }
  }
  const width = 20;
  // A seal over every beginning: the reader's own bounds have to hold.
  for (let size = 0; size < whole.length - width; size++)
    told(`sealed after ${size}`, { ...text, change: (body) => body.subarray(0, size) }, BROKEN);
  told("another name", { ...text, change: (body) => Buffer.concat([Buffer.from("DIRQ"), body.subarray(4)]) }, BROKEN);
  for (const at of [0, 10, 19]) {
    const flipped = (hash: Buffer): Buffer => withByte(hash, at, (hash[at] as number) ^ 1);
    told(`another hash at ${at}`, { ...text, seal: flipped }, BROKEN);
    told(`zeros but at ${at}`, { ...text, seal: (hash) => flipped(hash.fill(0)) }, BROKEN);
  }
  // Behind a name of two letters there are eight NULs.
  for (const at of [1, 2, 3, 4, 5, 6, 7])
    told(`padding at ${at}`, { entries: files("ab"), change: (body) => withByte(body, 12 + 64 + at, 1) }, BROKEN);
  const rest = 'the index holds the extension "\\u0001\\u0001\\u0001\\u0001": git read-tree HEAD, and stage again';
  told("fewer entries", { ...text, count: 1 }, rest);
  told("more entries", { ...text, count: 3 }, BROKEN);
  told("too many entries", { ...text, count: 2_000_001 }, "the index holds too many paths");
  told("as many as may be", { ...text, count: 2_000_000 }, BROKEN);
}

function withByte(bytes: Buffer, at: number, value: number): Buffer {
  const made = Buffer.from(bytes);
  made[at] = value;
  return made;
}

const LINK = "the index is split: git update-index --no-split-index";
const REMOVE = "the index leaves";

function flags(): void {
  const one = (flag: number, extended?: number): string | readonly string[] =>
    read(
      indexOf({ version: 3, entries: [{ name: "a", flags: flag, ...(extended === undefined ? {} : { extended }) }] }),
    );
  for (const stage of [0x1000, 0x2000, 0x3000]) same(`stage ${stage}`, one(stage), 'the index holds "a" unmerged');
  const assumed = 'the index assumes that "a" is unchanged: git update-index --no-assume-unchanged';
  same("assumed", one(0x8000), assumed);
  same("assumed and more", one(0x8000, 0x4000), assumed);
  const hidden = `${REMOVE} "a" out of the work tree: git update-index --no-skip-worktree`;
  for (const extended of [0, 0x4000, 0x8000, 0x1fff]) same(`extended ${extended}`, one(0, extended), hidden);
  const later = 'the index holds "a" as to be added later: git add it, or git rm --cached it';
  for (const extended of [0x2000, 0x6000]) same(`extended ${extended}`, one(0, extended), later);
  // The flags of the entry behind are not this one's.
  told("a name that looks like flags", { entries: files(" \x80", "\xa0\x80") }, "all");
}

const unwritable = (name: string): string => `the index holds ${JSON.stringify(name)}, which no checkout writes`;

function odd(): void {
  for (const name of ["/a", "a/", "a//b", ".", "..", "a/..", "./a", ".git", "a/.GIT/b"])
    told(name, { entries: files(name) }, unwritable(name));
  told("no name", { entries: files("") }, LINK);
  for (const mode of [0, 0o100600, 0o40000, 0o100664, 0o777])
    told(`mode ${mode}`, { entries: [{ name: "a", mode }] }, `the index holds "a" with the mode ${mode.toString(8)}`);
  const without = 'the index holds "a" without a content';
  told("no content", { entries: [{ name: "a", hash: "0".repeat(40) }] }, without);
  for (const hash of [`1${"0".repeat(39)}`, `${"0".repeat(39)}1`])
    told(hash, { entries: [{ name: "a", hash }] }, "all");
}

function extensions(): void {
  const { hash, count } = treesOf(files("a"), "sha1").get("") as Tree;
  const tree = cacheTree({ name: "", count, hash });
  const base: IndexText = { entries: files("a") };
  told("trees", { ...base, extensions: [["TREE", tree]] }, "all");
  const again = "git read-tree HEAD, and stage again";
  for (const [signature, words] of [
    ["link", "is split: git update-index --no-split-index"],
    ["sdir", "is sparse: git sparse-checkout disable"],
    ["FSMN", "believes a file system monitor: git update-index --no-fsmonitor"],
    ["UNTR", "has a cache of untracked files: git update-index --no-untracked-cache"],
    ["REUC", `remembers a merge: ${again}`],
    ["EOIE", `holds the extension "EOIE": ${again}`],
    ["TRE\0", `holds the extension "TRE\\u0000": ${again}`],
  ] as const)
    for (const body of [Buffer.alloc(0), tree]) {
      told(signature, { ...base, extensions: [[signature, body]] }, `the index ${words}`);
      told(
        `${signature} behind`,
        {
          ...base,
          extensions: [
            ["TREE", tree],
            [signature, body],
          ],
        },
        `the index ${words}`,
      );
    }
  told(
    "trees twice",
    {
      ...base,
      extensions: [
        ["TREE", tree],
        ["TREE", tree],
      ],
    },
    `the index holds the extension "TREE": ${again}`,
  );
  for (const more of [1, 2, 8, 20, 0xffff])
    told("too large", { ...base, extensions: [["TREE", tree, tree.length + more]] }, BROKEN);
  told("no trees", { ...base, extensions: [["TREE", Buffer.alloc(0)]] }, FORGED);
  for (let size = 1; size < 8; size++)
    told(`${size} bytes behind`, { ...base, change: (body) => Buffer.concat([body, Buffer.alloc(size, "T")]) }, BROKEN);
}

const NAMES = ["a-b", "a.b", "a/b-c", "a/b/c", "a/b/d/e", "a/b0", "a0", "b/c", "f\xe9/g"];

function trees(): void {
  for (const hash of ["sha1", "sha256"] as const)
    for (const names of [[], ["a"], ["a/b"], NAMES, ["d/e/f/g/h"]]) {
      const listed = names.map((name, i) => ({
        name,
        mode: [0o100644, 0o100755, 0o120000, 0o160000][i % 4] as number,
      }));
      const listing = new Map(listed.map(({ name, mode }) => [name, { mode, hash: contentOf(hash, name) }]));
      const found = [...foldersOf(listing, hash)];
      const short = found.map(([path, folder]) => [path, { hash: folder.hash, count: folder.count }]);
      same(`trees of ${names}`, new Map(short as [string, Tree][]), treesOf(listed, hash));
      for (const [path, folder] of found)
        same(
          `body of ${path}`,
          createHash(hash).update(`tree ${folder.body.length}\0`).update(folder.body).digest("hex"),
          folder.hash,
        );
      const depths = found.map(([path]) => (path === "" ? 0 : path.split("/").length));
      same(
        "the deepest first",
        depths,
        depths.toSorted((a, b) => b - a),
      );
    }
  for (const names of [
    ["a", "a/b"],
    ["a/b", "a/b/c/d"],
  ])
    told(
      "a file and a folder",
      { entries: files(...names) },
      `${JSON.stringify(names[0])} is staged as a file and a folder`,
    );
}

/** The extension that git would write of the entries. */
function nodeOf(all: ReadonlyMap<string, Tree>, prefix = "", name = ""): CacheNode {
  const below = [...all.keys()].filter((path) => path !== prefix && new RegExp(`^${prefix}[^/]+/$`).test(path));
  const { hash, count } = all.get(prefix) as Tree;
  return { name, count, hash, children: below.map((path) => nodeOf(all, path, path.slice(prefix.length, -1))) };
}

function named(): void {
  for (const hash of ["sha1", "sha256"] as const) {
    const node = nodeOf(treesOf(files(...NAMES), hash));
    const base: IndexText = { hash, entries: files(...NAMES) };
    const tell = (what: string, body: Buffer, expected: "all" | string): void =>
      told(what, { ...base, extensions: [["TREE", body]] }, expected);
    tell("all", cacheTree(node), "all");
    tell("not all children", cacheTree({ ...node, children: node.children?.slice(1) ?? [] }), "all");
    // A tree that does not count has no hash, and may have children that do, and names that are not folders.
    tell("the whole does not count", cacheTree({ ...node, count: -1 }), "all");
    tell(
      "no such folder, which does not count",
      cacheTree({ ...node, children: [{ name: "z", count: -1, hash: "" }] }),
      "all",
    );
    tell("more bytes", Buffer.concat([cacheTree(node), Buffer.alloc(1)]), FORGED);
    tell("fewer bytes", cacheTree(node).subarray(0, -1), FORGED);
    tell("a child that is not there", cacheTree(node).subarray(0, -1 - hashWidth(hash)), FORGED);
  }
  told("no entries", { extensions: [["TREE", cacheTree(nodeOf(treesOf([], "sha1")))]] }, "all");
}

const hashWidth = (hash: Hash): number => (hash === "sha1" ? 20 : 32);

function forged(): void {
  const all = treesOf(files(...NAMES), "sha1");
  const node = nodeOf(all);
  const base: IndexText = { entries: files(...NAMES) };
  const tell = (what: string, body: Buffer | CacheNode): void =>
    told(what, { ...base, extensions: [["TREE", Buffer.isBuffer(body) ? body : cacheTree(body)]] }, FORGED);
  const { hash, count } = node;
  const [first, ...others] = node.children as [CacheNode, ...CacheNode[]];
  const inner = all.get("a/b/") as Tree;
  for (const more of [-2, -1, 1]) tell("another count", { ...node, count: count + more });
  tell("another tree", { ...node, hash: first.hash });
  tell("another tree below", { ...node, children: [{ ...first, hash }, ...others] });
  tell("another count below", { ...node, children: [{ ...first, count: first.count + 1 }, ...others] });
  tell("no such folder", { ...node, children: [{ name: "z", count: 0, hash }] });
  tell("no such folder, by its tree", { ...node, children: [{ ...first, name: "z" }] });
  tell("twice", { ...node, children: [first, first] });
  tell("twice, and does not count", { ...node, children: [{ ...first, count: -1 }, first] });
  tell("a path", { ...node, children: [{ name: "a/b", ...inner }] });
  tell("a path that does not count", { ...node, children: [{ name: "a/b", count: -1, hash }] });
  tell("a child without a name", { ...node, children: [{ ...node, children: [] }] });
  tell("a child without a name, which does not count", {
    count: -1,
    hash,
    name: "",
    children: [{ ...node, children: [] }],
  });
  tell("the whole by a name", { ...node, name: "x" });
  tell("a folder in the place of the whole", first);
  tell("a whole that does not count, by a name", { name: "a", count: -1, hash: "" });
  const text = (numbers: string): Buffer => Buffer.concat([Buffer.from(`\0${numbers}\n`), Buffer.from(hash, "hex")]);
  told("numbers", { ...base, extensions: [["TREE", text(`${count} 0`)]] }, "all");
  for (const numbers of [
    `0${count} 0`,
    `${count} 00`,
    `${count}`,
    `${count}  0`,
    ` ${count} 0`,
    `${count} -1`,
    "-2 0",
    "",
    `+${count} 0`,
  ])
    tell(`the numbers ${numbers}`, text(numbers));
  tell("more children than there are", text(`${count} 1`));
  tell("very many children", text(`${count} 999999999`));
  tell("no numbers", Buffer.from("\0"));
  tell("a name without an end", Buffer.from("a"));
  same("no NUL in the hash", hash.match(/../g)?.includes("00"), false);
  tell("a whole without its NUL", text(`${count} 0`).subarray(1));
}

/** Numbers of nine digits are read to their end. */
function large(): void {
  const { hash } = treesOf(files("a"), "sha1").get("") as Tree;
  const node = (numbers: string): Buffer => Buffer.concat([Buffer.from(`\0${numbers}\n`), Buffer.from(hash, "hex")]);
  for (const numbers of ["999999999 999999999", "-1 999999999"])
    told(numbers, { entries: files("a"), extensions: [["TREE", node(numbers)]] }, FORGED);
}
