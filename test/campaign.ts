/**
 * How much the suites try: `make test` and what lands a change a fortieth of each campaign, `make test-all` all of it
 * (`PORTCULLIS_CAMPAIGN=full`). The seed is printed at both ends of the run: `PORTCULLIS_SEED` repeats it.
 */
import { Random } from "./rego/plan/generate/random.ts";

const PART = 1 / 40;

function isFull(campaign: string): boolean {
  if (campaign !== "part" && campaign !== "full")
    throw new Error(`PORTCULLIS_CAMPAIGN is \`part\` or \`full\`, not \`${campaign}\``);
  return campaign === "full";
}

export const isWhole = isFull(process.env["PORTCULLIS_CAMPAIGN"] ?? "part");

/** The seed of the run, of 31 bits. The suite's configuration draws it; outside the suite it stands still. */
export const SEED = Number(process.env["PORTCULLIS_SEED"] ?? 20_260_214);

/** A share of what is worth less than this would find nothing. */
const FEWEST = 25;

/** How many of `whole` runs to make: all, or a part. */
export function runs(whole: number): number {
  return isWhole ? whole : Math.max(Math.min(whole, FEWEST), Math.ceil(whole * PART));
}

/** The same where `make test` makes `part` of them, and a fortieth would be too few or too many. */
export function between(part: number, whole: number): number {
  return isWhole ? whole : part;
}

/** The parameters of a property that is worth `whole` runs, for `fc.assert` and `fc.sample`. */
export function campaign(whole: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: SEED, numRuns: runs(whole) };
}

/**
 * All of an exhaustive space, or about a share of it: other members with each seed, in their order, and never none. `least` is the
 * share that `make test` tries, and `whole` that of a whole campaign, where all would take longer than anybody waits.
 */
export function sampled<T>(space: readonly T[], least = PART, whole = 1): readonly T[] {
  const part = isWhole ? whole : least;
  if (part === 1) return space;
  const random = new Random(SEED);
  const sure = random.int(space.length);
  return space.filter((_, i) => random.chance(part) || i === sure);
}
