/** Examples of arguments, as a tool's declaration in the policy's data names them: each is one that the policy allows. */

import { describe, expect, it } from "vitest";
import { sampleArguments } from "../../compiler/cli/init/agent-hosts/sample-arguments.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { load } from "../../runtime/index.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";

/** Flow style: a row a tool. */
const TOOLS: Readonly<Record<string, string>> = {
  shell: "{ command: { commands: ['git log -* *', 'ls'] }, note: { required: false } }",
  fetch: "{ url: { hosts: ['build.example.net:8443'], schemes: [wss] } }",
  note: "{ path: { paths: { below: [notes/today], resolve: text } } }",
  root: "{ path: { paths: { below: ['.'], resolve: text } } }",
  pay: "{ cents: { type: integer, min: 5, max: { CLERK: 9 } }, rate: { type: number, max: { default: 0.5 } } }",
  set: "{ mode: { one_of: [draft] }, on: { type: boolean }, many: { type: list }, what: { type: object }, any: { type: any } }",
};

async function compiledTools() {
  const files = {
    "roles.yaml": "roles:\n  - { role_id: CLERK, class: agent, privileges: { lanes: [L] } }\n",
    "lanes.yaml": `lanes:\n  - { lane_id: L, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [${Object.keys(TOOLS).join(", ")}] } }\n`,
    "tool_registry.yaml": `tools:\n${Object.entries(TOOLS)
      .map(
        ([name, args]) =>
          `  - { tool_name: ${name}, enabled: true, implementation_status: implemented, arguments: ${args} }\n`,
      )
      .join("")}`,
  };
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: files }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const data = compiled.files.find(({ path }) => path === "data.json")?.bytes;
  const { portcullis } = JSON.parse(new TextDecoder().decode(data)) as {
    readonly portcullis: {
      readonly policy: { readonly tools: Readonly<Record<string, { readonly arguments: unknown }>> };
    };
  };
  return { policy: await load(compiled.bundle), tools: portcullis.policy.tools };
}

describe("sampleArguments", () => {
  it("names a call of each kind of argument that is allowed", async () => {
    const { policy, tools } = await compiledTools();
    for (const tool of Object.keys(TOOLS)) {
      const args = sampleArguments(tools[tool]?.arguments, "CLERK", undefined);
      expect([tool, policy.call({ role: "CLERK", lane: "L", tool, args })]).toMatchObject([tool, { allowed: true }]);
    }
  });

  it("places a file below the root that the host resolves from", () => {
    const path = { type: "string", required: true, alone: { paths: { below: ["src/"], resolve: "host" } } };
    expect(sampleArguments({ path }, "CLERK", "/project")).toEqual({ path: "/project/src" });
  });

  it("gives nothing where a tool does not say", () => {
    for (const declared of [undefined, null, [], 7, {}]) expect(sampleArguments(declared, "CLERK", "/")).toEqual({});
  });
});
