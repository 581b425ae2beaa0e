/** Decision tests of calls that need a bound approval: `this policy` stands for the revision under which one is given. */

import { load, type Policy } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { runTests } from "../../../compiler/governance/testing/index.ts";
import { type Files, virtualHost } from "../sources/virtual-host.ts";

const FACTS = {
  now: 1,
  call_sha256: "c",
  approval: { signature_valid: true, key_of: "m.ortiz", used: false, refused: false },
};
const approval = (policy_revision: unknown) => ({
  ...{ type: "portcullis-approval/1", decision: "approve", ref: "AP-1", by: "m.ortiz", call_sha256: "c" },
  ...{ policy_revision, expires_at: 2, nonce: "n", signature: "s" },
});
const call = (more: object) => ({ role: "CLERK", lane: "DESK", tool: "pay", facts: FACTS, ...more });
const FOR_OTHER = { allowed: false, gate: "APPROVAL", reason: "approval_for_other_policy" };

const set = (tests: unknown, how = "bound", more: Files = {}): Files => ({
  "portcullis.yaml": JSON.stringify({ call: { lineage: "optional" } }),
  "roles.yaml": JSON.stringify({ roles: [{ role_id: "CLERK" }] }),
  "lanes.yaml": JSON.stringify({
    lanes: [{ lane_id: "DESK", allowed_callers: { roles: ["CLERK"] }, allowed_actions: { tools: ["pay"] } }],
  }),
  "tool_registry.yaml": JSON.stringify({
    tools: [{ tool_name: "pay", enabled: true, implementation_status: "implemented", approval: how }],
  }),
  "approvers.yaml": JSON.stringify({
    approvers: [
      { name: "m.ortiz", key: { kty: "OKP", crv: "Ed25519", x: "Q-2-ipioCqc_9YANUvj4aC498lGGyT2vb85cw9fhKjk" } },
    ],
  }),
  "tests/call.yaml": JSON.stringify(tests),
  ...more,
});

/** What the runner says of each test: nothing where it passes. */
async function failures(files: Files): Promise<readonly (string | undefined)[]> {
  const { compiled, diagnostics } = await compileTests({ host: virtualHost({ p: files }), dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return (await runTests(compiled)).results.map(({ failure }) => failure);
}

async function policyOf(files: Files): Promise<Policy> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return load(compiled.bundle);
}

const revisionOf = async (files: Files) => (await policyOf(files)).approvals?.revision;

const CASES = [
  { name: "under this policy", input: call({ approval: approval("this policy") }), expect: { allowed: true } },
  { name: "under another", input: call({ approval: approval("other policy") }), expect: FOR_OTHER },
  { name: "under none", input: call({ approval: approval(null) }), expect: { reason: "approval_malformed" } },
];

describe("a decision test whose approval is given under `this policy`", () => {
  it("is asked with the revision of the policy that is tested", async () => {
    expect(await failures(set({ decision: "call", cases: CASES }))).toEqual([undefined, undefined, undefined]);
  });

  it("is so after every change of the policy, which has another revision", async () => {
    const rule = 'package portcullis.ext.call\n\nmust contains "TILL_OPEN" if input.role == "CLERK"\n';
    const changed = set({ decision: "call", cases: CASES }, "bound", { "extensions/call.rego": rule });
    expect(await failures(changed)).toEqual([undefined, undefined, undefined]);
    expect(await revisionOf(changed)).not.toBe(await revisionOf(set({})));
  });

  it("may be a combination of a matrix", async () => {
    const matrix = {
      name: "who may approve under what",
      axes: { "approval.policy_revision": ["this policy", "This policy", " this policy", "", null, ["this policy"]] },
      input: call({ approval: approval("") }),
      allow: [{ "approval.policy_revision": "this policy" }],
    };
    expect(await failures(set({ decision: "call", matrices: [matrix] }))).toEqual(Array(6).fill(undefined));
  });
});

describe("the words `this policy`", () => {
  it("say nothing in any other place", async () => {
    const gate =
      'package portcullis.ext.call\n\nmust contains "AS_WRITTEN" if input.args.policy_revision == "this policy"\n';
    const given = { args: { policy_revision: "this policy" }, approval: approval("this policy") };
    const cases = [{ name: "as written", input: call(given), expect: { allowed: true } }];
    expect(await failures(set({ decision: "call", cases }, "bound", { "extensions/call.rego": gate }))).toEqual([
      undefined,
    ]);
  });

  it("say nothing to a host: they are no revision", async () => {
    const policy = await policyOf(set({}));
    expect(policy.call(call({ approval: approval("this policy") }) as never)).toMatchObject(FOR_OTHER);
    expect(policy.call(call({ approval: approval(policy.approvals?.revision) }) as never)).toMatchObject({
      allowed: true,
    });
  });
});

it("a Rego test reads the revision in the policy's data", async () => {
  const rego = `package pay_test

test_revision if {
	decision := data.portcullis.call.decision with input as object.union(${JSON.stringify(call({ approval: approval("") }))}, {"approval": {"policy_revision": data.portcullis.policy.approval_revision}})
	decision.allowed
}
`;
  const beside = { decision: "call", cases: CASES.slice(0, 1) };
  expect(await failures(set(beside, "bound", { "pay_test.rego": rego }))).toEqual([undefined, undefined]);
});
