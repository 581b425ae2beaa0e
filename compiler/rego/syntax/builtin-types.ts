/**
 * The types in which builtins are declared, and their notation:
 *
 *     any  null  boolean  number  string
 *     array[T]          any number of T
 *     array<T, U>       exactly a T and a U
 *     set[T]
 *     object[K: V]      any number of entries
 *     object<a: T, K: V> the entry "a", and any number of others
 *     T | U
 *
 *     name(arg: T, arg: T) -> T; flag; flag
 *
 * A declaration without `-> T` is of a function that gives nothing (`print`); `name(...T)` takes any number of T.
 */

import { assert } from "../diagnostics/index.ts";

export type BuiltinType =
  | { readonly kind: "any" }
  | { readonly kind: "null" }
  | { readonly kind: "boolean" }
  | { readonly kind: "number" }
  | { readonly kind: "string" }
  /** `items` at their places, then any number of `rest`. */
  | { readonly kind: "array"; readonly items: readonly BuiltinType[]; readonly rest: BuiltinType | undefined }
  | { readonly kind: "set"; readonly of: BuiltinType }
  | {
      readonly kind: "object";
      readonly fields: readonly { readonly name: string; readonly type: BuiltinType }[];
      readonly rest: { readonly key: BuiltinType; readonly value: BuiltinType } | undefined;
    }
  | { readonly kind: "union"; readonly of: readonly BuiltinType[] };

/** An operand of a builtin. */
export interface BuiltinParameter {
  /** OPA's name for it, or `undefined`. */
  readonly name: string | undefined;
  readonly type: BuiltinType;
}

/** A builtin's signature, as it is declared. */
export interface Declaration {
  readonly name: string;
  readonly parameters: readonly BuiltinParameter[];
  /** The type of further arguments, for a function with any number of them. */
  readonly variadic: BuiltinType | undefined;
  readonly result: BuiltinType | undefined;
  readonly flags: readonly string[];
}

const atoms: Readonly<Record<string, BuiltinType>> = {
  any: { kind: "any" },
  null: { kind: "null" },
  boolean: { kind: "boolean" },
  number: { kind: "number" },
  string: { kind: "string" },
};

/** Reads one line of the notation above. The text is ours, so that a mistake in it is an InternalError. */
export function parseDeclaration(line: string): Declaration {
  const [signature = "", ...flags] = line.split(";").map((part) => part.trim());
  const words = signature.match(/->|\.\.\.|[\w.]+|[[\]<>(),:|]/g) ?? [];
  let at = 0;
  const peek = (word: string) => words[at] === word;
  const next = (): string => words[at++] ?? "";
  const take = (word: string): void =>
    assert(next() === word, `expected ${word} in the declaration of a builtin: ${line}`);
  const accept = (word: string): boolean => peek(word) && next() === word;

  const type = (): BuiltinType => {
    const of = [simple()];
    while (accept("|")) of.push(simple());
    return of.length === 1 ? (of[0] as BuiltinType) : { kind: "union", of };
  };
  const simple = (): BuiltinType => {
    const word = next();
    const atom = atoms[word];
    if (atom) return atom;
    if (word === "set") return { kind: "set", of: bracketed(type) };
    if (word === "array") {
      if (peek("[")) return { kind: "array", items: [], rest: bracketed(type) };
      return { kind: "array", items: angled(type), rest: undefined };
    }
    assert(word === "object", `unknown type ${word} in the declaration of a builtin: ${line}`);
    if (peek("[")) return { kind: "object", fields: [], rest: bracketed(entry) };
    const entries = angled(() => (words[at] !== undefined && !((words[at] as string) in atoms) ? field() : entry()));
    const fields = entries.filter((item) => "name" in item);
    return { kind: "object", fields, rest: entries.find((item) => "key" in item) };
  };
  const entry = () => {
    const key = type();
    take(":");
    return { key, value: type() };
  };
  const field = () => {
    const name = next();
    take(":");
    return { name, type: type() };
  };
  const bracketed = <X>(inside: () => X): X => {
    take("[");
    const result = inside();
    take("]");
    return result;
  };
  const angled = <X>(inside: () => X): X[] => {
    take("<");
    const items = [inside()];
    while (accept(",")) items.push(inside());
    take(">");
    return items;
  };

  const name = next();
  const parameters: BuiltinParameter[] = [];
  let variadic: BuiltinType | undefined;
  take("(");
  while (!peek(")")) {
    if (parameters.length > 0) take(",");
    if (accept("...")) variadic = type();
    else if (words[at + 1] === ":") parameters.push(field());
    else parameters.push({ name: undefined, type: type() });
  }
  take(")");
  const result = accept("->") ? type() : undefined;
  assert(at === words.length, `unread text in the declaration of a builtin: ${line}`);
  return { name, parameters, variadic, result, flags };
}

/** The notation of a type: `parseDeclaration`'s inverse. */
export function printBuiltinType(type: BuiltinType): string {
  switch (type.kind) {
    case "array":
      if (type.rest) return `array[${printBuiltinType(type.rest)}]`;
      return `array<${type.items.map(printBuiltinType).join(", ")}>`;
    case "set":
      return `set[${printBuiltinType(type.of)}]`;
    case "object": {
      const rest = type.rest && `${printBuiltinType(type.rest.key)}: ${printBuiltinType(type.rest.value)}`;
      if (type.fields.length === 0) return `object[${rest ?? ""}]`;
      const fields = type.fields.map((field) => `${field.name}: ${printBuiltinType(field.type)}`);
      return `object<${[...fields, ...(rest ? [rest] : [])].join(", ")}>`;
    }
    case "union":
      return type.of.map(printBuiltinType).join(" | ");
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "any":
      return type.kind;
  }
}
