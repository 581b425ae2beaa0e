/** Claims about limits: they hold of what a limit says, and fail for one call, one unit, one key or one minute less. */

import { beforeAll, expect, it } from "vitest";
import { type OpenedPolicy, type Proof, prove } from "../../../compiler/governance/review/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { FILES } from "./mutated-rules.ts";
import { opened as openedWith } from "./opened.ts";

let opened: OpenedPolicy;
beforeAll(async () => {
  opened = await openedWith(FILES);
});

async function proof(policy: OpenedPolicy, ...claims: readonly string[]): Promise<Proof> {
  const text = `claims:\n${claims.map((claim) => `  - never: { decision: limit, ${claim} }\n`).join("")}`;
  const result = await prove(policy, { claims: new SourceFile("claims.yaml", text), removals: 10 });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

/** Why each claim is refuted; `undefined` for one that holds. */
async function whys(policy: OpenedPolicy, ...claims: readonly string[]): Promise<(string | undefined)[]> {
  const { properties } = await proof(policy, ...claims);
  return properties.slice(-claims.length).map(({ counterexamples }) => counterexamples[0]?.why);
}

const CLERK = "role: CLERK, lane: DESK";
const HELD = [
  `${CLERK}, tool: pay, calls: 3`,
  `${CLERK}, tool: pay, calls: 3, per: [role, scope.who], within: 1h`,
  `${CLERK}, tool: pay, sum: 250, within: 60m`,
  `tool: mail, after: fetch`,
  `tool: mail, after: get, per: [session, scope.who]`,
  `tool: publish, without: review`,
];
const NOT_SO: readonly (readonly [claim: string, why: string])[] = [
  [`${CLERK}, tool: pay, calls: 2`, "limit PAY allows it"],
  [`${CLERK}, tool: pay, sum: 249`, "limit PAY allows it"],
  [`${CLERK}, tool: pay, calls: 3, within: 61m`, "no limit counts it by these keys, for as long"],
  [`${CLERK}, tool: pay, calls: 3, per: [scope.who]`, "no limit counts it by these keys, for as long"],
  // It is about clerks.
  ["role: CHIEF, lane: DESK, tool: pay, calls: 3", "limit PAY allows it"],
  ["tool: mail, after: pay", "limit TAINT allows it"],
  ["tool: publish, without: pay", "limit ORDER allows it"],
  ["tool: shell, calls: 3", "no limit counts it by these keys, for as long"],
  ["tool: call, calls: 3", "limit HOURS allows it"],
];

it("hold of what the limits say", async () => {
  expect(await whys(opened, ...HELD, ...NOT_SO.map(([claim]) => claim))).toEqual([
    ...HELD.map(() => undefined),
    ...NOT_SO.map(([, why]) => why),
  ]);
  const { properties } = await proof(opened, HELD[0] as string);
  expect(properties.at(-1)).toMatchObject({ asked: 1 });
});

it("are not shown by a rule of the authors' own", async () => {
  const rule = 'package portcullis.ext.call\n\nmust contains "OWN" if input.tool == "fetch"\n';
  const policy = await openedWith({ ...FILES, "house/call.rego": rule });
  const why = "limit PAY does not deny it, and OWN requirement_not_met does";
  expect(await whys(policy, `${CLERK}, tool: pay, calls: 2`, `${CLERK}, tool: pay, calls: 3`)).toEqual([
    why,
    undefined,
  ]);
});

it.each([
  ["- always: { decision: limit, tool: pay, calls: 3 }", "a limit can only deny"],
  ["- never: { decision: limit, tool: pay }", "says one of `calls`, `sum`, `after` and `without`"],
  ["- never: { decision: limit, tool: pay, calls: 3, sum: 4 }", "says one of"],
  ["- never: { decision: limit, tool: pay, calls: -1 }", "whole numbers"],
  ["- never: { decision: limit, tool: pay, sum: '3' }", "whole numbers"],
  ["- never: { decision: limit, tool: pay, after: fetsch }", "name a tool"],
  ["- never: { decision: limit, tool: pay, calls: 3, per: [1] }", "`per` is a list"],
  ["- never: { decision: limit, tool: pay, calls: 3, within: 1w }", "is written as `90s`"],
  ["- never: { decision: limit, tool: mail, after: fetch, within: 1h }", "goes with `calls` or `sum`"],
  ["- never: { decision: limit, tool: pay, calls: 3, agent: x }", "unknown key `agent`"],
  ["- never: { decision: tool, tool: pay, calls: 3 }", "unknown key `calls`"],
])("%s is refused", async (claim, message) => {
  const result = await prove(opened, { claims: new SourceFile("claims.yaml", `claims:\n  ${claim}\n`) });
  expect(result).toMatchObject({ ok: false, problem: { message: expect.stringContaining(message) } });
});
