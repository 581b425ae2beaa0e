/** A denial by a rule of the house that reads more than ids proves no `never`, however it comes to read it. */

import { expect, it } from "vitest";
import { prove } from "../../../compiler/governance/review/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { opened } from "./opened.ts";

const SET: Readonly<Record<string, string>> = {
  "roles.yaml": "roles: [{ role_id: R }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay] } }]\n",
  "tool_registry.yaml":
    "tools: [{ tool_name: pay, enabled: true, implementation_status: implemented, approval: none }]\n",
};
const CLAIM = "claims:\n  - never: { decision: tool, role: R, lane: L, tool: pay }\n";
const ASKED = { role: "R", lane: "L", tool: "pay", args: { k: 1 } };

/** Why the claim is not known to hold; `undefined` where it is proved. */
async function claimed(files: Readonly<Record<string, string>>, data?: object): Promise<string | undefined> {
  const policy = await opened({ ...SET, ...files });
  const result = await prove(policy, { claims: new SourceFile("claims.yaml", CLAIM) });
  if (!result.ok) throw new Error(result.problem.message);
  // INVARIANT: what is claimed is not so: a request with these ids is allowed, with what the host gives.
  if (data !== undefined) policy.policy.setData(data);
  if (data !== undefined) expect(policy.policy.tool(ASKED as never)).toMatchObject({ allowed: true });
  return result.value.properties.at(-1)?.counterexamples[0]?.why;
}

const tool = (rules: string): string => `package portcullis.ext.tool\n\n${rules}`;

/** The house's own rules, of which one denies. */
const house = (rules: string): Readonly<Record<string, string>> => ({
  "house.rego": `package house.rules\n\n${rules}\nopen if input.args.k == 1\n`,
  "ext.rego": tool('deny contains {"gate": "G", "reason": "r"} if data.house.rules.closed\n'),
});

it.each([
  [
    "behind a name that another scope of the rule has",
    house("closed if {\n\tcount([1 | some open in [1]; open == 1]) == 1\n\tnot open\n}\n"),
    {},
    "input.args.k",
  ],
  [
    "behind a name that an `every` of the rule binds",
    house("closed if {\n\tevery open in [1, 2] { open > 0 }\n\tnot open\n}\n"),
    {},
    "input.args.k",
  ],
  [
    "behind a name that the other branch of an else binds",
    house("closed if not fine\n\nfine := false if {\n\tsome open in [1]\n\topen == 2\n} else := open\n"),
    {},
    "input.args.k",
  ],
  [
    "in host data beside rules of its own",
    {
      "portcullis.yaml": "rego: { host_data: [house.open] }\n",
      "house.rego": "package house.rules\n\nalways := true\n",
      "ext.rego": tool('deny contains {"gate": "G", "reason": "r"} if not "now" in [v | walk(data.house, [_, v])]\n'),
    },
    { house: { open: "now" } },
    "data.house",
  ],
])("%s", async (_, files, data, read) => {
  expect(await claimed(files, data)).toContain(`\`${read}\``);
});

it("a rule that reads ids alone proves it, under names of its own", async () => {
  const rules = `deny contains {"gate": "G", "reason": "r"} if {
	some open in ["R"]
	open == input.role
}
`;
  expect(await claimed({ "ext.rego": tool(rules) })).toBeUndefined();
});
