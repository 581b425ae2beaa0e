/** A claim that is shown tells where it is written, and why. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtins } from "@portcullis/builtins";
import { expect, it } from "vitest";
import { spacesOf } from "../../../compiler/governance/review/decision-space.ts";
import { openBundle } from "../../../compiler/governance/review/index.ts";
import { policyIds, policyTables } from "../../../compiler/governance/review/policy-ids.ts";
import { checkClaim, readClaims } from "../../../compiler/governance/review/prove/claims.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { opened as openedFrom } from "./opened.ts";

const bundle = fileURLToPath(new URL("../../../generated/bundle.tar.gz", import.meta.url));
const opened = await openBundle("generated", readFileSync(bundle), { builtins });
if (!opened.ok) throw new Error(opened.problem.message);
const { policy } = opened.value;
const spaces = spacesOf(policyIds(policyTables(opened.value.data) ?? {}));
const never = (input: string): string => `claims:\n  - never: { decision: lane, input: ${input} }\n`;
const ask = (role: string, because: string) =>
  readClaims(
    new SourceFile(
      "claims.yaml",
      `claims:
  - never: { entrypoint: portcullis/lane/decision, input: { role: ${role}, lane: DRAFTING } }
    because: ${because}
`,
    ),
    [],
    policy,
  );

it("with its place and reason, whether it holds or not", () => {
  for (const [role, failures] of [
    ["WRITER", 1],
    ["ARCHIVIST", 0],
  ] as const) {
    const claims = ask(role, "the archive files, and writes nothing");
    if (!claims.ok) throw new Error(claims.problem.message);
    const property = checkClaim(
      { policy, data: {} },
      claims.value[0] as (typeof claims.value)[0],
      () => undefined,
      undefined,
    );
    expect(property).toMatchObject({ place: "claims.yaml:2:5", because: "the archive files, and writes nothing" });
    expect(property.counterexamples.length).toBe(failures);
  }
});

it("with every digit of its request, and not of the number that JavaScript makes of it", async () => {
  const set = await openedFrom({
    "roles.yaml": "roles: [{ role_id: CLERK }]\n",
    "lanes.yaml":
      "lanes: [{ lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [pay] } }]\n",
    "tool_registry.yaml":
      "tools: [{ tool_name: pay, enabled: true, implementation_status: implemented, arguments: { n: { type: integer, min: 9007199254740993 } } }]\n",
  });
  const text = `claims:
  - never: { decision: call, input: { role: CLERK, lane: DESK, tool: pay, args: { n: 9007199254740993 } } }
`;
  const claims = readClaims(new SourceFile("claims.yaml", text), [], set.policy);
  if (!claims.ok) throw new Error(claims.problem.message);
  const [claim] = claims.value as [(typeof claims.value)[0]];
  expect(claim.name).toContain("9007199254740993");
  expect(checkClaim(set, claim, () => undefined, undefined).counterexamples).toHaveLength(1);
});

it("a reason that is not a text is refused at its place", () => {
  expect(ask("WRITER", "[a]")).toMatchObject({
    ok: false,
    problem: { message: "claims.yaml:3:14: `because` is a text" },
  });
});

it.each([
  ["claim:\n  - never: {}\n", "claims.yaml:1:1: unknown key `claim`", "did you mean `claims`?"],
  ["claims: [{ never: {} }]\nalways: []\n", "claims.yaml:2:1: unknown key `always`", "the keys here are claims"],
  [
    "claims:\n  - never: { decision: call, input: { facts: { histroy: {} } } }\n",
    "no request to call has a member `histroy`",
    "did you mean `history`?",
  ],
  ["claims:\n  - nevr: {}\n", "claims.yaml:2:5: unknown key `nevr`", "did you mean `never`?"],
  [never("{ rol: WRITER, lane: DRAFTING }"), "no request to lane has a member `rol`", "did you mean `role`?"],
  [never("{ role: WRITR, lane: DRAFTING }"), "`input.role` is WRITR: there is no such role", "did you mean `WRITER`?"],
])("a misspelt word is refused: %s", (text, message, help) => {
  const read = readClaims(new SourceFile("claims.yaml", text), spaces, policy);
  expect(read).toMatchObject({ ok: false, problem: { message: expect.stringContaining(message), help } });
});

it.each([
  ["an unknown role", never("{ role: STRANGER, lane: DRAFTING }")],
  ["an unknown tool", "claims:\n  - never: { decision: tool, input: { role: WRITER, tool: shell.run } }\n"],
  ["a member that no request has", never("{ role: WRITER, lane: DRAFTING, override: true }")],
  ["a name with hyphens", "claims:\n  - never: { decision: subagent, input: { persona: NEWS-DESK, subagent: X } }\n"],
])("a claim about %s is asked", (_, text) => {
  expect(readClaims(new SourceFile("claims.yaml", text), spaces, policy)).toMatchObject({ ok: true });
});

it("a claim about calls is refused without spawn manifests, and says why", () => {
  const file = new SourceFile("claims.yaml", "claims:\n  - never: { decision: call, role: WRITER }\n");
  const without = spaces.filter(({ name }) => name !== "call");
  expect(readClaims(file, without, policy)).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining("there are no spawn manifests") },
  });
});
