/** What the model says of a row → the row of the policy's data, by the table of its fields. */

import type { ModelOf, Named } from "../model/index.ts";
import {
  type Field,
  type Fields,
  type Leaf,
  type Placed,
  type PlacedIn,
  placedIn,
  type Rows,
  type Section,
  type Values,
} from "../sources/index.ts";
import { type Names, names, set, texts } from "./tables.ts";

type InData<F extends Fields> = Exclude<
  Extract<PlacedIn<F>, { readonly use: { readonly data: string } }>,
  Rows | { readonly use: { readonly byHand: true } }
>;
type Said = { readonly use: { readonly otherwise: unknown } | { readonly required: true } };

/** The data of a row. A field that the file need not write, and that has no default, may be absent. */
export type DataOf<F extends Fields> = {
  readonly [E in Extract<InData<F>, Said | Section> as E["use"]["data"]]: ValueOf<E>;
} & {
  readonly [E in Exclude<InData<F>, Said | Section> as E["use"]["data"]]?: ValueOf<E>;
};

type ValueOf<E extends Field> = E extends Section<infer G> ? DataOf<G> : LeafValue<E> | NullOf<E>;
type NullOf<E extends Field> = E["use"] extends { readonly otherwise: null } ? null : never;
type LeafValue<E> = E extends { readonly kind: "names" }
  ? Names
  : E extends { readonly kind: "list" }
    ? readonly string[]
    : E extends Leaf<keyof Values, infer V>
      ? V extends Named
        ? string
        : V
      : never;

/**
 * Members are in the order of their names, so that rows of large tables need not be sorted later. `setOf` makes the set of
 * some names. Lists of mappings, and fields that are lowered by hand, are left out.
 */
export function fieldData<F extends Fields>(fields: F, row: ModelOf<F> | undefined, setOf = names): DataOf<F> {
  const data: { [name: string]: unknown } = {};
  for (const { data: name, model, field } of inOrder(fields)) {
    const value = dataOf(field, (row as { readonly [name: string]: unknown } | undefined)?.[model], setOf);
    if (value !== undefined) data[name as string] = value;
  }
  return data as DataOf<F>;
}

const known = new WeakMap<Fields, readonly Placed[]>();

function inOrder(fields: Fields): readonly Placed[] {
  let placed = known.get(fields);
  if (placed === undefined) {
    const written = placedIn(fields).filter(
      ({ data, field }) => data !== undefined && field.use.byHand !== true && field.kind !== "rows",
    );
    placed = [...written].sort((a, b) => ((a.data as string) < (b.data as string) ? -1 : 1));
    known.set(fields, placed);
  }
  return placed;
}

function dataOf(field: Field, value: unknown, setOf: typeof names): unknown {
  const { otherwise } = field.use;
  switch (field.kind) {
    case "section":
      return fieldData(field.fields, value as ModelOf<Fields> | undefined, setOf);
    case "names":
      if (value !== undefined) return setOf(value as readonly Named[]);
      return Array.isArray(otherwise) ? set(otherwise) : undefined;
    case "list":
      return value === undefined ? otherwise : texts(value as readonly Named[]);
    case "named":
    case "id":
      return value === undefined ? otherwise : (value as Named).name;
    case "text":
    case "truth":
    case "whole":
    case "commands":
    case "values":
    case "limit":
    case "rows":
    case "by-name":
      return value ?? otherwise;
  }
}
