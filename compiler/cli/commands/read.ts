/** Reads the files that a command line names: bytes, text and JSON. Its errors name the file and the reason. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { CliError, fileProblem } from "../exit.ts";
import type { Terminal } from "../terminal.ts";

/** Throws CliError when the file cannot be read. */
export function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
}

/** Throws CliError for what would keep a process that decides, for good: a pipe without a writer, a device without an end. */
export function holdFile(path: string): void {
  // Whatever else is wrong, the reader says.
  const found = existsSync(path) ? statSync(path) : undefined;
  if (found?.isFile() === false && !found.isDirectory()) throw new CliError(`\`${path}\` is no regular file`);
}

/** A file as text, or standard input for `-`. Throws CliError, also for bytes that are not UTF-8. */
export async function readText(terminal: Terminal, path: string): Promise<string> {
  return textOf(path === "-" ? await terminal.readInput() : readBytes(path), nameOf(path));
}

/** Throws CliError for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(`${name} is not valid UTF-8`);
  }
}

/** JSON from a file, or from standard input for `-`. Throws CliError. */
export async function readJson(terminal: Terminal, path: string): Promise<unknown> {
  return parseInput(await readText(terminal, path), path);
}

export function nameOf(path: string): string {
  return path === "-" ? "standard input" : `\`${path}\``;
}

/** The text of an input as a value. Throws CliError: a module would answer a broken text with a denial, a person is better told. */
export function parseInput(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CliError(`${nameOf(path)} is not valid JSON: ${(error as Error).message}`);
  }
}
