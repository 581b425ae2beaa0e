/**
 * The deterministic harness: one request, one policy, a run record and a ledger of six events. It executes nothing, asks no
 * clock and no network; the same arguments give the same bytes on every machine.
 */

import { canonicalHash, canonicalJson, prettyJson, type Writable } from "../../json/index.ts";
import { holdOptions, type OptionTable } from "../../options.ts";
import type { Decision } from "../decision.ts";
import type { LaneRequest, ToolRequest } from "../requests.ts";
import { ledgerOf } from "./ledger.ts";
import { recordOf } from "./record.ts";
import { InvalidRequest, type RequestFacts, readRequest } from "./request.ts";

/** The parts of a policy that the harness needs. */
export interface HarnessDecider {
  lane(request: LaneRequest): Decision;
  tool(request: ToolRequest): Decision;
}

/** What a run does not read from its request: the time, its id, and the versions it cites. No clock is read. */
export interface HarnessOptions {
  /** Empty or absent: `RUN_` and the first 12 hex digits of the request's hash. */
  readonly runId?: string | undefined;
  /** ISO 8601 in UTC; `Z` is appended when absent. */
  readonly nowUtc: string;
  readonly lanesVersion: string;
  readonly rolesVersion: string;
}

const HARNESS_OPTIONS: OptionTable = {
  runId: "string?",
  nowUtc: "string",
  lanesVersion: "string",
  rolesVersion: "string",
};

/** The results of the harness, before they are written. */
export interface Verdict {
  readonly laneReason: string | null;
  readonly toolReason: string | null;
}

/** The two documents of a run, the same bytes for the same request and options. */
export interface HarnessRun {
  readonly runId: string;
  readonly requestHash: string;
  readonly record: Writable;
  readonly ledger: Writable;
}

/** Runs a request, given as its text. Throws InvalidRequest, and TypeError for an option that there is not; then nothing was decided. */
export function runHarness(policy: HarnessDecider, requestText: string, options: HarnessOptions): HarnessRun {
  holdOptions(options, HARNESS_OPTIONS);
  const request = readRequest(requestText);
  const now = utcTime(options.nowUtc);
  const requestHash = hashOf(request.whole);
  const runId = options.runId || `RUN_${requestHash.slice(0, 12)}`;
  const { lanesVersion, rolesVersion } = options;
  const facts = { request, runId, requestHash, now, verdict: decide(policy, request), lanesVersion, rolesVersion };
  return { runId, requestHash, record: recordOf(facts, "final"), ledger: ledgerOf(facts) };
}

/** Absent ids reach the policy as null, which it denies as unknown. */
export function decide(policy: HarnessDecider, { role, lane, tool }: RequestFacts): Verdict {
  const laneDecision = policy.lane({ role, lane } as LaneRequest);
  const toolDecision = policy.tool({ role, lane, tool } as ToolRequest);
  return {
    laneReason: laneDecision.allowed === true ? null : laneDecision.reason,
    toolReason: toolDecision.allowed === true ? null : toolDecision.reason,
  };
}

/** How documents are written: indented, or as canonical JSON. */
export type HarnessFormat = "pretty" | "canonical";

/** The text of a file of the harness; no trailing newline. */
export function harnessText(value: Writable, format: HarnessFormat): string {
  return format === "pretty" ? prettyJson(value) : canonicalJson(value);
}

function hashOf(value: Writable): string {
  try {
    return canonicalHash(value);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidRequest(`the request cannot be hashed: ${error.message}`);
    throw error;
  }
}

/** Year-month-day, `T`, a time with optional seconds and fraction, and UTC as `Z`, `z`, `+00:00` or nothing. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:[Zz]|\+00:00)?$/;

/** As given, with a `Z` at the end if it was missing. Throws InvalidRequest for a text that is not a time in UTC. */
export function utcTime(text: string): string {
  const match = TIME.exec(text);
  if (match !== null) {
    const parts = match.slice(1).map((part) => Number(part ?? 0));
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
    if (isDay && hour < 24 && minute < 60 && second < 60) return text.endsWith("Z") ? text : `${text}Z`;
  }
  throw new InvalidRequest(`\`${text}\` is no UTC time in ISO 8601, such as 2026-02-23T18:00:00Z`);
}
