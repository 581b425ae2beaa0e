/** Random repositories from a seed: a baseline, commits after it, an index with flags, and a disk that agrees with none of them. */

import type { Random } from "../../../rego/plan/generate/random.ts";
import { type Files, file, type Item, isFree, link } from "./model.ts";

export interface RandomRepository {
  readonly sha256: boolean;
  readonly baseline: Files;
  readonly head: Files;
  readonly index: Files;
  readonly disk: Files;
  /** Texts of files in the git folder, by their paths there. */
  readonly gitFiles: ReadonlyMap<string, string>;
  /** Flags of `git update-index` on some paths of the index: nothing is known of such a one. */
  readonly flags: readonly { readonly flag: string; readonly path: string }[];
  readonly packed: boolean;
  /** HEAD names a commit: nothing is known of such a one. */
  readonly detached: boolean;
  readonly packedRefs: boolean;
}

const NAMES = [
  ...["a", "b", "A", "src", "docs", "build", "x.log", "keep.log", "a b", " lead", "-rf", "*?[x]", ":(glob)x", 'q"u\\o'],
  ...[
    "new\nline",
    "gr\u00c3\u00b6\u00c3\u009fe",
    "\u00ff\u00fe",
    ".hidden",
    "a.txt",
    "b.txt",
    ".gitattributes",
    "tab\there",
    "~",
    "#x",
    "!y",
  ],
  ...["constructor", "__proto__", "HEAD", "objects", "..x", "x..", "end ", "\u00e2\u0080\u00ae"],
];

const RULES = [
  ...[
    "*.log",
    "!keep.log",
    "/build/",
    "build",
    "docs/",
    "a.*",
    "/a",
    "src/b",
    "!src/b",
    "# a comment",
    "?",
    "*",
    "!*/",
  ],
  ...["/src/*", "!/src/a", "a b", ".hidden", "b.txt/", "x*", "docs/a", "/docs/*/"],
];

const ATTRIBUTES = [
  "* text=auto\n",
  "* ident\n",
  "* working-tree-encoding=UTF-16LE\n",
  "* eol=crlf\n",
  "* filter=evil -diff\n",
  "* export-ignore\n",
];

export function randomRepository(random: Random): RandomRepository {
  const draw = new Draw(random);
  const baseline = draw.files(1 + random.int(12));
  const head = random.chance(1 / 2) ? baseline : draw.changed(baseline, 4);
  const index = random.chance(1 / 2) ? head : draw.changed(head, 3);
  const from = random.chance(1 / 5) ? baseline : random.chance(1 / 2) ? head : index;
  const disk = random.chance(1 / 6) ? from : draw.changed(from, 5, true);
  return {
    sha256: random.chance(1 / 5),
    baseline,
    head,
    index,
    disk,
    gitFiles: draw.gitFiles(),
    flags: random.chance(1 / 12) ? draw.flags(index) : [],
    packed: random.chance(1 / 3),
    detached: random.chance(1 / 16),
    packedRefs: random.chance(1 / 5),
  };
}

class Draw {
  private readonly random: Random;
  private serial = 0;

  constructor(random: Random) {
    this.random = random;
  }

  private path(): string {
    const depth = 1 + this.random.int(3);
    return Array.from({ length: depth }, () => this.random.pick(NAMES)).join("/");
  }

  /** Contents differ from each other, so that which path moved where is never a question. */
  private content(): string {
    const text = `${this.serial++} $Id$ ${"x".repeat(this.random.int(40))}`;
    return this.random.pick([`${text}\n`, `${text}\r\n`, text, `\u0000${text}\u00ff`]);
  }

  private item(): Item {
    if (this.random.chance(1 / 8))
      return link(this.random.pick(["a", "../a", `/nowhere/${this.serial++}`, "."]) + this.serial++);
    if (this.random.chance(1 / 20)) return { kind: "submodule", content: `${this.serial++}`, executable: false };
    return file(this.content(), this.random.chance(1 / 5));
  }

  files(count: number): Files {
    const made = new Map<string, Item>();
    for (let i = 0; i < count; i++) this.put(made, this.path(), this.item());
    for (const folder of ["", "src/", "docs/", "a/"]) {
      if (!this.random.chance(folder === "" ? 2 / 3 : 1 / 5)) continue;
      const rules = Array.from({ length: 1 + this.random.int(4) }, () => this.random.pick(RULES));
      this.put(made, `${folder}.gitignore`, file(`${rules.join("\n")}\n`));
    }
    // A link is no file of rules, wherever it leads.
    if (this.random.chance(1 / 8)) this.put(made, this.random.pick([".gitignore", "src/.gitignore"]), link("../rules"));
    if (this.random.chance(1 / 6)) this.put(made, ".gitattributes", file(this.random.pick(ATTRIBUTES)));
    return made;
  }

  private put(files: Map<string, Item>, path: string, item: Item): void {
    if (isFree(files, path)) files.set(path, item);
  }

  /** Up to `most` things done. What only a disk can hold: odd files, and `.git` anywhere. */
  changed(files: Files, most: number, onDisk = false): Files {
    const made = new Map(files);
    for (let left = 1 + this.random.int(most); left > 0; left--) this.change(made, onDisk);
    return made;
  }

  private change(files: Map<string, Item>, onDisk: boolean): void {
    const paths = [...files.keys()];
    const path = paths.length === 0 ? undefined : this.random.pick(paths);
    const item = path === undefined ? undefined : (files.get(path) as Item);
    const kind = this.random.int(onDisk ? 11 : 8);
    if (kind <= 1 || path === undefined || item === undefined) return this.put(files, this.path(), this.item());
    if (kind === 2) return void files.delete(path);
    if (kind === 3 && item.kind === "file") return void files.set(path, { ...item, content: this.content() });
    if (kind === 4 && item.kind === "file") return void files.set(path, { ...item, executable: !item.executable });
    if (kind === 5) {
      // A move, sometimes with another mode. A link may be moved as well; a submodule stays.
      if (item.kind === "submodule") return;
      files.delete(path);
      const turned = item.kind === "file" && this.random.chance(1 / 3);
      return this.put(files, this.path(), turned ? { ...item, executable: !item.executable } : item);
    }
    if (kind === 6)
      return void files.set(path, item.kind === "link" ? file(this.content()) : link(`t${this.serial++}`));
    if (kind === 7) {
      // A folder where a file was.
      files.delete(path);
      return this.put(files, `${path}/${this.random.pick(NAMES)}`, file(this.content()));
    }
    if (kind === 8) {
      if (path.includes("/")) this.put(files, `${folderOf(path)}.git`, file("gitdir: nowhere\n"));
      return;
    }
    if (kind === 9) return this.put(files, this.path(), { kind: "other", content: "", executable: false });
    // The same length, the last byte another: what a time stamp or a size would not show.
    if (item.kind === "file" && item.content.length > 0)
      files.set(path, { ...item, content: `${item.content.slice(0, -1)}${item.content.endsWith("!") ? "?" : "!"}` });
  }

  gitFiles(): ReadonlyMap<string, string> {
    const made = new Map<string, string>();
    if (this.random.chance(1 / 4)) made.set("info/attributes", this.random.pick(ATTRIBUTES));
    if (this.random.chance(1 / 4)) made.set("info/exclude", "*\n");
    if (this.random.chance(1 / 3)) {
      made.set(
        "config.more",
        this.random.pick([
          "[core]\n\tautocrlf = input\n",
          "[core]\n\tfileMode = false\n\tignoreCase = true\n",
          "[core]\n\tsymlinks = false\n\ttrustctime = false\n\tcheckStat = minimal\n",
          "[core]\n\tsparseCheckout = true\n[index]\n\tsparse = true\n",
          "[status]\n\tshowUntrackedFiles = no\n[diff]\n\tignoreSubmodules = all\n",
          '[filter "evil"]\n\tclean = false\n\trequired = true\n',
        ]),
      );
    }
    return made;
  }

  flags(index: Files): { flag: string; path: string }[] {
    const flags = ["--assume-unchanged", "--skip-worktree"];
    return [...index]
      .filter(() => this.random.chance(1 / 3))
      .map(([path]) => ({ flag: this.random.pick(flags), path }));
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
