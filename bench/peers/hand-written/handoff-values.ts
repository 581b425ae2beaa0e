/** What both halves of the handoff decision share. */

import type { HandoffDecision, HandoffRequest } from "@portcullis/runtime";
import { isObject, isWritten } from "./text.ts";

export type Violation = HandoffDecision["violations"][number];
export type Evidence = HandoffRequest["artifacts"];

/** A text that says something, or an object with something in it. */
export function isDescribed(value: unknown): boolean {
  if (isWritten(value)) return true;
  if (!isObject(value)) return false;
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}

export function isFilledList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

export function violation(gate: string, reason: string, path: string): Violation {
  return { gate, reason, path };
}

export function add(found: Violation[], gate: string, reason: string, path: string): void {
  found.push(violation(gate, reason, path));
}
