/**
 * What a request lacks of one that is allowed, where more is wrong with it than changes one by one can mend: a record that was
 * never written, a script that was staged nowhere. Starts from a request of the search's that the policy allows, gives it the
 * names of the request at hand, and takes back every difference that the decision does not need.
 */

import { isJsonObject } from "@portcullis/rego/value";
import { type Edit, edited, type Path, valueAt } from "./edit.ts";
import { isSame } from "./host-facts.ts";

/** Whether a request is allowed. */
export type IsAllowed = (input: unknown) => boolean;

/** Requests that are asked for one that is allowed, and names that are tried in it. */
const MOST_ASKED = 300;
const MOST_NAMES = 40;

/** The changes that are needed, the first parts of the request first; none where no candidate is allowed. */
export function changesToAllowed(input: unknown, candidates: Iterable<unknown>, isAllowed: IsAllowed): Edit[] {
  const found = nearestAllowed(input, candidates, isAllowed);
  if (found === undefined) return [];
  const model = withNamesOf(input, found, isAllowed);
  const apply = (edits: readonly Edit[]): unknown => edits.reduce((at, { path, to }) => edited(at, path, to), input);
  let kept = differences(input, model, []);
  // What the request has too much is rarely in the way, so it is taken back first.
  for (const edit of [...kept].sort((a, b) => Number(a.to !== undefined) - Number(b.to !== undefined))) {
    const fewer = kept.filter((other) => other !== edit);
    if (isAllowed(apply(fewer))) kept = fewer;
  }
  return isAllowed(apply(kept)) ? kept : [];
}

/** The allowed candidate that has most in common with the request. */
function nearestAllowed(input: unknown, candidates: Iterable<unknown>, isAllowed: IsAllowed): unknown {
  let nearest: { readonly candidate: unknown; readonly common: number } | undefined;
  let asked = 0;
  for (const candidate of candidates) {
    if (asked++ === MOST_ASKED) break;
    const same = leavesOf(candidate, []).filter((path) => isSame(valueAt(candidate, path), valueAt(input, path)));
    if (same.length > (nearest?.common ?? -1) && isAllowed(candidate)) nearest = { candidate, common: same.length };
  }
  return nearest?.candidate;
}

/** A name stands in several places: an id of a contract in its packet, and in the script's path. */
function withNamesOf(input: unknown, candidate: unknown, isAllowed: IsAllowed): unknown {
  let model = candidate;
  const given = new Set<string>();
  for (const path of leavesOf(candidate, []).slice(0, MOST_NAMES)) {
    const [from, to] = [valueAt(model, path), valueAt(input, path)];
    if (typeof from !== "string" || typeof to !== "string" || from === "" || to === "" || given.has(from)) continue;
    const renamed = replaced(model, from, to);
    if (!isAllowed(renamed)) continue;
    model = renamed;
    given.add(to);
  }
  return model;
}

/** With another name, as a value, as a key, and as a part of a path. */
function replaced(value: unknown, from: string, to: string): unknown {
  const text = (t: string): string =>
    t === from
      ? to
      : t
          .split("/")
          .map((part) => (part === from ? to : part))
          .join("/");
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, from, to));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), replaced(item, from, to)]));
}

function leavesOf(value: unknown, path: Path): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => leavesOf(item, [...path, i]));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
  return [path];
}

/** Member by member, as deep as both have them; lists of another length as a whole. */
function differences(from: unknown, to: unknown, path: Path): Edit[] {
  if (isJsonObject(from) && isJsonObject(to)) {
    const keys = [...new Set([...Object.keys(to), ...Object.keys(from)])];
    return keys.flatMap((key) => differences(valueAt(from, [key]), valueAt(to, [key]), [...path, key]));
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return to.flatMap((item, i) => differences(from[i], item, [...path, i]));
  return isSame(from, to) ? [] : [{ document: "input", path, to }];
}
