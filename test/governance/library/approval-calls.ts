/** A policy whose tools and arguments ask for approvals, and calls with every fault of an approval, alone and with each other. */

import type { PolicyData } from "../../statements/policy.ts";
import { lowered } from "./case-files.ts";

const ED25519 = "Q-2-ipioCqc_9YANUvj4aC498lGGyT2vb85cw9fhKjk";
const P256 = {
  ...{ kty: "EC", crv: "P-256", x: "zDY4jIOka6Qp6xaRlggzU0qWiHwIRKV2KDUYh5rpKy8" },
  y: "9gofcmkMLkNyFeuS9EpaeGE_7Ij9D9VKKB-Ncpc9vCA",
};

const TOOLS = {
  pay: { approval: "bound" },
  ship: { approval: "bound", arguments: { to: { approval: "required" } } },
  name: { approval: "required", arguments: { x: { required: false, approval: "bound" } } },
  free: {},
  push: {
    arguments: {
      command: { required: false, commands: ["git status"], approval: { commands: ["git push *"], bound: true } },
      every: { required: false, approval: "bound" },
      signed: { required: false, approval: { one_of: ["c"] } },
      named: { required: false, type: "list", each: { approval: { one_of: ["p"] } } },
      list: { required: false, type: "list", each: { one_of: ["a"], approval: { one_of: ["b"], bound: true } } },
    },
  },
};

/** The last day of `m.ortiz`, and the first moment after it. */
const LAST_DAY = "2026-03-31";
const NEXT_DAY = Date.parse("2026-04-01T00:00:00Z");
const NOW = Date.parse("2026-03-15T12:00:00Z");

export const approvalPolicy: PolicyData = (() => {
  const tools = Object.entries(TOOLS).map(([tool_name, said]) => ({
    ...{ tool_name, enabled: true, implementation_status: "implemented" },
    ...said,
  }));
  const result = lowered({
    "roles.yaml": JSON.stringify({ roles: [{ role_id: "EDITOR" }] }),
    "lanes.yaml": JSON.stringify({
      lanes: [{ lane_id: "L", allowed_callers: { roles: ["EDITOR"] }, allowed_actions: { tools: Object.keys(TOOLS) } }],
    }),
    "tool_registry.yaml": JSON.stringify({ tools }),
    "approvers.yaml": JSON.stringify({
      approvers: [
        { name: "m.ortiz", key: P256, tools: ["pay", "name", "push"], until: LAST_DAY },
        { name: "K. Lee", key: { kty: "OKP", crv: "Ed25519", x: ED25519 } },
      ],
    }),
  });
  if ("errors" in result) throw new Error(result.errors.join(", "));
  return result.policy;
})();

interface Call {
  readonly role: string;
  readonly lane: string;
  readonly tool: string;
  readonly args?: unknown;
  readonly approval: { readonly [member: string]: unknown };
  readonly facts: { readonly approval: object; readonly [member: string]: unknown };
}

/** Nothing is wrong with it. */
export const rightBoundCall: Call = {
  ...{ role: "EDITOR", lane: "L", tool: "pay" },
  approval: {
    ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-1", by: "m.ortiz", call_sha256: "c-1" },
    ...{ policy_revision: approvalPolicy.approval_revision, expires_at: NOW + 900_000, nonce: "n-1", signature: "s" },
  },
  facts: {
    approval: { signature_valid: true, key_of: "m.ortiz", used: false, refused: false },
    ...{ call_sha256: "c-1", now: NOW },
  },
};

/** Values that a member does not have. */
const ODD = [null, false, true, 0, 1, 1.5, "", " ", "x", [], {}, ["m.ortiz"]];
const MEMBERS = Object.keys(rightBoundCall.approval);

type Change = (call: Call) => object;

const approvalWith =
  (members: object): Change =>
  (call) => ({ ...call, approval: { ...call.approval, ...members } });
const factsWith =
  (members: object): Change =>
  (call) => ({ ...call, facts: { ...call.facts, ...members } });
const foundWith =
  (members: object): Change =>
  (call) =>
    factsWith({ approval: { ...(call.facts.approval as object), ...members } })(call);
const without = (members: object, name: string): object =>
  Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));

/** One thing is wrong, or is said otherwise. */
const changes: readonly Change[] = [
  (call) => call,
  (call) => without(call, "approval"),
  ...ODD.map(
    (digest): Change =>
      (call) => ({ ...without(call, "approval"), facts: { ...call.facts, call_sha256: digest } }),
  ),
  (call) => without(call, "facts"),
  ...[null, false, true, 7, "AP-1", [], [rightBoundCall.approval], {}, { ref: "AP-1", by: "m.ortiz" }].map(
    (approval): Change =>
      (call) => ({ ...call, approval }),
  ),
  ...[null, false, [], "x", {}].map(
    (facts): Change =>
      (call) => ({ ...call, facts }),
  ),
  ...MEMBERS.flatMap((name) => [
    (call: Call) => ({ ...call, approval: without(call.approval, name) }),
    ...ODD.map((value) => approvalWith({ [name]: value })),
  ]),
  ...["approval", "call_sha256", "now"].flatMap((name) => [
    (call: Call) => ({ ...call, facts: without(call.facts, name) }),
    ...ODD.map((value) => factsWith({ [name]: value })),
  ]),
  ...["signature_valid", "key_of", "used", "refused"].flatMap((name) => [
    (call: Call) => factsWith({ approval: without(call.facts.approval, name) })(call),
    ...[null, false, true, 0, 1, "true", "false", "", "K. Lee", {}].map((value) => foundWith({ [name]: value })),
  ]),
  // Who approves, by what people read.
  ...["EDITOR", "editor ", "AGENT_EDITOR.md", "ED1TOR", "\u0415DITOR", "...", "\u200b", "M.Ortiz", "m ortiz"].map(
    (by) => approvalWith({ by }),
  ),
  ...["k.lee", "K. Lee", "stranger", "__proto__", "constructor"].map((by) => approvalWith({ by })),
  (call) => foundWith({ key_of: "K. Lee" })(approvalWith({ by: "K. Lee" })(call) as Call),
  // When.
  ...[NOW, NOW - 1, NOW + 1, NOW + 86_400_000, NOW + 86_400_001, -1, 1e300, 2 ** 53, 2 ** 53 - 1].map((end) =>
    approvalWith({ expires_at: end }),
  ),
  ...[NOW + 900_000, NOW + 899_999, NOW + 900_001, NOW + 0.5, -NOW, NEXT_DAY - 1, NEXT_DAY, NEXT_DAY + 1].map((now) =>
    factsWith({ now }),
  ),
  (call) => factsWith({ now: NEXT_DAY - 1 })(approvalWith({ expires_at: NEXT_DAY + 1 })(call) as Call),
  (call) => factsWith({ now: NEXT_DAY })(approvalWith({ expires_at: NEXT_DAY + 1 })(call) as Call),
  // What.
  ...["approve", "refuse", "Approve", "deny"].map((decision) => approvalWith({ decision })),
  ...["c-1", "c-2", "C-1", "c-1 "].flatMap((digest) => [
    factsWith({ call_sha256: digest }),
    approvalWith({ call_sha256: digest }),
  ]),
  (call) => factsWith({ call_sha256: "c-2" })(approvalWith({ call_sha256: "c-2" })(call) as Call),
  ...["portcullis-approval/2", "PORTCULLIS-APPROVAL/1"].map((type) => approvalWith({ type })),
  approvalWith({ policy_revision: "another" }),
  approvalWith({ more: "said" }),
];

/** Tools and arguments of which some ask for a name, some for a signature. */
const CALLS: readonly Partial<Call>[] = [
  ...["ship", "name", "free", "push", "unknown"].map((tool) => ({ tool })),
  { tool: "ship", args: { to: "x" } },
  { tool: "name", args: { x: "y" } },
  ...[
    { command: "git push x" },
    { command: "git status" },
    { every: "x" },
    { every: null },
    { signed: "c" },
    { signed: "d" },
    { list: ["a"] },
    { list: ["a", "b"] },
    { list: [] },
    { named: ["p"] },
    { named: ["q"], list: [] },
    { signed: "c", every: "x" },
  ].map((args) => ({ tool: "push", args })),
];

/** Faults that decide one row each, in the page's order: two at once show which is told. */
const rows: readonly Change[] = [
  (call) => ({ ...call, approval: null }),
  approvalWith({ nonce: "" }),
  approvalWith({ by: "EDITOR" }),
  approvalWith({ by: "stranger" }),
  (call) => factsWith({ now: NEXT_DAY })(approvalWith({ expires_at: NEXT_DAY + 1 })(call) as Call),
  (call) => ({ ...call, tool: "ship", args: { to: "x" } }),
  foundWith({ signature_valid: false }),
  factsWith({ call_sha256: "c-3" }),
  approvalWith({ policy_revision: "another" }),
  approvalWith({ expires_at: NOW }),
  foundWith({ refused: true }),
  approvalWith({ decision: "refuse" }),
  foundWith({ used: true }),
];

/** Well over a thousand. */
export function approvalCalls(): readonly object[] {
  const whole = (call: object): boolean => {
    const { approval, facts } = call as {
      readonly approval?: unknown;
      readonly facts?: { readonly approval?: unknown };
    };
    return [approval, facts, facts?.approval].every((one) => typeof one === "object" && one !== null);
  };
  const pairs = rows.flatMap((first) =>
    rows.map((second) =>
      whole(first(rightBoundCall)) ? second(first(rightBoundCall) as Call) : first(rightBoundCall),
    ),
  );
  const others = CALLS.flatMap((call) =>
    [...rows, ...changes.slice(0, 12)].map((change) => change({ ...rightBoundCall, ...call })),
  );
  return [...changes.map((change) => change(rightBoundCall)), ...pairs, ...others];
}
