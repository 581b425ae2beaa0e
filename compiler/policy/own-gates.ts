/** Gates of an extension that bear the name of a gate of the library: who reads the answer cannot tell which one denied. */

import type { DecisionKind } from "@portcullis/runtime/abi";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Module, Term } from "../rego/index.ts";
import { answersOf } from "./answers.ts";
import { extendedDecision } from "./authored-facts.ts";
import { report } from "./codes.ts";

/** The decisions that answer with a decision's denials as they are. */
const HANDED_TO: { readonly [decision in DecisionKind]?: readonly DecisionKind[] } = { tool: ["call"] };

export function checkOwnGates(modules: readonly Module[], isAuthored: (module: Module) => boolean): Diagnostic[] {
  return modules.filter(isAuthored).flatMap((module) => {
    const kind = extendedDecision(module);
    if (kind === undefined) return [];
    const gates = module.rules.flatMap(({ head }) => gateOf(head.key) ?? []);
    return gates.flatMap((gate) => {
      const decision = [kind, ...(HANDED_TO[kind] ?? [])].find((d) => libraryGates(modules, d).has(gate.value));
      if (decision === undefined) return [];
      return [report("pipeline/gate-of-the-library", { gate: gate.value, decision }, gate.span)];
    });
  });
}

/** The text of a denial's gate. */
function gateOf(key: Term | undefined): Extract<Term, { kind: "String" }> | undefined {
  if (key?.kind !== "Object") return undefined;
  const gate = key.entries.find(([name]) => name.kind === "String" && name.value === "gate")?.[1];
  return gate?.kind === "String" ? gate : undefined;
}

const known = new WeakMap<Module, ReadonlySet<string>>();

/** The gates that a decision denies at. */
function libraryGates(modules: readonly Module[], decision: DecisionKind): ReadonlySet<string> {
  const module = modules.find(({ package: { path } }) => {
    const [first, second, ...rest] = path.args;
    return (
      first?.kind === "String" &&
      first.value === "portcullis" &&
      second?.kind === "String" &&
      second.value === decision &&
      rest.length === 0
    );
  });
  if (module === undefined) return new Set();
  const found = known.get(module) ?? new Set(answersOf(module, "verdict").flatMap((a) => (a.allowed ? [] : a.gate)));
  known.set(module, found);
  return found;
}
