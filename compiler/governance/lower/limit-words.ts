/** What limits say, in words for people: read from the policy's data, so that it is what decides. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { WEEKDAYS } from "../model/index.ts";

/** The sentence for one limit, without a period; `undefined` where the policy has no such limit. */
export function wordsOfLimit(policy: unknown, id: string): string | undefined {
  const limit = member(member(policy, "limits"), id);
  if (!isJsonObject(limit)) return undefined;
  const rules = [countWords(limit), afterWords(limit), neverWords(limit), hoursWords(limit)].filter((w) => w !== "");
  return `${callWords(limit["calls"])}: ${rules.join("; ")}`;
}

/** By id, the sentences for all limits, or for those that have to do with a tool. */
export function limitWords(policy: unknown, tool?: string): { readonly limit: string; readonly says: string }[] {
  const limits = member(policy, "limits");
  const own = tool === undefined ? undefined : member(member(member(policy, "tools"), tool), "limits");
  const ids = tool === undefined ? names(limits) : Array.isArray(own) ? own.map(String) : [];
  return ids.flatMap((limit) => {
    const says = wordsOfLimit(policy, limit);
    return says === undefined ? [] : [{ limit, says }];
  });
}

function callWords(calls: unknown): string {
  const some = (list: string): string | undefined => {
    const of = member(calls, list);
    return of === undefined ? undefined : names(of).join(", ");
  };
  const [tools, roles, lanes] = ["tools", "roles", "lanes"].map(some);
  return [tools ?? "calls", roles && `by ${roles}`, lanes && `in ${lanes}`].filter((w) => w !== undefined).join(" ");
}

function countWords(limit: JsonObject): string {
  const { max_calls: calls, max_sum: sum, within_ms: within } = limit;
  const parts = [
    ...(calls === undefined ? [] : [calls === 0 ? "no calls" : `at most ${String(calls)} calls`]),
    ...(sum === undefined ? [] : [`at most ${String(member(sum, "at_most"))} of ${String(member(sum, "of"))}`]),
  ];
  if (parts.length === 0) return "";
  return `${parts.join(", ")}${within === undefined ? "" : ` in ${duration(within)}`}${perWords(limit)}`;
}

function perWords({ per }: JsonObject): string {
  return Array.isArray(per) && per.length > 0 ? `, for each ${per.join(" and ")}` : "";
}

function afterWords(limit: JsonObject): string {
  const after = limit["only_after"];
  if (after === undefined) return "";
  const within = member(after, "within_ms");
  const tools = names(member(after, "tools")).join(" or ");
  return `only after ${tools}${within === undefined ? "" : ` in the last ${duration(within)}`}${perWords(limit)}`;
}

function neverWords(limit: JsonObject): string {
  const never = limit["never_after"];
  return never === undefined ? "" : `never after ${names(member(never, "tools")).join(" or ")}${perWords(limit)}`;
}

function hoursWords({ only_during: hours }: JsonObject): string {
  if (hours === undefined) return "";
  const days = WEEKDAYS.filter((day) => member(member(hours, "days"), day) === true);
  const which = days.length === WEEKDAYS.length ? "every day" : days.join(", ");
  const time = (key: string): string => clock(Number(member(hours, key)));
  return `${which} from ${time("from")} to ${time("to")} in ${String(member(hours, "zone"))}`;
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, "0")).join(":");
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

function duration(milliseconds: unknown): string {
  const time = Number(milliseconds);
  const [unit, length] = UNITS.find(([, length]) => time % length === 0) ?? ["ms", 1];
  return `${time / length}${unit}`;
}

function names(table: unknown): string[] {
  return isJsonObject(table) ? Object.keys(table) : [];
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
