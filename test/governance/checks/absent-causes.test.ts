/** A part that is absent stands for what follows from it, and for nothing else: a slip is told in a set without agents, too. */

import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const key = JSON.stringify(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }));
const SET: Readonly<Record<string, string>> = {
  "roles.yaml": "roles: [{ role_id: R }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: t, enabled: true, implementation_status: implemented }]\n",
};

async function errors(files: Readonly<Record<string, string>>): Promise<string[]> {
  const source = { host: virtualHost({ p: files }), dirs: ["p"] };
  const { diagnostics } = files["tests/a.yaml"] === undefined ? await compile(source) : await compileTests(source);
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

const SLIPS: readonly (readonly [string, string, string])[] = [
  [
    "approvers.yaml",
    `approvers: [{ name: ann, key: ${key}, tools: [tt] }]\n`,
    "approver `ann` may approve tool `tt`, which is not defined",
  ],
  [
    "limits.yaml",
    "limits: [{ limit_id: A, calls: { tools: [tt] }, max_calls: 1 }]\n",
    "`tools` of limit `A` names tool `tt`, which is not defined",
  ],
  [
    "tool_registry.yaml",
    "tools: [{ tool_name: t, enabled: true, implementation_status: implemented, arguments: { n: { type: integer, max: { RR: 1 } } } }]\n",
    "`max` of argument `n` has a row for role `RR`, which is not defined",
  ],
  [
    "tests/a.yaml",
    "decision: lane\nmatrices: [{ name: a, axes: { role: { every: roles }, lane: [L] }, allow: [{ role: RR, lane: L }], expect: { gate: ALLOW, reason: lane_authorized } }]\n",
    'axis `role` has no value "RR"',
  ],
];

it.each(SLIPS)("%s without agents, manifests and exec.yaml", async (file, text, message) => {
  expect(await errors(SET)).toEqual([]);
  expect(await errors({ ...SET, [file]: text })).toContain(message);
});

it("what follows from a part that is not there is told as that", async () => {
  const { "roles.yaml": _, ...others } = SET;
  const matrix =
    "decision: lane\nmatrices: [{ name: a, axes: { role: { every: roles }, lane: [L] }, allow: [], expect: { gate: ALLOW, reason: lane_authorized } }]\n";
  const found = await errors({ ...others, "tests/a.yaml": matrix });
  expect(found).toContain("there is no roles.yaml: every role is denied");
  expect(found.join()).not.toContain("has no values");
});
