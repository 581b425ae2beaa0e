/**
 * Git folders from a seed, as somebody who may write to them would leave them: an index with any bytes, refs and HEAD in any
 * form, states of commands, `.git` as a file and as a link. Everything that is not in `docs` is undeclared.
 */

import { cpSync, rmSync } from "node:fs";
import type { Random } from "../../../rego/plan/generate/random.ts";
import { makeRepository } from "../repository.ts";
import { type Change, Folder, type Names } from "./git-folder.ts";
import { INDEX_CHANGES } from "./index-changes.ts";
import { REF_CHANGES } from "./ref-changes.ts";
import { PLACE_CHANGES, STATE_CHANGES } from "./state-changes.ts";

/** The repository that all are copies of. */
export function makeTemplate(top: string): Names {
  const repository = makeRepository(top);
  const { git, write } = repository;
  for (const path of ["docs/a.txt", "docs/deep/b.txt", "src/code.ts", "x.sh"]) write(path, `${path}\n`);
  const base = repository.commit();
  write("docs/a.txt", "good\n");
  const good = repository.commit();
  git("reset", "-q", "--hard", base);
  write("x.sh", "evil\n");
  const evil = repository.commit();
  git("reset", "-q", "--hard", base);
  git("branch", "other", evil);
  const [evilTree, evilBlob, baseTree, docsTree] = [
    `${evil}^{tree}`,
    `${evil}:x.sh`,
    `${base}^{tree}`,
    `${base}:docs`,
  ].map((name) => git("rev-parse", name)) as [string, string, string, string];
  return { base, good, evil, evilTree, evilBlob, baseTree, docsTree };
}

/** Lays a copy of the template at `top`, which is made anew, and does to it what the seed says. Gives what was done. */
export function layGitFolder(template: string, top: string, names: Names, random: Random): readonly string[] {
  rmSync(top, { recursive: true, force: true });
  rmSync(`${top}-elsewhere`, { recursive: true, force: true });
  cpSync(template, top, { recursive: true });
  const folder = new Folder(top, names, random);
  if (random.chance(4 / 5)) folder.stage();
  const done: string[] = [];
  for (let left = random.int(2); left >= 0; left--) {
    const [what, change] = random.pick(random.chance(1 / 2) ? PLAIN : CHANGES);
    try {
      change(folder);
      done.push(what);
    } catch {
      // What was done before left nothing to do this to.
    }
  }
  return done;
}

/** What people and git do, and what git commits as if it were not there. */
const PLAIN: readonly Change[] = [
  ["nothing", () => {}],
  ["trees as git has them", (f) => void f.git("write-tree")],
  ["no trees", (f) => f.index((index) => ({ ...index, extensions: [] }))],
  ["version 4", (f) => void f.git("update-index", "--index-version", "4")],
  ["packed by git", (f) => void f.git("pack-refs", "--all")],
  ["objects packed", (f) => void f.git("repack", "-adq")],
  ["a commit", (f) => void f.git("commit", "-q", "-m", "before")],
  ["a deletion", (f) => void f.git("rm", "-q", "docs/deep/b.txt")],
  ["another branch", (f) => void f.git("switch", "-q", "-c", "new/branch")],
  ["what git left", (f) => f.put(f.random.pick(["ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG"]), `${f.commit()}\n`)],
  ...STATE_CHANGES.filter(([what]) => /graft|shallow|replaced|attributes/.test(what)),
];

/** The index is what most is at stake with. */
const CHANGES: readonly Change[] = [
  ...INDEX_CHANGES,
  ...INDEX_CHANGES,
  ...REF_CHANGES,
  ...REF_CHANGES,
  ...STATE_CHANGES,
  ...PLACE_CHANGES,
];
