/** Handoff records named on the command line: files, and every `*.json` below folders. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { readBytes } from "../../cli/commands/read.ts";
import { CliError, fileProblem } from "../../cli/exit.ts";
import { nodeHost } from "../../node.ts";
import { strictJson } from "../strict-json.ts";

export interface DeliveredRecord {
  readonly file: string;
  /** What the file holds; `null`, which is no record, when that is no JSON. */
  readonly record: unknown;
  /** Why it is none. */
  readonly problem: string | undefined;
}

/** In the order of the paths, each file once. Throws CliError for a path that cannot be read. */
export function findRecords(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => (isFolder(path) ? recordsBelow(path) : [path])))];
}

/** Throws CliError when the file cannot be read. */
export function readRecord(file: string): DeliveredRecord {
  const result = strictJson(file, readBytes(file));
  return result.ok
    ? { file, record: result.value, problem: undefined }
    : { file, record: null, problem: result.problem };
}

function recordsBelow(folder: string): string[] {
  let files: readonly string[];
  try {
    files = nodeHost.listFiles(folder);
  } catch (error) {
    throw new CliError(`cannot read \`${folder}\`: ${fileProblem(error)}`);
  }
  return files
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => join(folder, file));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
}
