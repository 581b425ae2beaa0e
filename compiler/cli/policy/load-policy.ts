/** Policies loaded with our builtins. Most ask for none, and reading the builtins takes longer than loading a policy. */

import { LoadError, type LoadOptions, load, type Policy, type PolicySource } from "@portcullis/runtime";

/** The runtime's `load`, with all of `@portcullis/builtins` for a policy that asks for one. Rejects with LoadError, as `load`. */
export async function loadWithBuiltins(source: PolicySource, options: LoadOptions = {}): Promise<Policy> {
  try {
    return await load(source, options);
  } catch (error) {
    if (!(error instanceof LoadError) || error.code !== "missing-builtin") throw error;
  }
  const { builtins } = await import("@portcullis/builtins");
  return load(source, { ...options, builtins: [...builtins, ...(options.builtins ?? [])] });
}
