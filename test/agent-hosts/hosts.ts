/** The agent programs: where npm has them, how each is started without anybody there, and where its hook stands. */

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { write } from "../cli/terminal.ts";
import type { ScriptedCall } from "./model.ts";

/** One run of a program: folders of its own, and the port of its model. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly port: number;
}

export interface AgentHost {
  readonly name: string;
  /** A package of npm. */
  readonly package: string;
  /** In node_modules/.bin. */
  readonly program: string;
  /** A call that makes a file of this path, in the tool's own words. */
  call(file: string): ScriptedCall;
  /** The tool as the hook hears it. */
  readonly tool: string;
  readonly args: readonly string[];
  environment(place: Place): Readonly<Record<string, string>>;
  /** Writes its configuration, with this command as the hook before every tool. */
  configure(place: Place, hook: string): void;
}

export const AGENT_HOSTS: readonly AgentHost[] = [
  {
    ...{ name: "Claude Code", package: "@anthropic-ai/claude-code", program: "claude", tool: "Bash" },
    call: (file) => ({ name: "Bash", input: { command: `touch ${file}`, description: "make a file" } }),
    args: ["-p", "go", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash"],
    environment: ({ port }) => ({
      ...{ IS_SANDBOX: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1" },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", ANTHROPIC_API_KEY: "none" },
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    }),
    configure({ project }, command) {
      const hook = { type: "command", command, timeout: 60, onFailure: "block" };
      write(join(project, ".claude/settings.json"), { hooks: { PreToolUse: [{ hooks: [hook] }] } });
    },
  },
  {
    ...{ name: "Codex", package: "@openai/codex", program: "codex", tool: "Bash" },
    call: (file) => ({ name: "exec_command", input: { cmd: `touch ${file}` } }),
    // A person would have trusted the hook; Codex runs no other.
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"],
    environment: ({ home }) => ({ CODEX_HOME: join(home, ".codex") }),
    configure({ home, project, port }, command) {
      const lines = [
        ...['model = "scripted"', 'model_provider = "scripted"', 'approval_policy = "never"'],
        ...['sandbox_mode = "danger-full-access"', "[model_providers.scripted]", 'name = "scripted"'],
        ...[`base_url = "http://127.0.0.1:${port}/v1"`, 'wire_api = "responses"', "requires_openai_auth = false"],
        ...[`[projects.${JSON.stringify(project)}]`, 'trust_level = "trusted"'],
        ...["[[hooks.PreToolUse]]", "[[hooks.PreToolUse.hooks]]", 'type = "command"'],
        ...[`command = ${JSON.stringify(command)}`, "timeout = 60", ""],
      ];
      write(join(home, ".codex/config.toml"), lines.join("\n"));
    },
  },
  {
    ...{ name: "Gemini CLI", package: "@google/gemini-cli", program: "gemini", tool: "run_shell_command" },
    call: (file) => ({ name: "run_shell_command", input: { command: `touch ${file}` } }),
    args: ["-p", "go", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
    environment: ({ port }) => ({
      ...{ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` },
    }),
    configure({ home }, command) {
      const hook = { type: "command", name: "portcullis", command, timeout: 60_000 };
      const security = { auth: { selectedType: "gemini-api-key" } };
      const privacy = { usageStatisticsEnabled: false };
      write(join(home, ".gemini/settings.json"), { security, privacy, hooks: { BeforeTool: [{ hooks: [hook] }] } });
    },
  },
  {
    ...{ name: "Copilot CLI", package: "@github/copilot", program: "copilot", tool: "Bash" },
    call: (file) => ({ name: "bash", input: { command: `touch ${file}`, description: "make a file" } }),
    args: ["-p", "go", "--allow-all-tools"],
    environment: ({ port }) => ({
      ...{ COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`, COPILOT_PROVIDER_TYPE: "openai" },
      ...{ COPILOT_MODEL: "gpt-5", COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
    }),
    configure({ home }, bash) {
      const hook = { type: "command", bash, timeoutSec: 60 };
      write(join(home, ".copilot/hooks/portcullis.json"), { version: 1, hooks: { PreToolUse: [hook] } });
    },
  },
  {
    ...{ name: "Cline", package: "cline", program: "cline", tool: "run_commands" },
    call: (file) => ({ name: "run_commands", input: { commands: [`touch ${file}`] } }),
    args: ["--json", "-P", "openai-compatible", "-m", "scripted", "go on, please"],
    environment: () => ({}),
    configure({ home, project, port }, command) {
      const provider = "openai-compatible";
      const settings = { provider, baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "none", model: "scripted" };
      const given = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
      const providers = { version: 1, lastUsedProvider: provider, providers: { [provider]: given } };
      write(join(home, ".cline/data/settings/providers.json"), providers);
      chmodSync(write(join(project, ".clinerules/hooks/PreToolUse"), `#!/bin/sh\nexec ${command}\n`), 0o755);
    },
  },
];
