/** The agent programs: where npm has them, and how each is started without anybody there. `init --for` adds the hook. */

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { write } from "../cli/terminal.ts";
import type { ScriptedCall } from "./model.ts";

/** One run of a program: folders of its own, and the port of its model. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly port: number;
}

/** A text in the project, with a command in it that the host may run before the model has read the text. */
export interface HostText {
  readonly file: string;
  /** Makes the text from the words that are looked for and the command; absent: a skill. */
  body?(words: string, command: string): string;
  /** `asked`: the command runs when the hook allows it; `unasked`: it runs; `inert`: it is read, and not run. */
  readonly runs: "asked" | "unasked" | "inert";
}

export interface AgentHost {
  readonly name: string;
  /** For `init --for`. */
  readonly id: string;
  /** A package of npm. */
  readonly package: string;
  /** In node_modules/.bin. */
  readonly program: string;
  /** A call that runs a shell command, in the tool's own words. */
  shell(command: string): ScriptedCall;
  /** The tool as the hook hears it. */
  readonly tool: string;
  /** It does not say which agent calls a tool, so the hook denies the start of a sub-agent. */
  readonly isBlind?: true;
  /** A call that starts a sub-agent of this type; one of the host's own, where it does not say which agent calls. */
  agent(type: string): ScriptedCall;
  /** Writes a sub-agent of this type, whose instructions hold a text. */
  writeAgent?(place: Place, type: string, text: string): void;
  readonly args: readonly string[];
  /** A text that a person types the name of: with these arguments. */
  readonly typed: HostText & { readonly args: readonly string[] };
  /** A skill that the model reads, by this call; `tool` as the hook hears it. */
  readonly skill?: HostText & { readonly call: ScriptedCall; readonly tool: string };
  /** A server of tools that the host has, `s`. */
  readonly server: {
    call(tool: string): ScriptedCall;
    /** The tool as the hook hears it. */
    heard(tool: string): string;
    /** `program`: with its arguments. After `configure` of the host. */
    configure(place: Place, program: readonly string[]): void;
  };
  /** Calls that start a shell, and give it a command to read. */
  feed?(command: string): readonly ScriptedCall[];
  /** A denial ends the run, so that the model does not read it. */
  readonly isUntold?: true;
  environment(place: Place): Readonly<Record<string, string>>;
  /** Writes what it needs for the scripted model. */
  configure?(place: Place): void;
}

/** Adds members to settings that are there. */
function withServers(path: string, members: object): void {
  write(path, { ...(JSON.parse(readFileSync(path, "utf8")) as object), ...members });
}

export const AGENT_HOSTS: readonly AgentHost[] = [
  {
    ...{
      name: "Claude Code",
      id: "claude-code",
      package: "@anthropic-ai/claude-code",
      program: "claude",
      tool: "Bash",
    },
    shell: (command) => ({ name: "Bash", input: { command, description: "a command" } }),
    agent: (type) => ({ name: "Agent", input: { subagent_type: type, prompt: "go", description: "a task" } }),
    writeAgent({ project }, type, text) {
      const front = `---\nname: ${type}\ndescription: a task\n---\n`;
      write(join(project, `.claude/agents/${type}.md`), `${front}${text}\n`);
    },
    args: ["-p", "go", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash,Agent,Skill,mcp__s"],
    server: {
      call: (tool) => ({ name: `mcp__s__${tool}`, input: {} }),
      heard: (tool) => `mcp__s__${tool}`,
      configure({ home }, [command, ...args]) {
        write(join(home, ".claude.json"), { mcpServers: { s: { type: "stdio", command, args } } });
      },
    },
    typed: {
      ...{ file: ".claude/skills/make/SKILL.md", runs: "asked" },
      args: ["-p", "/make", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash,Agent"],
    },
    skill: {
      ...{ file: ".claude/skills/make/SKILL.md", runs: "asked" },
      ...{ call: { name: "Skill", input: { skill: "make" } }, tool: "Skill" },
    },
    environment: ({ port }) => ({
      ...{ IS_SANDBOX: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1" },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", ANTHROPIC_API_KEY: "none" },
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    }),
  },
  {
    ...{ name: "Codex", id: "codex", package: "@openai/codex", program: "codex", tool: "Bash" },
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    agent: (agent_type) => ({ name: "spawn_agent", namespace: "multi_agent_v1", input: { agent_type, message: "go" } }),
    writeAgent({ home }, type, text) {
      const role = join(home, `.codex/${type}.toml`);
      write(role, `developer_instructions = ${JSON.stringify(text)}\n`);
      const lines = ["", `[agents.${type}]`, 'description = "a task"', `config_file = ${JSON.stringify(role)}`, ""];
      appendFileSync(join(home, ".codex/config.toml"), lines.join("\n"));
    },
    // A person would have trusted the hook; Codex runs no other.
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"],
    typed: {
      ...{ file: ".codex/skills/make/SKILL.md", runs: "inert" },
      args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "$make"],
    },
    server: {
      call: (tool) => ({ name: tool, namespace: "mcp__s", input: {} }),
      heard: (tool) => `mcp__s__${tool}`,
      configure({ home }, [command, ...args]) {
        const lines = [
          "",
          "[mcp_servers.s]",
          `command = ${JSON.stringify(command)}`,
          `args = ${JSON.stringify(args)}`,
          "",
        ];
        appendFileSync(join(home, ".codex/config.toml"), lines.join("\n"));
      },
    },
    feed: (command) => [
      { name: "exec_command", input: { cmd: "sh", tty: true, yield_time_ms: 500 } },
      {
        ...{ name: "write_stdin", input: { chars: `${command}\n` } },
        found: (text) => ({ session_id: Number(/session ID (\d+)/.exec(text)?.[1] ?? 0) }),
      },
    ],
    environment: ({ home }) => ({ CODEX_HOME: join(home, ".codex") }),
    configure({ home, project, port }) {
      const lines = [
        ...['model = "scripted"', 'model_provider = "scripted"', 'approval_policy = "never"'],
        ...['sandbox_mode = "danger-full-access"', "[model_providers.scripted]", 'name = "scripted"'],
        ...[`base_url = "http://127.0.0.1:${port}/v1"`, 'wire_api = "responses"', "requires_openai_auth = false"],
        ...[`[projects.${JSON.stringify(project)}]`, 'trust_level = "trusted"', ""],
      ];
      write(join(home, ".codex/config.toml"), lines.join("\n"));
    },
  },
  {
    ...{
      isBlind: true,
      name: "Gemini CLI",
      id: "gemini",
      package: "@google/gemini-cli",
      program: "gemini",
      tool: "run_shell_command",
    },
    shell: (command) => ({ name: "run_shell_command", input: { command } }),
    agent: () => ({ name: "invoke_agent", input: { agent_name: "generalist", prompt: "go" } }),
    args: ["-p", "go", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
    typed: {
      ...{ file: ".gemini/commands/make.toml", runs: "unasked" },
      body: (words, command) => `prompt = ${JSON.stringify(`${words} !{${command}}`)}\n`,
      args: ["-p", "/make", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
    },
    skill: {
      ...{ file: ".gemini/skills/make/SKILL.md", runs: "inert" },
      ...{ call: { name: "activate_skill", input: { name: "make" } }, tool: "activate_skill" },
    },
    server: {
      call: (tool) => ({ name: `mcp_s_${tool}`, input: {} }),
      heard: (tool) => `mcp_s_${tool}`,
      configure: ({ home }, [command, ...args]) =>
        withServers(join(home, ".gemini/settings.json"), { mcpServers: { s: { command, args, trust: true } } }),
    },
    environment: ({ port }) => ({
      ...{ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` },
    }),
    configure({ home }) {
      const security = { auth: { selectedType: "gemini-api-key" } };
      const privacy = { usageStatisticsEnabled: false };
      write(join(home, ".gemini/settings.json"), { security, privacy });
    },
  },
  {
    ...{
      isBlind: true,
      name: "Copilot CLI",
      id: "copilot",
      package: "@github/copilot",
      program: "copilot",
      tool: "Bash",
    },
    shell: (command) => ({ name: "bash", input: { command, description: "a command" } }),
    agent: () => ({
      name: "task",
      input: { agent_type: "general-purpose", description: "a task", prompt: "go", name: "one" },
    }),
    args: ["-p", "go", "--allow-all-tools"],
    typed: { file: ".github/skills/make/SKILL.md", runs: "inert", args: ["-p", "/make", "--allow-all-tools"] },
    skill: {
      ...{ file: ".github/skills/make/SKILL.md", runs: "inert" },
      ...{ call: { name: "skill", input: { skill: "make" } }, tool: "skill" },
    },
    isUntold: true,
    server: {
      call: (tool) => ({ name: `s-${tool}`, input: {} }),
      heard: (tool) => `s-${tool}`,
      configure({ home }, [command, ...args]) {
        const mcpServers = { s: { type: "local", command, args, tools: ["*"] } };
        write(join(home, ".copilot/mcp-config.json"), { mcpServers });
      },
    },
    feed: (command) => [
      { name: "bash", input: { command: "sh", description: "a shell", mode: "async", shellId: "one" } },
      { name: "write_bash", input: { shellId: "one", input: `${command}{enter}`, delay: 1 } },
    ],
    environment: ({ port }) => ({
      ...{ COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`, COPILOT_PROVIDER_TYPE: "openai" },
      ...{ COPILOT_MODEL: "gpt-5", COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
    }),
  },
  {
    ...{ isBlind: true, name: "Cline", id: "cline", package: "cline", program: "cline", tool: "run_commands" },
    shell: (command) => ({ name: "run_commands", input: { commands: [command] } }),
    agent: () => ({ name: "spawn_agent", input: { systemPrompt: "You are one.", task: "go" } }),
    args: ["--json", "-P", "openai-compatible", "-m", "scripted", "go on, please"],
    typed: {
      ...{ file: ".clinerules/workflows/make.md", runs: "inert" },
      args: ["--json", "-P", "openai-compatible", "-m", "scripted", "/make"],
    },
    skill: {
      ...{ file: ".cline/skills/make/SKILL.md", runs: "inert" },
      ...{ call: { name: "skills", input: { skill: "make" } }, tool: "skills" },
    },
    isUntold: true,
    server: {
      call: (tool) => ({ name: `s__${tool}`, input: {} }),
      heard: (tool) => `s__${tool}`,
      configure({ home }, [command, ...args]) {
        const mcpServers = { s: { command, args, disabled: false } };
        write(join(home, ".cline/data/settings/cline_mcp_settings.json"), { mcpServers });
      },
    },
    environment: () => ({}),
    configure({ home, port }) {
      const provider = "openai-compatible";
      const settings = { provider, baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "none", model: "scripted" };
      const given = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
      const providers = { version: 1, lastUsedProvider: provider, providers: { [provider]: given } };
      write(join(home, ".cline/data/settings/providers.json"), providers);
    },
  },
  {
    ...{ isBlind: true, name: "opencode", id: "opencode", package: "opencode-ai", program: "opencode", tool: "bash" },
    shell: (command) => ({ name: "bash", input: { command, description: "a command" } }),
    agent: () => ({ name: "task", input: { subagent_type: "general", description: "a task", prompt: "go" } }),
    args: ["run", "go"],
    typed: { file: ".opencode/command/make.md", runs: "asked", args: ["run", "--command", "make"] },
    skill: {
      ...{ file: ".opencode/skills/make/SKILL.md", runs: "inert" },
      ...{ call: { name: "skill", input: { name: "make" } }, tool: "skill" },
    },
    server: {
      call: (tool) => ({ name: `s_${tool}`, input: {} }),
      heard: (tool) => `s_${tool}`,
      configure: ({ project }, command) =>
        withServers(join(project, "opencode.json"), { mcp: { s: { type: "local", command } } }),
    },
    environment: () => ({}),
    configure({ project, port }) {
      const options = { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" };
      const scripted = { npm: "@ai-sdk/openai-compatible", options, models: { scripted: { name: "scripted" } } };
      write(join(project, "opencode.json"), {
        ...{ model: "scripted/scripted", small_model: "scripted/scripted", share: "disabled", autoupdate: false },
        ...{ permission: { "*": "allow" }, provider: { scripted } },
      });
    },
  },
];
