/** The AI SDK, with a model that follows a script. */

import { guardTools } from "@portcullis/agents/ai-sdk";
import { imported } from "./folder.ts";
import { type Call, type Run, type Sdk, TOOLS, type Told, type ToolName } from "./newsroom.ts";
import { schemas, type Zod } from "./schemas.ts";

/** The parts of the SDK that are used here. Its own types are held in `types.test.ts`. */
interface AiSdk {
  tool(given: object): object;
  stepCountIs(count: number): unknown;
  generateText(given: object): Promise<unknown>;
}
/** A message as models get it. */
interface Message {
  readonly role: string;
  readonly content: readonly { readonly output: { readonly type: string; readonly value: unknown } }[];
}

/** Major versions of the SDK differ in where a program's own context goes. */
export function aiSdk(major: number, contextName: string, alias: string): Sdk {
  return {
    ...{ name: `AI SDK ${major}`, package: "ai", major, alias, beside: ["zod"] },
    async run({ policy, calls, context, options, host, execute }: Run): Promise<readonly Told[]> {
      const sdk = (await imported(alias)) as AiSdk;
      const { z } = (await imported("zod")) as Zod;
      const parameters = schemas(z);
      const names = Object.keys(TOOLS) as ToolName[];
      const tools = Object.fromEntries(
        names.map((tool) => [
          tool,
          sdk.tool({
            description: tool,
            inputSchema: parameters[tool],
            ...(contextName === "toolsContext" && {
              contextSchema: z.object({ user: z.string(), session: z.string() }).partial(),
            }),
            execute: async (args: Record<string, unknown>, call: unknown) => execute(tool, args, call),
          }),
        ]),
      );
      const held = guardTools(policy, context, tools, { ...options, tools: TOOLS });
      const own = contextName === "toolsContext" ? Object.fromEntries(names.map((tool) => [tool, host])) : host;
      const heard: Message[][] = [];
      await sdk.generateText({
        ...{ model: scripted(calls, heard), tools: held, prompt: "go", stopWhen: sdk.stepCountIs(calls.length + 1) },
        [contextName]: own,
      });
      const results = heard.at(-1)?.filter(({ role }) => role === "tool") ?? [];
      return results
        .flatMap(({ content }) => content)
        .map(({ output: { type, value } }) => ({
          text: typeof value === "string" ? value : JSON.stringify(value),
          isError: type.startsWith("error"),
        }));
    },
  };
}

/** A language model of the SDK's interface, version 3; `heard` gets each prompt. */
export function scripted(calls: readonly Call[], heard: unknown[]): object {
  let step = 0;
  return {
    ...{ specificationVersion: "v3", provider: "scripted", modelId: "scripted", supportedUrls: {} },
    async doGenerate({ prompt }: { readonly prompt: unknown }) {
      heard.push(prompt);
      const call = calls[step++];
      const content =
        call === undefined
          ? [{ type: "text", text: "done" }]
          : [{ type: "tool-call", toolCallId: `c-${step}`, toolName: call.tool, input: JSON.stringify(call.args) }];
      const none = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
      const unified = call === undefined ? "stop" : "tool-calls";
      return {
        content,
        finishReason: { unified, raw: unified },
        usage: { inputTokens: none, outputTokens: none },
        warnings: [],
      };
    },
  };
}
