/**
 * How much the suites try. `make test` tries a share of each campaign, from a fresh seed; `make test-all` tries all of it
 * (`PORTCULLIS_CAMPAIGN=full`), from a fresh seed too. The seed is printed at both ends of the run: `PORTCULLIS_SEED`
 * repeats it.
 */
import { Random } from "./rego/plan/generate/random.ts";

export const isWhole = process.env["PORTCULLIS_CAMPAIGN"] === "full";

/** The seed of the run, of 31 bits. The suite's configuration draws it; outside the suite it stands still. */
export const SEED = Number(process.env["PORTCULLIS_SEED"] ?? 20_260_214);

/** A share of what is worth less than this would find nothing. */
const FEWEST = 25;

/** The part of a campaign that `make test` tries. */
const PART = 1 / 40;

/** How many of `whole` runs to make: all, or a part. */
export function runs(whole: number): number {
  return isWhole ? whole : Math.max(Math.min(whole, FEWEST), Math.ceil(whole * PART));
}

/** The parameters of a property that is worth `whole` runs, for `fc.assert` and `fc.sample`. */
export function campaign(whole: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: SEED, numRuns: runs(whole) };
}

/**
 * All of an exhaustive space, or about a share of it: other members with each seed, in their order, and never none. `whole` is the
 * share that a whole campaign tries, where all would take longer than anybody waits.
 */
export function sampled<T>(space: readonly T[], share = PART, whole = 1): readonly T[] {
  const part = isWhole ? whole : share;
  if (part === 1) return space;
  const random = new Random(SEED);
  const least = random.int(space.length);
  return space.filter((_, i) => random.chance(part) || i === least);
}
