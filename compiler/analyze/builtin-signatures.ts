/** The signatures of the catalogue as types of type checking. */

import { unreachable } from "../base/assert.ts";
import type { BuiltinType } from "../rego/builtin-types.ts";
import { builtin } from "../rego/builtins.ts";
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

const signatures = new Map<string, FunctionType | undefined>();

export function signatureOf(name: string): FunctionType | undefined {
  if (!signatures.has(name)) {
    const found = builtin(name);
    const signature: FunctionType | undefined = found && {
      kind: "function",
      args: found.parameters.map((p) => toType(p.type)),
      result: found.result && toType(found.result),
      variadic: found.variadic && toType(found.variadic),
    };
    signatures.set(name, signature);
  }
  return signatures.get(name);
}
