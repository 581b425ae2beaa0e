/** The words that an author may write in a field, by the JSON Schema of its file. */

import { FIELDS } from "../../lower/index.ts";
import { SCHEMAS } from "../../sources/index.ts";
import type { Path } from "./edit.ts";
import { schemaAt } from "./example.ts";
import { rowOf } from "./places.ts";

/** `undefined` for a field that takes more than a few words, and for a path that does not lead to a field. */
export function wordsFor(path: Path): readonly unknown[] | undefined {
  const row = rowOf(path);
  if (row?.field === undefined) return undefined;
  const { table, field, rest } = row;
  if (table === "settings") return enumOf(schemaAt(SCHEMAS.settings, [field, ...rest]));
  if (table === "tools" && rest.length === 0)
    return enumOf(schemaAt(SCHEMAS.tool_registry, ["tools", 0, ...wordOf(table, field)]));
  return undefined;
}

function wordOf(table: "tools", field: string): string[] {
  return FIELDS[table].get(field)?.split(".") ?? [field];
}

function enumOf(schema: unknown): readonly unknown[] | undefined {
  const words = (schema as { readonly enum?: unknown } | undefined)?.enum;
  return Array.isArray(words) ? words : undefined;
}
