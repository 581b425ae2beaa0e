/**
 * Settings of a repository that lead git to another work tree or to other refs. Git takes them from these two files alone: not
 * from a file that they include, nor from a user's configuration or the environment's. No other setting is looked at: none
 * changes which entries the index has, and what a commit is made of is judged by them.
 */

import { join, resolve } from "node:path";
import { realPlace } from "../real-path.ts";
import { type Git, GitError } from "./git.ts";
import { bytesOf, isThere, type RepositoryPlace } from "./place.ts";

/** The second is read with `extensions.worktreeConfig` alone; without it the file is not there. */
const FILES = ["config", "config.worktree"];

const LARGEST_FILE = 1 << 20;

/** Throws GitError where a setting leads git elsewhere, and where git could not read a file. */
export function refuseSettings(git: Git, { top, gitDir }: RepositoryPlace): void {
  for (const name of FILES) {
    for (const [key, value] of settingsOf(git, join(gitDir, name))) {
      if (key === "core.worktree" && (value === undefined || realPlace(resolve(gitDir, value)) !== top))
        throw new GitError(
          `\`core.worktree\` of the repository leads git elsewhere than to \`${top}\`: git config --unset core.worktree`,
        );
      if (key === "extensions.refstorage" && value !== "files")
        throw new GitError("the repository keeps its refs elsewhere: `extensions.refStorage` is not `files`");
    }
  }
}

/** Git reads its own form, from bytes that we have read: no file is included. A key without a value has none. */
function settingsOf(git: Git, path: string): (readonly [key: string, value: string | undefined])[] {
  if (!isThere(path)) return [];
  const input = bytesOf(path, LARGEST_FILE);
  const args = ["config", "--file", "-", "--no-includes", "-z", "--list"];
  return git.list(args, { input }).map((one) => {
    const end = one.indexOf("\n");
    if (end < 0) return [one, undefined];
    return [one.slice(0, end), Buffer.from(one.slice(end + 1), "latin1").toString("utf8")];
  });
}
