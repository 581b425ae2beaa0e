/**
 * Requirements in authors' own Rego, through the whole compiler: what each body means is stated by hand. By our runtime, by the
 * stock SDK on our module, and by a real opa with the bundle, where there is one.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Compiled, compile } from "../../../compiler/governance/pipeline.ts";
import { load, type Policy } from "../../../runtime/index.ts";
import { ARGUMENTS, CONDITIONS, LIMITS } from "../../statements/must.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { hasOpa } from "./opa-evaluator.ts";

const tools = [...CONDITIONS.map((_, i) => `t${i}`), "ordered", "reached", "spelled"];
const ROLES = ["R", "S"];
const ENTRYPOINT = "portcullis/call/decision";

/** In an order that is not the one in which they are asked. */
const NAMES = ["ORDER_B", "ORDER_A", "ORDER_B0", "ORDER_B_", "ORDER"];

const RULES = `package portcullis.ext.call

${CONDITIONS.map(
  ({ rego }, i) => `# METADATA
# custom: { reason: reason_${i} }
must contains "C${i}" if input.tool != "t${i}"

must contains "C${i}" if {
	${rego}
}
`,
).join("\n")}
${NAMES.map((name) => `must contains "${name}" if input.tool != "ordered"\n\nmust contains "${name}" if "${name}" in input.args.met\n`).join("\n")}
deny contains {"gate": "DENIED", "reason": "denied"} if {
	input.tool == "ordered"
	input.args.denied == true
}

# No rule of it can be reached.
must contains "REACHED" if input.tool != "reached"
`;

const FILES = {
  "roles.yaml": `roles:\n${ROLES.map((role) => `  - { role_id: ${role} }\n`).join("")}`,
  "lanes.yaml": `lanes:\n  - lane_id: L\n    allowed_callers: { roles: [${ROLES}] }\n    allowed_actions: { tools: [${tools}] }\n`,
  "tool_registry.yaml": `tools:\n${tools.map((tool) => `  - { tool_name: ${tool}, enabled: true, implementation_status: implemented }\n`).join("")}`,
  "desk/data.yaml": `limits: ${JSON.stringify(LIMITS)}\n`,
  "desk.rego": "package desk\n\nhalf(x) := x / 2 if is_number(x)\n",
  "call.rego": RULES,
  // The word stands in no text of this file.
  "spelled.rego": 'package portcullis.ext\n\ncall["m\\u0075st"] contains "SPELLED" if input.tool != "spelled"\n',
};

interface Case {
  readonly input: object;
  readonly expected: object;
}

const ALLOW = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
const denied = (gate: string, reason: string): object => ({ allowed: false, gate, reason });
const request = (tool: string, role: string, args: unknown): object => ({
  ...{ role, lane: "L", tool },
  ...(args === undefined ? {} : { args }),
});

function conditionCases(): Case[] {
  return CONDITIONS.flatMap(({ holds }, i) =>
    ROLES.flatMap((role) =>
      ARGUMENTS.map((args) => ({
        input: request(`t${i}`, role, args),
        expected: holds(args, role) ? ALLOW : denied(`C${i}`, `reason_${i}`),
      })),
    ),
  );
}

/** Every set of the names that is met, with a denial besides and without. */
function orderCases(): Case[] {
  const inOrder = ["ORDER", "ORDER_A", "ORDER_B", "ORDER_B0", "ORDER_B_"];
  return Array.from({ length: 2 ** NAMES.length * 2 }, (_, bits) => {
    const met = NAMES.filter((_name, i) => (bits >> i) % 2 === 1);
    const isDenied = bits >> NAMES.length === 1;
    const first = inOrder.find((name) => !met.includes(name));
    return {
      input: request("ordered", "R", { met, denied: isDenied }),
      expected:
        first !== undefined ? denied(first, "requirement_not_met") : isDenied ? denied("DENIED", "denied") : ALLOW,
    };
  });
}

const cases: readonly Case[] = [
  ...conditionCases(),
  ...orderCases(),
  // Before them, every gate of the library.
  {
    input: request("t0", "NOBODY", {}),
    expected: { ...denied("LANE_AUTHORIZATION", "lane_not_authorized"), lane_reason: "role_not_defined" },
  },
  { input: request("other", "R", {}), expected: denied("TOOL", "tool_not_registered") },
  { input: request("reached", "R", {}), expected: denied("REACHED", "requirement_not_met") },
  { input: request("spelled", "R", {}), expected: denied("SPELLED", "requirement_not_met") },
];

let compiled: Compiled;
let policy: Policy;
const folder = mkdtempSync(join(tmpdir(), "portcullis-must-"));
beforeAll(async () => {
  const found = await compile({ host: virtualHost({ p: FILES }), dirs: ["p"] });
  if (found.compiled === undefined) throw new Error(found.diagnostics.map((d) => d.message).join("\n"));
  compiled = found.compiled;
  policy = await load(compiled.bundle);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The first cases that are answered otherwise. */
function wrong(answers: readonly unknown[]): object[] {
  const found = cases.map((one, i) => ({ ...one, actual: plain(answers[i]) }));
  return found.filter(({ expected, actual }) => !sameMembers(expected, actual)).slice(0, 3);
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");
const sameMembers = (a: unknown, b: unknown): boolean =>
  JSON.stringify(Object.entries(a as object).sort()) === JSON.stringify(Object.entries((b ?? {}) as object).sort());

describe("what authors demand", () => {
  it("has cases of every kind", () => {
    expect(cases.length).toBeGreaterThan(300);
    for (const [i] of CONDITIONS.entries()) {
      const of = cases.filter(({ input }) => (input as { tool: string }).tool === `t${i}`);
      const allowed = of.filter(({ expected }) => expected === ALLOW).length;
      expect([allowed > 0, allowed < of.length], `condition ${i}`).toEqual([true, true]);
    }
  });

  it("is lowered with its reasons", () => {
    const data = compiled.files.find(({ path }) => path === "data.json")?.bytes;
    const { gates } = JSON.parse(new TextDecoder().decode(data)).portcullis.policy;
    expect(gates.call).toEqual(
      Object.fromEntries([
        ...CONDITIONS.map((_, i) => [`C${i}`, `reason_${i}`]),
        ...[...NAMES, "REACHED", "SPELLED"].map((name) => [name, "requirement_not_met"]),
      ]),
    );
  });

  it("is asked by typed calls", () => {
    expect(wrong(cases.map(({ input }) => policy.call(input as never)))).toEqual([]);
  });

  it("is asked by evaluate, and of bytes", () => {
    expect(wrong(cases.map(({ input }) => policy.evaluate(ENTRYPOINT, input)))).toEqual([]);
    expect(wrong(cases.map(({ input }) => policy.evaluateJson(ENTRYPOINT, JSON.stringify(input))))).toEqual([]);
  });

  it("is asked by the stock SDK", async () => {
    const stock = await loadPolicy(compiled.wasm as Uint8Array<ArrayBuffer>);
    expect(wrong(cases.map(({ input }) => stock.evaluate(input, ENTRYPOINT)[0]?.result))).toEqual([]);
  });

  it.skipIf(!hasOpa())("is asked by a real opa with the bundle", async () => {
    const target = await compile({ host: virtualHost({ p: FILES }), dirs: ["p"], target: "rego" });
    const [bundle, asking, asked] = ["bundle.tar.gz", "driver.rego", "data.json"].map((name) => join(folder, name));
    writeFileSync(bundle as string, target.compiled?.bundle as Uint8Array);
    writeFileSync(
      asking as string,
      "package driver\n\nanswers := [answer | some input_ in data.asked; answer := data.portcullis.call.decision with input as input_]\n",
    );
    writeFileSync(asked as string, JSON.stringify({ asked: cases.map(({ input }) => input) }));
    const args = ["eval", "--format", "raw", "-b", bundle as string, "-d", asking as string, "-d", asked as string];
    const out = execFileSync("opa", [...args, "data.driver.answers"], { encoding: "utf8", maxBuffer: 2 ** 28 });
    expect(wrong(JSON.parse(out))).toEqual([]);
  });
});
