/** What mutants of the host's side are asked about: random repositories with what a naive comparison finds, and hostile ones. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { file, type Item } from "../../enforcement/execution/fuzz/model.ts";
import { naiveChanges } from "../../enforcement/execution/fuzz/naive.ts";
import { type RandomRepository, randomRepository } from "../../enforcement/execution/fuzz/random-repository.ts";
import { writeRepository } from "../../enforcement/execution/fuzz/write-repository.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { makeSituations, type Situation, situationNames } from "./situations/index.ts";

export interface Fixtures {
  readonly repositories: readonly {
    readonly top: string;
    readonly baseline: string;
    readonly expected: readonly string[];
  }[];
  readonly situations: readonly Situation[];
  /** A repository to sign contracts for: its top, a commit, a tree, and the commit that is checked out. */
  readonly signed: {
    readonly root: string;
    readonly baseline: string;
    readonly tree: string;
    readonly head: string;
  };
  /** A folder with files, links and pipes. */
  readonly files: string;
  /** The size of the file `large` in it. */
  readonly large: number;
  /** A folder with sets of samples of handoff records: `whole`, and two that lack a kind. */
  readonly samples: string;
}

const REPOSITORIES = 30;

/** Length of a file that is read in several pieces, in bytes. */
const LARGE = (1 << 21) + 7;

/** `folder`: canonical. */
export function makeFixtures(folder: string, seed: number, count = REPOSITORIES, names = situationNames): Fixtures {
  const repositories = Array.from({ length: count }, (_, i) => {
    const top = join(folder, `random-${i}`);
    const repository = { ...randomRepository(new Random(seed + i)), detached: false, flags: [] };
    const baseline = writeRepository(top, repository);
    const expected = naiveChanges(repository.baseline, { ...repository, top });
    return { top, baseline, expected: unique(expected.map((one) => Buffer.from(one, "latin1").toString("utf8"))) };
  });
  const hostile = Object.entries(attacks).map(([what, attack], i) => {
    const top = join(folder, `hostile-${i}`);
    const baseline = writeRepository(top, plain);
    attack(top, baseline);
    return { what, top, folder: top, baseline, expected: "refused" as const };
  });
  const root = join(folder, "signed");
  const baseline = writeRepository(root, plain);
  const signed = { root, baseline, tree: revision(root, "HEAD^{tree}"), head: revision(root, "HEAD") };
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "file"), "0123456789");
  symlinkSync("file", join(files, "link"));
  writeFileSync(join(files, "large"), Buffer.alloc(LARGE, "0123456789"));
  // Larger than a document may be, in no room.
  truncateSync(touched(join(files, "hole")), (16 << 20) + 1);
  truncateSync(touched(join(files, "whole")), 16 << 20);
  mkdirSync(join(files, "folder"));
  for (const [to, name] of Object.entries({
    "/etc/hosts": "out",
    "/etc": "etc",
    folder: "inner",
    nowhere: "lost",
    circle: "circle",
  }))
    symlinkSync(to, join(files, name));
  execFileSync("mkfifo", [join(files, "pipe")]);
  const listening = 'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))';
  spawnSync(process.execPath, ["-e", listening, join(files, "socket")]);
  return {
    repositories,
    situations: [...hostile, ...makeSituations(folder, names)],
    signed,
    files,
    large: LARGE,
    samples: makeSamples(join(folder, "samples")),
  };
}

function touched(path: string): string {
  writeFileSync(path, "");
  return path;
}

function makeSamples(folder: string): string {
  for (const [set, kinds] of Object.entries({
    whole: ["positive", "negative"],
    "no-positive": ["negative"],
    "no-negative": ["positive"],
  }))
    for (const kind of kinds) {
      const samples = join(folder, set, "handoff-samples");
      mkdirSync(join(samples, kind), { recursive: true });
      writeFileSync(join(samples, kind, "a.json"), kind === "positive" ? "{}" : '{"refuse":["a"]}');
    }
  mkdirSync(join(folder, "whole/handoff-samples/root"));
  writeFileSync(join(folder, "whole/handoff-samples/root/e"), "evidence");
  return folder;
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)].sort();
}

const tree: ReadonlyMap<string, Item> = new Map([
  ["src/deep/code.ts", file("code\n")],
  ["docs/a.txt", file("a\n")],
  [".gitignore", file("*.log\n")],
]);

const plain: RandomRepository = {
  ...{ sha256: false, baseline: tree, head: tree, index: tree, disk: tree },
  ...{ gitFiles: new Map(), flags: [], packed: false, detached: false, packedRefs: false },
};

const objectFile = (top: string, hash: string): string => join(top, ".git/objects", hash.slice(0, 2), hash.slice(2));

function inflated(top: string, hash: string): Buffer {
  return inflateSync(readFileSync(objectFile(top, hash)));
}

/** Other content under the name. */
function rewrite(top: string, hash: string, content: Buffer): void {
  chmodSync(objectFile(top, hash), 0o644);
  writeFileSync(objectFile(top, hash), deflateSync(content));
}

const revision = (top: string, name: string): string =>
  execFileSync("git", ["rev-parse", name], { cwd: top }).toString().trim();

/** The same length with the last letter of its first name another. */
function renamedEntry(content: Buffer): Buffer {
  const body = content.indexOf(0) + 1;
  const changed = Buffer.from(content);
  const end = changed.indexOf(0, body);
  changed[end - 1] = (changed[end - 1] as number) ^ 1;
  return changed;
}

const attacks: Readonly<Record<string, (top: string, baseline: string) => void>> = {
  "a tree with another name in it": (top) => {
    const hash = revision(top, "HEAD:src/deep");
    rewrite(top, hash, renamedEntry(inflated(top, hash)));
  },
  "rules of the baseline that hide more": (top) => {
    rewrite(top, revision(top, "HEAD:.gitignore"), Buffer.from("blob 2\0*\n"));
    writeFileSync(join(top, "new"), "x");
  },
  "a commit with another tree": (top, baseline) => {
    const other = revision(top, "HEAD:docs");
    const content = inflated(top, baseline)
      .toString("latin1")
      .replace(/tree [0-9a-f]+/, `tree ${other}`);
    rewrite(top, baseline, Buffer.from(content, "latin1"));
  },
  "a blob where a tree should be": (top) => {
    const hash = revision(top, "HEAD:src");
    const content = inflated(top, hash);
    rewrite(top, hash, Buffer.from(content.toString("latin1").replace("tree ", "blob "), "latin1"));
  },
  "a pipe for an object": (top) => {
    const hash = revision(top, "HEAD:src");
    rmSync(objectFile(top, hash));
    execFileSync("mkfifo", [objectFile(top, hash)]);
  },
  "an object that is missing": (top) => rmSync(objectFile(top, revision(top, "HEAD:src"))),
  "a HEAD that names nothing": (top) => writeFileSync(join(top, ".git/HEAD"), "ref: refs/heads/none\n"),
  "a HEAD that leads out": (top) => {
    cpSync(join(top, ".git/refs/heads/main"), join(top, ".git/out"));
    writeFileSync(join(top, ".git/HEAD"), "ref: refs/../out\n");
  },
  "a HEAD that leads in a circle": (top) => writeFileSync(join(top, ".git/refs/heads/main"), "ref: refs/heads/main\n"),
  "a broken index": (top) => writeFileSync(join(top, ".git/index"), "DIRC, or so"),
  "an index that is a folder": (top) => {
    rmSync(join(top, ".git/index"));
    mkdirSync(join(top, ".git/index"));
  },
};
