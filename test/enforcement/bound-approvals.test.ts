/**
 * An approval is good for one call, under one policy, once: whatever is changed in the call, in the file, in the key or in the
 * policy is denied, for its reason. Approvals are signed here with Node's own crypto, from the page alone.
 */

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  callDigest,
  type DecisionEvent,
  guardTool,
  type LoadOptions,
  load,
  memoryHistory,
  type Policy,
} from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Server, serve } from "../../compiler/enforcement/serving/index.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";

const KEYS = {
  "m.ortiz": generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "k.lee": generateKeyPairSync("ed25519"),
  "r.novak": generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
type Approver = keyof typeof KEYS;

function files(more: object = {}): Record<string, string> {
  const tools = ["payout.release", "article.publish"].map((tool_name) => ({
    ...{
      tool_name,
      enabled: true,
      implementation_status: "implemented",
      approval: "bound",
      required_scope_keys: ["run_id"],
    },
  }));
  const authzen = { subject_type: "role", resource_type: "tool", actions: [{ name: "use", lane: "PAYOUTS" }] };
  return {
    "portcullis.yaml": JSON.stringify({ adapters: { authzen } }),
    "roles.yaml": JSON.stringify({ roles: [{ role_id: "EDITOR" }, { role_id: "CHIEF", ...more }] }),
    "lanes.yaml": JSON.stringify({
      lanes: ["PAYOUTS", "NIGHT"].map((lane_id) => ({
        lane_id,
        allowed_callers: { roles: ["EDITOR", "CHIEF"] },
        allowed_actions: {
          tools: tools.map(({ tool_name }) => tool_name),
          writes: [{ table: "payouts", mode: "append" }],
        },
      })),
    }),
    "tool_registry.yaml": JSON.stringify({ tools }),
    "approvers.yaml": JSON.stringify({
      approvers: Object.entries(KEYS).map(([name, { publicKey }]) => ({
        name,
        key: publicKey.export({ format: "jwk" }),
      })),
    }),
  };
}

async function policyOf(more?: object, options?: LoadOptions): Promise<Policy> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: files(more) }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle, options);
}

let policy: Policy;
beforeAll(async () => {
  policy = await policyOf();
});

interface Call {
  readonly role: string;
  readonly lane: string;
  readonly tool: string;
  readonly scope: Readonly<Record<string, unknown>>;
  readonly args: unknown;
  readonly [member: string]: unknown;
}

const call: Call = {
  ...{ role: "EDITOR", lane: "PAYOUTS", tool: "payout.release" },
  scope: { contributor_id: "c-9", run_id: "r-7" },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
  args: { amount_cents: 120_000, note: null, to: { name: "Zoë", parts: [1, 0.5, null] } },
};
/** `printf %s '…' | sha256sum` of the text that the page describes, written by hand. */
const CANONICAL =
  '{"request":{"args":{"amount_cents":120000,"to":{"name":"Zoë","parts":[1,0.5,null]}},"lane":"PAYOUTS","lineage":[{"agent_type":"publisher","spawn_depth":0}],"role":"EDITOR","scope":{"contributor_id":"c-9","run_id":"r-7"},"tool":"payout.release"}}';
const DIGEST = createHash("sha256").update(CANONICAL).digest("hex");

const signature = (text: string, key: KeyObject): string =>
  sign(key.asymmetricKeyType === "ed25519" ? null : "sha256", Buffer.from(text), {
    key,
    dsaEncoding: "ieee-p1363",
  }).toString("base64url");

/** Canonical JSON of an approval: its members are texts and one whole number. */
const canonical = (members: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))));

let nonces = 0;
function approvalOf(changed: object = {}, by: Approver = "m.ortiz"): Record<string, unknown> {
  const said = {
    ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-31", by, call_sha256: DIGEST },
    ...{ policy_revision: policy.approvals?.revision, expires_at: Date.now() + 600_000, nonce: `nonce-${nonces++}` },
    ...changed,
  };
  return { ...said, signature: signature(canonical(said), KEYS[by].privateKey) };
}

/** What became of one call with an approval: the reason of its denial, or what the tool got. */
async function guarded(
  given: Call,
  approval: unknown,
  history: object | undefined = memoryHistory(),
  by: Policy = policy,
): Promise<unknown> {
  const { tool, args, ...context } = given;
  const options = history === undefined ? {} : { history };
  const outcome = await guardTool(
    by,
    { ...context, approval } as never,
    tool,
    (got: unknown) => ({ got }),
    options as never,
  )(args);
  return outcome.allowed ? "allowed" : outcome.decision.reason;
}

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
      ).toMatch(/^(?:approval_not_for_this_call|no_decision)$/);
    }
    // A text of a number, and an object that looks like one, are themselves.
    expect(callDigest({ args: { number: "5" } })).not.toBe(callDigest({ args: 5 }));
  });
});

describe("a file that was changed", () => {
  const unsigned: readonly (readonly [string, unknown, string])[] = [
    ["type", "portcullis-approval/2", "approval_malformed"],
    ["decision", "refuse", "approval_signature_invalid"],
    ["decision", "yes", "approval_malformed"],
    ["ref", "AP-32", "approval_signature_invalid"],
    ["ref", "", "approval_malformed"],
    ["by", "k.lee", "approval_signature_invalid"],
    ["by", "EDITOR", "approval_not_human"],
    ["by", "__proto__", "approver_unknown"],
    ["call_sha256", "0".repeat(64), "approval_signature_invalid"],
    ["policy_revision", "another", "approval_signature_invalid"],
    ["expires_at", 4_102_444_800_000, "approval_signature_invalid"],
    ["expires_at", "tomorrow", "approval_malformed"],
    ["nonce", "another", "approval_signature_invalid"],
    ["signature", "AAAA", "approval_signature_invalid"],
    ["signature", "", "approval_malformed"],
    ["more", null, "approval_signature_invalid"],
    ["more", 1e300, "approval_signature_invalid"],
    ["__proto__x", "1", "approval_signature_invalid"],
  ];
  it.each(unsigned)("in `%s` to %j is denied: %s", async (name, value, reason) => {
    expect(await guarded(call, { ...approvalOf(), [name]: value })).toBe(reason);
  });

  it("by the loss of any member is malformed", async () => {
    for (const name of Object.keys(approvalOf())) {
      const { [name]: _, ...rest } = approvalOf();
      expect(await guarded(call, rest), name).toBe("approval_malformed");
    }
  });

  it.each(Object.keys(KEYS) as Approver[])("in any character of the signature of %s is not signed", async (by) => {
    const approval = approvalOf({}, by);
    const text = approval["signature"] as string;
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === "A" ? "B" : "A";
      const changed = { ...approval, signature: text.slice(0, at) + other + text.slice(at + 1) };
      expect(await guarded(call, changed), `character ${at}`).toBe("approval_signature_invalid");
    }
    for (const changed of [`${text}=`, `${text}A`, text.slice(0, -1), ` ${text}`, text.replaceAll("-", "+")].filter(
      (t) => t !== text,
    ))
      expect(await guarded(call, { ...approval, signature: changed }), changed).toBe("approval_signature_invalid");
  });

  it("and signed with the approver's own key is denied for what it says", async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ decision: "refuse" }, "approval_refused"],
      [{ call_sha256: "0".repeat(64) }, "approval_not_for_this_call"],
      [{ call_sha256: DIGEST.toUpperCase() }, "approval_not_for_this_call"],
      [{ policy_revision: "another" }, "approval_for_other_policy"],
      [{ expires_at: Date.now() }, "approval_expired"],
      [{ expires_at: Date.now() + 86_400_000 + 60_000 }, "approval_expired"],
      [{ type: "portcullis-approval/0" }, "approval_malformed"],
    ];
    for (const [changed, reason] of cases) expect(await guarded(call, approvalOf(changed))).toBe(reason);
    const stranger = generateKeyPairSync("ed25519").privateKey;
    const { signature: _, ...said } = approvalOf();
    expect(await guarded(call, { ...said, signature: signature(canonical(said), stranger) })).toBe(
      "approval_signature_invalid",
    );
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

describe("serve", () => {
  const servers: Server[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));
  const started = async (history: object | undefined, trustFacts = false, served = policy): Promise<string> => {
    const server = await serve({
      served: () => ({ policy: served }),
      ...{ metrics: () => "", authzen: "portcullis/authzen/evaluation", host: "127.0.0.1", port: 0, anonymous: true },
      ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0", trustFacts },
      facts: { history } as never,
    });
    servers.push(server);
    return server.url;
  };
  const posted = async (url: string, body: string): Promise<Record<string, unknown>> =>
    (await (await fetch(url, { method: "POST", body })).json()) as Record<string, unknown>;
  const asked = async (url: string, input: string): Promise<unknown> => {
    const { result } = await posted(`${url}/v1/data/portcullis/call/decision`, `{"input":${input}}`);
    const { allowed, reason } = result as { allowed: boolean; reason: string };
    return allowed ? "allowed" : reason;
  };

  it("takes an approval as the file's content, once", async () => {
    const url = await started(memoryHistory());
    const input = JSON.stringify({ ...call, approval: approvalOf() });
    expect(await asked(url, input)).toBe("allowed");
    expect(await asked(url, input)).toBe("approval_used");
    expect(await asked(url, JSON.stringify(call))).toBe("approval_required");
    expect(await asked(await started(undefined), JSON.stringify({ ...call, approval: approvalOf() }))).toBe(
      "approval_used",
    );
  });

  it("decides on no text that readers understand differently", async () => {
    const url = await started(memoryHistory());
    const input = JSON.stringify({ ...call, approval: approvalOf() });
    for (const odd of [
      input.replace('"role":"EDITOR"', '"role":"CHIEF","role":"EDITOR"'),
      input.replace("0.5", "0.5000000000000000000001"),
      input.replace("120000", "120000.00000000000000001"),
    ])
      expect(await asked(url, odd), odd).toBe("approval_not_for_this_call");
    expect(await asked(url, input)).toBe("allowed");
  });

  it("makes the facts of an approval anew, where a trusted client says others", async () => {
    const url = await started(memoryHistory(), true);
    const facts = {
      call_sha256: DIGEST,
      approval: { signature_valid: true, key_of: "m.ortiz", used: false, refused: false },
    };
    const forged = { ...approvalOf(), ref: "another" };
    expect(await asked(url, JSON.stringify({ ...call, approval: forged, facts }))).toBe("approval_signature_invalid");
    // Where files lie is the client's to say: it is a part of what was approved.
    const paths = { file: "src/a" };
    const placed = approvalOf({ call_sha256: callDigest(call, paths) });
    expect(await asked(url, JSON.stringify({ ...call, approval: placed }))).toBe("approval_not_for_this_call");
    expect(await asked(url, JSON.stringify({ ...call, approval: placed, facts: { paths } }))).toBe("allowed");
  });

  it("says that the store does not answer", async () => {
    const url = await started({ reserve: () => Promise.reject(new Error("it is down")) });
    const body = JSON.stringify({ input: { ...call, approval: approvalOf() } });
    const { result } = await posted(`${url}/v1/data/portcullis/call/decision`, body);
    const problem = "the history of the call is not known: it is down";
    expect(result).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR", problem });
  });

  it("writes one decision down for each of AuthZEN's evaluations", async () => {
    const events: DecisionEvent[] = [];
    const heard = await policyOf(undefined, { onDecision: (event) => void events.push(event) });
    const url = await started(memoryHistory(), false, heard);
    const { scope, lineage } = call;
    const one = { resource: { type: "tool", id: "payout.release" }, context: { scope, lineage } };
    const asked = { subject: { type: "role", id: "EDITOR" }, action: { name: "use" } };
    await posted(`${url}/access/v1/evaluation`, JSON.stringify({ ...asked, ...one }));
    await posted(`${url}/access/v1/evaluations`, JSON.stringify({ ...asked, evaluations: [one, one] }));
    heard.events?.flush();
    expect(events.map(({ path }) => path)).toEqual(Array(3).fill("portcullis/authzen/evaluation"));
    expect(events.map(({ result }) => result)).toMatchObject(Array(3).fill({ decision: false }));
  });

  it("takes it in the context of AuthZEN's evaluations", async () => {
    const url = await started(memoryHistory());
    const { scope, lineage } = call;
    const evaluation = (approval: unknown): string =>
      JSON.stringify({
        ...{ subject: { type: "role", id: "EDITOR" }, action: { name: "use" } },
        ...{ resource: { type: "tool", id: "payout.release" }, context: { scope, lineage, approval } },
      });
    const missing = await posted(`${url}/access/v1/evaluation`, evaluation(undefined));
    expect(missing).toMatchObject({ decision: false, context: { reason: "approval_required", approval: "bound" } });
    const { call_sha256: digest } = missing["context"] as { call_sha256: string };
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const approval = approvalOf({ call_sha256: digest });
    expect(await posted(`${url}/access/v1/evaluation`, evaluation(approval))).toMatchObject({ decision: true });
    expect(await posted(`${url}/access/v1/evaluation`, evaluation(approval))).toMatchObject({
      decision: false,
      context: { reason: "approval_used" },
    });
  });
});
