/** Trees, commits and stores of objects that git would not write, or not so. */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import {
  blobOf,
  headOf,
  headWith,
  type Made,
  mkfifo,
  type Row,
  rows,
  SIGNED,
  type Situations,
  type Stage,
  store,
  storeCommit,
  TIME,
} from "./stage.ts";

export const objects: Situations = {
  "an old mode of files": (at) => {
    headWith(at, ["100664", "z", blobOf(at)], ["100777", "zz", blobOf(at)]);
    return { expected: ["CREATE z", "CREATE zz"] };
  },
  "an old mode that others may execute": (at) => {
    headWith(at, ["100645", "z", blobOf(at)]);
    const baseline = readFileSync(at.git("refs/heads/main"), "utf8").trim();
    at.repository.git("read-tree", baseline);
    at.repository.write("z", "a\n");
    // A commit would hold the old tree where the entries say another mode.
    return { baseline, expected: "refused", says: "trees that are not those" };
  },
  "a mode that is not one": refused((at) => headWith(at, ["60000", "z", blobOf(at)])),
  "a name twice": refused((at) => headWith(at, ["100644", "z", blobOf(at)], ["100644", "z", blobOf(at)])),
  ...Object.fromEntries(
    ["..", ".", "a/b", ".git", ".GIT", ""].map((name) => [
      `a name in a tree: ${name}`,
      refused((at) => headWith(at, ["100644", name, blobOf(at)])),
    ]),
  ),
  "a tree that ends early": (at) => {
    headOf(at, rows(["100644", "z", blobOf(at)]).subarray(0, -1));
    return { expected: "refused" };
  },
  "a tree without a blank": refused((at) => headOf(at, Buffer.from("100644z\0"))),
  "a tree without a name": refused((at) => headOf(at, Buffer.from("100644 z"))),
  "a commit with a time": (at) => {
    headWith(at, ["100644", "z", blobOf(at)]);
    return { expected: ["CREATE z"], committed: TIME };
  },
  ...Object.fromEntries(
    [
      "",
      "committer t <t@e.org> 1770000000\n",
      "committer t <t@e.org> 1234567890123 +0000\n",
      `\ncommitter ${SIGNED}\n`,
    ].map((committer) => [
      `a commit without a time: ${JSON.stringify(committer)}`,
      (at: Stage): Made => {
        const tree = at.repository.git("rev-parse", "HEAD^{tree}");
        writeFileSync(at.git("refs/heads/main"), `${storeCommit(at.top, tree, committer)}\n`);
        return { expected: [], committed: null };
      },
    ]),
  ),
  "a commit without a tree": (at) => {
    writeFileSync(
      at.git("refs/heads/main"),
      `${store(at.top, "commit", Buffer.from("author t <t@e.org> 1 +0000\n\ntree x\n"))}\n`,
    );
    return { expected: "refused", says: "names no tree" };
  },
  "a tree that names a blob as a folder": refused((at) => headWith(at, ["40000", "z", blobOf(at)])),
  "a tree of too many paths": (at) => {
    const names = Array.from({ length: 200 }, (_, i) => `${i}`).sort();
    let body = rows(...names.map((name): Row => ["100644", name, blobOf(at)]));
    for (let i = 0; i < 3; i++) {
      const hash = store(at.top, "tree", body);
      body = rows(...names.map((name): Row => ["40000", name, hash]));
    }
    headOf(at, body);
    return { expected: "refused", isSlow: true };
  },
  "objects from elsewhere": ({ repository, git, beside }) => {
    renameSync(git("objects"), beside("objects"));
    mkdirSync(git("objects/info"), { recursive: true });
    writeFileSync(git("objects/info/alternates"), `${beside("objects")}\n`);
    repository.write("new", "x");
    return { expected: ["CREATE new"] };
  },
  "objects from elsewhere, beside a place that is gone": ({ repository, git, beside }) => {
    mkdirSync(git("objects/info"), { recursive: true });
    writeFileSync(git("objects/info/alternates"), `${beside("nowhere")}\n`);
    repository.write("new", "x");
    return { expected: ["CREATE new"] };
  },
  "objects that are links to files": ({ repository, git, beside, baseline }) => {
    const file = git("objects", baseline.slice(0, 2), baseline.slice(2));
    renameSync(file, beside("object"));
    symlinkSync(beside("object"), file);
    mkdirSync(git("objects/info/folder"), { recursive: true });
    repository.write("new", "x");
    return { expected: ["CREATE new"] };
  },
  "one staged file with other content": (at) => stagedWith(at, "one"),
  "two staged files, the second with other content": (at) => stagedWith(at, "one", "two"),
  "a file of the baseline without its content, as in a partial clone": ({ repository, git }) => {
    const hash = repository.git("rev-parse", "HEAD:src/b");
    rmSync(git("objects", hash.slice(0, 2), hash.slice(2)));
    return { expected: [] };
  },
  "a link that leads nowhere among the packs": ({ git, beside }) => {
    mkdirSync(git("objects/pack"), { recursive: true });
    symlinkSync(beside("nothing"), git("objects/pack/pack-0.idx"));
    return { expected: [] };
  },
  ...Object.fromEntries(
    ["pack/pack-0.idx", "info/alternates", "00/x"].flatMap((place) => [
      [`a pipe among the objects: ${place}`, odd(place, mkfifo)],
      [`a link to a pipe among the objects: ${place}`, odd(place, linkToPipe)],
    ]),
  ),
  "a folder among the objects": odd("00/x", (file) => void mkdirSync(file)),
  "a folder among the packs": odd("pack/x", (file) => void mkdirSync(file)),
};

function refused(change: (at: Stage) => void): (at: Stage) => Made {
  return (at) => {
    change(at);
    return { expected: "refused" };
  };
}

/** Files that are staged and in no commit; what git holds for the last of them is not what its name says. */
function stagedWith({ repository, git }: Stage, ...names: string[]): Made {
  for (const name of names) repository.write(name, `${name}\n`);
  repository.git("add", "-A");
  const hash = repository.git("hash-object", names.at(-1) as string);
  const file = git("objects", hash.slice(0, 2), hash.slice(2));
  rmSync(file);
  writeFileSync(file, deflateSync("blob 5\0evil\n"));
  return { expected: "refused", says: "does not have this hash" };
}

/** The pipe itself lies in the git folder, where it is in the way of nothing. */
function linkToPipe(file: string): void {
  mkfifo(join(file, "../../../pipe"));
  symlinkSync("../../pipe", file);
}

function odd(place: string, make: (file: string) => void): (at: Stage) => Made {
  return ({ git }) => {
    const file = git("objects", place);
    mkdirSync(join(file, ".."), { recursive: true });
    make(file);
    return { expected: "refused" };
  };
}
