/** What was done in a work tree and its index, and what rules say of it. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRepository } from "../../../enforcement/execution/repository.ts";
import { mkfifo, type Situations } from "./stage.ts";

export const changes: Situations = {
  "nothing done": () => ({ expected: [] }),
  "a baseline that is not a full name": ({ baseline }) => ({
    baseline: baseline.slice(0, 39),
    ...{ expected: "refused", says: "the baseline is no full commit hash" },
  }),
  "a baseline that is missing": () => ({ baseline: "f".repeat(40), expected: "refused" }),
  "a baseline of the other kind": () => ({
    baseline: "f".repeat(64),
    ...{ expected: "refused", says: "the baseline is of another kind of repository" },
  }),
  "a baseline that is a tree": (at) => ({
    baseline: at.repository.git("rev-parse", "HEAD^{tree}"),
    expected: "refused",
  }),
  "no repository": ({ beside }) => {
    mkdirSync(beside("none"));
    return { folder: beside("none"), expected: "refused" };
  },
  "a folder below the top": ({ repository, top }) => {
    repository.write("new", "x");
    return { folder: join(top, "docs"), expected: ["CREATE new"] };
  },
  links: ({ top }) => {
    symlinkSync("/etc/hosts", join(top, "docs/out"));
    symlinkSync("nowhere", join(top, "docs/lost"));
    symlinkSync("a", join(top, "docs/inner"));
    symlinkSync("docs", join(top, "folder"));
    const places = {
      "docs/out": "/etc/hosts",
      "docs/lost": "nowhere",
      "docs/inner": join(top, "docs/a"),
      folder: join(top, "docs"),
    };
    return { expected: Object.entries(places).flatMap(([path, to]) => [`CREATE ${path}`, `CREATE ${path} = ${to}`]) };
  },
  "a folder that a link took the place of": ({ top }) => {
    rmSync(join(top, "docs"), { recursive: true });
    symlinkSync("src", join(top, "docs"));
    return { expected: ["CREATE docs", `CREATE docs = ${top}/src`, "DELETE docs/a", `DELETE docs/a = ${top}/src/a`] };
  },
  "a committed file below what is a link by now, and ignored": ({ repository, top }) => {
    repository.write("cache.log/x", "x");
    repository.git("add", "-f", "cache.log/x");
    repository.git("commit", "-q", "-m", "x");
    rmSync(join(top, "cache.log"), { recursive: true });
    symlinkSync("docs", join(top, "cache.log"));
    return { expected: ["CREATE cache.log/x", `CREATE cache.log/x = ${top}/docs/x`] };
  },
  "a committed link that is gone": ({ repository, top }) => {
    symlinkSync("../src/b", join(top, "docs/link"));
    repository.commit();
    rmSync(join(top, "docs/link"));
    return { expected: ["CREATE docs/link = nowhere"] };
  },
  "a committed link that is a file by now": ({ repository, top }) => {
    symlinkSync("../src/b", join(top, "docs/link"));
    repository.commit();
    rmSync(join(top, "docs/link"));
    repository.write("docs/link", "no link\n");
    return { expected: ["CREATE docs/link", "CREATE docs/link = nowhere"] };
  },
  "a staged link that leads elsewhere by now": ({ repository, top }) => {
    symlinkSync("../src/b", join(top, "docs/link"));
    repository.git("add", "-A");
    rmSync(join(top, "docs/link"));
    symlinkSync("a", join(top, "docs/link"));
    return { expected: ["CREATE docs/link", `CREATE docs/link = ${top}/docs/a`, "CREATE docs/link = nowhere"] };
  },
  "a committed link that is still there": ({ repository, top }) => {
    symlinkSync("a", join(top, "docs/link"));
    repository.commit();
    return { expected: ["CREATE docs/link", `CREATE docs/link = ${top}/docs/a`] };
  },
  "a name that is not a text": ({ top }) => {
    writeFileSync(Buffer.concat([Buffer.from(`${top}/docs/`), Uint8Array.of(0xff)]), "x");
    return { expected: ["CREATE docs/\ufffd = nowhere"] };
  },
  "an object that two folders share": ({ repository, top }) => {
    for (const name of ["one", "two"]) repository.write(`same/${name}/x`, "same\n");
    const baseline = repository.commit();
    rmSync(join(top, "same/one"), { recursive: true });
    return { baseline, expected: ["DELETE same/one/x"] };
  },
  "renames of one content": ({ repository, top }) => {
    for (const name of ["one", "two", "three"]) repository.write(`same/${name}`, "same\n");
    const baseline = repository.commit();
    rmSync(join(top, "same"), { recursive: true });
    for (const name of ["four", "five"]) repository.write(`same/${name}`, "same\n");
    const moved = ["one", "three", "four", "five"].map((name) => `RENAME same/${name}`);
    return { baseline, expected: [...moved, "DELETE same/two"] };
  },
  "a link in the place of a file that says the same": ({ repository, top }) => {
    repository.write("same", "docs");
    const baseline = repository.commit();
    rmSync(join(top, "same"));
    symlinkSync("docs", join(top, "link"));
    return { baseline, expected: ["DELETE same", "CREATE link", `CREATE link = ${top}/docs`] };
  },
  "a file that others may execute": ({ top }) => {
    chmodSync(join(top, "docs/a"), 0o645);
    return { expected: [] };
  },
  "nothing left but what moved": ({ top }) => {
    renameSync(join(top, "src/b"), join(top, "moved"));
    for (const name of [".gitignore", "docs", "src"]) rmSync(join(top, name), { recursive: true });
    return { expected: ["RENAME src/b", "RENAME moved", "DELETE .gitignore", "DELETE docs/a"] };
  },
  "a pipe where a file was": ({ top }) => {
    rmSync(join(top, "docs/a"));
    mkfifo(join(top, "docs/a"));
    return { expected: ["WRITE docs/a"] };
  },
  "a folder that is a repository": ({ top }) => {
    makeRepository(join(top, "src/inner")).write("x", "x");
    return { expected: ["CREATE src/inner/.git", "CREATE src/inner/x"] };
  },
  "a copy of the repository in it, asked itself": ({ repository, top }) => {
    rmSync(join(top, "docs"), { recursive: true });
    repository.git("clone", "-q", "--no-hardlinks", top, join(top, "docs"));
    repository.write("src/b", "changed\n");
    return {
      folder: join(top, "docs"),
      ...{ expected: "refused", says: "more than one repository" },
    };
  },
  "a copy of the repository in it, asked itself, with the baseline around it broken": ({
    repository,
    top,
    git,
    baseline,
  }) => {
    repository.git("clone", "-q", "--no-hardlinks", top, join(top, "copy"));
    repository.write("src/b", "changed\n");
    const file = git("objects", baseline.slice(0, 2), baseline.slice(2));
    rmSync(file);
    writeFileSync(file, "broken");
    return { folder: join(top, "copy"), expected: "refused" };
  },
  "another repository in it, asked itself": ({ top }) => {
    const inner = makeRepository(join(top, "src/inner"));
    inner.write("x", "x");
    const baseline = inner.commit();
    inner.write("y", "y");
    return { folder: inner.top, top: inner.top, baseline, expected: ["CREATE y"] };
  },
  "no index": ({ git }) => {
    rmSync(git("index"));
    return { expected: ["DELETE .gitignore", "DELETE docs/a", "DELETE src/b"] };
  },
  "an index for one commit": ({ repository, git }) => {
    repository.write("src/b", "changed\n");
    repository.git("add", "src/b");
    cpSync(git("index"), git("next"));
    repository.write("src/b", "b\n");
    repository.git("add", "src/b");
    // Last: git takes it for its own.
    renameSync(git("next"), git("index.lock"));
    return { index: git("index.lock"), expected: ["WRITE src/b"] };
  },
  "a merge that is not done": ({ repository }) => {
    const rowsOf = [1, 2, 3].map((stage) => `100644 ${repository.git("rev-parse", "HEAD:src/b")} ${stage}\tsrc/b\n`);
    repository.git("update-index", "--force-remove", "src/b");
    execFileSync("git", ["update-index", "--index-info"], { cwd: repository.top, input: rowsOf.join("") });
    return { expected: "refused", says: "unmerged" };
  },
  "a split index": ({ repository, top }) => {
    repository.git("update-index", "--split-index");
    repository.write("new", "x");
    repository.git("add", "new");
    rmSync(join(top, "new"));
    return { expected: "refused" };
  },
  "a sparse index": ({ repository, top }) => {
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs");
    return { expected: "refused", says: "out of the work tree", top };
  },
  "a sparse index of another tree": ({ repository }) => {
    repository.write("src/b", "changed\n");
    repository.write("src/deep/c", "new\n");
    const baseline = repository.commit();
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs");
    repository.git("update-ref", "HEAD", `${baseline}^`);
    return { expected: "refused", says: "out of the work tree" };
  },
  "a sparse index of a tree with other content": ({ repository, git }) => {
    repository.write("src/b", "changed\n");
    const later = repository.commit();
    const [src, before] = [`${later}:src`, `${later}^:src`].map((name) => repository.git("rev-parse", name)) as [
      string,
      string,
    ];
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs");
    repository.git("update-ref", "HEAD", `${later}^`);
    const file = (hash: string): string => git("objects", hash.slice(0, 2), hash.slice(2));
    rmSync(file(src));
    cpSync(file(before), file(src));
    return { expected: "refused", says: "out of the work tree" };
  },
  "rules of the baseline in every folder": ({ repository }) => {
    repository.write("sub/.gitignore", "/only\n*.tmp\n!keep.tmp\nx/y\nfolder/\n");
    const baseline = repository.commit();
    for (const path of ["a.log", "src/a.log", "build/x", "sub/only", "sub/d/a.tmp", "sub/x/y", "sub/folder/f"])
      repository.write(path, "x");
    // A folder that is ignored is not looked into, whatever lies there.
    repository.write("docs/d.log/.git/x", "x");
    const seen = ["src/build/x", "sub/d/only", "a.tmp", "sub/keep.tmp", "sub/d/x/y", "sub/e/folder"];
    for (const path of seen) repository.write(path, "x");
    return { baseline, expected: seen.map((path) => `CREATE ${path}`) };
  },
  "rules that one may execute": ({ repository }) => {
    repository.git("update-index", "--chmod=+x", ".gitignore");
    repository.git("commit", "-q", "-m", "x");
    repository.git("checkout", "-q", "-f", ".");
    repository.write("a.log", "x");
    return { baseline: repository.git("rev-parse", "HEAD"), expected: [] };
  },
  "rules that are a link": ({ repository, top }) => {
    // Both where it leads and what it says would be rules that hide the file.
    repository.write("*.log", "*.log\n");
    rmSync(join(top, ".gitignore"));
    symlinkSync("*.log", join(top, ".gitignore"));
    const baseline = repository.commit();
    repository.write("a.log", "x");
    return { baseline, expected: ["CREATE a.log"] };
  },
  "rules with another name": ({ repository }) => {
    repository.write("x.gitignore", "*.tmp\n");
    repository.write(".gitignore.d", "*.tmp\n");
    const baseline = repository.commit();
    repository.write("a.tmp", "x");
    return { baseline, expected: ["CREATE a.tmp"] };
  },
  "what a file and a folder of rules change places with": ({ repository, top }) => {
    repository.write("sub/.gitignore", "*\n!*/\n!x\n");
    repository.write("tmp/.gitignore", "x\n");
    repository.git("add", "-f", "-A");
    repository.write(".gitignore", "tmp/\n");
    const baseline = repository.commit();
    rmSync(join(top, "sub/.gitignore"));
    repository.write("sub/.gitignore/deep/x", "x");
    rmSync(join(top, "tmp"), { recursive: true });
    writeFileSync(join(top, "tmp"), "no folder");
    return {
      baseline,
      expected: ["DELETE sub/.gitignore", "CREATE sub/.gitignore/deep/x", "CREATE tmp", "DELETE tmp/.gitignore"],
    };
  },
};
