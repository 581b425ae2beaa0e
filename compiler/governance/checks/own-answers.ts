/** What denials of an extension say: gates named like the library's, which hide who denied, and members that are lost. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { Module, ObjectTerm, Term } from "@portcullis/rego/syntax";
import type { DecisionKind } from "@portcullis/runtime/abi";
import { answersOf } from "./answers.ts";
import { extendedDecision } from "./authored-facts.ts";
import { pipelineDiagnostic } from "./codes.ts";

/** The decisions that answer with a decision's denials as they are. */
const HANDED_TO: { readonly [decision in DecisionKind]?: readonly DecisionKind[] } = { tool: ["call"] };

export function checkAnswers(modules: readonly Module[], isAuthored: (module: Module) => boolean): Diagnostic[] {
  return modules.filter(isAuthored).flatMap((module) => {
    const kind = extendedDecision(module);
    if (kind === undefined) return [];
    const answers = module.rules.flatMap(({ head: { key } }) => (key?.kind === "Object" ? key : []));
    const gates = answers.flatMap((answer) => {
      const gate = memberOf(answer, "gate");
      return gate?.kind === "String" ? gate : [];
    });
    const taken = gates.flatMap((gate) => {
      const decision = [kind, ...(HANDED_TO[kind] ?? [])].find((d) => libraryGates(modules, d).has(gate.value));
      if (decision === undefined) return [];
      return [pipelineDiagnostic("pipeline/gate-of-the-library", { gate: gate.value, decision }, gate.span)];
    });
    return [...taken, ...answers.flatMap(unheardMembers)];
  });
}

/** What a denial says beside `gate` and `reason`. */
function unheardMembers(answer: ObjectTerm): Diagnostic[] {
  if (memberOf(answer, "gate") === undefined || memberOf(answer, "reason") === undefined) return [];
  return answer.entries.flatMap(([key]) =>
    key.kind !== "String" || key.value === "gate" || key.value === "reason"
      ? []
      : [pipelineDiagnostic("pipeline/unheard-member", { key: key.value }, key.span)],
  );
}

function memberOf({ entries }: ObjectTerm, name: string): Term | undefined {
  return entries.find(([key]) => key.kind === "String" && key.value === name)?.[1];
}

const known = new WeakMap<Module, ReadonlySet<string>>();

/** The gates that a decision denies at, those that it hands on included. */
export function libraryGates(modules: readonly Module[], decision: DecisionKind): ReadonlySet<string> {
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
  const found = known.get(module);
  if (found !== undefined) return found;
  const gates = answersOf(module, modules).flatMap(({ allowed, of, gate }) =>
    of === undefined ? (allowed ? [] : [gate]) : [...libraryGates(modules, of as DecisionKind)],
  );
  known.set(module, new Set(gates));
  return new Set(gates);
}
