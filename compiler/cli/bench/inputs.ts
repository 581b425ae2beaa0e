/** What `portcullis bench` asks: one input or many, each kept as text, so that every decision gets a value of its own. */

import { isJson } from "@portcullis/rego/value";
import { parseInput, readText } from "../commands/read.ts";
import type { Terminal } from "../terminal.ts";

export interface BenchInput {
  /** Where it is from: a file, or a line of one. */
  readonly name: string;
  /** `undefined` for no input at all. */
  readonly text: string | undefined;
}

/** A file holds one JSON value, or one on each line (NDJSON). Throws CliError. */
export async function readInputs(terminal: Terminal, paths: readonly string[]): Promise<BenchInput[]> {
  if (paths.length === 0) return [{ name: "no input", text: undefined }];
  const inputs: BenchInput[] = [];
  for (const path of paths) inputs.push(...inputsOf(path, await readText(terminal, path)));
  return inputs;
}

function inputsOf(path: string, text: string): BenchInput[] {
  const lines = text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [{ line, number: i + 1 }]));
  const perLine = lines.length > 1 && isJson(lines[0]?.line ?? "");
  if (!perLine) {
    parseInput(text, path);
    return [{ name: path, text }];
  }
  return lines.map(({ line, number }) => {
    const name = `${path}:${number}`;
    parseInput(line, name);
    return { name, text: line };
  });
}
