/** The signatures of the catalogue as types of type checking. */

import { unreachable } from "../diagnostics/index.ts";
import type { Builtin, BuiltinType } from "../syntax/index.ts";
import {
  ANY,
  arrayOf,
  BOOLEAN,
  type FunctionType,
  NULL,
  NUMBER,
  objectOf,
  STRING,
  setOf,
  stringProperty,
  type Type,
  type Unknown,
  union,
} from "./types.ts";

function toType(type: BuiltinType): Type {
  switch (type.kind) {
    case "any":
      return ANY;
    case "null":
      return NULL;
    case "boolean":
      return BOOLEAN;
    case "number":
      return NUMBER;
    case "string":
      return STRING;
    case "array":
      return arrayOf(type.items.map(toType), type.rest && toType(type.rest));
    case "set":
      return setOf(toType(type.of));
    case "object": {
      const rest = type.rest && { key: toType(type.rest.key), value: toType(type.rest.value) };
      return objectOf(
        type.fields.map((f) => stringProperty(f.name, toType(f.type))),
        rest,
      );
    }
    case "union":
      return type.of.map(toType).reduce<Type | Unknown>((sum, t) => union(sum, t), undefined) ?? ANY;
    default:
      return unreachable(type);
  }
}

const signatures = new WeakMap<Builtin, FunctionType>();

export function signatureOf(builtin: Builtin): FunctionType {
  let signature = signatures.get(builtin);
  if (signature === undefined) {
    signature = {
      kind: "function",
      args: builtin.parameters.map((p) => toType(p.type)),
      result: builtin.result && toType(builtin.result),
      variadic: builtin.variadic && toType(builtin.variadic),
    };
    signatures.set(builtin, signature);
  }
  return signature;
}
