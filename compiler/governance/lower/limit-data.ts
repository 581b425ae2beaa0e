/** What limits.yaml says → `data.portcullis.policy.limits`, which `limits.rego` reads; hosts read it to keep the history. */

import { compareText } from "@portcullis/rego/value";
import { type CallLimit, type Named, ZONES_SINCE, type ZoneOffset, zoneOffsets } from "../model/index.ts";
import { type Names, names, set } from "./tables.ts";

export interface LimitData {
  /** Without a list, any. */
  readonly calls: {
    readonly tools?: Names | undefined;
    readonly roles?: Names | undefined;
    readonly lanes?: Names | undefined;
  };
  /** In the order of the file, which is that of the values of a key. */
  readonly per: readonly string[];
  readonly max_calls?: number | undefined;
  readonly max_sum?: { readonly of: string; readonly at_most: number } | undefined;
  readonly within_ms?: number | undefined;
  readonly only_after?: { readonly tools: Names; readonly within_ms?: number | undefined } | undefined;
  readonly never_after?: { readonly tools: Names } | undefined;
  readonly only_during?: HoursData | undefined;
}

interface HoursData {
  readonly days: Names;
  /** Minutes since midnight; `to` is no part of it. */
  readonly from: number;
  readonly to: number;
  /** Its name, for people: offsets decide. */
  readonly zone: string;
  /** No offset is known of a time before. */
  readonly since_ms: number;
  /** In the order of time, each with the first millisecond of which it no longer holds. */
  readonly offsets: readonly ZoneOffset[];
}

export function limitData({
  calls,
  per,
  maxCalls,
  maxSum,
  withinMs,
  onlyAfter,
  neverAfter,
  onlyDuring,
}: CallLimit): LimitData {
  const listed = (list: readonly Named[] | undefined): Names | undefined => list && names(list);
  return {
    calls: { tools: listed(calls.tools), roles: listed(calls.roles), lanes: listed(calls.lanes) },
    per: per.map(({ name }) => name),
    max_calls: maxCalls,
    max_sum: maxSum && { of: maxSum.of.name, at_most: maxSum.atMost },
    within_ms: withinMs,
    only_after: onlyAfter && { tools: names(onlyAfter.tools), within_ms: onlyAfter.withinMs },
    never_after: neverAfter && { tools: names(neverAfter.tools) },
    only_during: onlyDuring && {
      days: set(onlyDuring.days),
      from: onlyDuring.from,
      to: onlyDuring.to,
      zone: onlyDuring.zone.name,
      since_ms: ZONES_SINCE,
      offsets: zoneOffsets(onlyDuring.zone.name),
    },
  };
}

/** Ids of the limits that calls of a tool are subject to, or that remember them; in the order of code points. */
export function limitsOfTool(limits: Iterable<CallLimit>, tool: string): readonly string[] {
  const has = (list: readonly Named[] | undefined): boolean => list?.some(({ name }) => name === tool) ?? false;
  const found = [...limits].filter(
    ({ calls, onlyAfter, neverAfter }) =>
      calls.tools === undefined || has(calls.tools) || has(onlyAfter?.tools) || has(neverAfter?.tools),
  );
  return found.map(({ id }) => id.name).sort(compareText);
}
