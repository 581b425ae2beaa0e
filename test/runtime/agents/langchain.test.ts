/** The adapter for LangChain, with classes of its form; `test/agent-sdks` runs it with the package. */

import { ToolDenied } from "@portcullis/agents";
import { guardTools } from "@portcullis/agents/langchain";
import { describe, expect, it, vi } from "vitest";
import { ALLOW, DENIED, DENY, keeping, policyOf } from "./kept.ts";

const CONTEXT = { role: "R", lane: "L" };
const CONFIG = { configurable: { thread_id: "s" }, toolCall: { id: "c-1" } };

type Run = (args: never, manager: unknown, config: unknown) => unknown;

/** As LangChain's: `invoke` calls `call`, which parses, calls `_call` and makes a message where a model has called. */
class Structured {
  readonly name: string = "t";
  responseFormat = "content";
  readonly func: Run;
  constructor(func: Run) {
    this.func = func;
  }
  get lc_namespace(): readonly string[] {
    return ["langchain", "tools"];
  }
  async invoke(input: unknown, config: unknown): Promise<unknown> {
    return this.call(input, config);
  }
  async call(input: unknown, config: unknown): Promise<unknown> {
    if (typeof input !== "object") throw new SyntaxError("input");
    const made = await this._call({ pages: 3, ...input } as never, "manager", config);
    if (typeof made === "object" && made !== null && Symbol.asyncIterator in made) return made;
    const [content, artifact] = this.responseFormat === "content" ? [made] : (made as unknown[]);
    return (config as typeof CONFIG).toolCall ? { status: "success", content, artifact } : content;
  }
  _call(args: never, manager: unknown, config: unknown): unknown {
    return this.func(args, manager, config);
  }
}

function hold<Tool extends Structured>(tool: Tool, said: string[] = [], answer = ALLOW): Tool {
  const [held] = guardTools(policyOf(answer), CONTEXT, [tool] as const, { history: keeping(said) });
  return held as Tool;
}

describe("tools of LangChain", () => {
  it("run with parsed arguments, and with what LangChain knows of the call", async () => {
    const said: string[] = [];
    const func = vi.fn(() => "done");
    const tool = new Structured(func);
    const held = hold(tool, said);
    expect(await held.invoke({ a: 1 }, CONFIG)).toEqual({ status: "success", content: "done" });
    expect(func).toHaveBeenCalledExactlyOnceWith({ pages: 3, a: 1 }, "manager", CONFIG);
    expect(said).toEqual(["commit"]);
    expect(held).toBeInstanceOf(Structured);
    expect(held.name).toBe("t");
    expect(held).not.toBe(tool);
  });

  it("ask about parsed arguments, and tell context and session the config", async () => {
    const policy = policyOf(ALLOW);
    const context = vi.fn(() => CONTEXT);
    const session = vi.fn(() => "s");
    const [held] = guardTools(policy, context, [new Structured(vi.fn())], { session, history: keeping([]) });
    await held?.invoke({ a: 1 }, CONFIG);
    expect(policy.asked[0]).toMatchObject({ tool: "t", args: { pages: 3, a: 1 } });
    expect(context).toHaveBeenCalledExactlyOnceWith({ pages: 3, a: 1 }, CONFIG);
    expect(session).toHaveBeenCalledExactlyOnceWith(CONFIG);
  });

  it("answer a model with an error for a denial, and do not run", async () => {
    const said: string[] = [];
    const func = vi.fn();
    expect(await hold(new Structured(func), said, DENY).invoke({}, CONFIG)).toEqual({
      status: "error",
      content: DENIED,
    });
    expect(func).not.toHaveBeenCalled();
    expect(said).toEqual(["release"]);
    const pairs = new Structured(func);
    pairs.responseFormat = "content_and_artifact";
    expect(await hold(pairs, [], DENY).invoke({}, CONFIG)).toEqual({ status: "error", content: DENIED });
  });

  it("throw a denial where a program has called", async () => {
    const func = vi.fn();
    await expect(hold(new Structured(func), [], DENY).invoke({}, {})).rejects.toBeInstanceOf(ToolDenied);
    expect(func).not.toHaveBeenCalled();
  });

  it("throw what they throw, and have not succeeded then", async () => {
    const said: string[] = [];
    const error = new Error("the tool's own");
    await expect(hold(new Structured(() => Promise.reject(error)), said).invoke({}, CONFIG)).rejects.toBe(error);
    await expect(hold(new Structured(vi.fn()), said).invoke("text", CONFIG)).rejects.toThrow(SyntaxError);
    expect(said).toEqual([]);
  });

  it("have not succeeded where they answer with a message that says so", async () => {
    const said: string[] = [];
    const failed = { lc_direct_tool_output: true, status: "error", content: "no" };
    await hold(new Structured(() => failed), said).invoke({}, CONFIG);
    const pairs = new Structured(() => [failed, "artifact"]);
    pairs.responseFormat = "content_and_artifact";
    await hold(pairs, said).invoke({}, CONFIG);
    expect(said).toEqual([]);
    // A value of the tool's own is told as a success.
    for (const value of [{ status: "error" }, { ...failed, status: "success" }])
      await hold(new Structured(() => value), said).invoke({}, CONFIG);
    expect(said).toEqual(["commit", "commit"]);
  });

  it("have not succeeded where the last of their parts, or a command of theirs, has such a message", async () => {
    const said: string[] = [];
    const message = (status: string): object => ({ lc_direct_tool_output: true, status, content: "no" });
    const commands = (status: string): unknown[] => [
      { lc_direct_tool_output: true, update: { messages: [message("success"), message(status)] } },
      { lc_direct_tool_output: true, update: { messages: message(status) } },
      { lc_direct_tool_output: true, update: [["messages", [message(status)]]] },
    ];
    const give = async (value: unknown): Promise<void> => {
      await hold(new Structured(() => value), said).invoke({}, CONFIG);
      const parts = hold(
        new Structured(async function* () {
          yield "part";
          return value;
        }),
        said,
      );
      for await (const _ of (await parts.invoke({}, CONFIG)) as AsyncIterable<unknown>);
    };
    for (const value of [message("error"), ...commands("error")]) await give(value);
    expect(said).toEqual([]);
    const well = [...commands("success"), { lc_direct_tool_output: true }, { lc_direct_tool_output: true, update: {} }];
    for (const value of well) await give(value);
    expect(said).toEqual(well.flatMap(() => ["commit", "commit"]));
  });

  it("have not succeeded where they give no pair, and LangChain throws for that", async () => {
    const said: string[] = [];
    for (const value of ["content", ["content"], ["content", "artifact", "more"], undefined]) {
      const pairs = new Structured(() => value);
      pairs.responseFormat = "content_and_artifact";
      await hold(pairs, said)
        .invoke({}, CONFIG)
        .catch(() => undefined);
    }
    expect(said).toEqual([]);
  });

  it("pass their parts on, and have succeeded at the end", async () => {
    const said: string[] = [];
    const held = hold(
      new Structured(async function* () {
        yield 1;
        return "end";
      }),
      said,
    );
    const parts = (await held.invoke({}, CONFIG)) as AsyncGenerator<number, string>;
    expect(await parts.next()).toEqual({ value: 1, done: false });
    expect(said).toEqual([]);
    expect(await parts.next()).toEqual({ value: "end", done: true });
    expect(said).toEqual(["commit"]);
  });

  it.each([[null], [7], ["text"], [{ next: () => 1 }], [{ async *[Symbol.asyncIterator]() {} }]])(
    "have succeeded with a value that is not a generator: %j",
    async (value) => {
      const said: string[] = [];
      await hold(new Structured(() => value), said).invoke({}, CONFIG);
      expect(said).toEqual(["commit"]);
    },
  );

  it.each([[null], [7], [{ content: DENIED }]])("throw a denial where LangChain makes %j of it", async (made) => {
    class Making extends Structured {
      override async call(input: unknown, config: unknown): Promise<unknown> {
        await super.call(input, config);
        return made;
      }
    }
    await expect(hold(new Making(vi.fn()), [], DENY).invoke({}, CONFIG)).rejects.toBeInstanceOf(ToolDenied);
  });

  it("cannot be run behind the policy", async () => {
    const func = vi.fn();
    const held = hold(new Structured(func));
    expect(() => held.func({} as never, "manager", CONFIG)).toThrow("`t` is held by a policy: use `invoke`");
    expect(() => held._call({} as never, "manager", CONFIG)).toThrow("use `invoke`");
    expect(func).not.toHaveBeenCalled();
    class Own extends Structured {
      override _call(): string {
        return "own";
      }
    }
    expect(await hold(new Own(func)).invoke({}, CONFIG)).toMatchObject({ content: "own" });
  });

  it("that pass by their `_call` say so at their first call", async () => {
    class Passing extends Structured {
      override async call(): Promise<string> {
        return "ran";
      }
    }
    await expect(hold(new Passing(vi.fn())).invoke({}, CONFIG)).rejects.toThrow("passes by its `_call`");
  });

  it.each([
    [
      "what a provider runs",
      { type: "web_search_20250305", name: "search" },
      "the tool `search` is not a StructuredTool",
    ],
    ["a Runnable", { name: "r", invoke: vi.fn(), call: vi.fn() }, "the tool `r` is not a StructuredTool"],
    [
      "a class without a parser",
      { name: "r", invoke: vi.fn(), _call: vi.fn() },
      "the tool `r` is not a StructuredTool",
    ],
    ["a nameless one", { invoke: vi.fn(), call: vi.fn(), _call: vi.fn() }, "a tool is not a StructuredTool"],
    ["nothing", null, "a tool is not a StructuredTool"],
  ])("are not %s", (_, tool, message) => {
    expect(() => guardTools(policyOf(ALLOW), CONTEXT, [tool as never])).toThrow(TypeError);
    expect(() => guardTools(policyOf(ALLOW), CONTEXT, [tool as never])).toThrow(message);
  });

  it("are refused with an `invoke` of their own, and held a second time", () => {
    class Invoking extends Structured {
      override async invoke(): Promise<string> {
        return "ran";
      }
    }
    expect(() => hold(new Invoking(vi.fn()))).toThrow("the tool `t` has an `invoke` of its own");
    // It has all the methods of a tool, and extends none.
    const alike = Object.create({ invoke: vi.fn(), call: vi.fn(), _call: vi.fn() });
    Object.assign(alike, { name: "t", lc_namespace: ["langchain", "tools"] });
    expect(() => guardTools(policyOf(ALLOW), CONTEXT, [alike])).toThrow("the tool `t` has an `invoke` of its own");
    expect(() => hold(hold(new Structured(vi.fn())))).toThrow("the tool `t` is held already");
  });
});
