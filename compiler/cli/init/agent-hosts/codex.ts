/** Codex: tables at the end of config.toml. */

import { parseToml, SourceFile, toPlain } from "@portcullis/documents";
import { CliError } from "../../exit.ts";
import type { Configured, Hook } from "./agent-host.ts";
import { commandLine, isHookLine, readCommandLine } from "./command.ts";
import { NOT_OURS } from "./ours.ts";

interface CodexGroup {
  readonly matcher?: string;
  readonly hooks?: readonly { readonly type?: string; readonly command?: string; readonly timeout?: number }[];
}

interface CodexSettings {
  readonly features?: Readonly<Record<string, unknown>>;
  readonly hooks?: { readonly PreToolUse?: readonly CodexGroup[] };
}

const [BEGIN, END] = [
  "# Written by `portcullis init --for codex`: begin",
  "# Written by `portcullis init --for codex`: end",
];
/** With a terminal, the input of a command stays open, and the tool `write_stdin` writes to it: no hook is asked about that. */
const TTY = "unified_exec_tty";
const NO_TTY = `${TTY} = false`;
const FED = "`write_stdin` then feeds a command that runs, and no hook is asked";

/** Throws CliError where the tables cannot stand there. */
export function writeCodexHook(text: string | undefined, { command, seconds }: Hook): string {
  const before = withoutTerminal(withoutBlock(text ?? ""));
  const { features } = settingsOf(before);
  const block = [
    ...[BEGIN, ...(features === undefined ? ["[features]", NO_TTY] : [])],
    ...["[[hooks.PreToolUse]]", "[[hooks.PreToolUse.hooks]]", 'type = "command"'],
    ...[`command = ${JSON.stringify(commandLine(command))}`, `timeout = ${seconds}`, END, ""],
  ].join("\n");
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  const written = `${before}${separator}${block}`;
  if (settingsOf(written).features?.[TTY] !== false)
    throw new CliError(`\`features.${TTY}\` is not off: write \`${NO_TTY}\` there, as ${FED}`);
  return written;
}

/** Throws CliError for what cannot be read as TOML. */
function settingsOf(text: string): CodexSettings {
  const { root, diagnostics } = parseToml(new SourceFile("config.toml", text));
  if (diagnostics[0] !== undefined) throw new CliError(`the hook cannot be added: ${diagnostics[0].message}`);
  return root === undefined ? {} : (toPlain(root) as CodexSettings);
}

/** The table `[features]` that is there, with terminals off. */
function withoutTerminal(text: string): string {
  const { features } = settingsOf(text);
  if (features === undefined || features[TTY] !== undefined) return text;
  return text.replace(/^[ \t]*\[[ \t]*features[ \t]*\][^\n]*\n?/m, (line) => `${line.trimEnd()}\n${NO_TTY}\n`);
}

/** A project's settings, too: those have no hook of ours, and may say nothing of terminals. */
export function readCodexHooks(text: string): Configured {
  const { root, diagnostics } = parseToml(new SourceFile("config.toml", text));
  if (root === undefined || diagnostics[0] !== undefined)
    return { hooks: [], problems: [`config.toml cannot be read: ${diagnostics[0]?.message}`] };
  const { features, hooks: events } = toPlain(root) as CodexSettings;
  const problems: string[] = [];
  for (const name of ["hooks", "codex_hooks"])
    if (features?.[name] === false) problems.push(`\`features.${name}\` is off, so that no hook is asked`);
  const hooks: Hook[] = [];
  for (const { matcher, hooks: entries } of Array.isArray(events?.PreToolUse) ? events.PreToolUse : [])
    for (const { type, command = "", timeout = 0 } of entries ?? []) {
      if (!isHookLine(String(command))) continue;
      if (matcher !== undefined) problems.push(`the hook is asked for ${JSON.stringify(matcher)} alone`);
      const read = type === "command" ? readCommandLine(command) : undefined;
      if (read === undefined) problems.push(`the hook: ${NOT_OURS}`);
      else hooks.push({ command: read, seconds: timeout });
    }
  const terminal = features?.[TTY];
  if (terminal !== false && (hooks.length > 0 || terminal !== undefined))
    problems.push(`\`features.${TTY}\` is not off: ${FED}`);
  return { hooks, problems };
}

function withoutBlock(text: string): string {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) return text;
  return text.slice(0, from) + text.slice(to + END.length).replace(/^\n/, "");
}
