/**
 * Mutants that mean the same as the library, each with the reason. One that is killed after all, or that the library no
 * longer has, fails the run.
 */
import type { Mutant, Operation } from "./mutants.ts";

interface Equivalent {
  readonly module: string;
  readonly operation: Operation;
  readonly written: string;
  readonly reason: string;
}

const equivalents: readonly Equivalent[] = [];

const met = new Set<Equivalent>();

export function explanationOf(mutant: Mutant): string | undefined {
  const found = equivalents.find(
    ({ module, operation, written }) =>
      module === mutant.module && operation === mutant.operation && written === mutant.written,
  );
  if (found !== undefined) met.add(found);
  return found?.reason;
}

/** Entries of these modules that no mutant met. */
export function unused(modules: readonly string[]): string[] {
  return equivalents
    .filter((entry) => modules.includes(entry.module) && !met.has(entry))
    .map(({ module, operation, written }) => `${module}  ${operation}  ${written}`);
}
