/** Whether a value is of the type that is expected, https://spec.graphql.org/October2021/#sec-Values-of-Correct-Type */

import { fail } from "../family.ts";
import { type Definition, type Type, type Value, valueKinds } from "./ast.ts";

const builtInScalars = new Set(["Int", "Float", "String", "Boolean", "ID"]);
const floatText = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const booleanTexts = new Set(["1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False"]);

function isInt64(text: string): boolean {
  if (!/^[-+]?[0-9]+$/.test(text)) return false;
  const number = text.length < 19 ? 0n : BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, number) === number;
}

/** Whether the text of a number or boolean can be read as one. */
export function isReadable({ Kind, Raw }: Value): boolean {
  switch (Kind) {
    case valueKinds.int:
      return isInt64(Raw);
    case valueKinds.float:
      return floatText.test(Raw) && Number.isFinite(Number(Raw));
    case valueKinds.boolean:
      return booleanTexts.has(Raw);
    default:
      return true;
  }
}

/** A builtin error for a value of another type. `readable` says that all numbers in it are, those of custom scalars too. */
export function checkValue(value: Value, type: Type, definition: Definition, readable: boolean): void {
  const { Name, Kind } = definition;
  if (value.Kind === valueKinds.null) return type.NonNull ? fail("null where it is not allowed") : undefined;
  if (Kind === "SCALAR" && !builtInScalars.has(Name)) return;
  if (!readable) fail("value that cannot be read");
  const oneOf = (...names: readonly string[]): void =>
    names.includes(Name) ? undefined : fail("value of another type");
  switch (value.Kind) {
    case valueKinds.variable:
      return;
    case valueKinds.list:
      return type.Elem === undefined ? fail("list where none is expected") : undefined;
    case valueKinds.int:
      return oneOf("Int", "Float", "ID");
    case valueKinds.float:
      return oneOf("Float");
    case valueKinds.string:
    case valueKinds.block:
      return Kind === "ENUM" ? fail("text for an enum") : oneOf("String", "ID");
    case valueKinds.enum:
      return Kind === "ENUM" && definition.EnumValues.some((known) => known.Name === value.Raw)
        ? undefined
        : fail("unknown enum value");
    case valueKinds.boolean:
      return oneOf("Boolean");
    case valueKinds.object:
      return checkObject(value, definition);
    default:
      return fail("unknown kind of value");
  }
}

function checkObject(value: Value, definition: Definition): void {
  for (const field of definition.Fields) {
    const given = value.Children.some(({ Name }) => Name === field.Name);
    if (field.Type.NonNull && field.DefaultValue === undefined && !given) fail("required input field is missing");
  }
  if (isOneOf(definition)) {
    const [only] = value.Children;
    if (only === undefined || value.Children.length > 1 || only.Value.Kind === valueKinds.null)
      fail("exactly one field is needed");
  }
  for (const { Name } of value.Children)
    if (!definition.Fields.some((field) => field.Name === Name)) fail("unknown input field");
}

/** Whether exactly one field of the input object is given. */
export const isOneOf = (definition: Definition): boolean => definition.Directives.some(({ Name }) => Name === "oneOf");
