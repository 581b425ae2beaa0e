/** The Claude Agent SDK, whose own program asks a scripted model on loopback. Its tools run in this process, behind the hooks. */

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentContext } from "@portcullis/agents";
import { type ClaudeGuard, type ClaudeTool, guardSession } from "@portcullis/agents/claude";
import { scriptedModel } from "../agent-hosts/model.ts";
import { removeFolder, temporaryFolder } from "../cli/terminal.ts";
import { imported } from "./folder.ts";
import { type Run, type Sdk, TOOLS, type Told, type ToolName } from "./newsroom.ts";
import { shapes, type Zod } from "./schemas.ts";

/** The parts of the SDK that are used here. Its own types are held in `types.test.ts`. */
interface ClaudeSdk {
  query(given: object): AsyncIterable<Message>;
  tool(name: string, description: string, shape: object, handler: (args: never, extra: unknown) => unknown): ClaudeTool;
  createSdkMcpServer(given: object): object;
}
interface Message {
  readonly type: string;
  readonly message?: { readonly content?: readonly Block[] | string };
}
interface Block {
  readonly type: string;
  readonly is_error?: boolean | null;
  readonly content: string | readonly { readonly text?: string }[];
}

const SERVER = "news";

export const claudeAgent: Sdk = {
  ...{
    name: "Claude Agent SDK",
    package: "@anthropic-ai/claude-agent-sdk",
    beside: ["@anthropic-ai/sdk", "@modelcontextprotocol/sdk", "zod"],
  },
  async run({ policy, calls, context, options, host, execute }: Run): Promise<readonly Told[]> {
    const { tool, createSdkMcpServer } = (await imported("@anthropic-ai/claude-agent-sdk")) as ClaudeSdk;
    const { z } = (await imported("zod")) as Zod;
    const names = Object.keys(TOOLS) as ToolName[];
    // The SDK knows no context of the program: its functions close over one.
    const told = (args: unknown, call: never): unknown =>
      typeof context === "function" ? context(args, { ...(call as object), host } as never) : context;
    const session = options.session;
    const guard = guardSession(policy, told as AgentContext<never>, {
      ...options,
      ...(typeof session === "function" && {
        session: (call: never) => session({ ...(call as object), host } as never),
      }),
      tools: Object.fromEntries(names.map((name) => [`mcp__${SERVER}__${name}`, TOOLS[name]])),
    });
    const tools = names.map((name) =>
      tool(name, name, shapes(z)[name], async (args: Record<string, unknown>, extra: unknown) => {
        const text = String(await execute(name, args, { extra, host }));
        return { content: [{ type: "text", text }] };
      }),
    );
    const server = createSdkMcpServer({ name: SERVER, tools: guard.tools(SERVER, tools), alwaysLoad: true });
    const script = calls.map(({ tool: name, args }) => ({ name: `mcp__${SERVER}__${name}`, input: args }));
    return resultsOf(script, guard, { mcpServers: { [SERVER]: server } });
  },
};

/** Runs a session in which the model makes these calls, and gives what it was told of each. */
export async function resultsOf(
  script: Parameters<typeof scriptedModel>[0],
  { hooks }: Pick<ClaudeGuard, "hooks">,
  options: object,
): Promise<readonly Told[]> {
  const { query } = (await imported("@anthropic-ai/claude-agent-sdk")) as ClaudeSdk;
  const folder = temporaryFolder();
  const [home, cwd] = [join(folder, "home"), join(folder, "project")];
  for (const path of [home, cwd]) mkdirSync(path);
  const model = await scriptedModel(script);
  const env = {
    ...{ IS_SANDBOX: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1" },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", ANTHROPIC_API_KEY: "none", HOME: home },
    ...{ PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}` },
  };
  const found: Told[] = [];
  try {
    const bypass = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true };
    for await (const { type, message } of query({ prompt: "go", options: { cwd, env, hooks, ...bypass, ...options } }))
      if (type === "user" && typeof message?.content === "object") found.push(...message.content.flatMap(toldBy));
    return found;
  } finally {
    model.close();
    removeFolder(folder);
  }
}

function toldBy({ type, is_error, content }: Block): readonly Told[] {
  if (type !== "tool_result") return [];
  const text = typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
  return [{ text, isError: is_error === true }];
}
