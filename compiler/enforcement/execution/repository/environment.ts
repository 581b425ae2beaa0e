/**
 * What the environment says to git about a repository. Git commits from the places that it names: where they are others than those
 * that are judged, the judgement would be about another commit.
 *
 * Other variables of git's name no place. Configuration (`GIT_CONFIG_COUNT`, `GIT_CONFIG_PARAMETERS`, `GIT_CONFIG_GLOBAL`) sets no
 * work tree and no refs, `GIT_NAMESPACE` counts for what is served, and `GIT_CEILING_DIRECTORIES` lets git find nothing at all.
 */

import { basename, dirname, join, resolve } from "node:path";
import { realPlace } from "../real-path.ts";
import { GitError } from "./git.ts";
import type { RepositoryPlace } from "./place.ts";

/** Indexes of one commit, which git makes beside its own: of `git commit -a` and `-p`, and of `git commit PATH`. */
const TEMPORARY_INDEX = /^(?:index|next-index-\d+)\.lock$/;

/** The file of the index that git uses now: a hook of a commit is told. Throws GitError where git is told of another place. */
export function indexNamed({ top, gitDir }: RepositoryPlace): string {
  const places: readonly (readonly [name: string, place: string])[] = [
    ["GIT_DIR", gitDir],
    ["GIT_COMMON_DIR", gitDir],
    ["GIT_WORK_TREE", top],
    ["GIT_OBJECT_DIRECTORY", join(gitDir, "objects")],
  ];
  for (const [name, place] of places) {
    const value = process.env[name];
    if (value !== undefined && placeOf(value) !== place) throw elsewhere(name, place);
  }
  // Git takes the folder that it is in for the work tree then.
  if (
    process.env["GIT_DIR"] !== undefined &&
    process.env["GIT_WORK_TREE"] === undefined &&
    placeOf(process.cwd()) !== top
  )
    throw elsewhere("GIT_DIR", top);
  // Git reads the branch from there, under either name of its versions.
  for (const name of ["GIT_REFERENCE_BACKEND", "GIT_REF_STORAGE"])
    if (!["", "files"].includes(process.env[name] ?? "")) throw elsewhere(name, join(gitDir, "refs"));
  // What is committed could have objects that are not looked at.
  if (process.env["GIT_ALTERNATE_OBJECT_DIRECTORIES"])
    throw elsewhere("GIT_ALTERNATE_OBJECT_DIRECTORIES", join(gitDir, "objects"));
  const index = join(gitDir, "index");
  const value = process.env["GIT_INDEX_FILE"];
  if (value === undefined) return index;
  const named = placeOf(value);
  if (named === index) return index;
  if (named !== undefined && dirname(named) === gitDir && TEMPORARY_INDEX.test(basename(named))) return named;
  throw elsewhere("GIT_INDEX_FILE", index);
}

/** Git runs hooks at the top of the work tree, and names places from there. */
function placeOf(value: string): string | undefined {
  return value === "" ? undefined : realPlace(resolve(value));
}

function elsewhere(name: string, place: string): GitError {
  return new GitError(
    `\`${name}\` leads git elsewhere than to \`${place}\`: without it, git add what is to be committed, then git commit`,
  );
}
