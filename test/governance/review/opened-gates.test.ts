/** A gate that is taken away shows as a request that is newly allowed, also where no agent type may be given the tool. */

import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { diffPolicies, type OpenedPolicy, openBundle } from "../../../compiler/governance/review/index.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const FILES: Readonly<Record<string, string>> = {
  "portcullis.yaml":
    "subagents: { approvers: human }\nlineage: { roots: [desk], require: false }\ncall: { unknown_agents: allow }\n",
  "roles.yaml": "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n",
  "lanes.yaml":
    "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] }, scope: { requires: [k] } }]\n",
  "tool_registry.yaml":
    "tools: [{ tool_name: t, enabled: true, implementation_status: implemented, approval: required }]\n",
  "manifests/desk.yaml": "agent_type: desk\nallowed_tools: []\n",
  "AGENT_LEAD.md": "---\nsubagents: [WORK]\n---\nAGENT_TYPE: 1\n",
  "AGENT_WORK.md": "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
  "handoff.yaml": "agents: { master: [LEAD], sub: [WORK] }\nforbidden_paths: [rules]\n",
};

async function opened(files: Readonly<Record<string, string>>): Promise<OpenedPolicy> {
  const { compiled } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  const result = await openBundle("p", compiled?.bundle as Uint8Array);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

let before: OpenedPolicy;
beforeAll(async () => {
  before = await opened(FILES);
});

/** Decision and gate of before, of every request that the change opens. */
async function openedBy(file: string, from: string, to: string): Promise<string[]> {
  const text = FILES[file] as string;
  expect(text).toContain(from);
  const changed = { ...FILES, [file]: text.replace(from, to) };
  const result = await diffPolicies(before, await opened(changed));
  if (!result.ok) throw new Error(result.problem.message);
  const found = result.value.found.filter((change) => change.kind === "newly-allowed");
  return [...new Set(found.map(({ decision, before }) => `${decision} ${before.gate} ${before.reason}`))].sort();
}

describe("diff shows what is opened when", () => {
  it.each([
    [
      "a tool needs no approval any more",
      ["tool_registry.yaml", "approval: required", "approval: none"],
      ["call APPROVAL approval_not_human", "call APPROVAL approval_required"],
    ],
    [
      "agents may approve delegations",
      ["portcullis.yaml", "approvers: human", "approvers: any"],
      ["subagent APPROVED_BY approvedBy must not name an agent."],
    ],
    [
      "a path is no longer forbidden",
      ["handoff.yaml", "forbidden_paths: [rules]", "forbidden_paths: []"],
      ["handoff MUTATIONS forbidden_mutation"],
    ],
    [
      "a handoff has no roles",
      ["handoff.yaml", "agents: { master: [LEAD], sub: [WORK] }\nforbidden_paths: [rules]", "required_fields: []"],
      [
        "handoff AGENTS role_boundary",
        "handoff AGENTS unknown_agent",
        "handoff FAILURE failure_not_attributed",
        "handoff MUTATIONS forbidden_mutation",
      ],
    ],
  ] as const)("%s", async (_, [file, from, to], shown) => {
    expect(await openedBy(file, from, to)).toEqual(shown);
  });
});

it("nothing is opened when a manifest is deleted: its agent is unknown then", async () => {
  const files = {
    ...FILES,
    "portcullis.yaml": "lineage: { roots: [desk, reader] }\n",
    "tool_registry.yaml": "tools: [{ tool_name: t, enabled: true, implementation_status: implemented }]\n",
    "manifests/desk.yaml": "agent_type: desk\n",
    "manifests/reader.yaml": "agent_type: reader\nallowed_tools: []\n",
  };
  const { "manifests/reader.yaml": _, ...fewer } = files;
  const [bounded, deleted] = [await opened(files), await opened({ ...fewer, "portcullis.yaml": "" })];
  const lineage = [{ agent_type: "reader", spawn_depth: 0 }];
  const ask = ({ policy }: OpenedPolicy) =>
    policy.call({ role: "R", lane: "L", tool: "t", scope: { k: "x" }, lineage });
  expect([ask(bounded).reason, ask(deleted).reason]).toEqual(["tool_not_delegable", "agent_unknown"]);
  const result = await diffPolicies(bounded, deleted);
  const found = result.ok ? result.value.found : [];
  expect(found.filter(({ kind }) => kind !== "newly-allowed")).not.toEqual([]);
  expect(found.filter(({ kind }) => kind === "newly-allowed")).toEqual([]);
});
