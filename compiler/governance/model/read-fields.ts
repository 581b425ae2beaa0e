/** A row of a file → what the model says of it, by the table of its fields. */

import { assert } from "@portcullis/rego/diagnostics";
import {
  type Camel,
  entryOf,
  type Field,
  type Fields,
  type Leaf,
  type NameOf,
  type Placed,
  type PlacedIn,
  placedIn,
  type Rows,
  type Section,
  type SourceNode,
  type Values,
} from "../sources/index.ts";
import type { TreeReader } from "./read.ts";

/** The model of a row: a member a field that has a name, `undefined` where the file does not say. */
export type ModelOf<F extends Fields> = {
  readonly [E in PlacedIn<F> as E["use"] extends { readonly byHand: true }
    ? never
    : Camel<NameOf<E["use"]>>]: ValueOf<E>;
};

type ValueOf<E extends Field> =
  E extends Section<infer G> ? ModelOf<G> : E extends Rows<infer G> ? readonly ModelOf<G>[] : LeafValue<E>;

type LeafValue<E> = E extends Leaf<keyof Values, infer V, infer U> ? (U extends Said ? V : V | undefined) : never;

/** A field that the model always has a value of. */
type Said = { readonly required: true } | { readonly otherwise: string | number | boolean | readonly [] };

export function readFields<F extends Fields>(fields: F, node: SourceNode | undefined, reader: TreeReader): ModelOf<F> {
  const row: { [name: string]: unknown } = {};
  for (const placed of placedIn(fields)) {
    if (placed.field.use.byHand !== true) row[placed.model] = read(placed, node, reader);
  }
  return row as ModelOf<F>;
}

function read({ field, parents, key }: Placed, row: SourceNode | undefined, reader: TreeReader): unknown {
  let node = row;
  for (const parent of parents) {
    if (field.use.restricts === true) reader.checkSaid(node, parent);
    node = entryOf(node, parent)?.value;
  }
  if (field.use.restricts === true) reader.checkSaid(node, key);
  switch (field.kind) {
    case "section":
      return readFields(field.fields, entryOf(node, key)?.value, reader);
    case "rows":
      return reader.items(node, key).map((item) => readFields(field.fields, item, reader));
    case "by-name":
      // No type of the model says what such a mapping holds: it is read by hand.
      return undefined;
    case "text":
    case "named":
    case "id":
    case "truth":
    case "whole":
    case "names":
    case "list":
    case "commands":
    case "values":
    case "limit":
      return leafValue(field, node, key, reader) ?? defaultOf(field);
  }
}

function leafValue({ kind, use }: Leaf, node: SourceNode | undefined, key: string, reader: TreeReader): unknown {
  switch (kind) {
    case "truth":
      return reader.boolean(node, key);
    case "whole":
      return reader.number(node, key);
    case "names":
    case "list":
      return reader.names(node, key);
    case "id":
      assert(node !== undefined, `${key} is that of a row`);
      return reader.id(node, key);
    case "named": {
      const named = reader.named(node, key);
      assert(named !== undefined || use.required !== true, `the schema requires ${key}`);
      return named;
    }
    case "text":
      return reader.string(node, key);
    case "commands":
    case "values":
    case "limit":
      // No type of the model says what these hold: they are read by hand.
      return undefined;
  }
}

/** A name has a place, so that a default that names something is the data's alone. */
function defaultOf({ use: { otherwise } }: Leaf): unknown {
  if (Array.isArray(otherwise)) return otherwise.length === 0 ? otherwise : undefined;
  return otherwise ?? undefined;
}
