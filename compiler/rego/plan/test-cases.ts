/**
 * Cases of tests: of `test_x[name] if …`, every value of `name` that the body reaches is a case, and one that the body then
 * fails for is a failed case. So that the runner hears of it, each such body calls `internal.test_case([name])` as early as
 * the names are known. What a test says of itself is not changed by it: the host answers `true`.
 */

import {
  addExprVars,
  addVars,
  type CheckedPolicy,
  eachExprDeep,
  isCallOf,
  isGenerated,
  type RuleDefinition,
} from "../analyze/index.ts";
import type { Body, Expr, Rule, Scalar, Term } from "../syntax/index.ts";
import { belowTests } from "./below-tests.ts";
import { insertedCall } from "./inserted-call.ts";

/** Its argument is the list of a case's names; the host answers `true`. */
export const TEST_CASE = "internal.test_case";

/** `tests`: paths below `data`. */
export function reportTestCases(checked: CheckedPolicy, tests: readonly (readonly Scalar[])[]): CheckedPolicy {
  const below = belowTests(tests);
  const groups = checked.groups.map((group) => ({
    ...group,
    definitions: group.definitions.map((definition) => reporting(definition, below(group, definition) ?? [])),
  }));
  // The brand stays true: the call is a statement that an author could have written.
  return { ...checked, groups } as CheckedPolicy;
}

/** `below`: the keys below the name of the definition's test. */
function reporting(definition: RuleDefinition, below: readonly Term[]): RuleDefinition {
  const names = definition.addsToSet ? below.slice(0, -1) : below;
  if (names.length === 0 || definition.isDefault || callsItself(definition.rule.body)) return definition;
  return { ...definition, rule: withCase(definition.rule, names) };
}

function callsItself(body: Body): boolean {
  let found = false;
  eachExprDeep(body, (expr) => {
    found ||= isCallOf(expr.body, TEST_CASE);
  });
  return found;
}

/**
 * The statements that only name the case are moved up to where all that they read is known, and the call follows them: the
 * author's own statements keep their order.
 */
function withCase(rule: Rule, names: readonly Term[]): Rule {
  const wanted = varsOf(names);
  const naming = new Set<Expr>();
  const body = [...rule.body].reverse();
  for (const expr of body) {
    const name = generatedBy(expr);
    if (name === undefined || !wanted.has(name)) continue;
    naming.add(expr);
    addExprVars(expr, wanted, true);
  }
  const written = rule.body.filter((expr) => !naming.has(expr));
  const first = new Map<string, number>();
  for (const [i, expr] of written.entries()) {
    const vars = new Set<string>();
    addExprVars(expr, vars, true);
    for (const name of vars) if (!first.has(name)) first.set(name, i);
  }
  const last = Math.max(-1, ...[...wanted].map((name) => first.get(name) ?? -1));
  const moved = rule.body.filter((expr) => naming.has(expr));
  const { span } = rule;
  const announced = insertedCall(TEST_CASE, [{ kind: "Array", span, items: names }], span);
  return {
    ...rule,
    body: [...written.slice(0, last + 1), ...moved, announced, ...written.slice(last + 1)],
  };
}

function varsOf(terms: readonly Term[]): Set<string> {
  const vars = new Set<string>();
  for (const term of terms) addVars(term, vars, true);
  return vars;
}

/** The local that rewriting made, of a statement that gives it its value. */
function generatedBy(expr: Expr): string | undefined {
  if (expr.negated || !isCallOf(expr.body, "eq")) return undefined;
  const [target] = expr.body.args;
  return target?.kind === "Var" && isGenerated(target.name) ? target.name : undefined;
}
