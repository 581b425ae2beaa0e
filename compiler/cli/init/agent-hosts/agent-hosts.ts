/** The agent hosts that `init --for` configures: where their hooks stand, and what each of them does not obey. */

import { join } from "node:path";
import { claudeManaged } from "./administrator.ts";
import type { AgentHost } from "./agent-host.ts";
import {
  asJson,
  besideCodex,
  codexEnvironmentProblems,
  codexProfiles,
  codexServer,
  readCodexHooks,
  readCodexManaged,
  writeCodexHook,
} from "./codex.ts";
import { naming } from "./front-matter.ts";
import { extensionProblems, extensions, UNASKED, UNASKED_AUTH } from "./gemini-extensions.ts";
import { toolProblems } from "./gemini-tools.ts";
import { trustProblems } from "./gemini-trust.ts";
import { type JsonHooks, readJsonHooks, settingsOf, writeJsonHook } from "./json-hooks.ts";
import { npmProblems, opencodePlugin, pluginProblems, readOpencodePlugin } from "./opencode-plugin.ts";
import { clineScript, copilotFile, readClineScript, readCopilotFile, replacing } from "./own-files.ts";
import { ownHookProblems, REWRITES } from "./project.ts";
import { textsIn } from "./servers.ts";

const NO_PERSON = { ask: "it asks no person: the call would be denied, or run" };
const SESSION = { session_id: "init", cwd: "/", transcript_path: "/dev/null" };
const NOW = "2026-01-01T00:00:00.000Z";

const CLAUDE: JsonHooks = {
  // A skill's text may hold commands, which run before the model has read it, and are no calls of a tool.
  events: ["PreToolUse", "PreSkillShellCommand"],
  end: "PostToolUse",
  perSecond: 1,
  // Known from 2.1.295 on, and passed over before.
  more: { onFailure: "block" },
  disabled: ({ disableAllHooks = false }) =>
    disableAllHooks === false ? undefined : "`disableAllHooks` is on, so that no hook is asked",
};
/** Hooks of these events may change a call, whatever ours has said of it. */
const CHANGING = ["PreToolUse", "PermissionRequest"];
/** The command of an `auth` begins with `!`, or with an escape that gives it. */
const AUTH = naming("auth", "[!\\\\]");
const WITH_HOOKS = {
  ...{ ends: ".md", holds: naming("hooks") },
  problem: `has hooks of its own, or an escape or an alias that may name them, which run without this one: such a hook ${REWRITES}`,
};
/** `!{`, in any way in which TOML can write it: by its characters' numbers, or with a line that ends between them. */
const COMMAND = /!(?:\\\s+)*\{|\\(?:u00|U000000|x)(?:21|7[bB])/;
const GEMINI: JsonHooks = {
  events: ["BeforeTool"],
  end: "AfterTool",
  perSecond: 1000,
  more: { name: "portcullis" },
  disabled(settings) {
    const { enabled = true, disabled = [] } = (settings["hooksConfig"] ?? {}) as {
      enabled?: unknown;
      disabled?: unknown;
    };
    if (enabled !== true) return "`hooksConfig.enabled` is off, so that no hook is asked";
    // A text is searched for the name, too.
    return JSON.stringify(disabled) === "[]"
      ? undefined
      : `\`hooksConfig.disabled\` switches hooks off: ${JSON.stringify(disabled)}`;
  },
};

const plain = (server: string): string => server.replaceAll(/[^A-Za-z0-9_-]/g, "_");
const inOpencode = (...names: readonly string[]): string[] =>
  ["", ".opencode/"].flatMap((at) => names.map((name) => at + name));
const OPENCODE_FILES = inOpencode("opencode.json", "opencode.jsonc");
const CLAUDE_FILES = [".claude/settings.json", ".claude/settings.local.json"];
/** Members of Claude Code's settings that name commands. */
const CLAUDE_STARTS = [
  ...["hooks", "statusLine", "subagentStatusLine", "fileSuggestion", "apiKeyHelper", "proxyAuthHelper"],
  ...["awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper"],
];

export const AGENT_HOSTS: readonly AgentHost[] = [
  {
    ...{ id: "claude-code", title: "Claude Code", program: "claude", least: "2.1.332" },
    // Where it says that a value was ignored, it takes the rest of the file.
    doctor: { args: ["doctor"], begins: "Claude Code doctor", refused: /^- (.*?) › ((?!.*\bignored\b).*)$/ },
    ...{
      folder: ["CLAUDE_CONFIG_DIR", ".claude"],
      projectFiles: CLAUDE_FILES,
      file: "settings.json",
    },
    starts: CLAUDE_FILES.map((path) => ({ path, members: CLAUDE_STARTS })),
    refuses: {},
    notes: [
      "`--bare`, `--safe-mode` and `--setting-sources` without `user` start Claude Code without hooks of the user, so that this one is not asked",
      "with one value of a wrong kind in the file of the hook, Claude Code takes nothing of it, and asks no hook: `claude doctor` lists such values",
      "settings of a project can switch hooks off (`disableAllHooks`), and so can those of `--settings`; those that an administrator manages cannot",
      "hooks that a skill, an agent or a project's settings bring run without this one: an administrator's `allowManagedHooksOnly` keeps them off, and this hook then belongs into the managed settings; else keep `.claude` from what the agent may write",
    ],
    imported: { from: "claude-settings", member: "permissions" },
    write: (text, hook) => writeJsonHook(CLAUDE, text, hook),
    read: (text) => readJsonHooks(CLAUDE, text),
    readProject: (text) => ownHookProblems(text, CHANGING),
    managed: {
      files: ["etc/claude-code", "Library/Application Support/ClaudeCode"].flatMap((at) => [
        `${at}/managed-settings.json`,
        `${at}/managed-mcp.json`,
        `${at}/managed-settings.d/`,
      ]),
      read: (text, _, isOwn) => claudeManaged(settingsOf(text), isOwn),
    },
    servers: {
      own: (at) => [
        ...[".claude.json", "../.claude.json", "../.mcp.json"].map((name) => join(at, name)),
        ...textsIn(join(at, "agents")),
      ],
      ...{ ofProject: [".mcp.json", ".claude/agents/"], fromRoot: true },
      members: [["mcpServers"], ["managedMcpServers"], ["projects", "*", "mcpServers"]],
      atHook: (server) => `${plain(server)}__`,
      ofHost: /^(?:(?:plugin|claude_ai)_|(?:ide|claude-preview)__)/,
    },
    // A folder of skills that has this folder in it is a plugin, which may bring hooks and servers.
    programs: [{ folder: ".claude/skills", names: /\/\.claude-plugin\//i }],
    texts: [{ folders: ["agents", "skills", "commands"], ...WITH_HOOKS, isAnywhere: true }],
    payload: (tool_name, tool_input) => ({
      ...SESSION,
      ...{ permission_mode: "default", hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "init" },
    }),
  },
  {
    ...{ id: "codex", title: "Codex", program: "codex", least: "0.171.0" },
    ...{
      folder: ["CODEX_HOME", ".codex"],
      projectFiles: [".codex/config.toml", ".codex/hooks.json"],
      file: "config.toml",
    },
    beside: besideCodex,
    starts: ["config.toml", "hooks.json"].map((name) => ({ path: `.codex/${name}`, members: ["hooks"] })),
    managed: {
      files: ["requirements.toml", "managed_config.toml", "config.toml"].map((name) => `etc/codex/${name}`),
      read: readCodexManaged,
    },
    servers: {
      own: (at) => [join(at, "config.toml"), ...codexProfiles(at)],
      ...{ ofProject: [".codex/config.toml"], members: [["mcp_servers"]] },
      atHook: (server) => `${codexServer(server)}__`,
    },
    refuses: { ask: "it takes a question for a failed hook, and the command runs" },
    untold: "of calls of other tools than those of MCP servers",
    notes: [
      "Codex asks no hook that a person has not trusted: start it, and trust this one with `/hooks`",
      "settings of a project that is trusted count before these: keep `.codex` from what the agent may write",
      "an administrator's `/etc/codex` can switch hooks off, or all that are not managed (`allow_managed_hooks_only`): this one then belongs into its `requirements.toml`",
    ],
    write: writeCodexHook,
    read: readCodexHooks,
    readProject: (text, file) =>
      file.endsWith(".json")
        ? ownHookProblems(text, ["PreToolUse"])
        : [
            ...[...readCodexHooks(text).problems, ...codexEnvironmentProblems(text)],
            ...ownHookProblems(asJson(text), ["PreToolUse"]),
          ],
    payload: (tool_name, tool_input) => ({
      ...{ ...SESSION, turn_id: "init", model: "init", permission_mode: "default" },
      ...{ hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "init" },
    }),
  },
  {
    ...{ id: "gemini", title: "Gemini CLI", program: "gemini", least: "0.61.0" },
    ...{
      folder: ["GEMINI_CLI_HOME", ".gemini", ".gemini"],
      projectFiles: [".gemini/settings.json"],
      file: "settings.json",
    },
    refuses: NO_PERSON,
    untold: "of shell commands",
    beside: (file, projects) => [...trustProblems(file, projects), ...extensionProblems(file, COMMAND)],
    managed: {
      files: ["etc/gemini-cli", "Library/Application Support/GeminiCli"].flatMap((at) => [
        `${at}/settings.json`,
        `${at}/system-defaults.json`,
      ]),
      read: (text) => [GEMINI.disabled(settingsOf(text)) ?? []].flat(),
    },
    servers: {
      own: (at) => [
        ...[join(at, "settings.json"), ...textsIn(join(at, "agents"))],
        ...extensions(at).map((place) => join(place, "gemini-extension.json")),
      ],
      ...{ ofProject: [".gemini/settings.json", ".gemini/agents/"], members: [["mcpServers"], ["mcp_servers"]] },
      // The hook itself tells names apart, and denies what it cannot.
      atHook: (server) => `${server}\0`,
    },
    texts: [
      { folders: ["commands", "extensions"], ends: ".toml", holds: COMMAND, problem: UNASKED, isOwnToo: true },
      { folders: ["agents"], ends: ".md", holds: AUTH, problem: UNASKED_AUTH },
    ],
    notes: [
      "in a folder that a person does not trust, Gemini CLI asks no hook, this one neither: start it in trusted folders alone",
      "commands that stand in a command file (`!{…}`) run without the hook: Gemini CLI asks a person about each, and with `--yolo` no one; keep `.gemini` and `.env` from what the agent may write",
    ],
    write: (text, hook) => writeJsonHook(GEMINI, text, hook),
    read: (text) => readJsonHooks(GEMINI, text),
    readProject: (text) => [
      ...readJsonHooks(GEMINI, text).problems,
      ...ownHookProblems(text, GEMINI.events),
      ...toolProblems(text),
    ],
    starts: [{ path: ".gemini/settings.json", members: ["hooks"] }],
    // A shell reads it in the container, before the program starts there: it can name another home.
    programs: [{ folder: ".gemini", names: /\/\.gemini\/sandbox\.bashrc$/i }],
    // Its folders, whom it trusts, a server that it starts, the container in which it runs and the shell line that starts it there.
    obeyed: "GEMINI_(?!API_KEY|MODEL)\\w+|(?:BUILD_)?SANDBOX(?:_\\w+)?|SEATBELT_PROFILE",
    payload: (tool_name, tool_input) => ({
      ...SESSION,
      ...{ hook_event_name: "BeforeTool", timestamp: NOW, tool_name, tool_input },
    }),
  },
  {
    ...{ id: "copilot", title: "Copilot CLI", program: "copilot", least: "1.0.102" },
    ...{ folder: ["COPILOT_HOME", ".copilot"], file: "hooks/portcullis.json" },
    projectFiles: [
      ...[".github/copilot/settings.json", ".github/copilot/settings.local.json", ".github/hooks/"],
      ...CLAUDE_FILES,
    ],
    starts: [
      ...[".github/copilot/settings.json", ".github/copilot/settings.local.json", ...CLAUDE_FILES].map((path) => ({
        ...{ path, members: ["hooks"] },
      })),
      ...[{ path: ".github/hooks/" }, { path: ".github/lsp.json", members: ["lspServers"] }],
    ],
    servers: {
      own: (at) => [join(at, "mcp-config.json"), ...textsIn(join(at, "agents"))],
      ofProject: [".mcp.json", ".github/mcp.json", ".github/agents/", ".claude/agents/"],
      members: [["mcpServers"], ["mcp-servers"]],
      atHook: (server) => `${plain(server)}-`,
    },
    programs: [{ folder: ".github/extensions", names: /\.[cm]?js$/i }],
    texts: [{ folders: ["agents"], below: [".github", ".claude"], ...WITH_HOOKS }],
    refuses: {},
    notes: [
      "in a folder that a person trusts, its settings, hooks and extensions count: keep `.github` and `.claude` from what the agent may write",
    ],
    write: (text, hook) => replacing(readCopilotFile, text, copilotFile(hook)),
    read: readCopilotFile,
    readProject: (text) => ownHookProblems(text, CHANGING),
    payload: (tool_name, tool_input) => ({
      ...{ hook_event_name: "PreToolUse", session_id: "init", timestamp: NOW, cwd: "/", tool_name, tool_input },
    }),
  },
  {
    ...{ id: "cline", title: "Cline", program: "cline", least: "3.0.65" },
    ...{ folder: ["CLINE_DIR", ".cline"], projectFiles: ["bunfig.toml"], file: "hooks/PreToolUse", isExecutable: true },
    endFile: "PostToolUse",
    servers: {
      own: (at) => [join(at, "data/settings/cline_mcp_settings.json")],
      ...{ ofProject: [], members: [["mcpServers"]] },
      atHook: (server) => `${plain(server)}__`,
    },
    programs: [
      // It reads a name in any case, and without blanks around it.
      ...[".clinerules", ".cline"].map((folder) => ({
        folder: `${folder}/hooks`,
        names: /\/\s*PreToolUse\s*(\.\w+)?$/i,
      })),
      // A package may name files anywhere.
      { folder: ".cline/plugins", names: /\.[cm]?[jt]s$|\/package\.json$/i },
    ],
    starts: [".clinerules", ".cline"].map((folder) => ({ path: `${folder}/hooks/` })),
    // It is a program of Bun.
    obeyed: "BUN_\\w+|CLINE_(?!API_KEY\\b)\\w+",
    refuses: NO_PERSON,
    notes: [
      "hooks and plugins of a project run without this one, and it fills its environment from `.env`: keep `.clinerules`, `.cline` and `.env` from what the agent may write",
    ],
    write: (text, hook) => replacing(readClineScript, text, clineScript(hook)),
    read: readClineScript,
    // A name in TOML can be written with escapes.
    readProject: (text) =>
      /preload|\\/.test(text) ? [`Cline loads what \`preload\` names before anything else, and that ${REWRITES}`] : [],
    payload: (name, input) => ({
      ...{ clineVersion: "", timestamp: NOW, taskId: "init", workspaceRoots: ["/"] },
      ...{ agent_id: "init", parent_agent_id: null, hookName: "tool_call", iteration: 1 },
      ...{ tool_call: { id: "init", name, input }, preToolUse: { toolName: name, parameters: {} } },
    }),
  },
  {
    ...{ id: "opencode", title: "opencode", program: "opencode", least: "1.18.33" },
    ...{ folder: ["XDG_CONFIG_HOME", ".config"], file: "opencode/plugin/portcullis.js" },
    projectFiles: [...OPENCODE_FILES, ...inOpencode("tui.json", "tui.jsonc", ".npmrc")],
    managed: { files: ["opencode.json", "opencode.jsonc"].map((name) => `etc/opencode/${name}`), read: () => [] },
    servers: {
      own: (at) => [
        ...[process.env["OPENCODE_CONFIG"] ?? []].flat(),
        ...["opencode.json", "opencode.jsonc", "config.json"].map((name) => join(at, "opencode", name)),
        ...["opencode.json", "opencode.jsonc"].map((name) => join(at, "../.opencode", name)),
      ],
      ...{ ofProject: OPENCODE_FILES, members: [["mcp"]] },
      atHook: (server) => `${plain(server)}_`,
      // Its own `apply_patch` and `plan_exit` are tools `patch` and `exit` of such servers, too.
      ofHost: /^(?:apply|plan)_$/,
    },
    starts: OPENCODE_FILES.map((path) => ({ path, members: ["formatter", "lsp"] })),
    programs: ["plugin", "plugins", "tool", "tools"].map((name) => ({
      folder: `.opencode/${name}`,
      names: /\.[jt]s$/i,
    })),
    refuses: NO_PERSON,
    notes: [
      "`--pure` starts opencode without plugins, so that no hook is asked",
      "plugins and tools of a project run in its process: keep `.opencode` and `opencode.json` from what the agent may write",
    ],
    write: (text, hook) => replacing(readOpencodePlugin, text, opencodePlugin(hook)),
    read: readOpencodePlugin,
    readProject: (text, file) => (file.endsWith(".npmrc") ? npmProblems(text) : pluginProblems(text)),
    payload: (tool, args) => ({
      ...{ hook_event_name: "tool.execute.before", tool, args, session_id: "init", tool_use_id: "init" },
    }),
  },
];
