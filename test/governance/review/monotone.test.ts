/** Claims that fewer grants allow nothing more: of all subsets of the grants, as asking each of them says. */

import { describe, expect, it } from "vitest";
import { hostDataPolicy } from "../../../compiler/governance/review/host-data-policy.ts";
import { type OpenedPolicy, prove } from "../../../compiler/governance/review/index.ts";
import { policyTables } from "../../../compiler/governance/review/policy-ids.ts";
import { grantsOf } from "../../../compiler/governance/review/prove/grants.ts";
import { withTables } from "../../../compiler/governance/review/prove/properties.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { opened } from "./opened.ts";
import { native } from "./solvers.ts";
import { claimed, verdictOf } from "./symbolic-claims.ts";

const RANDOM_RULES = 30;
const TOOLS = "monotone: { decision: tool }";
/** Few enough grants that all subsets can be asked: nine. */
const TINY = (rule = ""): Record<string, string> => ({
  "roles.yaml": "roles: [{ role_id: WRITER }]\n",
  "lanes.yaml": `lanes:
  - { lane_id: DESK, allowed_callers: { roles: [WRITER] }, allowed_actions: { tools: [draft, send] } }
  - { lane_id: BACK, allowed_callers: { roles: [] }, allowed_actions: { tools: [draft] } }
`,
  "tool_registry.yaml": `tools:
  - { tool_name: draft, enabled: true, implementation_status: implemented }
  - { tool_name: send, enabled: true, implementation_status: implemented }
`,
  ...(rule === "" ? {} : { "ext/tool.rego": `package portcullis.ext.tool\n\n${rule}\n` }),
});
const POLICY = "data.portcullis.policy";
const deny = (body: string): string => `deny contains {"gate": "A", "reason": "a"} if {\n${body}\n}`;

/** Conditions about the tables: of a request that names ids, each is true or not by the data alone. */
const CONDITIONS = [
  "roles.WRITER",
  "lanes.BACK",
  "lanes.BACK.tools.draft",
  "lanes.DESK.tools.send",
  "tools.send",
  "lanes[input.lane].roles",
].map((path) => `data.portcullis.policy.${path}`);
const COUNTED = ["lanes", "tools", "roles", "lanes.DESK.tools", "lanes[input.lane].tools"];

function randomRule(random: Random): string {
  const one = (): string => {
    const of = random.pick(COUNTED);
    switch (random.int(6)) {
      case 0:
        return `count(${POLICY}.${of}) ${random.pick(["==", "<", ">", "!="])} ${random.int(3)}`;
      case 1:
        return `"${random.pick(["DESK", "BACK", "draft", "send", "WRITER"])}" in {id | some id, _ in ${POLICY}.${of}}`;
      case 2:
        return `object.keys(${POLICY}.${of}) == {"${random.pick(["DESK", "BACK"])}", "${random.pick(["draft", "send"])}"}`;
      case 3:
        return `every id, _ in ${POLICY}.${of} { id != "${random.pick(["BACK", "send"])}" }`;
      case 4:
        return `contains(json.marshal(${POLICY}.${of}), "${random.pick(["BACK", "send", "draft"])}")`;
      default:
        return `${random.chance(0.5) ? "not " : ""}${random.pick(CONDITIONS)}`;
    }
  };
  return deny(Array.from({ length: 1 + random.int(2) }, one).join("\n"));
}

/** What some subset of the grants allows and the whole policy denies, of the requests that name ids. */
async function newlyAllowed(policy: OpenedPolicy): Promise<string[]> {
  const tables = policyTables(policy.data) ?? {};
  const grants = grantsOf(tables);
  expect(grants.length).toBeLessThan(11);
  const rego = await hostDataPolicy(policy);
  if (!rego.ok) throw new Error(rego.problem.message);
  const requests = ["DESK", "BACK"].flatMap((lane) =>
    ["draft", "send"].map((tool) => ({ role: "WRITER", lane, tool })),
  );
  const allows = (of: OpenedPolicy["policy"], request: unknown): boolean =>
    (of.evaluate("portcullis/tool/decision", request) as { allowed: boolean }).allowed;
  const denied = requests.filter((request) => !allows(policy.policy, request));
  const found = new Set<string>();
  for (let subset = 0; subset < 2 ** grants.length; subset++) {
    const left = grants.reduce((of, grant, i) => ((subset >> i) & 1 ? grant.remove(of) : of), tables);
    rego.value.setData(withTables(policy.data, left));
    for (const request of denied) if (allows(rego.value, request)) found.add(JSON.stringify(request));
  }
  return [...found].sort();
}

const RULES: readonly (readonly [name: string, rule: string, isMonotone: boolean])[] = [
  ["no rule", "", true],
  ["a rule about the request", deny('input.tool == "send"'), true],
  ["a rule that denies what is not listed", deny(`not ${POLICY}.lanes.DESK.tools[input.tool]`), true],
  ["a rule that asks for a member", deny(`not "draft" in object.keys(${POLICY}.lanes[input.lane].tools)`), true],
  ["a rule that denies for a member", deny(`${POLICY}.lanes.DESK.tools.draft; input.tool == "send"`), false],
  ["a rule that denies for another lane's row", deny(`${POLICY}.lanes.BACK`), false],
  ["a rule that denies where no lane is without it", deny(`every lane in ${POLICY}.lanes { lane.tools.draft }`), false],
  ["a rule that counts rows", deny(`count(${POLICY}.lanes) == 2`), false],
  ["a rule that counts members", deny(`count(${POLICY}.lanes[input.lane].tools) > 1`), false],
  ["a rule that asks for few rows", deny(`count(${POLICY}.lanes) < 2`), true],
  ["a rule that is needed twice", deny(`some id in ["BACK"]\n${POLICY}.lanes[id].tools.draft`), false],
  [
    "rows that deny together, so that no one of them matters alone",
    `${deny(`${POLICY}.lanes.BACK; input.tool == "send"`)}\n${deny(`${POLICY}.tools.draft; input.tool == "send"`)}`,
    false,
  ],
  ["a rule that compares a whole row", deny(`${POLICY}.lanes.DESK.tools == {"draft": true, "send": true}`), false],
  ["a rule that denies for what is not there", deny(`not ${POLICY}.lanes.BACK`), true],
  ["a rule that lists ids", deny(`{id | some id, _ in ${POLICY}.lanes} == {"BACK", "DESK"}`), false],
];

describe.skipIf(native === undefined)("fewer grants allow nothing more", () => {
  it.each(RULES)("agrees with asking all subsets: %s", async (_, rule, isMonotone) => {
    const policy = await opened(TINY(rule));
    const found = await newlyAllowed(policy);
    expect(found.length === 0, "what asking all subsets says").toBe(isMonotone);
    const [property] = await claimed(policy, [TOOLS]);
    if (property === undefined) throw new Error("a claim is a property");
    expect(verdictOf(property)).toBe(isMonotone ? "proved" : "refuted");
  });

  it("is shown with grants of which each one is needed, and the same each time", async () => {
    const both = `${deny(`${POLICY}.lanes.BACK; input.tool == "send"`)}\n${deny(`${POLICY}.tools.draft; input.tool == "send"`)}`;
    const policy = await opened(TINY(both));
    const [first, second] = [await claimed(policy, [TOOLS]), await claimed(policy, [TOOLS])];
    expect(first[0]?.counterexamples).toEqual([
      {
        request: { role: "WRITER", lane: "DESK", tool: "send" },
        answer: undefined,
        why: "denied, but allowed without lanes.BACK, tools.draft",
      },
    ]);
    expect(second).toEqual(first);
  });

  it("is about the ids that the claim names", async () => {
    const policy = await opened(TINY(deny(`${POLICY}.lanes.BACK; input.tool == "send"`)));
    const claims = ["{ decision: tool, tool: draft }", "{ decision: tool, tool: send }", "{ decision: lane }"];
    const properties = await claimed(
      policy,
      claims.map((claim) => `monotone: ${claim}`),
    );
    expect(properties.map(verdictOf)).toEqual(["proved", "refuted", "proved"]);
  });

  it("holds for calls, whatever they say besides, and not with a rule that a row makes deny", async () => {
    const manifests = { "manifests/reader.yaml": "agent_type: reader\nmax_spawn_depth: 1\ncan_spawn: [reader]\n" };
    const rule = `package portcullis.ext.tool\n\n${deny(`${POLICY}.lanes.BACK; input.scope.story_id == "x"`)}\n`;
    const verdicts = [];
    for (const more of [{}, { "ext/tool.rego": rule }]) {
      const properties = await claimed(await opened({ ...TINY(), ...manifests, ...more }), [
        "monotone: { decision: call }",
      ]);
      verdicts.push(...properties.map(verdictOf));
    }
    expect(verdicts).toEqual(["proved", "refuted"]);
  });

  it("is unknown without a solver, and not about other decisions", async () => {
    const policy = await opened(TINY());
    const asked = async (claim: string): Promise<unknown> => {
      const result = await prove(policy, { claims: new SourceFile("c.yaml", `claims: [{ ${claim} }]\n`), removals: 0 });
      return result.ok ? result.value.properties.at(-1)?.unknown?.[0]?.why : result.problem.message;
    };
    expect(await asked(TOOLS)).toBe("a claim about gates or grants is proved by a solver alone");
    expect(await asked("monotone: { decision: approval }")).toContain("`monotone` is about the decision");
    expect(await asked("monotone: { decision: tool, grant: roles.WRITER }")).toContain("unknown key `grant`");
    expect(await asked(`${TOOLS}, never: { decision: tool }`)).toContain("a claim is `never: {...}`");
  });

  it("proves nothing that asking all subsets refutes", async () => {
    const random = new Random(36);
    const counts = { proved: 0, refuted: 0, unknown: 0 };
    for (let i = 0; i < RANDOM_RULES; i++) {
      const rule = random.chance(0.7) ? randomRule(random) : `${randomRule(random)}\n${randomRule(random)}`;
      const policy = await opened(TINY(rule));
      const found = await newlyAllowed(policy);
      const [property] = await claimed(policy, [TOOLS]);
      const verdict = property === undefined ? "unknown" : verdictOf(property);
      counts[verdict as keyof typeof counts]++;
      if (found.length > 0) expect(verdict, rule).not.toBe("proved");
      // A request with other members may be one that only the solver finds.
      if (verdict === "refuted") expect(found.length, rule).toBeGreaterThan(0);
    }
    expect(counts.proved).toBeGreaterThan(0);
    expect(counts.refuted).toBeGreaterThan(RANDOM_RULES / 10);
    expect(counts.unknown).toBeLessThan(RANDOM_RULES / 4);
  });
});
