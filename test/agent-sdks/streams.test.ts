/** Tools that stream, and calls that are aborted, with the real SDKs: history learns of the end alone. */

import { guardTools as guardAiTools } from "@portcullis/agents/ai-sdk";
import { guardTools as guardLangChainTools, type LangChainTool } from "@portcullis/agents/langchain";
import { memoryHistory, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { scripted } from "./ai-sdk.ts";
import { imported, versionOf } from "./folder.ts";
import { policy as newsroom, READER_DESK, type Sdk, TOOLS } from "./newsroom.ts";
import type { Zod } from "./schemas.ts";
import { SDKS } from "./sdks.ts";

const CALLS = [
  { tool: "mailbox_read", args: { ticket: "t-1" } },
  { tool: "mailbox_reply", args: { ticket: "t-1", recipients: 1 } },
] as const;

interface AiSdk {
  tool(given: object): object;
  stepCountIs(count: number): unknown;
  generateText(given: object): Promise<unknown>;
  readonly executeTool?: unknown;
}
type Generator = (args: object, call: object) => AsyncIterable<unknown>;

let policy: Policy;
beforeAll(async () => {
  policy = await newsroom();
});

const named = (name: string): Sdk => SDKS.find((sdk) => sdk.name === name) as Sdk;
const isThere = (name: string): boolean => versionOf(named(name)) !== undefined;
for (const { name } of SDKS.filter((sdk) => !isThere(sdk.name)))
  process.stderr.write(`SKIPPED: ${name} is not installed; \`make agents\` installs it\n`);

describe.each(["AI SDK 6", "AI SDK 7"].filter(isThere))("%s", (name) => {
  /** The agent reads a letter and answers it: it may, when reading has come to its end. Gives the last that the model was told. */
  async function answered(
    read: Generator | ((args: object, call: { abortSignal: AbortSignal }) => unknown),
    more: object = {},
  ): Promise<string> {
    const { alias, package: specifier } = named(name);
    const sdk = (await imported(alias ?? specifier)) as AiSdk;
    const { z } = (await imported("zod")) as Zod;
    const tools = {
      mailbox_read: sdk.tool({ inputSchema: z.object({ ticket: z.string() }), execute: read }),
      mailbox_reply: sdk.tool({ inputSchema: z.object({ recipients: z.number() }), execute: async () => "answered" }),
    };
    const held = guardAiTools(policy, READER_DESK, tools, { history: memoryHistory(), tools: TOOLS });
    const heard: unknown[] = [];
    const model = scripted(CALLS, heard);
    await sdk.generateText({ model, tools: held, prompt: "go", stopWhen: sdk.stepCountIs(3), ...more });
    return JSON.stringify(heard.at(-1));
  }

  it("streams, and has succeeded at the end", async () => {
    const told = await answered(async function* () {
      yield "Dear";
      yield "Dear editor";
    });
    expect(told).toContain("Dear editor");
    expect(told).toContain("answered");
  });

  it("has not succeeded where a stream throws", async () => {
    const told = await answered(async function* () {
      yield "Dear";
      throw new Error("the mailbox is locked");
    });
    expect(told).toContain("locked");
    expect(told).toContain("limit_order");
  });

  it("hands an abort to the tool", async () => {
    const controller = new AbortController();
    const aborted = answered(
      (_: object, { abortSignal }: { readonly abortSignal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          abortSignal.addEventListener("abort", () => reject(abortSignal.reason));
          controller.abort(new Error("the reader left"));
        }),
      { abortSignal: controller.signal },
    );
    await expect(aborted.catch((error: Error) => Promise.reject(new Error(String(error))))).rejects.toThrow(
      /reader left|abort/i,
    );
  });
});

describe.runIf(isThere("LangChain"))("LangChain", () => {
  it("streams, and has succeeded at the end", async () => {
    const { tool } = (await imported("langchain")) as {
      tool(
        run: (args: object) => unknown,
        fields: object,
      ): LangChainTool & { invoke(given: object, config?: object): Promise<unknown> };
    };
    const { z } = (await imported("zod")) as Zod;
    const made = (name: string, run: (args: object) => unknown, shape: Parameters<Zod["z"]["object"]>[0]) =>
      tool(run, { name, description: name, schema: z.object(shape) });
    const letter = async function* (): AsyncGenerator<string, string> {
      yield "Dear";
      return "Dear editor";
    };
    const read = made("mailbox_read", letter, { ticket: z.string() });
    const reply = made("mailbox_reply", () => "answered", { recipients: z.number() });
    const [reading, replying] = guardLangChainTools(policy, READER_DESK, [read, reply] as const, {
      ...{ history: memoryHistory(), tools: TOOLS },
    });
    const call = { type: "tool_call", id: "c-1", name: "mailbox_reply", args: { recipients: 1 } };
    expect(await replying.invoke(call)).toMatchObject({
      status: "error",
      content: expect.stringContaining("limit_order"),
    });
    expect(await reading.invoke({ ticket: "t-1" })).toBe("Dear editor");
    expect(await replying.invoke(call)).toMatchObject({ status: "success", content: "answered" });
    await expect(replying.invoke({ recipients: 100 })).rejects.toThrow("limit_sum");
  });
});
