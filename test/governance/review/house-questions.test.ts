/** Where a rule of the house denies every request that the tables seem to ask for, `diff` looks for one that meets it. */

import { describe, expect, it } from "vitest";
import { diffPolicies, type PolicyDiff } from "../../../compiler/governance/review/index.ts";
import { opened } from "./opened.ts";

const filesOf = (rule: string): Readonly<Record<string, string>> => ({
  "portcullis.yaml": "subagents: { approvers: human }\n",
  "roles.yaml": "roles: [{ role_id: R }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay, read] } }]\n",
  "tool_registry.yaml": `tools:
  - { tool_name: pay, enabled: true, implementation_status: implemented, required_scope_keys: [payee], approval: none }
  - { tool_name: read, enabled: true, implementation_status: implemented, approval: none }
`,
  "manifests/desk.yaml": "allowed_tools: [pay]\n",
  "AGENT_LEAD.md": "---\nsubagents: [WORK]\n---\nAGENT_TYPE: 1\n",
  "AGENT_WORK.md": "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
  "house/data.yaml": "most: 500\n",
  "house/tool.rego": `package portcullis.ext.tool

must contains "SMALL" if input.tool != "pay"

must contains "SMALL" if {
	${rule}
}
`,
});

const MEETABLE = filesOf("is_number(input.scope.cents)\n\tinput.scope.cents <= data.house.most");
/** No constant of the rule, or of the data, is a value that it wants. */
const HIDDEN = filesOf('input.scope.code == concat("-", ["a", format_int(data.house.most, 16)])');

async function difference(files: Readonly<Record<string, string>>, changed: object): Promise<PolicyDiff> {
  const result = await diffPolicies(await opened(files), await opened({ ...files, ...changed }));
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}
const newly = ({ found }: PolicyDiff, kind: string): readonly unknown[] =>
  found.flatMap((one) => (one.kind === kind && one.decision === "call" ? [one.input] : []));

const registry = (from: string, to: string): object => ({
  "tool_registry.yaml": MEETABLE["tool_registry.yaml"]?.replace(from, to),
});
const NEW_TYPE = { "manifests/new.yaml": "allowed_tools: [pay]\n" };

describe("a call that a rule of the house allows for what it says besides", () => {
  it("shows a scope without a key that was asked for before", async () => {
    const diff = await difference(MEETABLE, registry("required_scope_keys: [payee], ", ""));
    const [call] = newly(diff, "newly-allowed");
    expect(call).toMatchObject({ tool: "pay", scope: { cents: expect.any(Number) } });
    expect((call as { scope: object }).scope).not.toHaveProperty("payee");
  });

  it("shows a tool that is switched off", async () => {
    const diff = await difference(MEETABLE, registry("enabled: true", "enabled: false"));
    expect(newly(diff, "newly-denied")).not.toEqual([]);
  });

  it("shows the tools of an agent type that is new", async () => {
    const diff = await difference(MEETABLE, NEW_TYPE);
    const lineage = [expect.objectContaining({ agent_type: "new" })];
    expect(newly(diff, "newly-allowed")).toEqual([expect.objectContaining({ tool: "pay", lineage })]);
  });
});

it("where none is found, an agent type that is new is unknown, although its name may approve no more", async () => {
  const diff = await difference(HIDDEN, NEW_TYPE);
  expect(newly(diff, "newly-allowed")).toEqual([]);
  expect(diff.found).toContainEqual(expect.objectContaining({ kind: "newly-denied", decision: "subagent" }));
  const why = "by itself it opens a gate, and what was asked is denied by a later one";
  expect(diff.unseen).toMatchObject([{ path: "data.portcullis.policy.manifests.new", why }]);
});
