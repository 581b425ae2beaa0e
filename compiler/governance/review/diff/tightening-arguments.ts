/** Differences in what arguments may be: whether one is known to deny more, or to ask a person more often, and to allow nothing new. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { member } from "../policy-ids.ts";

/** What stands at one place of the older and of the newer policy. */
export type Both = readonly unknown[];

export function inBoth(both: Both, name: string): Both {
  return both.map((one) => member(one, name));
}

/** `tools`: its row in the older and in the newer policy; `path`: the leaf's below `arguments`. */
export function tightensArguments(tools: Both, path: readonly string[], before: unknown, after: unknown): boolean {
  const [name = "", ...rest] = path;
  const [tool] = tools;
  // The tool says what its arguments may be, and did not.
  if (path.length === 0) return before === undefined;
  if (rest.length > 0) return tightensRule(inBoth(inBoth(tools, "arguments"), name), rest, before, after);
  const isOpen = member(tool, "other_arguments") === "allow";
  if (before === undefined) return isOpen;
  return after === undefined && !isOpen && member(before, "required") !== true;
}

function tightensRule(rules: Both, [part, ...rest]: readonly string[], before: unknown, after: unknown): boolean {
  const [rule] = rules;
  // Without either way a value would not be looked at.
  const isStill = (way: string): boolean => rules.every((one) => member(one, way) !== undefined);
  switch (part) {
    case "required":
      return after === true;
    case "bound":
      return after === true && before === undefined;
    case "type":
      return before === "any" || (before === "number" && after === "integer");
    case "each":
      return rest.length === 0 ? before === undefined : tightensRule(inBoth(rules, part), rest, before, after);
    case "alone":
      // Nothing is allowed without a person; or something was said where anything was allowed.
      if (rest.length > 0) return narrows(member(rule, part), rest, before, after);
      if (after === undefined) return isStill("approved");
      return isEmpty(before) && isJsonObject(after);
    case "approved":
      if (rest.length === 0) return after === undefined && isStill("alone");
      return narrows(member(rule, part), rest, before, after);
    case "asks":
      // More values need a person where the members are wider.
      if (rest.length === 0) return before === undefined || (isEmpty(after) && isJsonObject(before));
      return narrows(undefined, rest, after, before);
    default:
      return false;
  }
}

function isEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Whether members fit fewer values. `members`: those of `before`, where they are known. */
function narrows(members: unknown, [name, ...rest]: readonly string[], before: unknown, after: unknown): boolean {
  if (rest.length === 0 && before === undefined) return true;
  switch (name) {
    case "one_of":
      return isFewer(after, before);
    case "max_length":
      return typeof after === "number" && typeof before === "number" && after <= before;
    case "min":
      return narrowsBound(member(members, name), rest, before, after, (a, b) => a >= b);
    case "max":
      return narrowsBound(member(members, name), rest, before, after, (a, b) => a <= b);
    case "paths":
      if (rest[0] === "below") return isFewer(after, before);
      return rest[0] === "except" && (before === undefined || isFewer(before, after));
    case "hosts":
      return rest.length > 1 && after === undefined;
    case "schemes":
      return rest.length === 1 && after === undefined;
    case "commands":
      return rest.length === 1 && (after === undefined || isFewer(after, before));
    default:
      return false;
  }
}

/** A bound by role: a row stands before `default`, and a role with neither is denied. */
function narrowsBound(
  bound: unknown,
  [part, role]: readonly string[],
  before: unknown,
  after: unknown,
  isTighter: (after: number, before: number) => boolean,
): boolean {
  if (part === "default") {
    if (after === undefined) return true;
    return typeof before === "number" && typeof after === "number" && isTighter(after, before);
  }
  if (part !== "roles" || role === undefined || !isJsonObject(bound)) return false;
  const otherwise = member(bound as JsonObject, "default");
  const [old, fresh] = [before ?? otherwise, after ?? otherwise];
  if (fresh === undefined) return true;
  return typeof old === "number" && typeof fresh === "number" && isTighter(fresh, old);
}

/** Whether every item of `after` is one of `before`. */
function isFewer(after: unknown, before: unknown): boolean {
  if (!Array.isArray(after) || !Array.isArray(before)) return false;
  const known = new Set(before.map((one) => JSON.stringify(one)));
  return after.every((one) => known.has(JSON.stringify(one)));
}
