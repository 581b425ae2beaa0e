/** OPA's interpreter as an oracle for builtins, where an `opa` is installed. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** A set among arguments, which JSON cannot say. At most sets of sets at the top of an argument. */
export interface SetOf {
  readonly $set: readonly Argument[];
}
export type Argument =
  | null
  | boolean
  | number
  | string
  | SetOf
  | readonly Argument[]
  | { readonly [key: string]: Argument }
  | NumberText;

/** A number whose text matters. */
export class NumberText {
  constructor(readonly text: string) {}
}

export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
}

function findOpa(): string | undefined {
  for (const path of ["opa", join(homedir(), "go/bin/opa")]) {
    try {
      execFileSync(path, ["version"], { stdio: "ignore" });
      return path;
    } catch {
      // Not there: try the next.
    }
  }
  return undefined;
}

const opa = findOpa();
export const opaInstalled = opa !== undefined;

/** Names that are written as operators, since OPA has no function syntax for them. */
const OPERATORS: Readonly<Record<string, string>> = { "internal.member_2": "in", "internal.member_3": "in" };

function isSetOf(a: Argument): a is SetOf {
  return typeof a === "object" && a !== null && "$set" in a;
}

/** The argument as value text: what Rtlib.parse reads. */
export function valueText(a: Argument): string {
  if (a instanceof NumberText) return a.text;
  if (a === null || typeof a !== "object") return JSON.stringify(a);
  if (isSetOf(a)) return a.$set.length === 0 ? "set()" : `{${a.$set.map(valueText).join(",")}}`;
  if (Array.isArray(a)) return `[${(a as readonly Argument[]).map(valueText).join(",")}]`;
  return `{${Object.entries(a as { [key: string]: Argument })
    .map(([k, v]) => `${JSON.stringify(k)}:${valueText(v)}`)
    .join(",")}}`;
}

/** The same with sets as {"$set": [..]}. */
function inputText(a: Argument): string {
  if (a instanceof NumberText) return a.text;
  if (a === null || typeof a !== "object") return JSON.stringify(a);
  if (Array.isArray(a)) return `[${(a as readonly Argument[]).map(inputText).join(",")}]`;
  return `{${Object.entries(a as { [key: string]: Argument })
    .map(([k, v]) => `${JSON.stringify(k)}:${inputText(v)}`)
    .join(",")}}`;
}

const PRELUDE = `package t
set1(x) := {e | some e in x["$set"]} if x["$set"]
else := x
set2(x) := {set1(e) | some e in x["$set"]} if x["$set"]
else := [set1(e) | some e in x] if is_array(x)
else := {k: set1(e) | some k, e in x} if is_object(x)
else := x
`;

function holdsSet(a: Argument): boolean {
  if (a === null || typeof a !== "object" || a instanceof NumberText) return false;
  return isSetOf(a) || Object.values(a).some(holdsSet);
}

/** Calls that one rule makes: of one builtin with as many arguments, with or without sets. */
function shapeOf({ name, args }: Call): string {
  return `${name}/${args.length}${args.some(holdsSet) ? "/sets" : ""}`;
}

/** JSON text of each result, sets as arrays; undefined where OPA's evaluation is undefined or a builtin error. */
export function callOpa(calls: readonly Call[]): (string | undefined)[] {
  if (opa === undefined) throw new Error("no opa");
  const shapes = new Map<string, string>();
  for (const { name, args } of calls) {
    const shape = shapeOf({ name, args });
    const params = args.map((_, i) => (shape.endsWith("/sets") ? `set2(c.args[${i}])` : `c.args[${i}]`));
    const operator = OPERATORS[name];
    const call =
      operator === undefined
        ? `${name}(${params.join(", ")})`
        : `(${params.slice(0, -1).join(", ")} ${operator} ${params[params.length - 1]})`;
    shapes.set(shape, `out[c.id] := json.marshal([v]) if { some c in input["${shape}"]; v := ${call} }\n`);
  }
  const groups = [...shapes.keys()].map((shape) => {
    const members = calls
      .map((call, id) => ({ call, id }))
      .filter(({ call }) => shapeOf(call) === shape)
      .map(({ call, id }) => `{"id":"${id}","args":[${call.args.map(inputText).join(",")}]}`);
    return `${JSON.stringify(shape)}:[${members.join(",")}]`;
  });
  const dir = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
  try {
    writeFileSync(join(dir, "t.rego"), PRELUDE + [...shapes.values()].join(""));
    writeFileSync(join(dir, "input.json"), `{${groups.join(",")}}`);
    const args = ["eval", "-f", "json", "-d", join(dir, "t.rego"), "-i", join(dir, "input.json"), "data.t.out"];
    const answer = JSON.parse(execFileSync(opa, args, { maxBuffer: 1 << 30, timeout: 1_200_000 }).toString("utf8")) as {
      result?: [{ expressions: [{ value: Record<string, string> }] }];
    };
    const out = answer.result?.[0].expressions[0].value ?? {};
    return calls.map((_, id) => {
      const text = out[String(id)];
      return text === undefined ? undefined : unescapeHtml(text).slice(1, -1);
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** json.marshal escapes some characters for the sake of HTML, and those that stand for bytes that are not UTF-8. */
function unescapeHtml(text: string): string {
  return text.replace(/\\(?:\\|u(003c|003e|0026|2028|2029|fffd))/g, (written, code: string | undefined) =>
    code === undefined ? written : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
