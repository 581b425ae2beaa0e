/**
 * A file that maps tools:
 *
 *     tools:
 *       create_draft: draft.create
 *       pay:
 *         tool: payout.release
 *         scope: { contributor_id: contributor }    # key of the scope: argument that holds it
 *         flags: [immediate]
 *         writes: [{ table: payouts, mode: append }]
 */

import {
  failure,
  parseYaml,
  type Result,
  type SourceFile,
  type SourceNode,
  type Span,
  success,
  toPlain,
} from "@portcullis/documents";
import { type MapProblem, type MappedTool, mappedTo, type ToolMap } from "./tool-map.ts";

export function readToolMap(file: SourceFile): Result<ToolMap, MapProblem> {
  const { root, diagnostics } = parseYaml(file);
  const broken = diagnostics.find((d) => d.severity === "error");
  if (broken !== undefined) return wrong(broken.span, broken.message);
  const members = root === undefined ? undefined : membersOf(root, ["tools"]);
  const tools = members?.get("tools");
  if (tools?.kind !== "Mapping") return wrong(root?.span, "this file needs a mapping `tools`, and nothing else");
  const map = new Map<string, MappedTool>();
  for (const { key, value } of tools.entries) {
    const mapped = toolOf(value);
    if (mapped === undefined)
      return wrong(
        value.span,
        `\`${key}\` is an id of the registry, or \`tool\` with \`scope\`, \`flags\`, \`writes\``,
      );
    map.set(key, mapped);
  }
  return success(map);
}

function toolOf(node: SourceNode): MappedTool | undefined {
  if (node.kind === "String") return node.value === "" ? undefined : mappedTo(node.value);
  const members = membersOf(node, ["tool", "scope", "flags", "writes"]);
  const tool = members?.get("tool");
  if (members === undefined || tool?.kind !== "String" || tool.value === "") return undefined;
  const scope = scopeOf(members.get("scope"));
  const flags = listOf(members.get("flags"), (item) => (item.kind === "String" ? item.value : undefined));
  const writes = listOf(members.get("writes"), writeOf);
  return scope && flags && writes && { tool: tool.value, scope, flags, writes };
}

function scopeOf(node: SourceNode | undefined): ReadonlyMap<string, string> | undefined {
  if (node === undefined) return new Map();
  if (node.kind !== "Mapping") return undefined;
  const pairs = node.entries.map(({ key, value }) => [key, toPlain(value)] as const);
  return pairs.every((pair): pair is [string, string] => typeof pair[1] === "string") ? new Map(pairs) : undefined;
}

function writeOf(node: SourceNode): { table: string; mode: string } | undefined {
  const members = membersOf(node, ["table", "mode"]);
  const [table, mode] = [members?.get("table"), members?.get("mode")];
  return table?.kind === "String" && mode?.kind === "String" ? { table: table.value, mode: mode.value } : undefined;
}

/** All items, or nothing where one of them is wrong. */
function listOf<T>(node: SourceNode | undefined, read: (item: SourceNode) => T | undefined): T[] | undefined {
  if (node === undefined) return [];
  if (node.kind !== "Sequence") return undefined;
  const items = node.items.map(read).filter((item) => item !== undefined);
  return items.length === node.items.length ? items : undefined;
}

/** Members of a mapping; nothing for another value, and for a key that has no meaning. */
function membersOf(node: SourceNode, known: readonly string[]): Map<string, SourceNode> | undefined {
  if (node.kind !== "Mapping" || !node.entries.every(({ key }) => known.includes(key))) return undefined;
  return new Map(node.entries.map(({ key, value }) => [key, value]));
}

function wrong(span: Span | undefined, message: string): Result<never, MapProblem> {
  if (span === undefined) return failure("broken-tool-map", message);
  const at = span.file.positionAt(span.start);
  return failure("broken-tool-map", `${span.file.name}:${at.line}:${at.column}: ${message}`);
}
