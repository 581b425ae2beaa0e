/** What the `deny` rules of an extension answer: an object with a text `gate` and a text `reason`. */

import { isCallOf, type RuleDefinition, type RuleGroup } from "@portcullis/rego/analyze";
import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { builtins, type ObjectTerm, type Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { eachStatement } from "./flow.ts";

const SHAPE = 'write `deny contains {"gate": "MY_GATE", "reason": "my_reason"} if …`';

/** Findings in the definitions of one `deny`. What only an evaluation can tell is left to the library, which denies. */
export function checkDenials(group: RuleGroup): Diagnostic[] {
  return group.definitions.flatMap((definition) => {
    const answer = answerOf(definition);
    if (answer === undefined) return [];
    const problem = answer === "other" ? "is no object with `gate` and `reason`" : problemOf(answer);
    if (problem === undefined) return [];
    return [
      pipelineDiagnostic("pipeline/denial-without-gate", { problem }, definition.rule.head.span, { help: SHAPE }),
    ];
  });
}

/** The object that a rule adds, `other` for what is certainly none, `undefined` where only an evaluation tells. */
function answerOf({ rule, keys }: RuleDefinition): ObjectTerm | "other" | undefined {
  const [key] = keys;
  if (key === undefined) return undefined;
  const given = kindOf(key);
  if (given !== undefined || key.kind !== "Var") return given;
  let found: ObjectTerm | "other" | undefined;
  eachStatement(rule, ({ body }) => {
    if (!isCallOf(body, "eq")) return;
    const [a, b] = body.args as readonly [Term, Term];
    if (a.kind === "Var" && a.name === key.name) found ??= kindOf(b);
    else if (b.kind === "Var" && b.name === key.name) found ??= kindOf(a);
  });
  return found;
}

function kindOf(term: Term): ObjectTerm | "other" | undefined {
  if (term.kind === "Object") return term;
  if (term.kind === "Call" && term.operator.kind === "Var") {
    const result = builtins().get(term.operator.name)?.result;
    return result?.kind === "string" || result?.kind === "number" || result?.kind === "boolean" ? "other" : undefined;
  }
  const isUnknown = term.kind === "Var" || term.kind === "Ref" || term.kind === "Call" || term.kind === "Constant";
  return isUnknown ? undefined : "other";
}

function problemOf({ entries }: ObjectTerm): string | undefined {
  if (entries.some(([k]) => k.kind !== "String")) return undefined;
  for (const name of ["gate", "reason"]) {
    const value = entries.find(([k]) => k.kind === "String" && k.value === name)?.[1];
    if (value === undefined) return `has no \`${name}\``;
    if (value.kind === "String" && value.value.trim() === "") return `has a blank \`${name}\``;
    if (value.kind === "String" && value.value.trim() !== value.value) return `has a \`${name}\` with blanks around it`;
    if (["Number", "Boolean", "Null", "Array", "Object", "Set"].includes(value.kind))
      return `has a \`${name}\` that is not a text`;
    if (name === "gate" && value.kind === "String" && value.value === "ALLOW")
      return "has the gate `ALLOW`, which means that no gate failed";
  }
  return undefined;
}
