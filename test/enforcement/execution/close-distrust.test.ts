/** Closing a contract: nothing the repository says can hide a change, and what cannot be known blocks. */

import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
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
  useRepositories,
} from "./closing.ts";
import { makeRepository, openTestRepository } from "./repository.ts";

useRepositories();

describe("the repository's own word", () => {
  it("is not taken: time stamps in the index hide no change", async () => {
    const then = new Date("2020-01-01T00:00:00Z");
    repository.write("src/code.ts", "export {};\n");
    utimesSync(join(repository.top, "src/code.ts"), then, then);
    repository.git("config", "core.trustctime", "false");
    repository.git("config", "core.checkStat", "minimal");
    repository.git("update-index", "--refresh");
    repository.write("src/code.ts", "EXPORT {};\n");
    utimesSync(join(repository.top, "src/code.ts"), then, then);
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });

  it("is not taken: no program of its configuration runs", async () => {
    if (process.platform === "win32") return;
    const trace = join(folder, uniqueName("ran"));
    const program = write(
      join(folder, uniqueName("program")),
      `#!/bin/sh\necho ran >> ${trace}\ncat docs/allowed.txt\n`,
    );
    chmodSync(program, 0o755);
    for (const key of [
      "core.fsmonitor",
      "diff.external",
      "core.pager",
      "filter.Evil.Name.clean",
      "filter.Evil.Name.process",
      "filter.evil.clean",
      "diff.evil.textconv",
      "diff.evil.command",
    ])
      repository.git("config", key, program);
    repository.git("config", "filter.evil.required", "true");
    repository.git("config", "core.hooksPath", folder);
    repository.write(".git/info/attributes", "src/* filter=evil diff=evil\ndocs/* filter=Evil.Name\n");
    repository.write("src/code.ts", "changed\n");
    rmSync(trace, { force: true });
    expect(await undeclared()).toEqual(["src/code.ts"]);
    expect(existsSync(trace)).toBe(false);
  });

  it("is not taken: replaced objects, variables of the environment", async () => {
    const other = makeRepository(join(folder, uniqueName("other")));
    repository.write("src/code.ts", "changed\n");
    const now = repository.commit();
    repository.git("replace", baseline, now);
    const saved = { ...process.env };
    Object.assign(process.env, {
      GIT_LITERAL_PATHSPECS: "0",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.worktree",
      GIT_CONFIG_VALUE_0: other.top,
      GIT_EXTERNAL_DIFF: "/bin/true",
    });
    try {
      expect(await undeclared()).toEqual(["src/code.ts"]);
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    }
  });

  it("is not taken: rules that the user of the machine has", async () => {
    const [home, config] = [join(folder, uniqueName("home")), join(folder, uniqueName("config"))];
    write(join(home, ".config/git/ignore"), "*\n");
    write(join(config, "git/ignore"), "*\n");
    repository.write("src/new.ts", "export {};\n");
    for (const [name, value] of [["HOME", home] as const, ["XDG_CONFIG_HOME", config] as const]) {
      const before = process.env[name];
      process.env[name] = value;
      const found = await undeclared();
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
      expect(found).toEqual(["src/new.ts"]);
    }
  });

  it("leaves everything as it was", async () => {
    repository.write("src/new.ts", "x");
    repository.write("docs/allowed.txt", "edited\n");
    const before = repository.git("status", "--porcelain");
    await close();
    expect(repository.git("status", "--porcelain")).toBe(before);
    expect(repository.git("rev-parse", "HEAD")).toBe(baseline);
  });
});

describe("submodules and work trees", () => {
  it("are one path, changed when their commit or their files are", async () => {
    const library = makeRepository(join(folder, uniqueName("library")));
    library.write("lib.c", "int x;\n");
    library.commit();
    repository.git("submodule", "add", "-q", library.top, "vendor/lib");
    commitBaseline();
    await expectReconciled();
    const inside = openTestRepository(join(repository.top, "vendor/lib"));
    inside.write("lib.c", "int y;\n");
    repository.git("config", "submodule.vendor/lib.ignore", "all");
    repository.git("config", "diff.ignoreSubmodules", "all");
    expect(await undeclared()).toEqual(["vendor/lib"]);
    inside.commit();
    expect(await undeclared()).toEqual(["vendor/lib"]);
    await expectReconciled({ declared_targets: ["vendor"] });
  });

  it("are not a place to hide: files in a submodule that is not checked out", async () => {
    const library = makeRepository(join(folder, uniqueName("library")));
    library.commit();
    repository.git("submodule", "add", "-q", library.top, "vendor/lib");
    commitBaseline();
    repository.git("submodule", "deinit", "-q", "-f", "vendor/lib");
    await expectReconciled();
    repository.write("vendor/lib/evil.txt", "x");
    expect(await undeclared()).toEqual(["vendor/lib"]);
  });

  it("are not another folder's, whose name a name without UTF-8 is read as", async () => {
    if (!linux) return;
    const library = makeRepository(join(folder, uniqueName("library")));
    library.write("lib.c", "int x;\n");
    library.commit();
    const clone = (name: string): string => repository.git("clone", "-q", library.top, join(repository.top, name));
    const odd = Buffer.concat([Buffer.from(join(repository.top, "lib")), Buffer.from([0xff])]);
    clone("lib");
    renameSync(join(repository.top, "lib"), odd);
    repository.write(".gitignore", "lib\ufffd/\n");
    commitBaseline();
    clone("lib\ufffd");
    writeFileSync(Buffer.concat([odd, Buffer.from("/lib.c")]), "int evil;\n");
    expect(await undeclared()).toEqual(["lib\ufffd"]);
  });

  it("are not closed as a linked work tree, which shares its branches with others", async () => {
    const linked = join(folder, uniqueName("linked"));
    repository.git("worktree", "add", "-q", linked);
    await expectRefused("linked work trees and submodules cannot be closed", { contract_root: linked });
    await expectReconciled();
  });
});

describe("a diff that cannot be had", () => {
  afterEach(() => {
    process.env["PATH"] = path;
  });
  const path = process.env["PATH"];

  it("blocks: no baseline", async () => {
    for (const baseline_sha of [null, undefined, "", " ", 7]) {
      expect(await close({ baseline_sha })).toMatchObject({ reason: "no_baseline", commit_blocked: true });
    }
  });

  it("blocks: a baseline that is not a commit of the repository, or no full hash", async () => {
    const blob = repository.git("rev-parse", "HEAD:index.json");
    const names = ["f".repeat(40), blob, "HEAD", "main", baseline.slice(0, 12), `${baseline}^`, `--output=${folder}/x`];
    for (const baseline_sha of names) await expectUnavailable({ baseline_sha });
    expect(existsSync(join(folder, "x"))).toBe(false);
  });

  it("blocks: no repository, no folder, a relative root", async () => {
    const outside = join(folder, "no-repository");
    mkdirSync(outside, { recursive: true });
    for (const contract_root of [outside, join(folder, "nowhere"), "."]) await expectUnavailable({ contract_root });
    for (const contract_root of [null, 7, undefined])
      expect(await close({ contract_root })).toMatchObject({ commit_blocked: true });
  });

  it("blocks: a repository without commits, with a broken index, without objects", async () => {
    await expectUnavailable({ contract_root: makeRepository(join(folder, uniqueName("empty"))).top });
    const index = join(repository.top, ".git/index");
    writeFileSync(index, "broken");
    await expectUnavailable();
    rmSync(index);
    expect(await undeclared()).toEqual([".gitignore", "src/code.ts"]);
    rmSync(join(repository.top, ".git/objects"), { recursive: true });
    await expectUnavailable();
  });

  it("blocks: no git", async () => {
    process.env["PATH"] = join(folder, "no-programs");
    await expectUnavailable();
  });
});
