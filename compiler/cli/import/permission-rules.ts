/** The rules in `permissions` of an agent host's settings: `Bash(git diff:*)`, `Read(./src/**)`, `WebFetch(domain:…)`, `mcp__a__b`. */

import type { LeftOut } from "./draft.ts";
import { WRITING } from "./protected-files.ts";

/** What the settings do with calls that a rule names. A denial wins over a question, and that over an allow. */
export type Effect = "allow" | "ask" | "deny";

export interface PermissionRule {
  /** As written. */
  readonly text: string;
  readonly effect: Effect;
  readonly tool: string;
  /** What stands in parentheses; `undefined`: every call of the tool. */
  readonly of: string | undefined;
}

/** The rules, and what none of them is. `isProjects`: the settings stand in a project, where a path begins at its root. */
export function readRules(permissions: object, isProjects: boolean): { rules: PermissionRule[]; leftOut: LeftOut[] } {
  const [rules, leftOut]: [PermissionRule[], LeftOut[]] = [[], []];
  const { defaultMode: mode, additionalDirectories, ...lists } = permissions as { readonly [key: string]: unknown };
  for (const effect of ["deny", "ask", "allow"] as const) {
    const written = lists[effect];
    if (written !== undefined && !Array.isArray(written))
      leftOut.push({ what: `\`permissions.${effect}\``, why: "it is no list" });
    for (const text of Array.isArray(written) ? (written as unknown[]) : []) {
      // In this mode what would be asked is denied.
      const held = effect === "ask" && mode === "dontAsk" ? "deny" : effect;
      const rule = typeof text === "string" ? parseRule(text, held) : undefined;
      const why = rule === undefined ? "it is no rule of a tool" : unheld(rule, mode, isProjects);
      if (rule !== undefined && why === undefined) rules.push(rule);
      else leftOut.push({ what: `${effect} \`${String(text)}\``, why: why as string });
    }
  }
  if (mode !== undefined && !["default", "dontAsk", "plan"].includes(mode as string))
    leftOut.push({
      what: `\`defaultMode: ${String(mode)}\``,
      why: "it allows what no rule names; what no draft names is denied",
    });
  if (additionalDirectories !== undefined)
    leftOut.push({ what: "`additionalDirectories`", why: "they lie outside of the project's root" });
  return { rules, leftOut };
}

/** Why the settings do not allow what a rule seems to. */
function unheld({ tool, effect, of }: PermissionRule, mode: unknown, isProjects: boolean): string | undefined {
  if (effect === "deny") return undefined;
  if (mode === "plan" && WRITING.includes(tool)) return "in the mode `plan` no file is written";
  if (effect === "allow" && of !== undefined && tool !== "Edit" && WRITING.includes(tool))
    return `files that may be written are read from rules of \`Edit\` alone: write \`Edit(${of})\``;
  if (!isProjects && /^\/(?!\/)/.test(of ?? "") && [...WRITING, "Read", "NotebookRead"].includes(tool))
    return "it begins at the folder of these settings, and not at the root of a project: write `./`";
  return undefined;
}

/** Other names of tools. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["Brief", "SendUserMessage"],
  ["KillBash", "TaskStop"],
  ["KillShell", "TaskStop"],
  ["ListPeers", "ListAgents"],
  ["Task", "Agent"],
]);

/** `undefined` for a text that is not a rule. */
export function parseRule(text: string, effect: Effect): PermissionRule | undefined {
  const [, written, of] = /^([A-Za-z_*][\w.*-]*)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (written === undefined || (of === "" && effect === "allow")) return undefined;
  const tool = ALIASES.get(written) ?? written;
  // Quotes around all of it are no part of what a denial is about. What they allow is what begins with a quote.
  const bare = effect === "allow" ? of : (/^(["'])(.+)\1$/s.exec(of ?? "")?.[2] ?? of);
  return { text, effect, tool, of: bare === "*" || bare === "" ? undefined : bare };
}

/** Whether a rule names many tools: all of a server (`mcp__files`), or those that a `*` stands for. */
export function namesMany({ tool }: Pick<PermissionRule, "tool">): boolean {
  return tool.includes("*") || /^mcp__(?!.*__)/.test(tool);
}

export function isAbout({ tool }: Pick<PermissionRule, "tool">, name: string): boolean {
  if (tool === name || (/^mcp__(?!.*__)/.test(tool) && name.startsWith(`${tool}__`))) return true;
  const parts = tool.split("*").map((part) => part.replace(/[^\w-]/g, "\\$&"));
  return parts.length > 1 && new RegExp(`^${parts.join(".*")}$`).test(name);
}

/** A rule of commands: these words, and perhaps more behind them. */
export interface CommandRule {
  /** As written. */
  readonly written: readonly string[];
  /** Without quotes: a shell reads `git "push"` as `git push`. */
  readonly words: readonly string[];
  /** Whether any words may follow. */
  readonly isOpen: boolean;
  /**
   * Whether the words are all that is known of it: the rule says more, which no pattern can say (a `*` within). Good enough for
   * a denial, which is then taken for all that begins with these words.
   */
  readonly isWider: boolean;
}

/** Words before the first `*`. `git diff:*` and `git diff *` are all commands that begin with these words. */
export function commandRule(of: string): CommandRule {
  const isPrefix = of.endsWith(":*") || of.endsWith(" *");
  const body = isPrefix ? of.slice(0, -2) : of;
  const star = body.indexOf("*");
  const before = star < 0 ? body : body.slice(0, star).replace(/[^ ]*$/, "");
  const all = before.match(/(?:"[^"]*"|'[^']*'|[^ "'])+|["']/g) ?? [];
  // A word that a shell puts together, `pu"sh"` or `pu\\sh`: only what stands before it is known.
  const odd = all.findIndex((word) => /["'\\]/.test(word) && !/^(?:"[^"\\]*"|'[^']*')$/.test(word));
  const written = odd < 0 ? all : all.slice(0, odd);
  return {
    written,
    words: written.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2")),
    isOpen: isPrefix || star >= 0 || odd >= 0,
    isWider: star >= 0 || odd >= 0,
  };
}

/** A program's name, also where it is written with its folder. */
export function nameOf(program = ""): string {
  return program.split("/").at(-1) as string;
}

/** Whether some command is of both rules. */
export function overlap(a: CommandRule, b: CommandRule): boolean {
  const [short, long] = a.words.length <= b.words.length ? [a, b] : [b, a];
  return begins(long, short) && (short.isOpen || short.words.length === long.words.length);
}

function begins(long: CommandRule, short: CommandRule): boolean {
  return short.words.every((word, i) => (i === 0 ? nameOf(word) === nameOf(long.words[0]) : word === long.words[i]));
}

/** Whether every command of the one is of the other. */
export function within(inner: CommandRule, outer: CommandRule): boolean {
  if (outer.isWider || !begins(inner, outer)) return false;
  return outer.isOpen || (!inner.isOpen && inner.words.length === outer.words.length);
}

/** A file or folder from the project's root; `undefined` for what is elsewhere, or not one place. */
export function placeOf({ of = "", effect }: Pick<PermissionRule, "of" | "effect">): string | undefined {
  if (/^(?:\/\/|~)/.test(of) || of.includes("\\")) return undefined;
  // `secrets/**` is the root's where it allows. Where it denies or asks, it is a folder of that name anywhere.
  if (effect !== "allow" && /^(?!\.{1,2}\/)[^/]+\/(?:\*\*)?$/.test(of)) return undefined;
  // Without a slash in it, a rule means files of that name in any folder.
  if (!/\//.test(of.replace(/\/\*\*$/, "/"))) return undefined;
  const path = of
    .replace(/^\.?\//, "")
    .replace(/\/?\*\*$/, "")
    .replace(/\/$/, "");
  if (/[*?[\]{}!]/.test(path)) return undefined;
  if (path === "") return ".";
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..") ? path : undefined;
}

/** Whether a rule is about files of the machine or of a user's own programs, among which no project lies. Those are denied anyway. */
export function isElsewhere(of: string): boolean {
  return /^(?:~\/\.[\w-]+|\/\/(?:etc|proc|sys|dev|boot|usr|bin|sbin|lib))(?:\/|$)/.test(of);
}
