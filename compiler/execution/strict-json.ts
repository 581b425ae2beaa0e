/**
 * JSON that somebody else wrote, as facts for a decision. A text that two readers could understand differently (a key given
 * twice) counts as broken: what is checked must be what the next reader sees.
 */

import { SourceFile } from "../base/source-file.ts";
import { parseJson } from "../sources/index.ts";

export { isJsonObject } from "../base/json-object.ts";

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  /** `problem` is for a person. */
  | { readonly ok: false; readonly problem: string };

/** Never throws. */
export function strictJson(name: string, bytes: Uint8Array): JsonResult {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, problem: `\`${name}\` is not valid UTF-8` };
  }
  const finding = parseJson(new SourceFile(name, text)).diagnostics.find((d) => d.severity === "error");
  if (finding !== undefined) return { ok: false, problem: `\`${name}\` is not valid JSON: ${finding.message}` };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, problem: `\`${name}\` is not valid JSON: ${(error as Error).message}` };
  }
}
