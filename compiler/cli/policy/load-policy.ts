/** Policies loaded with our builtins. Most ask for none, and reading the builtins takes longer than loading a policy. */

import { LoadError, type LoadOptions, load, type Policy, type PolicySource } from "@portcullis/runtime";

/** The clock and chance of this machine. */
export const SOURCES = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
};

/**
 * The runtime's `load`, with all of `@portcullis/builtins`, the clock and chance for a policy that asks for one. Rejects with
 * LoadError, as `load`.
 */
export async function loadWithBuiltins(source: PolicySource, options: LoadOptions = {}): Promise<Policy> {
  try {
    return await load(source, options);
  } catch (error) {
    if (!(error instanceof LoadError) || error.code !== "missing-builtin") throw error;
  }
  const { builtins } = await import("@portcullis/builtins");
  return load(source, { ...options, sources: SOURCES, builtins: [...builtins, ...(options.builtins ?? [])] });
}
