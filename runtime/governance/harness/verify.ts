/**
 * Runs a recorded harness run again: decides from what record and ledger say was asked, writes both anew, and compares
 * bytes. With the request's text its hash is checked too.
 */

import { canonicalHash, type ExactJson, type ExactObject, JsonTextError, parseExactJson } from "../../json/index.ts";
import { ledgerOf } from "./ledger.ts";
import { type Facts, recordOf } from "./record.ts";
import { InvalidRequest, type RequestFacts, readRequest } from "./request.ts";
import { decide, type HarnessDecider, type HarnessFormat, harnessText } from "./run.ts";

/** Where a document differs from what deciding again gives. */
export interface HarnessDifference {
  readonly file: "run_record" | "audit_ledger" | "request";
  readonly message: string;
  /** Offset of the first character that differs. */
  readonly offset?: number;
}

/** Whether a recorded run is what deciding again gives, to the byte. */
export interface HarnessVerification {
  readonly ok: boolean;
  readonly differences: readonly HarnessDifference[];
}

/** Never throws over the texts: a part that cannot be read is a difference. */
export function verifyHarness(
  policy: HarnessDecider,
  recordText: string,
  ledgerText: string,
  requestText?: string,
): HarnessVerification {
  try {
    const differences = compareRun(policy, recordText, ledgerText, requestText);
    return { ok: differences.length === 0, differences };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, differences: [{ file: error.file, message: error.message }] };
    throw error;
  }
}

class Unreadable extends Error {
  readonly file: HarnessDifference["file"];

  constructor(file: HarnessDifference["file"], message: string) {
    super(message);
    this.file = file;
  }
}

function compareRun(
  policy: HarnessDecider,
  recordText: string,
  ledgerText: string,
  requestText: string | undefined,
): HarnessDifference[] {
  const record = objectOf(read("run_record", recordText), "run_record", "the run record");
  const ledger = read("audit_ledger", ledgerText);
  if (!Array.isArray(ledger) || ledger.length !== 6)
    throw new Unreadable("audit_ledger", "the ledger is not a list of six events");
  const requested = objectOf(ledger[2] as ExactJson, "audit_ledger", "event 3");
  const requestHash = textMember(requested, "request_hash_sha256", "audit_ledger");
  const differences: HarnessDifference[] = [];
  const request =
    requestText === undefined ? recordedRequest(record, ledger) : givenRequest(requestText, requestHash, differences);
  const facts: Facts = {
    request,
    requestHash,
    runId: textMember(record, "run_id", "run_record"),
    now: textMember(record, "created_at_utc", "run_record"),
    lanesVersion: textMember(record, "policy_versions_lanes", "run_record"),
    rolesVersion: textMember(record, "policy_versions_roles", "run_record"),
    verdict: decide(policy, request),
  };
  compareText("run_record", recordText, recordOf(facts, "final"), differences);
  compareText("audit_ledger", ledgerText, ledgerOf(facts), differences);
  return differences;
}

function givenRequest(text: string, recordedHash: string, differences: HarnessDifference[]): RequestFacts {
  try {
    const request = readRequest(text);
    if (canonicalHash(request.whole) !== recordedHash) {
      differences.push({ file: "request", message: "the request's hash is not the recorded one" });
    }
    return request;
  } catch (error) {
    if (error instanceof InvalidRequest || error instanceof RangeError) throw new Unreadable("request", error.message);
    throw error;
  }
}

/** What was asked, as far as record and ledger keep it. Both leave an empty tool name out; the hash of event 4 tells it from none. */
function recordedRequest(record: ExactObject, ledger: readonly ExactJson[]): RequestFacts {
  const metadata = record.get("metadata_json");
  const lane = memberName(record, "lane_id");
  const named = objectOf(ledger[2] as ExactJson, "audit_ledger", "event 3").get("metadata_json");
  const tool = named instanceof Map ? named.get("tool_name") : undefined;
  const asked = objectOf(ledger[3] as ExactJson, "audit_ledger", "event 4").get("request_hash_sha256");
  const empty = asked === canonicalHash({ tool_name: "", lane_id: lane });
  return {
    role: memberName(record, "role_id"),
    lane,
    tool: typeof tool === "string" ? tool : empty ? "" : null,
    caseId: record.get("case_id") ?? null,
    runKind: record.get("run_kind") ?? null,
    idempotencyKey:
      metadata instanceof Map ? ((metadata.get("idempotency_key") as ExactJson | undefined) ?? null) : null,
  };
}

function compareText(
  file: HarnessDifference["file"],
  found: string,
  value: Parameters<typeof harnessText>[0],
  differences: HarnessDifference[],
): void {
  const format: HarnessFormat = found.includes("\n") ? "pretty" : "canonical";
  const expected = harnessText(value, format);
  if (found === expected) return;
  let offset = 0;
  while (offset < expected.length && expected[offset] === found[offset]) offset++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, offset - 30), offset + 50));
  differences.push({
    file,
    offset,
    message: `differs at offset ${offset}: recorded ${around(found)}, decided again ${around(expected)}`,
  });
}

function read(file: HarnessDifference["file"], text: string): ExactJson {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw new Unreadable(file, `not valid JSON: ${error.message}`);
    throw error;
  }
}

function objectOf(value: ExactJson, file: HarnessDifference["file"], what: string): ExactObject {
  if (value instanceof Map) return value as ExactObject;
  throw new Unreadable(file, `${what} is not an object`);
}

function textMember(object: ExactObject, key: string, file: HarnessDifference["file"]): string {
  const value = object.get(key);
  if (typeof value === "string") return value;
  throw new Unreadable(file, `\`${key}\` is not a string`);
}

function memberName(object: ExactObject, key: string): string | null {
  const value = object.get(key) ?? null;
  if (value === null || typeof value === "string") return value;
  throw new Unreadable("run_record", `\`${key}\` is neither a string nor null`);
}
