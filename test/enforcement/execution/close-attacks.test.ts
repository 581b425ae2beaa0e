/**
 * Attacks on `portcullis exec close` by a person who controls the repository: each changes `src/code.ts`, which no contract
 * declares, and makes git look away. None may be reconciled: the change is named, or nothing is believed.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { write } from "../../cli/terminal.ts";
import {
  baseline,
  close,
  commitBaseline,
  expectReconciled,
  expectRefused,
  expectUnavailable,
  folder,
  linux,
  repository,
  undeclared,
  uniqueName,
  useNewRepository,
  useRepositories,
} from "./closing.ts";
import { makeRepository, openTestRepository } from "./repository.ts";

useRepositories();

const evil = "export const evil = true;\n";
const attack = (): void => void repository.write("src/code.ts", evil);
const inGit = (...path: string[]): string => join(repository.top, ".git", ...path);

function looseObject(hash: string, top = repository.top): string {
  return join(top, ".git/objects", hash.slice(0, 2), hash.slice(2));
}

/** Puts other content under an object's name. */
function rewrite(hash: string, type: string, body: Uint8Array, top = repository.top): void {
  const file = looseObject(hash, top);
  chmodSync(file, 0o644);
  writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])));
}

const rawTree = (top: string, ...names: string[]): Buffer =>
  execFileSync("git", ["cat-file", "tree", ...names], { cwd: top, stdio: ["ignore", "pipe", "ignore"] });

describe("an object with other content under its name", () => {
  it("is not believed: the tree of a folder", async () => {
    const tree = repository.git("rev-parse", "HEAD:src");
    attack();
    repository.git("add", "-A");
    const other = repository.git("write-tree");
    rewrite(tree, "tree", rawTree(repository.top, `${other}:src`));
    await expectUnavailable();
  });

  it("is not believed: the rules of the baseline's .gitignore", async () => {
    const rules = repository.git("rev-parse", "HEAD:.gitignore");
    rewrite(rules, "blob", Buffer.from("*.log\n/build/\n*.ts\n"));
    repository.write("src/evil.ts", evil);
    await expectUnavailable();
  });

  it("is not believed: the baseline itself, and its tree", async () => {
    attack();
    const later = repository.commit();
    const raw = execFileSync("git", ["cat-file", "commit", later], { cwd: repository.top });
    const kept = readFileSync(looseObject(baseline));
    rewrite(baseline, "commit", raw);
    await expectUnavailable();
    writeFileSync(looseObject(baseline), kept);
    expect(await undeclared()).toEqual(["src/code.ts"]);
    const tree = repository.git("rev-parse", `${baseline}^{tree}`);
    rewrite(tree, "tree", rawTree(repository.top, `${later}^{tree}`));
    await expectUnavailable();
  });

  it("is not believed in a repository with SHA-256", async () => {
    const top = join(folder, uniqueName("sha256"));
    mkdirSync(top);
    const other = openTestRepository(top);
    other.git("init", "-q", "-b", "main", "--object-format=sha256");
    other.write("docs/a.txt", "a\n");
    other.write("src/code.ts", "export {};\n");
    other.write(".gitignore", "*.log\n");
    const first = other.commit();
    expect(first).toHaveLength(64);
    const contract = { contract_root: top, baseline_sha: first };
    await expectReconciled(contract);
    other.write("docs/b.txt", "b\n");
    other.write("c.log", "x");
    await expectReconciled(contract);
    other.write("src/code.ts", evil);
    expect(await undeclared(contract)).toEqual(["src/code.ts"]);
    const tree = other.git("rev-parse", "HEAD:src");
    other.git("add", "-A");
    rewrite(tree, "tree", rawTree(top, `${other.git("write-tree")}:src`), top);
    await expectUnavailable(contract);
  });

  it("and objects from elsewhere are read for what they are", async () => {
    const lender = makeRepository(join(folder, uniqueName("lender")));
    cpSync(inGit("objects"), join(lender.top, ".git/objects"), { recursive: true });
    rmSync(inGit("objects"), { recursive: true });
    mkdirSync(inGit("objects/info"), { recursive: true });
    writeFileSync(inGit("objects/info/alternates"), `${join(lender.top, ".git/objects")}\n`);
    await expectReconciled();
    attack();
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });
});

describe("what git is told of files", () => {
  it("converts nothing: ident, ends of lines, encodings", async () => {
    repository.write("src/code.ts", "// $Id$\nlet x = 1;\n");
    commitBaseline();
    mkdirSync(inGit("info"), { recursive: true });
    writeFileSync(inGit("info/attributes"), "*.ts ident\n");
    repository.write("src/code.ts", "// $Id: `rm -rf /` $\nlet x = 1;\n");
    expect(await undeclared()).toEqual(["src/code.ts"]);
    writeFileSync(inGit("info/attributes"), "*.ts text\n");
    repository.git("config", "core.autocrlf", "input");
    repository.write("src/code.ts", "// $Id$\r\nlet x = 1;\r\n");
    expect(await undeclared()).toEqual(["src/code.ts"]);
    writeFileSync(inGit("info/attributes"), "*.ts working-tree-encoding=UTF-16LE\n");
    writeFileSync(join(repository.top, "src/code.ts"), Buffer.from("// $Id$\nlet x = 1;\n", "utf16le"));
    expect(await undeclared()).toEqual(["src/code.ts"]);
    // The same in a file that everybody sees.
    rmSync(inGit("info/attributes"));
    repository.write("docs/.gitattributes", "x\n");
    repository.write(".gitattributes", "*.ts ident text eol=crlf\n");
    expect(await undeclared()).toEqual([".gitattributes", "src/code.ts"]);
  });

  it("hides none: what an index may hold beside plain entries is refused", async () => {
    const sparse = (): void => void repository.git("sparse-checkout", "set", "--cone", "docs");
    const monitor = write(join(folder, uniqueName("monitor")), "#!/bin/sh\nexit 0\n");
    chmodSync(monitor, 0o755);
    const odd: readonly (readonly [says: string, make: () => void])[] = [
      ["out of the work tree", sparse],
      [
        "out of the work tree",
        () => {
          sparse();
          repository.git("sparse-checkout", "init", "--cone", "--sparse-index");
        },
      ],
      ["is split", () => void repository.git("update-index", "--split-index")],
      ["untracked files", () => void repository.git("update-index", "--untracked-cache")],
      [
        "monitor",
        () => {
          repository.git("config", "core.fsmonitor", monitor);
          repository.git("update-index", "--fsmonitor");
        },
      ],
      ["is unchanged", () => void repository.git("update-index", "--assume-unchanged", "src/code.ts")],
      ["out of the work tree", () => void repository.git("update-index", "--skip-worktree", "src/code.ts")],
      [
        "to be added later",
        () => {
          repository.write("src/new.ts", "x");
          repository.git("add", "-N", "src/new.ts");
        },
      ],
    ];
    for (const [says, make] of odd) {
      useNewRepository();
      await expectReconciled();
      make();
      await expectRefused(says);
    }
  });

  it("hides none: time stamps, another index format, an index that says what the disk does not have", async () => {
    repository.git("update-index", "--index-version", "4");
    await expectReconciled();
    attack();
    const then = new Date("2020-01-01T00:00:00Z");
    utimesSync(join(repository.top, "src/code.ts"), then, then);
    expect(await undeclared()).toEqual(["src/code.ts"]);
    const staged = `100644,${repository.git("hash-object", "-w", "src/code.ts")},src/code.ts`;
    repository.git("update-index", "--cacheinfo", staged);
    repository.write("src/code.ts", "export {};\n");
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });

  it("hides none: replaced objects, grafts, a shallow boundary, a graph of commits", async () => {
    attack();
    const later = repository.commit();
    const orphan = repository.git("commit-tree", "-m", "o", `${later}^{tree}`);
    repository.git("replace", baseline, orphan);
    repository.git("replace", "--graft", later);
    writeFileSync(inGit("info/grafts"), `${later}\n`);
    writeFileSync(inGit("shallow"), `${later}\n`);
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });

  it("hides none: configuration that includes, hooks, case that does not count", async () => {
    const other = write(
      join(folder, uniqueName("config")),
      "[core]\n\tbare = true\n[status]\n\tshowUntrackedFiles = no\n",
    );
    repository.git("config", "include.path", other);
    appendFileSync(
      inGit("config"),
      `[core]\n\tignorecase = true\n\tprecomposeunicode = true\n\tfilemode = false\n\tsymlinks = false\n`,
    );
    writeFileSync(inGit("hooks/post-index-change"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await expectReconciled();
    attack();
    repository.write("src/CODE.ts", "x");
    const found = await undeclared();
    expect(found).toEqual(linux ? ["src/CODE.ts", "src/code.ts"] : ["src/code.ts"]);
  });

  it("is not read where it would never end: configuration that includes a pipe", async () => {
    if (process.platform === "win32") return;
    const pipe = join(folder, uniqueName("pipe"));
    execFileSync("mkfifo", [pipe]);
    appendFileSync(inGit("config"), `[include]\n\tpath = ${pipe}\n`);
    attack();
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });

  it("is refused where it would never end: pipes in the place of git's files", async () => {
    if (process.platform === "win32") return;
    const places = ["HEAD", "index", "refs/heads/main", "objects/info/alternates", "objects/pack/pack-0.idx"];
    for (const place of [...places, `objects/${baseline.slice(0, 2)}/${baseline.slice(2)}`]) {
      const file = inGit(place);
      const kept = existsSync(file) ? readFileSync(file) : undefined;
      rmSync(file, { force: true });
      execFileSync("mkfifo", [file]);
      await expectUnavailable();
      rmSync(file);
      if (kept !== undefined) writeFileSync(file, kept);
    }
    await expectReconciled();
  });
});

describe("a repository in a repository", () => {
  it("in a folder with tracked files hides nothing, whatever is in it", async () => {
    repository.write("src/.git/evil.ts", evil);
    expect(await undeclared()).toEqual(["src/.git"]);
    expect(await undeclared({ declared_targets: ["docs"] })).toEqual(["src/.git"]);
  });

  it("with the same commit does not stand for the one around it", async () => {
    // What is in `docs` looks, from inside, like the whole repository at its baseline.
    const inner = join(repository.top, "docs");
    rmSync(inner, { recursive: true });
    repository.git("clone", "-q", "--no-hardlinks", repository.top, inner);
    attack();
    const declared_targets = ["docs", "src", "index.json"];
    await expectRefused("more than one repository", { contract_root: inner, declared_targets });
    rmSync(join(inner, ".git"), { recursive: true });
    repository.git("init", "-q", inner);
    await expectUnavailable({ contract_root: inner, declared_targets });
    expect(await undeclared()).toContain("src/code.ts");
  });

  it("that was lent another folder of git is refused: a file or a link in the place of .git", async () => {
    const moved = join(folder, uniqueName("moved-git"));
    renameSync(inGit(), moved);
    writeFileSync(join(repository.top, ".git"), `gitdir: ${moved}\n`);
    await expectRefused("is no folder");
    rmSync(join(repository.top, ".git"));
    symlinkSync(moved, join(repository.top, ".git"));
    await expectRefused("is no folder");
  });

  it("that git does not take for one, so that it looks further out, is refused", async () => {
    for (const part of ["objects", "refs"]) {
      useNewRepository();
      if (part === "refs") repository.git("pack-refs", "--all");
      renameSync(inGit(part), inGit(`${part}-elsewhere`));
      await expectRefused(`\`${part}\` of the repository is no folder`);
    }
    useNewRepository();
    for (const name of ["objects", "refs"]) mkdirSync(join(repository.top, "docs", name));
    repository.write("docs/HEAD", "ref: refs/heads/main\n");
    await expectRefused("looks like the inside", { contract_root: join(repository.top, "docs") });
  });

  it("that lends its refs and has an index of its own is refused: `git commit` would commit that one", async () => {
    repository.git("config", "extensions.worktreeConfig", "true");
    repository.write("docs/HEAD", "ref: refs/heads/main\n");
    repository.write("docs/commondir", "../.git\n");
    repository.write("docs/config.worktree", `[core]\n\tworktree = ${JSON.stringify(repository.top)}\n`);
    const docs = join(repository.top, "docs");
    expect(openTestRepository(docs).git("rev-parse", "--git-dir")).toBe(docs);
    await expectRefused("looks like the inside", { contract_root: docs });
  });

  it("is a submodule whose objects are hashed like any other's", async () => {
    const library = makeRepository(join(folder, uniqueName("library")));
    library.write("in/lib.c", "int x;\n");
    library.commit();
    repository.git("submodule", "add", "-q", library.top, "vendor/lib");
    commitBaseline();
    await expectReconciled();
    const inside = openTestRepository(join(repository.top, "vendor/lib"));
    inside.write("new.c", "x");
    mkdirSync(inGit("modules/vendor/lib/info"), { recursive: true });
    writeFileSync(inGit("modules/vendor/lib/info/exclude"), "*.c\n");
    expect(await undeclared()).toEqual(["vendor/lib"]);
    rmSync(join(inside.top, "new.c"));
    await expectReconciled();
    const tree = inside.git("rev-parse", "HEAD:in");
    inside.write("in/lib.c", "int evil;\n");
    inside.git("add", "-A");
    const body = rawTree(inside.top, `${inside.git("write-tree")}:in`);
    const file = inGit("modules/vendor/lib/objects", tree.slice(0, 2), tree.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`tree ${body.length}\0`), body])));
    await expectUnavailable();
  });
});

describe("a tree that no checkout could write", () => {
  const tree = (...entries: readonly (readonly [mode: string, name: string, hash: string])[]): string => {
    const body = Buffer.concat(
      entries.flatMap(([mode, name, hash]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, "hex")]),
    );
    const hash = createHash("sha1").update(`tree ${body.length}\0`).update(body).digest("hex");
    mkdirSync(join(looseObject(hash), ".."), { recursive: true });
    if (!existsSync(looseObject(hash))) writeFileSync(looseObject(hash), "");
    rewrite(hash, "tree", body);
    return hash;
  };

  it("is refused: names that lead elsewhere, one name twice, a mode that is not one", async () => {
    const blob = repository.git("rev-parse", "HEAD:index.json");
    for (const one of [
      tree(["100644", "..", blob]),
      tree(["100644", "a/b", blob]),
      tree(["100644", ".git", blob]),
      tree(["100644", "a", blob], ["100755", "a", blob]),
      tree(["60000", "a", blob]),
    ]) {
      repository.git("update-ref", "HEAD", repository.git("commit-tree", "-m", "x", one));
      await expectUnavailable();
    }
  });

  it("is refused: a mode with more digits than git reads", async () => {
    const rows = repository
      .git("ls-tree", baseline)
      .split("\n")
      .map((row) => row.split(/\s/));
    for (const [mode, type] of [
      // Git reads the last 32 bits, a link and a program. A double loses what is below 2^15 and 2^12.
      [(1n << 67n) | 0o120000n, "T"],
      [(1n << 64n) | 0o100755n, "M"],
    ] as const) {
      const withMode = rows.map(
        ([old, , hash, name]) =>
          [name === "index.json" ? mode.toString(8) : String(Number(old)), name as string, hash as string] as const,
      );
      const commit = repository.git("commit-tree", "-m", "x", "-p", baseline, tree(...withMode));
      repository.git("update-ref", "HEAD", commit);
      expect(repository.git("diff", "--name-status", baseline, "HEAD")).toBe(`${type}\tindex.json`);
      await expectRefused("holds something of mode", { declared_targets: ["docs"] });
    }
  });

  it("is refused: a tree that names more paths than there can be", async () => {
    const blob = repository.git("rev-parse", "HEAD:index.json");
    const names = Array.from({ length: 200 }, (_, i) => `${i}`).sort();
    let one = tree(...names.map((name) => ["100644", name, blob] as const));
    for (let i = 0; i < 4; i++) one = tree(...names.map((name) => ["40000", name, one] as const));
    repository.git("update-ref", "HEAD", repository.git("commit-tree", "-m", "bomb", one));
    const closed = await close();
    expect(closed).toMatchObject({ reason: "diff_unavailable", commit_blocked: true });
  });
});
