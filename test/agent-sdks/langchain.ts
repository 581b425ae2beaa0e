/** LangChain, with a model that follows a script. */

import { guardTools } from "@portcullis/agents/langchain";
import { imported } from "./folder.ts";
import { type Call, type Run, type Sdk, TOOLS, type Told, type ToolName } from "./newsroom.ts";
import { schemas, type Zod } from "./schemas.ts";

/** The parts of the packages that are used here. Their own types are held in `types.test.ts`. */
interface LangChain {
  tool(run: (args: Record<string, unknown>, config: unknown) => unknown, fields: object): LangChainTool;
  createAgent(given: object): {
    invoke(state: object, config: object): Promise<{ readonly messages: readonly Message[] }>;
  };
}
interface LangChainTool {
  readonly name: string;
  invoke(given: unknown, config?: unknown): Promise<unknown>;
}
interface Models {
  readonly FakeListChatModel: new (
    given: object,
  ) => { _generate(messages: readonly Message[]): Promise<object>; bindTools(): object };
}
interface Messages {
  readonly AIMessage: new (given: object) => object;
}
interface Message {
  readonly type: string;
  readonly content: unknown;
  readonly status?: string;
}

export const langChain: Sdk = {
  ...{ name: "LangChain", package: "langchain", beside: ["@langchain/core", "zod"] },
  async run({ policy, calls, context, options, host, execute }: Run): Promise<readonly Told[]> {
    const { tool, createAgent } = (await imported("langchain")) as LangChain;
    const { z } = (await imported("zod")) as Zod;
    const parameters = schemas(z);
    const tools = (Object.keys(TOOLS) as ToolName[]).map((name) =>
      tool(async (args, config) => execute(name, args, config), { name, description: name, schema: parameters[name] }),
    );
    const held = guardTools(policy, context, tools, { ...options, tools: TOOLS });
    const heard: (readonly Message[])[] = [];
    const agent = createAgent({ model: await scripted(calls, heard), tools: held });
    await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { configurable: host });
    const results = heard.at(-1)?.filter(({ type }) => type === "tool") ?? [];
    return results.map(({ content, status }) => ({ text: String(content), isError: status === "error" }));
  },
};

/** A chat model; `heard` gets each list of messages. */
async function scripted(calls: readonly Call[], heard: (readonly Message[])[]): Promise<object> {
  const { FakeListChatModel } = (await imported("@langchain/core/utils/testing")) as Models;
  const { AIMessage } = (await imported("@langchain/core/messages")) as Messages;
  let step = 0;
  class Scripted extends FakeListChatModel {
    override async _generate(messages: readonly Message[]): Promise<object> {
      heard.push([...messages]);
      const call = calls[step++];
      const tool_calls =
        call === undefined ? [] : [{ name: call.tool, args: call.args, id: `c-${step}`, type: "tool_call" }];
      return { generations: [{ text: "", message: new AIMessage({ content: "done", tool_calls }) }] };
    }
    override bindTools(): object {
      return this;
    }
  }
  return new Scripted({ responses: ["done"] });
}
