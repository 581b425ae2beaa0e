/** Programs of users, against the types of the real SDKs: those of the package's page, and what has to be an error. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { blocksOf, pageText, root } from "../pages/page.ts";
import { folder } from "./folder.ts";

/** What the type checker says of a program in the folder of SDKs, a line a finding. */
function findings(name: string, text: string): string[] {
  const file = join(folder, "programs", name);
  mkdirSync(join(folder, "programs"), { recursive: true });
  writeFileSync(file, text);
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const program = ts.createProgram([file], {
    ...config.options,
    ...{ noUnusedLocals: false, lib: ["lib.es2023.d.ts", "lib.dom.d.ts"] },
    typeRoots: [join(root, "node_modules/@types")],
  });
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ start, messageText }) => {
      const line = source?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
      return `${text.split("\n")[line]?.trim()}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    },
  );
}

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

for (const [name, { needs, text, wrong }] of Object.entries(PROGRAMS)) {
  const isThere = existsSync(join(folder, "node_modules", needs));
  if (!isThere) process.stderr.write(`SKIPPED: ${needs} is not installed; \`make agents\` installs it\n`);
  describe.runIf(isThere)(`@portcullis/agents/${name}`, () => {
    it("keeps the SDK's types, and refuses what is wrong", () => {
      const found = findings(`${name}-types.ts`, `${text}export {};\n`);
      expect(found.map((line) => wrong.find((start) => line.startsWith(start)) ?? line)).toEqual(wrong);
    });

    it("has a page whose program holds", () => {
      const blocks = blocksOf(pageText("runtime/agents/README.md")).filter(({ label }) => label === `${name}.ts`);
      expect(blocks.length).toBe(1);
      expect(findings(`${name}.ts`, blocks[0]?.text ?? "")).toEqual([]);
    });
  });
}
