/** A list of tools hides what role, lane and chain are denied, and nothing that a gate on one call denies: that one may read arguments. */

import { metrics } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { type Caller, Verdicts } from "../../../compiler/enforcement/gateway/index.ts";
import { Offers } from "../../../compiler/enforcement/gateway/offers.ts";
import { Rulings } from "../../../compiler/enforcement/gateway/rulings.ts";
import { policyOf } from "../../governance/library/compiled-set.ts";

const FILES = {
  "roles.yaml": "roles: [{ role_id: R }, { role_id: S }]\n",
  "lanes.yaml":
    "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay, off, look] }, scope: { requires: [k] } }]\n",
  "tool_registry.yaml": `tools:
  - { tool_name: pay, enabled: true, implementation_status: implemented, approval: required }
  - { tool_name: look, enabled: true, implementation_status: implemented }
  - { tool_name: off, enabled: false, implementation_status: implemented }
  - { tool_name: elsewhere, enabled: true, implementation_status: implemented }
`,
};

const caller: Caller = { role: "R", lane: "L", scope: {}, flags: [] };
const tools = ["pay", "look", "off", "elsewhere", "unknown"];

async function seen(rules: { readonly [path: string]: string }, by: Partial<Caller> = {}): Promise<string[]> {
  const policy = await policyOf({ ...FILES, ...rules });
  const verdicts = new Verdicts(policy, { ...caller, ...by }, new Map(), () => {});
  const visible = await Promise.all(tools.map(async (tool) => ((await verdicts.visible(tool)) ? [tool] : [])));
  return visible.flat();
}

const gates: readonly (readonly [name: string, files: { readonly [path: string]: string }])[] = [
  ...["tool", "call"].flatMap((kind) => [
    [
      `a requirement of ${kind}`,
      {
        "a.rego": `package portcullis.ext.${kind}\n\nmust contains "G" if data.desk.open\n`,
        "desk/data.yaml": "open: false\n",
      },
    ] as const,
    [
      `a denial of ${kind}`,
      {
        "a.rego": `package portcullis.ext.${kind}\n\ndeny contains {"gate": "G", "reason": "r"} if not data.desk.open\n`,
        "desk/data.yaml": "open: false\n",
      },
    ] as const,
  ]),
  [
    "a requirement of what arguments say",
    { "a.rego": 'package portcullis.ext.call\n\nmust contains "G" if input.args.amount == 5\n' },
  ],
];

describe("a list of tools", () => {
  it("holds what the registry does not deny", async () => {
    expect(await seen({})).toEqual(["pay", "look"]);
    expect(await seen({}, { role: "S" })).toEqual([]);
    expect(await seen({}, { lane: "M" })).toEqual([]);
  });

  it.each(gates)("is as long with %s that denies", async (_name, files) => {
    expect(await seen(files)).toEqual(["pay", "look"]);
    expect(await seen(files, { role: "S" })).toEqual([]);
    const policy = await policyOf({ ...FILES, ...files });
    const verdicts = new Verdicts(policy, { ...caller, scope: { k: "1" } }, new Map(), () => {});
    const outcome = await verdicts.call("look", {}, () => expect.unreachable());
    expect([outcome.allowed, "reason" in outcome.decision]).toEqual([false, true]);
  });

  it.each(["lane", "lineage"])("is empty where a requirement of the %s denies whatever is called", async (kind) => {
    const rules = `package portcullis.ext.${kind}\n\nmust contains "G" if data.desk.open\n`;
    expect(await seen({ "a.rego": rules, "desk/data.yaml": "open: false\n" })).toEqual([]);
    expect(await seen({ "a.rego": rules, "desk/data.yaml": "open: true\n" })).toEqual(["pay", "look"]);
  });
});

it("metrics count calls and reads, and no list: it permits nothing", async () => {
  const mcp = 'mcp: { resources: [{ lane: L, names: ["memo://a"] }] }\n';
  const policy = await policyOf({ ...FILES, "portcullis.yaml": mcp });
  const meter = metrics(policy);
  const verdicts = new Verdicts(policy, { ...caller, scope: { k: "1" } }, new Map(), () => {});
  const offers = new Offers(policy, caller, () => {});
  const rulings = new Rulings(verdicts, offers, () => {});
  const list = { tools: tools.map((name) => ({ name })), resources: [{ uri: "memo://a" }, { uri: "memo://b" }] };
  expect(await rulings.answer("tools/list", { jsonrpc: "2.0", id: 7, result: list })).toMatchObject({
    result: { tools: [{ name: "pay" }, { name: "look" }], resources: [{ uri: "memo://a" }] },
  });
  expect(meter.snapshot().decisions).toEqual([]);
  for (const name of ["look", "off"]) await verdicts.call(name, {}, () => true);
  offers.ask("resources", "memo://b");
  expect(meter.snapshot().decisions.map(({ entrypoint, gate, count }) => [entrypoint, gate, count])).toEqual([
    ["portcullis/call/decision", "ALLOW", 1],
    ["portcullis/call/decision", "TOOL_ENABLED", 1],
    ["portcullis/offer/mcp", "OFFER", 1],
  ]);
});

it("a list is decided up to 10,000 items, and no list beyond: a server could keep its gateway busy for long", async () => {
  const policy = await policyOf(FILES);
  const verdicts = new Verdicts(policy, caller, new Map(), () => {});
  const rulings = new Rulings(verdicts, new Offers(policy, caller, () => {}), () => {});
  const items = (count: number) => Array.from({ length: count }, () => ({ name: "pay", uri: "x" }));
  const answer = (result: object) => rulings.answer("tools/list", { jsonrpc: "2.0", id: 7, result } as never);
  expect(await answer({ tools: items(10_000) })).toMatchObject({ result: { tools: { length: 10_000 } } });
  for (const result of [{ tools: items(10_001) }, { tools: items(5_000), resources: items(5_001) }])
    expect(await answer(result)).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32_603, message: "the server's list has more than 10000 items" },
    });
});
