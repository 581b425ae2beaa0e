/**
 * All changes of a repository since a commit: later commits, the index, the work tree, and untracked files. A rename is
 * a path that went and a path that came. The work tree is compared by content with an index of our own, so
 * that no flag or time stamp in the repository's index hides a change.
 */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloseRequest } from "@portcullis/runtime";
import { GitError, openRepository, type Repository } from "./git.ts";
import { ignoreRules } from "./ignore-rules.ts";
import { linkAt, policyPath, realPath, realPlace } from "./real-path.ts";

type ChangedFile = NonNullable<CloseRequest["changed_files"]>[number];

/** `folder` is canonical. Throws GitError when the changes cannot be determined. */
export function changedFiles(folder: string, baseline: string): ChangedFile[] {
  // A branch or a tag of the name would do as well for git, and can be moved.
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(baseline)) throw new GitError("the baseline is no full commit hash");
  const repository = openRepository(folder);
  const scratch = mkdtempSync(join(tmpdir(), "portcullis-close-"));
  try {
    const paths = new Map(changedPaths(repository, baseline, scratch).map((path) => [path.toString("latin1"), path]));
    return [...paths.values()].flatMap((path) => placesOf(repository.top, path));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** How paths are compared: every path on its own, submodules as carefully as files. */
const NAMES = ["-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];

function changedPaths(repository: Repository, baseline: string, scratch: string): Buffer[] {
  const since = commitOf(repository, baseline);
  const head = commitOf(repository, "HEAD");
  const committed = repository.list(["diff-tree", "-r", ...NAMES, since, head]);
  const staged = repository.list(["diff-index", "--cached", ...NAMES, head]);
  const index = join(scratch, "index");
  repository.run(["read-tree", head], index);
  refresh(repository, index);
  const edited = repository.list(["diff-files", ...NAMES], index);
  const rules = join(scratch, "ignored");
  writeFileSync(rules, ignoreRules(repository, since));
  const untracked = repository.list(["ls-files", "--others", "-z", `--exclude-from=${rules}`], index);
  return [...committed, ...staged, ...edited, ...untracked, ...strayFilesInSubmodules(repository, index)];
}

function commitOf(repository: Repository, name: string): string {
  return repository
    .run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`])
    .toString("latin1")
    .trim();
}

/** Reads every file of the work tree. Differences are no failure; the next command lists them. */
function refresh(repository: Repository, index: string): void {
  repository.run(["update-index", "-q", "--refresh", "--unmerged", "--ignore-missing"], index);
}

/** Git looks into a submodule's folder only if it has a `.git`; without one, files in there are seen by nobody. */
function strayFilesInSubmodules({ top, list }: Repository, index: string): Buffer[] {
  return list(["ls-files", "--stage", "-z"], index)
    .filter((line) => line.toString("latin1").startsWith("160000 "))
    .map((line) => line.subarray(line.indexOf(9) + 1))
    .filter((path) => {
      const names = namesIn(join(top, path.toString("utf8")));
      return names.length > 0 && !names.includes(".git");
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Where a changed path is, and, if it is a link, also where it leads: a link below a target must not lead out, and one that
 * leads to a target must not itself lie elsewhere.
 */
function placesOf(top: string, raw: Buffer): ChangedFile[] {
  // A folder of its own repository is listed with a slash at its end.
  const path = raw.toString("utf8").replace(/\/$/, "");
  // A name that is not UTF-8 cannot be told to a policy, and so cannot be placed.
  if (!Buffer.from(path, "utf8").equals(raw.at(-1) === 0x2f ? raw.subarray(0, -1) : raw))
    return [{ path, resolved: null }];
  const full = join(top, path);
  const place: ChangedFile = { path, resolved: forPolicy(realPlace(full)) };
  return linkAt(full) ? [place, { path, resolved: forPolicy(realPath(full)) }] : [place];
}

function forPolicy(path: string | undefined): string | null {
  return path === undefined ? null : policyPath(path);
}
