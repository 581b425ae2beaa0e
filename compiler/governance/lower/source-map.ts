/**
 * The source map of a bundle: where each row of the policy's tables, and each of its fields, was written. It informs people;
 * no decision reads it. A file of its own in the bundle, which OPA passes over and signatures cover.
 *
 *   { "version": 1, "files": ["lanes.yaml"], "rows": { "lanes": { "DRAFTING": [0, 7, 15, 9, 5, 11, 7] } } }
 *
 * A row is the number of its file, the line and column of its id, and line and column of every field of FIELDS in that order:
 * 0, 0 for one that is not written; where the section that it belongs to is, the place of that, with the line below zero. Tables of
 * one row have the id "".
 */

import type { Span } from "@portcullis/rego/diagnostics";
import { compareText } from "@portcullis/rego/value";
import { agentKey, type Model } from "../model/index.ts";
import {
  APPROVER,
  EXEC,
  entryOf,
  HANDOFF,
  LANE,
  LIMIT,
  MANIFEST,
  pathsOf,
  ROLE,
  SETTINGS,
  type SourceDocument,
  type SourceNode,
  type SourceSet,
  TOOL,
} from "../sources/index.ts";

export const SOURCE_MAP_FILE = "portcullis/source-map.json";

/** Each table's fields in the policy's data, and the author's words for them. */
export const FIELDS: { readonly [T in TableName]: ReadonlyMap<string, string> } = {
  roles: pathsOf(ROLE),
  lanes: pathsOf(LANE),
  tools: pathsOf(TOOL),
  approvers: pathsOf(APPROVER),
  limits: pathsOf(LIMIT),
  agents: new Map([
    ["type", "AGENT_TYPE"],
    ["allowlist", "subagents"],
  ]),
  manifests: pathsOf(MANIFEST),
  handoff: pathsOf(HANDOFF),
  exec: pathsOf(EXEC),
  settings: pathsOf(SETTINGS),
};

export type TableName =
  | "roles"
  | "lanes"
  | "tools"
  | "approvers"
  | "limits"
  | "agents"
  | "manifests"
  | "handoff"
  | "exec"
  | "settings";

/** A file of one table, not of many rows. */
export const SINGLE_ROW = "";

export interface SourceMap {
  readonly version: 1;
  /** Paths below the folder of the policy set. */
  readonly files: readonly string[];
  readonly rows: { readonly [T in TableName]?: { readonly [id: string]: readonly number[] } };
}

interface Row {
  readonly table: TableName;
  readonly id: string;
  readonly path: string;
  /** Line and column of the id, and of every field. */
  readonly places: readonly number[];
}

/** Each table's fields, and the path of each in the author's files. */
const PATHS = new Map(
  Object.entries(FIELDS).map(([table, fields]) => [
    table,
    [...fields].map(([field, words]) => ({ field, path: words.split(".") })),
  ]),
);

/** The same sources in any order give the same map. Cost: one pass over what was read. */
export function sourceMapOf(set: SourceSet, { manifests }: Model): SourceMap {
  const rows: Row[] = [];
  const add = (table: TableName, id: string, path: string, at: Span, node?: SourceNode, type?: Span): void => {
    const places: number[] = [];
    addPlace(places, at);
    for (const { field, path: keys } of PATHS.get(table) ?? [])
      if (field === "type" && type !== undefined) addPlace(places, type);
      else addFieldPlace(places, node, keys);
    rows.push({ table, id, path, places });
  };
  const each = (
    documents: readonly SourceDocument[],
    table: "roles" | "lanes" | "tools" | "approvers" | "limits",
    key: string,
  ): void => {
    for (const { root, path } of documents) {
      const list = entryOf(root, table)?.value;
      for (const node of list?.kind === "Sequence" ? list.items : []) {
        const id = entryOf(node, key)?.value;
        if (id?.kind === "String") add(table, id.value, path, id.span, node);
      }
    }
  };
  each(set.roles, "roles", "role_id");
  each(set.lanes, "lanes", "lane_id");
  each(set.tools, "tools", "tool_name");
  each(set.approvers, "approvers", "name");
  each(set.limits, "limits", "limit_id");
  for (const { name, path, frontMatter, header, file, bodyStart } of set.agents) {
    const type = (header.typeLine ?? header.typeRow)?.span;
    const start = { file, start: bodyStart, end: bodyStart };
    add("agents", agentKey(name), path, start, frontMatter, type);
  }
  const manifestOf = new Map(set.manifests.map((d) => [d.file, d]));
  for (const { type } of manifests.values()) {
    const document = manifestOf.get(type.span.file);
    if (document !== undefined) add("manifests", type.name, document.path, type.span, document.root);
  }
  for (const table of ["handoff", "exec", "settings"] as const)
    for (const { root, path } of set[table]) add(table, SINGLE_ROW, path, root.span, root);
  return numbered(rows);
}

function numbered(rows: readonly Row[]): SourceMap {
  const files = [...new Set(rows.map((r) => r.path))].sort(compareText);
  const numbers = new Map(files.map((path, i) => [path, i]));
  const tables: { [T in TableName]?: { [id: string]: number[] } } = {};
  const sorted = [...rows].sort((a, b) => compareText(a.table, b.table) || compareText(a.id, b.id));
  for (const { table, id, path, places } of sorted) {
    const of = (tables[table] ??= Object.create(null) as { [id: string]: number[] });
    // If an id is defined twice (an error), keep the first.
    of[id] ??= [numbers.get(path) as number, ...places];
  }
  return { version: 1, files, rows: tables };
}

function addPlace(places: number[], place: Span | undefined, sign: 1 | -1 = 1): void {
  if (place === undefined) {
    places.push(0, 0);
    return;
  }
  const { line, column } = place.file.positionAt(place.start);
  places.push(sign * line, column);
}

/** Adds the place of a field's key, or of the last key of its path that is there. */
function addFieldPlace(places: number[], node: SourceNode | undefined, path: readonly string[]): void {
  let place: Span | undefined;
  let at = node;
  for (const key of path) {
    const entry = entryOf(at, key);
    if (entry === undefined) return addPlace(places, place, -1);
    place = entry.keySpan;
    at = entry.value;
  }
  addPlace(places, place);
}
