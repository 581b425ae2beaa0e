/**
 * Masks of events: they erase or replace parts that must not be written down, and the event says where.
 * https://www.openpolicyagent.org/docs/management-decision-logs#masking-sensitive-data
 */

import type { ExactJson } from "../json/index.ts";
import { isExactObject } from "./event-text.ts";

/** A JSON Pointer (RFC 6901) to erase, or OPA's longer form. It starts with `/input` or `/result`. */
export type MaskRule =
  | string
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "upsert"; readonly path: string; readonly value: unknown };

interface Pointed {
  readonly path: string;
  readonly keys: readonly string[];
  /** `undefined` erases. */
  readonly value: ExactJson | undefined;
}

/** Throws TypeError for a malformed rule: a mask that does nothing would let secrets through. */
export function readMask(rules: readonly MaskRule[], exactOf: (value: unknown) => ExactJson): readonly Pointed[] {
  return rules.map((rule) => {
    const { op, path } = typeof rule === "string" ? { op: "remove" as const, path: rule } : rule;
    if (op !== "remove" && op !== "upsert") throw new TypeError("a mask's `op` is `remove` or `upsert`");
    if (typeof path !== "string" || !/^\/(input|result)(\/|$)/.test(path) || /~(?![01])/.test(path))
      throw new TypeError(`a mask is a JSON Pointer below /input or /result, not ${JSON.stringify(path)}`);
    const keys = path
      .slice(1)
      .split("/")
      .map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"));
    return { path, keys, value: typeof rule === "string" || rule.op === "remove" ? undefined : exactOf(rule.value) };
  });
}

/** Changes the event's tree. A pointer to nothing does nothing; an erased item of a list leaves a `null` in its place. */
export function applyMask(event: Map<string, ExactJson>, rules: readonly Pointed[]): void {
  const erased = listOf(event.get("erased"));
  const masked = listOf(event.get("masked"));
  for (const { path, keys, value } of rules) {
    if (!change(event, keys, value)) continue;
    (value === undefined ? erased : masked).push(path);
  }
  if (erased.length > 0) event.set("erased", [...new Set(erased)]);
  if (masked.length > 0) event.set("masked", [...new Set(masked)]);
}

function listOf(value: ExactJson | undefined): ExactJson[] {
  return Array.isArray(value) ? [...(value as readonly ExactJson[])] : [];
}

function change(root: Map<string, ExactJson>, keys: readonly string[], value: ExactJson | undefined): boolean {
  const parent = keys.slice(0, -1).reduce<ExactJson | undefined>(member, root);
  const last = keys.at(-1) as string;
  if (Array.isArray(parent)) {
    if (member(parent, last) === undefined) return false;
    (parent as ExactJson[])[Number(last)] = value ?? null;
    return true;
  }
  if (!isExactObject(parent)) return false;
  const object = parent as Map<string, ExactJson>;
  if (value !== undefined) object.set(last, value);
  else return object.delete(last);
  return true;
}

function member(holder: ExactJson | undefined, key: string): ExactJson | undefined {
  if (isExactObject(holder)) return holder.get(key);
  if (!Array.isArray(holder) || !/^(0|[1-9][0-9]*)$/.test(key)) return undefined;
  return (holder as readonly ExactJson[])[Number(key)];
}
