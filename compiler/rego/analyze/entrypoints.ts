/** Which rules the outside may ask for: those that are annotated, and those that the caller names. */

import type { Diagnostic } from "../diagnostics/index.ts";
import type { CheckedPolicy } from "./checked.ts";
import { analyzeDiagnostic } from "./codes.ts";

export interface ChosenEntrypoints {
  /** `pkg/rule`, sorted and unique; the planner reports those that do not exist. */
  readonly entrypoints: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `required` is taken as it is; of `ensured` those that exist. With `only`, no others than these. */
export function chooseEntrypoints(
  policy: CheckedPolicy,
  required: readonly string[],
  ensured: readonly string[],
  only?: readonly string[],
): ChosenEntrypoints {
  const annotated = policy.annotations.filter((a) => a.entrypoint).map((a) => a.path.join("/"));
  const documents = documentPaths(policy);
  const named = [...required.map(asPath), ...ensured.map(asPath).filter((name) => documents.has(name))];
  const all = [...new Set([...annotated, ...named])].sort();
  const entrypoints = only === undefined ? all : all.filter((name) => only.includes(name));
  if (entrypoints.length > 0 || policy.queries.length > 0) return { entrypoints, diagnostics: [] };
  const help = "name a rule with `-e pkg/rule`, or annotate one with `# METADATA` and `# entrypoint: true`";
  return { entrypoints, diagnostics: [analyzeDiagnostic("pipeline/no-entrypoint", {}, undefined, { help })] };
}

/** `data.app.allow`, which Rego authors write, means `app/allow`. */
function asPath(name: string): string {
  return name.startsWith("data.") ? name.slice("data.".length).replaceAll(".", "/") : name;
}

/** Every rule that is not a function, and every package and prefix above one. */
function documentPaths(policy: CheckedPolicy): Set<string> {
  const paths = new Set<string>();
  for (const group of policy.groups) {
    if (group.kind === "function") continue;
    for (let length = 1; length <= group.path.length; length++) paths.add(group.path.slice(0, length).join("/"));
  }
  return paths;
}
