/** What hosts find out about a request that was changed: a remedy is tried as a host would ask about it. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { type Edit, valueAt } from "./edit.ts";

/** With the facts that a host would not find any more: the digest of another call, and a signature of another text. */
export function asHostsFind(before: unknown, input: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(input) || !isJsonObject(input["facts"])) return input;
  const facts: { [name: string]: unknown } = { ...input["facts"] };
  if (callText(before) !== callText(input) && facts["call_sha256"] !== undefined) facts["call_sha256"] = "another";
  if (isJsonObject(facts["approval"]) && !isSame(before["approval"], input["approval"]))
    facts["approval"] = { ...facts["approval"], signature_valid: false };
  return { ...input, facts };
}

/** All of a request that an approval is for. */
function callText({ approval: _, facts, ...call }: JsonObject): string {
  return JSON.stringify([call, isJsonObject(facts) ? facts["paths"] : undefined]);
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Whether a change says what only a host and a person's key can: that an approval was signed, and is good. A bound approval of
 * `input` that has ended needs another one, not an earlier time.
 */
export function forgesApproval({ document, path, to }: Edit, input: unknown): boolean {
  if (document !== "input") return false;
  if (path[0] === "facts") {
    const of = path[1] ?? "";
    if (of === "now") return valueAt(input, ["approval", "signature"]) !== undefined;
    return ["approval", "call_sha256"].includes(String(of)) || (of === "" && isJsonObject(to) && "approval" in to);
  }
  return path[0] === "approval" && (path[1] === "signature" || (isJsonObject(to) && "signature" in to));
}
