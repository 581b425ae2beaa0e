/** A git repository that need not be trusted: its commits, its index and its work tree as lists of paths with their content. */

export { indexNamed } from "./environment.ts";
export { GitError, type HashName, withGit } from "./git.ts";
export { ignoredBy } from "./ignored.ts";
export { stagedIn } from "./index-file.ts";
export { type Listing, Objects, SUBMODULE } from "./objects.ts";
export { type Done, operationsBetween } from "./operations.ts";
export {
  headOf,
  isHash,
  type RepositoryPlace,
  repositoriesAround,
  submoduleAt,
  submoduleCommit,
} from "./place.ts";
export { refuseSettings } from "./settings.ts";
export { isEmptySubmodule, isLinkElsewhere, workTreeListing } from "./work-tree.ts";
export { type CommitOptions, commitJudged, type Judged } from "./write-commit.ts";
