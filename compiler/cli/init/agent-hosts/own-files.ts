/** Hosts that take a file of its own for each hook: the whole file is ours, or somebody else's. */

import { parseToml, SourceFile, toPlain } from "@portcullis/documents";
import { CliError } from "../../exit.ts";
import type { Configured, Hook } from "./agent-host.ts";
import { commandLine, type HookCommand, isHookLine, readCommandLine } from "./command.ts";
import { settingsOf } from "./json-hooks.ts";

const NOT_OURS = "it is not as `init --for` writes it";

/** Copilot CLI. */
export function copilotFile({ command, seconds }: Hook): string {
  const entry = { type: "command", bash: commandLine(command), timeoutSec: seconds };
  return `${JSON.stringify({ version: 1, hooks: { PreToolUse: [entry] } }, null, 2)}\n`;
}

export function readCopilotFile(text: string): Configured {
  try {
    const { hooks } = settingsOf(text) as { hooks?: { PreToolUse?: { bash?: string; timeoutSec?: number }[] } };
    const [entry] = hooks?.PreToolUse ?? [];
    return ours(readCommandLine(entry?.bash ?? ""), entry?.timeoutSec ?? 0, copilotFile, text);
  } catch (error) {
    return { hooks: [], problems: [(error as Error).message] };
  }
}

/** Cline, which has no time-out of a hook to set. */
export function clineScript({ command }: Hook): string {
  return `#!/bin/sh\n${commandLine(command)}\n`;
}

export function readClineScript(text: string): Configured {
  const command = readCommandLine(text.split("\n")[1] ?? "");
  return ours(command, Number.POSITIVE_INFINITY, clineScript, text);
}

/** opencode: a plugin, which runs in its process, and throws for what is not to be called. */
export function opencodePlugin({ command, seconds }: Hook): string {
  const { node, program, words } = command;
  return `// Written by \`portcullis init --for opencode\`. Whatever but a silent success is a denial.
import { execFile } from "node:child_process";

const HOOK = ${JSON.stringify({ file: node, args: [program, "hook", ...words], seconds: command.seconds, host: seconds })};

export const Portcullis = async () => ({
  "tool.execute.before": (input, output) =>
    new Promise((allow, deny) => {
      const asked = { hook_event_name: "tool.execute.before", session_id: input.sessionID, tool_use_id: input.callID };
      const text = JSON.stringify({ ...asked, tool: input.tool, args: output.args });
      const options = { cwd: "/", timeout: HOOK.seconds * 1000, killSignal: "SIGKILL" };
      const child = execFile(HOOK.file, HOOK.args, options, (error, stdout, stderr) => {
        if (error === null && stdout === "") allow();
        else deny(new Error(stderr.trim() || "The call cannot be decided, so it is denied: the hook gave no answer"));
      });
      child.stdin.on("error", () => {});
      child.stdin.end(text);
    }),
});
`;
}

export function readOpencodePlugin(text: string): Configured {
  const line = /^const HOOK = (.*);$/m.exec(text)?.[1];
  try {
    const { file, args, seconds, host } = JSON.parse(line ?? "null") as {
      readonly file: string;
      readonly args: readonly string[];
      readonly seconds: number;
      readonly host: number;
    };
    const [program = "", , ...words] = args;
    // It kills by itself.
    return ours({ timeout: file, node: file, program, seconds, words }, host, opencodePlugin, text);
  } catch {
    return { hooks: [], problems: [NOT_OURS] };
  }
}

/** The text, if it is ours to replace. Throws CliError for somebody else's. */
export function replacing(read: (text: string) => Configured, text: string | undefined, written: string): string {
  if (text !== undefined && text.trim() !== "" && read(text).hooks.length === 0 && !isHookLine(text))
    throw new CliError("there is a hook of another program, and this host takes one of this name: move it first");
  return written;
}

const [BEGIN, END] = [
  "# Written by `portcullis init --for codex`: begin",
  "# Written by `portcullis init --for codex`: end",
];

/** Codex: tables at the end of config.toml. Throws CliError where they cannot stand there. */
export function writeCodexHook(text: string | undefined, { command, seconds }: Hook): string {
  const before = withoutBlock(text ?? "");
  const block = [
    ...[BEGIN, "[[hooks.PreToolUse]]", "[[hooks.PreToolUse.hooks]]", 'type = "command"'],
    ...[`command = ${JSON.stringify(commandLine(command))}`, `timeout = ${seconds}`, END, ""],
  ].join("\n");
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  const written = `${before}${separator}${block}`;
  const { diagnostics } = parseToml(new SourceFile("config.toml", written));
  if (diagnostics[0] !== undefined) throw new CliError(`the hook cannot be added: ${diagnostics[0].message}`);
  return written;
}

export function readCodexHooks(text: string): Configured {
  const { root, diagnostics } = parseToml(new SourceFile("config.toml", text));
  if (root === undefined || diagnostics[0] !== undefined)
    return { hooks: [], problems: [`config.toml cannot be read: ${diagnostics[0]?.message}`] };
  const settings = toPlain(root) as {
    readonly features?: Readonly<Record<string, unknown>>;
    readonly hooks?: { readonly PreToolUse?: readonly CodexGroup[] };
  };
  const problems: string[] = [];
  for (const name of ["hooks", "codex_hooks"])
    if (settings.features?.[name] === false) problems.push(`\`features.${name}\` is off, so that no hook is asked`);
  const hooks: Hook[] = [];
  const groups = Array.isArray(settings.hooks?.PreToolUse) ? settings.hooks.PreToolUse : [];
  for (const { matcher, hooks: entries } of groups)
    for (const { type, command = "", timeout = 0 } of entries ?? []) {
      if (!isHookLine(String(command))) continue;
      if (matcher !== undefined) problems.push(`the hook is asked for ${JSON.stringify(matcher)} alone`);
      const read = type === "command" ? readCommandLine(command) : undefined;
      if (read === undefined) problems.push(`the hook: ${NOT_OURS}`);
      else hooks.push({ command: read, seconds: timeout });
    }
  return { hooks, problems };
}

interface CodexGroup {
  readonly matcher?: string;
  readonly hooks?: readonly { readonly type?: string; readonly command?: string; readonly timeout?: number }[];
}

function withoutBlock(text: string): string {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) return text;
  return text.slice(0, from) + text.slice(to + END.length).replace(/^\n/, "");
}

/** The hook of a text that is exactly what is written for it. */
function ours(
  command: HookCommand | undefined,
  seconds: number,
  write: (hook: Hook) => string,
  text: string,
): Configured {
  if (command === undefined || write({ command, seconds }) !== text) return { hooks: [], problems: [NOT_OURS] };
  return { hooks: [{ command, seconds }], problems: [] };
}
