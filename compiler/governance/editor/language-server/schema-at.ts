/** What a format's schema says of a place. */

import { FILE_FORMATS, type FormatName } from "../schemas.ts";

/** The part of JSON Schema that the formats use. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: { readonly [key: string]: SchemaNode };
  /** What stands under names that the author chooses. */
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: SchemaNode };
}

/** The schema of what stands at a path, `*` for an element of a list; `undefined` where the format knows nothing. */
export function schemaAt(format: FormatName, path: readonly string[]): SchemaNode | undefined {
  const root = FILE_FORMATS.find((f) => f.name === format)?.schema as SchemaNode | undefined;
  let node = root && resolve(root, root);
  for (const key of path) {
    if (root === undefined || node === undefined) return undefined;
    const next = key === "*" ? node.items : memberAt(node, key);
    node = next && resolve(root, next);
  }
  return node;
}

function memberAt({ properties = {}, additionalProperties: others }: SchemaNode, key: string): SchemaNode | undefined {
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof others === "object" ? others : undefined;
}

/** A node with what its `$ref` says; its own words come first. */
function resolve(root: SchemaNode, node: SchemaNode): SchemaNode {
  const name = node.$ref?.replace("#/$defs/", "");
  return name === undefined ? node : { ...root.$defs?.[name], ...node };
}

/** How a value is written, for people: `list of strings`. */
export function typeText(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((v) => `\`${v}\``).join(" or ");
  const [type] = [node.type ?? []].flat().filter((t) => t !== "null");
  switch (type as string | undefined) {
    case "array":
      return node.items?.type === "string" ? "list of texts" : "list";
    case "object":
      return "mapping";
    case "boolean":
      return "`true` or `false`";
    case "integer":
      return "whole number";
    case "string":
      return "text";
    default:
      return "any value";
  }
}
