/** What explain says about a call whose bound approval is missing or does not hold: who may approve it, and nothing that forges one. */

import { beforeAll, expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { type Explanation, explain, type OpenedPolicy, openBundle } from "../../../compiler/governance/review/index.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { FILES } from "./mutated-rules.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const DIGEST = "ab".repeat(32);
let opened: OpenedPolicy;
let call: Record<string, unknown>;
beforeAll(async () => {
  const { compiled } = await compile({ host: virtualHost({ p: FILES }), dirs: ["p"] });
  const result = await openBundle("p", compiled?.bundle as Uint8Array);
  if (!result.ok) throw new Error(result.problem.message);
  opened = result.value;
  call = {
    ...{ role: "CLERK", lane: "DESK", tool: "pay", scope: { who: "w" }, args: { cents: 5, to: "alpha" } },
    approval: {
      ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-1", by: "ann", call_sha256: DIGEST },
      ...{ policy_revision: opened.policy.approvals?.revision, expires_at: NOW + 60_000, nonce: "n", signature: "s" },
    },
    facts: {
      ...{ now: NOW, call_sha256: DIGEST, session: "s", history: { PAY: { calls: 0, sum: 0 } } },
      approval: { signature_valid: true, key_of: "ann", used: false, refused: false },
    },
  };
});

async function explained(changed: object): Promise<Explanation> {
  const inputJson = JSON.stringify({ ...call, ...changed });
  const result = await explain(opened, { entrypoint: "portcullis/call/decision", inputJson });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

const approval = (changed: object) => ({ approval: { ...(call["approval"] as object), ...changed } });
const facts = (changed: object) => ({ facts: { ...(call["facts"] as object), ...changed } });
const verified = (changed: object) =>
  facts({ approval: { ...((call["facts"] as { approval: object }).approval as object), ...changed } });

it("the call as it is signed is allowed", async () => {
  expect((await explained({})).decision).toMatchObject({ allowed: true });
});

const BOTH = ["ann", "bob"];
const CASES: readonly (readonly [string, () => object, RegExp, readonly string[]])[] = [
  ["approval_required", () => ({ approval: null }), /this very call, whose digest is (?:ab)+/, BOTH],
  ["approval_not_human", () => approval({ by: "CLERK" }), /`CLERK` is not an approver/, BOTH],
  ["approver_unknown", () => approval({ by: "eve" }), /`eve` is not an approver/, BOTH],
  ["approver_expired", () => facts({ now: Date.UTC(2027, 0, 1) }), /until 2026-12-31/, ["bob"]],
  ["approval_signature_invalid", () => verified({ key_of: "bob" }), /the key that approvers.yaml has for `ann`/, BOTH],
  [
    "approval_not_for_this_call",
    () => approval({ call_sha256: "cd" }),
    /is for the call cd: .* digest is (?:ab)+/,
    BOTH,
  ],
  ["approval_for_other_policy", () => approval({ policy_revision: "old" }), /under another policy/, BOTH],
  ["approval_expired", () => facts({ now: NOW + 60_000 }), /ended at 2026-06-01T12:01:00.000Z/, BOTH],
  ["approval_refused", () => verified({ refused: true }), /until the refusal ends/, []],
  ["approval_refused", () => verified({ refused: null }), /a history store/, BOTH],
  ["approval_used", () => verified({ used: true }), /good for one run/, BOTH],
  ["approval_used", () => verified({ used: null }), /a history store/, BOTH],
];

it.each(CASES)("%s", async (reason, changed, says, may) => {
  const { decision, remedies } = await explained(changed());
  expect(decision).toMatchObject({ gate: "APPROVAL", reason });
  expect(remedies.approval[0]).toMatch(says);
  const named = remedies.approval.flatMap(
    (one) => /^`(\w+)` can approve it with `portcullis approve/.exec(one)?.[1] ?? [],
  );
  expect(named).toEqual(may);
  for (const { changes } of remedies.request)
    for (const { path } of changes) expect(["facts", "approval"]).not.toContain(path[1]);
  // Another policy has another revision: only one in which the tool asks for less lets this approval through.
  for (const { changes } of remedies.policy) expect(changes.map(({ path }) => path.at(-1))).toContain("approval");
});

it("an approver of other tools is told from those who may, and a call that is denied anyway gets no one to sign it", async () => {
  const refund = { tool: "refund", args: undefined };
  const monday = { ...facts({ now: Date.UTC(2026, 5, 1, 10) }), ...refund };
  const other = await explained(monday);
  expect(other.decision).toMatchObject({ reason: "approver_not_for_tool" });
  expect(other.remedies.approval).toEqual([
    "`ann` may approve calls of mail, pay, until 2026-12-31: another approver has to",
    expect.stringMatching(/^`bob` can approve it/),
  ]);
  const sunday = await explained({ ...facts({ now: Date.UTC(2026, 5, 7, 10) }), ...refund });
  expect(sunday.remedies.approval.at(-1)).toBe(
    "an approval alone is not enough: LIMITS denies the call then, with limit_hours",
  );
});

async function explainedWithoutBob(request: object): Promise<Explanation> {
  const files = {
    ...FILES,
    "approvers.yaml": (FILES["approvers.yaml"] as string).replace(/ {2}- \{ name: bob.*\n/, ""),
  };
  const { compiled } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  const few = await openBundle("p", compiled?.bundle as Uint8Array);
  if (!few.ok) throw new Error(few.problem.message);
  const inputJson = JSON.stringify(request);
  const told = await explain(few.value, { entrypoint: "portcullis/call/decision", inputJson });
  if (!told.ok) throw new Error(told.problem.message);
  return told.value;
}

it("a tool without an approver says so", async () => {
  const { remedies } = await explainedWithoutBob({ role: "CLERK", lane: "DESK", tool: "refund" });
  expect(remedies.approval.at(-1)).toMatch(/the policy has no approver for calls of this tool/);
});

it("a tool of which the time of every approver has ended says whose", async () => {
  const later = { ...call, ...facts({ now: Date.UTC(2027, 0, 1) }) };
  const advice = [
    "`ann` can approve no call any more (may approve calls of mail, pay, until 2026-12-31): another approver has to",
  ];
  for (const [reason, request] of [
    ["approver_expired", later],
    ["approval_required", { ...later, approval: null }],
  ] as const) {
    const { decision, remedies } = await explainedWithoutBob(request);
    expect(decision).toMatchObject({ reason });
    expect(remedies.approval).toEqual(advice);
  }
});

it("a call that needs none is told nothing of approvals", async () => {
  expect((await explained({ tool: "fetch" })).remedies.approval).toEqual([]);
});
