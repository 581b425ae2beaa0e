/** Which rules the outside may ask for: those that are annotated, and those that the caller names. */

import type { Diagnostic } from "../diagnostics/index.ts";
import type { CheckedPolicy } from "./checked.ts";
import { analyzeDiagnostic } from "./codes.ts";

export interface ChosenEntrypoints {
  /** `pkg/rule`, sorted and unique; the planner reports those that do not exist. */
  readonly entrypoints: readonly string[];
  /** `pkg/rule/key`, sorted and unique: members of a rule's value, which only a query asks for. */
  readonly members: readonly string[];
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
  const rules = new Set(policy.groups.filter((g) => g.kind !== "function").map((g) => g.path.join("/")));
  const isMember = (name: string): boolean => !documents.has(name) && isBelow(name, rules);
  const exists = (name: string): boolean => documents.has(name) || isMember(name);
  const named = [...required.map(asPath), ...ensured.map(asPath).filter(exists)];
  const all = [...new Set([...annotated, ...named])].sort();
  const wanted = only === undefined ? all : all.filter((name) => only.includes(name));
  const members = wanted.filter(isMember);
  const entrypoints = wanted.filter((name) => !isMember(name));
  if (wanted.length > 0 || policy.queries.length > 0) return { entrypoints, members, diagnostics: [] };
  const help = "name a rule with `-e pkg/rule`, or annotate one with `# METADATA` and `# entrypoint: true`";
  return { entrypoints, members, diagnostics: [analyzeDiagnostic("pipeline/no-entrypoint", {}, undefined, { help })] };
}

/** `data.app.allow`, which Rego authors write, means `app/allow`. */
function asPath(name: string): string {
  return name.startsWith("data.") ? name.slice("data.".length).replaceAll(".", "/") : name;
}

/** Whether a path begins with one of these, and goes on. */
function isBelow(name: string, paths: ReadonlySet<string>): boolean {
  for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1))
    if (paths.has(name.slice(0, end))) return true;
  return false;
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
