/**
 * The gate LIMITS, stated from `history.md`: over what limits.yaml says, and not over what the compiler makes of it. Local time
 * is by this engine's own zones.
 */
import { type Decision, field } from "./values.ts";

/** A limit as limits.yaml has it. */
export interface WrittenLimit {
  readonly limit_id: string;
  readonly calls?: Partial<Record<List, readonly string[]>>;
  readonly per?: readonly string[];
  readonly max_calls?: number;
  readonly max_sum?: { readonly of: string; readonly at_most: number };
  readonly within?: string;
  readonly only_after?: { readonly tools: readonly string[]; readonly within?: string };
  readonly never_after?: { readonly tools: readonly string[] };
  readonly only_during?: {
    readonly days?: readonly string[];
    readonly from: string;
    readonly to: string;
    readonly zone: string;
  };
}

type List = "tools" | "roles" | "lanes";

const LISTS: readonly (readonly [List, string])[] = [
  ["tools", "tool"],
  ["roles", "role"],
  ["lanes", "lane"],
];

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** `undefined` where every limit is kept. */
export function limitsDenial(limits: readonly WrittenLimit[], input: unknown): Decision | undefined {
  const inOrder = [...limits].sort((a, b) => byCodePoint(a.limit_id, b.limit_id));
  for (const limit of inOrder) {
    const fault = faultOf(limit, input);
    if (fault !== undefined) return { allowed: false, gate: "LIMITS", limit: limit.limit_id, ...fault };
  }
  return undefined;
}

function faultOf(limit: WrittenLimit, input: unknown): Decision | undefined {
  const { calls, only_after: after, never_after: never } = limit;
  const isSubject = LISTS.every(([list, member]) => calls?.[list]?.includes(field(input, member) as string) ?? true);
  const isRemembered = [after, never].some((rule) => rule?.tools.includes(field(input, "tool") as string));
  if (!isSubject && !isRemembered) return undefined;
  const isKeyed = (limit.per ?? []).every((name) => isText(keyOf(name, input)));
  const isCounted = !isSubject || limit.max_sum === undefined || isWhole(placeOf(limit.max_sum.of, input));
  if (!isKeyed || !isCounted) return { reason: "limit_key_missing" };
  const history = field(field(field(input, "facts"), "history"), limit.limit_id);
  const isNoted = typeof history === "object" && history !== null && !Array.isArray(history);
  if (never?.tools.includes(field(input, "tool") as string) && !isNoted) return { reason: "history_missing" };
  return isSubject ? broken(limit, input) : undefined;
}

function broken(limit: WrittenLimit, input: unknown): Decision | undefined {
  const facts = field(input, "facts");
  const now = field(facts, "now");
  const history = field(field(facts, "history"), limit.limit_id);
  if (!isWhole(now) || !isHistory(limit, history)) return { reason: "history_missing" };
  const free = field(history, "free_at_ms");
  const retry = isWhole(free) ? { retry_after_ms: Math.max(0, free - now) } : {};
  const { max_calls: most, max_sum: sum } = limit;
  if (most !== undefined && !(Number(field(history, "calls")) + 1 <= most)) return { reason: "limit_calls", ...retry };
  if (sum !== undefined) {
    // Exact beyond what a number can tell apart.
    const total = BigInt(field(history, "sum") as number) + BigInt(placeOf(sum.of, input) as number);
    if (!(total <= BigInt(sum.at_most))) return { reason: "limit_sum", ...retry };
  }
  if (!isInOrder(limit, field(history, "last_ms"), now)) return { reason: "limit_order" };
  return isInHours(limit.only_during, now) ? undefined : { reason: "limit_hours" };
}

function isHistory(limit: WrittenLimit, history: unknown): boolean {
  if (limit.max_calls !== undefined && !isWhole(field(history, "calls"))) return false;
  if (limit.max_sum !== undefined && !isWhole(field(history, "sum"))) return false;
  if (limit.only_after === undefined && limit.never_after === undefined) return true;
  const last = field(history, "last_ms");
  const isTable = typeof last === "object" && last !== null && !Array.isArray(last);
  return isTable && Object.values(last).every(isWhole);
}

function isInOrder({ only_after: after, never_after: never }: WrittenLimit, last: unknown, now: number): boolean {
  const isRecent = (tool: string): boolean => {
    const time = field(last, tool);
    const within = after?.within === undefined ? Number.POSITIVE_INFINITY : milliseconds(after.within);
    return typeof time === "number" && now - time >= 0 && now - time <= within;
  };
  if (after !== undefined && !after.tools.some(isRecent)) return false;
  return !(never?.tools ?? []).some((tool) => field(last, tool) !== undefined);
}

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

function isInHours(hours: WrittenLimit["only_during"], now: number): boolean {
  if (hours === undefined) return true;
  if (now < Date.UTC(2025, 0, 1) || now >= Date.UTC(2050, 0, 1)) return false;
  const { time, day } = localTime(now, hours.zone);
  const days = hours.days ?? DAYS;
  const isDay = (at: number): boolean => days.includes(DAYS[(at + 7) % 7] as string);
  const [from, to] = [hours.from, hours.to];
  if (to >= from) return from <= time && time < to && isDay(day);
  return (time >= from && isDay(day)) || (time < to && isDay(day - 1));
}

/** `09:00`, and the day of the week from Monday, 0. */
function localTime(now: number, zone: string): { readonly time: string; readonly day: number } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const part = (type: string): string => format.formatToParts(now).find((one) => one.type === type)?.value ?? "";
  return { time: `${part("hour")}:${part("minute")}`, day: DAYS.indexOf(part("weekday").toLowerCase()) };
}

function keyOf(name: string, input: unknown): unknown {
  if (name === "session") return field(field(input, "facts"), "session");
  return name.startsWith("scope.") ? placeOf(name, input) : field(input, name);
}

/** What `args.NAME` or `scope.NAME` names; the whole rest is the name. */
function placeOf(name: string, input: unknown): unknown {
  const dot = name.indexOf(".");
  return field(field(input, name.slice(0, dot)), name.slice(dot + 1));
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 2 ** 53 - 1;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400 };

function milliseconds(window: string): number {
  return Number(window.slice(0, -1)) * (UNITS[window.slice(-1)] as number) * 1000;
}
