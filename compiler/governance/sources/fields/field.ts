/**
 * The fields of policy files: what an author may write, what each is for, and its name in the policy's data.
 *
 * A field is one entry of one table in this folder. Its JSON Schema, its type and reading in the model, its form in the data,
 * its place in the source map and its row on the reference page are all made from the entry.
 */

import type { Span } from "@portcullis/rego/diagnostics";

/**
 * What a field is for. `Decides`: a gate reads it. `Checked`: the compiler compares it with other fields. `Builds`: it tells
 * the compiler how to build. `Informs`: it is there for readers.
 */
export const EFFECTS = ["Decides", "Checked", "Builds", "Informs"] as const;
export type Effect = (typeof EFFECTS)[number];
type Meaning = `${Effect}: ${string}`;

/** A name as written somewhere: an id where it is defined, a reference elsewhere. */
export interface Named {
  readonly name: string;
  readonly span: Span;
}

export interface Use {
  /** Its name in the policy's data. The model has it under the same name, in camel case. */
  readonly data?: string;
  /** Its name in the model, for a field that the data does not have. */
  readonly model?: string;
  /**
   * What the data says where the field is not written; without it, nothing. The model says it too, unless it is `null` or
   * names something: a name needs a place.
   */
  readonly otherwise?: string | number | boolean | null | readonly string[];
  /** The model and the data have it in a form that is read and lowered by hand. */
  readonly byHand?: true;
  readonly required?: true;
  /** `null` may be written, and says as much as an empty list or mapping. */
  readonly nullable?: true;
  /** What is listed keeps something out, so that a list of which nothing is left lets more through. */
  readonly restricts?: true;
}

/** The kinds of single values and of lists of texts. */
export interface Values {
  /** Text; the model does not keep its place. */
  text: string;
  /** Text with its place. */
  named: Named;
  /** Text with its place that must be fit to be an id; always required. */
  id: Named;
  truth: boolean;
  whole: number;
  /** Names in any order: a set in the data. */
  names: readonly Named[];
  /** Names whose order counts: an array in the data. */
  list: readonly Named[];
  /** Text → list of texts. */
  commands: unknown;
  /** A list of values of any type; read by hand. */
  values: unknown;
  /** A number, or a mapping of numbers; read by hand. */
  limit: unknown;
}

/** `V` is the type that the model has. */
export interface Leaf<K extends keyof Values = keyof Values, V = unknown, U extends Use = Use> {
  readonly kind: K;
  readonly meaning: string;
  readonly use: U;
  readonly values?: readonly V[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Fields in a mapping of their own. Without a name in data and model, its fields belong to the row that it is in. */
export interface Section<F extends Fields = Fields, U extends Use = Use> {
  readonly kind: "section";
  readonly meaning: string;
  readonly use: U;
  readonly fields: F;
  /** A text may stand in its place; read by hand. */
  readonly orText?: true;
}

/** A list of mappings. */
export interface Rows<F extends Fields = Fields, U extends Use = Use> {
  readonly kind: "rows";
  readonly meaning: string;
  readonly use: U;
  readonly fields: F;
  /** A text may stand in its place; read by hand. */
  readonly orText?: true;
}

/** A mapping of names that the author chooses to mappings, or to nothing; read by hand. */
export interface ByName<F extends Fields = Fields, U extends Use = Use> {
  readonly kind: "by-name";
  readonly meaning: string;
  readonly use: U;
  readonly fields: F;
}

export type Field = Leaf | Section | Rows | ByName;
export interface Fields {
  readonly [key: string]: Field;
}

type LeafOf<K extends keyof Values> = <const U extends Use = Record<never, never>>(
  meaning: Meaning,
  use?: U,
) => Leaf<K, Values[K], U>;

function leaf<K extends keyof Values>(kind: K): LeafOf<K> {
  return (meaning, use) => ({ kind, meaning, use: use ?? ({} as never) });
}

export const text = leaf("text");
export const named = leaf("named");
export const truth = leaf("truth");
export const names = leaf("names");
export const list = leaf("list");
export const commands = leaf("commands");
export const values = leaf("values");
export const limit = leaf("limit");

/** The id of a row. */
export function id<const U extends Use>(meaning: Meaning, use: U): Leaf<"id", Named, U & { readonly required: true }> {
  return { kind: "id", meaning, use: { ...use, required: true } };
}

/** A whole number, bounds included. */
export function whole<const U extends Use = Record<never, never>>(
  bounds: { readonly minimum: number; readonly maximum?: number },
  meaning: Meaning,
  use?: U,
): Leaf<"whole", number, U> {
  return { kind: "whole", meaning, use: use ?? ({} as never), ...bounds };
}

export function choice<const V extends string, const U extends Use>(
  values: readonly V[],
  meaning: Meaning,
  use?: U,
): Leaf<"text", V, U> {
  return { kind: "text", values, meaning, use: use ?? ({} as never) };
}

/** A choice whose place the model keeps. */
export function namedChoice<const U extends Use>(
  values: readonly string[],
  meaning: Meaning,
  use: U,
): Leaf<"named", Named, U> {
  return { ...named(meaning, use), values: values as readonly never[] };
}

export function section<F extends Fields, const U extends Use = Record<never, never>>(
  meaning: string,
  fields: F,
  use?: U,
): Section<F, U> {
  return { kind: "section", meaning, fields, use: use ?? ({} as never) };
}

export function rows<F extends Fields, const U extends Use = Record<never, never>>(
  meaning: string,
  fields: F,
  use?: U,
): Rows<F, U> {
  return { kind: "rows", meaning, fields, use: use ?? ({} as never) };
}

export function textOrSection<F extends Fields>(meaning: Meaning, fields: F): Section<F, Record<never, never>> {
  return { ...section(meaning, fields), orText: true };
}

export function textOrRows<F extends Fields>(meaning: Meaning, fields: F): Rows<F, { readonly byHand: true }> {
  return { ...rows(meaning, fields, { byHand: true }), orText: true };
}

export function byName<F extends Fields, const U extends Use>(meaning: string, fields: F, use: U): ByName<F, U> {
  return { kind: "by-name", meaning, fields, use };
}

/** What files of most kinds begin with. */
export const FILE_FIELDS = {
  version: text("Informs: version of the policy file, as harness records cite it."),
  contract_version: text("Informs: for readers."),
  last_updated: text("Informs: a date; kept as text."),
};
