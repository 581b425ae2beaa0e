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
 * A limit whose key is missing has no use: the policy denies the call for that. Throws TypeError for limits of another form. `limits`
 * and what it holds never change. Costs a look at each limit, and one digest for each key that was not seen lately.
 */
export function limitUses(
  limits: PolicyLimits,
  policyName: string,
  request: Request,
  session: string | undefined,
): LimitUses {
  const uses: LimitUse[] = [];
  let isLimited = false;
  for (const limit of readLimits(limits, policyName)) {
    const part = partOf(limit, request);
    if (part === undefined) continue;
    isLimited = true;
    if (!part.isKept || part.of === null) continue;
    const key = limitKey(limit, request, session);
    if (key !== undefined) uses.push(useOf(limit, key, part));
  }
  return { uses, isLimited };
}

/** The key under which a store keeps a limit's history for these values of `per`: SHA-256 in hex of canonical JSON of all three. */
export function historyKey(policyName: string, limit: string, values: readonly string[]): string {
  // Canonical JSON of texts is what the platform writes.
  return sha256(JSON.stringify([policyName, limit, values]));
}

/** A limit as calls are held against it. */
interface ReadLimit {
  readonly id: string;
  readonly policyName: string;
  readonly limit: PolicyLimit;
  readonly per: readonly string[];
  readonly after: object | undefined;
  readonly never: object | undefined;
  /** The tools of either. */
  readonly afterTools: readonly string[];
  readonly neverTools: readonly string[];
  /** Digests by the values of `per`. To make one takes five times as long as the rest of a use. */
  readonly digests: Map<string, string>;
}

/** By the limits of a policy, which are read once. */
const known = new WeakMap<PolicyLimits, readonly ReadLimit[]>();
const NO_TOOLS: readonly string[] = [];
/** Digests that are kept for each limit; at most 0.5 MB. */
const MOST_DIGESTS = 1024;
const LONGEST_TEXT = 256;

function readLimits(limits: PolicyLimits, policyName: string): readonly ReadLimit[] {
  const before = known.get(limits);
  if (before !== undefined && (before[0]?.policyName ?? policyName) === policyName) return before;
  const read = Object.entries(limits).map(([id, limit]): ReadLimit => {
    if (typeof limit !== "object" || limit === null) throw new TypeError(`the limit \`${id}\` is not an object`);
    const [after, never] = [limit.only_after?.tools, limit.never_after?.tools];
    const [afterTools, neverTools] = [Object.keys(after ?? {}), Object.keys(never ?? {})];
    return { id, policyName, limit, per: limit.per ?? [], after, never, afterTools, neverTools, digests: new Map() };
  });
  known.set(limits, read);
  return read;
}

/** What one call has to do with one limit. */
interface Part {
  readonly isSubject: boolean;
  /** Whether a store keeps something of it. */
  readonly isKept: boolean;
  /** The tool that begins, or that has succeeded once the call is committed. */
  readonly begins: string | undefined;
  readonly succeeds: string | undefined;
  /** What the call adds; `null` where it adds nothing that can be added. */
  readonly of: number | null | undefined;
}

function partOf({ limit, after, never, afterTools, neverTools }: ReadLimit, request: Request): Part | undefined {
  const tool = request["tool"] as string;
  const { calls, max_sum: sum, max_calls: most } = limit;
  const isSubject = has(calls?.tools, tool) && has(calls?.roles, request["role"]) && has(calls?.lanes, request["lane"]);
  const begins = never !== undefined && has(never, tool) ? tool : undefined;
  const succeeds = after !== undefined && has(after, tool) ? tool : undefined;
  const isRemembered = begins !== undefined || succeeds !== undefined;
  if (!isSubject && !isRemembered) return undefined;
  const isOrdered = afterTools.length + neverTools.length > 0;
  const counts = isSubject && (most !== undefined || sum !== undefined || isOrdered);
  const of = isSubject && sum !== undefined ? wholeNumber(valueAtPlace(sum.of, request)) : undefined;
  return { isSubject, isKept: counts || isRemembered, begins, succeeds, of };
}

function useOf(
  { id, limit, afterTools, neverTools }: ReadLimit,
  key: string,
  { isSubject, begins, succeeds, of }: Part,
): LimitUse {
  const sum = isSubject ? limit.max_sum : undefined;
  return {
    id,
    key,
    after: isSubject ? afterTools : NO_TOOLS,
    never: isSubject ? neverTools : NO_TOOLS,
    within: limit.within_ms,
    maxCalls: isSubject ? limit.max_calls : undefined,
    sum: sum && { of: of ?? 0, atMost: sum.at_most },
    begins,
    succeeds,
    remember: limit.only_after?.within_ms,
  };
}

/** `undefined` where a value of `per` is no text, or an empty one. */
function limitKey(
  { id, policyName, per, digests }: ReadLimit,
  request: Request,
  session: string | undefined,
): string | undefined {
  const values: string[] = [];
  for (const member of per) {
    const value = member === "session" ? session : valueAtPlace(member, request);
    if (typeof value !== "string" || value === "") return undefined;
    values.push(value);
  }
  const text = values.length === 1 ? (values[0] as string) : JSON.stringify(values);
  const before = digests.get(text);
  if (before !== undefined) return before;
  const digest = historyKey(policyName, id, values);
  if (digests.size >= MOST_DIGESTS) digests.clear();
  if (text.length <= LONGEST_TEXT) digests.set(text, digest);
  return digest;
}

/** An absent set holds every id. */
function has(set: object | undefined, id: unknown): boolean {
  return set === undefined || (typeof id === "string" && own(set, id) === true);
}

/** `role`, or a member of `scope` or `args`: what stands behind the first dot is one name. */
function valueAtPlace(place: string, request: Request): unknown {
  const dot = place.indexOf(".");
  return dot < 0 ? own(request, place) : own(own(request, place.slice(0, dot)), place.slice(dot + 1));
}

/** `null` for anything but a whole number from 0 to 2^53-1. */
function wholeNumber(value: unknown): number | null {
  const number = typeof value === "bigint" && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}
