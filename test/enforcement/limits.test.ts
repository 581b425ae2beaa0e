/** A policy set with limits, at every edge: what is let through is what the limits say, and what was denied has used up nothing. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auditLedger, guardTool, load, memoryHistory, type Policy, verifyLedger } from "@portcullis/runtime";
import { fileHistory } from "@portcullis/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerHook, type Caller, NO_TOOLS, type Spawns, Verdicts } from "../../compiler/enforcement/gateway/index.ts";
import { type Server, serve } from "../../compiler/enforcement/serving/index.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";

const TOOLS = ["pay", "review", "publish", "fetch", "mail", "note"];
const registered = TOOLS.map(
  (name) =>
    `  - { tool_name: ${name}, enabled: true, implementation_status: implemented${name === "note" ? ", approval: required" : ""} }\n`,
);
const SETTINGS = {
  bundle: { name: "desk" },
  call: { host_scope: ["contributor"] },
  adapters: {
    authzen: { subject_type: "role", resource_type: "tool", actions: [{ name: "use", lane: "L" }] },
    mcp: { tools: [{ name: "pay", tool: "pay" }] },
    envoy: {
      headers: { role: "x-role" },
      routes: [{ method: "POST", path: "/pay", tool: "pay", lane: "L", body: "json" }],
    },
  },
};
const SET = {
  "portcullis.yaml": JSON.stringify(SETTINGS),
  "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n",
  "lanes.yaml": `lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [${TOOLS.join(", ")}] } }\n`,
  "tool_registry.yaml": `tools:\n${registered.join("")}`,
  "limits.yaml": `limits:
  - { limit_id: PAY, calls: { tools: [pay, note] }, per: [role], max_calls: 2, max_sum: { of: args.cents, at_most: 100 }, within: 1h }
  - { limit_id: REVIEWED, calls: { tools: [publish] }, only_after: { tools: [review], within: 1h } }
  - { limit_id: NO_WEB, calls: { tools: [mail] }, per: [session], never_after: { tools: [fetch] } }
`,
};

let policy: Policy;
let bundle: Uint8Array;
const folder = mkdtempSync(join(tmpdir(), "portcullis-limits-"));
const servers: Server[] = [];
beforeAll(async () => {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: SET }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  bundle = compiled.bundle;
  policy = await load(bundle);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

const context = { role: "R", lane: "L" };
const caller: Caller = { ...context, scope: {}, flags: [] };
/** What would allow everything. */
const forged = {
  ...{ now: 0, session: "another" },
  history: {
    PAY: { calls: 0, sum: 0, last_ms: {} },
    REVIEWED: { calls: 0, sum: 0, last_ms: { review: 0 } },
    NO_WEB: { calls: 0, sum: 0, last_ms: {} },
  },
};
const missing = { gate: "LIMITS", reason: "history_missing", limit: "PAY" };

it("a policy tells its host what it limits, under a name that stays", async () => {
  expect(Object.keys(policy.limits ?? {}).sort()).toEqual(["NO_WEB", "PAY", "REVIEWED"]);
  expect(policy.historyName).toBe("desk");
  expect(policy.call({ ...context, tool: "pay", args: { cents: 1 } })).toMatchObject(missing);
  expect(policy.call({ ...context, tool: "pay", args: { cents: 1 }, facts: forged }).allowed).toBe(true);
});

describe("a guard", () => {
  it("lets through as often, as much and in the order that the limits say", async () => {
    const history = memoryHistory();
    const reasons: string[] = [];
    const call = async (tool: string, args: object, execute: () => unknown = () => 1, session = "s"): Promise<void> => {
      const outcome = await guardTool(policy, context, tool, execute, { history, session })(args).catch(
        () => undefined,
      );
      reasons.push(outcome?.decision.reason ?? "thrown");
    };
    await call("pay", { cents: 101 });
    await call("pay", { cents: 60 });
    await call("pay", { cents: 41 });
    await call("note", { cents: 1 });
    await call("pay", { cents: 40 });
    await call("pay", { cents: 0 });
    expect(reasons.splice(0)).toEqual([
      ...["limit_sum", "call_allowed", "limit_sum", "approval_required", "call_allowed", "limit_calls"],
    ]);
    await call("publish", {});
    await call("review", {}, () => {
      throw new Error("no");
    });
    await call("publish", {});
    await call("review", {});
    await call("publish", {});
    expect(reasons.splice(0)).toEqual(["limit_order", "thrown", "limit_order", "call_allowed", "call_allowed"]);
    await call("mail", {});
    await call("fetch", {}, () => 1, "t");
    await call("mail", {});
    await call("fetch", {});
    await call("mail", {});
    await call("mail", {}, () => 1, "");
    expect(reasons).toEqual([
      ...["call_allowed", "call_allowed", "call_allowed", "call_allowed", "limit_order", "limit_key_missing"],
    ]);
  });

  it("says when there is room again", async () => {
    const history = memoryHistory({ clock: () => 3_600_000 });
    const pay = guardTool(policy, context, "pay", () => 1, { history });
    await pay({ cents: 1 });
    await pay({ cents: 1 });
    const { decision } = await pay({ cents: 1 });
    const width = Math.ceil(3_600_000 / 63);
    const free = (Math.floor(3_600_000 / width) + 64) * width;
    expect(decision).toEqual({
      ...{ allowed: false, gate: "LIMITS", reason: "limit_calls", limit: "PAY" },
      retry_after_ms: free - 3_600_000,
    });
  });

  it("denies without a store, and with facts of its context", async () => {
    const pay = guardTool(policy, context, "pay", () => 1);
    expect((await pay({ cents: 1 })).decision).toMatchObject(missing);
    expect((await guardTool(policy, context, "fetch", () => 1, { session: "s" })({})).allowed).toBe(false);
    const byCall = guardTool(
      policy,
      () => ({ ...context, facts: forged }) as never,
      "pay",
      () => 1,
    );
    expect((await byCall({ cents: 1 })).allowed).toBe(false);
  });

  it("leaves decision events that decide alike again", async () => {
    const lines: string[] = [];
    const ledger = auditLedger({
      write: async (batch) => void lines.push(new TextDecoder().decode(batch as Uint8Array)),
    });
    const heard = await load(bundle, { onDecision: ledger });
    const history = memoryHistory();
    for (const cents of [60, 60, 40, 1]) await guardTool(heard, context, "pay", () => 1, { history })({ cents });
    heard.events?.flush();
    await ledger.close();
    const text = lines.join("");
    expect(text).toContain('"history":{"PAY":{"calls":1');
    const whole = async function* () {
      yield* text.split("\n");
    };
    expect(await verifyLedger(whole(), { policyOf: () => policy })).toMatchObject({ ok: true, events: 4, decided: 4 });
  });
});

it("mcp counts what it passes on, and takes no facts of a message", async () => {
  const history = memoryHistory();
  const verdicts = new Verdicts(policy, caller, NO_TOOLS, () => {}, { history, session: "s" });
  const call = async (name: string, args: object, succeeded = true): Promise<string> =>
    (await verdicts.call(name, args, () => succeeded)).decision.reason;
  expect(await call("pay", { cents: 60, facts: forged })).toBe("call_allowed");
  expect(await call("pay", { cents: 60, facts: forged })).toBe("limit_sum");
  expect(await call("review", {}, false)).toBe("call_allowed");
  expect(await call("publish", { facts: forged })).toBe("limit_order");
  expect(await call("review", {})).toBe("call_allowed");
  expect(await call("publish", {})).toBe("call_allowed");
  // To list tools counts nothing, and hides none.
  for (let i = 0; i < 5; i++)
    for (const tool of TOOLS) expect([tool, await verdicts.visible(tool)]).toEqual([tool, true]);
  expect(await call("pay", { cents: 40 })).toBe("call_allowed");
  expect(await call("pay", { cents: 0 })).toBe("limit_calls");
});

it("hook counts from one process to the next, by the host's session, and takes no facts of a payload", async () => {
  const answer = async (tool_name: string, tool_input: object, session_id: string): Promise<string> => {
    const payload = {
      ...{ session_id, transcript_path: "/t", permission_mode: "default", hook_event_name: "PreToolUse" },
      ...{ tool_name, tool_input, facts: forged },
    };
    const host = { policy, caller, tools: NO_TOOLS, record: () => {}, history: fileHistory(join(folder, "hook")) };
    const { verdict, message } = await answerHook(JSON.stringify(payload), host, { format: "auto", ask: false });
    return `${verdict} ${/LIMITS, (\w+)/.exec(message)?.[1] ?? ""}`;
  };
  expect(await answer("pay", { cents: 60 }, "s")).toBe("allow ");
  expect(await answer("pay", { cents: 60 }, "t")).toBe("deny limit_sum");
  expect(await answer("fetch", {}, "s")).toBe("allow ");
  expect(await answer("mail", {}, "s")).toBe("deny limit_order");
  expect(await answer("mail", {}, "t")).toBe("allow ");
  // A host makes the call afterwards, and never says what became of it: an allow counts as a success, a denial does not.
  expect(await answer("publish", {}, "s")).toBe("deny limit_order");
  expect(await answer("note", { cents: 1 }, "s")).toBe("deny ");
  expect(await answer("publish", {}, "s")).toBe("deny limit_order");
  expect(await answer("review", {}, "s")).toBe("allow ");
  expect(await answer("publish", {}, "s")).toBe("allow ");
});

describe("hook", () => {
  const payload = (tool_name: string, tool_input: object): string =>
    JSON.stringify({
      ...{ session_id: "s", transcript_path: "/t", permission_mode: "default", hook_event_name: "PreToolUse" },
      ...{ tool_name, tool_input },
    });
  const policyOf = async (files: Readonly<Record<string, string>>): Promise<Policy> => {
    const { compiled, diagnostics } = await compile({
      host: virtualHost({ set: { ...SET, ...files } }),
      dirs: ["set"],
    });
    if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
    return load(compiled.bundle);
  };

  it("asks no person about a call that a limit has to do with: nothing would count it", async () => {
    const verdict = async (limits: string): Promise<string> => {
      const asking = await policyOf({ "limits.yaml": `limits: [${limits}]\n` });
      const host = { policy: asking, caller, tools: NO_TOOLS, record: () => {}, history: memoryHistory() };
      return (await answerHook(payload("note", { cents: 1 }), host, { format: "auto", ask: true })).verdict;
    };
    expect(await verdict("{ limit_id: L, calls: { tools: [pay] }, max_calls: 1 }")).toBe("ask");
    expect(await verdict("{ limit_id: L, calls: { tools: [note] }, max_calls: 1 }")).toBe("deny");
    expect(await verdict("{ limit_id: L, calls: { lanes: [L] }, max_calls: 1 }")).toBe("deny");
    expect(await verdict("{ limit_id: L, calls: { tools: [pay] }, never_after: { tools: [note] } }")).toBe("deny");
    expect(await verdict("{ limit_id: L, calls: { tools: [pay] }, only_after: { tools: [note] } }")).toBe("deny");
  });

  it("counts the start of a sub-agent that a limit names", async () => {
    const lineage = [{ agent_type: "lead", spawn_depth: 0 }];
    const lists = { allowlistedSubagents: ["desk"], delegatedSubagents: ["desk"] };
    const allows: Spawns["policy"] = {
      subagent: () => ({ allowed: true, gate: "ALLOW", reason: "r", ...lists }) as never,
      lineage: () => ({ allowed: true, gate: "ALLOW", reason: "r" }),
    };
    const spawning = await policyOf({
      "portcullis.yaml": "call: { unknown_agents: allow }\n",
      "lanes.yaml": SET["lanes.yaml"].replace("pay,", "pay, Agent,"),
      "tool_registry.yaml": `${SET["tool_registry.yaml"]}  - { tool_name: Agent, enabled: true, implementation_status: implemented }\n`,
      "limits.yaml": "limits: [{ limit_id: L, calls: { tools: [Agent] }, max_calls: 1 }]\n",
    });
    const start = async (asked: Policy): Promise<string> => {
      const spawns = { policy: allows, governance: {}, env: {} };
      const host = {
        policy: asked,
        caller: { ...caller, lineage },
        tools: NO_TOOLS,
        record: () => {},
        spawns,
        history,
      };
      const text = payload("Agent", { subagent_type: "desk" });
      const { verdict, message } = await answerHook(text, host, { format: "auto", ask: false });
      return `${verdict} ${/\w+, (\w+)/.exec(message)?.[1] ?? ""}`;
    };
    const history = memoryHistory();
    expect(await start(policy)).toBe("allow ");
    expect(await start(spawning)).toBe("allow ");
    expect(await start(spawning)).toBe("deny limit_calls");
  });
});

describe("serve", () => {
  const started = async (trustFacts = false, isKept = true): Promise<string> => {
    const server = await serve({
      served: () => ({ policy }),
      ...{ metrics: () => "", authzen: "portcullis/authzen/evaluation", host: "127.0.0.1", port: 0, anonymous: true },
      ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0", trustFacts },
      facts: isKept ? { history: memoryHistory() } : {},
    });
    servers.push(server);
    return server.url;
  };
  const post = async (url: string, body: unknown): Promise<unknown> => {
    const response = await fetch(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
    return response.status === 200 ? response.json() : response.status;
  };
  const asked = (tool: string, args: object = {}): object => ({ input: { ...context, tool, args } });
  const DATA = "/v1/data/portcullis/call/decision";

  it("counts calls of the data API, also of its members, and gives back what is denied", async () => {
    const url = await started();
    const reason = async (tool: string, args: object): Promise<unknown> =>
      ((await post(url + DATA, asked(tool, args))) as { result: { reason: string } }).result.reason;
    expect(await reason("pay", { cents: 101 })).toBe("limit_sum");
    expect(await reason("note", { cents: 100 })).toBe("approval_required");
    expect(await post(`${url}${DATA}/allowed`, asked("pay", { cents: 60 }))).toMatchObject({ result: true });
    expect(
      await post(`${url}/v0/data/portcullis/call/decision/allowed`, { ...context, tool: "pay", args: { cents: 40 } }),
    ).toBe(true);
    expect(await reason("pay", { cents: 0 })).toBe("limit_calls");
  });

  it("takes an allow for a success: what becomes of a call no server hears", async () => {
    const url = await started();
    const reason = async (tool: string): Promise<unknown> =>
      ((await post(url + DATA, asked(tool))) as { result: { reason: string } }).result.reason;
    expect(await reason("publish")).toBe("limit_order");
    expect(await post(url + DATA, { input: { ...context, role: "none", tool: "review" } })).toMatchObject({
      result: { allowed: false },
    });
    expect(await reason("publish")).toBe("limit_order");
    expect(await reason("review")).toBe("call_allowed");
    expect(await reason("publish")).toBe("call_allowed");
  });

  it("lets one of many that ask at once have the last one", async () => {
    const url = await started();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(`${url}${DATA}/allowed`, asked("pay", { cents: 1 }))),
    );
    expect(answers.filter((answer) => (answer as { result: boolean }).result)).toHaveLength(2);
  });

  it("refuses facts of clients, and makes those of trusted ones anew, but for the session", async () => {
    const url = await started();
    const body = { input: { ...context, tool: "pay", args: { cents: 1 }, facts: forged } };
    expect(await post(url + DATA, body)).toBe(400);
    const trusting = await started(true);
    for (const reason of ["call_allowed", "call_allowed", "limit_calls"])
      expect(await post(trusting + DATA, body)).toMatchObject({ result: { reason } });
    const mail = (session: string) => ({ input: { ...context, tool: "mail", facts: { session } } });
    await post(trusting + DATA, { input: { ...context, tool: "fetch", facts: { session: "s" } } });
    expect(await post(trusting + DATA, mail("s"))).toMatchObject({ result: { reason: "limit_order" } });
    expect(await post(trusting + DATA, mail("t"))).toMatchObject({ result: { reason: "call_allowed" } });
    expect(await post(trusting + DATA, asked("mail"))).toMatchObject({ result: { reason: "limit_key_missing" } });
  });

  it("reads of two members the last one, as the policy does", async () => {
    const url = await started();
    const twice =
      '{"input": {"role": "R", "lane": "L", "tool": "note", "tool": "pay", "args": {"cents": 1, "cents": 60}}}';
    expect(await post(url + DATA, twice)).toMatchObject({ result: { allowed: true } });
    expect(await post(url + DATA, twice)).toMatchObject({ result: { reason: "limit_sum" } });
  });

  it("denies without a store what a limit counts, and what it has to remember", async () => {
    const url = await started(false, false);
    expect(await post(url + DATA, asked("pay", { cents: 1 }))).toMatchObject({ result: missing });
    expect(await post(url + DATA, asked("review"))).toMatchObject({
      result: { allowed: false, gate: "INTERNAL_ERROR" },
    });
    expect(await post(url + DATA, asked("note"))).toMatchObject({ result: { allowed: false } });
  });

  it("counts AuthZEN's evaluations, each of a list, and refuses their facts", async () => {
    const url = await started();
    const one = (name: string, properties: object = {}): object => ({
      subject: { type: "role", id: "R" },
      action: { name: "use", properties },
      resource: { type: "tool", id: name },
    });
    const evaluation = `${url}/access/v1/evaluation`;
    expect(await post(evaluation, one("pay", { cents: 101 }))).toMatchObject({
      decision: false,
      context: { reason: "limit_sum" },
    });
    expect(await post(evaluation, { ...one("pay", { cents: 1 }), facts: forged })).toBe(400);
    const list = { ...one("pay", { cents: 1 }), evaluations: [{}, { resource: { type: "tool", id: "none" } }, {}, {}] };
    expect(await post(`${url}/access/v1/evaluations`, list)).toMatchObject({
      evaluations: [
        { decision: true },
        { decision: false },
        { decision: true },
        { context: { reason: "limit_calls" } },
      ],
    });
    const of = (name: string): object => ({ resource: { type: "tool", id: name } });
    const before = { ...one("review"), evaluations: [of("publish"), of("review"), of("publish")] };
    const evaluations = `${url}/access/v1/evaluations`;
    const decided = async (body: object): Promise<boolean[]> =>
      ((await post(evaluations, body)) as { evaluations: { decision: boolean }[] }).evaluations.map((e) => e.decision);
    // The answer is given as a whole: within it nothing has succeeded.
    expect(await decided(before)).toEqual([false, true, false]);
    expect(await decided(before)).toEqual([true, true, true]);
    const without = await started(false, false);
    expect(await post(`${without}/access/v1/evaluation`, one("review"))).toMatchObject({
      decision: false,
      context: { gate: "INTERNAL_ERROR" },
    });
  });
});

it("adapters and entrypoints that make no facts deny what a later call must not come after", async () => {
  const rego = `# METADATA
# entrypoint: true
package app.own

answer := {"decision": data.portcullis.call.decision.allowed}
`;
  const set = {
    ...SET,
    "own.rego": rego.replace("package app.own\n\nanswer", "package app.own\n\n# METADATA\n# entrypoint: true\nanswer"),
    "limits.yaml": "limits: [{ limit_id: L, calls: { tools: [mail] }, never_after: { tools: [pay] } }]\n",
  };
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const spoiling = await load(compiled.bundle);
  const http = { method: "POST", path: "/pay", headers: { "x-role": "R" } };
  const check = { attributes: { request: { http } }, parsed_body: { cents: 1 } };
  const denied = { allowed: false, gate: "LIMITS", reason: "history_missing" };
  expect(spoiling.evaluate("portcullis/envoy/authz", check)).toMatchObject(denied);
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay", arguments: { cents: 1 } } };
  expect(spoiling.evaluate("portcullis/mcp/call", { request, identity: context })).toMatchObject(denied);
  const one = { subject: { type: "role", id: "R" }, action: { name: "use" }, resource: { type: "tool", id: "pay" } };
  expect(spoiling.evaluate("portcullis/authzen/evaluation", one)).toMatchObject({ decision: false });
  expect(spoiling.evaluate("app/own/answer", { ...context, tool: "pay" })).toEqual({ decision: false });
  expect(spoiling.call({ ...context, tool: "pay" })).toMatchObject(denied);
  // The same without a tool that spoils anything.
  expect(spoiling.evaluate("app/own/answer", { ...context, tool: "review" })).toEqual({ decision: true });
});

it("adapters in Rego count nothing: what a limit counts is denied, whatever facts a client writes", () => {
  const path = { method: "POST", path: "/pay", headers: { "x-role": "R" } };
  const check = { attributes: { request: { http: path } }, parsed_body: { cents: 1 }, facts: forged };
  expect(policy.evaluate("portcullis/envoy/authz", check)).toMatchObject({ allowed: false, reason: "history_missing" });
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "pay", arguments: { cents: 1 }, facts: forged },
  };
  const asked = { request: message, identity: { ...context, facts: forged }, facts: forged };
  expect(policy.evaluate("portcullis/mcp/call", asked)).toMatchObject(missing);
});
