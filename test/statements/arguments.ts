/**
 * The gate ARGUMENTS, stated from `arguments.md`: over what the tool's file says, and not over what the compiler makes of it.
 * Folding is by this engine's own Unicode.
 */
import { type Decision, field, isObject } from "./values.ts";

/** A tool as tool_registry.yaml has it, as far as this page goes. */
export interface WrittenTool {
  readonly arguments?: { readonly [name: string]: WrittenArgument | null };
  readonly other_arguments?: string;
}

export interface WrittenArgument extends WrittenRule {
  readonly required?: boolean;
  readonly each?: WrittenRule;
}

export interface WrittenRule extends WrittenMembers {
  readonly type?: string;
  readonly approval?: string | (WrittenMembers & { readonly bound?: boolean });
}

type Limit = number | { readonly [role: string]: number };

export interface WrittenMembers {
  readonly one_of?: readonly unknown[];
  readonly pattern?: string;
  readonly max_length?: number;
  readonly min?: Limit;
  readonly max?: Limit;
  readonly paths?: {
    readonly below: readonly string[];
    readonly except?: readonly string[];
    readonly resolve?: string;
  };
  readonly hosts?: readonly string[];
  readonly schemes?: readonly string[];
  readonly commands?: readonly string[];
}

/** The members of the page's table, in its order. */
const ORDER = ["one_of", "pattern", "max_length", "min", "max", "paths", "hosts", "schemes", "commands"] as const;
type Member = (typeof ORDER)[number];

type Fault = { readonly reason: string; readonly rule?: Member };

interface Asked {
  readonly value: unknown;
  readonly path: unknown;
  readonly role: unknown;
}

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const deny = (reason: string, more: object = {}): Decision => ({ allowed: false, gate: "ARGUMENTS", reason, ...more });

/** `undefined` where the arguments are what the tool says. */
export function argumentsDenial(tool: WrittenTool | undefined, input: unknown): Decision | undefined {
  const declared = declaredBy(tool);
  if (declared === undefined) return undefined;
  const given = field(input, "args") ?? {};
  if (!isObject(given)) return deny("arguments_malformed");
  for (const argument of [...new Set([...Object.keys(declared), ...Object.keys(given)])].sort(byCodePoint)) {
    if (!Object.hasOwn(declared, argument)) {
      if (tool?.other_arguments === "allow") continue;
      return deny("argument_unknown", { argument });
    }
    const rule = declared[argument] ?? {};
    const value = field(given, argument) ?? undefined;
    if (value === undefined) {
      if (rule.required === false) continue;
      return deny("argument_missing", { argument });
    }
    if (!isOfType(rule.type, value)) return deny("argument_type", { argument });
    const asked = { value, path: pathOf(input, argument), role: field(input, "role") };
    const wrong = wrongElement(rule, asked) ?? fault(rule, asked);
    if (wrong !== undefined) {
      const { reason, ...more } = wrong;
      return deny(reason, { argument, ...more });
    }
  }
  return undefined;
}

/** Whether some argument has a value that needs a person. */
export function approvalOfArguments(tool: WrittenTool | undefined, input: unknown): ("required" | "bound")[] {
  const role = field(input, "role");
  return Object.entries(declaredBy(tool) ?? {}).flatMap(([argument, said]) => {
    const rule = said ?? {};
    const value = field(field(input, "args"), argument) ?? undefined;
    if (value === undefined) return [];
    const path = pathOf(input, argument);
    const { each } = rule;
    return [
      ...(needsPerson(rule, { value, path, role }) ? [kindOf(rule)] : []),
      ...(each !== undefined && elementsOf(value, path).some((e) => needsPerson(each, { ...e, role }))
        ? [kindOf(each)]
        : []),
    ];
  });
}

/** Whether a person's name is enough, or the approval is for the very call. */
function kindOf({ approval }: WrittenRule): "required" | "bound" {
  const isBound = typeof approval === "object" ? approval.bound === true : approval === "bound";
  return isBound ? "bound" : "required";
}

function declaredBy(tool: WrittenTool | undefined): { readonly [name: string]: WrittenArgument | null } | undefined {
  return tool?.arguments ?? (tool?.other_arguments === "deny" ? {} : undefined);
}

function pathOf(input: unknown, argument: string): unknown {
  return field(field(field(input, "facts"), "paths"), argument);
}

function elementsOf(value: unknown, path: unknown): { value: unknown; path: unknown }[] {
  const list = Array.isArray(value) ? value : [];
  const paths = Array.isArray(path) && path.length === list.length ? path : [];
  return list.map((one, i) => ({ value: one, path: paths[i] }));
}

function wrongElement(
  { each }: WrittenArgument,
  { value, path, role }: Asked,
): (Fault & { index: number }) | undefined {
  if (each === undefined) return undefined;
  for (const [index, element] of elementsOf(value, path).entries()) {
    if (element.value === null || !isOfType(each.type, element.value)) return { reason: "argument_type", index };
    const wrong = fault(each, { ...element, role });
    if (wrong !== undefined) return { ...wrong, index };
  }
  return undefined;
}

function isOfType(type: string | undefined, value: unknown): boolean {
  switch (type ?? "string") {
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "list":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "any":
      return value !== null;
    default:
      return typeof value === (type ?? "string");
  }
}

/** The two ways in which a value may be allowed: by all members, and with those that `approval` has in place of theirs. */
function ways(rule: WrittenRule): {
  readonly alone: WrittenMembers | undefined;
  readonly second: WrittenMembers | undefined;
} {
  const members = Object.fromEntries(
    ORDER.flatMap((m) => (rule[m] === undefined ? [] : [[m, rule[m]]])),
  ) as WrittenMembers;
  if (typeof rule.approval !== "object") return { alone: members, second: undefined };
  // `schemes` is `https` where it is not said.
  const isNew = ORDER.some(
    (m) =>
      (rule.approval as WrittenMembers)[m] !== undefined &&
      members[m] === undefined &&
      !(m === "schemes" && members.hosts),
  );
  return { alone: isNew ? undefined : members, second: { ...members, ...rule.approval } };
}

function fault(rule: WrittenRule, asked: Asked): Fault | undefined {
  const { alone, second } = ways(rule);
  const first = alone === undefined ? undefined : refusal(alone, asked);
  if (alone !== undefined && first === undefined) return undefined;
  const other = second === undefined ? undefined : refusal(second, asked);
  if (second !== undefined && other === undefined) return undefined;
  return first ?? other;
}

function needsPerson(rule: WrittenRule, asked: Asked): boolean {
  if (typeof rule.approval === "string") return true;
  if (rule.approval === undefined) return false;
  const { alone, second = {} } = ways(rule);
  if (alone === undefined || refusal(alone, asked) !== undefined) return true;
  const own = rule.approval;
  const isOfUrl = own.hosts !== undefined || own.schemes !== undefined;
  const { hosts, schemes } = second;
  const whole = isOfUrl ? { ...own, ...(hosts && { hosts }), ...(schemes && { schemes }) } : own;
  return refusal(whole, asked) === undefined;
}

/** The first member that refuses. */
function refusal(members: WrittenMembers, asked: Asked): Fault | undefined {
  for (const member of ORDER) {
    const wrong = asks[member](members, asked);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const not = (rule: Member): Fault => ({ reason: "argument_not_allowed", rule });

const asks: { readonly [m in Member]: (members: WrittenMembers, asked: Asked) => Fault | undefined } = {
  one_of: ({ one_of }, { value }) =>
    one_of === undefined || one_of.some((one) => canonical(one) === canonical(value)) ? undefined : not("one_of"),
  pattern: ({ pattern }, { value }) =>
    pattern === undefined || wholeText(pattern).test(value as string) ? undefined : not("pattern"),
  max_length: ({ max_length }, { value }) =>
    max_length === undefined || [...(value as string | unknown[])].length <= max_length ? undefined : not("max_length"),
  min: ({ min }, { value, role }) =>
    min === undefined || (value as number) >= (limit(min, role) ?? Number.POSITIVE_INFINITY) ? undefined : not("min"),
  max: ({ max }, { value, role }) =>
    max === undefined || (value as number) <= (limit(max, role) ?? Number.NEGATIVE_INFINITY) ? undefined : not("max"),
  paths: ({ paths }, { value, path }) => {
    if (paths === undefined) return undefined;
    const place = paths.resolve === "text" ? value : path;
    if (typeof place !== "string" || !isCanonical(place)) return { reason: "path_unresolved" };
    const inside = (one: string, folder: string): boolean =>
      folder === "." || one === folder || one.startsWith(`${folder}/`);
    const isExcepted = (paths.except ?? []).some((folder) => inside(fold(place), fold(folder)));
    return paths.below.some((folder) => inside(place, folder)) && !isExcepted ? undefined : not("paths");
  },
  hosts: ({ hosts }, { value }) => (hosts === undefined || isHosted(hosts, value as string) ? undefined : not("hosts")),
  schemes: ({ hosts, schemes }, { value }) => {
    if (hosts === undefined) return undefined;
    return (schemes ?? ["https"]).includes((value as string).slice(0, (value as string).indexOf("://")))
      ? undefined
      : not("schemes");
  },
  commands: ({ commands }, { value }) => {
    if (commands === undefined) return undefined;
    const words = plainWords(value as string);
    if (words === undefined) return { reason: "command_not_plain" };
    return commands.some((pattern) => matches(pattern, words)) ? undefined : not("commands");
  },
};

/** RE2 as far as this engine reads it alike, and texts between `\\Q` and `\\E` or the end. */
function wholeText(pattern: string): RegExp {
  const escaped = (_: string, text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`^(?:${pattern.replace(/\\Q([\s\S]*?)(?:\\E|$)/g, escaped)})$`, "u");
}

function limit(of: Limit, role: unknown): number | undefined {
  if (typeof of === "number") return of;
  if (typeof role === "string" && role !== "default" && Object.hasOwn(of, role)) return of[role];
  return Object.hasOwn(of, "default") ? of["default"] : undefined;
}

/** JSON with sorted keys: `1` and `1.0` are one number here. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

function isCanonical(path: string): boolean {
  const isForbidden = (code: number): boolean => code < 0x20 || (code >= 0x7f && code <= 0x9f);
  if ([...path].some((c) => c === "\\" || c === ":" || isForbidden(c.codePointAt(0) as number))) return false;
  return path.split("/").every((segment) => segment !== "" && !/[. ]$/.test(segment) && !/~[0-9]/.test(segment));
}

/** NFD and full case folding to a fixed point, without marks and format characters. */
function fold(path: string): string {
  const cased = (text: string): string => {
    if (text === "ı") return text;
    return text.toUpperCase().toLowerCase().replaceAll("ς", "σ");
  };
  let [before, text] = ["", path];
  while (before !== text) {
    before = text;
    text = [...text.normalize("NFD")].map((c) => cased(c)).join("");
  }
  return text.replace(/[\p{M}\p{Cf}]/gu, "");
}

const PORTS: Readonly<Record<string, string>> = { https: "443", http: "80" };

function isHosted(entries: readonly string[], url: string): boolean {
  if ([...url].some((c) => c < "!" || c > "~" || c === "\\")) return false;
  const end = url.indexOf("://");
  const scheme = url.slice(0, Math.max(end, 0));
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) return false;
  const authority = url.slice(end + 3).split(/[/?#]/)[0] as string;
  const [host = "", port, ...rest] = authority.split(":");
  if (rest.length > 0 || (port !== undefined && !/^(?:0|[1-9]\d{0,4})$/.test(port))) return false;
  const labels = host.split(".");
  if (!labels.every((label) => /^[a-z0-9-]+$/.test(label))) return false;
  const own = PORTS[scheme];
  return entries.some((entry) => {
    const [name = "", wanted = own] = entry.split(":");
    if ((port ?? own) !== wanted) return false;
    if (!name.startsWith("*.")) return name === host;
    const isAddress = /^\d+$/.test(labels.at(-1) as string) || labels.at(-1)?.startsWith("0x") === true;
    return !isAddress && host.endsWith(name.slice(1)) && !labels.some((label) => label.startsWith("xn--"));
  });
}

/** The words, without their quotes; `undefined` for a line that shells may read in several ways. */
function plainWords(line: string): string[] | undefined {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    const quote = line[at];
    let word: string;
    if (quote === "'" || quote === '"') {
      const end = line.indexOf(quote, at + 1);
      if (end < 0) return undefined;
      word = line.slice(at + 1, end);
      if ([...word].some((c) => c < " " || c > "~" || "$`\\!".includes(c))) return undefined;
      at = end + 1;
    } else {
      const end = line.indexOf(" ", at);
      word = line.slice(at, end < 0 ? line.length : end);
      if (word === "" || word.startsWith("=") || ![...word].every((c) => /[A-Za-z0-9_@+=:,./-]/.test(c)))
        return undefined;
      at += word.length;
    }
    if (words.length === 0 && word.includes("=")) return undefined;
    words.push(word);
    if (at === line.length) return words;
    if (line[at] !== " ") return undefined;
    at++;
  }
}

function matches(pattern: string, words: readonly string[]): boolean {
  const isOperand = (word: string): boolean => !/^[-+@]/.test(word);
  const wanted = pattern.match(/'[^']*'|"[^"]*"|[^ ]+/g) ?? [];
  const last = wanted.at(-1);
  const fixed = last === "*" || last === "**" ? wanted.slice(0, -1) : wanted;
  const rest = words.slice(fixed.length);
  if (words.length < fixed.length) return false;
  if (last === "*" ? !rest.every(isOperand) : last !== "**" && rest.length > 0) return false;
  return fixed.every((one, i) => {
    const word = words[i] as string;
    if (one === "*") return isOperand(word);
    if (one === "-*") return word.startsWith("-");
    return word === (/^['"]/.test(one) ? one.slice(1, -1) : one);
  });
}
