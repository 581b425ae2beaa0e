/**
 * JSON that somebody else wrote, as facts for a decision. A text that two readers could understand differently (a key given
 * twice) counts as broken: the next reader must see the facts that were checked.
 */

import { failure, parseJson, type Result, SourceFile, success } from "@portcullis/documents";

/** Never throws. `name`: its name in messages. */
export function strictJson(name: string, bytes: Uint8Array): Result<unknown, "broken-json"> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return failure("broken-json", `\`${name}\` is not valid UTF-8`);
  }
  const finding = parseJson(new SourceFile(name, text)).diagnostics.find((d) => d.severity === "error");
  if (finding !== undefined) return failure("broken-json", `\`${name}\` is not valid JSON: ${finding.message}`);
  try {
    return success(JSON.parse(text) as unknown);
  } catch (error) {
    return failure("broken-json", `\`${name}\` is not valid JSON: ${(error as Error).message}`);
  }
}
