/** Calls at the edges of limits: what hosts may say of earlier calls, and of the time. The tables only say what to try. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { keys, member } from "../policy-ids.ts";

/** A Monday in June, in UTC: an ordinary week, in which few clocks change. */
const MONDAY = Date.UTC(2026, 5, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;

interface Row {
  readonly id: string;
  readonly limit: JsonObject;
}

/** The limits of any of the policies that have to do with a tool. */
function rowsOf(tables: readonly JsonObject[], tool: string): Row[] {
  return tables.flatMap((table) => {
    const ids = member(member(member(table, "tools"), tool), "limits");
    return (Array.isArray(ids) ? ids : []).flatMap((id) => {
      const limit = member(member(table, "limits"), String(id));
      return isJsonObject(limit) ? [{ id: String(id), limit }] : [];
    });
  });
}

/** What else a request says that keeps every limit, at some times of the week; none for a tool without limits. */
export function* keepingLimits(
  tables: readonly JsonObject[],
  tool: string,
  { scope, args, facts }: JsonObject,
): Generator<JsonObject> {
  const rows = rowsOf(tables, tool);
  if (rows.length === 0) return;
  const more = { scope: objectOf(scope), args: objectOf(args) };
  for (const { limit } of rows) {
    for (const name of texts(limit["per"])) if (name.startsWith("scope.")) more.scope[name.slice(6)] = "x-1";
    const of = String(member(limit["max_sum"], "of") ?? "");
    // An amount that the tool's own arguments have already is a good one.
    if (of.startsWith("args.")) more.args[of.slice(5)] ??= 1;
    if (of.startsWith("scope.")) more.scope[of.slice(6)] = 1;
  }
  for (const now of times(rows)) yield { ...more, facts: { ...objectOf(facts), ...factsOf(rows, now) } };
}

/** The same request, with one thing at a time at an edge of a limit. */
export function* atLimits(tables: readonly JsonObject[], tool: string, input: JsonObject): Generator<JsonObject> {
  const rows = rowsOf(tables, tool);
  const facts = input["facts"];
  const now = member(facts, "now");
  if (rows.length === 0 || !isJsonObject(facts) || typeof now !== "number") return;
  const told = (id: string, said: JsonObject): JsonObject => {
    const history = objectOf(facts["history"]);
    return { facts: { ...facts, history: { ...history, [id]: { ...objectOf(history[id]), ...said } } } };
  };
  for (const { id, limit } of rows) {
    const { max_calls: calls, only_after: after, never_after: never, only_during: hours } = limit;
    const most = member(limit["max_sum"], "at_most");
    if (typeof calls === "number") for (const n of [calls - 1, calls]) yield told(id, { calls: Math.max(0, n) });
    if (typeof most === "number") for (const n of [most - 1, most]) yield told(id, { sum: Math.max(0, n) });
    const within = member(after, "within_ms");
    for (const one of keys(member(after, "tools")))
      for (const past of typeof within === "number" ? [within, within + 1] : [1])
        yield told(id, { last_ms: { [one]: now - past } });
    if (after !== undefined) yield told(id, { last_ms: {} });
    for (const one of keys(member(never, "tools"))) yield told(id, { last_ms: { [one]: now } });
    if (hours !== undefined)
      for (const time of edgesOf(hours, now)) yield { facts: { ...facts, ...factsOf(rows, time) } };
  }
  yield { facts: { ...facts, session: null } };
  for (const name of rows.flatMap(({ limit }) => texts(limit["per"])))
    if (name.startsWith("scope.")) yield { scope: { ...(input["scope"] as JsonObject), [name.slice(6)]: null } };
}

function factsOf(rows: readonly Row[], now: number): JsonObject {
  const history = rows.map(({ id, limit }) => {
    const last = keys(member(limit["only_after"], "tools")).map((tool) => [tool, now]);
    return [id, { calls: 0, sum: 0, last_ms: Object.fromEntries(last) }];
  });
  return { now, session: "s-1", history: Object.fromEntries(history) };
}

/** When the hours of some limit begin, on each day of a week; noon where no limit has hours. */
function times(rows: readonly Row[]): number[] {
  const begin = rows.flatMap(({ limit: { only_during: hours } }) =>
    hours === undefined ? [] : [localTime(hours, MONDAY, Number(member(hours, "from")))],
  );
  const first = begin.length === 0 ? [MONDAY + DAY / 2] : [...new Set(begin)];
  return Array.from({ length: begin.length === 0 ? 1 : 7 }, (_, day) => first.map((at) => at + day * DAY)).flat();
}

/** Minutes around both ends of the hours, on the same day and on every other of the week. */
function edgesOf(hours: unknown, now: number): number[] {
  const ends = ["from", "to"].map((end) => localTime(hours, now, Number(member(hours, end))));
  const days = Array.from({ length: 6 }, (_, day) => now + (day + 1) * DAY);
  return [...ends.flatMap((at) => [at - MINUTE, at]), ...days];
}

/** A time of the local day that `at` is on. */
function localTime(hours: unknown, at: number, minutes: number): number {
  const offsets = member(hours, "offsets");
  const found = (Array.isArray(offsets) ? offsets : []).find((one) => Array.isArray(one) && at < Number(one[0]));
  const offset = Array.isArray(found) ? Number(found[1]) : 0;
  const local = at + offset;
  return local - (local % DAY) - offset + minutes * MINUTE;
}

function objectOf(value: unknown): { [name: string]: unknown } {
  return isJsonObject(value) ? { ...value } : {};
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
