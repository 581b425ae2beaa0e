/** What the environment says to git: the index that git commits is the one that is judged, or nothing is. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
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

  it("may be the repository's own", async () => {
    vi.stubEnv("GIT_DIR", inGit(""));
    vi.stubEnv("GIT_WORK_TREE", repository.top);
    vi.stubEnv("GIT_OBJECT_DIRECTORY", inGit("objects"));
    vi.stubEnv("GIT_ALTERNATE_OBJECT_DIRECTORIES", "");
    vi.stubEnv("GIT_INDEX_FILE", inGit("index"));
    await expectReconciled();
  });
});
