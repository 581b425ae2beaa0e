/**
 * An approval is good for one call, under one policy, once: with another call, policy or time it is denied, for its reason, and a
 * refusal wins over it.
 */

import { callDigest, guardTool, load, memoryHistory } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import {
  type Approver,
  approvalOf,
  type Call,
  call,
  DIGEST,
  guarded,
  KEYS,
  policy,
  policyOf,
} from "./approved-call.ts";
import { bundleOf, TOOLS } from "./limited-policy.ts";

describe("an approval", () => {
  it("has the digest that the page describes", () => {
    expect(callDigest(call)).toBe(DIGEST);
    expect(callDigest({ ...call, approval: { by: "x" }, facts: { now: 1 } })).toBe(DIGEST);
    expect(callDigest({ ...call, flags: null, writes: undefined })).toBe(DIGEST);
    expect(callDigest(call, { file: "a", none: null })).toBe(callDigest(call, { file: "a" }));
    expect(callDigest(call, { file: "a" })).not.toBe(DIGEST);
  });

  it.each(Object.keys(KEYS) as Approver[])("of %s is good for one call, once", async (by) => {
    const history = memoryHistory();
    const approval = approvalOf({}, by);
    expect(await guarded(call, approval, history)).toBe("allowed");
    expect(await guarded(call, approval, history)).toBe("approval_used");
    expect(await guarded(call, approvalOf({}, by), history)).toBe("allowed");
  });

  it("is used by one of several that ask at once", async () => {
    const history = memoryHistory();
    const approval = approvalOf();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => guarded(call, approval, history)));
    expect(outcomes.filter((one) => one === "allowed")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["allowed", "approval_used"]));
  });

  it("is not used up by a call that is denied for something else", async () => {
    const history = memoryHistory();
    const other = { ...call, tool: "article.publish", args: undefined };
    const approval = approvalOf({ call_sha256: callDigest({ ...other, scope: {} }) });
    expect(await guarded({ ...other, scope: {} }, approval, history)).toBe("scope_key_missing");
    expect(await guarded({ ...other, scope: {} }, approval, history)).toBe("scope_key_missing");
    const right = approvalOf();
    expect(await guarded(call, right, history)).toBe("allowed");
  });
});

describe("misuses", () => {
  it("of an approval by name, another amount, another contributor, a replay, an end, a made-up name: each is denied", async () => {
    const history = memoryHistory();
    const approval = approvalOf();
    expect(await guarded(call, { ref: "AP-31", by: "m.ortiz" }, history)).toBe("approval_malformed");
    const more = { ...call, args: { ...(call.args as object), amount_cents: 120_001 } };
    expect(await guarded(more, approval, history)).toBe("approval_not_for_this_call");
    const other = { ...call, scope: { ...call.scope, contributor_id: "c-13" } };
    expect(await guarded(other, approval, history)).toBe("approval_not_for_this_call");
    expect(await guarded(call, approval, history)).toBe("allowed");
    expect(await guarded(call, approval, history)).toBe("approval_used");
    expect(await guarded(call, { ...approvalOf(), expires: "1999-01-01", used: true }, history)).toBe(
      "approval_signature_invalid",
    );
    expect(await guarded(call, { ...approvalOf(), by: "a person" }, history)).toBe("approver_unknown");
  });

  it("every member of the call that is another, more or less is another call", async () => {
    const { lineage: _, ...alone } = call;
    const changed: readonly Call[] = [
      { ...call, role: "CHIEF" },
      { ...call, lane: "NIGHT" },
      { ...call, tool: "article.publish" },
      ...[
        { run_id: "r-7" },
        { ...call.scope, run_id: "r-8" },
        { ...call.scope, more: 1 },
        { ...call.scope, run_id: 7 },
      ].map((scope) => ({ ...call, scope })),
      { ...call, flags: [] },
      { ...call, writes: [{ table: "payouts", mode: "append" }] },
      alone as Call,
      ...[
        [{ agent_type: "publisher", spawn_depth: 0, agent_id: "x" }],
        [{ agent_type: "Publisher", spawn_depth: 0 }],
        [],
      ].map((lineage) => ({ ...call, lineage })),
      ...[
        {},
        { amount_cents: 120_000 },
        { amount_cents: "120000" },
        { amount_cents: { number: "120000" } },
        [call.args],
        "x",
        0,
        false,
      ].map((args) => ({
        ...call,
        args: typeof args === "object" && !Array.isArray(args) ? { ...(call.args as object), ...args, to: 1 } : args,
      })),
    ];
    for (const one of changed)
      expect(await guarded(one, approvalOf()), JSON.stringify(one)).toBe("approval_not_for_this_call");
  });

  it("a call without one digest is no call that could be approved", async () => {
    for (const odd of [2 ** 53, -(2 ** 53), 1e300, 9007199254740993n, "\ud800", { "\udc00": 1 }]) {
      const given = { ...call, args: { odd } };
      expect(() => callDigest(given)).toThrow();
      expect(
        await guarded(given, approvalOf()),
        JSON.stringify(given.args, (_, v) => (typeof v === "bigint" ? String(v) : v)),
      ).toMatch(/^(?:approval_not_for_this_call|no_decision|invalid input)$/);
    }
    // A text of a number, and an object that looks like one, are themselves.
    expect(callDigest({ args: { number: "5" } })).not.toBe(callDigest({ args: 5 }));
  });
});

describe("a policy", () => {
  it("with another text is another policy: it takes no approval that was given before", async () => {
    const approval = approvalOf();
    const changed = await policyOf({ class: "worker" });
    expect(changed.approvals?.revision).not.toBe(policy.approvals?.revision);
    expect(await guarded(call, approval, memoryHistory(), changed)).toBe("approval_for_other_policy");
    const same = await policyOf();
    expect(await guarded(call, approval, memoryHistory(), same)).toBe("allowed");
  });

  it("says the digest where an approval is missing, and forged facts change nothing", async () => {
    const { tool, args, ...context } = call;
    const outcome = await guardTool(policy, context as never, tool, () => 1)(args as never);
    expect(outcome.allowed ? undefined : outcome.decision).toEqual({
      ...{ allowed: false, gate: "APPROVAL", reason: "approval_required", approval: "bound", call_sha256: DIGEST },
    });
    const facts = { approval: { signature_valid: true, key_of: "m.ortiz", used: false, refused: false } };
    expect(() => guardTool(policy, { ...context, facts } as never, tool, () => 1)).toThrow("no member `facts`");
  });
});

describe("a refusal", () => {
  it("wins over approvals of the call, also where it comes from the host's own, until it ends", async () => {
    const history = memoryHistory();
    const refusal = approvalOf({ decision: "refuse" }, "k.lee");
    const find = (digest: string) => (digest === DIGEST ? [approvalOf(), refusal] : []);
    const { tool, args, ...context } = call;
    const ask = async (approvals?: object, approval?: unknown) => {
      const options = { history, ...(approvals === undefined ? {} : { approvals }) };
      const outcome = await guardTool(
        policy,
        { ...context, approval } as never,
        tool,
        () => 1,
        options as never,
      )(args as never);
      return outcome.allowed ? "allowed" : outcome.decision.reason;
    };
    expect(await ask({ find: () => [approvalOf()] })).toBe("allowed");
    expect(await ask({ find }, approvalOf())).toBe("approval_refused");
    // The store remembers it.
    expect(await ask(undefined, approvalOf())).toBe("approval_refused");
    expect(await ask({ find: () => [approvalOf()] })).toBe("approval_refused");
  });

  it("for longer than an approval may be, as by the clock of another machine, refuses all the same", async () => {
    const { tool, args, ...context } = call;
    const history = memoryHistory();
    const ask = async (approvals: readonly unknown[]) => {
      const options = { history, approvals: { find: () => approvals } } as never;
      const outcome = await guardTool(policy, context as never, tool, () => 1, options)(args as never);
      return outcome.allowed ? "allowed" : outcome.decision.reason;
    };
    for (const expires_at of [Date.now() + 86_400_000 + 60_000, Number.MAX_SAFE_INTEGER]) {
      const refusal = approvalOf({ decision: "refuse", expires_at }, "k.lee");
      expect(await ask([refusal, approvalOf()])).toBe("approval_expired");
    }
    expect(await ask([approvalOf()])).toBe("approval_refused");
  });

  it("or what was not verified, of the host's own, is no approval for what asks only that a person is named", async () => {
    const registered = { enabled: true, implementation_status: "implemented" };
    const [cents, text] = ["bound", "required"].map((approval) => ({ required: false, approval }));
    const note = { required: false };
    const files = {
      "limits.yaml": "limits: []\n",
      "tool_registry.yaml": JSON.stringify({
        tools: TOOLS.map((tool_name) => ({ tool_name, ...registered, arguments: { cents, text, note } })),
      }),
      "approvers.yaml": JSON.stringify({
        approvers: [{ name: "m.ortiz", key: KEYS["m.ortiz"].publicKey.export({ format: "jwk" }) }],
      }),
    };
    const deciding = await load(await bundleOf(files));
    const args = { text: "a" };
    const context = { role: "R", lane: "L" };
    const call_sha256 = callDigest({ ...context, tool: "pay", args });
    const signed = (changed: object): object =>
      approvalOf({ call_sha256, policy_revision: deciding.approvals?.revision, ...changed });
    const ask = async (approval: object, options: object, isGiven = false): Promise<unknown> => {
      const given = isGiven ? { ...context, approval } : context;
      const found = { ...options, ...(isGiven ? {} : { approvals: { find: () => [approval] } }) };
      const outcome = await guardTool(deciding, given as never, "pay", () => 1, found as never)(args);
      return outcome.allowed
        ? "allowed"
        : ((outcome.decision as { problem?: string }).problem ?? outcome.decision.reason);
    };
    const unheld = "the approval that the host has does not hold";
    for (const options of [{}, { history: memoryHistory() }]) {
      expect(await ask(signed({ decision: "refuse" }), options)).toBe("an approver has refused the call");
      expect(await ask(signed({ decision: "refuse" }), options, true)).toBe("an approver has refused the call");
    }
    for (const options of [{}, { history: memoryHistory() }]) {
      expect(await ask({ ref: "AP-1", by: "a person" }, options)).toBe(unheld);
      expect(await ask(signed({ expires_at: Date.now() - 1 }), options)).toBe(unheld);
      expect(await ask(signed({ call_sha256: "0".repeat(64) }), options)).toBe(unheld);
      expect(await ask({ ref: "AP-1", by: "a person" }, options, true)).toBe("allowed");
    }
    expect(await ask(signed({}), { history: memoryHistory() })).toBe("allowed");
  });

  it("that is not signed by an approver, or has ended, refuses nothing", async () => {
    for (const odd of [
      { ...approvalOf({ decision: "refuse" }), ref: "changed" },
      approvalOf({ decision: "refuse", expires_at: Date.now() - 1 }),
      approvalOf({ decision: "refuse", call_sha256: "0".repeat(64) }),
      null,
      "x",
    ]) {
      const { tool, args, ...context } = call;
      const options = { history: memoryHistory(), approvals: { find: () => [odd, approvalOf()] } };
      const outcome = await guardTool(policy, context as never, tool, () => 1, options as never)(args as never);
      expect(outcome.allowed, JSON.stringify(odd)).toBe(true);
    }
  });

  it("a host that fails to look says so, and no approval holds", async () => {
    const { tool, args, ...context } = call;
    const failing = () => {
      throw new Error("no folder");
    };
    const options = { history: memoryHistory(), approvals: { find: failing, ask: failing } };
    // A refusal may be among what cannot be asked for: an approval that the call comes with does not hold either.
    for (const approval of [undefined, approvalOf()]) {
      const given = { ...context, approval } as never;
      const outcome = await guardTool(policy, given, tool, () => 1, options as never)(args as never);
      expect(outcome).toMatchObject({
        allowed: false,
        decision: { gate: "INTERNAL_ERROR", problem: "the approvals of the call are not known: no folder" },
      });
    }
    // What is denied for another reason is denied for that.
    const elsewhere = { ...context, lane: "NOWHERE" } as never;
    const outcome = await guardTool(policy, elsewhere, tool, () => 1, options as never)(args as never);
    expect(outcome).toMatchObject({ decision: { gate: "LANE_AUTHORIZATION" } });
  });

  it("is not known to be unused where the store does not answer", async () => {
    const { tool, args, ...context } = call;
    const history = { reserve: () => Promise.reject(new Error("it is down")) };
    const given = { ...context, approval: approvalOf() } as never;
    const outcome = await guardTool(policy, given, tool, () => 1, { history })(args as never);
    expect(outcome).toMatchObject({
      decision: { gate: "INTERNAL_ERROR", problem: "the history of the call is not known: it is down" },
    });
  });
});
