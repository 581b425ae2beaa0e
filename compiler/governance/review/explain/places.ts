/** What an explanation reads, in the author's words and at the author's place, by the bundle's source map. */

import { didYouMean } from "@portcullis/rego/diagnostics";
import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { FIELDS, SINGLE_ROW, SOURCE_MAP_FILE, type TableName } from "../../lower/index.ts";
import { keys } from "../policy-ids.ts";
import { type Path, valueAt } from "./edit.ts";

/** Where an author wrote something: line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Words for the rows of a table, and for the one file of the others. */
export const ROWS: { readonly [T in TableName]: string } = {
  roles: "role",
  lanes: "lane",
  tools: "tool",
  approvers: "approver",
  limits: "limit",
  agents: "agent",
  manifests: "manifest",
  handoff: "handoff.yaml",
  exec: "exec.yaml",
  settings: "portcullis.yaml",
};

const TABLES: Path = ["portcullis", "policy"];
/** Items of a list that are shown. */
const SHOWN = 6;

/**
 * Where an author wrote what a gate read, from the source map of a bundle. A missing or broken map means: no places.
 */
export class Places {
  private readonly map: unknown;

  /** Without a source map, or with one that cannot be read, nothing has a place. */
  constructor(files: ReadonlyMap<string, Uint8Array>) {
    const bytes = files.get(SOURCE_MAP_FILE);
    try {
      this.map = bytes === undefined ? undefined : JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      this.map = undefined;
    }
  }

  /** The place of a path below `data`: the field's, or else the row's. */
  placeOf(path: Path): Place | undefined {
    const row = rowOf(path);
    if (row === undefined) return undefined;
    const { table, id } = row;
    const field = memberOf(table, row.field, row.rest);
    const rows = valueAt(this.map, ["rows", table]);
    // A row that there is not belongs beside the last one.
    const numbers = valueAt(rows, [id]) ?? (isJsonObject(rows) ? Object.values(rows).at(-1) : undefined);
    if (!Array.isArray(numbers)) return undefined;
    const file = valueAt(this.map, ["files", numbers[0] as number]);
    const at = numberOf(table, field);
    // A line below zero is that of the section which lacks the field.
    const placed = (n: number): [number, number] => [
      Math.abs(numbers[1 + 2 * n] as number),
      numbers[2 + 2 * n] as number,
    ];
    const isThere = valueAt(rows, [id]) !== undefined && placed(at)[0] > 0;
    const [line, column] = isThere ? placed(at) : placed(0);
    return typeof file === "string" && line > 0 ? { file, line, column } : undefined;
  }

  /** Whether what stands at a path of `data` is the default of a setting that its file does not write. `false` without a map, which would tell. */
  isDefault(path: Path, data: JsonObject): boolean {
    const row = rowOf(path);
    if (row?.field === undefined || valueAt(data, fieldPath(path, row.table)) === undefined) return false;
    const { table, id, field, rest } = row;
    const at = numberOf(table, memberOf(table, field, rest));
    const rows = valueAt(this.map, ["rows"]);
    if (!isJsonObject(rows) || id !== SINGLE_ROW || at === 0) return false;
    return !((valueAt(rows, [table, id, 2 * at + 1]) as number) > 0);
  }

  /** One sentence on what stands at a path of `data`, without a period. */
  sentenceOf(path: Path, data: JsonObject): string {
    const value = valueAt(data, path);
    const row = rowOf(path);
    if (isTable(path)) return `${path.at(-1)}: ${short(Object.fromEntries(keys(value).map((id) => [id, true])))}`;
    if (row === undefined) return `\`${["data", ...path].join(".")}\` ${isOrHasNot(value)}`;
    const { table, id, field, rest } = row;
    const words = FIELDS[table];
    const of = id === SINGLE_ROW ? ROWS[table] : `${ROWS[table]} ${id}`;
    if (field === undefined) {
      if (value !== undefined) return `${of} is defined`;
      const known = Object.keys((valueAt(data, [...TABLES, table]) as object | undefined) ?? {});
      const { help } = didYouMean(id, known);
      return `no file defines ${of}${help === undefined ? "" : `; ${help}`}`;
    }
    const [ofFile, why] = this.isDefault(path, data) ? ["", ` by default: ${of} does not set it`] : [` of ${of}`, ""];
    if (table === "settings") return `\`${[field, ...rest].join(".")}\`${ofFile} ${isOrHasNot(value)}${why}`;
    const name = `\`${words.get(field) ?? field}\`${ofFile}`;
    if (rest.length === 0) return `${name} ${isOrHasNot(value)}${why}`;
    const item = rest.join(".");
    const said =
      value === undefined
        ? `${name} lacks ${item}: it is ${short(valueAt(data, path.slice(0, -1)) ?? {})}`
        : value === true
          ? `${name} has ${item}`
          : `${name}: ${item} ${isOrHasNot(value)}`;
    return said + why;
  }
}

/** As FIELDS names it: a setting of a section has a place of its own. */
function memberOf(table: TableName, field: string | undefined, rest: Row["rest"]): string | undefined {
  const member = `${field}.${rest[0]}`;
  return FIELDS[table].has(member) ? member : field;
}

/** From 1; 0 if the field has no place of its own. */
function numberOf(table: TableName, field: string | undefined): number {
  return field === undefined ? 0 : [...FIELDS[table].keys()].indexOf(field) + 1;
}

/** The path of a field in a file of one table, without an item of the field. */
function fieldPath(path: Path, table: TableName): Path {
  return path.slice(0, TABLES.length + (table === "settings" ? 3 : 2));
}

function isOrHasNot(value: unknown): string {
  return value === undefined ? "is not written" : `is ${short(value)}`;
}

/** A value as it fits into a sentence: a table of names as their list. */
export function short(value: unknown): string {
  const names = isJsonObject(value) && Object.values(value).every((v) => v === true) ? Object.keys(value) : undefined;
  if (names !== undefined) {
    const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : "";
    return names.length === 0 ? "empty" : `${names.slice(0, SHOWN).join(", ")}${more}`;
  }
  const text = JSON.stringify(value) ?? "undefined";
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** Whether it is the path of a whole table of rows. */
export function isTable(path: Path): boolean {
  return path.length === TABLES.length + 1 && Object.hasOwn(FIELDS, String(path.at(-1))) && rowOf(path) === undefined;
}

interface Row {
  readonly table: TableName;
  readonly id: string;
  readonly field: string | undefined;
  readonly rest: readonly (string | number)[];
}

/** The row of a path below `data.portcullis.policy`. */
export function rowOf(path: Path): Row | undefined {
  const [table, ...below] = path.slice(TABLES.length).map(String);
  if (!TABLES.every((name, i) => path[i] === name) || table === undefined || !Object.hasOwn(FIELDS, table))
    return undefined;
  const single = table === "handoff" || table === "exec" || table === "settings";
  const [id, field, ...rest] = single ? [SINGLE_ROW, ...below] : below;
  // The versions of lanes and roles stand in their own files.
  if (id === undefined || (table === "settings" && field === "versions")) return undefined;
  return { table: table as TableName, id, field, rest };
}
