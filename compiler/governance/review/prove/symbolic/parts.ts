/** Which requests the solver is asked about at once. */

import type { OpenedPolicy } from "../../opened-policy.ts";
import { keys, member, policyIds, policyTables } from "../../policy-ids.ts";
import { nameOf } from "./axes.ts";
import type { Given } from "./cases.ts";

/** Parts that requests are reasoned about in, by their tools. */
const MOST_PARTS = 64;
/** The tables that requests look up by their members. */
const AXES = ["tool", "lane", "role"] as const;

/**
 * The requests that look up no row that differs come first: of these two policies read the same, and names of functions tell it.
 * Then come those that do, by one row or another. All that `ids` leave are in one of them.
 */
export function regionsOf(policies: readonly OpenedPolicy[], ids: ReadonlyMap<string, readonly string[]>): Given[] {
  let rest: Given = new Map([...ids].map(([axis, oneOf]) => [nameOf(axis), { oneOf }]));
  const regions: Given[] = [];
  for (const [axis, rows] of changedRows(policies)) {
    const name = nameOf(axis);
    const said = rest.get(name);
    const asked = said !== undefined && "oneOf" in said ? said.oneOf : undefined;
    const oneOf = rows.filter((id) => asked?.includes(id) ?? true);
    if (oneOf.length === 0) continue;
    regions.push(new Map([...rest, [name, { oneOf }]]));
    const others = asked?.filter((id) => !rows.includes(id));
    rest = new Map([...rest, [name, others === undefined ? { noneOf: new Set(rows) } : { oneOf: others }]]);
  }
  return [rest, ...regions];
}

/**
 * The requests of a region by their tools: where one says its tool, what rules look up by that is known. A call is decided by so
 * much of its tool that all tools at once are too many.
 */
export function* partsOf(policies: readonly OpenedPolicy[], region: Given): Generator<Given> {
  const name = nameOf("tool");
  const said = region.get(name);
  const known = [...new Set(policies.flatMap(({ data }) => policyIds(policyTables(data) ?? {}).tools))];
  const isOpen = said === undefined || "noneOf" in said;
  const asked = isOpen ? known.filter((tool) => said?.noneOf.has(tool) !== true) : said.oneOf;
  const size = Math.ceil(asked.length / MOST_PARTS);
  for (let at = 0; at < asked.length; at += size)
    yield new Map([...region, [name, { oneOf: asked.slice(at, at + size) }]]);
  if (isOpen) yield new Map([...region, [name, { noneOf: new Set([...known, ...(said?.noneOf ?? [])]) }]]);
}

/** The rows that differ between policies, by the members of requests that look them up. */
export function changedRows(policies: readonly OpenedPolicy[]): (readonly [axis: string, ids: readonly string[]])[] {
  const [now, was = now] = policies.map(({ data }) => policyTables(data) ?? {});
  return AXES.map((axis) => {
    const [rows, old] = [now?.[`${axis}s`], was?.[`${axis}s`]];
    const ids = [...new Set([...keys(rows), ...keys(old)])];
    return [axis, ids.filter((id) => JSON.stringify(member(rows, id)) !== JSON.stringify(member(old, id)))];
  });
}
