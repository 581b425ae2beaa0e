/** Hooks in settings of JSON: `{ hooks: { EVENT: [{ matcher?, hooks: [{ type, command, timeout, … }] }] } }`. */

import { parseJson, SourceFile } from "@portcullis/documents";
import { CliError } from "../../exit.ts";
import type { Configured, Hook } from "./agent-host.ts";
import { commandLine, isHookLine, readCommandLine } from "./command.ts";

type Settings = Record<string, unknown>;

export interface JsonHooks {
  /** All of them have to ask. */
  readonly events: readonly string[];
  /** The one after a tool. */
  readonly end: string;
  /** The host's unit of time-outs, in a second. */
  readonly perSecond: number;
  /** What else an entry says, and must say. */
  readonly more: Readonly<Record<string, string>>;
  /** Why hooks do not run with these settings. */
  disabled(settings: Settings): string | undefined;
}

interface AtEvent {
  readonly hooks: readonly Omit<Hook, "hearsEnds">[];
  readonly problems: readonly string[];
}

export function writeJsonHook(shape: JsonHooks, text: string | undefined, hook: Hook): string {
  const settings = text === undefined || text.trim() === "" ? {} : settingsOf(text);
  const hooks = objectAt(settings, "hooks");
  const entry = {
    ...{ type: "command", ...shape.more, command: commandLine(hook.command) },
    timeout: hook.seconds * shape.perSecond,
  };
  const asking = shape.events.map((event) => [event, [...keptAt(hooks, event), { hooks: [entry] }]] as const);
  const others = keptAt(hooks, shape.end);
  const ended = hook.hearsEnds ? [...others, { hooks: [entry] }] : others;
  const ends = ended.length > 0 || hooks[shape.end] !== undefined ? [[shape.end, ended] as const] : [];
  const written = { ...settings, hooks: { ...hooks, ...Object.fromEntries([...asking, ...ends]) } };
  return `${JSON.stringify(written, null, indentOf(text))}\n`;
}

/** What else is asked at an event. Throws CliError where no list stands there. */
function keptAt(hooks: Settings, event: string): unknown[] {
  if (hooks[event] !== undefined && !Array.isArray(hooks[event]))
    throw new CliError(`\`hooks.${event}\` of the settings is no list`);
  return groupsOf(hooks[event]).flatMap((group) => {
    const others = entriesOf(group).filter((entry) => !isOurs(entry));
    if (others.length === entriesOf(group).length) return [group];
    return others.length === 0 ? [] : [{ ...(group as Settings), hooks: others }];
  });
}

export function readJsonHooks(shape: JsonHooks, text: string): Configured {
  let settings: Settings;
  try {
    settings = settingsOf(text);
  } catch (error) {
    return { hooks: [], problems: [(error as Error).message] };
  }
  const disabled = shape.disabled(settings);
  const [first = { hooks: [], problems: [] }, ...others] = shape.events.map((event) =>
    readEvent(shape, settings, event),
  );
  const end = readEvent(shape, settings, shape.end);
  const hearsEnds = end.hooks.length > 0;
  // Each event asks the same hook.
  const isSame = ({ hooks }: AtEvent): boolean => JSON.stringify(hooks) === JSON.stringify(first.hooks);
  const apart = others.flatMap((one, i) =>
    isSame(one) ? [] : [`another hook, or none, is asked at \`${shape.events[i + 1]}\``],
  );
  if (hearsEnds && !isSame(end)) apart.push(`another hook is told at \`${shape.end}\``);
  const problems = [first, ...others, ...(hearsEnds ? [end] : [])].flatMap((one) => one.problems);
  return {
    hooks: first.hooks.map((hook) => ({ ...hook, hearsEnds })),
    problems: [...(disabled === undefined ? [] : [disabled]), ...problems, ...apart],
  };
}

/** The hooks of ours at one event. */
function readEvent(shape: JsonHooks, settings: Settings, event: string): AtEvent {
  const problems: string[] = [];
  const hooks: Omit<Hook, "hearsEnds">[] = [];
  const events = isObject(settings["hooks"]) ? settings["hooks"] : {};
  if (!groupsOf(events[event]).every(isRead))
    problems.push(`not every hook at \`${event}\` is one that can be read: a host may then take nothing of the file`);
  for (const group of groupsOf(events[event]))
    for (const entry of entriesOf(group).filter(isOurs)) {
      const { command, timeout, ...more } = entry;
      const { matcher = "" } = group as Settings;
      if (matcher !== "" && matcher !== "*") problems.push(`the hook is asked for ${JSON.stringify(matcher)} alone`);
      const wanted: Settings = { type: "command", ...shape.more };
      for (const name of new Set([...Object.keys(wanted), ...Object.keys(more)]))
        if (more[name] !== wanted[name])
          problems.push(`the hook's \`${name}\` is ${JSON.stringify(more[name])}, not ${JSON.stringify(wanted[name])}`);
      const read = readCommandLine(command as string);
      if (read === undefined) problems.push(`the hook is not as \`init --for\` writes it: ${command}`);
      else hooks.push({ command: read, seconds: typeof timeout === "number" ? timeout / shape.perSecond : 0 });
    }
  return { hooks, problems };
}

/** Throws CliError: what is lost when it is written again, such as comments, is not to be read either. */
export function settingsOf(text: string): Settings {
  const { diagnostics } = parseJson(new SourceFile("settings", text));
  if (diagnostics[0] !== undefined)
    throw new CliError(`the settings are not JSON as it should be: ${diagnostics[0].message}`);
  const settings: unknown = JSON.parse(text);
  if (!isObject(settings)) throw new CliError("the settings are no object");
  return settings;
}

/** Throws CliError where something else stands there. */
function objectAt(settings: Settings, name: string): Settings {
  const value = settings[name] ?? {};
  if (!isObject(value)) throw new CliError(`\`${name}\` of the settings is no object`);
  return value;
}

function isRead(group: unknown): boolean {
  const { matcher = "", hooks } = (isObject(group) ? group : {}) as Settings;
  const isEntry = (entry: unknown): boolean =>
    isObject(entry) &&
    typeof entry["type"] === "string" &&
    (entry["type"] !== "command" || typeof entry["command"] === "string");
  return typeof matcher === "string" && Array.isArray(hooks) && hooks.every(isEntry);
}

function groupsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(group: unknown): Settings[] {
  const hooks = isObject(group) ? group["hooks"] : undefined;
  return Array.isArray(hooks) ? hooks.filter(isObject) : [];
}

function isOurs(entry: Settings): boolean {
  return typeof entry["command"] === "string" && isHookLine(entry["command"]);
}

function isObject(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function indentOf(text: string | undefined): string {
  return /^\{\r?\n([ \t]+)"/.exec(text ?? "")?.[1] ?? "  ";
}
