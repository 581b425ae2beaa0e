/** Runs a conformance case's expectation against an outcome: what OPA's own runner compares. */

import type { Policy } from "../../compiler/rego/plan/ir.ts";
import type { Case } from "../rego/plan/cases.ts";
import { MissingBuiltin } from "./builtins/error.ts";
import { interpret, type Options, PolicyError } from "./interpreter.ts";
import { Num } from "./number.ts";
import { parseTerm } from "./term.ts";
import { Arr, compare, Obj, print, toJson, type Val } from "./value.ts";

export type Outcome =
  | { readonly kind: "pass" }
  | { readonly kind: "fail"; readonly message: string }
  | { readonly kind: "missing"; readonly builtin: string };

/** Runs a policy for a case and judges the result. `exact` is the case, read with exact numbers. */
export function runCase(c: Case, exact: Val, policy: Policy, options: Partial<Options> = {}): Outcome {
  const field = (name: string): Val | undefined => (exact as Obj).get(name);
  const input = c.input_term !== undefined ? parseTerm(c.input_term) : field("input");
  const data = field("data") ?? new Obj();
  let found: Val;
  try {
    found = new Arr(
      interpret(policy, undefined, { input, data, budget: 5_000_000, ...options })
        .items()
        .map(toJson),
    );
  } catch (e) {
    if (e instanceof MissingBuiltin) return { kind: "missing", builtin: e.message };
    if (e instanceof PolicyError) return judge(c.want_error_code === e.code, `error ${e.code}: ${e.message}`, c);
    return { kind: "fail", message: String(e) };
  }
  const want = field("want_result");
  if (want === undefined)
    return judge(c.strict_error === true && (found as Arr).items.length === 0, print(found, " "), c);
  const [a, b] = [normal(rounded(found), c), normal(rounded(want), c)];
  return judge(compare(a, b) === 0, `${print(a, " ")}, not ${print(b, " ")}`, c);
}

function judge(ok: boolean, message: string, c: Case): Outcome {
  return ok
    ? { kind: "pass" }
    : { kind: "fail", message: `${message}${c.want_error_code ? ` (wants ${c.want_error_code})` : ""}` };
}

/** The cases were written through doubles: large integers of `want_result` are not exact. */
function rounded(v: Val): Val {
  if (v instanceof Num)
    return v.e >= 0 && Math.abs(Number(v.int)) > Number.MAX_SAFE_INTEGER ? Num.of(BigInt(Number(v.int))) : v;
  if (v instanceof Arr) return new Arr(v.items.map(rounded));
  return v instanceof Obj ? Obj.of(v.entries().map(([k, x]) => [k, rounded(x)])) : v;
}

/** A result set has no order; bindings that are lists have none where the case says so. */
function normal(results: Val, c: Case): Val {
  const sorted = (v: Val): Val =>
    c.sort_bindings === true && v instanceof Arr ? new Arr([...v.items].sort(compare)) : v;
  const rows = (results as Arr).items.map((row) =>
    row instanceof Obj ? Obj.of(row.entries().map(([k, v]) => [k, sorted(v)])) : row,
  );
  return new Arr(rows.sort(compare));
}
