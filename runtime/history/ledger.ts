/** What every store does with one call, whatever it keeps its entries in. A table is used by one call at a time. */

import {
  factsOf,
  giveBack,
  isAhead,
  isEmpty,
  type KeyState,
  stateFor,
  succeed,
  type Taken,
  take,
} from "./key-state.ts";
import type { HistoryRequest, LimitFacts, LimitUse, Reservation, ReservedFacts } from "./store.ts";
import { storeTime } from "./store-clock.ts";

/** A used approval, or a call that was refused: known until then, in milliseconds since 1970. */
export interface Mark {
  readonly expires: number;
  /** As of a limit's state. */
  readonly name?: string | undefined;
}

/** Entries by name; a name is a kind, a hyphen and 64 hexadecimal digits. */
export interface HistoryTable {
  limit(key: string): KeyState | undefined;
  mark(kind: MarkKind, digest: string): Mark | undefined;
  /** `undefined` takes the entry away. */
  setLimit(key: string, state: KeyState | undefined): void;
  setMark(kind: MarkKind, digest: string, mark: Mark | undefined): void;
  /** The latest time that the store has seen, in milliseconds since 1970. */
  latest: number;
  /** A new name for what a call begins; absent where nothing is cleared. */
  newName?(): string;
}

export type MarkKind = "nonce" | "refused";

/** What a call has reserved, as it can be given back. */
export interface Reserved {
  readonly facts: ReservedFacts;
  readonly isReserved: boolean;
  readonly taken: readonly { readonly use: LimitUse; readonly name: string | undefined; readonly taken: Taken }[];
  /** An approval that this call has used: its digest, and what is remembered of it. */
  readonly nonce: { readonly digest: string; readonly mark: Mark } | undefined;
  /** The latest time that the store had seen. */
  readonly latest: number;
}

/** Milliseconds for which a denial gives back: hosts decide at once, and what is held longer was meant for something else. */
const GIVEN_BACK_MS = 60_000;

/** Reads every limit, and takes from all of them or from none. Throws where the time is not known. */
export function reserveIn(table: HistoryTable, request: HistoryRequest, clock: number): Reserved {
  const { now, latest, isBack } = storeTime(clock, table.latest);
  table.latest = latest;
  const { nonce } = request;
  // An approval that has expired and was forgotten would be good again.
  if (nonce !== undefined && isBack) throw new Error("the clock went back");
  const history: { [id: string]: LimitFacts } = Object.create(null);
  let isFree = true;
  const found = request.limits.map((use) => {
    const state = stateIn(table, use, now);
    const isKnown = !(isBack && forgets(use)) && !isAhead(state, now);
    const { facts, fits } = factsOf(state, use);
    if (isKnown) history[use.id] = facts;
    isFree &&= isKnown && fits;
    return { use, state };
  });
  const approval = nonce && approvalFacts(table, nonce, now);
  if (approval?.approvalUsed === true || approval?.approvalRefused === true) isFree = false;
  const facts = { now, history, ...approval };
  if (!isFree) return { facts, isReserved: false, taken: [], nonce: undefined, latest };
  const taken = found.map(({ use, state }) => {
    const part = take(state, use, now);
    table.setLimit(use.key, isEmpty(state) ? undefined : state);
    return { use, name: state.name, taken: part };
  });
  if (nonce === undefined) return { facts, isReserved: true, taken, nonce, latest };
  const { digest, keepUntil } = nonce;
  const mark = { expires: keepUntil, name: table.newName?.() };
  table.setMark("nonce", digest, mark);
  return { facts, isReserved: true, taken, nonce: { digest, mark }, latest };
}

/** Throws for a key that another limit keeps: in the buckets of this one, what that one counts would be forgotten. */
function keptOf(table: HistoryTable, { id, key }: LimitUse): KeyState | undefined {
  const state = table.limit(key);
  if (state === undefined || state.limit === id) return state;
  throw new Error("the key is another limit's");
}

function stateIn(table: HistoryTable, use: LimitUse, now: number): KeyState {
  const kept = keptOf(table, use);
  const state = stateFor(use, kept, now);
  return kept === undefined && table.newName !== undefined ? { ...state, name: table.newName() } : state;
}

/** Whether what the call reads of a limit leaves with time: while the clock has gone back, what has left seems to be there again. */
function forgets({ within, remember, after }: LimitUse): boolean {
  return within !== undefined || (remember !== undefined && after.length > 0);
}

function approvalFacts(
  table: HistoryTable,
  { digest, call, keepUntil, isRefusal }: NonNullable<HistoryRequest["nonce"]>,
  now: number,
): { readonly approvalUsed: boolean; readonly approvalRefused: boolean } {
  const isThere = (kind: MarkKind, name: string): boolean => (table.mark(kind, name)?.expires ?? -1) >= now;
  if (isRefusal === true) {
    const until = Math.max(keepUntil, table.mark("refused", call)?.expires ?? 0);
    table.setMark("refused", call, { expires: until });
  }
  return { approvalUsed: isThere("nonce", digest), approvalRefused: isThere("refused", call) };
}

/** The call was denied. */
export function releaseIn(table: HistoryTable, reserved: Reserved, clock: number): void {
  const { latest } = storeTime(clock, table.latest);
  table.latest = latest;
  if (latest - reserved.latest > GIVEN_BACK_MS) return;
  for (const { use, name, taken } of reserved.taken) {
    const state = table.limit(use.key);
    // What was cleared meanwhile, and begun by another call, stays that one's.
    if (state?.limit !== use.id || state.name !== name) continue;
    giveBack(state, use, taken);
    table.setLimit(use.key, isEmpty(state) ? undefined : state);
  }
  const { nonce } = reserved;
  // Where it was forgotten meanwhile, and is used by another call, it stays that one's.
  const mark = nonce && table.mark("nonce", nonce.digest);
  if (mark !== undefined && mark.expires === nonce?.mark.expires && mark.name === nonce.mark.name)
    table.setMark("nonce", nonce.digest, undefined);
}

/** The tool has succeeded. */
export function commitIn(table: HistoryTable, { taken }: Reserved, clock: number): void {
  const { now, latest } = storeTime(clock, table.latest);
  table.latest = latest;
  for (const { use } of taken) {
    if (use.succeeds === undefined) continue;
    const state = stateIn(table, use, now);
    succeed(state, use, now);
    table.setLimit(use.key, state);
  }
}

/** A reservation of the store: of `commit` and `release` the first counts, once. */
export function reservationOf(
  reserved: Reserved,
  work: { readonly commit: () => void | Promise<void>; readonly release: () => void | Promise<void> },
): Reservation {
  let isOpen = reserved.taken.length > 0 || reserved.nonce !== undefined;
  const once = (action: () => void | Promise<void>): void | Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    return action();
  };
  const { facts, isReserved } = reserved;
  return { facts, isReserved, commit: () => once(work.commit), release: () => once(work.release) };
}

/** Whether a commit changes anything: no store need be asked where no tool is waited for. */
export function isAwaited({ taken }: Reserved): boolean {
  return taken.some(({ use }) => use.succeeds !== undefined);
}
