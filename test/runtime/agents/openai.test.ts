/** The adapter for OpenAI Agents, with a `tool` of its form; `test/agent-sdks` runs it with the SDK. */

import { ToolDenied } from "@portcullis/agents";
import { guardTool } from "@portcullis/agents/openai";
import { describe, expect, it, vi } from "vitest";
import { ALLOW, DENIED, DENY, keeping, policyOf } from "./kept.ts";

const CONTEXT = { role: "R", lane: "L" };
const RUN = { context: { user: "u" } };
const DETAILS = { toolCall: { callId: "c-1" } };

type Definition = Readonly<Record<string, unknown>>;
type Made = Definition & { execute(args: unknown, run: unknown, details: unknown): Promise<unknown> };

/** As the SDK's `tool`, without its parser. */
const tool = (definition: Definition): Made => definition as Made;

function made(definition: Definition, said: string[] = [], answer = ALLOW): Made {
  return guardTool(tool, policyOf(answer), CONTEXT, { history: keeping(said) })(definition);
}

describe("tools that the SDK's `tool` makes", () => {
  it("keep what they have, and get what the SDK knows of the call", async () => {
    const said: string[] = [];
    const execute = vi.fn(() => "done");
    const parameters = {};
    const held = made({ name: "t", description: "d", parameters, execute }, said);
    expect(held).toMatchObject({ name: "t", description: "d" });
    expect(held["parameters"]).toBe(parameters);
    expect(await held.execute({ a: 1 }, RUN, DETAILS)).toBe("done");
    expect(execute).toHaveBeenCalledExactlyOnceWith({ a: 1 }, RUN, DETAILS);
    expect(said).toEqual(["commit"]);
  });

  it("keep what their class gives them: a person may have to approve", async () => {
    class Kind {
      name = "t";
      get needsApproval(): boolean {
        return this.name === "t";
      }
      execute(): string {
        return this.name;
      }
    }
    const held = made(new Kind() as never);
    expect(held["needsApproval"]).toBe(true);
    expect(await held.execute({}, RUN, DETAILS)).toBe("t");
  });

  it("tell context and session what the SDK knows of the call", async () => {
    const context = vi.fn(() => CONTEXT);
    const session = vi.fn(() => "s");
    const held = guardTool(tool, policyOf(ALLOW), context, { session, history: keeping([]) });
    await held({ name: "t", execute: vi.fn() }).execute({ a: 1 }, RUN, DETAILS);
    expect(context).toHaveBeenCalledExactlyOnceWith({ a: 1 }, { runContext: RUN, details: DETAILS });
    expect(session).toHaveBeenCalledExactlyOnceWith({ runContext: RUN, details: DETAILS });
  });

  it("have the name of their function where they have none, and run as members of their definition", async () => {
    const policy = policyOf(ALLOW);
    const definition = {
      word: "own",
      async execute(this: { readonly word: string }) {
        return this.word;
      },
    };
    const held = guardTool(tool, policy, CONTEXT, { history: keeping([]) })(definition);
    expect(held["name"]).toBe("execute");
    expect(await held.execute({}, RUN, DETAILS)).toBe("own");
    expect(policy.asked[0]).toMatchObject({ tool: "execute" });
  });

  it("give back the text of a denial, and do not run", async () => {
    const said: string[] = [];
    const execute = vi.fn();
    expect(await made({ name: "t", execute }, said, DENY).execute({}, RUN, DETAILS)).toBe(DENIED);
    expect(execute).not.toHaveBeenCalled();
    expect(said).toEqual(["release"]);
  });

  it("throw a denial where a text would not be their output", async () => {
    const execute = vi.fn();
    const held = made({ name: "t", execute, outputSchema: {} }, [], DENY);
    await expect(held.execute({}, RUN, DETAILS)).rejects.toBeInstanceOf(ToolDenied);
    expect(execute).not.toHaveBeenCalled();
  });

  it("have not succeeded where the SDK refuses what they give", async () => {
    const said: string[] = [];
    const safeParse = (value: unknown) => {
      if (value === "unreadable") throw new Error("the schema's own");
      return { success: value === "fits" };
    };
    for (const value of ["fits", "does not", "unreadable"])
      expect(
        await made({ name: "t", execute: () => value, outputSchema: { safeParse } }, said).execute({}, RUN, {}),
      ).toBe(value);
    expect(said).toEqual(["commit"]);
  });

  it("throw what their function throws", async () => {
    const said: string[] = [];
    const error = new Error("the tool's own");
    await expect(
      made({ name: "t", execute: () => Promise.reject(error) }, said).execute({}, RUN, DETAILS),
    ).rejects.toBe(error);
    expect(said).toEqual([]);
  });

  it.each([
    ["a tool that is made", { type: "function", name: "t", invoke: vi.fn() }, "the tool `t` is made already"],
    ["a hosted tool", { type: "hosted_tool", name: "web_search" }, "the tool `web_search` is made already"],
    ["something that can be invoked", { invoke: vi.fn(), execute: vi.fn() }, "a tool is made already"],
    ["a tool without a function", { name: "t" }, "the tool `t` has no `execute`, so that no policy can hold it"],
  ])("are not made of %s", (_, definition, message) => {
    expect(() => made(definition)).toThrow(TypeError);
    expect(() => made(definition)).toThrow(message);
  });
});
