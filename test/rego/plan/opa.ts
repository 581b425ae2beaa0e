/** Asks an installed OPA what a document is. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseJson } from "../../interpreter/term.ts";
import type { Arr, Obj, Val } from "../../interpreter/value.ts";

/** Named by `OPA`, or the first on the PATH. */
export const opa = [
  process.env["OPA"],
  ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "opa")),
].find((path) => path !== undefined && existsSync(path));

export const hasOpa = opa !== undefined;

export interface Question {
  readonly modules: readonly string[];
  readonly data?: unknown;
  readonly input?: unknown;
}

export type Answer =
  | { readonly value: Val | undefined; readonly json?: unknown }
  | { readonly errors: readonly OpaError[] };

export interface OpaError {
  readonly code: string;
  readonly message: string;
  /** Number of the module that it is about, where one is named. */
  readonly module?: number;
}

/** The value of the one expression, with every digit of its numbers. */
function exactValue(said: string): Val {
  const member = (value: Val, key: string): Val => (value as Obj).get(key) as Val;
  const [row] = (member(parseJson(said), "result") as Arr).items;
  const [expression] = (member(row as Val, "expressions") as Arr).items;
  return member(expression as Val, "value");
}

/** `query` over modules, data and input. */
export function askOpa(query: string, question: Question, flags: readonly string[] = []): Answer {
  const folder = mkdtempSync(join(tmpdir(), "opa-"));
  const args = ["eval", "--format", "json", ...flags];
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  try {
    question.modules.forEach((m, i) => {
      args.push("-d", file(`m${i}.rego`, m));
    });
    if (question.data !== undefined) args.push("-d", file("data.json", JSON.stringify(question.data)));
    if (question.input !== undefined) args.push("-i", file("input.json", JSON.stringify(question.input)));
    const said = run([...args, "--stdin"], query);
    const answer = JSON.parse(said) as {
      errors?: { code: string; message: string; location?: { file: string } }[];
      result?: [{ expressions: [{ value: unknown }] }];
    };
    if (answer.errors)
      return {
        errors: answer.errors.map(({ code, message, location }) => {
          const [, module] = /m(\d+)\.rego$/.exec(location?.file ?? "") ?? [];
          return { code, message, ...(module === undefined ? {} : { module: Number(module) }) };
        }),
      };
    const value = answer.result?.[0].expressions[0].value;
    return { value: value === undefined ? undefined : exactValue(said), json: value };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(args: readonly string[], input: string): string {
  try {
    return execFileSync(opa as string, args, { encoding: "utf8", stdio: "pipe", maxBuffer: 1 << 28, input });
  } catch (e) {
    return (e as { stdout: string }).stdout;
  }
}
