/** AuthZEN's searches find what asking each evaluation allows, in pages, and permit nothing. */

import { builtins } from "@portcullis/builtins";
import { type DecisionEvent, load, memoryHistory, metrics, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { answerEvaluation } from "../../../compiler/enforcement/serving/authzen.ts";
import {
  answerConfiguration,
  answerSearch,
  type Sought,
} from "../../../compiler/enforcement/serving/authzen-search.ts";
import { Calls } from "../../../compiler/enforcement/serving/call-history.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { between, SEED } from "../../campaign.ts";
import { filesOf, randomSet } from "../../governance/review/policy-sets.ts";
import { virtualHost } from "../../governance/sources/virtual-host.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { servedExample } from "./served.ts";

const ENTRY = "portcullis/authzen/evaluation";
const AUTHZEN =
  "adapters: { authzen: { subject_type: role, resource_type: tool, actions: [{ name: use, lane: LANE0 }, { name: try, lane: LANE1 }, { name: use too, lane: LANE0 }], ignored_context: [time] } }\n";
const LIMITS = "limits: [{ limit_id: A, calls: { tools: [tool0, tool1] }, max_calls: 1, within: 1h }]\n";

type Found = { readonly page?: { readonly next_token: string; readonly count: number }; readonly results: object[] };

async function built(seed: number, more: Record<string, string> = {}, options = {}): Promise<Policy> {
  const files = filesOf(randomSet(new Random(seed)));
  const settings = `${files["portcullis.yaml"]}${AUTHZEN}`;
  const host = virtualHost({ p: { ...files, "portcullis.yaml": settings, ...more } });
  const { compiled, diagnostics } = await compile({ host, dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle, { builtins, ...options });
}

const search = async (
  policy: Policy,
  sought: Sought,
  request: unknown,
  entrypoint = ENTRY,
): Promise<Found | number> => {
  const by = { policy, entrypoint, facts: {} };
  const { status, body } = await answerSearch(
    by,
    sought,
    typeof request === "string" ? request : JSON.stringify(request),
  );
  return status === 200 ? (JSON.parse(body) as Found) : status;
};
const found = async (policy: Policy, sought: Sought, request: unknown): Promise<unknown[]> => {
  const answer = (await search(policy, sought, request)) as Found;
  expect(answer.page).toBeUndefined();
  return answer.results.map((entity) => ({ ...(entity as { id?: string; name?: string }) })).map((e) => e.id ?? e.name);
};
const allows = async (policy: Policy, request: object): Promise<boolean> => {
  const by = { policy, entrypoint: ENTRY, calls: new Calls({}) };
  const { body } = await answerEvaluation(by, JSON.stringify(request));
  await by.calls.undone();
  return (JSON.parse(body) as { decision: boolean }).decision;
};

const IDS: { readonly [sought in Sought]: readonly string[] } = {
  subject: ["ROLE0", "ROLE1", "ROLE2", "LANE0", "tool0"],
  resource: ["tool0", "tool1", "tool2", "tool3", "tool9", "ROLE0"],
  action: ["use", "try", "use too", "LANE0"],
};

describe("searches of generated policy sets", () => {
  it("find what asking each allows, with rules of authors, limits and approvals", async () => {
    let count = 0;
    // The first is the same each time: it finds some, whatever the others do.
    const seeds = [1, ...Array.from({ length: between(1, 30) }, (_, i) => SEED + i)];
    for (const seed of seeds) {
      const random = new Random(seed);
      const policy = await built(seed, random.chance(0.7) ? { "limits.yaml": LIMITS } : {});
      for (let i = 0; i < 30; i++) {
        const one = <T>(list: readonly T[]): T => list[random.int(list.length)] as T;
        const scope = { k0: "a", k1: "b", k2: 3, signed: true, amount: one([1, 20, 900]) };
        const request = {
          subject: { type: random.chance(0.9) ? "role" : "person", id: one(IDS.subject) },
          action: { name: one(IDS.action), ...one([{}, { properties: { urgent: true } }]) },
          resource: { type: "tool", id: one(IDS.resource), ...one([{}, { properties: {} }]) },
          ...one([{ context: { scope } }, { context: { scope, approval: { ref: "A", by: "m.ortiz" }, time: 1 } }, {}]),
        };
        for (const sought of ["subject", "resource", "action"] as const) {
          const name = sought === "action" ? "name" : "id";
          const each: string[] = [];
          for (const id of [...IDS[sought]].sort())
            if (await allows(policy, { ...request, [sought]: { ...request[sought], [name]: id } })) each.push(id);
          expect(await found(policy, sought, request), JSON.stringify({ seed, sought, request })).toEqual(each);
          if (seed === seeds[0]) count += each.length;
        }
      }
    }
    expect(count).toBeGreaterThan(5);
  });
});

describe("a search", () => {
  const request = {
    subject: { type: "role", id: "R" },
    action: { name: "use" },
    resource: { type: "tool" },
    context: { scope: { n: 1 } },
  };
  const set = (more: Record<string, string> = {}, options = {}): Promise<Policy> => {
    const tools = ["a", "b", "c", "d"];
    const files = {
      "portcullis.yaml": `call: { lineage: optional }\n${AUTHZEN.replaceAll("LANE1", "M").replaceAll("LANE0", "L")}`,
      "roles.yaml": "roles: [{ role_id: R }, { role_id: S }]\n",
      "lanes.yaml": `lanes: [{ lane_id: L, allowed_callers: { roles: [R, S] }, allowed_actions: { tools: [${tools}] } }, { lane_id: M, allowed_callers: { roles: [S] }, allowed_actions: { tools: [a] } }]\n`,
      "tool_registry.yaml": `tools:\n${tools.map((t) => `  - { tool_name: ${t}, enabled: true, implementation_status: implemented }\n`).join("")}`,
      ...more,
    };
    return compile({ host: virtualHost({ p: files }), dirs: ["p"] }).then(({ compiled, diagnostics }) => {
      if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
      return load(compiled.bundle, { builtins, ...options });
    });
  };
  let policy: Policy;
  beforeAll(async () => {
    policy = await set();
  });

  it("answers with entities, in whole where no page is asked for", async () => {
    expect(await search(policy, "resource", request)).toEqual({
      results: ["a", "b", "c", "d"].map((id) => ({ type: "tool", id })),
    });
    expect(
      await search(policy, "subject", {
        ...request,
        subject: { type: "role", id: "ignored" },
        resource: { type: "tool", id: "a" },
      }),
    ).toEqual({
      results: [
        { type: "role", id: "R" },
        { type: "role", id: "S" },
      ],
    });
    const { action: _, ...without } = { ...request, resource: { type: "tool", id: "a" } };
    expect(await search(policy, "action", without)).toEqual({ results: [{ name: "use" }, { name: "use too" }] });
    expect(await search(policy, "action", { ...without, subject: { type: "role", id: "S" } })).toEqual({
      results: [{ name: "try" }, { name: "use" }, { name: "use too" }],
    });
  });

  it("goes on page by page, and takes no other request's token", async () => {
    const ids: string[] = [];
    const counts: number[] = [];
    let token = "";
    do {
      const page = { limit: 3, ...(token === "" ? {} : { token }) };
      const answer = (await search(policy, "resource", { ...request, page })) as Found;
      ids.push(...answer.results.map((entity) => (entity as { id: string }).id));
      counts.push(answer.page?.count as number);
      token = answer.page?.next_token as string;
      if (token === "") break;
      const others = [
        { ...request, page: { limit: 2, token } },
        { ...request, subject: { type: "role", id: "S" }, page: { limit: 3, token } },
      ];
      for (const other of others) expect(await search(policy, "resource", other)).toBe(400);
    } while (counts.length < 9);
    expect(ids).toEqual(["a", "b", "c", "d"]);
    expect(counts).toEqual([3, 1]);
    const none = (await search(policy, "resource", { ...request, page: { limit: 0 } })) as Found;
    expect(none.results).toEqual([]);
    expect(none.page?.next_token).not.toBe("");
    // As many as there are: nothing comes after.
    expect(await search(policy, "resource", { ...request, page: { limit: 4 } })).not.toHaveProperty("page");
  });

  it("ends a page where its requests are longer than other clients can wait", async () => {
    const long = { ...request, context: { scope: { n: "x".repeat(3 << 20) } } };
    const answer = (await search(policy, "resource", long)) as Found;
    expect(answer.results).toHaveLength(2);
    const { next_token: token } = answer.page as { next_token: string };
    const rest = (await search(policy, "resource", { ...long, page: { token } })) as Found;
    expect([...answer.results, ...rest.results]).toHaveLength(4);
  });

  it("keeps every digit of a number", async () => {
    const rule =
      'package portcullis.ext.call\n\nmust contains "FEW" if {\n\tis_number(input.scope.n)\n\tinput.scope.n <= 9007199254740992\n}\n';
    const counted = await set({ "few.rego": rule });
    const text = (n: string): string => JSON.stringify(request).replace('"n":1', `"n":${n}`);
    expect(((await search(counted, "resource", text("9007199254740992"))) as Found).results).toHaveLength(4);
    expect(((await search(counted, "resource", text("9007199254740993"))) as Found).results).toEqual([]);
  });

  it("uses up no limit, and no listener or meter hears of it", async () => {
    const heard: DecisionEvent[] = [];
    const limits = "limits: [{ limit_id: A, calls: { tools: [a, b] }, max_calls: 1, within: 1h }]\n";
    const limited = await set(
      { "limits.yaml": limits },
      { onDecision: (event: DecisionEvent) => heard.push(event), unrecorded: "deny" },
    );
    const facts = { history: memoryHistory() };
    const meter = metrics(limited);
    for (let i = 0; i < 3; i++) {
      const { body } = await answerSearch(
        { policy: limited, entrypoint: ENTRY, facts },
        "resource",
        JSON.stringify(request),
      );
      expect((JSON.parse(body) as Found).results, String(i)).toHaveLength(4);
    }
    expect(heard).toEqual([]);
    const calls = new Calls(facts);
    const asked = JSON.stringify({ ...request, resource: { type: "tool", id: "a" } });
    expect((await answerEvaluation({ policy: limited, entrypoint: ENTRY, calls }, asked)).body).toContain(
      '"decision":true',
    );
    expect(meter.snapshot().decisions).toEqual([]);
    calls.given();
    expect(meter.snapshot().decisions).toMatchObject([{ entrypoint: ENTRY, outcome: "allow", count: 1 }]);
    const after = await answerSearch(
      { policy: limited, entrypoint: ENTRY, facts },
      "resource",
      JSON.stringify(request),
    );
    expect((JSON.parse(after.body) as Found).results).toEqual([
      { type: "tool", id: "c" },
      { type: "tool", id: "d" },
    ]);
    // Without a history nothing is known of earlier calls.
    expect(((await search(limited, "resource", request)) as Found).results).toHaveLength(2);
  });

  it("refuses bodies that are not searches, and what it cannot answer", async () => {
    const bad: unknown[] = [
      ...["", "{", "[]", "null", "1"],
      ...[{}, { ...request, resource: "tool" }, { ...request, resource: {} }, { ...request, resource: { type: 5 } }],
      ...[1, "a", { limit: -1 }, { limit: 0.5 }, { limit: "3" }, { token: 5 }, { token: "else" }].map((page) => ({
        ...request,
        page,
      })),
      { ...request, facts: { now: 1 } },
    ];
    for (const body of bad) expect(await search(policy, "resource", body), JSON.stringify(body)).toBe(400);
    expect(await search(policy, "action", { ...request, action: 5 })).toBe(400);
    expect(await search(policy, "resource", request, "no/such")).toBe(404);
    expect(await search(policy, "resource", request, "portcullis/call/decision")).toBe(404);
    for (const odd of [
      { ...request, subject: 5 },
      { ...request, action: { name: "no" } },
      { resource: { type: "tool" } },
    ])
      expect(await search(policy, "resource", odd), JSON.stringify(odd)).toEqual({ results: [] });
  });

  it("is in the metadata where it is answered", () => {
    const metadata = (of: string): unknown => {
      const { status, body } = answerConfiguration({ policy, entrypoint: of }, "https://pdp");
      return status === 200 ? JSON.parse(body) : status;
    };
    const evaluations = {
      policy_decision_point: "https://pdp",
      access_evaluation_endpoint: "https://pdp/access/v1/evaluation",
      access_evaluations_endpoint: "https://pdp/access/v1/evaluations",
    };
    expect(metadata(ENTRY)).toEqual({
      ...evaluations,
      search_subject_endpoint: "https://pdp/access/v1/search/subject",
      search_resource_endpoint: "https://pdp/access/v1/search/resource",
      search_action_endpoint: "https://pdp/access/v1/search/action",
    });
    expect(metadata("portcullis/call/decision")).toEqual(evaluations);
    expect(metadata("no/such")).toBe(404);
  });
});

describe("a server", () => {
  const { served } = servedExample();
  const writer = {
    subject: { type: "role", id: "WRITER" },
    action: { name: "draft" },
    resource: { type: "tool" },
    context: { scope: { story_id: "s", run_id: "r" }, lineage: [{ agent_type: "news_desk", spawn_depth: 0 }] },
  };

  it("answers searches and its metadata, to callers with the token", async () => {
    const { url } = await served({ authzen: ENTRY, token: "secret" });
    const headers = { Authorization: "Bearer secret", "X-Request-ID": "q-1" };
    const post = (path: string, more: object = {}): Promise<Response> =>
      fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(writer), ...more });
    const answer = await post("/access/v1/search/resource");
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([200, "q-1"]);
    expect(((await answer.json()) as Found).results).toContainEqual({ type: "tool", id: "draft.create" });
    expect((await post("/access/v1/search/resource", { headers: {} })).status).toBe(401);
    expect((await post("/access/v1/search/resource", { body: " ".repeat(10_001) })).status).toBe(413);
    expect((await fetch(`${url}/access/v1/search/subject`, { headers })).status).toBe(405);
    for (const path of ["lane", "toString", "resource/x", ""])
      expect((await post(`/access/v1/search/${path}`)).status, path).toBe(404);

    const metadata = async (more: object): Promise<unknown> =>
      (await fetch(`${url}/.well-known/authzen-configuration`, { headers: { ...headers, ...more } })).json();
    expect(await metadata({})).toMatchObject({
      policy_decision_point: url,
      search_resource_endpoint: `${url}/access/v1/search/resource`,
    });
    expect(await metadata({ "X-Forwarded-Proto": "https" })).toMatchObject({
      policy_decision_point: url.replace("http:", "https:"),
    });
    expect(await metadata({ "X-Forwarded-Proto": "javascript" })).toMatchObject({ policy_decision_point: url });
    expect((await fetch(`${url}/.well-known/authzen-configuration`)).status).toBe(401);
    expect((await fetch(`${url}/.well-known/authzen-configuration`, { method: "POST", headers })).status).toBe(405);
  });
});
