/**
 * JSON files of a bundle, read in one way: what two readers could understand differently (a key twice, a byte order mark,
 * bytes that are not UTF-8) is refused, and nesting is measured before anything is built.
 */

import { LoadError } from "../errors.ts";
import { type BundleLimits, holdLimit } from "./limits.ts";

/** Throws LoadError for anything but one JSON object within the limits. */
export function readJsonObject(
  bytes: Uint8Array,
  name: string,
  limits: BundleLimits,
): { readonly [key: string]: unknown } {
  const { depth, members } = measure(bytes);
  holdLimit(limits, "nesting", depth, `the bundle's ${name} is nested too deep`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // Not UTF-8 and not JSON are told alike.
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new LoadError("bundle-corrupt", `the bundle's ${name} is not a JSON object`);
  if (countMembers(value) !== members) throw new LoadError("bundle-corrupt", `the bundle's ${name} holds a key twice`);
  return value as { readonly [key: string]: unknown };
}

/** How deep a JSON text nests, whatever it is otherwise. */
export function nestingOf(bytes: Uint8Array): number {
  return measure(bytes).depth;
}

/** Nesting depth and member count of a text that may not be valid JSON. */
function measure(bytes: Uint8Array): { depth: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const b = bytes[i];
    if (inString) {
      if (b === 0x5c) i++;
      else if (b === 0x22) inString = false;
    } else if (b === 0x22) inString = true;
    else if (b === 0x3a) members++;
    else if (b === 0x7b || b === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (b === 0x7d || b === 0x5d) depth--;
  }
  return { depth: deepest, members };
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const values = Object.values(value);
  return values.reduce<number>((sum, item) => sum + countMembers(item), Array.isArray(value) ? 0 : values.length);
}
