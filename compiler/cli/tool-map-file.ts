/** `--tools FILE`. */

import { readFileSync } from "node:fs";
import { SourceFile } from "@portcullis/documents";
import { readToolMap, type ToolMap } from "@portcullis/enforcement/gateway";
import { CliError, fileProblem, orFail } from "./exit.ts";

/** Throws CliError. */
export function readToolMapFile(path: string): ToolMap {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
  return orFail(readToolMap(new SourceFile(path, text)));
}
