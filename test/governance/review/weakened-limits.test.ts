/** A limit that is weakened is seen by a comparison, as a request that is newly allowed; one that is tightened allows none. */

import { beforeAll, expect, it } from "vitest";
import { diffPolicies, type OpenedPolicy } from "../../../compiler/governance/review/index.ts";
import { opened } from "./opened.ts";

const LIMITS = `limits:
  - limit_id: PAY
    calls: { tools: [pay], roles: [CLERK] }
    per: [role, scope.who]
    max_calls: 3
    max_sum: { of: args.cents, at_most: 100 }
    within: 1h
  - { limit_id: ORDER, calls: { tools: [publish] }, per: [session], only_after: { tools: [review], within: 10m } }
  - { limit_id: TAINT, calls: { tools: [mail] }, per: [session], never_after: { tools: [fetch] } }
  - limit_id: HOURS
    calls: { tools: [call] }
    only_during: { days: [mon, fri], from: "09:00", to: "17:30", zone: Europe/Berlin }
`;

function limited(limits: string, others: Readonly<Record<string, string>> = {}): Promise<OpenedPolicy> {
  const tools = ["pay", "publish", "review", "mail", "fetch", "call"];
  const files = {
    "portcullis.yaml": "call: { host_scope: [who] }\n",
    "roles.yaml": "roles: [{ role_id: CLERK }]\n",
    "lanes.yaml": `lanes: [{ lane_id: L, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [${tools}] } }]\n`,
    "tool_registry.yaml": `tools:\n${tools.map((t) => `  - { tool_name: ${t}, enabled: true, implementation_status: implemented }\n`).join("")}`,
    "limits.yaml": limits,
    ...others,
  };
  return opened(files);
}

/** A rule that no question of the search meets: whatever the limit says, it denies. */
const RULE =
  'package portcullis.ext.call\n\nmust contains "NEVER" if input.scope.who == concat(" ", ["the", data.house.people[_]])\n';

let before: OpenedPolicy;
beforeAll(async () => {
  before = await limited(LIMITS);
});

async function kinds(from: string, to: string): Promise<string[]> {
  expect(LIMITS).toContain(from);
  const result = await diffPolicies(before, await limited(LIMITS.replace(from, to)));
  if (!result.ok) throw new Error(result.problem.message);
  return [...new Set([...result.value.changes, ...result.value.found].map((change) => change.kind))];
}

const WEAKER: readonly (readonly [string, string])[] = [
  ["max_calls: 3", "max_calls: 4"],
  ["    max_calls: 3\n", ""],
  ["at_most: 100", "at_most: 101"],
  ["per: [role, scope.who]", "per: [role]"],
  ["within: 10m", "within: 11m"],
  [", within: 10m", ""],
  ["only_after: { tools: [review]", "only_after: { tools: [review, mail]"],
  ["never_after: { tools: [fetch] }", "never_after: { tools: [review] }"],
  ['to: "17:30"', 'to: "17:31"'],
  ['from: "09:00"', 'from: "08:59"'],
  ["days: [mon, fri]", "days: [mon, sat, fri]"],
];

it.each(WEAKER)("%s that becomes %s allows a request that is shown", async (from, to) => {
  expect(await kinds(from, to)).toContain("newly-allowed");
});

it.each([
  ["max_calls: 3", "max_calls: 2"],
  ['to: "17:30"', 'to: "17:29"'],
  ["within: 10m", "within: 9m"],
])("%s that becomes %s allows nothing new", async (from, to) => {
  expect(await kinds(from, to)).toEqual(["newly-denied"]);
});

it.each([
  ["at_most: 100", "at_most: 101", "by itself it allows more: 101 in place of 100", 6, 32],
  ["max_calls: 3", "max_calls: 4", "by itself it allows more: 4 in place of 3", 5, 5],
  ["    max_calls: 3\n", "", "by itself it allows more: calls are no longer counted", 5, 5],
  [
    "of: args.cents",
    "of: args.fee",
    "by itself it may allow more: args.fee adds up, and what was counted so far is args.cents",
    6,
    16,
  ],
])("%s that becomes %s is told at its place, also where a rule hides it", async (from, to, why, line, column) => {
  const others = { "call.rego": RULE, "house/data.yaml": "people: [ann]\n" };
  expect(LIMITS).toContain(from);
  const policies = [LIMITS, LIMITS.replace(from, to)].map((text) => limited(text, others));
  const [old, fresh] = (await Promise.all(policies)) as [OpenedPolicy, OpenedPolicy];
  const result = await diffPolicies(old, fresh);
  if (!result.ok) throw new Error(result.problem.message);
  const { unseen, found, rules, contents } = result.value;
  const place = { file: "limits.yaml", line, column };
  // What is gone has a place in the older source alone.
  const places = to === "" ? { before: place } : expect.objectContaining({ after: place });
  expect(unseen).toEqual([expect.objectContaining({ why, places })]);
  expect(rules).toMatchObject([{ rule: "limit PAY", places: { after: { file: "limits.yaml", line: 2, column: 15 } } }]);
  expect(contents.filter((one) => one.path.includes("limits.PAY"))).toMatchObject([{ places }]);
  expect(found.map(({ kind }) => kind)).not.toContain("newly-allowed");
});
