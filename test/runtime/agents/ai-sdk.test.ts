/** The adapter for the AI SDK, with tools of its form; `test/agent-sdks` runs it with the SDK. */

import { ToolDenied } from "@portcullis/agents";
import { guardTools } from "@portcullis/agents/ai-sdk";
import { describe, expect, it, vi } from "vitest";
import { ALLOW, DENY, keeping, policyOf } from "./kept.ts";

const CONTEXT = { role: "R", lane: "L" };
const CALL = { toolCallId: "c-1", messages: [] };
const REPLACED = "the SDK puts another function in place of its `execute`";
type Held = Record<"t", { execute(args: unknown, call: unknown): unknown; readonly [member: string]: unknown }>;

function hold(execute: unknown, said: string[] = [], answer = ALLOW, more = {}): Held["t"] {
  const tools = { t: { execute, ...more } };
  return (guardTools(policyOf(answer), CONTEXT, tools, { history: keeping(said) }) as never as Held).t;
}

async function* counting(args: { readonly to: number }): AsyncGenerator<number> {
  for (let i = 1; i <= args.to; i++) yield i;
}

async function partsOf(value: unknown): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const part of value as AsyncIterable<unknown>) found.push(part);
  return found;
}

describe("tools of the AI SDK", () => {
  it("keep all that they have, and the given ones stay as they are", () => {
    const execute = vi.fn();
    const given = { t: { description: "d", inputSchema: {}, execute } };
    const held = guardTools(policyOf(ALLOW), CONTEXT, given);
    expect(held.t).toMatchObject({ description: "d", inputSchema: given.t.inputSchema });
    expect(held.t.execute).not.toBe(execute);
    expect(given.t.execute).toBe(execute);
  });

  it("keep what their class gives them: a person may have to approve", async () => {
    class Tool {
      word = "own";
      get needsApproval(): boolean {
        return this.word === "own";
      }
      execute(): string {
        return this.word;
      }
    }
    const { t } = guardTools(policyOf(DENY), CONTEXT, { t: new Tool() });
    expect(t.needsApproval).toBe(true);
    await expect((t as never as Held["t"]).execute({}, CALL)).rejects.toThrow(ToolDenied);
  });

  it("are found by their own names alone", () => {
    const held = guardTools(policyOf(ALLOW), CONTEXT, { t: { execute: vi.fn() } }) as Record<string, unknown>;
    expect(Object.keys(held)).toEqual(["t"]);
    expect(held["constructor"]).toBeUndefined();
  });

  it("run as members of their object", async () => {
    const tool = hold(
      function (this: { readonly word: string }) {
        return this.word;
      },
      [],
      ALLOW,
      { word: "own" },
    );
    expect(await tool.execute({}, CALL)).toBe("own");
  });

  it.each([
    ["without `execute`", { inputSchema: {} }, "it has no `execute`"],
    ["of a provider", { type: "provider", id: "openai.web_search", args: {} }, "it has no `execute`"],
    ["run by a provider", { execute: vi.fn(), isProviderExecuted: true }, "its provider runs it"],
    ["that search tools", { execute: vi.fn(), [Symbol.for("vercel.ai.toolSearch")]: true }, REPLACED],
    [
      "that call tools",
      Object.defineProperty({ execute: vi.fn() }, "experimental_toolCaller", { value: {} }),
      REPLACED,
    ],
  ])("%s are refused", (_, tool, why) => {
    expect(() => guardTools(policyOf(ALLOW), CONTEXT, { search: tool })).toThrow(
      new TypeError(`the tool \`search\` does not run here, so that no policy can hold it: ${why}`),
    );
  });
});

describe("what a tool of the AI SDK tells the model in place of its result", () => {
  const answers = async (toModelOutput: unknown): Promise<readonly string[]> => {
    const said: string[] = [];
    const tool = hold(({ to }: { readonly to: number }) => to, said, ALLOW, { toModelOutput });
    expect(await tool.execute({ to: 3 }, CALL)).toBe(3);
    const streaming = hold(counting, said, ALLOW, { toModelOutput });
    expect(await partsOf(streaming.execute({ to: 3 }, CALL))).toEqual([1, 2, 3]);
    return said;
  };

  it.each(["error-text", "error-json", "execution-denied"])("is a failure as %s", async (type) => {
    expect(await answers(() => ({ type, value: "none" }))).toEqual([]);
    expect(await answers(async () => ({ type, value: "none" }))).toEqual([]);
  });

  it("is a failure where the result of a tool of MCP says so, whatever the model is told", async () => {
    const said: string[] = [];
    for (const more of [{}, { toModelOutput: () => ({ type: "content", value: [] }) }])
      for (const isError of [true, false, undefined]) {
        const tool = hold(() => ({ content: [], isError }), said, ALLOW, more);
        await tool.execute({}, CALL);
        const streaming = async function* (): AsyncGenerator<object> {
          yield { content: [] };
          yield { content: [], isError };
        };
        await partsOf(hold(streaming, said, ALLOW, more).execute({}, CALL));
        expect(said.splice(0)).toEqual(isError === true ? [] : ["commit", "commit"]);
      }
  });

  it("is a failure where it cannot be told", async () => {
    const broken = (): never => {
      throw new Error("no text");
    };
    expect(await answers(broken)).toEqual([]);
  });

  it("is a success in every other form, and is asked as the SDK asks", async () => {
    const seen = vi.fn(() => ({ type: "text", value: "3" }));
    expect(await answers(seen)).toEqual(["commit", "commit"]);
    expect(seen.mock.calls).toEqual(Array(2).fill([{ toolCallId: "c-1", input: { to: 3 }, output: 3 }]));
  });
});

describe("tools of the AI SDK that stream", () => {
  it("pass their parts on as they come, and have succeeded with the last", async () => {
    const said: string[] = [];
    const parts = hold(counting, said).execute({ to: 3 }, CALL) as AsyncGenerator<number>;
    expect(await parts.next()).toEqual({ value: 1, done: false });
    expect(said).toEqual([]);
    expect(await partsOf(parts)).toEqual([2, 3]);
    expect(said).toEqual(["commit"]);
  });

  it("are judged by their last part", async () => {
    const seen = vi.fn(() => true);
    const tools = { t: { execute: counting } };
    const { t } = guardTools(policyOf(ALLOW), CONTEXT, tools, {
      history: keeping([]),
      succeeded: seen,
    }) as never as Held;
    await partsOf(t.execute({ to: 2 }, CALL));
    expect(seen).toHaveBeenCalledExactlyOnceWith(2);
  });

  it("are used up, and closed, when their reader leaves or they throw", async () => {
    const said: string[] = [];
    const closed = vi.fn();
    const tool = hold(async function* ({ fails }: { readonly fails: boolean }) {
      try {
        yield 1;
        if (fails) throw new Error("the tool's own");
        yield 2;
      } finally {
        closed();
      }
    }, said);
    for await (const _ of tool.execute({ fails: false }, CALL) as AsyncIterable<number>) break;
    expect(closed).toHaveBeenCalledTimes(1);
    await expect(partsOf(tool.execute({ fails: true }, CALL))).rejects.toThrow("the tool's own");
    expect(closed).toHaveBeenCalledTimes(2);
    expect(said).toEqual([]);
  });

  it("throw a denial, and do not start", async () => {
    const body = vi.fn();
    const tool = hold(
      async function* () {
        body();
        yield 1;
      },
      [],
      DENY,
    );
    await expect(partsOf(tool.execute({}, CALL))).rejects.toBeInstanceOf(ToolDenied);
    expect(body).not.toHaveBeenCalled();
  });

  it("give their last part where their function does not say that it streams", async () => {
    const said: string[] = [];
    const tool = hold((args: { readonly to: number }) => counting(args), said);
    expect(await tool.execute({ to: 3 }, CALL)).toBe(3);
    expect(said).toEqual(["commit"]);
    expect(await hold(() => null).execute({}, CALL)).toBeNull();
    // A promise of parts is a value to the SDK.
    const promising = hold(async (args: { readonly to: number }) => counting(args), said);
    const promised = await promising.execute({ to: 2 }, CALL);
    expect(said).toEqual(["commit", "commit"]);
    expect(await partsOf(promised)).toEqual([1, 2]);
  });
});
