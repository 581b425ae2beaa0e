/** What came before a call: the contract of stores, and what every store does. */

export {
  type ClearedHistory,
  entryOf,
  type HistoryEntry,
  isCleared,
  isKeyState,
  isMark,
  type KeptHistory,
} from "./kept-history.ts";
export type { KeyState } from "./key-state.ts";
export {
  commitIn,
  type HistoryTable,
  isAwaited,
  type Mark,
  type MarkKind,
  releaseIn,
  reservationOf,
  reserveIn,
} from "./ledger.ts";
export type { PolicyLimit, PolicyLimits } from "./policy-limits.ts";
export type { HistoryFacts, HistoryRequest, HistoryStore, LimitUse, Reservation, ReservedFacts } from "./store.ts";
export { storeTime } from "./store-clock.ts";
