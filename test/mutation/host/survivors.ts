/** Mutants of the host's side that nobody can notice here, each with the reason. One that is killed after all fails the run. */
import type { HostMutant } from "./mutants.ts";

export interface Survivor {
  /** Below compiler. */
  readonly file: string;
  readonly operation: string;
  readonly written: string;
  /** Where the same is written in several lines: the line. */
  readonly on?: string;
  /** Where it is changed in several ways: to what. */
  readonly to?: string;
  readonly reason: string;
}

const survivors: readonly Survivor[] = [];

const met = new Set<Survivor>();

/** `file`: below compiler. */
export function explanationOf(mutant: Omit<HostMutant, "line" | "text">): string | undefined {
  const found = survivors.find(
    ({ file, operation, written, on = mutant.on, to = mutant.to }) =>
      file === mutant.file &&
      operation === mutant.operation &&
      written === mutant.written &&
      on === mutant.on &&
      to === mutant.to,
  );
  if (found !== undefined) met.add(found);
  return found?.reason;
}

/** Entries of these files that no mutant met. */
export function unused(files: readonly string[]): string[] {
  return survivors
    .filter((entry) => files.includes(entry.file) && !met.has(entry))
    .map(({ file, operation, written }) => `${file}  ${operation}  ${written}`);
}
