/** Gates that decision tests expect, held against those that a decision can name: a test of any other can never pass. */

import type { Diagnostic } from "../base/diagnostic.ts";
import { didYouMean } from "../base/suggest.ts";
import { type AuthoredFacts, report } from "../policy/index.ts";
import { children, type Module, type Node } from "../rego/index.ts";
import { entryOf, type SourceDocument, type SourceNode } from "../sources/index.ts";

/** Decisions whose denials a decision hands on. */
const HANDED_ON: { readonly [decision: string]: readonly string[] } = {
  call: ["call", "tool", "lane", "lineage"],
  tool: ["tool", "lane"],
};

/** One finding for each gate that the texts of the library and the author's denials do not hold. */
export function expectedGates(
  tests: readonly SourceDocument[],
  modules: readonly Module[],
  { denials }: AuthoredFacts,
): Diagnostic[] {
  const texts = new Map<string, ReadonlySet<string>>();
  const known = (decision: string): ReadonlySet<string> => {
    const found = texts.get(decision) ?? textsOf(modules, ["extension", ...(HANDED_ON[decision] ?? [decision])]);
    texts.set(decision, found);
    return found;
  };
  return tests.flatMap(({ root }) => {
    const common = textAt(root, "decision");
    return ["cases", "matrices"]
      .flatMap((key) => itemsOf(root, key))
      .flatMap((test) => {
        const decision = textAt(test, "decision") ?? common;
        const gate = entryOf(entryOf(test, "expect")?.value, "gate")?.value;
        if (decision === undefined || gate?.kind !== "String" || known(decision).has(gate.value)) return [];
        const own = [...denials].flatMap(([kind, answers]) =>
          [decision, ...(HANDED_ON[decision] ?? [])].includes(kind) ? answers.map((a) => a.gate) : [],
        );
        // Where only an evaluation tells an author's gate, it may be this one.
        if (own.includes(undefined) || own.includes(gate.value)) return [];
        const names = [...known(decision), ...own].filter((name) => name !== undefined && /^[A-Z_]+$/.test(name));
        return [
          report(
            "pipeline/unknown-gate",
            { decision, gate: gate.value },
            gate.span,
            didYouMean(gate.value, names as string[]),
          ),
        ];
      });
  });
}

function textAt(node: SourceNode, key: string): string | undefined {
  const value = entryOf(node, key)?.value;
  return value?.kind === "String" ? value.value : undefined;
}

function itemsOf(root: SourceNode, key: string): readonly SourceNode[] {
  const list = entryOf(root, key)?.value;
  return list?.kind === "Sequence" ? list.items : [];
}

/** Every text in the decisions' modules. */
function textsOf(modules: readonly Module[], decisions: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === "String") found.add(node.value);
    for (const child of children(node)) visit(child);
  };
  for (const module of modules) {
    const path = module.package.path.args.map((arg) => (arg.kind === "String" ? arg.value : ""));
    if (path.length !== 2 || path[0] !== "portcullis" || !decisions.includes(path[1] as string)) continue;
    for (const rule of module.rules) visit(rule);
  }
  return found;
}
