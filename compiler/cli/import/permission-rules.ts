/** The rules in `permissions` of an agent host's settings: `Bash(git diff:*)`, `Read(./src/**)`, `WebFetch(domain:…)`, `mcp__a__b`. */

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

/** `undefined` for a text that is not a rule. */
export function parseRule(text: string, effect: Effect): PermissionRule | undefined {
  const [, tool, of] = /^([A-Za-z_*][\w.*-]*)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined || (of === "" && effect === "allow")) return undefined;
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

/** Whether some command is of both rules. */
export function overlap(a: CommandRule, b: CommandRule): boolean {
  const [short, long] = a.words.length <= b.words.length ? [a, b] : [b, a];
  return (
    short.words.every((word, i) => word === long.words[i]) && (short.isOpen || short.words.length === long.words.length)
  );
}

/** Whether every command of the one is of the other. */
export function within(inner: CommandRule, outer: CommandRule): boolean {
  if (outer.isWider || !outer.words.every((word, i) => word === inner.words[i])) return false;
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
