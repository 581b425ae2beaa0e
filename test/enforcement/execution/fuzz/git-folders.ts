/**
 * Git folders from a seed, as somebody who may write to them would leave them: an index with any bytes, refs and HEAD in any
 * form, states of commands, `.git` as a file and as a link. Everything that is not in `docs` is undeclared.
 */

import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "../../../rego/plan/generate/random.ts";
import {
  type CacheNode,
  cacheTree,
  type RawEntry,
  type RawIndex,
  readIndex,
  sealed,
  writeIndex,
} from "../index-bytes.ts";
import { makeRepository, openTestRepository } from "../repository.ts";

/** Names of objects that every folder has. */
export interface Names {
  readonly base: string;
  /** A commit after the baseline that changes `docs` alone, and one that changes `x.sh`. */
  readonly good: string;
  readonly evil: string;
  readonly evilTree: string;
  readonly evilBlob: string;
  readonly baseTree: string;
  readonly docsTree: string;
}

/** The repository that all are copies of. */
export function makeTemplate(top: string): Names {
  const repository = makeRepository(top);
  const { git, write } = repository;
  for (const path of ["docs/a.txt", "docs/deep/b.txt", "src/code.ts", "x.sh"]) write(path, `${path}\n`);
  const base = repository.commit();
  write("docs/a.txt", "good\n");
  const good = repository.commit();
  git("reset", "-q", "--hard", base);
  write("x.sh", "evil\n");
  const evil = repository.commit();
  git("reset", "-q", "--hard", base);
  git("branch", "other", evil);
  const [evilTree, evilBlob, baseTree, docsTree] = [
    `${evil}^{tree}`,
    `${evil}:x.sh`,
    `${base}^{tree}`,
    `${base}:docs`,
  ].map((name) => git("rev-parse", name)) as [string, string, string, string];
  return { base, good, evil, evilTree, evilBlob, baseTree, docsTree };
}

/** Lays a copy of the template at `top`, which is made anew, and does to it what the seed says. Gives what was done. */
export function layGitFolder(template: string, top: string, names: Names, random: Random): readonly string[] {
  rmSync(top, { recursive: true, force: true });
  rmSync(`${top}-elsewhere`, { recursive: true, force: true });
  cpSync(template, top, { recursive: true });
  const folder = new Folder(top, names, random);
  if (random.chance(4 / 5)) folder.stage();
  const done: string[] = [];
  for (let left = random.int(2); left >= 0; left--) {
    const [what, change] = random.pick(random.chance(1 / 2) ? PLAIN : CHANGES);
    try {
      change(folder);
      done.push(what);
    } catch {
      // What was done before left nothing to do this to.
    }
  }
  return done;
}

class Folder {
  readonly top: string;
  readonly names: Names;
  readonly random: Random;

  constructor(top: string, names: Names, random: Random) {
    this.top = top;
    this.names = names;
    this.random = random;
  }

  in(...path: string[]): string {
    return join(this.top, ".git", ...path);
  }

  git(...args: string[]): string {
    return openTestRepository(this.top).git(...args);
  }

  put(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.in(path)), { recursive: true });
    rmSync(this.in(path), { recursive: true, force: true });
    writeFileSync(this.in(path), text);
  }

  stage(): void {
    const path = this.random.pick(["docs/a.txt", "docs/deep/b.txt", "docs/new/c.txt"]);
    mkdirSync(dirname(join(this.top, path)), { recursive: true });
    writeFileSync(join(this.top, path), `${this.random.int(1000)}\n`);
    this.git("add", path);
    if (this.random.chance(1 / 2)) this.git("write-tree");
  }

  index(change: (index: RawIndex) => RawIndex): void {
    writeIndex(this.in("index"), change(readIndex(this.in("index"))));
  }

  entry(change: (entry: RawEntry) => Partial<RawEntry>): void {
    const { random } = this;
    this.index((index) => {
      const chosen = random.int(index.entries.length);
      const entries = index.entries.map((one, i) => (i === chosen ? { ...one, ...change(one) } : one));
      const isExtended = entries.some(({ flags }) => (flags & 0x4000) !== 0);
      // A cache of trees that is left would say what the entries were.
      const extensions = random.chance(1 / 2) ? [] : index.extensions;
      return { version: isExtended ? 3 : index.version, entries, extensions };
    });
  }

  extension(signature: string, body: Buffer, isAlone = this.random.chance(1 / 2)): void {
    this.index((index) => ({
      ...index,
      extensions: [...(isAlone ? [] : index.extensions), { signature, body }],
    }));
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.random.int(256)));
  }

  commit(): string {
    const { base, good, evil } = this.names;
    return this.random.pick([base, good, evil]);
  }

  node(depth = 0): CacheNode {
    const { random, names } = this;
    const name = depth === 0 ? "" : random.pick(["docs", "deep", "src", "x.sh", "none"]);
    const hash = random.pick([names.evilTree, names.baseTree, names.docsTree, names.evilBlob, "e".repeat(40)]);
    const count = random.pick([-1, 0, 1, 2, 4, 5]);
    const children = depth > 2 ? [] : Array.from({ length: random.int(3) }, () => this.node(depth + 1));
    return { name, count, hash, children };
  }
}

type Change = readonly [what: string, change: (folder: Folder) => void];

const INDEX: readonly Change[] = [
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

const REFS: readonly Change[] = [
  [
    "packed refs",
    (f) => {
      const names = [
        "refs/heads/main",
        "refs/heads/main",
        "refs/heads/other",
        "refs/heads/a",
        "refs/tags/t",
        "MERGE_HEAD",
      ];
      const rows = Array.from({ length: 1 + f.random.int(4) }, () => `${f.commit()} ${f.random.pick(names)}`);
      if (f.random.chance(1 / 2)) rows.sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
      if (f.random.chance(1 / 5)) rows.splice(1, 0, `^${f.commit()}`);
      const header = f.random.pick([
        "",
        "# pack-refs with: peeled fully-peeled sorted \n",
        "# pack-refs with: peeled \n",
        "# x\n",
      ]);
      f.put(
        "packed-refs",
        header + rows.join(f.random.pick(["\n", "\n", "\n", "\r\n"])) + f.random.pick(["\n", "\n", "\n", ""]),
      );
      if (f.random.chance(2 / 3)) rmSync(f.in("refs/heads/main"), { recursive: true, force: true });
    },
  ],
  ["packed by git", (f) => void f.git("pack-refs", "--all")],
  [
    "a branch elsewhere",
    (f) => f.put("refs/heads/main", `${f.commit()}${f.random.pick(["\n", "\n", "", " \n", "\nx\n", "\r\n"])}`),
  ],
  ["a branch that is a ref", (f) => f.put("refs/heads/main", "ref: refs/heads/other\n")],
  [
    "a branch that is a link",
    (f) => {
      rmSync(f.in("refs/heads/main"));
      symlinkSync(f.random.pick(["other", "refs/heads/other"]), f.in("refs/heads/main"));
    },
  ],
  [
    "a branch that is a folder",
    (f) => {
      rmSync(f.in("refs/heads/main"));
      mkdirSync(f.in("refs/heads/main"));
      f.put("packed-refs", `${f.commit()} refs/heads/main\n`);
    },
  ],
  [
    "HEAD",
    (f) =>
      f.put(
        "HEAD",
        f.random.pick([
          "ref: refs/heads/other\n",
          "ref: refs/heads/main",
          "ref:refs/heads/main\n",
          "ref:  refs/heads/other \n",
          "ref: refs/heads/main\r\n",
          "ref: refs/worktree/x\n",
          "ref: refs/heads/none\n",
          `${f.commit()}\n`,
          `${f.commit()}`,
          `${f.commit()} x\n`,
          "ref: refs/heads/main\nref: refs/heads/other\n",
          "",
        ]),
      ),
  ],
  [
    "HEAD that is a link",
    (f) => {
      rmSync(f.in("HEAD"));
      symlinkSync("refs/heads/other", f.in("HEAD"));
    },
  ],
  [
    "a ref of the work tree",
    (f) => {
      f.put("refs/worktree/x", `${f.commit()}\n`);
      f.put("HEAD", "ref: refs/worktree/x\n");
    },
  ],
];

const STATES: readonly Change[] = [
  [
    "a state",
    (f) =>
      f.put(
        f.random.pick([
          "MERGE_HEAD",
          "CHERRY_PICK_HEAD",
          "REVERT_HEAD",
          "REBASE_HEAD",
          "BISECT_HEAD",
          "AUTO_MERGE",
          "ORIG_HEAD",
          "FETCH_HEAD",
        ]),
        `${f.commit()}\n`,
      ),
  ],
  ["a message", (f) => f.put(f.random.pick(["MERGE_MSG", "SQUASH_MSG", "MERGE_MODE", "COMMIT_EDITMSG"]), "text\n")],
  [
    "a sequence",
    (f) =>
      f.put(
        f.random.pick(["rebase-merge/head-name", "rebase-apply/applying", "sequencer/todo", "BISECT_LOG"]),
        `${f.commit()}\n`,
      ),
  ],
  ["grafts", (f) => f.put("info/grafts", `${f.names.base} ${f.commit()}\n`)],
  ["a shallow boundary", (f) => f.put("shallow", `${f.commit()}\n`)],
  ["a replaced commit", (f) => f.put(`refs/replace/${f.commit()}`, `${f.commit()}\n`)],
  ["a replaced tree", (f) => f.put(`refs/replace/${f.names.baseTree}`, `${f.names.evilTree}\n`)],
  ["attributes", (f) => f.put("info/attributes", "* text eol=crlf ident working-tree-encoding=UTF-16\n")],
  [
    "a setting",
    (f) =>
      appendFileSync(
        f.in("config"),
        f.random.pick([
          "[core]\n\tworktree = /nowhere\n",
          "[core]\n\tbare = true\n",
          "[index]\n\tsparse = true\n[core]\n\tsparseCheckout = true\n",
          "[feature]\n\tmanyFiles = true\n",
          "[core]\n\tsplitIndex = true\n",
          "[core]\n\tignoreCase = true\n",
          "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n",
          "[extensions]\n\tobjectFormat = sha256\n",
        ]),
      ),
  ],
];

const PLACES: readonly Change[] = [
  [
    "a .git that is a file",
    (f) => {
      renameSync(f.in(), `${f.top}-elsewhere`);
      writeFileSync(f.in(), `gitdir: ${f.top}-elsewhere\n`);
    },
  ],
  [
    "a .git that is a link",
    (f) => {
      renameSync(f.in(), `${f.top}-elsewhere`);
      symlinkSync(`${f.top}-elsewhere`, f.in());
    },
  ],
  [
    "a common folder elsewhere",
    (f) => {
      cpSync(f.in(), `${f.top}-elsewhere`, { recursive: true });
      writeFileSync(`${f.top}-elsewhere/refs/heads/main`, `${f.commit()}\n`);
      f.put("commondir", `${f.top}-elsewhere\n`);
    },
  ],
  [
    "a linked work tree of itself",
    (f) => {
      const other = `${f.top}-elsewhere`;
      renameSync(f.in(), other);
      const own = join(other, "worktrees/w");
      mkdirSync(join(own, "refs/worktree"), { recursive: true });
      cpSync(join(other, "index"), join(own, "index"));
      writeFileSync(join(own, "commondir"), "../..\n");
      writeFileSync(join(own, "gitdir"), `${f.in()}\n`);
      writeFileSync(
        join(own, "HEAD"),
        f.random.pick(["ref: refs/worktree/x\n", "ref: refs/heads/other\n", "ref: refs/heads/main\n"]),
      );
      writeFileSync(join(own, "refs/worktree/x"), `${f.commit()}\n`);
      writeFileSync(f.in(), `gitdir: ${own}\n`);
    },
  ],
  [
    "no refs",
    (f) => {
      f.git("pack-refs", "--all");
      rmSync(f.in("refs"), { recursive: true });
    },
  ],
  [
    "refs behind a link",
    (f) => {
      if (existsSync(f.in("refs"))) {
        renameSync(f.in("refs"), `${f.top}-elsewhere`);
        symlinkSync(`${f.top}-elsewhere`, f.in("refs"));
      }
    },
  ],
];

/** What people and git do, and what git commits as if it were not there. */
const PLAIN: readonly Change[] = [
  ["nothing", () => {}],
  ["trees as git has them", (f) => void f.git("write-tree")],
  ["no trees", (f) => f.index((index) => ({ ...index, extensions: [] }))],
  ["version 4", (f) => void f.git("update-index", "--index-version", "4")],
  ["packed by git", (f) => void f.git("pack-refs", "--all")],
  ["objects packed", (f) => void f.git("repack", "-adq")],
  ["a commit", (f) => void f.git("commit", "-q", "-m", "before")],
  ["a deletion", (f) => void f.git("rm", "-q", "docs/deep/b.txt")],
  ["another branch", (f) => void f.git("switch", "-q", "-c", "new/branch")],
  ["what git left", (f) => f.put(f.random.pick(["ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG"]), `${f.commit()}\n`)],
  ...STATES.filter(([what]) => /graft|shallow|replaced|attributes/.test(what)),
];

/** The index is what most is at stake with. */
const CHANGES: readonly Change[] = [...INDEX, ...INDEX, ...REFS, ...REFS, ...STATES, ...PLACES];
