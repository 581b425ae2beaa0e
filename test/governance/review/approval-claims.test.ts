/** Claims on who may approve: they hold of the library, and fail for each gate of approvals that is taken away. */

import { beforeAll, describe, expect, it } from "vitest";
import { hostDataPolicy } from "../../../compiler/governance/review/host-data-policy.ts";
import { type OpenedPolicy, type Proof, prove } from "../../../compiler/governance/review/index.ts";
import { policyTables } from "../../../compiler/governance/review/policy-ids.ts";
import { unapprovedIsDenied } from "../../../compiler/governance/review/prove/approval-space.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { sampled } from "../../campaign.ts";
import { FILES } from "./mutated-rules.ts";
import { opened as openedWith } from "./opened.ts";

let opened: OpenedPolicy;
beforeAll(async () => {
  opened = await openedWith(FILES);
});

async function proof(policy: OpenedPolicy, claims: string): Promise<Proof> {
  const result = await prove(policy, { claims: new SourceFile("claims.yaml", claims), removals: 10 });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

const CLAIMS = `claims:
  - never: { decision: approval, tool: [pay, refund], approver: [(unapproved), (unsigned)] }
  - never: { decision: approval, tool: refund, approver: ann }
  - always: { decision: approval, role: CHIEF, tool: pay, approver: [ann, bob] }
  - never: { decision: approval, tool: publish, approver: (unapproved) }
  - never: { decision: approval, tool: pay, approver: ann }
  - never: { decision: approval, tool: publish, approver: (unsigned) }
`;

it("a claim says which approver may approve what, and one that is not true is refuted", async () => {
  const { properties, claims } = await proof(opened, CLAIMS);
  const failed = properties.slice(-claims).map(({ counterexamples }) => counterexamples[0]?.why);
  // The last two are not so: ann approves payouts, and for publishing a name is enough.
  expect(failed).toEqual([undefined, undefined, undefined, undefined, "it is allowed", "it is allowed"]);
  const held = properties.find(({ name }) => name.startsWith("calls of tools that need an approval"));
  expect(held).toMatchObject({ counterexamples: [] });
  expect(held?.asked).toBe(20);
});

it("a claim about an approver that is not there is refused", async () => {
  const result = await prove(opened, {
    claims: new SourceFile("c.yaml", "claims:\n  - never: { decision: approval, approver: eve }\n"),
  });
  expect(result).toMatchObject({ ok: false, problem: { message: expect.stringContaining("no approver `eve`") } });
});

it("a tool that asks for less refutes the claim", async () => {
  const registry = FILES["tool_registry.yaml"] as string;
  const [first] = CLAIMS.split("\n").slice(1);
  for (const asks of ["approval: required", "approval: none"]) {
    const files = { ...FILES, "tool_registry.yaml": registry.replace("approval: bound", asks) };
    const { properties } = await proof(await openedWith(files), `claims:\n${first}\n`);
    expect(properties.at(-1)?.counterexamples[0]).toMatchObject({ why: "it is allowed", request: { tool: "pay" } });
  }
});

/** Conditions of the library's gate, each as one that always holds. */
const MUTANTS: readonly (readonly [string, string])[] = [
  ["need\n\tnot approver_is_person", "false"],
  ["not approver\n", "false\n"],
  ["\tapprover_expired\n} else", "\tfalse\n} else"],
  ["not signed\n", "false\n"],
  ["input.facts.approval.signature_valid == true", "true"],
  ["input.facts.approval.key_of == input.approval.by", "true"],
  ["not for_this_call", "false"],
  ["not for_this_policy", "false"],
  ["not in_time", "false"],
  ["input.facts.now < input.approval.expires_at", "true"],
  ["input.approval.expires_at - input.facts.now <= ((24 * 60) * 60) * 1000", "true"],
  ["not approved", "false"],
  ['input.approval.decision == "approve"', "true"],
  ["input.facts.approval.refused == false", "true"],
  ["not unused", "false"],
  ['binds if policy.tools[input.tool].approval == "bound"', "binds if false"],
];

describe("without a condition of the library an approval that does not hold is found", () => {
  it.each(sampled(MUTANTS, 1 / 3))("%s", async (from, to) => {
    const path = "portcullis/approval.rego";
    const rego = new TextDecoder().decode(opened.files.get(path));
    expect(rego).toContain(from);
    const loaded = await hostDataPolicy(opened, {
      without: new Set([path]),
      extra: [new SourceFile(path, rego.replace(from, to))],
    });
    if (!loaded.ok) throw new Error(loaded.problem.message);
    const { counterexamples } = unapprovedIsDenied(loaded.value, policyTables(opened.data) ?? {});
    expect(counterexamples).not.toEqual([]);
  });
});
