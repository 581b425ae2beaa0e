/** The answer of an MCP server to `tools/list` → a registry of its tools, with the names and types of their arguments. */

import { isJsonObject } from "@portcullis/documents";
import { type Draft, type LeftOut, type Written, yamlFile } from "./draft.ts";

/** `server`: what the host calls it, and the folder of the draft. `answer`: the result of `tools/list`, or the whole answer. */
export function importMcpTools(server: string, answer: unknown): Draft | undefined {
  const list = member(answer, "tools") ?? member(member(answer, "result"), "tools");
  if (!Array.isArray(list)) return undefined;
  const leftOut: LeftOut[] = [];
  if (typeof (member(answer, "nextCursor") ?? member(member(answer, "result"), "nextCursor")) === "string")
    leftOut.push({ what: "tools behind `nextCursor`", why: "the answer is one page of several: ask for the others" });
  const tools = new Map<string, { [key: string]: Written }>();
  for (const tool of list as unknown[]) {
    const name = member(tool, "name");
    if (typeof name !== "string" || name.trim() === "" || /[\u0000-\u001f]/.test(name))
      leftOut.push({ what: `\`${JSON.stringify(name) ?? "a tool"}\``, why: "it has no name that an id can be" });
    else if (tools.has(name)) leftOut.push({ what: `\`${name}\``, why: "the server has two tools of that name" });
    else tools.set(name, toolOf(name, tool, leftOut));
  }
  const id = server.toUpperCase().replace(/[^A-Z0-9]+/g, "_") || "SERVER";
  const folder = `mcp-${id.toLowerCase().replaceAll("_", "-")}`;
  return {
    files: [
      yamlFile(`${folder}/roles.yaml`, "Drafted: name the role as your hosts do.", {
        roles: [{ role_id: `${id}_USER`, class: "agent", privileges: { lanes: [id] } }],
      }),
      yamlFile(`${folder}/lanes.yaml`, "Drafted: leave out tools that the lane does not need.", {
        lanes: [
          {
            lane_id: id,
            allowed_callers: { roles: [`${id}_USER`] },
            allowed_actions: { tools: [...tools.keys()] },
          },
        ],
      }),
      yamlFile(
        `${folder}/tool_registry.yaml`,
        `Drafted from the tools of the MCP server ${JSON.stringify(server)}. Types are its own: say what values may be.`,
        { tools: [...tools.values()] },
        leftOut,
      ),
    ],
    kept: tools.size,
    leftOut,
  };
}

function toolOf(name: string, tool: unknown, leftOut: LeftOut[]): { [key: string]: Written } {
  const row = { tool_name: name, enabled: true, implementation_status: "implemented" };
  const schema = member(tool, "inputSchema");
  const properties = member(schema, "properties");
  const required = member(schema, "required");
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  if (member(schema, "additionalProperties") === true || isJsonObject(member(schema, "additionalProperties")))
    leftOut.push({ what: `further arguments of \`${name}\``, why: "the server takes any; these are denied" });
  const args = entries.map(([argument, of]) => {
    const drafted = argumentOf(of, Array.isArray(required) && required.includes(argument));
    const lost = lostOf(of, drafted);
    if (lost.length > 0)
      leftOut.push({
        what: `${lost.map((key) => `\`${key}\``).join(", ")} of argument \`${argument}\` of \`${name}\``,
        why: "it is not drafted: say what values may be",
      });
    return [argument, drafted];
  });
  return entries.length === 0
    ? { ...row, other_arguments: "deny" }
    : { ...row, arguments: Object.fromEntries(args) as { [name: string]: Written } };
}

/** JSON Schema's types by ours. */
const TYPES: { readonly [type: string]: string } = {
  string: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  array: "list",
  object: "object",
};

interface Drafted {
  readonly [key: string]: Written | undefined;
}

function argumentOf(schema: unknown, isRequired: boolean): Drafted {
  const type = typeOf(schema);
  const values = member(schema, "enum");
  const whole = (key: string): number | undefined => {
    const value = member(schema, key);
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  };
  const bound = (key: string): number | undefined => {
    const value = member(schema, key);
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  };
  const isNumber = type === "integer" || type === "number";
  const itemType =
    type === "list" && isJsonObject(member(schema, "items")) ? typeOf(member(schema, "items")) : undefined;
  return {
    type: type === "string" ? undefined : type,
    required: isRequired ? undefined : false,
    one_of:
      Array.isArray(values) && values.every((v) => typeof v === "string") && type === "string" ? values : undefined,
    max_length: type === "string" ? whole("maxLength") : type === "list" ? whole("maxItems") : undefined,
    min: isNumber ? bound("minimum") : undefined,
    max: isNumber ? bound("maximum") : undefined,
    each: itemType === undefined || itemType === "any" ? undefined : { type: itemType },
  };
}

/** Keys of JSON Schema that say nothing of values. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...[
    "$comment",
    "$id",
    "$schema",
    "default",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
  ],
]);

/** What a schema says of values, and the draft does not. */
function lostOf(schema: unknown, { type = "string", one_of, max_length, min, max, each }: Drafted): string[] {
  const items = member(schema, "items");
  const kept = {
    type: type !== "any",
    enum: one_of !== undefined,
    [type === "list" ? "maxItems" : "maxLength"]: max_length !== undefined,
    minimum: min !== undefined,
    maximum: max !== undefined,
    items: each !== undefined && isJsonObject(items) && lostOf(items, each as Drafted).length === 0,
  };
  return Object.entries(isJsonObject(schema) ? schema : {}).flatMap(([key, said]) => {
    const isOpen = said === true || (isJsonObject(said) && Object.keys(said).length === 0);
    const isKept = ANNOTATIONS.has(key) || (Object.hasOwn(kept, key) && kept[key as keyof typeof kept]);
    return isKept || (isOpen && key !== "uniqueItems") ? [] : [key];
  });
}

/** `any` for what may be of several types; `null` counts as absent. */
function typeOf(schema: unknown): string {
  const type = member(schema, "type");
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null");
  return (
    (types.length === 1 && typeof types[0] === "string" && Object.hasOwn(TYPES, types[0]) && TYPES[types[0]]) || "any"
  );
}

function member(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
