import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { interpret, PolicyError } from "../interpreter/interpreter.ts";
import { parseJson } from "../interpreter/term.ts";
import { Obj, print, toJson } from "../interpreter/value.ts";
import { compile } from "./compile.ts";
import { type Program, programs } from "./programs.ts";

const json = (value: unknown): string => print(parseJson(JSON.stringify(value)));

function run(program: Program): string {
  const { policy, diagnostics } = compile(program.modules, { entrypoints: ["t"] });
  expect(diagnostics.map((d) => `${d.code} ${d.message}`)).toEqual([]);
  if (policy === undefined) return "no policy";
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

const opa = [process.env["OPA"], "/usr/local/bin/opa", "/root/go/bin/opa"].find(
  (p) => p !== undefined && existsSync(p),
);

function ask(program: Program, folder: string): string {
  const args = ["eval", "--format", "json"];
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  program.modules.forEach((m, i) => {
    args.push("-d", file(`m${i}.rego`, m));
  });
  if (program.data !== undefined) args.push("-d", file("data.json", JSON.stringify(program.data)));
  if (program.input !== undefined) args.push("-i", file("input.json", JSON.stringify(program.input)));
  let text: string;
  try {
    text = execFileSync(opa as string, [...args, "data.t"], { encoding: "utf8", stdio: "pipe" });
  } catch (e) {
    text = (e as { stdout: string }).stdout;
  }
  const answer = JSON.parse(text) as {
    errors?: { code: string; message: string }[];
    result?: [{ expressions: [{ value: unknown }] }];
  };
  if (answer.errors)
    return answer.errors.some((e) => e.code === "eval_conflict_error") ? '"conflict"' : JSON.stringify(answer.errors);
  return json(answer.result?.[0].expressions[0].value);
}

describe.skipIf(opa === undefined)("OPA's opinion", () => {
  it.each(programs.filter((p) => p.newerThanOpa !== true).map((p) => [p.name, p] as const))("%s", (_, program) => {
    const folder = mkdtempSync(join(tmpdir(), "programs-"));
    try {
      expect(ask(program, folder)).toBe(json(program.want));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
