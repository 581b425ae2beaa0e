/**
 * What stands under one key of a history: a sliding window as buckets, tools that have begun, and tools that have succeeded.
 * Numbers alone, and no more of them however often is called. Stores differ in where they keep it.
 *
 * The window is 64 buckets, and wider than a whole `within` at any time, the bucket of now among them. A bucket leaves when all of it
 * has left.
 *
 *              now - within                                    now
 *   ──┬──────┬────│─┬──────┬──────┬─   …   ─┬──────┬──────┬─────│┬──
 *     │ left │ kept │ kept │ kept │         │ kept │ kept │ kept │
 *
 * INVARIANT: a window of `within` milliseconds, wherever it lies, never has more than the limit says. INVARIANT: what was called more
 * than `within` and one bucket ago counts no more.
 */

import type { LimitFacts, LimitUse } from "./store.ts";

/** Buckets of a window. */
const BUCKETS = 64;
/** Numbers of one bucket: its place in time, calls, and their sum. */
const ROW = 3;

/** Plain JSON, as files keep it. */
export interface KeyState {
  readonly limit: string;
  /** Names what stands here, where a store can be cleared: after that, another one stands under the key. */
  readonly name?: string | undefined;
  /** Milliseconds of a bucket; 0 where one bucket holds everything for ever. */
  readonly width: number;
  /** Rows of place, calls and sum, oldest first. */
  readonly buckets: number[];
  /** By tool: calls that began, and the time of the last one. Replaced, never changed: states share it. */
  began: { readonly [tool: string]: readonly [number, number] };
  /** By tool: the time of the last success. Replaced, never changed. */
  succeeded: { readonly [tool: string]: number };
  /** When all of it has left; absent: never. */
  expires?: number | undefined;
}

/** A file's objects have a prototype. */
function own<T>(by: { readonly [tool: string]: T }, tool: string): T | undefined {
  return Object.hasOwn(by, tool) ? by[tool] : undefined;
}

/** What one call takes of a key. */
export interface Taken {
  /** The bucket's place. */
  readonly place: number;
  readonly calls: number;
  readonly of: number;
}

/** The state of a key as this use sees it: without what has left, in buckets of the limit as it is now. It may be the kept one itself. */
export function stateFor(use: LimitUse, kept: KeyState | undefined, now: number): KeyState {
  const width = use.within === undefined ? 0 : Math.ceil(use.within / (BUCKETS - 1));
  if (kept !== undefined && isCurrent(kept, use, width, now)) return kept;
  const state: KeyState = {
    limit: use.id,
    ...(kept?.name === undefined ? {} : { name: kept.name }),
    width,
    buckets: [],
    began: kept?.began ?? NONE,
    succeeded: kept?.succeeded ?? NONE,
  };
  const rows = kept?.buckets ?? [];
  const first = bucketNumber(now, width) - BUCKETS + 1;
  for (let at = 0; at < rows.length; at += ROW) {
    const [place, calls, sum] = [rows[at] as number, rows[at + 1] as number, rows[at + 2] as number];
    const moved = kept?.width === width ? place : placeIn(width, kept?.width ?? 0, place, now);
    if (width === 0 || moved >= first) add(state.buckets, moved, calls, sum);
  }
  for (const tool in state.succeeded)
    if (use.remember !== undefined && now - (state.succeeded[tool] as number) > use.remember)
      state.succeeded = without(state.succeeded, tool);
  return state;
}

/** Whether nothing of the state has left, and it is kept as the limit is now. Then it is used as it is: most calls change two numbers. */
function isCurrent(
  { limit, width, buckets, succeeded }: KeyState,
  use: LimitUse,
  wanted: number,
  now: number,
): boolean {
  if (limit !== use.id || width !== wanted) return false;
  const [oldest] = buckets;
  if (oldest !== undefined && width > 0 && oldest < bucketNumber(now, width) - BUCKETS + 1) return false;
  for (const tool in succeeded)
    if (use.remember !== undefined && now - (succeeded[tool] as number) > use.remember) return false;
  return true;
}

function hasNone(by: object): boolean {
  for (const _ in by) return false;
  return true;
}

const NONE: { readonly [tool: string]: never } = Object.freeze(Object.create(null));

/** No prototype: any text may be the name of a tool. */
function withTool<T>(by: { readonly [tool: string]: T }, tool: string, value: T): { readonly [tool: string]: T } {
  return Object.assign(Object.create(null), by, Object.fromEntries([[tool, value]]));
}

function without<T>(by: { readonly [tool: string]: T }, tool: string): { readonly [tool: string]: T } {
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(by).filter(([name]) => name !== tool)));
}

/** Where a bucket of another width goes: to the last time that it can be of. */
function placeIn(width: number, before: number, place: number, now: number): number {
  const last = before === 0 ? now : Math.min(now, (place + 1) * before - 1);
  return bucketNumber(Math.max(last, before === 0 ? 0 : place * before), width);
}

function bucketNumber(time: number, width: number): number {
  return width === 0 ? 0 : Math.floor(time / width);
}

/** Rows stay in order: what is added is of the last bucket, or later. */
function add(rows: number[], place: number, calls: number, sum: number): void {
  const last = rows.length - ROW;
  if (last >= 0 && (rows[last] as number) === place) {
    rows[last + 1] = (rows[last + 1] as number) + calls;
    rows[last + 2] = (rows[last + 2] as number) + sum;
  } else rows.push(place, calls, sum);
}

/** Whether the state is of a time after now: the clock went back, and what it says of a window is not known. */
export function isAhead({ buckets, width }: KeyState, now: number): boolean {
  return width > 0 && buckets.length > 0 && (buckets[buckets.length - ROW] as number) > bucketNumber(now, width);
}

/** Facts before the call, and whether it fits. */
export function factsOf(state: KeyState, use: LimitUse): { readonly facts: LimitFacts; readonly fits: boolean } {
  let [calls, sum] = [0, 0];
  for (let at = 0; at < state.buckets.length; at += ROW) {
    calls += state.buckets[at + 1] as number;
    sum += state.buckets[at + 2] as number;
  }
  const last_ms: { [tool: string]: number } = Object.create(null);
  for (const tool of use.after) tell(last_ms, tool, own(state.succeeded, tool));
  for (const tool of use.never)
    tell(last_ms, tool, Math.max(own(state.began, tool)?.[1] ?? -1, own(state.succeeded, tool) ?? -1));
  const fits = holds(use, calls, sum);
  const free = fits ? undefined : freeAt(state, use, calls, sum);
  const facts = { calls, sum: Math.min(sum, Number.MAX_SAFE_INTEGER), last_ms };
  return { facts: free === undefined ? facts : { ...facts, free_at_ms: free }, fits };
}

function tell(last_ms: { [tool: string]: number }, tool: string, time = -1): void {
  if (time >= 0) last_ms[tool] = time;
}

/** Sums of two whole numbers below 2^53 are compared as they are; one above it is above every limit. */
function holds({ maxCalls, sum }: LimitUse, calls: number, before: number): boolean {
  return (maxCalls === undefined || calls + 1 <= maxCalls) && (sum === undefined || before + sum.of <= sum.atMost);
}

/** When enough of the oldest buckets has left; `undefined` where that is never enough. */
function freeAt({ buckets, width }: KeyState, use: LimitUse, allCalls: number, allSum: number): number | undefined {
  if (width === 0) return undefined;
  let [calls, sum] = [allCalls, allSum];
  for (let at = 0; at < buckets.length; at += ROW) {
    calls -= buckets[at + 1] as number;
    sum -= buckets[at + 2] as number;
    if (holds(use, calls, sum)) return ((buckets[at] as number) + BUCKETS) * width;
  }
  return undefined;
}

/** Takes what the call uses up. */
export function take(state: KeyState, use: LimitUse, now: number): Taken {
  const place = bucketNumber(now, state.width);
  const calls = use.maxCalls === undefined && use.sum === undefined ? 0 : 1;
  const of = use.sum?.of ?? 0;
  if (calls > 0) add(state.buckets, place, calls, of);
  const { begins } = use;
  if (begins !== undefined)
    state.began = withTool(state.began, begins, [(own(state.began, begins)?.[0] ?? 0) + 1, now]);
  state.expires = expiryOf(state, use);
  return { place, calls, of };
}

/** Gives back what a call took, as far as it is there still. */
export function giveBack(state: KeyState, use: LimitUse, { place, calls, of }: Taken): void {
  const { buckets, began } = state;
  const { begins } = use;
  for (let at = 0; at < buckets.length; at += ROW) {
    if (buckets[at] !== place || (buckets[at + 1] as number) < calls || (buckets[at + 2] as number) < of) continue;
    buckets[at + 1] = (buckets[at + 1] as number) - calls;
    buckets[at + 2] = (buckets[at + 2] as number) - of;
    if (buckets[at + 1] === 0) buckets.splice(at, ROW);
    break;
  }
  const [count, last] = (begins === undefined ? undefined : own(began, begins)) ?? [0, 0];
  if (begins !== undefined && count > 0)
    state.began = count > 1 ? withTool(began, begins, [count - 1, last]) : without(began, begins);
  state.expires = expiryOf(state, use);
}

/** The tool has succeeded. A clock that went back takes nothing of a later success. */
export function succeed(state: KeyState, use: LimitUse, now: number): void {
  const { succeeds: tool } = use;
  if (tool !== undefined)
    state.succeeded = withTool(state.succeeded, tool, Math.max(now, own(state.succeeded, tool) ?? 0));
  state.expires = expiryOf(state, use);
}

/** Whether nothing is left that counts. */
export function isEmpty({ buckets, began, succeeded }: KeyState): boolean {
  return buckets.length === 0 && hasNone(began) && hasNone(succeeded);
}

/** What began is remembered for ever, as is what has no window. */
function expiryOf({ buckets, width, began, succeeded }: KeyState, { remember }: LimitUse): number | undefined {
  if (!hasNone(began) || (width === 0 && buckets.length > 0)) return undefined;
  let last = buckets.length === 0 ? 0 : ((buckets[buckets.length - ROW] as number) + BUCKETS) * width;
  for (const tool in succeeded) {
    if (remember === undefined) return undefined;
    last = Math.max(last, (succeeded[tool] as number) + remember + 1);
  }
  return last;
}
