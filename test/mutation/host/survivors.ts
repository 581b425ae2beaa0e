/** Mutants of the host's side that nobody can notice, or that the battery does not, each with the reason. */
import type { HostMutant } from "./mutants.ts";

interface Survivor {
  readonly file: string;
  readonly operation: string;
  readonly written: string;
  readonly reason: string;
}

const survivors: readonly Survivor[] = [];

/** `file`: below compiler/execution. */
export function explanationOf(mutant: Pick<HostMutant, "file" | "operation" | "written">): string | undefined {
  return survivors.find(
    ({ file, operation, written }) =>
      file === mutant.file && operation === mutant.operation && written === mutant.written,
  )?.reason;
}
