/** `portcullis.yaml` → settings, with defaults for the keys that are absent. */

import { entryOf, SETTINGS, type SourceDocument } from "../sources/index.ts";
import { buildAdapters } from "./build-adapters.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Settings } from "./model.ts";
import { buildOffers } from "./offers.ts";
import type { TreeReader } from "./read.ts";
import { readFields } from "./read-fields.ts";

/** If the file could not be read (`isBroken`), nothing is recommended. */
export function buildSettings(documents: readonly SourceDocument[], reader: TreeReader, isBroken: boolean): Settings {
  const document = only(documents, "portcullis.yaml", reader);
  const settings = readFields(SETTINGS, document?.root, reader);
  const { lineage } = settings;
  return {
    ...settings,
    lineage: { ...lineage, require: lineage.require ?? (isBroken ? false : undefined) },
    adapters: buildAdapters(entryOf(document?.root, "adapters")?.value, reader),
    mcp: buildOffers(entryOf(document?.root, "mcp")?.value, reader),
  };
}

/** The one file of a kind that a set may have once; of several the one that lies highest, then the first in order. */
export function only(
  documents: readonly SourceDocument[],
  file: string,
  reader: TreeReader,
): SourceDocument | undefined {
  const depth = (d: SourceDocument): number => d.root.span.file.name.split("/").length;
  const [first, ...rest] = [...documents].sort((a, b) => depth(a) - depth(b));
  for (const other of rest) {
    const related = first === undefined ? [] : [{ message: "the first one", span: first.root.span }];
    reader.diagnostics.push(modelDiagnostic("model/duplicate-file", { file }, other.root.span, { related }));
  }
  return first;
}
