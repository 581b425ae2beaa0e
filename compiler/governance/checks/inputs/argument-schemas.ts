/**
 * What `arguments` of tool_registry.yaml says, as a schema: gate ARGUMENTS has established it before an author's gate is asked. It is
 * read from the policy's data, as the gate reads it.
 */

import type { Value } from "@portcullis/rego/value";

type Schema = { readonly [key: string]: unknown };

/** Types of arguments that have another name in a schema; `any` says nothing. */
const TYPES: { readonly [type: string]: string } = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  list: "array",
  object: "object",
};

/** What a tool says of a call's arguments, as a schema of the call: one that says nothing where the tool says nothing. */
export function argumentSchemas(data: (path: readonly string[]) => Value | undefined): (tool: string) => unknown {
  return (tool) => {
    const path = ["portcullis", "policy", "tools", tool];
    const declared = data([...path, "arguments"]);
    if (declared?.kind !== "object") return {};
    const rules = declared.entries.flatMap(([name, rule]) =>
      name.kind === "string" ? [[name.value, rule] as const] : [],
    );
    const required = rules.flatMap(([name, rule]) => (isTrue(part(rule, "required")) ? [name] : []));
    const args = {
      properties: Object.fromEntries(rules.map(([name, rule]) => [name, argumentSchema(rule)])),
      // What else there is, where it may be, is anything.
      additionalProperties: true,
      required,
      "x-established": true,
      // Another is refused, but for one that is `null`.
      "x-closed": isText(data([...path, "other_arguments"]), "deny"),
    };
    return { properties: { args }, required: required.length > 0 ? ["args"] : [] };
  };
}

/** The names that a tool takes; `undefined` where it takes others, too. `schema`: what `argumentSchemas` says of the tool. */
export function closedArguments(schema: unknown): readonly string[] | undefined {
  const { args } = (schema as { readonly properties?: { readonly args?: Schema } }).properties ?? {};
  return args?.["x-closed"] === true ? Object.keys(args["properties"] as Schema) : undefined;
}

/** `null` counts as absent, so that an argument which may be absent may be `null`. */
function argumentSchema(rule: Value): Schema {
  const schema = typedSchema(rule);
  return isTrue(part(rule, "required")) ? schema : { anyOf: [{ type: "null" }, schema], "x-established": true };
}

function typedSchema(rule: Value): Schema {
  const type = part(rule, "type");
  const name = type?.kind === "string" ? TYPES[type.value] : undefined;
  const each = part(rule, "each");
  return {
    ...(name === undefined ? {} : { type: name }),
    ...(each === undefined ? {} : { items: typedSchema(each) }),
    "x-established": true,
  };
}

function part(value: Value, name: string): Value | undefined {
  if (value.kind !== "object") return undefined;
  return value.entries.find(([key]) => key.kind === "string" && key.value === name)?.[1];
}

function isText(value: Value | undefined, text: string): boolean {
  return value?.kind === "string" && value.value === text;
}

function isTrue(value: Value | undefined): boolean {
  return value?.kind === "boolean" && value.value;
}
