/** Which definitions are those of tests, and what keys they have below the name of their test. */

import type { RuleDefinition, RuleGroup } from "../analyze/index.ts";
import { isScalar, type Scalar, scalarValue, type Term } from "../syntax/index.ts";
import { valueText } from "../value/index.ts";

/** `undefined` for a definition that is of no test. */
export type BelowTests = (group: RuleGroup, definition: RuleDefinition) => readonly Term[] | undefined;

/** `tests`: paths below `data`. */
export function belowTests(tests: readonly (readonly Scalar[])[]): BelowTests {
  const paths = new Set(tests.map(pathKey));
  return ({ path, kind }, { rule, keys }) => {
    if (kind === "function") return undefined;
    const { span } = rule;
    const all = [...path.map((value): Term => ({ kind: "String", span, value, raw: false })), ...keys];
    const computed = all.findIndex((term) => !isScalar(term));
    const known = (computed < 0 ? all : all.slice(0, computed)).filter(isScalar);
    const depth = known.findIndex((_, i) => paths.has(pathKey(known.slice(0, i + 1)))) + 1;
    return depth === 0 ? undefined : all.slice(depth);
  };
}

function pathKey(path: readonly Scalar[]): string {
  return path.map((part) => valueText(scalarValue(part))).join("\0");
}
