/** A JSON Schema as it is checked against: keywords read and judged, references followed. */

import type { HostNumber } from "@portcullis/runtime/host";
import type { Matcher } from "./pattern.ts";

/** "Hybrid" takes the keywords of all drafts: for schemas that do not name their draft. */
export type Draft = 4 | 6 | 7 | "hybrid";

/** Whether a draft has what came with draft `since`. */
export function hasDraft(draft: Draft, since: 6 | 7): boolean {
  return draft === "hybrid" || draft >= since;
}

export const typeNames = ["array", "boolean", "integer", "number", "null", "object", "string"] as const;

export type TypeName = (typeof typeNames)[number];

export interface Limits {
  min?: number;
  max?: number;
}

/** Filled while it is read, since a schema may refer to itself. */
export interface Schema {
  readonly draft: Draft;
  /** Set for the schemas `true` and `false`. */
  pass?: boolean;
  /** Everything else is ignored where there is a reference. */
  reference?: Schema;
  readonly types: TypeName[];
  readonly properties: Map<string, Schema>;
  readonly patternProperties: { readonly matches: Matcher; readonly schema: Schema }[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  readonly dependencies: Map<string, readonly string[] | Schema>;
  items?: Schema | readonly Schema[];
  additionalItems?: boolean | Schema;
  contains?: Schema;
  multipleOf?: HostNumber;
  minimum?: HostNumber;
  maximum?: HostNumber;
  exclusiveMinimum?: HostNumber;
  exclusiveMaximum?: HostNumber;
  readonly length: Limits;
  readonly propertyCount: Limits;
  readonly itemCount: Limits;
  uniqueItems?: boolean;
  required: readonly string[];
  format?: string;
  pattern?: { readonly text: string; readonly matches: Matcher };
  /** Canonical JSON texts. */
  constant?: string;
  /** Nothing conforms to an empty one. */
  enumeration?: readonly string[];
  allOf: readonly Schema[];
  anyOf: readonly Schema[];
  oneOf: readonly Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
}

export function newSchema(draft: Draft): Schema {
  return {
    draft,
    types: [],
    properties: new Map(),
    patternProperties: [],
    dependencies: new Map(),
    length: {},
    propertyCount: {},
    itemCount: {},
    required: [],
    allOf: [],
    anyOf: [],
    oneOf: [],
  };
}

/** Why a text is no schema, in the words of OPA's own library, which policies may compare with. */
export class SchemaError extends Error {}

export function refuse(message: string): never {
  throw new SchemaError(message);
}

export const invalidType = (expected: string, given: string): never =>
  refuse(`Invalid type. Expected: ${expected}, given: ${given}`);
