/** `approvers.yaml` → who may approve calls that need a bound approval; keys that verify nothing are refused. */

import { APPROVER, entryOf, type SourceDocument, type SourceNode } from "../sources/index.ts";
import { collect } from "./build-harness.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Approver, Named } from "./model.ts";
import { keyOfJwk, keyOfPem, type PublicKey } from "./public-key.ts";
import type { TreeReader } from "./read.ts";
import { readFields } from "./read-fields.ts";

export function buildApprovers(
  documents: readonly SourceDocument[],
  reader: TreeReader,
): ReadonlyMap<string, Approver> {
  return collect(documents, "approvers", "approver", reader, (node) => {
    const fields = readFields(APPROVER, node, reader);
    const { name } = fields.id;
    if (fields.until !== undefined && endOfDay(fields.until.name) === undefined)
      reader.diagnostics.push(
        modelDiagnostic("model/approver-until", { name, until: fields.until.name }, fields.until.span),
      );
    return { ...fields, key: publicKeyOf(fields.id, node, reader) };
  });
}

function publicKeyOf(approver: Named, node: SourceNode, reader: TreeReader): PublicKey | undefined {
  const entry = entryOf(node, "key");
  const key = entry?.value;
  const report = (problem: string): undefined => {
    const span = entry?.keySpan ?? approver.span;
    reader.diagnostics.push(modelDiagnostic("model/approver-key", { name: approver.name, problem }, span));
  };
  if (key?.kind !== "String" && key?.kind !== "Mapping") return report("is missing");
  const result = key.kind === "String" ? keyOfPem(key.value) : keyOfJwk(texts(key));
  return "problem" in result ? report(result.problem) : result;
}

function texts(node: SourceNode): ReadonlyMap<string, string> {
  const entries = node.kind === "Mapping" ? node.entries : [];
  return new Map(entries.flatMap(({ key, value }) => (value.kind === "String" ? [[key, value.value]] : [])));
}

/** The first millisecond after a day `YYYY-MM-DD` in UTC; `undefined` for a text that is not a day. */
export function endOfDay(day: string): number | undefined {
  const begin = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00Z`) : undefined;
  if (begin?.toJSON()?.startsWith(day) !== true) return undefined;
  return begin.getTime() + 24 * 60 * 60 * 1000;
}
