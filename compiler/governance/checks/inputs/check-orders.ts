/** Comparisons by order with values other than numbers: Rego orders all values, so these hold or fail for another reason. */

import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import type { Call, Rule, Term } from "@portcullis/rego/syntax";
import { report } from "../codes.ts";
import { memberOf, textOf } from "./check-conditions.ts";
import type { WrittenData } from "./constants.ts";
import { callsOf, dataPath, originsOf } from "./flow.ts";

const ORDERS: ReadonlySet<string> = new Set(["lt", "lte", "gt", "gte"]);
/** A number as people write it, which is a text. */
const DIGITS = /^[-+]?\d+(?:[_,']\d{3})*(?:\.\d+)?$/;

/** Members of `scope` and `args`, whose types are unchecked, that are ordered without a type test; and texts of digits. */
export function checkOrders(rules: readonly Rule[], data: WrittenData): Diagnostic[] {
  const told = new Set<string>();
  const orders: { readonly path: string; readonly call: Call }[] = [];
  const texts: Diagnostic[] = [];
  for (const rule of rules) {
    const origins = originsOf(rule);
    const origin = (term: Term): Term => (term.kind === "Var" ? origins.get(term.name) : undefined) ?? term;
    for (const call of callsOf(rule)) {
      const name = call.operator.kind === "Var" ? call.operator.name : "";
      const paths = call.args.flatMap((arg) => memberOf(origin(arg)) ?? []);
      if (name === "is_number" || name === "type_name") for (const path of paths) told.add(path);
      if (!ORDERS.has(name)) continue;
      const digits = call.args.flatMap((arg) => digitsOf(origin(arg), data) ?? []);
      texts.push(...digits.map((text) => orderOfText(call, text)));
      if (digits.length > 0) continue;
      for (const path of paths) if (/^input\.(?:scope|args)\./.test(path)) orders.push({ path, call });
    }
  }
  const members = orders.flatMap(({ path, call }) => {
    if (told.has(path)) return [];
    const params = { path, condition: textOf(call.span) };
    const help = `where it must hold, write \`is_number(${path})\` beside it; where it denies, deny \`not is_number(${path})\` too`;
    return [report("pipeline/order-of-any", params, call.span, { help })];
  });
  return [...texts, ...members];
}

interface Digits {
  readonly value: string;
  readonly span: Span;
}

/** A constant, or a text of the bundle's data, that looks like a number. */
function digitsOf(term: Term, { data, places }: WrittenData): Digits | undefined {
  if (term.kind === "String") return DIGITS.test(term.value) ? { value: term.value, span: term.span } : undefined;
  const path = dataPath(term);
  if (path === undefined || term.kind !== "Ref" || path.length < term.args.length) return undefined;
  const value = data(path);
  if (value?.kind !== "string" || !DIGITS.test(value.value)) return undefined;
  return { value: value.value, span: places(path.slice(0, -1), false).get(value.value) ?? term.span };
}

function orderOfText(call: Call, { value, span }: Digits): Diagnostic {
  const params = { condition: textOf(call.span), text: JSON.stringify(value) };
  const isElsewhere = span.file !== call.span.file;
  return report("pipeline/order-of-text", params, span, {
    help: `write the number: \`${value.replace(/[_,'+]/g, "")}\``,
    ...(isElsewhere ? { related: [{ message: "compared here", span: call.span }] } : {}),
  });
}
