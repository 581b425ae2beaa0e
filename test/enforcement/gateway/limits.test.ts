/** `portcullis mcp` and `hook` count by the limits of a policy what they pass on, and by nothing that a message or payload says. */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HistoryStore, load, memoryHistory, type Policy } from "@portcullis/runtime";
import { fileHistory } from "@portcullis/runtime/node";
import { afterAll, describe, expect, it, vi } from "vitest";
import {
  answerHook,
  type Caller,
  NO_TOOLS,
  type Spawns,
  Verdicts,
} from "../../../compiler/enforcement/gateway/index.ts";
import { bundleOf, context, forged, policy, SET, TOOLS } from "../limited-policy.ts";
import { done, gateways } from "./behind.ts";
import { against } from "./session.ts";

const folder = mkdtempSync(join(tmpdir(), "portcullis-limits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const caller: Caller = { ...context, scope: {}, flags: [] };

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

it("an argument has no other spelling beside it, which a server could read", async () => {
  const verdicts = new Verdicts(policy, caller, NO_TOOLS, () => {}, { history: memoryHistory(), session: "s" });
  const call = async (name: string, args: unknown) => (await verdicts.call(name, args, () => true)).decision;
  for (const twin of ["Cents", "CENTS", "\uff43ents", "cents\u200b", "c".repeat(257)])
    expect(await call("pay", { cents: 1, [twin]: 1000 }), twin).toMatchObject({
      ...{ allowed: false, gate: "INTERNAL_ERROR" },
      problem: expect.stringContaining("could be read as another argument"),
    });
  expect((await call("pay", { cents: 50, amount: 1 })).allowed).toBe(true);
  // Another spelling alone is nothing that is added up.
  expect((await call("pay", { Cents: 1 })).allowed).toBe(false);
  expect((await call("pay", { cents: 50 })).allowed).toBe(true);
});

it("hook counts from one process to the next, by the host's session, and takes no facts of a payload", async () => {
  const answer = async (tool_name: string, tool_input: object, session_id: string, end = {}): Promise<string> => {
    const payload = {
      ...{ session_id, transcript_path: "/t", permission_mode: "default", hook_event_name: "PreToolUse" },
      ...{ tool_name, tool_input, facts: forged, ...end },
    };
    const host = { policy, caller, tools: NO_TOOLS, record: () => {}, history: fileHistory(join(folder, "hook")) };
    const { verdict, message } = await answerHook(JSON.stringify(payload), host, { format: "claude-code", ask: false });
    return `${verdict} ${/LIMITS, (\w+)/.exec(message)?.[1] ?? ""}`;
  };
  expect(await answer("pay", { cents: 60 }, "s")).toBe("allow ");
  expect(await answer("pay", { cents: 60 }, "t")).toBe("deny limit_sum");
  expect(await answer("fetch", {}, "s")).toBe("allow ");
  expect(await answer("mail", {}, "s")).toBe("deny limit_order");
  expect(await answer("mail", {}, "t")).toBe("allow ");
  // A host makes the call afterwards: it succeeds when the host says so.
  expect(await answer("publish", {}, "s")).toBe("deny limit_order");
  expect(await answer("review", {}, "s")).toBe("allow ");
  expect(await answer("publish", {}, "s")).toBe("deny limit_order");
  const ended = (tool: string, tool_response: unknown): Promise<string> =>
    answer(tool, {}, "s", { hook_event_name: "PostToolUse", tool_response });
  expect(await ended("review", { isError: true })).toBe("allow ");
  expect(await ended("note", [])).toBe("allow ");
  expect(await answer("publish", {}, "s")).toBe("deny limit_order");
  expect(await ended("review", [])).toBe("allow ");
  expect(await answer("publish", {}, "s")).toBe("allow ");
});

it("gives back what a call took whose decision cannot be written down: it is denied", async () => {
  const history = memoryHistory();
  let isFull = true;
  const record = (): void => {
    if (isFull) throw new Error("the disk is full");
  };
  const verdicts = new Verdicts(policy, caller, NO_TOOLS, record, { history, session: "s" });
  const ran: unknown[] = [];
  const call = (name: string, args: object) =>
    verdicts.call(name, args, (given) => ran.push(given)).then(({ decision }) => decision.reason, String);
  for (let i = 0; i < 3; i++) expect(await call("pay", { cents: 60 })).toBe("Error: the disk is full");
  expect(await call("fetch", {})).toBe("Error: the disk is full");
  isFull = false;
  expect(await call("mail", {})).toBe("call_allowed");
  expect(await call("pay", { cents: 60 })).toBe("call_allowed");
  expect(await call("pay", { cents: 60 })).toBe("limit_sum");
  expect(ran).toEqual([{}, { cents: 60 }]);
});

describe("a call that its client has taken back before it was sent", () => {
  const behind = gateways();
  /** A store that answers when it is told to. */
  const slow = () => {
    const said: string[] = [];
    let answer = (): void => {};
    const history: HistoryStore = {
      reserve: async (asked) => {
        const reservation = await memoryHistory().reserve(asked);
        said.push("reserve");
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return { ...reservation, release: () => void said.push("release"), commit: () => void said.push("commit") };
      },
    };
    return { facts: { history, session: "s" }, said, answer: () => answer() };
  };
  const call = (id: number, name = "pay"): object => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name, arguments: { cents: 60 } },
  });

  it("uses up nothing, over pipes", async () => {
    const { facts, said, answer } = slow();
    const of = against("silent", { policy, caller, facts, limits: { graceMs: 100 } });
    const send = (message: object): void => void of.input.write(`${JSON.stringify(message)}\n`);
    try {
      send(call(1));
      await expect.poll(() => said).toEqual(["reserve"]);
      send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
      send(call(2, "x".repeat(300)));
      await once(of.output, "data");
      answer();
      await expect.poll(() => said).toEqual(["reserve", "release"]);
      expect(of.lines).toEqual([]);
    } finally {
      of.input.end();
      await of.end;
    }
  });

  it("uses up nothing, over HTTP", async () => {
    const { facts, said, answer } = slow();
    const of = await behind(done, { caller, facts }, policy);
    const controller = new AbortController();
    const asked = fetch(of.gateway.url, {
      ...{ method: "POST", signal: controller.signal, headers: { "content-type": "application/json" } },
      body: JSON.stringify(call(1)),
    });
    await expect.poll(() => said).toEqual(["reserve"]);
    controller.abort();
    await expect(asked).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 300));
    answer();
    await expect.poll(() => said).toEqual(["reserve", "release"]);
    expect(of.sent).toEqual([]);
  });
});

it("waits two seconds for a store that takes nothing back", async () => {
  const store = memoryHistory();
  const history: HistoryStore = {
    reserve: async (asked) => ({ ...(await store.reserve(asked)), release: () => new Promise(() => {}) }),
  };
  const record = (): never => {
    throw new Error("the disk is full");
  };
  vi.useFakeTimers();
  try {
    const verdicts = new Verdicts(policy, caller, NO_TOOLS, record, { history, session: "s" });
    const call = verdicts.call("pay", { cents: 60 }, () => true).catch(String);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await call).toBe("Error: the disk is full");
  } finally {
    vi.useRealTimers();
  }
});

describe("hook", () => {
  const payload = (tool_name: string, tool_input: object): string =>
    JSON.stringify({
      ...{ session_id: "s", transcript_path: "/t", permission_mode: "default", hook_event_name: "PreToolUse" },
      ...{ tool_name, tool_input },
    });
  const policyOf = async (files: Readonly<Record<string, string>>): Promise<Policy> => load(await bundleOf(files));

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
