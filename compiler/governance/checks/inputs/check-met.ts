/**
 * Requirements that every request meets: a rule of the gate without a condition, or two of which each lets all but a few requests
 * pass, and not the same few. The gate keeps nothing out.
 */

import { type CheckedPolicy, isCallOf, type RuleDefinition, type RuleGroup } from "@portcullis/rego/analyze";
import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import type { Call, Expr, Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { certainPlace, holdsAlways, requiredOf } from "./check-certain.ts";
import { memberOf, shownText } from "./check-conditions.ts";
import { originsOf } from "./flow.ts";
import { textsAmong } from "./kinds.ts";

/** `schema`: of the decision's input. */
export function checkMet(policy: CheckedPolicy, group: RuleGroup, schema: unknown): Diagnostic[] {
  const gates = new Set(group.definitions.flatMap((definition) => gateOf(definition) ?? []));
  return [...gates].flatMap((gate) => {
    const rules = group.definitions.filter((definition) => gateOf(definition) === gate);
    const certain = rules.find(({ rule }) => rule.else === undefined && holdsAlways(policy, rule.body, schema));
    const found = certain === undefined ? allButSome(rules, requiredOf(schema)) : alone(certain);
    if (found === undefined) return [];
    return [pipelineDiagnostic("pipeline/certain-requirement", { gate }, found.span, { help: found.help })];
  });
}

interface Met {
  readonly span: Span;
  readonly help: string;
}

function alone(definition: RuleDefinition): Met {
  const { isWritten, span } = certainPlace(definition);
  const what = isWritten
    ? `\`${shownText(span)}\` always holds: write what has to be true`
    : "write what has to be true behind `if`";
  return { span, help: what };
}

function gateOf({ keys: [key] }: RuleDefinition): string | undefined {
  return key?.kind === "String" ? key.value : undefined;
}

/** `input.tool != "a"` in one rule, `input.tool != "b"` in another. */
function allButSome(rules: readonly RuleDefinition[], required: ReadonlySet<string>): Met | undefined {
  const exceptions = rules.flatMap((rule) => {
    const origins = originsOf(rule.rule);
    const bound = new Set<string>();
    const [only, ...others] = rule.rule.body.filter((expr) => {
      const local = boundBy(expr, required);
      const isCondition = local === undefined || bound.has(local);
      if (local !== undefined) bound.add(local);
      return isCondition;
    });
    const exception = only === undefined || others.length > 0 ? undefined : exceptionOf(only, origins);
    // Where the member is absent, `!=` has no value.
    return exception === undefined || rule.rule.else !== undefined || !required.has(exception.member)
      ? []
      : [{ rule, ...exception }];
  });
  for (const [i, { rule, member, texts, shown }] of exceptions.entries()) {
    const other = exceptions.slice(0, i).find((o) => o.member === member && !o.texts.some((t) => texts.includes(t)));
    if (other === undefined) continue;
    const all = [...other.texts, ...texts].map((text) => JSON.stringify(text)).join(", ");
    const help = `a request for which \`${shown}\` does not hold meets \`${other.shown}\`: write \`not input.${member} in {${all}}\``;
    return { span: rule.rule.head.span, help };
  }
  return undefined;
}

interface Exception {
  readonly member: string;
  readonly texts: readonly string[];
  readonly shown: string;
}

/** The `x` of `x := input.tool`, of a member that every request has: another binding is a condition. */
function boundBy({ body, negated }: Expr, required: ReadonlySet<string>): string | undefined {
  if (negated || !isCallOf(body, "eq")) return undefined;
  const [local, value] = body.args as Call["args"] as readonly [Term, Term];
  return local.kind === "Var" && required.has(nameOf(value) ?? "") ? local.name : undefined;
}

/** The member of the request that a term reads. */
function nameOf(term: Term): string | undefined {
  return memberOf(term)?.slice("input.".length);
}

/** The few values of one member for which a condition does not hold. */
function exceptionOf(
  { body, negated, with: replaced, span }: Expr,
  origins: ReadonlyMap<string, Term>,
): Exception | undefined {
  if (replaced.length > 0 || body.kind !== "Call") return undefined;
  const isIn = negated && isCallOf(body, "internal.member_2");
  const isEqual = negated && (isCallOf(body, "eq") || isCallOf(body, "equal"));
  if (!isIn && !isEqual && (negated || !isCallOf(body, "neq"))) return undefined;
  const [a, b] = body.args as Call["args"] as readonly [Term, Term];
  for (const [term, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const member = nameOf((term.kind === "Var" ? origins.get(term.name) : undefined) ?? term);
    const texts = isIn ? textsAmong(other) : other.kind === "String" ? [other.value] : undefined;
    if (member !== undefined && texts !== undefined) return { member, texts, shown: shownText(span) };
  }
  return undefined;
}
