/**
 * Differences in rules that count, wait, ask a person or look at arguments. No search shows all that they do: hosts read some of
 * them, and values are without end. So each is taken to open something unless it is known to deny more and allow nothing new.
 *
 * INVARIANT: `tightens` only where that holds of every request and every history; for whatever is not understood, `opens`.
 */

import type { JsonObject } from "@portcullis/rego/value";
import { keys, member, policyTables } from "../policy-ids.ts";
import { type Both, inBoth, tightensArguments } from "./tightening-arguments.ts";

/** A leaf of the data that differs; `undefined` where it is not there. */
export interface Leaf {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** What a difference can do. */
export type Effect = { readonly kind: "tightens" } | { readonly kind: "opens"; readonly more?: More };

/** What is let through besides, where that is known without asking. */
interface More {
  readonly what: string;
  /** Some request or history is allowed by it, whatever else the policies say. */
  readonly isSure: boolean;
}

const TIGHTENS: Effect = { kind: "tightens" };
const APPROVALS = ["none", "required", "bound"];

/** `undefined` for a leaf of another rule. `data`: that of the older policy, `fresh`: of the newer one. */
export function effectOfRule({ path, before, after }: Leaf, data: JsonObject, fresh: JsonObject): Effect | undefined {
  const [root, part, table = "", id = "", ...rest] = path;
  if (root !== "portcullis" || part !== "policy") return undefined;
  const rows: Both = [data, fresh].map((of) => member(member(policyTables(of), table), id));
  const isTighter = (): boolean | undefined => {
    switch (table) {
      case "limits":
        return path.length < 5 ? before === undefined : tightensLimit(rows, rest, before, after);
      case "approvers":
        return path.length < 5 ? after === undefined : tightensApprover(rest, before, after);
      case "tools":
        return tightensTool(rows, rest, before, after);
      case "arguments":
        return after === true;
      case "path_folds":
        return before === undefined;
      default:
        return undefined;
    }
  };
  const is = isTighter();
  if (is === undefined) return undefined;
  if (is) return TIGHTENS;
  const more = moreBy(path, before, after);
  return more === undefined ? { kind: "opens" } : { kind: "opens", more };
}

function moreBy([, , table, , ...rest]: readonly string[], before: unknown, after: unknown): More | undefined {
  const [field] = rest;
  if (table === "approvers" && field === "key") return { what: "approvals of another key count", isSure: true };
  if (table !== "limits") return undefined;
  if (field === "within_ms" && after !== undefined) return { what: "earlier calls are forgotten sooner", isSure: true };
  if (field === "per" && before !== undefined)
    return { what: "earlier calls are counted by other keys", isSure: false };
  return moreByBound(rest, before, after);
}

/** A bound of calls or sums that is raised or gone, or a sum of something else. */
function moreByBound([field, part]: readonly string[], before: unknown, after: unknown): More | undefined {
  const isCalls = field === "max_calls";
  if (!isCalls && field !== "max_sum") return undefined;
  if (part === "of")
    return { what: `${String(after)} adds up, and what was counted so far is ${String(before)}`, isSure: false };
  if (after === undefined) return { what: `${isCalls ? "calls are" : "sums are"} no longer counted`, isSure: true };
  const isMore = typeof before === "number" && typeof after === "number" && after > before;
  return isMore ? { what: `${after} in place of ${before}`, isSure: true } : undefined;
}

function tightensLimit(limits: Both, [field, ...rest]: readonly string[], before: unknown, after: unknown): boolean {
  switch (field) {
    case "max_calls":
      return isAtMost(after, before);
    case "max_sum":
      return rest.length === 0 ? before === undefined : rest[0] === "at_most" && isAtMost(after, before);
    case "within_ms":
      return isAtLeast(after, before);
    case "calls":
      // Fewer ids are about fewer calls, and no list is about all.
      return rest.length === 2 ? before === undefined : rest.length === 1 && after === undefined;
    case "only_after":
      if (rest[0] === "within_ms") return isAtMost(after, before);
      return rest.length === 0 ? before === undefined : after === undefined;
    case "never_after":
      return before === undefined;
    case "only_during":
      return rest.length === 0 ? before === undefined : tightensHours(inBoth(limits, field), rest, before, after);
    default:
      return false;
  }
}

function tightensHours(hours: Both, [field]: readonly string[], before: unknown, after: unknown): boolean {
  if (field === "days") return after === undefined;
  // Hours that span midnight are left to the search, in either policy: both ends may move past each other.
  if (hours.some((one) => Number(member(one, "from")) >= Number(member(one, "to")))) return false;
  if (typeof before !== "number" || typeof after !== "number") return false;
  return field === "from" ? after >= before : field === "to" && after <= before;
}

function tightensApprover([field, ...rest]: readonly string[], before: unknown, after: unknown): boolean {
  if (field === "until_ms") return isAtMost(after, before);
  if (field !== "tools") return false;
  if (rest.length > 0) return after === undefined;
  // A list in the place of none, or an empty one: then it is for no tool.
  return after !== undefined && (before === undefined || keys(after).length === 0);
}

function tightensTool(
  tools: Both,
  [field, ...rest]: readonly string[],
  before: unknown,
  after: unknown,
): boolean | undefined {
  switch (field) {
    case "approval":
      return before !== undefined && APPROVALS.indexOf(String(after)) >= APPROVALS.indexOf(String(before));
    case "bound_arguments":
      return after === true;
    case "limits": {
      const [old, fresh] = [before, after].map((list) => (Array.isArray(list) ? list : []));
      return (old as unknown[]).every((limit) => fresh?.includes(limit));
    }
    case "other_arguments":
      return after === "deny" && before !== undefined;
    case "arguments":
      return tightensArguments(tools, rest, before, after);
    default:
      return undefined;
  }
}

/** A new bound, or one that is not greater. */
function isAtMost(after: unknown, before: unknown): boolean {
  return typeof after === "number" && (before === undefined || (typeof before === "number" && after <= before));
}

/** No window, which forgets nothing, or one that is not shorter. */
function isAtLeast(after: unknown, before: unknown): boolean {
  return after === undefined || (typeof after === "number" && typeof before === "number" && after >= before);
}

/** Whether a leaf informs people and hosts alone: the decision is by another, which differs with it. */
export function informsOnly([root, part, table, id, ...rest]: readonly string[]): boolean {
  if (root !== "portcullis" || part !== "policy") return false;
  const field = rest.join(".");
  return (
    // Made of all that decides: an approval under another policy does not hold.
    table === "approval_revision" ||
    (table === "settings" && id === "versions") ||
    (table === "roles" && field === "class") ||
    // The last day is `until_ms`, and the zone is its offsets.
    (table === "approvers" && field === "until") ||
    (table === "limits" && field === "only_during.zone")
  );
}

/** What matters for a leaf beside its own ids: the tools that a limit has to do with, or whose calls approvers approve. */
export function toolsAbout([, , table, id = ""]: readonly string[], tables: readonly JsonObject[]): string[] {
  return tables.flatMap((t) =>
    keys(t["tools"]).filter((tool) => {
      const row = member(t["tools"], tool);
      const limits = member(row, "limits");
      if (table === "limits") return Array.isArray(limits) && limits.includes(id);
      return table === "approvers" && (member(row, "approval") === "bound" || member(row, "bound_arguments") === true);
    }),
  );
}
