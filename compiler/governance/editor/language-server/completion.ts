/** What may be written where the cursor stands in YAML, TOML and front matter: keys and ids. */

import { builtins } from "@portcullis/rego/syntax";
import { type CompletionItem, CompletionItemKind, type Range } from "vscode-languageserver";
import { IMPLEMENTATION_STATUSES } from "../../sources/index.ts";
import type { FormatName } from "../schemas.ts";
import { type Cursor, tomlCursor, yamlCursor } from "./cursor.ts";
import { describeId } from "./describe.ts";
import type { SetFile } from "./id-index.ts";
import { type IdKind, kindOfKey } from "./ids.ts";
import { placeOf } from "./places.ts";
import type { PolicySet } from "./policy-set.ts";
import { regoCompletions } from "./rego-completion.ts";
import { type SchemaNode, schemaAt } from "./schema-at.ts";
import { positionOf } from "./text.ts";
import type { Document } from "./workspace.ts";

export function completionsAt({ set }: Document, file: SetFile, offset: number): CompletionItem[] {
  const { format } = file;
  const { file: source } = file.read;
  if (format === "rego") return regoCompletions(set, source, offset);
  if (format === "data" || format === "sample") return [];
  const isMarkdown = file.path.endsWith(".md");
  if (isMarkdown && !isFrontMatter(source.text, offset)) return [];
  const cursor = file.path.endsWith(".toml") ? tomlCursor(source.text, offset) : yamlCursor(source.text, offset);
  const range = { start: positionOf(source, cursor.wordStart), end: positionOf(source, offset) };
  return [...keyItems(format, cursor, range, file.path.endsWith(".toml")), ...valueItems(set, format, cursor, range)];
}

function isFrontMatter(text: string, offset: number): boolean {
  return /^---[ \t]*\r?\n/.test(text) && !/\n---[ \t]*(?:\r?\n|$)/.test(text.slice(3, offset));
}

function keyItems(format: FormatName, cursor: Cursor, range: Range, isToml: boolean): CompletionItem[] {
  const node = cursor.mayBeKey ? schemaAt(format, cursor.path) : undefined;
  return Object.entries(node?.properties ?? {})
    .filter(([key]) => !cursor.siblings.includes(key))
    .map(([key, schema]) => ({
      label: key,
      kind: CompletionItemKind.Property,
      ...(schema.description === undefined ? {} : { documentation: schema.description }),
      sortText: `${node?.required?.includes(key) ? "0" : "1"}${key}`,
      textEdit: { range, newText: isToml ? `${key} = ` : `${key}:${isNested(schema) && !cursor.flow ? "" : " "}` },
    }));
}

function isNested(schema: SchemaNode): boolean {
  return [schema.type ?? []].flat().includes("object");
}

function valueItems(set: PolicySet, format: FormatName, cursor: Cursor, range: Range): CompletionItem[] {
  const schema = schemaAt(format, cursor.path);
  const kind = idKind(format, cursor);
  if (kind !== undefined) return idItems(set, kind, range);
  if (cursor.path.join(".") === "rego.allow_builtins.*")
    return words(
      [...builtins().values()].filter((b) => b.nondeterministic).map((b) => b.name),
      range,
    );
  if (cursor.mayBeKey && schema?.properties !== undefined) return [];
  if (schema?.enum !== undefined) return words(schema.enum, range);
  if (schema?.type === "boolean") return words(["true", "false"], range);
  if (cursor.path.at(-1) === "every") return words(["roles", "lanes", "tools", "agents", "agent_types"], range);
  if (cursor.path.at(-1) === "implementation_status") return words(IMPLEMENTATION_STATUSES, range);
  return [];
}

/** The kind of id that belongs to a place, if one does. */
function idKind(format: FormatName, { path }: Cursor): IdKind | undefined {
  const place = placeOf(format, path) ?? placeOf(format, [...path, "*"]);
  if (place !== undefined) return place.defines === true ? undefined : place.kind;
  if (format !== "tests" && format !== "claims") return undefined;
  const key = path.findLast((part) => part !== "*" && part !== "also");
  return key === undefined || path.at(-1) === "every" ? undefined : kindOfKey(key);
}

export function idItems(set: PolicySet, kind: IdKind, range: Range): CompletionItem[] {
  return set
    .ids()
    .names(kind)
    .map((name) => ({
      label: name,
      kind: CompletionItemKind.EnumMember,
      detail: kind,
      textEdit: { range, newText: name },
      // The description is made when the item is looked at.
      data: { dir: set.dir, kind, name },
    }));
}

export function words(names: readonly string[], range: Range): CompletionItem[] {
  return names.map((label) => ({ label, kind: CompletionItemKind.Value, textEdit: { range, newText: label } }));
}

/** Adds the description of its id to an item of `idItems`. */
export function resolveItem(item: CompletionItem, sets: readonly PolicySet[]): CompletionItem {
  const data = item.data as { readonly dir: string; readonly kind: IdKind; readonly name: string } | undefined;
  const set = sets.find((s) => s.dir === data?.dir);
  if (data === undefined || set === undefined) return item;
  return { ...item, documentation: { kind: "markdown", value: describeId(set, data.kind, data.name) } };
}
