/**
 * The example's release of money, with approvals that are signed: for one amount, one contributor and one tool, until their end, once.
 * The policy is the example's own; its approvers have keys of which this test has the private halves.
 */

import { createHash, type KeyObject, sign } from "node:crypto";
import { guardTool, load, memoryHistory, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../compiler/governance/pipeline.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { canonical, files, KEYS } from "./approvers.ts";

let policy: Policy;
beforeAll(async () => {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: files() }), dirs: ["set"] });
  expect(diagnostics).toEqual([]);
  policy = await load(compiled?.bundle as Uint8Array);
});

const call = {
  ...{ role: "MANAGING_EDITOR", lane: "RIGHTS_AND_PAYOUTS", tool: "payout.release" },
  scope: { contributor_id: "c-9", run_id: "r-7", amount_cents: 1 },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};

let nonces = 0;
/** A person's word on a call, signed with the person's key. */
function approvalOf(of: object, changed: object = {}, by = "m.ortiz"): object {
  const said = {
    ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-31", by },
    call_sha256: createHash("sha256")
      .update(canonical({ request: of }))
      .digest("hex"),
    ...{ policy_revision: policy.approvals?.revision, expires_at: Date.now() + 600_000, nonce: `n-${nonces++}` },
    ...changed,
  };
  const key = KEYS[by]?.privateKey as KeyObject;
  return { ...said, signature: sign(null, Buffer.from(canonical(said)), key).toString("base64url") };
}

/** What a guard with a store answers. */
async function answers(asked: object, approval: object, history = memoryHistory()): Promise<string> {
  const { tool, ...context } = { ...call, ...asked, approval };
  // The call has no arguments: its amount stands in the scope.
  const release = guardTool(policy, context as never, tool, (_: undefined) => "paid", { history });
  return (await release(undefined)).decision.reason;
}

describe("the example's release of money", () => {
  it("is allowed by the approval of its approver, once", async () => {
    const [approval, history] = [approvalOf(call), memoryHistory()];
    expect(await answers({}, approval, history)).toBe("call_allowed");
    expect(await answers({}, approval, history)).toBe("approval_used");
  });

  const more = { scope: { ...call.scope, amount_cents: 120_000 } };
  const other = { scope: { ...call.scope, contributor_id: "c-13" } };
  it.each<[string, object, () => object, string]>([
    ["a name alone", {}, () => ({ ref: "AP-31", by: "m.ortiz" }), "approval_malformed"],
    ["a made-up name", {}, () => ({ ...approvalOf(call), by: "somebody" }), "approver_unknown"],
    ["another amount", more, () => approvalOf(call), "approval_not_for_this_call"],
    ["another contributor", other, () => approvalOf(call), "approval_not_for_this_call"],
    ["another tool", {}, () => approvalOf({ ...call, tool: "draft.create" }), "approval_not_for_this_call"],
    ["an end that has passed", {}, () => approvalOf(call, { expires_at: 915_148_800_000 }), "approval_expired"],
    ["an end in years", {}, () => approvalOf(call, { expires_at: Date.now() + 1e12 }), "approval_expired"],
    ["the policy of yesterday", {}, () => approvalOf(call, { policy_revision: "x" }), "approval_for_other_policy"],
    ["the word of tests", {}, () => approvalOf(call, { policy_revision: "this policy" }), "approval_for_other_policy"],
    ["a person of another tool", {}, () => approvalOf(call, {}, "k.lindqvist"), "approver_not_for_tool"],
    ["a person who left", {}, () => approvalOf(call, {}, "e.brandt"), "approver_expired"],
    [
      "the name of another",
      {},
      () => ({ ...approvalOf(call, {}, "e.brandt"), by: "m.ortiz" }),
      "approval_signature_invalid",
    ],
  ])("%s: is denied", async (_, asked, approval, reason) => {
    expect(await answers(asked, approval())).toBe(reason);
  });
});
