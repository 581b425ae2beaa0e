/** Repositories that no draw at random gives: each with what the specification says was done in it, or that it is refused. */
import { join } from "node:path";
import { makeRepository } from "../../../enforcement/execution/repository.ts";
import { changes } from "./changes.ts";
import { indexes } from "./indexes.ts";
import { objects } from "./objects.ts";
import { places } from "./places.ts";

export interface Situation {
  readonly what: string;
  /** Where is asked. */
  readonly folder: string;
  readonly top: string;
  readonly baseline: string;
  /** `OPERATION path`, with ` = PLACE` where it leads elsewhere; `refused` where nothing can be told. */
  readonly expected: readonly string[] | "refused";
  /** Tree of the commit that is checked out, where it is not that of the baseline; `null` for none. */
  readonly committed?: number | null;
  readonly isSlow?: boolean;
  /** What the refusal says, in part. */
  readonly says?: string;
  /** The index that git tells a hook of. */
  readonly index?: string;
}

const situations = { ...changes, ...indexes, ...places, ...objects };
export const situationNames: readonly string[] = Object.keys(situations);

export function makeSituations(folder: string, names = situationNames): Situation[] {
  const wanted = Object.entries(situations).filter(([what]) => names.includes(what));
  return wanted.map(([what, make], i) => {
    const top = join(folder, `situation-${i}`);
    const repository = makeRepository(top);
    repository.write("docs/a", "a\n");
    repository.write("src/b", "b\n");
    repository.write(".gitignore", "*.log\n/build/\n");
    const baseline = repository.commit();
    const git = (...path: string[]): string => join(top, ".git", ...path);
    const made = make({ repository, top, baseline, git, beside: (name) => join(folder, `beside-${i}-${name}`) });
    const expected = made.expected === "refused" ? made.expected : [...made.expected].sort();
    return { what, folder: top, top, baseline, ...made, expected };
  });
}
