/** What the environment says to git: the index that git commits is the one that is judged, or nothing is. */

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { checkedOut, requireCommit } from "../../../compiler/enforcement/execution/changed-files.ts";
import {
  baseline,
  contractTerms,
  expectReconciled,
  expectRefused,
  expectUnavailable,
  facts,
  folder,
  repository,
  undeclared,
  uniqueName,
  useRepositories,
} from "./closing.ts";
import { openTestRepository } from "./repository.ts";

useRepositories();
afterEach(() => vi.unstubAllEnvs());

const inGit = (name: string): string => join(repository.top, ".git", name);
/** An index with a change that no contract declares, in this place; neither the repository's index nor the disk has it. */
function stageEvil(place: string): void {
  repository.write("src/code.ts", "evil\n");
  repository.git("add", "src/code.ts");
  cpSync(inGit("index"), inGit("evil"));
  repository.write("src/code.ts", "export {};\n");
  repository.git("add", "src/code.ts");
  // Last: git takes `index.lock` for its own.
  cpSync(inGit("evil"), place);
}

describe("the index that git is told of", () => {
  it("is refused where it lies elsewhere", async () => {
    const place = join(folder, uniqueName("index"));
    stageEvil(place);
    await expectReconciled();
    vi.stubEnv("GIT_INDEX_FILE", place);
    await expectRefused("`GIT_INDEX_FILE` leads git elsewhere");
    for (const other of ["", ".git/index", inGit("other"), inGit("index.lock/x"), inGit("refs/index.lock")]) {
      vi.stubEnv("GIT_INDEX_FILE", other);
      await expectUnavailable();
    }
  });

  it.each(["index.lock", "next-index-417.lock"])("is judged where git makes it for one commit: %s", async (name) => {
    stageEvil(inGit(name));
    await expectReconciled();
    vi.stubEnv("GIT_INDEX_FILE", inGit(name));
    expect(await undeclared()).toEqual(["src/code.ts"]);
    writeFileSync(inGit(name), "no index");
    await expectUnavailable();
  });

  it("counts beside the repository's own", async () => {
    cpSync(inGit("index"), inGit("before"));
    repository.git("rm", "-q", "--cached", "src/code.ts");
    cpSync(inGit("before"), inGit("index.lock"));
    vi.stubEnv("GIT_INDEX_FILE", inGit("index.lock"));
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });
});

describe("git itself", () => {
  it("is asked for where it is not on the PATH", async () => {
    const empty = join(folder, uniqueName("empty"));
    mkdirSync(empty);
    vi.stubEnv("PATH", empty);
    await expectRefused("`git` is not on the PATH, and nothing is known of a repository without it: install it");
  });
});

describe("git's own commits", () => {
  /** What a hook of the commit hears, as `NAME=value`. */
  function told(...args: string[]): string {
    const heard = join(folder, uniqueName("heard"));
    mkdirSync(inGit("hooks"), { recursive: true });
    writeFileSync(
      inGit("hooks/pre-commit"),
      `#!/bin/sh\nprintf %s "$GIT_INDEX_FILE" >${heard}\ncp "$GIT_INDEX_FILE" ${heard}.index\nexit 1\n`,
      { mode: 0o755 },
    );
    expect(() => openTestRepository(repository.top).git("commit", "-qm", "m", ...args)).toThrow();
    return heard;
  }

  it.each([
    ["plain", [], /^\.git\/index$/],
    ["of all", ["-a"], /\/\.git\/index\.lock$/],
    ["of a path", ["docs/allowed.txt"], /\/\.git\/next-index-\d+\.lock$/],
  ])("are judged by their index: %s", async (_, args, form) => {
    repository.write("docs/allowed.txt", "two\n");
    if (args.length === 0) repository.git("add", "docs/allowed.txt");
    const heard = told(...args);
    const named = readFileSync(heard, "utf8");
    expect(named).toMatch(form);
    // The hook is over: what git made for it lies there again.
    const place = named.startsWith("/") ? named : join(repository.top, named);
    cpSync(`${heard}.index`, place);
    vi.stubEnv("GIT_INDEX_FILE", place);
    await expectReconciled();
  });
});

describe("other places that git is told of", () => {
  it.each(["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"])(
    "are refused, unless they are those of the repository: %s",
    async (name) => {
      vi.stubEnv(name, folder);
      await expectRefused(`\`${name}\` leads git elsewhere`);
      expect(facts(contractTerms()).judged).toBeUndefined();
    },
  );

  it("are refused where they name the git folder alone, from another folder than the top", async () => {
    vi.stubEnv("GIT_DIR", inGit(""));
    await expectRefused(`\`GIT_DIR\` leads git elsewhere than to \`${repository.top}\``);
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(repository.top);
    await expectReconciled();
    cwd.mockRestore();
  });

  it.each(["GIT_REFERENCE_BACKEND", "GIT_REF_STORAGE"])("are refused for the branch: %s", async (name) => {
    for (const value of ["", "files"]) {
      vi.stubEnv(name, value);
      await expectReconciled();
    }
    for (const value of [`files://${folder}`, "reftable", "reftable://x"]) {
      vi.stubEnv(name, value);
      await expectRefused(`\`${name}\` leads git elsewhere`);
    }
  });

  it("may be the repository's own", async () => {
    vi.stubEnv("GIT_DIR", inGit(""));
    vi.stubEnv("GIT_WORK_TREE", repository.top);
    vi.stubEnv("GIT_OBJECT_DIRECTORY", inGit("objects"));
    vi.stubEnv("GIT_ALTERNATE_OBJECT_DIRECTORIES", "");
    vi.stubEnv("GIT_INDEX_FILE", inGit("index"));
    await expectReconciled();
  });
});

describe("settings of the repository", () => {
  const bySetting: Readonly<Record<string, (path: string) => void>> = {
    "in its configuration": (path) => repository.git("config", "core.worktree", path),
    "in that of its work tree": (path) => {
      repository.git("config", "extensions.worktreeConfig", "true");
      repository.git("config", "--worktree", "core.worktree", path);
    },
  };

  it.each(Object.entries(bySetting))("are refused where they name another work tree: %s", async (_, set) => {
    const other = join(folder, uniqueName("other"));
    mkdirSync(other);
    set(other);
    // What git sees, and would stage, is in no folder that is judged.
    expect(repository.git("rev-parse", "--show-toplevel")).toBe(other);
    await expectRefused("`core.worktree` of the repository leads git elsewhere");
    expect(facts(contractTerms()).judged).toBeUndefined();
    expect(() => checkedOut(repository.top)).toThrow("core.worktree");
    expect(() => requireCommit(repository.top, baseline)).toThrow("core.worktree");
    const file = [inGit("config.worktree"), inGit("config")].find(existsSync) as string;
    const text = readFileSync(file, "utf8");
    for (const own of ["..", repository.top, `${repository.top}/`]) {
      writeFileSync(file, text.replace(other, own));
      await expectReconciled();
    }
    for (const odd of ["", ".", "../docs"]) {
      writeFileSync(file, text.replace(other, odd));
      await expectUnavailable();
    }
  });

  it.each([
    ["a key without a value", "[core]\n\tworktree\n"],
    ["one of several", "[core]\n\tworktree = /\n\tWorkTree = ..\n"],
    ["refs elsewhere", "[extensions]\n\trefStorage = files:///srv/refs\n"],
    ["refs of another form", "[extensions]\n\trefStorage = reftable\n"],
    ["what git cannot read", "[core\n"],
  ])("are refused: %s", async (_, text) => {
    appendFileSync(inGit("config"), text);
    await expectUnavailable();
  });

  it("do not count where git does not read them: in a file that is included", async () => {
    const included = join(folder, uniqueName("included"));
    writeFileSync(included, `[core]\n\tworktree = ${folder}\n`);
    repository.git("config", "include.path", included);
    expect(repository.git("rev-parse", "--show-toplevel")).toBe(repository.top);
    await expectReconciled();
  });
});

describe("what names no place", () => {
  const setting = (key: string, value: string): Record<string, string> => ({
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: key,
    GIT_CONFIG_VALUE_0: value,
  });
  const parameter = (text: string): Record<string, string> => ({ GIT_CONFIG_PARAMETERS: text });
  const file = (name: string): Record<string, string> => {
    const path = join(folder, uniqueName("configuration"));
    writeFileSync(path, `[core]\n\tworktree = ${folder}\n[extensions]\n\trefStorage = reftable\n`);
    return { [name]: path };
  };

  it.each([
    ["another work tree, one of many settings", () => setting("core.worktree", folder)],
    ["another work tree, a setting of the command line", () => parameter(`'core.worktree'='${folder}'`)],
    ["settings of the user", () => file("GIT_CONFIG_GLOBAL")],
    ["settings of the machine", () => file("GIT_CONFIG_SYSTEM")],
    ["a namespace", () => ({ GIT_NAMESPACE: "other" })],
    ["where to look no further", () => ({ GIT_CEILING_DIRECTORIES: folder })],
  ])("has no say in what is judged, and none in what git commits: %s", async (_, variables) => {
    const environment: Record<string, string> = { ...process.env, ...variables() } as Record<string, string>;
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@x", ...args], {
        cwd: repository.top,
        env: environment,
      })
        .toString()
        .trim();
    repository.write("docs/allowed.txt", "two\n");
    git("add", "-A");
    for (const [name, value] of Object.entries(variables())) vi.stubEnv(name, value);
    await expectReconciled();
    const staged = repository.git("write-tree");
    git("commit", "-qm", "m");
    expect(repository.git("rev-parse", "main^{tree}", "main^")).toBe(`${staged}\n${baseline}`);
    expect(git("rev-parse", "--show-toplevel")).toBe(repository.top);
    repository.write("src/code.ts", "evil\n");
    git("add", "-A");
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });

  it("leaves git without a repository, below where it may look", () => {
    const environment = { ...process.env, GIT_CEILING_DIRECTORIES: repository.top };
    const options = { cwd: join(repository.top, "docs"), env: environment, stdio: "pipe" } as const;
    expect(() => execFileSync("git", ["rev-parse", "--git-dir"], options)).toThrow("not a git repository");
  });
});
