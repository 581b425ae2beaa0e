/** Definitions that add nothing to the others. */

import { type Diagnostic, type Span, span } from "../diagnostics/index.ts";
import { isConstant, type Module, type Rule, termKey } from "../syntax/index.ts";
import { bugDiagnostic } from "./codes.ts";
import { branchesOf, type Defined, type Looked, nameOf, shownText } from "./found.ts";

export function* checkRules(looked: Looked): Iterable<Diagnostic> {
  for (const { module, rules } of looked.modules) {
    yield* duplicates(module);
    yield* defaults(rules);
    yield* unconditional(rules);
  }
}

function* duplicates({ rules, annotations }: Module): Iterable<Diagnostic> {
  // What annotations say is part of the rule: `rego.metadata.rule()` reads it.
  const said = new Map<Rule | undefined, string>();
  for (const {
    text,
    annotation: { target },
  } of annotations) {
    const rule = target.kind === "Rule" ? rules[target.index] : undefined;
    said.set(rule, `${said.get(rule) ?? ""}\n${text}`);
  }
  for (const alike of grouped(rules, (rule) => `${nameOf(rule)} ${rule.body.length}`)) {
    if (alike.length < 2) continue;
    for (const [first, ...others] of grouped(alike, (rule) => `${said.get(rule) ?? ""} ${writtenKey(rule)}`)) {
      if (first === undefined || others.length === 0) continue;
      const times = others.length === 1 ? "twice" : `${others.length + 1} times`;
      yield bugDiagnostic("bugs/duplicate-rule", { name: nameOf(first), times }, first.span, {
        related: others.map((rule) => ({ message: "again here", span: rule.span })),
        fixes: [
          {
            kind: "rewrite",
            title: others.length === 1 ? "Remove the second one" : "Remove the others",
            edits: others.map((rule) => ({ at: wholeLines(rule.span), text: "" })),
          },
        ],
      });
    }
  }
}

function grouped(rules: readonly Rule[], key: (rule: Rule) => string): Rule[][] {
  const found = new Map<string, Rule[]>();
  for (const rule of rules) {
    const id = key(rule);
    const known = found.get(id);
    if (known === undefined) found.set(id, [rule]);
    else known.push(rule);
  }
  return [...found.values()];
}

/** Places, and how a text is quoted, say nothing of what a rule means. */
const NOTATION: ReadonlySet<string> = new Set(["span", "raw", "braces", "leftBraces", "rightBraces"]);

function writtenKey(rule: Rule): string {
  return JSON.stringify(rule, (key, value: unknown) => (NOTATION.has(key) ? undefined : value));
}

/** With the end of its last line, where nothing else is in it. */
function wholeLines({ file, start, end }: Span): Span {
  return file.text[end] === "\n" && (start === 0 || file.text[start - 1] === "\n")
    ? span(file, start, end + 1)
    : span(file, start, end);
}

function* defaults(rules: readonly Defined[]): Iterable<Diagnostic> {
  for (const { rule, group, definition } of rules) {
    const value = group.defaultRule?.head.value;
    if (definition === undefined || value === undefined || rule.else !== undefined || !isConstant(value)) continue;
    const own = rule.head.value;
    if (own === undefined || !isConstant(own) || termKey(own) !== termKey(value)) continue;
    const params = { name: nameOf(rule), value: shownText(value.span) };
    yield bugDiagnostic("bugs/rule-assigns-default", params, rule.head.span, {
      related: [{ message: "the default stands here", span: group.defaultRule?.span as Span }],
    });
  }
}

/** Definitions beside one that always gives a value, and defaults behind one. */
function* unconditional(rules: readonly Defined[]): Iterable<Diagnostic> {
  for (const { rule, group, definition } of rules) {
    if (group.kind !== "complete" && group.kind !== "function") continue;
    const others = group.definitions.map((other) => other.rule);
    if (definition === undefined) {
      const total = others.find(alwaysHolds);
      if (total === undefined) continue;
      const related = [{ message: "this one always gives a value", span: total.span }];
      yield bugDiagnostic("bugs/impossible-default", { name: nameOf(rule) }, rule.head.span, { related });
    } else if (rule.else === undefined && alwaysHolds(rule)) {
      const conditional = others.filter((other) => other !== rule && !alwaysHolds(other));
      if (conditional.length === 0) continue;
      const related = conditional.map((other) => ({ message: "this one has a condition", span: other.span }));
      yield bugDiagnostic("bugs/unconditional-with-conditions", { name: nameOf(rule) }, rule.head.span, { related });
    }
  }
}

/** Whether a definition has a value for every input and every argument: one of its branches has nothing that could fail. */
function alwaysHolds(rule: Rule): boolean {
  const names = (rule.head.args ?? []).map((arg) => (arg.kind === "Var" ? arg.name : undefined));
  if (names.includes(undefined) || new Set(names).size < names.length) return false;
  return branchesOf(rule).some(({ body }) => body.every((expr) => expr.body.kind === "Boolean" && expr.body.value));
}
