/** A log replayed on another policy: what an approval stands for, what is a difference, and what is kept of many. */

import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { type ReplayGroup, Tally } from "../../../compiler/governance/review/replay/tally.ts";
import { replay } from "../../../compiler/governance/review/replay.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const DIGEST = "a".repeat(64);
const NOW = 1_800_000_000_000;
const key = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });

let policy: Policy;
beforeAll(async () => {
  const tool = { tool_name: "pay", enabled: true, implementation_status: "implemented", approval: "bound" };
  const lane = { lane_id: "L", allowed_callers: { roles: ["A"] }, allowed_actions: { tools: ["pay"] } };
  const set = {
    "roles.yaml": JSON.stringify({ roles: [{ role_id: "A" }] }),
    "lanes.yaml": JSON.stringify({ lanes: [lane] }),
    "tool_registry.yaml": JSON.stringify({ tools: [tool] }),
    "approvers.yaml": JSON.stringify({ approvers: [{ name: "k.lee", key }] }),
  };
  const { compiled } = await compile({ host: virtualHost({ set }), dirs: ["set"] });
  policy = await load((compiled as { bundle: Uint8Array }).bundle);
});

const approval = {
  ...{ type: "portcullis-approval/1", decision: "approve", ref: "T-1", by: "k.lee", call_sha256: DIGEST },
  ...{ policy_revision: "of last year", expires_at: NOW + 1000, nonce: "n-0123456789abcdef0123", signature: "s" },
};
const facts = {
  now: NOW,
  call_sha256: DIGEST,
  approval: { signature_valid: true, key_of: "k.lee", used: false, refused: false },
};
const request = { role: "A", lane: "L", tool: "pay", scope: {}, lineage: [], writes: [], flags: [], approval, facts };
const ALLOWED = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
const event = (input: object, result: object): string =>
  JSON.stringify({ path: "portcullis/call/decision", input, result });
const replayed = (...lines: string[]) => replay(policy, { file: "log", firstLine: 1, lines });

describe("a bound approval of a replayed call", () => {
  it("names another policy, which denies it", () => {
    expect(policy.evaluate("portcullis/call/decision", request)).toMatchObject({ reason: "approval_for_other_policy" });
  });

  it("counts as given under the new policy where the call was allowed", () => {
    expect(replayed(event(request, ALLOWED))).toMatchObject({ same: 1, groups: [] });
  });

  it.each([
    ["expired", { approval: { ...approval, expires_at: NOW - 1 } }, "approval_expired"],
    ["by a stranger", { approval: { ...approval, by: "m.doe" } }, "approver_unknown"],
    ["used", { facts: { ...facts, approval: { ...facts.approval, used: true } } }, "approval_used"],
    ["of another call", { facts: { ...facts, call_sha256: "b".repeat(64) } }, "approval_not_for_this_call"],
    ["absent", { approval: null }, "approval_required"],
  ])("is denied all the same when it is %s", (_, change, reason) => {
    const { groups } = replayed(event({ ...request, ...change }, ALLOWED));
    expect(groups).toMatchObject([{ kind: "newly-denied", after: `APPROVAL ${reason}` }]);
  });

  it("is as it was where the call was denied", () => {
    const denied = { allowed: false, gate: "APPROVAL", reason: "approval_used" };
    const { groups } = replayed(event(request, denied));
    expect(groups).toMatchObject([{ kind: "changed-reason", after: "APPROVAL approval_for_other_policy" }]);
  });
});

describe("a difference", () => {
  const DENIED = { allowed: false, gate: "LANE", reason: "x" };
  const stranger = { ...request, role: "B" };
  const decided = (): object => policy.evaluate("portcullis/call/decision", stranger) as object;

  it.each([
    ["an allow that is a denial", ALLOWED, "newly-denied"],
    ["another reason", DENIED, "changed-reason"],
    ["no answer before", undefined, "changed-answer"],
    ["the same gate and reason with another member", "more", "changed-answer"],
  ])("is %s", (_, result, kind) => {
    const before = result === "more" ? { ...decided(), retry_after_ms: 5 } : (result as object | undefined);
    const { counts, events } = replayed(
      JSON.stringify({ path: "portcullis/call/decision", input: stranger, result: before }),
    );
    expect({ counts, events }).toMatchObject({ counts: { [kind]: 1 }, events: 1 });
  });

  it("is an entrypoint that the policy has not: unknown, never alike", () => {
    const { unknown, same } = replayed(JSON.stringify({ path: "other/allow", input: {}, result: undefined }));
    expect({ same, unknown }).toMatchObject({ same: 0, unknown: [{ why: expect.stringContaining("no entrypoint") }] });
  });
});

describe("a turn that is allowed before and after", () => {
  const governance = {
    ...{ contextSealed: true, pipelineRunApproved: true },
    ...{ approvalRef: "AP-1", approvedBy: "m.okafor" },
  };
  const turn = { persona: "NEWS_DESK", env: { CHIRALITY_ENABLE_SUBAGENTS: "true" }, governance };

  it.each([
    ["one more agent, whom it was not handed before", (handed: string[]) => handed.slice(1), "newly-allowed"],
    ["one agent less", (handed: string[]) => [...handed, "ARCHIVIST"], "newly-denied"],
    ["one for another", (handed: string[]) => ["ARCHIVIST", ...handed.slice(1)], "newly-allowed"],
    ["the same in another order", (handed: string[]) => handed.toReversed(), "changed-answer"],
  ])("is handed %s", async (_, before, kind) => {
    const newsroom = await load(readFileSync("generated/bundle.tar.gz"));
    const now = newsroom.subagent(turn);
    const handed = [...now.delegatedSubagents];
    expect([now.allowed, handed.length]).toEqual([true, 4]);
    const result = { ...now, delegatedSubagents: before(handed) };
    const line = JSON.stringify({ path: "portcullis/subagent/decision", input: turn, result });
    const { groups } = replay(newsroom, { file: "log", firstLine: 1, lines: [line] });
    expect(groups).toMatchObject([{ kind, after: expect.stringContaining(`: ${handed.join(", ")}`) }]);
  });
});

it("adds parts of a log as the whole log", () => {
  const lines = Array.from({ length: 60 }, (_, i) => event({ ...request, role: `R${i % 7}`, approval: null }, ALLOWED));
  const whole = replayed(...lines);
  const parts = new Tally();
  for (const start of [0, 13, 14, 50])
    parts.add(
      replay(policy, {
        file: "log",
        firstLine: start + 1,
        lines: lines.slice(start, { 0: 13, 13: 14, 14: 50 }[start]),
      }),
    );
  expect(parts.facts).toEqual(whole);
});

it("counts what it does not group", () => {
  const group = (i: number): ReplayGroup => ({
    ...{ kind: "newly-allowed", entrypoint: "a/b", role: `R${i}`, before: "x", after: "y", count: 2 },
    example: { file: "log", line: i, input: "{}", before: false, after: true },
  });
  const one = new Tally();
  for (let i = 0; i < 10_003; i++) one.change(group(i));
  const { groups, ungrouped, counts } = one.facts;
  expect({ groups: groups.length, ungrouped, allowed: counts["newly-allowed"] }).toEqual({
    ...{ groups: 10_000, ungrouped: 6, allowed: 20_006 },
  });
  const both = new Tally();
  both.add(one.facts);
  both.add(one.facts);
  expect(both.facts).toMatchObject({ events: 40_012, ungrouped: 12, counts: { "newly-allowed": 40_012 } });
});
