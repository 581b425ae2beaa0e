/** Every mutant of a policy set: each place of its documents that a pattern names, with each value that an edit gives it. */

/** A document as data, which is written as JSON; or a text, which changes as a text. */
export type Document = unknown;
export type Documents = Readonly<Record<string, Document>>;

/** Places of a set's documents, and what to put there. `*` stands for any key, and any file below a folder. */
export interface Place {
  /** What a reviewer would call it. */
  readonly kind: string;
  readonly file: string;
  readonly path: string;
  readonly edit: Edit;
}

/** Every value that a place is given, by a name; none where the edit is not for this value. `undefined` takes it away. */
export type Edit = (value: unknown) => readonly (readonly [name: string, value: unknown])[];

export interface Mutant {
  readonly name: string;
  readonly kind: string;
  readonly documents: Documents;
  /** The ids of the rows that the place is in. */
  readonly rows: readonly string[];
}

const inWords = (value: unknown): string =>
  rowName(value) ??
  (typeof value === "string" ? value.trim().split(/\s+/).slice(0, 6).join(" ") : JSON.stringify(value));
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A list without one of its members. */
export const less: Edit = (list) =>
  Array.isArray(list) ? list.map((one, i) => [`less ${inWords(one)}`, list.filter((_, j) => j !== i)]) : [];

/** A list with another member, where it has not got it. */
export const more =
  (...others: readonly unknown[]): Edit =>
  (list) =>
    others
      .filter((one) => !(Array.isArray(list) && list.some((have) => isSame(have, one))))
      .map((one) => [`more ${inWords(one)}`, [...(Array.isArray(list) ? list : []), one]]);

/** Another value. */
export const to =
  (...values: readonly unknown[]): Edit =>
  (value) =>
    values.filter((one) => !isSame(one, value)).map((one) => [`to ${inWords(one)}`, one]);

/** A number, up or down. */
export const by =
  (...steps: readonly number[]): Edit =>
  (value) =>
    typeof value === "number" ? steps.map((step) => [`by ${step}`, value + step]) : [];

export const flip: Edit = (value) => (typeof value === "boolean" ? [[`to ${!value}`, !value]] : []);

/** Absent, where it is there. */
export const gone: Edit = (value) => (value === undefined ? [] : [["gone", undefined]]);

/** One text for another, which is there once. */
export const swap =
  (from: string, other: string): Edit =>
  (text) => {
    const parts = String(text).split(from);
    if (parts.length !== 2) throw new Error(`${from} is there ${parts.length - 1} times`);
    return [[`${from.trim()} -> ${other.trim()}`.replace(/\s+/g, " "), parts.join(other)]];
  };

/** All of some edits. */
export const each =
  (...edits: readonly Edit[]): Edit =>
  (value) =>
    edits.flatMap((edit) => edit(value));

export function* mutantsOf(documents: Documents, places: readonly Place[]): Generator<Mutant> {
  const seen = new Set<string>();
  for (const { kind, file, path, edit } of places) {
    const files = file.endsWith("*") ? Object.keys(documents).filter((f) => f.startsWith(file.slice(0, -1))) : [file];
    for (const one of files) {
      for (const place of placesIn(documents[one], path === "" ? [] : path.split("/"))) {
        for (const [name, value] of edit(place.value)) {
          const { [one]: _, ...others } = documents;
          const changed = place.changed(value);
          const mutated = changed === undefined ? others : { ...documents, [one]: changed };
          const key = JSON.stringify(mutated);
          if (seen.has(key)) continue;
          seen.add(key);
          const at = [one, ...place.names].join(" ");
          yield { kind, name: `${at}: ${name}`, documents: mutated, rows: place.names };
        }
      }
    }
  }
}

interface Found {
  readonly names: readonly string[];
  readonly value: unknown;
  readonly changed: (value: unknown) => unknown;
}

type Members = { readonly [key: string]: unknown };

function* placesIn(value: unknown, [key, ...rest]: readonly string[]): Generator<Found> {
  if (key === undefined) return yield { names: [], value, changed: (changed) => changed };
  if (typeof value !== "object" || value === null) return;
  const keys = key === "*" ? Object.keys(value) : [key];
  for (const one of keys) {
    const inner = (value as Members)[one];
    for (const found of placesIn(inner, rest)) {
      const names = [rowName(inner) ?? one, ...found.names];
      yield { names, value: found.value, changed: (changed) => withMember(value, one, found.changed(changed)) };
    }
  }
}

function withMember(value: object, key: string, member: unknown): unknown {
  if (Array.isArray(value))
    return value.flatMap((one, i) => (String(i) !== key ? [one] : member === undefined ? [] : [member]));
  const { [key]: _, ...others } = value as Members;
  return member === undefined ? others : { ...others, [key]: member };
}

/** The id of a row of a table. */
function rowName(row: unknown): string | undefined {
  if (typeof row !== "object" || row === null) return undefined;
  const members = row as Members;
  const name = ["role_id", "lane_id", "tool_name", "limit_id", "name"].map((key) => members[key]).find(Boolean);
  return typeof name === "string" ? name : undefined;
}

/** The files of a set. */
export function filesOf(documents: Documents): Record<string, string> {
  return Object.fromEntries(
    Object.entries(documents).map(([file, document]) => [
      file,
      typeof document === "string" ? document : JSON.stringify(document),
    ]),
  );
}
