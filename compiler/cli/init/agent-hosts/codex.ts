/** Codex: tables at the end of config.toml. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseToml, SourceFile, toPlain } from "@portcullis/documents";
import { CliError } from "../../exit.ts";
import type { Configured, Hook } from "./agent-host.ts";
import { commandLine, isHookLine, readCommandLine } from "./command.ts";
import { namesIn } from "./folders.ts";
import { NOT_OURS } from "./ours.ts";

interface CodexEntry {
  readonly type?: string;
  readonly command?: string;
  readonly timeout?: number;
}

interface CodexGroup {
  readonly matcher?: string;
  readonly hooks?: readonly CodexEntry[];
}

interface CodexSettings {
  readonly features?: Readonly<Record<string, unknown>>;
  readonly shell_environment_policy?: { readonly set?: unknown };
  readonly hooks?: {
    readonly PreToolUse?: readonly CodexGroup[];
    readonly PostToolUse?: readonly CodexGroup[];
    /** By the hook's place: the path of its file, the event, and two numbers. */
    readonly state?: Readonly<Record<string, { readonly enabled?: boolean }>>;
  };
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
export function writeCodexHook(text: string | undefined, { command, seconds, hearsEnds }: Hook): string {
  const before = withoutTerminal(withoutBlock(text ?? ""));
  const { features } = settingsOf(before);
  const block = [
    ...[...(features === undefined ? ["[features]", NO_TTY] : []), BEGIN],
    ...["PreToolUse", ...(hearsEnds ? ["PostToolUse"] : [])].flatMap((event) => [
      ...[`[[hooks.${event}]]`, `[[hooks.${event}.hooks]]`, 'type = "command"'],
      ...[`command = ${JSON.stringify(commandLine(command))}`, `timeout = ${seconds}`],
    ]),
    ...[END, ""],
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

/** What is wrong with profiles (`--profile NAME`), which count before the settings. Never throws. */
export function besideCodex(file: string): string[] {
  return codexProfiles(dirname(file)).flatMap((name) =>
    readCodexHooks(textOf(name)).problems.map((problem) => `\`${name}\`: ${problem}`),
  );
}

export function codexProfiles(folder: string): string[] {
  const names = namesIn(folder).filter((name) => name.endsWith(".config.toml"));
  return names.map((name) => join(folder, name));
}

/** As Codex writes a server's name in that of a tool: the hook is told of `b` of `a_` as of `mcp__a__b`. */
export function codexServer(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_]/g, "_").replaceAll(/^_+|_+$/g, "");
}

/** A profile that cannot be read is one for Codex, too, which then does not start. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * What is wrong with an administrator's file: `requirements.toml` is what the settings have to be, `managed_config.toml` counts
 * before the user's and `config.toml` after them.
 */
export function readCodexManaged(text: string, file: string, isOwn: boolean): readonly string[] {
  if (file.endsWith("managed_config.toml")) return readCodexHooks(text).problems;
  if (!file.endsWith("requirements.toml")) {
    const { root } = parseToml(new SourceFile("config.toml", text));
    return root === undefined ? ["config.toml cannot be read"] : offProblems((toPlain(root) as CodexSettings).features);
  }
  const { root } = parseToml(new SourceFile("requirements.toml", text));
  if (root === undefined) return ["requirements.toml cannot be read"];
  const { allow_managed_hooks_only: only, features } = toPlain(root) as CodexSettings & Record<string, unknown>;
  const managed = "`allow_managed_hooks_only` is on, so that no other hook is asked: this one belongs there";
  return [...(only === true && !isOwn ? [managed] : []), ...offProblems(features)];
}

/** What is wrong with a project's settings, beside their hooks. */
export function codexEnvironmentProblems(text: string): string[] {
  const set = plainOf(text).shell_environment_policy?.set ?? {};
  return JSON.stringify(set) === "{}"
    ? []
    : [
        "`shell_environment_policy.set` is the environment of commands, and names what an allowed one runs first (`BASH_ENV`, `PATH`): move it into your own settings",
      ];
}

/** Settings of a project as JSON; those that cannot be read, which `readCodexHooks` says, have none. */
export function asJson(text: string): string {
  return JSON.stringify(plainOf(text));
}

function plainOf(text: string): CodexSettings {
  const { root } = parseToml(new SourceFile("config.toml", text));
  return root === undefined ? {} : (toPlain(root) as CodexSettings);
}

function offProblems(features: CodexSettings["features"]): string[] {
  const off = ["hooks", "codex_hooks"].filter((name) => features?.[name] === false);
  return off.map((name) => `\`features.${name}\` is off, so that no hook is asked`);
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
  const asked = readEvent(events?.PreToolUse, ":pre_tool_use:");
  const end = readEvent(events?.PostToolUse, ":post_tool_use:");
  const hearsEnds = end.hooks.length > 0;
  const hooks = asked.hooks.map((hook) => ({ ...hook, hearsEnds }));
  const problems = [...offProblems(features), ...asked.problems, ...end.problems];
  if (hearsEnds && JSON.stringify(end.hooks) !== JSON.stringify(asked.hooks))
    problems.push("another hook is told at `PostToolUse`");
  // A profile has no hook of ours, and may switch off that of the settings.
  const places = [...asked.places, ...end.places];
  const isOurs = (key: string): boolean => places.length === 0 || places.some((place) => key.trim().endsWith(place));
  for (const [key, { enabled }] of Object.entries(events?.state ?? {}))
    if (enabled === false && /:(?:pre|post)_tool_use:/.test(key) && isOurs(key))
      problems.push(`\`hooks.state\` switches the hook off: ${JSON.stringify(key)}`);
  const terminal = features?.[TTY];
  if (terminal !== false && (hooks.length > 0 || terminal !== undefined))
    problems.push(`\`features.${TTY}\` is not off: ${FED}`);
  return { hooks, problems };
}

/** The hooks of ours at one event, and their places in Codex's own words. */
function readEvent(
  groups: readonly CodexGroup[] | undefined,
  event: string,
): {
  readonly hooks: readonly Omit<Hook, "hearsEnds">[];
  readonly problems: readonly string[];
  readonly places: readonly string[];
} {
  const problems: string[] = [];
  const hooks: Omit<Hook, "hearsEnds">[] = [];
  const places: string[] = [];
  for (const [group, { matcher, hooks: entries }] of listOf(groups).entries())
    for (const [at, { type, command = "", timeout = 0, ...more }] of listOf(entries).entries()) {
      if (!isHookLine(String(command))) continue;
      places.push(`${event}${group}:${at}`);
      if (matcher !== undefined) problems.push(`the hook is asked for ${JSON.stringify(matcher)} alone`);
      // Codex does not wait for an `async` one.
      for (const [name, value] of Object.entries(more))
        problems.push(`the hook's \`${name}\` is ${JSON.stringify(value)}: ${NOT_OURS}`);
      const read = type === "command" ? readCommandLine(command) : undefined;
      if (read === undefined) problems.push(`the hook: ${NOT_OURS}`);
      else hooks.push({ command: read, seconds: timeout });
    }
  return { hooks, problems, places };
}

/** The hook in a block, to the next table. */
const TABLES =
  /^\[\[hooks\.(?:PreToolUse|PostToolUse)\]\]\r?\n(?:(?!\[(?!\[hooks\.(?:PreToolUse|PostToolUse)\.hooks\]))[^\n]*\n)*/gm;

/** Codex writes new tables before the last comment, and a person's trust in the hook is one: what else is in the block is kept. */
function withoutBlock(text: string): string {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) return text;
  const others = text
    .slice(from + BEGIN.length, to)
    .replace(/^\n/, "")
    .replace(TABLES, "");
  return text.slice(0, from) + others + text.slice(to + END.length).replace(/^\r?\n/, "");
}

/** Nothing, where a text has something else than a list. */
function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}
