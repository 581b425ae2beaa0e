/** Spawn manifests, one agent type a file. */

import { span } from "@portcullis/rego/diagnostics";
import { entryOf, MANIFEST, type SourceDocument } from "../sources/index.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Manifest, Named } from "./model.ts";
import type { TreeReader } from "./read.ts";
import { readFields } from "./read-fields.ts";

export function buildManifests(
  documents: readonly SourceDocument[],
  reader: TreeReader,
): ReadonlyMap<string, Manifest> {
  const byType = new Map<string, Manifest>();
  for (const document of documents) {
    const { root } = document;
    const type = typeOf(document, reader);
    const limit = entryOf(root, "max_spawn_depth")?.value;
    const manifest: Manifest = {
      type,
      ...readFields(MANIFEST, root, reader),
      limitSpan: limit?.span ?? type.span,
    };
    const first = byType.get(type.name);
    if (first === undefined) {
      byType.set(type.name, manifest);
    } else {
      const related = [{ message: "first defined here", span: first.type.span }];
      reader.diagnostics.push(
        modelDiagnostic("model/duplicate-id", { kind: "agent type", id: type.name }, type.span, { related }),
      );
    }
  }
  return byType;
}

/** `agent_type`, or the file's name without `.manifest` and extension. */
function typeOf({ root, file, path }: SourceDocument, reader: TreeReader): Named {
  if (entryOf(root, "agent_type") !== undefined) return reader.id(root, "agent_type");
  const name = path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\.[^.]+$/, "")
    .replace(/(?<=.)\.manifest$/, "");
  const named = { name, span: span(file, root.span.start, Math.min(root.span.end, root.span.start + 1)) };
  reader.checkId(named, "the agent type that the file's name gives");
  return named;
}
