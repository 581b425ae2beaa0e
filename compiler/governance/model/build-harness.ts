/** Roles, lanes and tools. Files of one kind add up; an id may be defined once in all of them. */

import { entryOf, type SourceDocument, type SourceNode } from "../sources/index.ts";
import { report } from "./codes.ts";
import type { Lane, Named, Role, Tool } from "./model.ts";
import type { Reader } from "./read.ts";

export function buildRoles(documents: readonly SourceDocument[], reader: Reader): ReadonlyMap<string, Role> {
  return collect(documents, "roles", "role", reader, (node) => ({
    id: reader.id(node, "role_id"),
    class: reader.string(node, "class"),
    description: reader.string(node, "description"),
    claims: reader.names(entryOf(node, "privileges")?.value, "lanes"),
  }));
}

export function buildLanes(documents: readonly SourceDocument[], reader: Reader): ReadonlyMap<string, Lane> {
  return collect(documents, "lanes", "lane", reader, (node) => {
    const actions = entryOf(node, "allowed_actions")?.value;
    const scope = entryOf(node, "scope")?.value;
    return {
      id: reader.id(node, "lane_id"),
      purpose: reader.string(node, "purpose"),
      roles: reader.names(entryOf(node, "allowed_callers")?.value, "roles") ?? [],
      tools: reader.names(actions, "tools") ?? [],
      writes: reader.items(actions, "writes").map((write) => ({
        table: reader.id(write, "table"),
        mode: reader.id(write, "mode"),
      })),
      requires: reader.names(scope, "requires") ?? [],
      prohibits: reader.names(scope, "prohibits") ?? [],
    };
  });
}

export function buildTools(documents: readonly SourceDocument[], reader: Reader): ReadonlyMap<string, Tool> {
  return collect(documents, "tools", "tool", reader, (node) => ({
    id: reader.id(node, "tool_name"),
    description: reader.string(node, "description"),
    enabled: reader.boolean(node, "enabled"),
    implementationStatus: reader.string(node, "implementation_status"),
    lanes: reader.names(node, "allowed_lanes"),
    scopeKeys: reader.names(node, "required_scope_keys") ?? [],
    prohibitedFlags: reader.names(node, "prohibited_flags") ?? [],
    writeTargets: reader.names(node, "write_targets"),
    approval: reader.string(node, "approval") === "required" ? "required" : "none",
  }));
}

function collect<T extends { readonly id: Named }>(
  documents: readonly SourceDocument[],
  key: string,
  kind: string,
  reader: Reader,
  build: (node: SourceNode) => T,
): ReadonlyMap<string, T> {
  const byId = new Map<string, T>();
  for (const document of documents) {
    for (const node of reader.items(document.root, key)) {
      const item = build(node);
      const first = byId.get(item.id.name);
      if (first === undefined) {
        byId.set(item.id.name, item);
      } else {
        const related = [{ message: "first defined here", span: first.id.span }];
        reader.diagnostics.push(report("model/duplicate-id", { kind, id: item.id.name }, item.id.span, { related }));
      }
    }
  }
  return byId;
}

/** The `version` that files of one kind agree on. */
export function buildVersion(documents: readonly SourceDocument[], file: string, reader: Reader): string | undefined {
  let version: Named | undefined;
  for (const document of documents) {
    const value = entryOf(document.root, "version")?.value;
    if (value?.kind !== "String") continue;
    if (version === undefined) {
      version = { name: value.value, span: value.span };
    } else if (version.name !== value.value) {
      const related = [{ message: "the other version", span: version.span }];
      reader.diagnostics.push(
        report("model/conflicting-version", { version: value.value, other: version.name, file }, value.span, {
          related,
        }),
      );
    }
  }
  return version?.name;
}
