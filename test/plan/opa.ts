/** Asks an installed OPA what a document is. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "../interpreter/term.ts";
import type { Val } from "../interpreter/value.ts";

const opa = [process.env["OPA"], "/usr/local/bin/opa", "/root/go/bin/opa"].find(
  (p) => p !== undefined && existsSync(p),
);

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

/** `query` over modules, data and input. */
export function askOpa(query: string, question: Question): Answer {
  const folder = mkdtempSync(join(tmpdir(), "opa-"));
  const args = ["eval", "--format", "json"];
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
    const answer = JSON.parse(run([...args, "--stdin"], query)) as {
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
    return { value: value === undefined ? undefined : parseJson(JSON.stringify(value)), json: value };
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
