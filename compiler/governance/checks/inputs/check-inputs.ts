/**
 * Authors' rules against what the model knows: members of the input that no request has, and texts that are compared with
 * ids but are not ids. Such a rule never fires, and a `deny` that never fires keeps nothing out.
 */

import type { CheckedPolicy } from "@portcullis/rego/analyze";
import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import type { Rule } from "@portcullis/rego/syntax";
import type { DecisionKind } from "@portcullis/runtime/abi";
import { argumentSchemas } from "./argument-schemas.ts";
import type { KnownInput } from "./body-kinds.ts";
import { checkOrders } from "./check-orders.ts";
import { checkShapes } from "./check-shapes.ts";
import { Constants } from "./constants.ts";
import { type Locals, localsOf } from "./flow.ts";
import { type Found, findInput, type InputPath } from "./input-schema.ts";
import { Restater } from "./restate.ts";
import { type KnownInputs, RuleChecker } from "./rule-inputs.ts";
import { reachedRules, seenInputs } from "./seen-inputs.ts";

/** `faults`: places with a finding already, of which nothing follows. */
export function checkInputs(
  policy: CheckedPolicy,
  isAuthored: (rule: Rule) => boolean,
  known: KnownInputs,
  faults: readonly Span[],
): Diagnostic[] {
  const seen = seenInputs(policy, isAuthored);
  const locals = localsOf(policy, [...seen.keys()]);
  const constants = new Constants(policy, known);
  const described = describedPackages(policy);
  const found = [...seen].flatMap(([rule, kinds]) => {
    const find = (path: InputPath): readonly Found[] =>
      kinds.map(
        (kind) => agentOfRecord(kind, path, known) ?? findInput(known.schemas.get(kind), path, known.vocabularies),
      );
    const checker = new RuleChecker(policy, constants, locals.get(rule) as Locals, find, known);
    return checker.check(rule, !described.has(rule.span.file.name), [...kinds]);
  });
  const inputs = (rule: Rule): KnownInput[] => (seen.get(rule) ?? []).map((kind) => inputOf(kind, known));
  const reached = reachedRules(policy, isAuthored);
  const facts = { ...known, faults, restater: new Restater(policy, known.schemas) };
  const shapes = checkShapes(policy, reached, inputs, known);
  return [
    ...found,
    // What is said of a part of a condition is said of it.
    ...shapes.filter(({ span }) => !found.some((other) => isWithin(span, other.span))),
    // A member that no request has is said to be that, and not that its type is not known.
    ...checkOrders(policy, reached, inputs, facts).filter(
      ({ span }) =>
        ![...found, ...shapes].some((other) => other.code === "pipeline/unknown-input" && isWithin(span, other.span)),
    ),
  ];
}

/** What is known of a decision's input. Of the call decision, a gate has looked at the arguments before authors' rules are asked. */
export function inputOf(kind: DecisionKind, { schemas, data }: KnownInputs): KnownInput {
  return { schema: schemas.get(kind), ...(kind === "call" ? { argumentsOf: argumentSchemas(data) } : {}) };
}

/** Who hands over in a record, where `handoff.yaml` names who may. Schemas leave a record open: it may have any members besides. */
function agentOfRecord(kind: string, [record, member, ...rest]: InputPath, known: KnownInputs): Found | undefined {
  const vocabulary = known.vocabularies.get("handoff_agents");
  const isAgent = kind === "handoff" && record === "record" && (member === "from_agent" || member === "to_agent");
  return isAgent && rest.length === 0 && vocabulary !== undefined ? { kind: "Texts", vocabulary } : undefined;
}

function isWithin(whole: Span | undefined, part: Span | undefined): boolean {
  if (whole === undefined || part === undefined || whole.file !== part.file) return false;
  return whole.start <= part.start && part.end <= whole.end;
}

/** Files in which a `schemas` annotation says what the input is: there the type checker has looked. */
function describedPackages(policy: CheckedPolicy): Set<string> {
  const files = policy.modules.filter((m) =>
    m.annotations.some((a) => a.annotation.schemas.some((s) => s.path[0] === "input")),
  );
  return new Set(files.map((m) => m.span.file.name));
}
