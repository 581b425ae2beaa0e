/** Calls of SDKs' tools: what is asked, what a tool gets, and what history learns. */

import { type AgentOptions, ToolDenied } from "@portcullis/agents";
import { guardTools } from "@portcullis/agents/ai-sdk";
import type { CallContext, CallRecord } from "@portcullis/runtime";
import { describe, expect, it, vi } from "vitest";
import { ALLOW, DENIED, DENY, keeping, policyOf } from "./kept.ts";

const CONTEXT: CallContext = { role: "R", lane: "L" };
const CALL = { toolCallId: "c-1", messages: [], experimental_context: { user: "u" } };

/** The tool `t` of an SDK whose tools are plain objects, held. */
function held(
  policy: ReturnType<typeof policyOf>,
  execute: (args: Record<string, unknown>, call: unknown) => unknown,
  options: AgentOptions<typeof CALL> = {},
  context: CallContext | ((args: unknown, call: typeof CALL) => CallContext) = CONTEXT,
): (args: unknown, call?: unknown) => Promise<unknown> {
  const { t } = guardTools(policy, context, { t: { execute } }, options) as never as {
    t: { execute(args: unknown, call: unknown): Promise<unknown> };
  };
  return (args, call = CALL) => t.execute(args, call);
}

describe("a call of an SDK's tool", () => {
  it("is asked about with the arguments that the tool gets, as a copy of its own", async () => {
    const policy = policyOf(ALLOW);
    const given = { list: [1], big: 2n, "": { deep: true } };
    const execute = vi.fn((args: Record<string, unknown>, call: unknown) => {
      (args["list"] as number[]).push(2);
      args["more"] = call;
      return "done";
    });
    expect(await held(policy, execute, { history: keeping([]) })(given)).toBe("done");
    expect(policy.asked[0]).toMatchObject({ ...CONTEXT, tool: "t", args: { list: [1], big: 2n, "": { deep: true } } });
    expect(execute.mock.calls[0]).toEqual([{ list: [1, 2], big: 2n, "": { deep: true }, more: CALL }, CALL]);
    expect(given).toEqual({ list: [1], big: 2n, "": { deep: true } });
  });

  it("tells the context function what is decided on, and what the SDK knows", async () => {
    const policy = policyOf(ALLOW);
    const context = vi.fn(() => ({ ...CONTEXT, role: "S" }));
    await held(policy, vi.fn(), { history: keeping([]) }, context)({ a: 1 });
    expect(context).toHaveBeenCalledExactlyOnceWith({ a: 1 }, CALL);
    expect(policy.asked[0]).toMatchObject({ role: "S" });
  });

  it("is of the tool that the SDK's name stands for", async () => {
    const policy = policyOf(ALLOW);
    const history = keeping([]);
    await held(policy, vi.fn(), { history, tools: { t: "payout.release" } })({});
    await held(policy, vi.fn(), { history, tools: Object.create({ t: "inherited" }) })({});
    await held(policy, vi.fn(), { history, tools: { other: "o" } })({});
    expect(policy.asked.map(({ tool }) => tool)).toEqual(["payout.release", "t", "t"]);
  });

  it("is of the session that is named, or told by what the SDK knows", async () => {
    const policy = policyOf(ALLOW);
    const history = keeping([]);
    await held(policy, vi.fn(), { history, session: "s-1" })({});
    await held(policy, vi.fn(), { history, session: ({ experimental_context: { user } }) => user })({});
    await held(policy, vi.fn(), { history, session: () => undefined })({});
    await held(policy, vi.fn(), { history })({});
    expect(policy.asked.map(({ facts }) => (facts as { session?: string }).session)).toEqual([
      "s-1",
      "u",
      undefined,
      undefined,
    ]);
  });

  it.each([
    [
      "a session that cannot be told",
      {
        session: () => {
          throw new Error("no");
        },
      },
      undefined,
    ],
    ["a session of another type", { session: () => 7 as never }, undefined],
    [
      "a context that cannot be told",
      {},
      () => {
        throw new Error("no");
      },
    ],
  ])("is denied for %s, with a record", async (_, options, context) => {
    const records: CallRecord[] = [];
    const execute = vi.fn();
    const record = (made: CallRecord): number => records.push(made);
    const denied = await held(
      policyOf(ALLOW),
      execute,
      { ...options, history: keeping([]), record },
      context,
    )({}).catch((error: ToolDenied) => error);
    expect(denied).toBeInstanceOf(ToolDenied);
    expect((denied as ToolDenied).message).toBe('The policy denies "t": INTERNAL_ERROR, invalid input');
    expect(records).toEqual([(denied as ToolDenied).record]);
    expect(execute).not.toHaveBeenCalled();
  });

  it("is denied with an error that has gate, reason and record, and does not run", async () => {
    const execute = vi.fn();
    const said: string[] = [];
    const denied = await held(policyOf(DENY), execute, { history: keeping(said) })({}).catch(
      (error: ToolDenied) => error,
    );
    expect(denied).toBeInstanceOf(ToolDenied);
    expect(denied).toMatchObject({ name: "ToolDenied", message: DENIED, decision: DENY, record: { gate: "FLAGS" } });
    expect(execute).not.toHaveBeenCalled();
    expect(said).toEqual(["release"]);
  });

  it("is denied where its arguments are not data", async () => {
    const execute = vi.fn();
    const run = held(policyOf(ALLOW), execute, { history: keeping([]) });
    for (const args of [
      { at: new Date() },
      { f: () => 1 },
      {
        get a() {
          return 1;
        },
      },
    ])
      await expect(run(args)).rejects.toBeInstanceOf(ToolDenied);
    expect(execute).not.toHaveBeenCalled();
  });

  it("has succeeded when the tool has returned, and is used up when it throws", async () => {
    const said: string[] = [];
    const history = keeping(said);
    await held(policyOf(ALLOW), () => "done", { history })({});
    expect(said.splice(0)).toEqual(["commit"]);
    await held(policyOf(ALLOW), () => "done", { history, succeeded: (value) => value !== "done" })({});
    expect(said).toEqual([]);
    const error = new Error("the tool's own");
    const throws = held(
      policyOf(ALLOW),
      () => {
        throw error;
      },
      { history },
    );
    await expect(throws({})).rejects.toBe(error);
    await expect(held(policyOf(ALLOW), () => Promise.reject(error), { history })({})).rejects.toBe(error);
    expect(said).toEqual([]);
  });

  it("is committed before the SDK goes on", async () => {
    const said: string[] = [];
    const store = keeping(said);
    const slow = {
      reserve: async (asked: never) => {
        const made = await store.reserve(asked);
        return {
          ...made,
          commit: async () => {
            await new Promise((r) => setTimeout(r, 5));
            await made.commit();
          },
        };
      },
    };
    await held(policyOf(ALLOW), () => "done", { history: slow })({});
    expect(said).toEqual(["commit"]);
  });
});

it("options that guardTool does not know, and a context with members that no call has, are refused when a tool is held", () => {
  expect(() => held(policyOf(ALLOW), vi.fn(), { histroy: 1 } as never)).toThrow("did you mean `history`?");
  expect(() => held(policyOf(ALLOW), vi.fn(), {}, { rolle: "R" } as never)).toThrow("did you mean `role`?");
});
