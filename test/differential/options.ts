/** The command line of `make fuzz`. */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

export interface Options {
  /** Programs to compare. */
  readonly runs: number;
  readonly seed: number;
  /** Processes. */
  readonly jobs: number;
  readonly opa: boolean;
  readonly json: boolean;
  /** Only print the program of the seed. */
  readonly show: boolean;
}

export const HELP = `Compares generated Rego programs: our module, and now and then our module with the data
compiled in, against the reference interpreter on the plan; with WITH=opa against opa eval, too.
One in four has rules that compare parts of the input: it is asked a hundred questions in a row
of one loaded policy, and OPA is not asked about it.

  make fuzz                            2,000 programs on all cores
  make fuzz RUNS=100000 SEED=7000000   this many programs, from this seed on
  make fuzz RUNS=5000 WITH=opa JOBS=1  an installed OPA asked besides, in one process
  make fuzz RUNS=1 SEED=7000123        one program again
  make fuzz SEED=7000123 ARGS=--show   prints that program, its input and data, and
                                       with WITH=opa what OPA makes of it
  make -s fuzz ARGS=--json             the result as JSON, for machines

RUNS   how many programs are compared (2000); programs that are not valid Rego do not count
SEED   the first seed (1000000); each seed is one program, the same for ever
JOBS   processes (one a core)

Differences go to stdout as they are met, progress to stderr. Exit codes: 0 none differs, 1 some
differ, 2 wrong usage, or WITH=opa without an opa, 130 interrupted.
`;

/** Text is what is wrong with the arguments. */
export function readOptions(args: readonly string[]): Options | "help" | { readonly wrong: string } {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
  if (values.help) return "help";
  const numbers = {
    runs: Number(values.runs || 2000),
    seed: Number(values.seed || 1_000_000),
    jobs: Number(values.jobs || availableParallelism()),
  };
  for (const [name, value] of Object.entries(numbers))
    if (!Number.isSafeInteger(value) || value < (name === "seed" ? 0 : 1))
      return { wrong: `${name.toUpperCase()} must be a whole number` };
  if (values.with && values.with !== "opa") return { wrong: `WITH can only be opa, not ${values.with}` };
  return { ...numbers, opa: values.with === "opa", json: values.json, show: values.show };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      runs: { type: "string", default: "" },
      seed: { type: "string", default: "" },
      jobs: { type: "string", default: "" },
      with: { type: "string", default: "" },
      json: { type: "boolean", default: false },
      show: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  }).values;
}
