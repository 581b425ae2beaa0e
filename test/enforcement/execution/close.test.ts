/** Contracts closed on real git repositories: nothing that changed goes unseen. */

import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { write } from "../../cli/terminal.ts";
import {
  close,
  commitBaseline,
  expectReconciled,
  expectRefused,
  folder,
  linux,
  repository,
  undeclared,
  uniqueName,
  useRepositories,
} from "./closing.ts";
import { makeRepository } from "./repository.ts";

useRepositories();

describe("what changed", () => {
  it("is nothing in a clean repository", async () => {
    await expectReconciled();
  });

  it("may lie in declared folders and be declared files, in every state", async () => {
    repository.write("docs/committed.txt", "x");
    repository.commit();
    repository.write("docs/staged.txt", "x");
    repository.git("add", "-A");
    repository.write("docs/allowed.txt", "edited\n");
    repository.write("docs/deep/untracked.txt", "x");
    repository.write("index.json", "[]\n");
    rmSync(join(repository.top, "docs/old.txt"));
    await expectReconciled();
  });

  it("includes what was committed, even when the work tree has it no more", async () => {
    repository.write("src/forbidden.txt", "x");
    repository.commit();
    rmSync(join(repository.top, "src/forbidden.txt"));
    expect(await undeclared()).toEqual(["src/forbidden.txt"]);
  });

  it("includes what is staged, even when the work tree is back as it was", async () => {
    repository.write("src/code.ts", "changed\n");
    repository.git("add", "src/code.ts");
    repository.write("src/code.ts", "export {};\n");
    repository.write("src/new.ts", "x");
    repository.git("add", "src/new.ts");
    rmSync(join(repository.top, "src/new.ts"));
    expect(await undeclared()).toEqual(["src/code.ts", "src/new.ts"]);
  });

  it("includes edits, deletions, modes and untracked files in the work tree", async () => {
    repository.write("src/code.ts", "changed\n");
    repository.write("src/deep/new.ts", "x");
    if (process.platform !== "win32") chmodSync(join(repository.top, ".gitignore"), 0o755);
    expect(await undeclared()).toEqual([".gitignore", "src/code.ts", "src/deep/new.ts"]);
    rmSync(join(repository.top, "src"), { recursive: true });
    expect(await undeclared()).toEqual([".gitignore", "src/code.ts"]);
  });

  it("includes both paths of a rename: staged, committed and plain", async () => {
    repository.git("config", "diff.renames", "copies");
    repository.git("config", "status.renames", "copies");
    repository.git("mv", "docs/old.txt", "moved.txt");
    expect(await undeclared()).toEqual(["moved.txt"]);
    expect(await undeclared({ declared_targets: ["moved.txt"] })).toEqual(["docs/old.txt"]);
    repository.commit();
    expect(await undeclared()).toEqual(["moved.txt"]);
    expect(await undeclared({ declared_targets: ["moved.txt"] })).toEqual(["docs/old.txt"]);
    renameSync(join(repository.top, "src/code.ts"), join(repository.top, "docs/code.ts"));
    expect(await undeclared()).toEqual(["moved.txt", "src/code.ts"]);
  });

  it("includes a change of case, which is another file or another name", async () => {
    renameSync(join(repository.top, "docs/allowed.txt"), join(repository.top, "docs/ALLOWED.txt"));
    expect(await undeclared({ declared_targets: ["docs/allowed.txt"] })).toContain("docs/ALLOWED.txt");
    if (!linux) return;
    repository.git("config", "core.ignoreCase", "true");
    repository.write("DOCS/allowed.txt", "x");
    expect(await undeclared()).toEqual(["DOCS/allowed.txt"]);
  });

  it("is compared by segments: a neighbour whose name begins like a target is outside", async () => {
    repository.write("docs-old/x.txt", "x");
    repository.write("index.json.bak", "x");
    expect(await undeclared()).toEqual(["docs-old/x.txt", "index.json.bak"]);
  });

  it("has names as they are: spaces, quotes, line feeds, umlauts, glob characters, a leading dash", async () => {
    const names = [" a b", 'q"uo\\te', "line\nfeed", "größe", "*?[x]", "-rf", ":(glob)x"];
    for (const name of names) repository.write(`src/${name}`, "x");
    for (const name of names) repository.write(`docs/${name}`, "x");
    expect(await undeclared()).toEqual(names.map((name) => `src/${name}`).sort());
  });

  it("has a place even when its name is no text", async () => {
    if (!linux) return;
    const name = Buffer.concat([Buffer.from(`${repository.top}/docs/`), Uint8Array.of(0xff, 0xfe)]);
    writeFileSync(name, "x");
    expect(await undeclared()).toHaveLength(1);
  });
});

describe("symbolic links", () => {
  it("below a target must not lead out", async () => {
    symlinkSync("/etc/hosts", join(repository.top, "docs/link"));
    symlinkSync("../src/code.ts", join(repository.top, "docs/inner"));
    symlinkSync("../src", join(repository.top, "docs/folder"));
    expect(await undeclared()).toEqual(["docs/folder", "docs/inner", "docs/link"]);
    repository.commit();
    expect(await undeclared()).toEqual(["docs/folder", "docs/inner", "docs/link"]);
  });

  it("that lead to a target must not lie elsewhere", async () => {
    symlinkSync("../docs/allowed.txt", join(repository.top, "src/link"));
    expect(await undeclared()).toEqual(["src/link"]);
  });

  it("may lead from target to target", async () => {
    symlinkSync("allowed.txt", join(repository.top, "docs/link"));
    symlinkSync("../index.json", join(repository.top, "docs/index"));
    await expectReconciled();
  });

  it("that lead nowhere or in a circle are not resolved", async () => {
    symlinkSync("nothing", join(repository.top, "docs/dangling"));
    symlinkSync("circle", join(repository.top, "docs/circle"));
    expect(await undeclared()).toEqual(["docs/circle", "docs/dangling"]);
  });

  it("in the place of a declared folder take nothing in", async () => {
    rmSync(join(repository.top, "docs"), { recursive: true });
    symlinkSync("src", join(repository.top, "docs"));
    repository.write("src/code.ts", "changed\n");
    expect(await undeclared()).toEqual(["docs", "docs/allowed.txt", "docs/old.txt", "src/code.ts"]);
  });

  it("in the place of a committed folder do not carry what was committed elsewhere", async () => {
    // The link is ignored, so the work tree shows nothing: only its history has the file.
    repository.write("cache.log/evil.sh", "#!/bin/sh\n");
    repository.git("add", "-f", "cache.log/evil.sh");
    repository.git("commit", "-q", "-m", "evil");
    rmSync(join(repository.top, "cache.log"), { recursive: true });
    symlinkSync("docs", join(repository.top, "cache.log"));
    expect(await undeclared()).toEqual(["cache.log/evil.sh"]);
  });

  it("that were committed or staged and are not on the disk lead to unknown places", async () => {
    symlinkSync("../src/code.ts", join(repository.top, "docs/link"));
    repository.git("add", "-A");
    rmSync(join(repository.top, "docs/link"));
    repository.write("docs/link", "no link\n");
    expect(await undeclared()).toEqual(["docs/link"]);
    repository.git("commit", "-q", "-m", "link");
    expect(await undeclared()).toEqual(["docs/link"]);
    repository.commit();
    await expectReconciled();
  });

  it("on the way to the contract root are refused: the repository is, or was, elsewhere", async () => {
    const link = join(folder, uniqueName("link"));
    symlinkSync(repository.top, link);
    for (const contract_root of [link, join(link, "docs"), `${repository.top}/`, join(repository.top, "index.json")])
      await expectRefused("no absolute path of a folder", { contract_root });
    repository.write("docs/new.txt", "x");
    await expectReconciled({ declared_targets: [join(repository.top, "docs")] });
    await expectReconciled({ declared_targets: [repository.top] });
    expect(await undeclared({ declared_targets: [join(link, "docs")] })).toEqual(["docs/new.txt"]);
    expect(await undeclared({ declared_targets: [link] })).toEqual(["docs/new.txt"]);
  });
});

describe("the scope", () => {
  it("is no more than the contract root: what changed elsewhere in the repository is outside", async () => {
    repository.write("docs/new.txt", "x");
    repository.write("src/new.txt", "x");
    const contract_root = join(repository.top, "docs");
    expect(await undeclared({ contract_root, declared_targets: ["new.txt"] })).toEqual(["src/new.txt"]);
    expect(await undeclared({ contract_root, declared_targets: [repository.top] })).toEqual(["src/new.txt"]);
  });

  it("holds nothing for a target that leads up, is empty, or is a glob", async () => {
    repository.write("docs/new.txt", "x");
    for (const target of ["src/../docs", "..", "", " ", ".", "/", "docs/", "./docs", "*", "docs/*", "/docs", "Docs"]) {
      expect([target, await undeclared({ declared_targets: [target] })]).toEqual([target, ["docs/new.txt"]]);
    }
    expect(await undeclared({ declared_targets: [] })).toEqual(["docs/new.txt"]);
  });

  it("must be told: anything but strings is refused", async () => {
    for (const declared_targets of [null, "docs", { docs: true }, [1], undefined]) {
      expect(await close({ declared_targets })).toMatchObject({ allowed: false, commit_blocked: true });
    }
  });
});

describe("untracked files", () => {
  it("are ignored as the baseline says, in every folder", async () => {
    repository.write("sub/.gitignore", "# a comment\n\n/only-here\n*.tmp\n!keep.tmp\nx/y\nsp ace/\n");
    commitBaseline();
    for (const path of ["a.log", "src/b.log", "build/x", "sub/only-here", "sub/d/a.tmp", "sub/x/y", "sub/sp ace/f"])
      repository.write(path, "x");
    await expectReconciled();
    for (const path of ["src/build/x", "sub/d/only-here", "a.tmp", "sub/keep.tmp", "sub/d/x/y", "x/y"])
      repository.write(path, "x");
    const found = ["a.tmp", "src/build/x", "sub/d/only-here", "sub/d/x/y", "sub/keep.tmp", "x/y"];
    expect(await undeclared()).toEqual(found);
  });

  it("are not taken for what the baseline has in their place: a folder for a file of rules, a file for a folder", async () => {
    repository.write("sub/.gitignore", "*\n!*/\n!x\n");
    repository.git("add", "-f", "sub/.gitignore");
    repository.write("tmp/.gitignore", "x\n");
    repository.write(".gitignore", "tmp/\n");
    repository.git("add", "-f", "tmp/.gitignore");
    commitBaseline();
    rmSync(join(repository.top, "sub/.gitignore"));
    repository.write("sub/.gitignore/deep/x", "x");
    rmSync(join(repository.top, "tmp"), { recursive: true });
    repository.write("tmp", "no folder");
    expect(await undeclared()).toEqual(["sub/.gitignore", "sub/.gitignore/deep/x", "tmp", "tmp/.gitignore"]);
  });

  it("are not hidden by rules that came since, or that lie in no commit", async () => {
    repository.write("src/new.ts", "x");
    repository.write("hidden/.gitignore", "*\n");
    repository.write("hidden/x", "x");
    repository.write(".git/info/exclude", "new.ts\n");
    write(join(folder, "user-ignore"), "*\n");
    repository.git("config", "core.excludesFile", join(folder, "user-ignore"));
    expect(await undeclared()).toEqual(["hidden/.gitignore", "hidden/x", "src/new.ts"]);
    repository.write("docs/.gitignore", "../src/\n/../src\n*\n");
    expect(await undeclared()).toEqual(["hidden/.gitignore", "hidden/x", "src/new.ts"]);
  });

  it("are seen in a folder that is a repository of its own", async () => {
    makeRepository(join(repository.top, "src/nested")).write("evil.txt", "x");
    const found = await undeclared();
    expect(found).toEqual(["src/nested/.git", "src/nested/evil.txt"]);
  });
});

describe("what was done", () => {
  const all = (closed: { operations?: readonly { path: string; operation: string | null }[] }): string[] =>
    (closed.operations ?? []).map(({ path, operation }) => `${operation} ${path}`);
  const done = async (): Promise<string[]> => {
    const closed = await close({
      declared_targets: ["docs", "src", "index.json", ".gitignore"],
      declared_operations: [],
    });
    expect(closed).toMatchObject({ gate: "OPERATIONS", reason: "undeclared_operation", commit_blocked: true });
    return all(closed);
  };

  it("is told for each path, from every state of the repository", async () => {
    repository.write("src/new.ts", "x");
    repository.commit();
    repository.write("docs/staged.txt", "staged\n");
    repository.git("add", "-A");
    repository.write("index.json", "[]\n");
    rmSync(join(repository.top, "docs/old.txt"));
    expect(await done()).toEqual(
      ["CREATE docs/staged.txt", "DELETE docs/old.txt", "WRITE index.json", "CREATE src/new.ts"].sort((a, b) =>
        a.split(" ")[1]! < b.split(" ")[1]! ? -1 : 1,
      ),
    );
  });

  it("is a rename for both paths of the same content, and for no other content", async () => {
    renameSync(join(repository.top, "docs/old.txt"), join(repository.top, "docs/moved.txt"));
    expect(await done()).toEqual(["RENAME docs/moved.txt", "RENAME docs/old.txt"]);
    repository.write("docs/moved.txt", "a text that is long enough to be taken for the same after a rename, or not\n");
    expect(await done()).toEqual(["CREATE docs/moved.txt", "DELETE docs/old.txt"]);
  });

  it("is a mode beside a content", async () => {
    if (process.platform === "win32") return;
    chmodSync(join(repository.top, "docs/old.txt"), 0o755);
    chmodSync(join(repository.top, "src/code.ts"), 0o755);
    repository.write("src/code.ts", "changed\n");
    expect(await done()).toEqual(["MODE docs/old.txt", "MODE src/code.ts", "WRITE src/code.ts"]);
    renameSync(join(repository.top, "docs/old.txt"), join(repository.top, "docs/moved.txt"));
    expect(await done()).toContain("MODE docs/moved.txt");
    rmSync(join(repository.top, "src/code.ts"));
    symlinkSync("../index.json", join(repository.top, "src/code.ts"));
    expect(await done()).toEqual(expect.arrayContaining(["MODE src/code.ts", "WRITE src/code.ts"]));
  });

  it("has to be declared, each operation by itself", async () => {
    repository.write("docs/new.txt", "x");
    rmSync(join(repository.top, "docs/old.txt"));
    const operations = async (...declared: unknown[]): Promise<string[]> =>
      all(await close({ declared_operations: declared }));
    expect(await operations("WRITE")).toEqual(["CREATE docs/new.txt", "DELETE docs/old.txt"]);
    expect(await operations("CREATE")).toEqual(["DELETE docs/old.txt"]);
    expect(await operations("CREATE", "delete")).toEqual(["DELETE docs/old.txt"]);
    expect(await operations("CREATE", "DELETE", 1)).toEqual(["CREATE docs/new.txt", "DELETE docs/old.txt"]);
    await expectReconciled({ declared_operations: ["DELETE", "CREATE"] });
  });
});
