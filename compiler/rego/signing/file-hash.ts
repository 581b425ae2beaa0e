/**
 * The hash of a file as OPA's signatures hold it: of the bytes, but for data and manifest of the document, so that white
 * space and the order of keys do not count. https://www.openpolicyagent.org/docs/management-bundles#signing
 */

import { createHash } from "node:crypto";
import { signedBytes } from "@portcullis/runtime/trust";

/** A YAML text as JSON text; `undefined` for a text with faults. */
export type ReadYaml = (text: string) => string | undefined;

/** SHA-256 in hex; `undefined` for a document that cannot be read. Without `readYaml` no YAML document can. */
export function fileHash(path: string, bytes: Uint8Array, readYaml: ReadYaml = () => undefined): string | undefined {
  const content = signedBytes(path, bytes, readYaml);
  return content && createHash("sha256").update(content).digest("hex");
}
