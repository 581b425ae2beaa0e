/** OpenAI Agents, with a model that follows a script. */

import { guardTool } from "@portcullis/agents/openai";
import { imported } from "./folder.ts";
import { type Call, type Run, type Sdk, TOOLS, type Told, type ToolName } from "./newsroom.ts";
import { schemas, type Zod } from "./schemas.ts";

/** The parts of the SDK that are used here. Its own types are held in `types.test.ts`. */
interface OpenAiAgents {
  readonly Agent: new (given: object) => object;
  readonly Runner: new (given: object) => { run(agent: object, input: string, options: object): Promise<unknown> };
  tool(definition: object): object;
}
interface Item {
  readonly type?: string;
  readonly output?: { readonly text?: string } | string;
}

export const openAiAgents: Sdk = {
  ...{ name: "OpenAI Agents", package: "@openai/agents", beside: ["zod"] },
  async run({ policy, calls, context, options, host, execute }: Run): Promise<readonly Told[]> {
    const { Agent, Runner, tool } = (await imported("@openai/agents")) as OpenAiAgents;
    const { z } = (await imported("zod")) as Zod;
    const parameters = schemas(z);
    const held = guardTool(tool, policy, context, { ...options, tools: TOOLS });
    const tools = (Object.keys(TOOLS) as ToolName[]).map((name) =>
      held({
        ...{ name, description: name, parameters: parameters[name] },
        execute: async (args: Record<string, unknown>, ...call: unknown[]) => execute(name, args, call),
      }),
    );
    const heard: Item[][] = [];
    const agent = new Agent({ name: "desk", instructions: "go", tools, model: scripted(calls, heard) });
    const runner = new Runner({ tracingDisabled: true });
    await runner.run(agent, "go", { context: host, maxTurns: calls.length + 1 });
    const results = heard.at(-1)?.filter(({ type }) => type === "function_call_result") ?? [];
    return results.map(({ output }) => ({ text: typeof output === "string" ? output : (output?.text ?? "") }));
  },
};

/** A model of the SDK's interface; `heard` gets each input. */
function scripted(calls: readonly Call[], heard: unknown[]): object {
  let step = 0;
  const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return {
    async getResponse({ input }: { readonly input: unknown }) {
      heard.push(input);
      const call = calls[step++];
      const output =
        call === undefined
          ? {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "done" }],
            }
          : { type: "function_call", callId: `c-${step}`, name: call.tool, arguments: JSON.stringify(call.args) };
      return { usage, output: [{ ...output, id: `i-${step}` }] };
    },
  };
}
