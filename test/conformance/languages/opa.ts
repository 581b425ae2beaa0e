/** The same question to the `opa` on the PATH. */

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, type Asked, type Solution, solutionOf } from "./asked.ts";

export const hasOpa = (): boolean => spawnSync("opa", ["version"]).status === 0;

export function opaAnswer({ modules, data, inputs, query }: Asked, scratch: string): Answer {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const files = Object.entries(modules).map(([name, text]) => {
    writeFileSync(join(scratch, name), text);
    return name;
  });
  if (data !== undefined && data !== null) {
    writeFileSync(join(scratch, "data.json"), JSON.stringify(data));
    files.push("data.json");
  }
  const solutions: unknown[] = [];
  for (const input of inputs.length === 0 ? [undefined] : inputs) {
    const given = input === undefined ? [] : ["--stdin-input"];
    const { stdout, stderr } = spawnSync(
      "opa",
      ["eval", "--format", "json", ...given, ...files.flatMap((file) => ["-d", file]), query],
      { cwd: scratch, encoding: "utf8", ...(input === undefined ? {} : { input: JSON.stringify(input) }) },
    );
    const { result = [], errors } = JSON.parse(stdout || JSON.stringify({ errors: [{ message: stderr }] })) as {
      readonly result?: readonly Solution[];
      readonly errors?: readonly { readonly message: string }[];
    };
    if (errors !== undefined) return { kind: "error", message: errors[0]?.message ?? "" };
    solutions.push(...result.map(solutionOf));
  }
  return { kind: "solutions", solutions };
}
