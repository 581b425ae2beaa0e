/** `--schema DIR|FILE`: JSON Schemas for annotations, as `opa` takes them. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError, EXIT_USAGE, fileProblem } from "../exit.ts";
import { isFolder } from "../files.ts";

export const SCHEMA_OPTION = [
  "-s, --schema <path>",
  "a JSON Schema of the input, or a folder of schemas that annotations name: a/b.json is schema.a.b",
] as const;

/** By the names that annotations use; a file alone is the schema of every rule's input. Throws CliError. */
export function readSchemas(path: string | undefined): { readonly schemas?: ReadonlyMap<string, unknown> } {
  if (path === undefined) return {};
  if (!isFolder(path, "name a file with a JSON Schema, or a folder of them"))
    return { schemas: new Map([["", readSchema(path)]]) };
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  const named = files
    .sort()
    .map((name) => [name.replaceAll("\\", "/").replace(/\.json$/, ""), readSchema(join(path, name))]);
  return { schemas: new Map(named as [string, unknown][]) };
}

function readSchema(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`cannot read the schema \`${path}\`: ${fileProblem(error)}`, EXIT_USAGE);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(`the schema \`${path}\` is no JSON`, EXIT_USAGE, "schemas are JSON Schema, in files of JSON");
  }
}
