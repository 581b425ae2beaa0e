/** Mutants of the host's side that cannot be noticed here, each with the reason. One that is killed after all fails the run. */
import { agentSurvivors } from "./agent-survivors.ts";
import { cliSurvivors } from "./cli-survivors.ts";
import { executionSurvivors } from "./execution-survivors.ts";
import { gatewaySurvivors } from "./gateway-survivors.ts";
import { httpSurvivors } from "./http-survivors.ts";
import type { HostMutant } from "./mutants.ts";
import { repositorySurvivors } from "./repository-survivors.ts";
import { servingSurvivors } from "./serving-survivors.ts";
import type { Survivor } from "./survivor.ts";
import { upstreamSurvivors } from "./upstream-survivors.ts";

const survivors: readonly Survivor[] = [
  ...executionSurvivors,
  ...repositorySurvivors,
  ...gatewaySurvivors,
  ...httpSurvivors,
  ...agentSurvivors,
  ...cliSurvivors,
  ...upstreamSurvivors,
  ...servingSurvivors,
];

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
