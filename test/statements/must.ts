/**
 * Requirements as authors write them, each with what it means, stated from `authors-gates.md` by hand: a gate holds where the body
 * of some rule of its name is true, and whatever is absent, of another type or cannot be computed is not true.
 */
import { field, isObject } from "./values.ts";

/** A body of Rego over `input.args.a`, and whether it is true. */
export interface Condition {
  readonly rego: string;
  readonly holds: (args: unknown, role: string) => boolean;
}

export const LIMITS: { readonly [role: string]: number } = { R: 3 };

const a = (args: unknown): unknown => field(args, "a");
const items = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : undefined;
/** Characters of a text are code points. */
const sizeOf = (value: unknown): number | undefined =>
  typeof value === "string" ? [...value].length : items(value)?.length;

/** What a number is read from; `undefined` where the builtin fails. */
function toNumber(value: unknown): number | undefined {
  if (value === null || value === false) return 0;
  if (value === true) return 1;
  if (typeof value === "number") return value;
  return typeof value === "string" && /^[-+]?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

export const CONDITIONS: readonly Condition[] = [
  { rego: "input.args.a == 5", holds: (args) => a(args) === 5 },
  { rego: "input.args.a != 5", holds: (args) => a(args) !== undefined && a(args) !== 5 },
  { rego: "not input.args.a == 5", holds: (args) => a(args) !== 5 },
  { rego: "not input.args.a", holds: (args) => a(args) === undefined || a(args) === false },
  { rego: "input.args", holds: (args) => args !== undefined && args !== false },
  {
    rego: "is_number(input.args.a)\n\tinput.args.a <= 5",
    holds: (args) => typeof a(args) === "number" && (a(args) as number) <= 5,
  },
  {
    rego: "is_number(input.args.a)\n\tinput.args.a >= 0\n\tinput.args.a <= data.desk.limits[input.role]",
    holds: (args, role) => {
      const amount = a(args);
      return typeof amount === "number" && amount >= 0 && amount <= (LIMITS[role] ?? Number.NEGATIVE_INFINITY);
    },
  },
  {
    rego: 'startswith(input.args.a, "ab")',
    holds: (args) => typeof a(args) === "string" && (a(args) as string).startsWith("ab"),
  },
  { rego: 'input.args.a in {"ab", 5, null}', holds: (args) => ["ab", 5, null].includes(a(args) as null) },
  { rego: "to_number(input.args.a) == 5", holds: (args) => toNumber(a(args)) === 5 },
  { rego: "count(input.args.a) == 1", holds: (args) => sizeOf(a(args)) === 1 },
  { rego: "10 / input.args.a == 2", holds: (args) => a(args) === 5 },
  { rego: "input.args.a.b == 1", holds: (args) => field(a(args), "b") === 1 },
  {
    rego: "every x in input.args.a {\n\t\tx == 5\n\t}",
    holds: (args) => items(a(args))?.every((x) => x === 5) === true,
  },
  { rego: "some x in input.args.a\n\tx == 5", holds: (args) => items(a(args))?.includes(5) === true },
  {
    rego: "regex.match(`^[a-z]+$`, input.args.a)",
    holds: (args) => typeof a(args) === "string" && /^[a-z]+$/.test(a(args) as string),
  },
  { rego: "data.desk.half(input.args.a) == 2", holds: (args) => a(args) === 4 },
];

/** Arguments that hold, fail, and miss each of them. */
export const ARGUMENTS: readonly unknown[] = [
  ...[undefined, null, true, false, 0, "text", [], [5], {}, { b: 5 }],
  ...[null, true, false, 0, 1, -1, 3, 4, 4.5, 5, 5.5, 6, -0.5, 1e21, "", "5", " 5", "five", "ab", "abc", "AB", "é"].map(
    (value) => ({ a: value }),
  ),
  ...["aa", [], [5], [5, 5], [5, "5"], [[5]], {}, { b: 1 }, { b: "1" }, { x: 5 }].map((value) => ({ a: value })),
];
