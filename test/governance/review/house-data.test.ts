/** Data that rules of the house read means what they make of it: `diff` never takes it for seen because it denies something. */

import { describe, expect, it } from "vitest";
import { diffPolicies, type PolicyDiff } from "../../../compiler/governance/review/index.ts";
import { opened } from "./opened.ts";

const SET: Readonly<Record<string, string>> = {
  "roles.yaml": "roles: [{ role_id: R }, { role_id: S, class: person }]\n",
  "lanes.yaml": `lanes:
  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay, list] } }
  - { lane_id: M, allowed_callers: { roles: [S] }, allowed_actions: { tools: [pay] } }
`,
  "tool_registry.yaml": `tools:
  - { tool_name: pay, enabled: true, implementation_status: implemented, approval: none }
  - { tool_name: list, enabled: true, implementation_status: implemented, approval: none }
`,
  "limits.yaml": `limits:
  - { limit_id: MANY, calls: { tools: [pay] }, per: [role], max_calls: 3, within: 1h }
  - { limit_id: HOURS, calls: { tools: [list] }, only_during: { from: "09:00", to: "17:00", zone: Europe/Berlin } }
`,
  "house/data.yaml": "word: x\nmode: a\nflag: true\n",
};

const facts = (id: string, now: number) => ({ now, history: { [id]: { calls: 0, sum: 0, last_ms: {} } } });
const NOON = Date.UTC(2026, 5, 1, 10);
const pay = (args: object): object => ({ role: "R", lane: "L", tool: "pay", args, facts: facts("MANY", NOON) });
const must = (...ways: string[]): string =>
  ['input.tool != "pay"', ...ways].map((way) => `must contains "OK" if {\n\t${way}\n}\n`).join("\n");

interface Pair {
  readonly rules: string;
  readonly change: readonly [file: string, from: string, to: string];
  readonly call: object;
  readonly decision?: "tool" | "call";
}

/** Whether `diff` says that something may be allowed that was denied: the call is. */
async function compared({ rules, change: [file, from, to], call, decision = "tool" }: Pair): Promise<PolicyDiff> {
  const before = { ...SET, "ext.rego": `package portcullis.ext.${decision}\n\n${rules}` };
  expect(before[file as "ext.rego"]).toContain(from);
  const after = { ...before, [file]: before[file as "ext.rego"].replace(from, to) };
  const policies = [await opened(before), await opened(after)] as const;
  expect(policies.map(({ policy }) => policy.call(call as never).allowed)).toEqual([false, true]);
  const result = await diffPolicies(...policies);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

const isShown = ({ changes, found }: PolicyDiff): boolean =>
  [...changes, ...found].some(({ kind }) => kind === "newly-allowed");

describe("other data of the house", () => {
  it.each<[string, Pair]>([
    [
      "a word",
      {
        rules: must("input.args.k == data.house.word"),
        change: ["house/data.yaml", "word: x", "word: y"],
        call: pay({ k: "y" }),
      },
    ],
    [
      "a word that stands in another",
      {
        rules: must(
          'input.args.k == concat("-", ["p", data.house.word])',
          'data.house.word == "x"\n\tinput.args.z == 1',
        ),
        change: ["house/data.yaml", "word: x", "word: y"],
        call: pay({ k: "p-y" }),
      },
    ],
    [
      "two that each deny something, and together allow",
      {
        rules: must(
          'data.house.mode == "a"\n\tdata.house.flag\n\tinput.args.k == concat("", ["a", "x"])',
          'data.house.mode == "b"\n\tnot data.house.flag\n\tinput.args.k == concat("", ["a", "y"])',
        ),
        change: ["house/data.yaml", "mode: a\nflag: true", "mode: b\nflag: false"],
        call: pay({ k: "ay" }),
      },
    ],
  ])("is shown or unknown: %s", async (_, pair) => {
    const diff = await compared(pair);
    expect(isShown(diff) || diff.unseen.some(({ path }) => path.startsWith("data.house."))).toBe(true);
  });

  it("shows a request that it allows, where the data itself says it", async () => {
    const diff = await compared({
      rules: must("input.args.k == data.house.word"),
      change: ["house/data.yaml", "word: x", "word: y"],
      call: pay({ k: "y" }),
    });
    expect(diff.found).toContainEqual(
      expect.objectContaining({ kind: "newly-allowed", input: expect.objectContaining({ args: { k: "y" } }) }),
    );
  });
});

const HIDDEN = 'input.args.k == concat("", ["k", "1"])';

describe("a table that rules of the house read", () => {
  it.each<[string, Pair, string]>([
    [
      "a lane that a role leaves",
      {
        rules: must(`not "S" in object.keys(data.portcullis.policy.lanes.M.roles)\n\t${HIDDEN}`),
        change: [
          "lanes.yaml",
          "lane_id: M, allowed_callers: { roles: [S] }",
          "lane_id: M, allowed_callers: { roles: [] }",
        ],
        call: pay({ k: "k1" }),
      },
      "data.portcullis.policy.lanes.M.roles",
    ],
    [
      "a limit that is lowered",
      {
        decision: "call",
        rules: must(`data.portcullis.policy.limits.MANY.max_calls < 3\n\t${HIDDEN}`),
        change: ["limits.yaml", "max_calls: 3", "max_calls: 2"],
        call: pay({ k: "k1" }),
      },
      "data.portcullis.policy.limits.MANY.max_calls",
    ],
    [
      "what informs people, by a name that is put together",
      {
        rules: must(
          'object.get(data.portcullis.policy, [concat("", ["ro", "les"]), input.role, "class"], "") == "person"',
        ),
        change: ["roles.yaml", "{ role_id: R }", "{ role_id: R, class: person }"],
        call: pay({}),
      },
      "data.portcullis.policy.roles.R.class",
    ],
  ])("is unknown: %s", async (_, pair, path) => {
    const diff = await compared(pair);
    expect(isShown(diff) || diff.unseen.some((one) => one.path.startsWith(path))).toBe(true);
  });
});

it("hours of which both ends move past each other are told, also where a rule hides what they allow", async () => {
  const diff = await compared({
    decision: "call",
    rules: `must contains "KEY" if input.tool != "list"\n\nmust contains "KEY" if ${HIDDEN}\n`,
    change: ["limits.yaml", 'from: "09:00", to: "17:00"', 'from: "16:00", to: "10:00"'],
    call: { role: "R", lane: "L", tool: "list", args: { k: "k1" }, facts: facts("HOURS", Date.UTC(2026, 5, 1, 20)) },
  });
  expect(isShown(diff) || diff.unseen.some(({ path }) => path.includes("only_during"))).toBe(true);
});

it.each([
  [
    "data of the house",
    {
      "house/data.yaml": "most: 9007199254740992\n",
      "ext.rego":
        'package portcullis.ext.tool\n\nmust contains "MOST" if {\n\tis_number(input.args.n)\n\tinput.args.n <= data.house.most\n}\n',
    },
    "house/data.yaml",
    "data.house.most",
  ],
  [
    "what a tool says",
    {
      "tool_registry.yaml": `tools:
  - tool_name: pay
    enabled: true
    implementation_status: implemented
    approval: none
    arguments: { n: { type: integer, max: 9007199254740992 } }
`,
      "limits.yaml": "limits: []\n",
      "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay] } }]\n",
    },
    "tool_registry.yaml",
    "data.portcullis.policy.tools.pay.arguments.n.alone.max.default",
  ],
] as const)("digits that a double loses are no differences that pass: %s", async (_, files, file, path) => {
  const before: Readonly<Record<string, string>> = { ...SET, ...files };
  const after = { ...before, [file]: String(before[file]).replace("9007199254740992", "9007199254740993") };
  const policies = [await opened(before), await opened(after)] as const;
  const call =
    '{"role":"R","lane":"L","tool":"pay","args":{"n":9007199254740993},"facts":{"now":1,"history":{"MANY":{"calls":0,"sum":0,"last_ms":{}}}}}';
  const allowed = policies.map(({ policy }) => policy.evaluateJson("portcullis/call/decision", call));
  expect(allowed).toMatchObject([{ allowed: false }, { allowed: true }]);
  const result = await diffPolicies(...policies);
  if (!result.ok) throw new Error(result.problem.message);
  expect(result.value.unseen).toMatchObject([{ path }]);
  expect(result.value.contents).toMatchObject([
    { part: "data", path, before: "9007199254740992", after: "9007199254740993" },
  ]);
});
