/** `list` against the policy's own answers, and against what the example's files say. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtins } from "@portcullis/builtins";
import { type Decision, load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  type Grants,
  type ListOptions,
  listGrants,
  type OpenedPolicy,
  openBundle,
} from "../../../compiler/governance/review/index.ts";
import { portcullis } from "../../cli/terminal.ts";

const bundle = fileURLToPath(new URL("../../../generated/bundle.tar.gz", import.meta.url));
const source = <T>(name: string): T =>
  parse(readFileSync(new URL(`../../../policies/${name}`, import.meta.url), "utf8")) as T;
let opened: OpenedPolicy;
let policy: Policy;
beforeAll(async () => {
  const bytes = readFileSync(bundle);
  const result = await openBundle("generated", bytes, { builtins });
  if (!result.ok) throw new Error(result.problem.message);
  opened = result.value;
  policy = await load(bytes, { builtins });
});

function grants(options: ListOptions = {}): Grants {
  const result = listGrants(opened, options);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

describe("list", () => {
  it("tells which tools an agent type may be given, by which chains, and who may call a tool: as the policy answers", () => {
    const types = [...new Set(Object.keys((opened.data as never)["portcullis"]["policy"]["manifests"]))];
    const byAgent = types.flatMap((agent) => grants({ agent }).reached);
    const tools = [...new Set(byAgent.map(({ tool }) => tool))];
    expect(byAgent.length).toBeGreaterThan(20);
    const order = (list: Grants["reached"]): string[] => list.map((one) => JSON.stringify(one)).sort();
    expect(order(tools.flatMap((tool) => grants({ tool }).reached))).toEqual(order(byAgent));
    for (const { agent, tool, chains, grants: places } of byAgent) {
      for (const { role, lane } of places)
        expect(["TOOL_ENABLED", "LANE_TOOL", "ROLE", "LANE_ROLE"]).not.toContain(
          policy.tool({ role, lane, tool }).gate,
        );
      for (const chain of chains) {
        expect(chain.at(-1)).toBe(agent);
        const lineage = chain.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth }));
        expect(policy.lineage({ lineage }).allowed).toBe(true);
        const { role = "", lane = "" } = places[0] ?? {};
        expect(["LINEAGE", "CAPABILITY"]).not.toContain(policy.call({ role, lane, tool, lineage }).gate);
      }
    }
    const reader = grants({ agent: "archive_reader" });
    expect(reader.reached.map(({ tool, chains }) => [tool, chains])).toEqual([
      ["archive.lookup", [["news_desk", "claim_checker", "archive_reader"]]],
    ]);
    // A chain loses what one of its agents may not be given.
    expect(grants({ tool: "web.search" }).reached.map((one) => one.agent)).not.toContain("archive_reader");
    expect(grants({ agent: "copy_editor" }).arguments.map(({ tool }) => tool)).toEqual(["style.check"]);
    expect(grants({ role: "WRITER" }).reached).toEqual([]);
  });

  it("has the roles of each lane that the file names, and no others", () => {
    const { lanes } = source<{ lanes: { lane_id: string; allowed_callers: { roles: string[] } }[] }>("lanes.yaml");
    const written = lanes.flatMap(({ lane_id, allowed_callers }) =>
      allowed_callers.roles.map((role) => `${role} ${lane_id}`),
    );
    expect(grants().lanes.map(({ role, lane }) => `${role} ${lane}`)).toEqual(written.sort());
  });

  it("has a tool where the policy allows it, and where only a rule of the house denies it", () => {
    const { tools } = source<{ tools: { tool_name: string }[] }>("tool_registry.yaml");
    let conditional = 0;
    for (const { role, lane, tools: listed } of grants().lanes) {
      for (const { tool_name: tool } of tools) {
        const decision: Decision = policy.tool({ role, lane, tool });
        const found = listed.find((grant) => grant.tool === tool);
        if (decision.allowed) expect(found, `${role} ${lane} ${tool}`).toEqual({ tool });
        else if (decision.gate === "PAYOUT_LIMIT") {
          conditional++;
          expect(found).toEqual({ tool, gate: "PAYOUT_LIMIT" });
        } else expect(found, `${role} ${lane} ${tool}`).toBeUndefined();
      }
    }
    expect(conditional).toBeGreaterThan(0);
  });

  it("has delegates and starts", () => {
    const { delegates, spawns } = grants();
    const governance = { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1" };
    const env = { CHIRALITY_ENABLE_SUBAGENTS: "true" };
    expect(delegates.length).toBeGreaterThan(0);
    for (const { persona, subagents } of delegates) {
      const { delegatedSubagents } = policy.subagent({ persona, governance, env });
      expect(subagents).toEqual(delegatedSubagents.map((name) => name.replace(/-/g, "_")).sort());
    }
    expect(spawns).toContainEqual({ parent: "news_desk", children: ["claim_checker", "copy_editor", "researcher"] });
  });

  it("keeps to what is asked about", () => {
    const writer = grants({ role: "WRITER" });
    expect(new Set(writer.lanes.map(({ role }) => role))).toEqual(new Set(["WRITER"]));
    expect([writer.delegates, writer.spawns]).toEqual([[], []]);
    const publish = grants({ tool: "article.publish" });
    expect(publish.lanes.length).toBeGreaterThan(0);
    expect(publish.lanes.every(({ tools }) => tools.length === 1 && tools[0]?.tool === "article.publish")).toBe(true);
    expect(grants({ role: "WRITER", tool: "article.publish" }).lanes).toEqual([]);
    const editor = grants({ agent: "COPY-EDITOR" });
    expect(editor.lanes).toEqual([]);
    expect(editor.delegates.length).toBeGreaterThan(0);
    expect(editor.delegates.every(({ subagents }) => subagents.join() === "COPY_EDITOR")).toBe(true);
  });

  it.each<[ListOptions, string, string | undefined]>([
    [{ role: "WRITR" }, "the policy has no role `WRITR`", "did you mean `WRITER`?"],
    [{ tool: "draft.creat" }, "the policy has no tool `draft.creat`", "did you mean `draft.create`?"],
    [{ agent: "no such agent" }, "the policy has no agent `no such agent`", undefined],
  ])("refuses what the policy does not know: %j", (options, message, help) => {
    const result = listGrants(opened, options);
    expect(result).toMatchObject({ ok: false, problem: { code: "unknown-id", message } });
    expect(result.ok ? undefined : result.problem.help).toBe(help);
  });

  it("prints for people and for machines", async () => {
    const { code, out, err } = await portcullis("list", bundle, "--tool", "payout.release");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(`roles, their lanes, and the tools there
  MANAGING_EDITOR  RIGHTS_AND_PAYOUTS  payout.release (if PAYOUT_LIMIT allows)
  RIGHTS_CLERK     RIGHTS_AND_PAYOUTS  payout.release (if PAYOUT_LIMIT allows)

which agent types may be given which tool, by which chains, and in which lanes as which role
  publisher  payout.release  publisher  RIGHTS_AND_PAYOUTS as MANAGING_EDITOR, RIGHTS_AND_PAYOUTS as RIGHTS_CLERK

whose calls need a person
  payout.release  every call needs an approval of the very call, which e.brandt or m.ortiz may give

who approves them
  e.brandt  may approve calls of payout.release, until 2025-12-31
  m.ortiz   may approve calls of payout.release

2 lanes and 2 tools granted to roles, 0 delegations, 0 starts
`);
    const json = await portcullis("list", bundle, "--format", "json");
    expect(JSON.parse(json.out)).toEqual(grants());
    expect(await portcullis("list", bundle, "--role", "WRITR")).toMatchObject({ code: 2, out: "" });
  });
});
