/**
 * The fuzzer of git folders: what is reconciled is what a real `git commit` then writes, in tree and parent, and nothing in it
 * is undeclared. A few in `make test`, 300 in `make test-all`, 5,000 by `make fuzz WITH=git`.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Changes, changedFiles } from "../../../compiler/enforcement/execution/changed-files.ts";
import { commitJudged } from "../../../compiler/enforcement/execution/index.ts";
import { GitError } from "../../../compiler/enforcement/execution/repository/index.ts";
import { between, SEED } from "../../campaign.ts";
import { hasGit } from "../../git.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { layGitFolder, makeTemplate } from "./fuzz/git-folders.ts";

const COUNT = Number(process.env["PORTCULLIS_GIT_FOLDERS"] || between(20, 300));

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-git-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const top = join(folder, "site");
const identity = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@x", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@x" };
const outer = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
const env = {
  ...outer,
  ...identity,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CEILING_DIRECTORIES: folder,
};

/** `undefined` where git fails. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      cwd: top,
      env,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 60_000,
    }).toString();
  } catch {
    return undefined;
  }
}

function judged(base: string): Changes | undefined {
  try {
    return changedFiles(top, base);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

const isDeclared = (place: string | null): boolean => place?.startsWith(`${top}/docs/`) === true;

/** Commits as a person, or as `exec close --commit` would; what the branch is then. */
function commit({ judged: { staged, head }, ...rest }: Changes, by: "git" | "us"): string | undefined {
  if (by === "git") return git("commit", "-q", "--no-verify", "-m", "work");
  if (staged.folders.get("")?.hash === git("--no-replace-objects", "rev-parse", `${head.commit}^{tree}`)?.trim())
    return undefined;
  return commitJudged(
    { staged, head, place: { top, gitDir: join(top, ".git") }, hashName: "sha1" },
    { message: "m", isSigned: false, ...rest },
  );
}

describe.skipIf(process.platform === "win32" || !hasGit)("random git folders", () => {
  it(`are committed as they were judged: ${COUNT} from seed ${SEED}`, { timeout: 7_200_000 }, () => {
    const template = join(folder, "template");
    const names = makeTemplate(template);
    const counts = { refused: 0, blocked: 0, reconciled: 0, byGit: 0, byUs: 0 };
    Object.assign(process.env, identity);
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(SEED + i);
      const told = `folder ${SEED + i}: ${layGitFolder(template, top, names, random).join(", ")}`;
      const changes = judged(names.base);
      if (changes === undefined) counts.refused++;
      else if (!changes.files.every(({ resolved }) => isDeclared(resolved))) counts.blocked++;
      else {
        counts.reconciled++;
        const by = random.chance(1 / 4) ? "us" : "git";
        const { head, staged } = changes.judged;
        const done = commit(changes, by);
        const now = git("--no-replace-objects", "cat-file", "commit", "HEAD");
        // Where git cannot say what is checked out, it has committed nothing.
        if (now === undefined) continue;
        const said = now.split("\n\n")[0]?.split("\n") ?? [];
        if (done !== undefined) {
          counts[by === "git" ? "byGit" : "byUs"]++;
          const headers = said.filter((line) => /^(?:tree|parent) /.test(line));
          expect(headers, told).toEqual([`tree ${staged.folders.get("")?.hash}`, `parent ${head.commit}`]);
        }
        const written = git(
          "--no-replace-objects",
          "diff-tree",
          "-r",
          "--no-renames",
          "--name-only",
          "-z",
          names.base,
          "HEAD",
        );
        expect(written, told).toBeDefined();
        const paths = (written as string).split("\0").slice(0, -1);
        expect(
          paths.filter((path) => !path.startsWith("docs/")),
          told,
        ).toEqual([]);
      }
    }
    console.log(`git folders: ${JSON.stringify(counts)}, none differ`);
    // A comparison of nothing proves nothing.
    expect(counts.byGit + counts.byUs).toBeGreaterThan(COUNT / 20);
    expect(counts.refused).toBeGreaterThan(COUNT / 20);
  });
});
