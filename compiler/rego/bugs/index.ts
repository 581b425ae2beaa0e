/** Finds what a policy says and cannot mean. Every finding is a warning, and can be silenced with a comment of Regal's. */

import type { CheckedPolicy } from "../analyze/index.ts";
import type { Diagnostic, SourceFile } from "../diagnostics/index.ts";
import type { Value } from "../value/index.ts";
import { checkArguments } from "./arguments.ts";
import { checkConditions } from "./conditions.ts";
import { type Defined, type Looked, type LookedModule, pathKey } from "./found.ts";
import { isIgnored } from "./ignored.ts";
import { checkLoops } from "./loops.ts";
import { checkMetadata } from "./metadata.ts";
import { checkNames } from "./names.ts";
import { checkRules } from "./rules.ts";
import { checkTexts } from "./texts.ts";

export { codes } from "./codes.ts";

const CHECKS: readonly ((looked: Looked) => Iterable<Diagnostic>)[] = [
  checkConditions,
  checkLoops,
  checkRules,
  checkArguments,
  checkNames,
  checkTexts,
  checkMetadata,
];

/** The findings on the modules of the files that are wanted. `data`: what is compiled in at a path below `data`. */
export function findBugs(
  policy: CheckedPolicy,
  isWanted: (file: SourceFile) => boolean,
  data: (path: readonly string[]) => Value | undefined,
): Diagnostic[] {
  const modules = policy.modules.filter(({ span }) => isWanted(span.file));
  const rules = rulesByFile(policy);
  const looked: Looked = {
    ...{ policy, isWanted, data, partial: partialDocuments(policy) },
    modules: modules.map((module): LookedModule => ({ module, rules: rules.get(module.span.file) ?? [] })),
  };
  const ignored = isIgnored(modules);
  return CHECKS.flatMap((check) => [...check(looked)]).filter((found) => !ignored(found));
}

function rulesByFile({ groups }: CheckedPolicy): ReadonlyMap<SourceFile, readonly Defined[]> {
  const found = new Map<SourceFile, Defined[]>();
  const add = (defined: Defined): void => {
    const { file } = defined.rule.span;
    const known = found.get(file);
    if (known === undefined) found.set(file, [defined]);
    else known.push(defined);
  };
  for (const group of groups) {
    for (const definition of group.definitions) add({ rule: definition.rule, group, definition });
    if (group.defaultRule !== undefined) add({ rule: group.defaultRule, group, definition: undefined });
  }
  return found;
}

function partialDocuments({ groups }: CheckedPolicy): ReadonlyMap<string, "set" | "object"> {
  return new Map(
    groups.flatMap(({ path, kind }) =>
      kind === "partial-set" || kind === "partial-object"
        ? [[pathKey(path), kind === "partial-set" ? "set" : "object"] as const]
        : [],
    ),
  );
}
