/**
 * The hash of a file as OPA's signatures hold it: of the bytes, but for data and manifest of the document, so that white
 * space and the order of keys do not count. https://www.openpolicyagent.org/docs/management-bundles#signing
 */

import { createHash } from "node:crypto";
import { SourceFile } from "../base/source-file.ts";
import { jsonText } from "../lower/index.ts";
import { parseJson, parseYaml, toValue } from "../sources/index.ts";

/** OPA's names, without MD5 and SHA-1: somebody who can make two files of one hash can replace a signed file. */
const DIGESTS: { readonly [name: string]: string } = {
  "SHA-224": "sha224",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512",
  "SHA-512-224": "sha512-224",
  "SHA-512-256": "sha512-256",
};

/** In hex; `undefined` for an algorithm that is not known, and for a document that cannot be read. */
export function fileHash(path: string, bytes: Uint8Array, algorithm = "SHA-256"): string | undefined {
  const digest = Object.hasOwn(DIGESTS, algorithm) ? DIGESTS[algorithm] : undefined;
  const content = digest === undefined ? undefined : hashedContent(path, bytes);
  return (
    content &&
    createHash(digest as string)
      .update(content)
      .digest("hex")
  );
}

function hashedContent(path: string, bytes: Uint8Array): Uint8Array | string | undefined {
  switch (path.slice(path.lastIndexOf("/") + 1)) {
    case "data.json":
    case ".manifest":
      return document(path, bytes, parseJson);
    case "data.yaml":
    case "data.yml":
      return document(path, bytes, parseYaml);
    default:
      return bytes;
  }
}

function document(path: string, bytes: Uint8Array, parse: typeof parseJson): string | undefined {
  try {
    const { root, diagnostics } = parse(new SourceFile(path, new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
    if (root === undefined || diagnostics.some((d) => d.severity === "error")) return undefined;
    // Go, which OPA is written in, escapes the two line separators in every string.
    return jsonText(toValue(root)).replace(/[\u2028\u2029]/g, (c) => (c === "\u2028" ? "\\u2028" : "\\u2029"));
  } catch {
    return undefined;
  }
}
