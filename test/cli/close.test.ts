/** `portcullis exec close` on real git repositories: nothing that changed goes unseen, and nothing the repository says can hide it. */

import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/cli/node-host.ts";
import { compile } from "../../compiler/index.ts";
import { makeRepository, openTestRepository, type TestRepository } from "./repository.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const bundle = join(folder, "bundle.tar.gz");
let number = 0;
let repository: TestRepository;
let baseline = "";
const linux = process.platform === "linux";

interface Closed {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
  readonly reply: string;
  readonly code: string;
  readonly commit_blocked: boolean;
  readonly undeclared: readonly string[];
}

/** Closes a contract on the repository as it is; fields of the contract can be given. */
async function close(contract: object = {}): Promise<Closed & { exit: number; err: string }> {
  const file = write(join(folder, "contracts", `${number++}.json`), {
    contract_id: "c-1",
    contract_root: repository.top,
    declared_targets: ["docs", "index.json"],
    baseline_sha: baseline,
    ...contract,
  });
  const ran = await portcullis("exec", "close", "--contract", file, "--policy", bundle, "--format", "json");
  return { ...(JSON.parse(ran.out) as Closed), exit: ran.code, err: ran.err };
}

async function undeclared(contract: object = {}): Promise<readonly string[]> {
  const closed = await close(contract);
  expect(closed).toMatchObject({ reason: "undeclared_changes", gate: "CONTAINMENT", commit_blocked: true, exit: 1 });
  expect(closed).toMatchObject({ reply: "I", code: "CT-GATE-I-004" });
  return closed.undeclared;
}

async function expectReconciled(contract: object = {}): Promise<void> {
  const closed = await close(contract);
  expect(closed).toMatchObject({ allowed: true, reason: "reconciled", code: "CT-GATE-S-004", exit: 0, undeclared: [] });
}

async function expectUnavailable(contract: object = {}): Promise<void> {
  const closed = await close(contract);
  expect(closed).toMatchObject({ allowed: false, reason: "diff_unavailable", commit_blocked: true, exit: 1 });
}

beforeAll(async () => {
  write(join(folder, "sources/exec.yaml"), "modes: [work]\nstaging_root: /srv/queue\n");
  const { compiled } = await compile({ host: nodeHost, dirs: [join(folder, "sources")] });
  write(bundle, compiled?.bundle as Uint8Array);
});

afterAll(() => removeFolder(folder));

beforeEach(() => {
  repository = makeRepository(join(folder, `repo-${number++}`));
  repository.write("docs/allowed.txt", "one\n");
  repository.write("docs/old.txt", "a text that is long enough to be taken for the same after a rename\n");
  repository.write("src/code.ts", "export {};\n");
  repository.write("index.json", "{}\n");
  repository.write(".gitignore", "*.log\n/build/\n");
  baseline = repository.commit();
});

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

  it("on the way to the contract root are followed, for the root and for absolute targets", async () => {
    const link = join(folder, `link-${number++}`);
    symlinkSync(repository.top, link);
    repository.write("docs/new.txt", "x");
    await expectReconciled({ contract_root: link, declared_targets: [join(link, "docs")] });
    await expectReconciled({ contract_root: link, declared_targets: ["."] });
    await expectReconciled({ contract_root: link, declared_targets: [link] });
    repository.write("src/new.txt", "x");
    expect(await undeclared({ contract_root: link, declared_targets: [join(link, "docs")] })).toEqual(["src/new.txt"]);
  });
});

describe("the scope", () => {
  it("is no more than the contract root: what changed elsewhere in the repository is outside", async () => {
    repository.write("docs/new.txt", "x");
    repository.write("src/new.txt", "x");
    const contract_root = join(repository.top, "docs");
    expect(await undeclared({ contract_root, declared_targets: ["."] })).toEqual(["src/new.txt"]);
    expect(await undeclared({ contract_root, declared_targets: [repository.top] })).toEqual(["src/new.txt"]);
  });

  it("holds nothing for a target that leads up, is empty, or is a glob", async () => {
    repository.write("docs/new.txt", "x");
    for (const target of ["src/../docs", "..", "", " ", "*", "docs/*", "/docs", "Docs"]) {
      expect([target, await undeclared({ declared_targets: [target] })]).toEqual([target, ["docs/new.txt"]]);
    }
    expect(await undeclared({ declared_targets: [] })).toEqual(["docs/new.txt"]);
  });

  it("must be told: anything but strings is refused", async () => {
    for (const declared_targets of [null, "docs", { docs: true }, [1], undefined]) {
      expect(await close({ declared_targets })).toMatchObject({ allowed: false, commit_blocked: true, exit: 1 });
    }
  });
});

describe("untracked files", () => {
  it("are ignored as the baseline says, in every folder", async () => {
    repository.write("sub/.gitignore", "# a comment\n\n/only-here\n*.tmp\n!keep.tmp\nx/y\nsp ace/\n");
    baseline = repository.commit();
    for (const path of ["a.log", "src/b.log", "build/x", "sub/only-here", "sub/d/a.tmp", "sub/x/y", "sub/sp ace/f"])
      repository.write(path, "x");
    await expectReconciled();
    for (const path of ["src/build/x", "sub/d/only-here", "a.tmp", "sub/keep.tmp", "sub/d/x/y", "x/y"])
      repository.write(path, "x");
    const found = ["a.tmp", "src/build/x", "sub/d/only-here", "sub/d/x/y", "sub/keep.tmp", "x/y"];
    expect(await undeclared()).toEqual(found);
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
    expect(await undeclared()).toEqual(["src/nested"]);
  });
});

describe("the repository's own word", () => {
  it("is not taken: flags and time stamps in the index hide no change", async () => {
    repository.git("update-index", "--assume-unchanged", "src/code.ts");
    repository.write("src/code.ts", "changed!!\n");
    expect(await undeclared()).toEqual(["src/code.ts"]);
    repository.git("update-index", "--no-assume-unchanged", "--skip-worktree", "src/code.ts");
    expect(await undeclared()).toEqual(["src/code.ts"]);
    repository.git("update-index", "--no-skip-worktree", "src/code.ts");
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
    const trace = join(folder, `ran-${number++}`);
    const program = write(
      join(folder, `program-${number++}.sh`),
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

  it("is not taken: another work tree, replaced objects, variables of the environment", async () => {
    const other = makeRepository(join(folder, `other-${number++}`));
    repository.write("src/code.ts", "changed\n");
    const now = repository.commit();
    repository.git("replace", baseline, now);
    repository.git("config", "core.worktree", other.top);
    const saved = { ...process.env };
    Object.assign(process.env, {
      GIT_DIR: join(other.top, ".git"),
      GIT_WORK_TREE: other.top,
      GIT_INDEX_FILE: join(folder, "no-index"),
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
    const library = makeRepository(join(folder, `library-${number++}`));
    library.write("lib.c", "int x;\n");
    library.commit();
    repository.git("submodule", "add", "-q", library.top, "vendor/lib");
    baseline = repository.commit();
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
    const library = makeRepository(join(folder, `library-${number++}`));
    library.commit();
    repository.git("submodule", "add", "-q", library.top, "vendor/lib");
    baseline = repository.commit();
    repository.git("submodule", "deinit", "-q", "-f", "vendor/lib");
    await expectReconciled();
    repository.write("vendor/lib/evil.txt", "x");
    expect(await undeclared()).toEqual(["vendor/lib"]);
  });

  it("work in a linked work tree", async () => {
    const linked = join(folder, `linked-${number++}`);
    repository.git("worktree", "add", "-q", linked);
    write(join(linked, "docs/new.txt"), "x");
    await expectReconciled({ contract_root: linked });
    write(join(linked, "src/new.txt"), "x");
    expect(await undeclared({ contract_root: linked })).toEqual(["src/new.txt"]);
  });
});

describe("a diff that cannot be had", () => {
  afterEach(() => {
    process.env["PATH"] = path;
  });
  const path = process.env["PATH"];

  it("blocks: no baseline", async () => {
    for (const baseline_sha of [null, undefined, "", " ", 7]) {
      expect(await close({ baseline_sha })).toMatchObject({ reason: "no_baseline", commit_blocked: true, exit: 1 });
    }
  });

  it("blocks: a baseline that is no commit of the repository, or no full hash", async () => {
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
      expect(await close({ contract_root })).toMatchObject({ commit_blocked: true, exit: 1 });
  });

  it("blocks: a repository without commits, with a broken index, without objects", async () => {
    await expectUnavailable({ contract_root: makeRepository(join(folder, `empty-${number++}`)).top });
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

describe("the command", () => {
  it("decides without a policy as well", async () => {
    repository.write("src/new.txt", "x");
    const file = write(join(folder, "plain.json"), {
      contract_root: repository.top,
      declared_targets: ["docs"],
      baseline_sha: baseline,
    });
    const { code, out } = await portcullis("exec", "close", "--contract", file);
    expect([code, out]).toEqual([1, 'commit blocked CT-GATE-I-004 CONTAINMENT undeclared_changes\n  "src/new.txt"\n']);
  });

  it("exits other than 0 for a contract that cannot be read", async () => {
    for (const text of ["{", "[]", '{"declared_targets":[],"declared_targets":["."]}']) {
      const file = write(join(folder, "broken.json"), text);
      expect((await portcullis("exec", "close", "--contract", file)).code).toBe(1);
    }
    expect((await portcullis("exec", "close", "--contract", join(folder, "none.json"))).code).toBe(2);
    expect((await portcullis("exec", "close")).code).toBe(2);
  });

  it("prints help with examples", async () => {
    const { code, out } = await portcullis("exec", "close", "--help");
    expect([code, out]).toEqual([0, expect.stringContaining("Examples:")]);
  });
});
