/**
 * How much the suites try: `PORTCULLIS_CAMPAIGN`. `make test` tries a fortieth of each campaign, what lands a change an `eighth`,
 * and `make test-all` all of it, `full`. The seed is printed at both ends of the run: `PORTCULLIS_SEED` repeats it.
 */
import { Random } from "./rego/plan/generate/random.ts";

const PART = 1 / 40;
const SHARES: { readonly [campaign: string]: number } = { part: PART, eighth: 1 / 8, full: 1 };

function shareOf(campaign: string): number {
  const share = SHARES[campaign];
  if (share === undefined) throw new Error(`PORTCULLIS_CAMPAIGN has to be one of ${Object.keys(SHARES).join(", ")}`);
  return share;
}

const share = shareOf(process.env["PORTCULLIS_CAMPAIGN"] ?? "part");

export const isWhole = share === 1;

/** The seed of the run, of 31 bits. The suite's configuration draws it; outside the suite it stands still. */
export const SEED = Number(process.env["PORTCULLIS_SEED"] ?? 20_260_214);

/** A share of what is worth less than this would find nothing. */
const FEWEST = 25;

/** How many of `whole` runs to make: all, or a part. */
export function runs(whole: number): number {
  return Math.max(Math.min(whole, FEWEST), Math.ceil(whole * share));
}

/** The same where `make test` makes other than a fortieth. */
export function between(part: number, whole: number): number {
  return part + Math.round(((whole - part) * (share - PART)) / (1 - PART));
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
  const part = isWhole ? whole : Math.min(whole, least * (share / PART));
  if (part === 1) return space;
  const random = new Random(SEED);
  const sure = random.int(space.length);
  return space.filter((_, i) => random.chance(part) || i === sure);
}
