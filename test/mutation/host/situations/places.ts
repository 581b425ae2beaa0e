/** Submodules, linked work trees, heads and refs: where a repository keeps its parts. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { makeRepository, openTestRepository, type TestRepository } from "../../../enforcement/execution/repository.ts";
import { type Expected, type Made, rows, type Situations, type Stage, store, storeCommit } from "./stage.ts";

export const places: Situations = {
  "a submodule as it was": (at) => ({ baseline: withSubmodule(at).baseline, expected: [] }),
  "a submodule that is staged": (at) => {
    at.repository.git("submodule", "add", "-q", library(at).top, "vendor/lib");
    rmSync(join(at.top, "vendor/lib"), { recursive: true });
    return { expected: ["CREATE .gitmodules", "CREATE vendor/lib"] };
  },
  "a submodule with another commit": (at) => {
    const { baseline, inside } = withSubmodule(at);
    inside.write("new", "x");
    inside.commit();
    return { baseline, expected: ["WRITE vendor/lib"] };
  },
  "a submodule with another file": (at) => {
    const { baseline, inside } = withSubmodule(at);
    inside.write("in/c", "changed\n");
    return { baseline, expected: ["WRITE vendor/lib"] };
  },
  "a submodule that is empty": (at) => {
    const { baseline } = withSubmodule(at);
    at.repository.git("submodule", "deinit", "-q", "-f", "vendor/lib");
    return { baseline, expected: [] };
  },
  "a submodule that is gone": (at) => {
    const { baseline } = withSubmodule(at);
    rmSync(join(at.top, "vendor/lib"), { recursive: true });
    return { baseline, expected: ["DELETE vendor/lib"] };
  },
  "a submodule that is a file by now": (at) => {
    const { baseline } = withSubmodule(at);
    rmSync(join(at.top, "vendor/lib"), { recursive: true });
    writeFileSync(join(at.top, "vendor/lib"), "x");
    return { baseline, expected: ["WRITE vendor/lib", "MODE vendor/lib"] };
  },
  "a submodule with a stray file": (at) => {
    const { baseline } = withSubmodule(at);
    at.repository.git("submodule", "deinit", "-q", "-f", "vendor/lib");
    at.repository.write("vendor/lib/x", "x");
    return { baseline, expected: ["WRITE vendor/lib"] };
  },
  "a submodule that cannot be read": (at) => {
    const { baseline, inside } = withSubmodule(at);
    writeFileSync(join(inside.top, ".git"), "gitdir: /nowhere\n");
    return { baseline, expected: ["WRITE vendor/lib"] };
  },
  "a submodule with a rewritten tree": (at) => {
    const { baseline, inside } = withSubmodule(at);
    const tree = inside.git("rev-parse", "HEAD:in");
    const file = at.git("modules/vendor/lib/objects", tree.slice(0, 2), tree.slice(2));
    const body = rows(["100644", "d", inside.git("rev-parse", "HEAD:in/c")]);
    rmSync(file);
    writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`tree ${body.length}\0`), body])));
    return { baseline, expected: "refused" };
  },
  "a submodule of the other kind of repository": (at) => {
    const { baseline } = withSubmodule(at);
    const folder = at.git("modules/vendor/lib");
    // An index of one kind is broken to the other.
    rmSync(join(folder, "index"));
    writeFileSync(join(folder, "HEAD"), `${"f".repeat(64)}\n`);
    return { baseline, expected: "refused", says: "the baseline is of another kind of repository" };
  },
  "submodules in each other, one too deep": (at) => deepSubmodules(at, 17, "refused"),
  "submodules in each other": (at) => deepSubmodules(at, 16, ["WRITE in"]),

  "a linked work tree": ({ repository, beside }) => {
    const top = beside("linked");
    repository.git("worktree", "add", "-q", top);
    openTestRepository(top).write("src/b", "changed\n");
    return { folder: top, top, expected: "refused", says: "is no folder" };
  },
  "a linked work tree with another commit and index": ({ repository, beside }) => {
    const top = beside("linked");
    repository.git("worktree", "add", "-q", top);
    const linked = openTestRepository(top);
    linked.write("one", "1");
    linked.commit();
    linked.write("two", "2");
    linked.git("add", "two");
    for (const name of ["one", "two"]) rmSync(join(top, name));
    return { folder: top, top, expected: "refused", says: "is no folder" };
  },
  "a git folder elsewhere, named with CR": ({ top, git, beside }) => {
    renameSync(git(), beside("git"));
    writeFileSync(git(), `gitdir: ${beside("git")}\r\n`);
    writeFileSync(join(top, "new"), "x");
    return { expected: "refused" };
  },
  "a git folder named in two lines": ({ git, beside }) => {
    renameSync(git(), beside("git"));
    writeFileSync(git(), `gitdir: ${beside("git")}\n\n`);
    return { expected: "refused" };
  },
  "a git folder that nothing names": ({ git, beside }) => {
    renameSync(git(), beside("git"));
    writeFileSync(git(), `${beside("git")}\n`);
    return { expected: "refused" };
  },
  "a git folder named at length": ({ git, beside }) => {
    renameSync(git(), beside("git"));
    writeFileSync(git(), `gitdir: ${"/.".repeat(2_100)}${beside("git")}\n`);
    return { expected: "refused" };
  },
  "refs in a table": ({ git }) => {
    mkdirSync(git("reftable"));
    return { expected: "refused" };
  },
  "a HEAD through a ref": (at) => ({ ...chain(at, 1), expected: [] }),
  "a HEAD through two refs": (at) => ({ ...chain(at, 2), expected: "refused", says: "names no commit" }),
  "a HEAD that is a ref nowhere": ({ git }) => {
    writeFileSync(git("HEAD"), "ref: HEAD\n");
    return { expected: "refused" };
  },
  "a HEAD with an empty part": ({ git }) => {
    writeFileSync(git("HEAD"), "ref: refs/heads//main\n");
    return { expected: "refused" };
  },
  "a HEAD of a lock": ({ git }) => {
    cpSync(git("refs/heads/main"), git("refs/heads/main.lock"));
    writeFileSync(git("HEAD"), "ref: refs/heads/main.lock\n");
    return { expected: "refused" };
  },
  "a HEAD of a hidden part": ({ git }) => {
    cpSync(git("refs/heads/main"), git("refs/heads/.main"));
    writeFileSync(git("HEAD"), "ref: refs/heads/.main\n");
    return { expected: "refused" };
  },
  "a HEAD of letters that are not a hash": ({ git, baseline }) => {
    writeFileSync(git("refs/heads/main"), `${baseline.toUpperCase()}\n`);
    return { expected: "refused" };
  },
  "a packed ref beside others": ({ repository, git, baseline }) => {
    repository.write("new", "x");
    const later = repository.commit();
    rmSync(git("refs/heads/main"));
    writeFileSync(
      git("packed-refs"),
      `# pack-refs with: peeled\n${baseline} refs/heads/mai\n^${baseline}\n${later} refs/heads/main\n${baseline} refs/heads/main2\n`,
    );
    repository.git("update-index", "--force-remove", "new");
    rmSync(join(repository.top, "new"));
    return { expected: ["CREATE new"] };
  },
  "a loose ref before a packed one": ({ repository, git, baseline }) => {
    repository.write("new", "x");
    repository.commit();
    writeFileSync(git("packed-refs"), `${baseline} refs/heads/main\n`);
    repository.git("update-index", "--force-remove", "new");
    rmSync(join(repository.top, "new"));
    return { expected: ["CREATE new"] };
  },
  "a folder of refs beside a packed one": ({ git, baseline }) => {
    rmSync(git("refs/heads/main"));
    mkdirSync(git("refs/heads/main"));
    writeFileSync(git("packed-refs"), `${baseline} refs/heads/main\n`);
    return { expected: "refused" };
  },
  "a ref that is a link to nowhere, beside a packed one": ({ git, baseline }) => {
    rmSync(git("refs/heads/main"));
    symlinkSync("nowhere", git("refs/heads/main"));
    writeFileSync(git("packed-refs"), `${baseline} refs/heads/main\n`);
    return { expected: "refused" };
  },
  "a branch without a commit": ({ git }) => {
    writeFileSync(git("HEAD"), "ref: refs/heads/none\n");
    return { expected: "refused", says: "there is no commit on `refs/heads/none`" };
  },
  "a packed ref that leads to two objects": ({ git, baseline }) => {
    rmSync(git("refs/heads/main"));
    const rows = [`${baseline} refs/heads/a`, `^${baseline}`, `^${baseline}`, `${baseline} refs/heads/main`];
    writeFileSync(git("packed-refs"), `${rows.join("\n")}\n`);
    return { expected: "refused" };
  },
  "a HEAD that is not UTF-8": ({ git, baseline }) => {
    writeFileSync(git("HEAD"), Buffer.from("ref: refs/heads/m\xff\n", "latin1"));
    writeFileSync(git("refs/heads/m\ufffd"), `${baseline}\n`);
    return { expected: "refused" };
  },
  "a packed ref that is not one": ({ git, baseline }) => {
    rmSync(git("refs/heads/main"));
    writeFileSync(git("packed-refs"), `${baseline} refs/heads/other\n`);
    return { expected: "refused" };
  },
};

function library(at: Stage): TestRepository {
  const made = makeRepository(at.beside("library"));
  made.write("in/c", "c\n");
  made.commit();
  return made;
}

/** The baseline with a submodule in `vendor/lib`. */
function withSubmodule(at: Stage): { readonly inside: TestRepository; readonly baseline: string } {
  at.repository.git("submodule", "add", "-q", library(at).top, "vendor/lib");
  return { baseline: at.repository.commit(), inside: openTestRepository(join(at.top, "vendor/lib")) };
}

/** HEAD by way of this many refs, the last of which is a commit's name. */
function chain({ git, baseline }: Stage, length: number): { readonly baseline: string } {
  writeFileSync(git("HEAD"), "ref: refs/heads/r1\n");
  for (let i = 1; i < length; i++) writeFileSync(git(`refs/heads/r${i}`), `ref: refs/heads/r${i + 1}\n`);
  writeFileSync(git(`refs/heads/r${length}`), `${baseline}\n`);
  return { baseline };
}

/** Repositories in each other, each a submodule of the one around it, with a file too many in the innermost. */
function deepSubmodules(at: Stage, depth: number, expected: Expected): Made {
  const tops = Array.from({ length: depth + 1 }, (_, i) => join(at.top, ...Array<string>(i).fill("in")));
  for (const top of tops.slice(1)) cpSync(at.git(), join(top, ".git"), { recursive: true });
  let inner = "";
  for (const [i, top] of [...tops.entries()].reverse()) {
    const body = i === depth ? rows() : rows(["160000", "in", inner]);
    const tree = store(top, "tree", body);
    inner = storeCommit(top, tree);
    writeFileSync(join(top, ".git/HEAD"), `${inner}\n`);
    rmSync(join(top, ".git/index"));
    execFileSync("git", ["read-tree", inner], { cwd: top });
  }
  for (const name of [".gitignore", "docs", "src"]) rmSync(join(at.top, name), { recursive: true });
  writeFileSync(join(tops[depth] as string, "x"), "x");
  const baseline = readFileSync(at.git("HEAD"), "utf8").trim();
  writeFileSync(at.git("refs/heads/main"), `${baseline}\n`);
  writeFileSync(at.git("HEAD"), "ref: refs/heads/main\n");
  return { baseline, expected, isSlow: true };
}
