/** The fields of a table that model or data have, each with its path from the row. */

import type { Field, Fields, Section, Use } from "./field.ts";

/** Its name in data or model; `never` for one that is there for the schema and the page alone. */
export type NameOf<U extends Use> = U extends { readonly data: infer N extends string }
  ? N
  : U extends { readonly model: infer N extends string }
    ? N
    : never;

/** The fields of a row: those of nameless sections too. */
export type PlacedIn<F extends Fields> = {
  [K in keyof F]: F[K] extends Section<infer G, infer U>
    ? [NameOf<U>] extends [never]
      ? PlacedIn<G>
      : F[K]
    : [NameOf<F[K]["use"]>] extends [never]
      ? never
      : F[K];
}[keyof F];

export type Camel<N extends string> = N extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : N;

export interface Placed {
  /** In the data; `undefined` where the model alone has it. */
  readonly data: string | undefined;
  readonly model: string;
  /** The sections on the way to its key. */
  readonly parents: readonly string[];
  readonly key: string;
  readonly field: Field;
}

const known = new WeakMap<Fields, readonly Placed[]>();

/** In the order of the table. Cost: a look-up after the first time. */
export function placedIn(fields: Fields): readonly Placed[] {
  let placed = known.get(fields);
  if (placed === undefined) known.set(fields, (placed = collect(fields, [])));
  return placed;
}

function collect(fields: Fields, parents: readonly string[]): Placed[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const { data, model } = field.use;
    const name = data ?? model;
    if (name !== undefined) return [{ data, model: camel(name), parents, key, field }];
    return field.kind === "section" ? collect(field.fields, [...parents, key]) : [];
  });
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Each field of the data, `lineage.depth` for one in a section, and the author's path to it. Sections come before what is in them. */
export function pathsOf(fields: Fields): Map<string, string> {
  const paths = new Map<string, string>();
  const inData = placedIn(fields).filter(({ data }) => data !== undefined);
  for (const { data, parents, key } of inData) paths.set(data as string, [...parents, key].join("."));
  for (const { data, parents, key, field } of inData) {
    if (field.kind !== "section") continue;
    for (const [inner, path] of pathsOf(field.fields)) paths.set(`${data}.${inner}`, [...parents, key, path].join("."));
  }
  return paths;
}
