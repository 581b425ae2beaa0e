/** Resources and prompts behind the proxy: what `mcp` of portcullis.yaml opens, over a real server, and nothing else. */

import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, it } from "vitest";
import type { Caller } from "../../../compiler/enforcement/gateway/index.ts";
import { policyOf } from "../../governance/library/compiled-set.ts";
import { root } from "../../pages/page.ts";
import { connected, type Session, session } from "./session.ts";

const FILES = {
  "roles.yaml": "roles: [{ role_id: R }, { role_id: S }]\n",
  "lanes.yaml":
    "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [echo] } }, { lane_id: M, allowed_callers: { roles: [R] }, allowed_actions: { tools: [] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: echo, enabled: true, implementation_status: implemented }]\n",
};
const server = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const LISTED = `mcp:
  resources: [{ lane: L, names: ["demo://resource/static/document/features.md"] }]
  prompts: [{ lane: L, names: [simple-prompt] }]
`;

async function using(
  settings: string,
  by: Partial<Caller>,
  work: (client: Client, of: Session) => Promise<void>,
): Promise<void> {
  const policy = await policyOf(settings === "" ? FILES : { ...FILES, "portcullis.yaml": settings });
  const caller: Caller = { role: "R", lane: "L", scope: {}, flags: [], ...by };
  const of = session([process.execPath, server, "stdio"], { policy, caller, limits: { graceMs: 100 } });
  const client = await connected(of);
  try {
    await work(client, of);
  } finally {
    of.input.end();
    await of.end;
    await client.close();
  }
}
const shown = async (client: Client): Promise<readonly string[][]> => [
  (await client.listResources()).resources.map(({ uri }) => uri),
  (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  (await client.listPrompts()).prompts.map(({ name }) => name),
];

describe("resources and prompts", () => {
  it("are those that the lane lists", async () => {
    await using(LISTED, {}, async (client, of) => {
      const uri = "demo://resource/static/document/features.md";
      expect(await shown(client)).toEqual([[uri], [], ["simple-prompt"]]);
      expect((await client.readResource({ uri })).contents).toHaveLength(1);
      expect((await client.getPrompt({ name: "simple-prompt" })).messages.length).toBeGreaterThan(0);
      const other = "demo://resource/static/document/instructions.md";
      await expect(client.readResource({ uri: other })).rejects.toThrow(`The policy denies "${other}": OFFER`);
      await expect(client.getPrompt({ name: "args-prompt" })).rejects.toThrow("not_offered_in_lane");
      await expect(client.subscribeResource({ uri: other })).rejects.toThrow("not_offered_in_lane");
      const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
      const argument = { name: "department", value: "S" };
      await expect(client.complete({ ref, argument })).rejects.toThrow("not_offered_in_lane");
      const decided = of.records.filter(({ tool }) => tool !== "echo");
      expect(decided.map(({ name, tool, disposition }) => [name, tool, disposition])).toEqual([
        [uri, "resources", "ALLOW"],
        ["simple-prompt", "prompts", "ALLOW"],
        [other, "resources", "DENY"],
        ["args-prompt", "prompts", "DENY"],
        [other, "resources", "DENY"],
        ["completable-prompt", "prompts", "DENY"],
      ]);
    });
  });

  it.each([
    ["the policy says nothing of them", "", {}],
    ["another lane lists them", LISTED, { lane: "M" }],
    ["the role may not be in the lane", "mcp: { resources: pass, prompts: pass }\n", { role: "S" }],
  ])("are denied where %s", async (_, settings, by) => {
    await using(settings, by, async (client) => {
      expect(await shown(client)).toEqual([[], [], []]);
      await expect(client.getPrompt({ name: "simple-prompt" })).rejects.toThrow("The policy denies");
    });
  });

  it("are all of them where the policy lets them pass", async () => {
    await using("mcp: { resources: pass, prompts: pass }\n", {}, async (client) => {
      for (const names of await shown(client)) expect(names.length).toBeGreaterThan(0);
    });
  });
});
