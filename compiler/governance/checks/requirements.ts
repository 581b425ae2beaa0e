/** What `must` rules demand: gates whose names are written out, none of them the decision's own, each with one reason. */

import type { RuleGroup } from "@portcullis/rego/analyze";
import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import type { Module } from "@portcullis/rego/syntax";
import type { DecisionKind } from "@portcullis/runtime/abi";
import { isGateName, type RequiringRule, requiringRules } from "../model/index.ts";
import { pipelineDiagnostic } from "./codes.ts";
import { libraryGates } from "./own-answers.ts";

const SHAPE = 'write `must contains "MY_GATE" if …`';
/** What an answer has for its gate where none of the library's denied. */
const WORDS: readonly string[] = ["ALLOW", "EXTENSION", "INTERNAL_ERROR"];

/** Findings in the definitions of one `must`. INVARIANT: without a finding, each of them is among `requiredGates`. */
export function checkRequirements(modules: readonly Module[], { definitions }: RuleGroup): Diagnostic[] {
  const rules = new Set(definitions.map(({ rule }) => spanName(rule.span)));
  const written = modules.flatMap(requiringRules).filter(({ rule }) => rules.has(spanName(rule.span)));
  const known = new Set(written.map(({ rule }) => spanName(rule.span)));
  const unread = definitions.filter(({ rule }) => !known.has(spanName(rule.span)));
  return [
    ...unread.map(({ rule }) => unnamed("is no text that is written out", rule.head.span)),
    ...written.flatMap((rule) => nameFinding(modules, rule) ?? []),
    ...reasonFindings(written),
  ];
}

function spanName({ file, start }: Span): string {
  return `${file.name} ${start}`;
}

function unnamed(problem: string, at: Span): Diagnostic {
  return pipelineDiagnostic("pipeline/must-name", { problem }, at, { help: SHAPE });
}

function nameFinding(modules: readonly Module[], { decision, gate, rule }: RequiringRule): Diagnostic | undefined {
  const at = rule.head.key?.span ?? rule.head.span;
  if (gate === undefined) return unnamed("is no text that is written out", at);
  if (!isGateName(gate)) return unnamed(`is ${JSON.stringify(gate)}, not capital letters, digits and \`_\``, at);
  return isTaken(modules, decision, gate)
    ? pipelineDiagnostic("pipeline/must-of-the-library", { decision, gate }, at)
    : undefined;
}

function isTaken(modules: readonly Module[], decision: DecisionKind, gate: string): boolean {
  return WORDS.includes(gate) || libraryGates(modules, decision).has(gate);
}

/** By gate, the first reason that is malformed or differs from the one before it. */
function reasonFindings(rules: readonly RequiringRule[]): Diagnostic[] {
  const first = new Map<string, { readonly text: string; readonly span: Span }>();
  const found = new Map<string, Diagnostic>();
  for (const { gate, reasons } of rules) {
    for (const { value, span } of gate === undefined ? [] : reasons) {
      const text = value.kind === "string" ? value.value : undefined;
      const before = first.get(gate as string);
      if (found.has(gate as string) || (before !== undefined && before.text === text)) continue;
      const problem = problemOf(text, before?.text);
      const related = before === undefined ? [] : [{ message: "it has another reason here", span: before.span }];
      if (problem !== undefined)
        found.set(
          gate as string,
          pipelineDiagnostic("pipeline/must-reason", { gate: gate as string, problem }, span, { related }),
        );
      else first.set(gate as string, { text: text as string, span });
    }
  }
  return [...found.values()];
}

function problemOf(text: string | undefined, before: string | undefined): string | undefined {
  if (text === undefined) return "is no text";
  if (text.trim() === "") return "is blank";
  if (text.trim() !== text) return "has blanks around it";
  return before === undefined ? undefined : `is \`${text}\`, and \`${before}\``;
}
