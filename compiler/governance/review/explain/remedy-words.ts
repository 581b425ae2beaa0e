/** A remedy for a person: each change as an instruction, at its place. */

import { FIELDS, SINGLE_ROW } from "../../lower/index.ts";
import type { State } from "./candidates.ts";
import { type Edit, type Path, valueAt } from "./edit.ts";
import { type Place, type Places, ROWS, rowOf, short } from "./places.ts";

/** One change of a remedy. */
export interface Change {
  /** `input` or `data`, and the members below it. */
  readonly path: Path;
  /** Absent where nothing stood there. */
  readonly from?: unknown;
  /** Absent where the change removes it. */
  readonly to?: unknown;
  /** What to do, in the author's words. */
  readonly text: string;
  /** Where in the policy's files, by the bundle's source map. */
  readonly place?: Place | undefined;
}

/** Changes that, made together, turn the denial. */
export interface Remedy {
  readonly changes: readonly Change[];
}

export function remedyOf(edits: readonly Edit[], start: State, places: Places): Remedy {
  return {
    changes: edits.map((edit): Change => {
      const { document, path, to } = edit;
      const from = valueAt(document === "input" ? start.input : start.data, path);
      const place = document === "data" ? places.placeOf(path) : undefined;
      return {
        path: [document, ...path],
        from,
        to,
        text: document === "input" ? requestText(path, to) : policyText(path, from, to, isRowOf(start.data, path)),
        place,
      };
    }),
  };
}

function requestText(path: Path, to: unknown): string {
  const name = path.length === 0 ? "the request" : `\`${path.join(".")}\` of the request`;
  // No caller writes facts.
  if (path[0] === "facts")
    return to === undefined
      ? `the host must not say ${name}`
      : `the host has to find ${name} to be ${JSON.stringify(to)}`;
  return to === undefined ? `leave out ${name}` : `set ${name} to ${JSON.stringify(to)}`;
}

/** Whether the row of a path is written. */
function isRowOf(data: unknown, path: Path): boolean {
  return rowOf(path)?.id === SINGLE_ROW || valueAt(data, path.slice(0, 4)) !== undefined;
}

function policyText(path: Path, from: unknown, to: unknown, isRow: boolean): string {
  const row = rowOf(path);
  if (row === undefined) return `set \`data.${path.join(".")}\` to ${short(to)}`;
  const { table, id, field, rest } = row;
  const named = id === SINGLE_ROW ? ROWS[table] : `${ROWS[table]} ${id}`;
  if (field === undefined) return to === undefined ? `remove ${named}` : `define ${named}`;
  const of = isRow ? named : `a new ${named}`;
  const words = FIELDS[table];
  const isSection = table === "settings";
  const name = `\`${isSection ? [field, ...rest].join(".") : (words.get(field) ?? field)}\` of ${of}`;
  const [item] = isSection ? [] : rest;
  // The file lists agents by role.
  if (table === "handoff" && field === "agents" && to !== undefined) return `list ${item} as \`agents.${to}\` of ${of}`;
  if (item !== undefined && to === true) return `add ${item} to ${name}`;
  if (item !== undefined && to === undefined) return `remove ${typeof from === "string" ? from : item} from ${name}`;
  if (item !== undefined) return `set ${rest.join(".")} in ${name} to ${short(to)}`;
  return to === undefined ? `leave out ${name}` : `set ${name} to ${short(to)}`;
}
