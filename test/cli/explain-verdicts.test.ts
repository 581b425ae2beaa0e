/** What `explain` says decided, where an author's own rules decide: by several ways, several denials, or another request. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

const generated = fileURLToPath(new URL("../../generated/bundle.tar.gz", import.meta.url));
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

/** A policy with one role, its lane with these tools, and a module of the author's. */
function policyWith(name: string, rego: string, tools: readonly string[] = []): string {
  const set = join(folder, name);
  write(join(set, "roles.yaml"), "roles: [{ role_id: R }]\n");
  const actions = tools.length > 0 ? `, allowed_actions: { tools: [${tools}] }` : "";
  write(join(set, "lanes.yaml"), `lanes: [{ lane_id: L, allowed_callers: { roles: [R] }${actions} }]\n`);
  const rows = tools.map((tool) => `{ tool_name: ${tool}, enabled: true, implementation_status: implemented }`);
  if (tools.length > 0) write(join(set, "tool_registry.yaml"), `tools: [${rows}]\n`);
  write(join(set, "app.rego"), rego);
  return set;
}

/** An entrypoint `app/t/allow` with this way, or these, to allow. */
const allowing = (ways: string): string =>
  `package app.t\n\n# METADATA\n# entrypoint: true\ndefault allow := false\n\n${ways}\n`;

const explain = (path: string, entrypoint: string, input: object, ...flags: readonly string[]): Promise<Ran> =>
  portcullis("explain", path, entrypoint, "-i", write(join(folder, "input.json"), input), ...flags);

const firstOf = ({ code, out }: Ran): unknown => [code, out.split("\n")[0]];

describe("explain", () => {
  it("names no gate of one way as what denied, where another way allows", async () => {
    const ways = 'allow if data.portcullis.lane.decision.allowed\n\nallow if input.user == "admin"';
    const set = policyWith("ways", allowing(ways));
    const ask = (user: string) => explain(set, "app/t/allow", { role: "NOBODY", lane: "L", user }, "--fail");
    const allowed = /^allowed by data\.app\.t\.allow {2}app\.rego:9$/;
    expect(firstOf(await ask("admin"))).toEqual([0, expect.stringMatching(allowed)]);
    expect(firstOf(await ask("guest"))).toEqual([1, expect.stringMatching(/^denied by ROLE/)]);
  });

  it("names the denial that decides first, of an author's that give several or none that can be read", async () => {
    const rego = `package portcullis.ext.tool

deny contains {"gate": "M", "reason": "m"} if input.tool == "t"

deny contains answer if {
	input.tool == "t"
	some answer in [{"gate": "Z", "reason": "z", "a": 1}, {"gate": "A", "reason": "a"}]
}

deny contains {"gate": object.get(input, ["args", "gate"], ""), "reason": "r"} if input.tool == "u"
`;
    const set = policyWith("denials", rego, ["t", "u"]);
    const asked = (tool: string) => ({ role: "R", lane: "L", tool });
    expect(firstOf(await explain(set, "tool", asked("t")))).toEqual([0, "denied by A a  app.rego:5"]);
    const report = JSON.parse((await explain(set, "tool", asked("t"), "--format", "json")).out);
    expect(report.decision).toMatchObject({ gate: "A", reason: "a" });
    expect(report.decided_by).toEqual({ rule: "data.portcullis.ext.tool.deny", location: "app.rego:5" });
    const unreadable = /^denied by EXTENSION invalid_extension_answer/;
    expect(firstOf(await explain(set, "tool", asked("u")))).toEqual([0, expect.stringMatching(unreadable)]);
  });

  it("takes no gate for failed that was asked with another request", async () => {
    const asked = 'data.portcullis.lane.decision.allowed with input as {"role": "R", "lane": "L"}';
    const set = policyWith("others", allowing(`allow if {\n\t${asked}\n\tinput.user == "admin"\n}`));
    const { out } = await explain(set, "app/t/allow", { role: "NOBODY", lane: "L", user: "guest" });
    expect(out).not.toContain("ROLE");
    expect(out).toMatch(/^false\n/);
  });

  it("reads the verdict of an answer of AuthZEN's, also with --fail", async () => {
    const ask = (role: string) => {
      const context = { lineage: [{ agent_type: "news_desk", spawn_depth: 0 }], scope: { story_id: "s", run_id: "r" } };
      const asked = { action: { name: "research" }, resource: { type: "tool", id: "archive.lookup" }, context };
      const request = { subject: { type: "role", id: role }, ...asked };
      return explain(generated, "portcullis/authzen/evaluation", request, "--fail");
    };
    expect(firstOf(await ask("RESEARCHER"))).toEqual([0, expect.stringMatching(/^allowed by /)]);
    expect(firstOf(await ask("NOBODY"))).toEqual([1, expect.stringMatching(/^denied by /)]);
  });
});
