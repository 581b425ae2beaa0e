/** Roles, lanes and tools. Files of one kind add up; an id may be defined once in all of them. */

import { entryOf, LANE, ROLE, type SourceDocument, type SourceNode, TOOL } from "../sources/index.ts";
import { buildArguments } from "./build-arguments.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Lane, Named, Role, Tool } from "./model.ts";
import type { TreeReader } from "./read.ts";
import { readFields } from "./read-fields.ts";

export function buildRoles(documents: readonly SourceDocument[], reader: TreeReader): ReadonlyMap<string, Role> {
  return collect(documents, "roles", "role", reader, (node) => readFields(ROLE, node, reader));
}

export function buildLanes(documents: readonly SourceDocument[], reader: TreeReader): ReadonlyMap<string, Lane> {
  return collect(documents, "lanes", "lane", reader, (node) => readFields(LANE, node, reader));
}

export function buildTools(documents: readonly SourceDocument[], reader: TreeReader): ReadonlyMap<string, Tool> {
  return collect(documents, "tools", "tool", reader, (node) => ({
    ...readFields(TOOL, node, reader),
    arguments: buildArguments(node, reader),
    statusSpan: entryOf(node, "implementation_status")?.value.span,
  }));
}

/** Rows of all files of a kind, by id. */
export function collect<T extends { readonly id: Named }>(
  documents: readonly SourceDocument[],
  key: string,
  kind: string,
  reader: TreeReader,
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
        reader.diagnostics.push(
          modelDiagnostic("model/duplicate-id", { kind, id: item.id.name }, item.id.span, { related }),
        );
      }
    }
  }
  return byId;
}

/** The `version` that files of one kind agree on. */
export function buildVersion(
  documents: readonly SourceDocument[],
  file: string,
  reader: TreeReader,
): string | undefined {
  let version: Named | undefined;
  for (const document of documents) {
    const value = entryOf(document.root, "version")?.value;
    if (value?.kind !== "String") continue;
    if (version === undefined) {
      version = { name: value.value, span: value.span };
    } else if (version.name !== value.value) {
      const related = [{ message: "the other version", span: version.span }];
      reader.diagnostics.push(
        modelDiagnostic("model/conflicting-version", { version: value.value, other: version.name, file }, value.span, {
          related,
        }),
      );
    }
  }
  return version?.name;
}
