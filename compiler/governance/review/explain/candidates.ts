/** Single changes of a request, or of a policy, that may turn a gate: from what it read, and what that is compared with. */

import { editDistance } from "@portcullis/rego/diagnostics";
import { isJsonObject } from "@portcullis/rego/value";
import { FIELDS, SINGLE_ROW } from "../../lower/index.ts";
import { placedIn, TOOL } from "../../sources/index.ts";
import { wordsFor } from "./author-words.ts";
import { type Edit, type Path, textsIn, valueAt } from "./edit.ts";
import { exampleOf, schemaAt } from "./example.ts";
import type { Step } from "./explainer.ts";
import { rowOf } from "./places.ts";
import type { Read } from "./reads.ts";

/** What an explanation was of. */
export interface State {
  readonly input: unknown;
  readonly data: unknown;
}

/** Ids of one table that are tried, the nearest first. */
const MOST_IDS = 24;
/** Members of one value that are tried one by one. */
const MOST_PARTS = 60;
const ANY_TEXT = "x";
/** One value of each kind. */
const ANYTHING: readonly unknown[] = [ANY_TEXT, true, {}, [], 1, [ANY_TEXT], [{}]];

/** Fields of a tool that the data has in another form than the file. */
const REWRITTEN: ReadonlySet<string> = new Set(
  placedIn(TOOL).flatMap(({ data, field }) => (field.use.byHand === true && data !== undefined ? [data] : [])),
);

/** Whether the compiler makes the field of a tool: of others, or in another form. */
const isMade = (field: string): boolean => REWRITTEN.has(field) || !FIELDS.tools.has(field);

type Reads = Pick<Step, "reads" | "constants">;

/** Changes of the request at what the gates read of it, and in what stands there. */
export function requestEdits(steps: readonly Reads[], state: State, decision: unknown, schema: unknown): Edit[] {
  const edits = new Map<string, Edit>();
  const add = (path: Path, to: unknown): void => {
    const edit: Edit = { document: "input", path, to };
    if (JSON.stringify(valueAt(state.input, path)) !== JSON.stringify(to))
      edits.set(JSON.stringify([path, to ?? "absent"]), edit);
  };
  const told = textsIn(decision);
  const named = [...keysIn(state.input), ...textsIn(state.input).flatMap((text) => text.split("/"))].filter(
    (n) => n !== "",
  );
  for (const { reads, constants } of steps) {
    const own = reads.filter((r) => r.document === "input");
    const paths = own.flatMap((r) => partsOf(state.input, r.keys));
    // A denial may point into what it is about, as `/artifacts/0/path`.
    const pointers = told
      .filter((text) => text.startsWith("/"))
      .map((text) => text.slice(1).split("/").map(pointerKey));
    const roots = new Set(own.flatMap(({ keys }) => (typeof keys[0] === "string" ? [keys[0]] : [])));
    for (const root of roots)
      for (const pointer of pointers)
        for (const to of [...constants, ...ANYTHING, ...keysIn(state.input)]) add([root, ...pointer], to);
    const lists = reads.map((r) => r.value).filter(isNames);
    const members = [
      ...told.filter((text) => !text.startsWith("/")),
      ...lists.flatMap((list) => Object.keys(list as object)),
    ];
    for (const path of paths) {
      const value = valueAt(state.input, path);
      if (isJsonObject(value) || value === undefined)
        for (const key of members.slice(0, MOST_IDS)) for (const to of ANYTHING) add([...path, key], to);
    }
    const others = paths.map((path) => valueAt(state.input, path)).filter((v) => v !== undefined);
    for (const path of paths) {
      const value = valueAt(state.input, path);
      const ids = typeof value === "string" || value === undefined ? idsFor(value, reads, state) : [];
      const form = typeof value === "object" || value === undefined ? exampleOf(schemaAt(schema, path)) : undefined;
      const plain = [...ids, ...others, ...ANYTHING, ...constants, ...(form === undefined ? [] : [form])];
      const texts = typeof value === "string" ? textsLike(value, constants) : [];
      for (const to of [...plain, ...(typeof value === "string" ? named : []), ...texts]) add(path, to);
      for (const to of [...ids, ...constants.filter((c) => typeof c === "string"), ANY_TEXT]) add(path, [to]);
      if (Array.isArray(value)) for (const to of [...ids, ...constants]) add(path, [...value, to]);
      if (typeof value === "number") for (const to of [value - 1, value + 1, 0]) add(path, to);
      if (value !== undefined) add(path, undefined);
    }
  }
  return [...edits.values()];
}

/** Changes of the author's tables at what the gates read of them. */
export function policyEdits(steps: readonly Reads[], state: State): Edit[] {
  const edits = new Map<string, Edit>();
  const asked = textsIn(state.input);
  for (const { reads, constants } of steps) {
    const numbers = reads.map((r) => r.value).filter((v) => typeof v === "number");
    for (const { document, keys } of reads.flatMap((read) => [read, ...rowsRead(read, asked)])) {
      if (document !== "data" || rowOf(keys.length === 3 ? [...keys, "row"] : keys) === undefined) continue;
      const add = (path: Path, to: unknown): void => {
        const words = wordsFor(path);
        // The author writes it in another form.
        const row = rowOf(path);
        if (row?.table === "limits" || (row?.table === "tools" && row.field !== undefined && isMade(row.field))) return;
        // What the author may not write changes nothing, and a setting that is left out has its default.
        if (words !== undefined && !words.includes(to)) return;
        if (to === undefined && rowOf(path)?.table === "settings") return;
        if (JSON.stringify(valueAt(state.data, path)) !== JSON.stringify(to))
          edits.set(JSON.stringify([path, to ?? "absent"]), { document: "data", path, to });
      };
      const value = valueAt(state.data, keys);
      // A table of rows, of which the gate looked for one that it does not have.
      if (keys.length === 3)
        for (const id of asked) if (isJsonObject(value)) add([...keys, id.replaceAll("-", "_")], anyRow(value));
      if (keys.length < 4 && value !== undefined) continue;
      if (value === undefined) {
        const siblings = valueAt(state.data, keys.slice(0, -1));
        add(keys, keys.length === 4 ? anyRow(siblings) : true);
        if (!isNames(siblings)) for (const to of [...constants, ...siblingFields(keys, state), {}, []]) add(keys, to);
        continue;
      }
      for (const to of [...(wordsFor(keys) ?? []), ...constants, ...numbers, ...siblingFields(keys, state)])
        if (typeof to === typeof value || value === null) add(keys, to);
      if (value === null) for (const to of [...asked, 86_400]) add(keys, to);
      if (value === null || typeof value === "string") for (const to of asked.flatMap(foldersOf)) add(keys, to);
      if (typeof value === "boolean") add(keys, !value);
      if (typeof value === "number") for (const to of [value + 1, value * 2, value * 1000]) add(keys, to);
      if (keys.length > 4) add(keys, isNames(value) && rowOf(keys)?.rest.length === 0 ? {} : undefined);
      if (Array.isArray(value)) {
        for (const id of asked) add(keys, [...value, id]);
        value.forEach((_, i) => add([...keys, i], undefined));
      } else if (isJsonObject(value)) {
        const marks = isNames(value) || Object.keys(value).length === 0 ? [true] : marksIn(value);
        if (keys.length > 4 || rowOf(keys)?.id === "")
          for (const id of asked) for (const to of marks) add([...keys, id], to);
        for (const id of Object.keys(value).slice(0, MOST_PARTS)) add([...keys, id], undefined);
      }
    }
  }
  return [...edits.values()];
}

/** For a table that was read whole: the fields of the rows that the request names. */
function rowsRead({ document, keys, value }: Read, asked: readonly string[]): Pick<Read, "document" | "keys">[] {
  if (document !== "data" || keys.length !== 3 || !isJsonObject(value)) return [];
  return asked.flatMap((id) => {
    const row = valueAt(value, [id]);
    return isJsonObject(row) ? Object.keys(row).map((field) => ({ document, keys: [...keys, id, field] })) : [];
  });
}

/** The path, and those of what stands there. */
function partsOf(document: unknown, path: Path): Path[] {
  const found: Path[] = [path];
  for (const at of found) {
    const value = valueAt(document, at);
    if (found.length > MOST_PARTS || at.length > path.length + 3) break;
    if (Array.isArray(value)) found.push(...value.map((_, i) => [...at, i]));
    else if (isJsonObject(value)) found.push(...Object.keys(value).map((key) => [...at, key]));
  }
  return found.slice(0, MOST_PARTS);
}

/** Ids beside the one that the request names, or of a table that was read whole. */
function idsFor(value: string | undefined, reads: Reads["reads"], { data }: State): string[] {
  const ids = new Set<string>();
  for (const { document, keys } of reads) {
    if (document !== "data") continue;
    const tables = keys.flatMap((key, i) => (key === value ? [keys.slice(0, i)] : []));
    const row = rowOf(keys);
    const isRow = row !== undefined && row.id !== SINGLE_ROW && row.field === undefined;
    // Where the request has no id, the path that was read ends at the table.
    for (const table of isRow ? tables : [...tables, keys]) {
      const rows = valueAt(data, table);
      const names = isJsonObject(rows)
        ? Object.keys(rows)
        : Array.isArray(rows)
          ? rows.filter((r) => typeof r === "string")
          : [];
      for (const id of nearestFirst(value ?? "", names)) ids.add(id);
    }
  }
  return [...ids].slice(0, 2 * MOST_IDS);
}

function nearestFirst(name: string, ids: readonly string[]): string[] {
  if (name === "" || ids.length > 2000) return ids.slice(0, MOST_IDS);
  const distance = new Map(ids.map((id) => [id, editDistance(name, id, 100)]));
  return [...ids].sort((a, b) => (distance.get(a) as number) - (distance.get(b) as number)).slice(0, MOST_IDS);
}

/** Texts that begin or end as the gate may want them. */
function textsLike(text: string, constants: Reads["constants"]): string[] {
  return constants.flatMap((c) => (typeof c === "string" && c.length > 0 ? [`${c}${text}`, `${text}${c}`] : []));
}

/** The folders that a path lies in. */
function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)).filter((folder) => folder !== "");
}

function keysIn(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  const own = isJsonObject(value) ? Object.keys(value) : [];
  return [...new Set([...own, ...parts.flatMap(keysIn)])].slice(0, MOST_PARTS);
}

/** An index, where a pointer has one. */
function pointerKey(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A list of names is a table whose values are true. */
function isNames(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((v) => v === true) && Object.keys(value).length > 0;
}

/** What the names of a table are marked with: an agent of a handoff as `master` or `sub`. */
function marksIn(table: object): unknown[] {
  return [...new Set(Object.values(table))]
    .filter((mark) => typeof mark === "string" || mark === true)
    .slice(0, MOST_IDS);
}

/** A row like the first of a table: what it has too little or too much, other gates tell. */
function anyRow(table: unknown): unknown {
  return (isJsonObject(table) ? Object.values(table)[0] : undefined) ?? {};
}

/** Values that other rows of the table have in the same field. */
function siblingFields(path: Path, { data }: State): unknown[] {
  if (path.length < 5) return [];
  const rows = valueAt(data, path.slice(0, 3));
  const values = isJsonObject(rows) ? Object.values(rows).slice(0, MOST_PARTS) : [];
  const found = values.map((row) => valueAt(row, path.slice(4))).filter((v) => v !== undefined);
  return [...new Map(found.map((v) => [JSON.stringify(v), v])).values()].slice(0, MOST_IDS);
}
