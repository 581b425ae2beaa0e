/**
 * All changes of a repository since a commit: what later commits, the index and the work tree hold otherwise, and untracked
 * files. Each of the three is compared with the baseline, whose every object is hashed.
 */

import { join } from "node:path";
import type { CloseRequest } from "@portcullis/runtime";
import { linkAt, policyPath, realPath, realPlace } from "./real-path.ts";
import {
  type Done,
  GitError,
  type HashName,
  headOf,
  ignoredBy,
  indexNamed,
  isEmptySubmodule,
  isHash,
  isLinkElsewhere,
  type Judged,
  type Listing,
  Objects,
  operationsBetween,
  type RepositoryPlace,
  refuseSettings,
  repositoriesAround,
  SUBMODULE,
  stagedIn,
  submoduleAt,
  submoduleCommit,
  withGit,
  workTreeListing,
} from "./repository/index.ts";

type ChangedFile = NonNullable<CloseRequest["changed_files"]>[number];

export interface Changes {
  readonly files: readonly ChangedFile[];
  /** When the commit that is checked out was made, in milliseconds since 1970, as its author's clock said. */
  readonly lastCommit: number | undefined;
  readonly judged: Judged;
}

/** `isUnplaced`: a link of a commit or of the index, which the disk does not have: where it leads is unknown. */
interface Change extends Done {
  readonly isUnplaced: boolean;
}

/** In milliseconds, for the whole work tree. */
const LONGEST_WALK = 10 * 60_000;

/** Submodules of submodules. */
const DEEPEST_SUBMODULE = 16;

/** `folder` is canonical. Throws GitError when the changes cannot be determined. */
export function changedFiles(folder: string, baseline: string): Changes {
  // A branch or a tag of the name would do as well for git, and can be moved.
  if (!isHash(baseline)) throw new GitError("the baseline is no full commit hash");
  const place = repositoryOf(folder, baseline);
  const hashName = hashNameOf(baseline);
  const head = headOf(place);
  if (head.commit.length !== baseline.length) throw new GitError("the baseline is of another kind of repository");
  const staged = stagedIn(place.gitDir, hashName);
  // The index of this one commit, which git tells a hook of. Its own counts as well: it is what is committed next.
  const index = indexNamed(place);
  const committing = index === join(place.gitDir, "index") ? staged : stagedIn(place.gitDir, hashName, index);
  const until = performance.now() + LONGEST_WALK;
  const { done, lastCommit } = changesIn(
    { place, head: head.commit, staged: [...new Set([staged, committing])].map(({ entries }) => entries) },
    baseline,
    {
      until,
      depth: 0,
    },
  );
  const once = new Map(done.map((one) => [`${one.isUnplaced} ${one.operation} ${one.path}`, one]));
  return {
    files: [...once.values()].flatMap((change) => placesOf(place.top, change)),
    lastCommit,
    judged: { place, hashName, head, staged: committing },
  };
}

/** Throws GitError unless the repository around a folder, which is canonical, has the commit. */
export function requireCommit(folder: string, commit: string): void {
  asking(repositoryOf(folder, commit), commit, (_, objects) => objects.commit(commit));
}

/** The repository around a folder, which is canonical, and the commit that is checked out there. Throws GitError. */
export function checkedOut(folder: string): { readonly top: string; readonly commit: string } {
  const place = innermost(repositoriesAround(folder), folder);
  const { commit } = headOf(place);
  asking(place, commit, (git) => refuseSettings(git, place));
  return { top: place.top, commit };
}

/**
 * The repository in which git works in a folder. One that was put inside of another since, with the same commit, would see only
 * itself: where more than one have the baseline, there is no telling which is meant.
 */
function repositoryOf(folder: string, baseline: string): RepositoryPlace {
  const places = repositoriesAround(folder);
  const place = innermost(places, folder);
  const isAnother = (one: RepositoryPlace): boolean =>
    one !== place && asking(one, baseline, (_, objects) => objects.has(baseline));
  if (places.some(isAnother)) throw new GitError(`more than one repository around \`${folder}\` has the baseline`);
  asking(place, baseline, (git) => refuseSettings(git, place));
  return place;
}

function innermost(places: readonly RepositoryPlace[], folder: string): RepositoryPlace {
  const last = places.at(-1);
  if (last === undefined) throw new GitError(`\`${folder}\` is not in a git repository`);
  return last;
}

function hashNameOf(commit: string): HashName {
  return commit.length === 40 ? "sha1" : "sha256";
}

type Asked<T> = Parameters<typeof withGit<T>>[2];

/** Git with a repository's objects, and those objects. */
function asking<T>(
  { gitDir }: RepositoryPlace,
  baseline: string,
  work: (git: Parameters<Asked<T>>[0], objects: Objects) => T,
): T {
  const hashName = hashNameOf(baseline);
  const store = join(gitDir, "objects");
  return withGit(store, hashName, (git) => work(git, new Objects(git, store, hashName)));
}

interface States {
  readonly place: RepositoryPlace;
  readonly head: string;
  /** What each index holds that counts. */
  readonly staged: readonly Listing[];
}

interface Limits {
  readonly until: number;
  readonly depth: number;
}

function changesIn(
  { place, head, staged }: States,
  baseline: string,
  limits: Limits,
): { readonly done: readonly Change[]; readonly lastCommit: number | undefined } {
  return asking(place, baseline, (git, objects) => {
    if (head.length !== baseline.length) throw new GitError("the baseline is of another kind of repository");
    objects.prepare([...new Set([baseline, head])]);
    const before = objects.listing(objects.commit(baseline).tree);
    const last = objects.commit(head);
    const disk = workTreeListing({
      top: place.top,
      hashName: objects.hashName,
      baseline: before,
      ignored: ignoredBy(git, objects, before),
      isChangedSubmodule: (path, commit) => isChangedSubmodule(place.top, path, commit, limits),
      until: limits.until,
    });
    const committed = objects.listing(last.tree);
    for (const one of staged) objects.requireBlobs(newBlobs(one, [before, committed]));
    const states = [committed, ...staged, disk];
    const isUnplaced = (state: Listing, path: string): boolean =>
      isLinkElsewhere(place.top, path, state.get(path), objects.hashName);
    const done = states.flatMap((state) =>
      operationsBetween(before, state).map((one) => ({ ...one, isUnplaced: isUnplaced(state, one.path) })),
    );
    return { done, lastCommit: last.committed };
  });
}

/**
 * A submodule is one path: changed when its commit is another, or anything in its folder, or when its folder is no repository
 * that can be read.
 */
function isChangedSubmodule(top: string, path: string, commit: string, { until, depth }: Limits): boolean {
  if (isEmptySubmodule(top, path)) return false;
  if (depth >= DEEPEST_SUBMODULE) throw new GitError("submodules lie too deep in each other");
  const name = utf8Of(path);
  // What is not UTF-8 would be read as another name, and that folder in its place.
  if (name === undefined) return true;
  const states = submoduleStates(join(top, name), hashNameOf(commit));
  return states === undefined || changesIn(states, commit, { until, depth: depth + 1 }).done.length > 0;
}

/** `undefined` where git could read them in two ways. */
function submoduleStates(top: string, hashName: HashName): States | undefined {
  try {
    const place = submoduleAt(top);
    return { place, head: submoduleCommit(place), staged: [stagedIn(place.gitDir, hashName).entries] };
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** The contents of staged files and links that no commit vouches for. */
function newBlobs(staged: Listing, commits: readonly Listing[]): string[] {
  const known = new Set(commits.flatMap((listing) => [...listing.values()].map(({ hash }) => hash)));
  const entries = [...staged.values()].filter(({ mode, hash }) => mode !== SUBMODULE && !known.has(hash));
  return [...new Set(entries.map(({ hash }) => hash))];
}

/**
 * Where a changed path is: as it is written, with the links on the way followed, and, if it is a link, where it leads. All of
 * them count. A link below a target must not lead out, one that leads to a target must not itself lie elsewhere, and what was
 * committed elsewhere does not come to lie below a target by a link (or a name in other case) that the disk has on the way.
 */
function placesOf(top: string, { path: listed, operation, isUnplaced }: Change): ChangedFile[] {
  const path = utf8Of(listed);
  // A name that is not UTF-8 cannot be told to a policy, and so cannot be placed.
  if (isUnplaced || path === undefined)
    return [{ path: path ?? Buffer.from(listed, "latin1").toString("utf8"), resolved: null, operation }];
  const full = join(top, path);
  const places = new Set([policyPath(full), forPolicy(realPlace(full))]);
  if (linkAt(full)) places.add(forPolicy(realPath(full)));
  return [...places].map((resolved) => ({ path, resolved, operation }));
}

/** A listed path as text; `undefined` if its bytes are not UTF-8. */
function utf8Of(listed: string): string | undefined {
  const raw = Buffer.from(listed, "latin1");
  const text = raw.toString("utf8");
  return Buffer.from(text, "utf8").equals(raw) ? text : undefined;
}

function forPolicy(path: string | undefined): string | null {
  return path === undefined ? null : policyPath(path);
}
