/** What the command line's own host supplies to policies: every builtin of ours, the clock, chance, and a description of itself. */

import { LoadError, type LoadOptions } from "@portcullis/runtime";

/**
 * Loads a policy, or does more with it: at first without our builtins, which take longer to read than most policies to be evaluated;
 * with them where one is missing. `work` must load before it does anything else. `own` wins over ours.
 */
export async function withHostOptions<T>(
  own: NonNullable<LoadOptions["builtins"]>,
  limits: LoadOptions["limits"],
  work: (options: LoadOptions) => Promise<T>,
): Promise<T> {
  try {
    return await work({ builtins: own, ...(limits && { limits }) });
  } catch (error) {
    if (!(error instanceof LoadError) || error.code !== "missing-builtin") throw error;
  }
  return work(await hostOptions(own, limits));
}

async function hostOptions(
  own: NonNullable<LoadOptions["builtins"]>,
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
