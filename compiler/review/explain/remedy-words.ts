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
  readonly place?: Place;
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
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        text: document === "input" ? requestText(path, to) : policyText(path, from, to),
        ...(place === undefined ? {} : { place }),
      };
    }),
  };
}

function requestText(path: Path, to: unknown): string {
  const name = path.length === 0 ? "the request" : `\`${path.join(".")}\` of the request`;
  return to === undefined ? `leave out ${name}` : `set ${name} to ${short(to)}`;
}

function policyText(path: Path, from: unknown, to: unknown): string {
  const row = rowOf(path);
  if (row === undefined) return `set \`data.${path.join(".")}\` to ${short(to)}`;
  const { table, id, field, rest } = row;
  const of = id === SINGLE_ROW ? ROWS[table] : `${ROWS[table]} ${id}`;
  if (field === undefined) return to === undefined ? `remove ${of}` : `define ${of}`;
  const words = FIELDS[table] as { readonly [field: string]: string };
  const isSection = table === "settings";
  const name = `\`${isSection ? [field, ...rest].join(".") : (words[field] ?? field)}\` of ${of}`;
  const [item] = isSection ? [] : rest;
  if (item !== undefined && to === true) return `add ${item} to ${name}`;
  if (item !== undefined && to === undefined) return `remove ${typeof from === "string" ? from : item} from ${name}`;
  if (item !== undefined) return `set ${rest.join(".")} in ${name} to ${short(to)}`;
  return to === undefined ? `leave out ${name}` : `set ${name} to ${short(to)}`;
}
