/** Records and ledgers against hashes of files that the field's harness wrote: every byte must agree. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../../runtime/governance/decision.ts";
import { InvalidRequest } from "../../../../runtime/governance/harness/request.ts";
import { harnessText, runHarness, utcTime } from "../../../../runtime/governance/harness/run.ts";

const path = new URL("../../../../../shared/cases/harness.jsonl", import.meta.url);

interface HarnessCase {
  readonly id: string;
  readonly tag: string;
  readonly input: { readonly args: Record<string, string>; readonly request?: unknown; readonly request_raw?: string };
  readonly expected: {
    readonly run_id: string;
    readonly request_hash_sha256: string;
    readonly lane_authorized: { readonly reason: string | null };
    readonly tool_allowed: { readonly reason: string | null };
    readonly file_sha256?: Record<string, string>;
  };
}

const cases: HarnessCase[] = existsSync(path)
  ? readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as HarnessCase)
  : [];
/** The field's harness takes any text for a time; the specification's page, which decides, wants a UTC time. */
const NO_TIME = new Set(["harn-0266", "harn-0268", "harn-0270"]);
const withFiles = cases.filter((c) => c.expected.file_sha256 !== undefined && !NO_TIME.has(c.id));
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe.skipIf(cases.length === 0)("the field's records and ledgers", () => {
  it.each(withFiles.map((c) => [`${c.id} ${c.tag}`, c] as const))("%s", (_name, { input, expected }) => {
    // The decisions are the case's own here: this suite is about the bytes.
    const decision = (reason: string | null): Decision =>
      reason === null ? { allowed: true, gate: "ALLOW", reason: "" } : { allowed: false, gate: "GATE", reason };
    const policy = {
      lane: () => decision(expected.lane_authorized.reason),
      tool: () => decision(expected.tool_allowed.reason),
    };
    const run = runHarness(policy, input.request_raw ?? JSON.stringify(input.request), {
      runId: input.args["run_id"],
      nowUtc: input.args["now_utc"] as string,
      lanesVersion: input.args["policy_lanes_version"] ?? "v1",
      rolesVersion: input.args["policy_roles_version"] ?? "v1",
    });
    expect(run.runId).toBe(expected.run_id);
    expect(run.requestHash).toBe(expected.request_hash_sha256);
    expect(sha256(harnessText(run.record, "pretty"))).toBe(expected.file_sha256?.["run_record.json"]);
    expect(sha256(harnessText(run.ledger, "pretty"))).toBe(expected.file_sha256?.["audit_ledger.json"]);
  });

  it.each(cases.filter((c) => NO_TIME.has(c.id)).map((c) => [c.id, c] as const))(
    "%s is refused: its time is not one",
    (_name, { input }) => {
      expect(() => utcTime(input.args["now_utc"] as string)).toThrow(InvalidRequest);
    },
  );
});
