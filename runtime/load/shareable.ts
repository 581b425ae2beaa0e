/** A policy for many threads: verified and compiled in one of them, instantiated in each. */

import { LoadError } from "../errors.ts";
import { holdOptions } from "../options.ts";
import type { WasmModule } from "../platform.ts";
import { holdSequence } from "./load.ts";
import { openSource, type PolicySource, SOURCE_OPTIONS, type SourceOptions } from "./source.ts";
import { policySectionOf } from "./verify.ts";

/**
 * Opens, verifies and compiles a source as `load` does, for threads that then verify and compile nothing: `postMessage` carries
 * the module, and `load(module)` makes an instance of it in each, with memory of its own. The compiled code is in memory once.
 * What is posted is trusted, so take it from the thread that verified it. Throws LoadError and TypeError as `load` does, and
 * LoadError for a module of another compiler, whose data is not in it.
 */
export async function shareable(source: PolicySource, options: SourceOptions = {}): Promise<WasmModule> {
  holdOptions(options, SOURCE_OPTIONS);
  const { module, facts } = await openSource(source, options);
  holdSequence(facts, options.verification?.minimumRevision);
  if (policySectionOf(module) !== undefined) return module;
  throw new LoadError(
    "not-a-policy",
    "the module is of another compiler, whose data is in its bundle alone: load that",
  );
}
