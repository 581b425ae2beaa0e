/** What a call has to do with the limits of its policy: which it is subject to, which only remember it, and under which keys. */

import type { LimitUse, PolicyLimit, PolicyLimits } from "../history/index.ts";
import { own } from "../host/own.ts";
import { sha256 } from "../host/sha256.ts";

type Request = Readonly<Record<string, unknown>>;

/** The limits that have to do with one call. */
export interface LimitUses {
  /** For the store, in the order of the policy. */
  readonly uses: readonly LimitUse[];
  /** Whether any limit has to do with the call, hours among them: then its decision needs the time. */
  readonly isLimited: boolean;
}

/**
 * A limit whose key is missing has no use: the policy denies the call for that. Throws TypeError for limits of another form.
 * Costs one digest a limit that the store keeps something of for this call.
 */
export function limitUses(
  limits: PolicyLimits,
  policyName: string,
  request: Request,
  session: string | undefined,
): LimitUses {
  const uses: LimitUse[] = [];
  let isLimited = false;
  for (const [id, limit] of Object.entries(limits)) {
    const part = partOf(id, limit, request);
    if (part === undefined) continue;
    isLimited = true;
    if (!part.isKept || part.of === null) continue;
    const values = (limit.per ?? []).map((member) => keyValue(member, request, session));
    if (values.includes(undefined)) continue;
    uses.push({ id, key: historyKey(policyName, id, values as string[]), ...part.use });
  }
  return { uses, isLimited };
}

/** The key under which a store keeps a limit's history for these values of `per`: SHA-256 in hex of canonical JSON of all three. */
export function historyKey(policyName: string, limit: string, values: readonly string[]): string {
  // Canonical JSON of texts is what the platform writes.
  const text = JSON.stringify([policyName, limit, values]);
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = sha256(text);
  if (digests.size >= MOST_DIGESTS) digests.clear();
  if (text.length <= LONGEST_TEXT) digests.set(text, digest);
  return digest;
}

/** Digests of keys that came before: to make one takes five times as long as the rest. At most 1 MB. */
const digests = new Map<string, string>();
const MOST_DIGESTS = 2048;
const LONGEST_TEXT = 256;

interface Part {
  /** Whether a store keeps something of it. */
  readonly isKept: boolean;
  /** What the call adds; `null` where it adds nothing that can be added. */
  readonly of: number | null | undefined;
  readonly use: Omit<LimitUse, "id" | "key">;
}

function partOf(id: string, limit: PolicyLimit, request: Request): Part | undefined {
  if (typeof limit !== "object" || limit === null) throw new TypeError(`the limit \`${id}\` is not an object`);
  const tool = request["tool"] as string;
  const [after, never] = [limit.only_after?.tools, limit.never_after?.tools];
  const isSubject =
    has(limit.calls?.tools, tool) &&
    has(limit.calls?.roles, request["role"]) &&
    has(limit.calls?.lanes, request["lane"]);
  const begins = never !== undefined && has(never, tool);
  const succeeds = after !== undefined && has(after, tool);
  if (!isSubject && !begins && !succeeds) return undefined;
  const sum = isSubject ? limit.max_sum : undefined;
  const of = sum && wholeNumber(placeOf(sum.of, request));
  const maxCalls = isSubject ? limit.max_calls : undefined;
  const reads = isSubject ? [...Object.keys(after ?? {}), ...Object.keys(never ?? {})] : [];
  return {
    isKept: begins || succeeds || maxCalls !== undefined || sum !== undefined || reads.length > 0,
    of,
    use: {
      reads,
      within: limit.within_ms,
      maxCalls,
      sum: sum && { of: of ?? 0, atMost: sum.at_most },
      begins: begins ? tool : undefined,
      succeeds: succeeds ? tool : undefined,
      remember: limit.only_after?.within_ms,
    },
  };
}

/** An absent set holds every id. */
function has(set: object | undefined, id: unknown): boolean {
  return set === undefined || (typeof id === "string" && own(set, id) === true);
}

/** The text of a member of `per`; `undefined` where it is no text, or an empty one. */
function keyValue(member: string, request: Request, session: string | undefined): string | undefined {
  const value = member === "session" ? session : placeOf(member, request);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `role`, or a member of `scope` or `args`: what stands behind the first dot is one name. */
function placeOf(place: string, request: Request): unknown {
  const dot = place.indexOf(".");
  return dot < 0 ? own(request, place) : own(own(request, place.slice(0, dot)), place.slice(dot + 1));
}

/** `null` for anything but a whole number from 0 to 2^53-1. */
function wholeNumber(value: unknown): number | null {
  const number = typeof value === "bigint" && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}
