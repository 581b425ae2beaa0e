/**
 * The hash of a file as OPA's signatures hold it: of the bytes, but for data and manifest of the document, so that white
 * space and the order of keys do not count. https://www.openpolicyagent.org/docs/management-bundles#signing
 */

import { createHash } from "node:crypto";
import { jsonText } from "@portcullis/governance/lower";
import { parseYaml, toValue } from "@portcullis/governance/sources";
import { signedBytes } from "@portcullis/runtime/trust";
import { SourceFile } from "../diagnostics/index.ts";

/** SHA-256 in hex; `undefined` for a document that cannot be read. */
export function fileHash(path: string, bytes: Uint8Array): string | undefined {
  const content = signedBytes(path, bytes, yamlAsJson);
  return content && createHash("sha256").update(content).digest("hex");
}

/** `undefined` for a text with faults. */
export function yamlAsJson(text: string): string | undefined {
  const { root, diagnostics } = parseYaml(new SourceFile("data.yaml", text));
  return root === undefined || diagnostics.some((d) => d.severity === "error") ? undefined : jsonText(toValue(root));
}
