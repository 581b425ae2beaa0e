/**
 * A commit of what was judged: its trees, the commit and the branch, from the bytes that were read. The repository's
 * configuration, hooks and index have no say: git is lent the objects, and for the last step the refs.
 */

import { copyFileSync, existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Git, GitError, type HashName, withGit } from "./git.ts";
import type { Staged } from "./index-file.ts";
import { Objects } from "./objects.ts";
import type { Head, RepositoryPlace } from "./place.ts";
import type { Folder } from "./trees.ts";

/** What would be committed: the index as it was read, on the branch and commit that were. */
export interface Judged {
  readonly place: RepositoryPlace;
  readonly hashName: HashName;
  readonly head: Head;
  readonly staged: Staged;
}

export interface CommitOptions {
  readonly message: string;
  /** With the key of the user's own configuration. */
  readonly isSigned: boolean;
}

/** The new commit's name. Throws GitError, also where nothing is staged, and where the branch has moved since. */
export function commitJudged({ place, hashName, head, staged }: Judged, { message, isSigned }: CommitOptions): string {
  const store = join(place.gitDir, "objects");
  return withGit(store, hashName, (git) => {
    const objects = new Objects(git, store, hashName);
    const { hash: tree } = staged.folders.get("") as Folder;
    if (objects.commit(head.commit).tree === tree)
      throw new GitError("nothing is staged: git add what is to be committed");
    writeTrees(git, staged.folders);
    // What stood in the place of a tree before is not believed either.
    objects.listing(tree);
    const sign = isSigned ? ["-S"] : [];
    const said = git.run(["commit-tree", ...sign, "-p", head.commit, tree], {
      input: Buffer.from(`${message}\n`),
      isPersonal: true,
    });
    const commit = said.toString("latin1").trim();
    moveBranch(git, place, head, commit);
    return commit;
  });
}

/** Git writes none that the repository has. */
function writeTrees(git: Git, folders: ReadonlyMap<string, Folder>): void {
  const trees = [...new Map([...folders.values()].map((folder) => [folder.hash, folder.body]))];
  for (const [hash, body] of trees) writeFileSync(join(git.workTree, hash), body);
  const input = Buffer.from(trees.map(([hash]) => `${hash}\n`).join(""));
  const made = git.run(["hash-object", "-w", "-t", "tree", "--no-filters", "--stdin-paths"], { input });
  if (!made.equals(input)) throw new GitError("git wrote other trees than were judged");
}

/** Only from the commit that was judged. */
function moveBranch(git: Git, { gitDir }: RepositoryPlace, { ref, commit: old }: Head, commit: string): void {
  const refs = join(git.gitDir, "refs");
  rmSync(refs, { recursive: true });
  symlinkSync(join(gitDir, "refs"), refs, "junction");
  const packed = join(gitDir, "packed-refs");
  if (existsSync(packed)) copyFileSync(packed, join(git.gitDir, "packed-refs"));
  git.run(["update-ref", "--no-deref", ref, commit, old]);
}
