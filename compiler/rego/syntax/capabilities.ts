/**
 * `opa capabilities`, read: which builtins an author may call. Those of OPA's catalogue keep our declaration, others are
 * declared there. What the file says of the language itself: `language.ts`.
 * https://www.openpolicyagent.org/docs/deployments#capabilities
 */

import { isJsonObject, type JsonObject } from "../value/index.ts";
import type { BuiltinParameter, BuiltinType } from "./builtin-types.ts";
import { type Builtin, type Builtins, builtins } from "./builtins.ts";

/** Thrown for a text that is not a capabilities file; the message says where. */
export class CapabilitiesError extends Error {
  override readonly name = "CapabilitiesError";
}

/** The names that the language itself needs, whatever a file lists: what comprehensions, templates and tests are made of. */
const isInternal = (name: string): boolean => name.startsWith("internal.") || name === "eq" || name === "assign";

/** All builtins that the file lists, and those that the language cannot do without. Throws CapabilitiesError. */
export function readCapabilities(json: unknown): Builtins {
  const listed = declaredBuiltins(json);
  const internal = [...builtins().values()].filter((b) => isInternal(b.name));
  return byName([...internal, ...listed]);
}

/** The catalogue, and what `json` declares beyond it. Throws CapabilitiesError. */
export function withDeclared(catalogue: Builtins, json: unknown): Builtins {
  return byName([...catalogue.values(), ...declaredBuiltins(json)]);
}

function byName(list: readonly Builtin[]): Builtins {
  const named = new Map(list.map((b) => [b.name, b]));
  return new Map([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function declaredBuiltins(json: unknown): Builtin[] {
  const list = isJsonObject(json) ? json["builtins"] : undefined;
  if (!Array.isArray(list)) throw new CapabilitiesError("it has no list `builtins`");
  return list.map((item: unknown, i) => {
    const name = isJsonObject(item) ? item["name"] : undefined;
    if (typeof name !== "string" || !/^[a-zA-Z_]\w*(\.[a-zA-Z_]\w*)*$/.test(name))
      throw new CapabilitiesError(`\`builtins[${i}]\` has no name that a policy could call`);
    return builtins().get(name) ?? declaration(name, item as JsonObject);
  });
}

function declaration(name: string, item: JsonObject): Builtin {
  const decl = item["decl"];
  if (!isJsonObject(decl) || decl["type"] !== "function")
    throw new CapabilitiesError(`\`${name}\` has no \`decl\` of type \`function\``);
  if (item["relation"] === true || item["infix"] !== undefined || decl["variadic"] !== undefined)
    throw new CapabilitiesError(
      `\`${name}\` is a relation, an operator, or takes any number of operands: a host supplies none of these`,
    );
  const args = decl["args"] ?? [];
  if (!Array.isArray(args)) throw new CapabilitiesError(`the \`args\` of \`${name}\` are no list`);
  if (decl["result"] === undefined) throw new CapabilitiesError(`\`${name}\` has no \`result\``);
  return {
    name,
    parameters: args.map((arg: unknown): BuiltinParameter => {
      const named = isJsonObject(arg) ? arg["name"] : undefined;
      return { name: typeof named === "string" ? named : undefined, type: typeOf(name, arg) };
    }),
    variadic: undefined,
    result: typeOf(name, decl["result"]),
    infix: undefined,
    relation: false,
    nondeterministic: item["nondeterministic"] === true,
    deprecated: item["deprecated"] === true,
  };
}

/** A type as OPA writes it. */
function typeOf(name: string, json: unknown): BuiltinType {
  const wrong = (): never => {
    throw new CapabilitiesError(`\`${name}\` is declared with a malformed type: ${JSON.stringify(json)}`);
  };
  if (!isJsonObject(json)) return wrong();
  const inner = (type: unknown): BuiltinType => typeOf(name, type);
  const { type: kind, of, dynamic } = json;
  const fixed = json["static"] ?? [];
  if (!Array.isArray(fixed)) return wrong();
  switch (kind) {
    case "null":
    case "boolean":
    case "number":
    case "string":
      return { kind };
    case "any":
      if (of === undefined) return { kind };
      return Array.isArray(of) && of.length > 0 ? { kind: "union", of: of.map(inner) } : wrong();
    case "set":
      return { kind, of: of === undefined ? { kind: "any" } : inner(of) };
    case "array":
      return { kind, items: fixed.map(inner), rest: dynamic === undefined ? undefined : inner(dynamic) };
    case "object":
      return {
        kind,
        fields: fixed.map((field: unknown) => {
          if (!isJsonObject(field) || typeof field["key"] !== "string") return wrong();
          return { name: field["key"], type: inner(field["value"]) };
        }),
        rest: isJsonObject(dynamic) ? { key: inner(dynamic["key"]), value: inner(dynamic["value"]) } : undefined,
      };
    default:
      return wrong();
  }
}
