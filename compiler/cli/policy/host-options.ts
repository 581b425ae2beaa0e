/** What the command line's own host supplies to policies: every builtin of ours, the clock, chance, and a description of itself. */

import type { LoadOptions } from "@portcullis/runtime";

/** Loaded when a policy is: most commands need none of it. `own` wins over ours. */
export async function hostOptions(
  own: NonNullable<LoadOptions["builtins"]> = [],
  limits: NonNullable<LoadOptions["limits"]> = {},
): Promise<LoadOptions> {
  const [{ builtins }, { object }] = await Promise.all([
    import("@portcullis/builtins"),
    import("@portcullis/runtime/host"),
  ]);
  const env = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const sources = { runtime: object({ env: object(Object.fromEntries(env)) }) };
  return { builtins: [...builtins, ...own], sources, limits };
}
