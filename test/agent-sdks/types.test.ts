/** Programs of users, against the types of the real SDKs: those of the package's page, and what has to be an error. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { blocksOf, pageText, root } from "../pages/page.ts";
import { folder } from "./folder.ts";

/** By adapter: the package whose types are needed, a program, and lines that must be refused, each with a word of the finding. */
const PROGRAMS: Readonly<
  Record<string, { readonly needs: string; readonly text: string; readonly wrong: readonly string[] }>
> = {
  "ai-sdk": {
    needs: "ai",
    text: `
import { guardTools } from "@portcullis/agents/ai-sdk";
import type { CallContext, Policy } from "@portcullis/runtime";
import { generateText, type InferToolInput, type InferToolOutput, type LanguageModel, tool, type TypedToolCall } from "ai";
import { z } from "zod";
declare const policy: Policy;
declare const context: CallContext;
declare const model: LanguageModel;
const plain = { count: tool({ inputSchema: z.object({ to: z.number() }), execute: async ({ to }) => [to] }) };
const held = guardTools(policy, (args, call) => (call.toolCallId === "" || args === null ? context : context), plain, {
  session: ({ toolCallId }) => toolCallId,
});
const same: typeof plain = held;
const input: InferToolInput<typeof held.count> = { to: 1 };
const output: InferToolOutput<typeof held.count> = [1];
const wrongInput: InferToolInput<typeof held.count> = { to: "1" };
const wrongOutput: InferToolOutput<typeof held.count> = ["1"];
const result = await generateText({ model, tools: held, prompt: "go" });
const call: TypedToolCall<typeof held> | undefined = result.toolCalls[0];
if (call?.dynamic !== true && call?.toolName === "count") call.input.to.toFixed();
held.other;
guardTools(policy, { role: 1 }, plain);
guardTools(policy, context, plain, { sesion: "s" });
`,
    wrong: [
      "const wrongInput",
      "const wrongOutput",
      "held.other",
      "guardTools(policy, { role: 1 }",
      "guardTools(policy, context, plain, { sesion",
    ],
  },
  openai: {
    needs: "@openai/agents",
    text: `
import { Agent, tool } from "@openai/agents";
import { guardTool } from "@portcullis/agents/openai";
import type { CallContext, Policy } from "@portcullis/runtime";
import { z } from "zod";
declare const policy: Policy;
declare const context: CallContext;
const guarded = guardTool(tool, policy, (args, { runContext }) => (args === runContext?.context ? context : context));
const same: typeof tool = guarded;
const count = guarded({
  ...{ name: "count", description: "", parameters: z.object({ to: z.number() }) },
  execute: async ({ to }, runContext) => [to.toFixed(), runContext?.usage.totalTokens],
});
new Agent({ name: "a", tools: [count] });
guarded({ name: "count", description: "", parameters: z.object({ to: z.number() }), execute: async ({ from }) => from });
guarded({ name: "count" });
guardTool(tool, policy, { role: 1 });
guardTool(tool, policy, context, { sesion: "s" });
`,
    wrong: [
      'guarded({ name: "count", description',
      'guarded({ name: "count" })',
      "guardTool(tool, policy, { role: 1",
      "guardTool(tool, policy, context, { sesion",
    ],
  },
  claude: {
    needs: "@anthropic-ai/claude-agent-sdk",
    text: `
import { createSdkMcpServer, type HookInput, type Options, type PreToolUseHookInput, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { guardSession } from "@portcullis/agents/claude";
import type { CallContext, Policy } from "@portcullis/runtime";
import { z } from "zod";
declare const policy: Policy;
declare const context: CallContext;
declare const heard: PreToolUseHookInput;
const guard = guardSession(policy, (args, call) => (call.agent_type === args ? context : context));
guardSession(policy, (_: unknown, call: PreToolUseHookInput) => (call.effort ? context : context));
const count = tool("count", "", { to: z.number() }, async ({ to }) => ({ content: [{ type: "text", text: to.toFixed() }] }));
const held = guard.tools("news", [count]);
const same: (typeof count)[] = held;
const options: Options = { hooks: guard.hooks, mcpServers: { news: createSdkMcpServer({ name: "news", tools: held }) } };
query({ prompt: "go", options });
const input: HookInput = heard;
guard.hooks.PreToolUse[0]?.hooks[0]?.(input);
guard.tools("news", [{ name: "count" }]);
guardSession(policy, { role: 1 });
guardSession(policy, context, { sesion: "s" });
`,
    wrong: ['guard.tools("news", [{ name', "guardSession(policy, { role: 1", "guardSession(policy, context, { sesion"],
  },
  langchain: {
    needs: "langchain",
    text: `
import { guardTools } from "@portcullis/agents/langchain";
import type { CallContext, Policy } from "@portcullis/runtime";
import { createAgent, tool } from "langchain";
import { z } from "zod";
declare const policy: Policy;
declare const context: CallContext;
const count = tool(({ to }) => [to], { name: "count", description: "", schema: z.object({ to: z.number() }) });
const [held] = guardTools(policy, (args, call) => (call.configurable === args ? context : context), [count] as const);
const same: typeof count = held;
const list = guardTools(policy, context, [count]);
createAgent({ model: "openai:gpt-5", tools: list });
held.invoke({ to: 1 });
held.invoke({ to: "1" });
guardTools(policy, context, [{ type: "web_search_20250305" }]);
guardTools(policy, { role: 1 }, [count]);
guardTools(policy, context, [count], { sesion: "s" });
`,
    wrong: [
      'held.invoke({ to: "1" })',
      "guardTools(policy, context, [{ type",
      "guardTools(policy, { role: 1 }",
      "guardTools(policy, context, [count], { sesion",
    ],
  },
};

const isThere = ({ needs }: { readonly needs: string }): boolean => existsSync(join(folder, "node_modules", needs));

/** The programs of an adapter: its own, and those of the page. */
function textsOf(name: string, text: string): Readonly<Record<string, string>> {
  const blocks = blocksOf(pageText("runtime/agents/README.md")).filter(({ label }) => label === `${name}.ts`);
  const shown = blocks.map((block, i) => [`${name}-page-${i}.mts`, block.text]);
  return { [`${name}-types.mts`]: `${text}export {};\n`, ...Object.fromEntries(shown) };
}

/** What the type checker says of the programs, by their names, a line a finding. They lie in the folder of SDKs, and are modules whatever its package says. */
function findings(texts: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const place = join(folder, "programs");
  mkdirSync(place, { recursive: true });
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(place, name), text);
  const read = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  const program = ts.createProgram(
    Object.keys(texts).map((name) => join(place, name)),
    {
      ...{ ...options, noUnusedLocals: false, lib: ["lib.es2023.d.ts", "lib.dom.d.ts"] },
      typeRoots: [join(root, "node_modules/@types")],
    },
  );
  const of = ([name, text]: [string, string]): [string, string[]] => {
    const source = program.getSourceFile(join(place, name));
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return [
      name,
      found.map((finding) => `${lineOf(finding, text)}: ${ts.flattenDiagnosticMessageText(finding.messageText, "\n")}`),
    ];
  };
  return new Map(Object.entries(texts).map(of));
}

function lineOf({ file, start }: ts.Diagnostic, text: string): string {
  return text.split("\n")[file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0]?.trim() ?? "";
}

let found: ReadonlyMap<string, readonly string[]> = new Map();
beforeAll(() => {
  const there = Object.entries(PROGRAMS).filter(([, program]) => isThere(program));
  if (there.length > 0) found = findings(Object.assign({}, ...there.map(([name, { text }]) => textsOf(name, text))));
});

for (const [name, program] of Object.entries(PROGRAMS)) {
  const { needs, text, wrong } = program;
  if (!isThere(program)) process.stderr.write(`SKIPPED: ${needs} is not installed; \`make agents\` installs it\n`);
  describe.runIf(isThere(program))(`@portcullis/agents/${name}`, () => {
    it("keeps the SDK's types, and refuses what is wrong", () => {
      const lines = found.get(`${name}-types.mts`) ?? [];
      expect(lines.map((line) => wrong.find((start) => line.startsWith(start)) ?? line)).toEqual(wrong);
    });

    it("has a page whose program holds", () => {
      expect(Object.keys(textsOf(name, text))).toEqual([`${name}-types.mts`, `${name}-page-0.mts`]);
      expect(found.get(`${name}-page-0.mts`)).toEqual([]);
    });
  });
}
