/** `policy.allowed` finds what asking each id would allow: no more, no fewer, by whatever the policy decides. */

import { readFileSync } from "node:fs";
import { builtins } from "@portcullis/builtins";
import { load, type Policy, type SearchedMember } from "@portcullis/runtime";
import { answerTable } from "@portcullis/runtime/testing";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import type { Ids } from "../../../generated/types.ts";
import { stalePolicy } from "../../../runtime/operate/stale-evaluator.ts";
import { between, SEED } from "../../campaign.ts";
import { filesOf, type PolicySet, randomSet } from "../../governance/review/policy-sets.ts";
import { virtualHost } from "../../governance/sources/virtual-host.ts";
import { Random } from "../../rego/plan/generate/random.ts";

const LIMITS = "limits: [{ limit_id: A, calls: { tools: [tool0, tool1] }, max_calls: 3, within: 1h }]\n";

async function built(files: Record<string, string>, options: Parameters<typeof load>[1] = {}): Promise<Policy> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle, { builtins, ...options });
}

/** Most requests meet what the set asks for, so that some are allowed; every member may be missing. */
function requestOf(set: PolicySet, random: Random): Record<string, unknown> {
  const one = <T>(list: readonly T[]): T => list[random.int(list.length)] as T;
  const often = (member: object): object => (random.chance(0.85) ? member : {});
  const scope = { k0: "a", k1: "b", k2: 3, signed: true, amount: one([1, 20, 900]), ...one([{}, { shift: "night" }]) };
  const of = { role: one(set.roles), lane: one(set.lanes).id, tool: one(set.tools).id, ...often({ scope }) };
  if (random.chance(0.2)) return of;
  return {
    ...of,
    ...often({ approval: { ref: "AP-1", by: "m.ortiz" } }),
    ...often({ facts: { now: 5_000_000, history: { A: { calls: one([0, 2, 3]) } } } }),
    ...one([{}, { writes: [{ table: one(["t0", "t1"]), mode: "append" }] }]),
    ...one([{}, {}, { lineage: [{ agent_type: "type0", spawn_depth: 0 }] }]),
    ...one([{}, { flags: [one(["f0", "f9"])] }]),
    ...one([{}, { args: { urgent: true } }]),
  };
}

const idsOf = (set: PolicySet): Record<SearchedMember, readonly string[]> => ({
  role: [...set.roles, "toString", ""],
  lane: [...set.lanes.map(({ id }) => id), "LANE9"],
  tool: [...set.tools.map(({ id }) => id), "tool9", "t0"],
});

describe("searches of generated policy sets", () => {
  it("find what asking each id allows, with rules of authors, limits and approvals", async () => {
    const found = { lane: 0, tool: 0, call: 0 };
    // The first is the same each time: it finds some, whatever the others do.
    const seeds = [1, ...Array.from({ length: between(1, 40) }, (_, i) => SEED + i)];
    for (const seed of seeds) {
      const random = new Random(seed);
      const set = randomSet(random);
      const policy = await built({ ...filesOf(set), "limits.yaml": LIMITS });
      for (let asked = 0; asked < 40; asked++) {
        const request = requestOf(set, random);
        for (const member of ["role", "lane", "tool"] as const)
          for (const kind of ["lane", "tool", "call"] as const) {
            const allows = (id: string): boolean => policy[kind]({ ...request, [member]: id } as never).allowed;
            // The lane decision does not read the tool.
            const isRead = kind !== "lane" || member !== "tool";
            const expected = isRead ? (idsOf(set)[member] ?? []).filter(allows).sort() : [];
            const { [member]: _, ...rest } = request;
            const answer = policy.allowed(rest, member, kind);
            expect(answer, JSON.stringify({ seed, kind, member, rest })).toEqual(expected);
            if (seed === seeds[0]) found[kind] += answer.length;
          }
      }
    }
    for (const [kind, count] of Object.entries(found)) expect(count, kind).toBeGreaterThan(10);
  });
});

const bundle = readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url));
const CALL = {
  role: "WRITER",
  lane: "DRAFTING",
  scope: { story_id: "s", run_id: "r" },
  lineage: [{ agent_type: "news_desk", spawn_depth: 0 }],
} as const;

describe("a search of the example", () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await load(bundle, { builtins });
  });

  it("asks the first decision that takes what the request has, or the one that is named", () => {
    const { role, lane, scope, lineage } = CALL;
    const tools = policy.allowed({ role, lane }, "tool");
    expect(tools).toContain("draft.create");
    expect(policy.allowed({ role, lane, scope, args: {} }, "tool")).toEqual(
      policy.allowed({ role, lane, scope }, "tool", "tool"),
    );
    expect(policy.allowed({ role, lane, scope }, "tool", "call")).toEqual([]);
    expect(policy.allowed({ role, lane, scope, lineage }, "tool")).toEqual(policy.allowed(CALL, "tool", "call"));
    expect(policy.allowed(CALL, "tool")).toContain("draft.create");
    expect(policy.allowed({ role }, "lane")).toContain(lane);
    expect(policy.allowed({ lane }, "role")).toContain(role);
    expect(policy.allowed({ lane, tool: "draft.create" }, "role")).toEqual(
      policy.allowed({ lane, tool: "draft.create", flags: undefined } as never, "role", "tool"),
    );
    // What stands at the member is not read.
    expect(policy.allowed({ role, lane, tool: "no.such" }, "tool")).toEqual(tools);
    expect(policy.allowed({ role: policy.intern(role), lane: policy.intern(lane) }, "tool")).toEqual(tools);
    expect(policy.lastFault).toBeUndefined();
  });

  it("gives ids of the policy set, where it is known", () => {
    const known = policy as Policy<Ids>;
    expectTypeOf(known.allowed({ role: "WRITER" }, "lane")).toEqualTypeOf<Ids["lanes"][number][]>();
    expectTypeOf(policy.allowed({ role: "WRITER" }, "lane")).toEqualTypeOf<string[]>();
    // @ts-expect-error: the policy set has no such role.
    expect(known.allowed({ role: "NOBODY" }, "lane")).toEqual([]);
  });

  it("finds nothing for other values than requests", () => {
    const thrower = Object.defineProperty({}, "role", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    const odd: unknown[] = [
      undefined,
      null,
      5,
      "text",
      [],
      {},
      thrower,
      { role: 5 },
      { role: "__proto__", lane: "constructor" },
    ];
    for (const request of odd) expect(policy.allowed(request as never, "tool"), String(request)).toEqual([]);
    for (const member of ["tools", "scope", "__proto__", undefined, 5])
      expect(policy.allowed({ role: "WRITER", lane: "DRAFTING" }, member as never), String(member)).toEqual([]);
    for (const kind of ["exec", "toString", "__proto__", 5])
      expect(policy.allowed({ role: "WRITER" }, "lane", kind as never), String(kind)).toEqual([]);
  });

  it("is not heard of by listeners, whose policy may deny what is not recorded", async () => {
    const heard: unknown[] = [];
    const told = await load(bundle, { builtins, onDecision: (event) => heard.push(event), unrecorded: "deny" });
    expect(told.allowed(CALL, "tool")).toEqual(policy.allowed(CALL, "tool"));
    expect(heard).toEqual([]);
    expect(told.lane({ role: "WRITER", lane: "DRAFTING" }).allowed).toBe(true);
    expect(heard).toHaveLength(1);
  });

  it("finds nothing in a stale policy, and says why", () => {
    const stale = stalePolicy(policy, {});
    expect(stale.allowed({ role: "WRITER" }, "lane")).toEqual([]);
    expect(stale.lastFault?.code).toBe("stale");
  });
});

const ONE: Record<string, string> = {
  "roles.yaml": "roles: [{ role_id: R }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [a, b, c] } }]\n",
  "tool_registry.yaml": `tools:\n${["a", "b", "c"].map((t) => `  - { tool_name: ${t}, enabled: true, implementation_status: implemented }\n`).join("")}`,
};

describe("what cannot be decided", () => {
  it("is not in the list, where rules of authors contradict each other", async () => {
    const house = 'package house\n\nof := 1 if input.tool == "b"\n\nof := 2 if input.tool in {"b", "c"}\n';
    const rule =
      'package portcullis.ext.tool\n\nimport data.house\n\ndeny contains {"gate": "G", "reason": "r"} if house.of == 3\n';
    const policy = await built({ ...ONE, "house.rego": house, "rule.rego": rule });
    const request = { role: "R", lane: "L" };
    expect(policy.tool({ ...request, tool: "b" }).allowed).toBe(false);
    const before = policy.faults;
    expect(policy.allowed(request, "tool")).toEqual(["a", "c"]);
    expect(policy.lastFault?.code).toBe("conflict");
    expect(policy.faults).toBe(before + 1);
    expect(policy.allowed({ role: "R" }, "lane")).toEqual(["L"]);
    expect(policy.lastFault).toBeUndefined();
  });

  it("ends a search where it is no conflict", async () => {
    const policy = await built(ONE);
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const before = policy.faults;
    expect(policy.allowed({ role: "R", lane: "L", scope: cycle }, "tool", "call")).toEqual([]);
    expect(policy.faults - before).toBe(1);
    expect(policy.lastFault?.code).toBe("input");
  });

  it("is everything, until the host has supplied its data", async () => {
    const policy = await built({ ...ONE, "portcullis.yaml": "rego: { host_data: [desk.frozen] }\n" });
    expect(policy.allowed({ role: "R" }, "lane")).toEqual([]);
    expect(policy.lastFault?.message).toContain("`data.desk.frozen`");
    policy.setData({ desk: { frozen: [] } });
    expect(policy.allowed({ role: "R" }, "lane")).toEqual(["L"]);
    expect(policy.lastFault).toBeUndefined();
  });
});

it("a table of answers finds the rows that fit, and refuses a search that none fits", () => {
  const allowed = { allowed: true, gate: "ALLOW", reason: "tool_allowed" } as const;
  const denied = { allowed: false, gate: "TOOL_ENABLED", reason: "tool_disabled" } as const;
  const of = { role: "R", lane: "L" };
  const { policy, refused, unasked } = answerTable([
    { kind: "tool", request: { ...of, tool: "b" }, decision: allowed },
    { kind: "tool", request: { ...of, tool: "a" }, decision: allowed },
    { kind: "tool", request: { ...of, tool: "c" }, decision: denied },
    { kind: "tool", request: { role: "S", lane: "L", tool: "a" }, decision: allowed },
  ]);
  expect(policy.allowed(of, "tool")).toEqual(["a", "b"]);
  expect(refused).toEqual([]);
  expect(unasked()).toHaveLength(1);
  expect(policy.allowed({ role: "T", lane: "L" }, "tool")).toEqual([]);
  expect(refused.map(({ entrypoint }) => entrypoint)).toEqual(["portcullis/tool/decision"]);
});
