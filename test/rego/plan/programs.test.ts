import { describe, expect, it } from "vitest";
import { writePlanJson } from "../../../compiler/rego/plan/json.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { interpret, PolicyError } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { Obj, print, toJson } from "../../interpreter/value.ts";
import { compile } from "./compile.ts";
import { askOpa, hasOpa } from "./opa.ts";
import { type Program, programs } from "./programs/index.ts";
import { readPlanJson } from "./read-json.ts";

const json = (value: unknown): string => print(parseJson(JSON.stringify(value)));

function run(program: Program): string {
  const { policy, diagnostics } = compile(program.modules, { entrypoints: ["t"] });
  expect(diagnostics.map((d) => `${d.code} ${d.message}`)).toEqual([]);
  if (policy === undefined) return "no policy";
  // What plan JSON says is the same policy.
  const again = readPlanJson(JSON.parse(JSON.stringify(writePlanJson(policy))));
  expect(policyToText(again)).toBe(policyToText(policy));
  const input = program.input === undefined ? undefined : parseJson(JSON.stringify(program.input));
  const data = parseJson(JSON.stringify(program.data ?? {}));
  try {
    const [result] = interpret(policy, "t", { input, data, strict: true, budget: 1_000_000 }).items();
    return result instanceof Obj ? print(toJson(result.get("result") ?? null)) : "undefined";
  } catch (e) {
    if (e instanceof PolicyError) return '"conflict"';
    throw e;
  }
}

describe("small programs", () => {
  it.each(programs.map((p) => [p.name, p] as const))("%s", (_, program) => {
    expect(run(program)).toBe(json(program.want));
  });
});

describe.skipIf(!hasOpa)("OPA's opinion", () => {
  it.each(programs.filter((p) => p.newerThanOpa !== true).map((p) => [p.name, p] as const))("%s", (_, program) => {
    const answer = askOpa("data.t", program);
    const isConflict = "errors" in answer && answer.errors.some((e) => e.code === "eval_conflict_error");
    const text = "errors" in answer ? JSON.stringify(answer.errors) : print(answer.value ?? null);
    expect(isConflict ? '"conflict"' : text).toBe(json(program.want));
  });
});
