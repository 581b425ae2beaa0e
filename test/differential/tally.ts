/** What comparing programs came to; plain data, so that processes can send it to each other. */

export interface Difference {
  readonly seed: number;
  readonly text: string;
}

export interface Tally {
  readonly compared: number;
  /** Programs that were not compared, by why: the code of a diagnostic, or a word of `REFUSALS`. */
  readonly refused: { readonly [why: string]: number };
  /** Seeds that an installed OPA was asked about and refused, by its error code. */
  readonly refusedByOpa: { readonly [code: string]: readonly number[] };
  /** Contradictions that both evaluations met. */
  readonly conflicts: number;
  /** Seeds where an index of OPA's passes over a contradiction that we meet: without its indices OPA meets it, too. */
  readonly passedOver: readonly number[];
  /** Seeds where OPA alone meets one, in a group that nothing asks for: without its index of comprehensions it answers as we do. */
  readonly unasked: readonly number[];
  readonly differences: readonly Difference[];
}

/** Why a valid program is not compared. */
export const REFUSALS = {
  budget: "interpreter-budget",
  keys: "ambiguous-keys",
} as const;

export const NOTHING: Tally = {
  compared: 0,
  refused: {},
  refusedByOpa: {},
  conflicts: 0,
  passedOver: [],
  unasked: [],
  differences: [],
};

export function sum(a: Tally, b: Tally): Tally {
  return {
    compared: a.compared + b.compared,
    refused: merge(a.refused, b.refused, (x, y) => x + y),
    refusedByOpa: merge(a.refusedByOpa, b.refusedByOpa, (x, y) => [...x, ...y]),
    conflicts: a.conflicts + b.conflicts,
    passedOver: [...a.passedOver, ...b.passedOver],
    unasked: [...a.unasked, ...b.unasked],
    differences: [...a.differences, ...b.differences],
  };
}

/** Programs that differ: one may do so in several ways. */
export function seedsThatDiffer({ differences }: Tally): number[] {
  return [...new Set(differences.map((d) => d.seed))].sort((a, b) => a - b);
}

function merge<T>(a: { readonly [k: string]: T }, b: { readonly [k: string]: T }, add: (x: T, y: T) => T) {
  const both: Record<string, T> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const old = both[key];
    both[key] = old === undefined ? value : add(old, value);
  }
  return both;
}
