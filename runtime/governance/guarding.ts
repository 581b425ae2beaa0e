/** Words that the guards share: nothing in here throws, whatever a host hands over. */

/** A policy, or one that can be replaced: `ReloadablePolicy` is such a holder. */
export type Replaceable<Decider> = Decider | { readonly current: Decider };

/** The policy in use now. Read once a turn or a call, so that all of it sees one revision. */
export function inUse<Decider extends object>(policy: Replaceable<Decider>, method: keyof Decider): Decider {
  return typeof (policy as Decider)[method] === "function"
    ? (policy as Decider)
    : (policy as { readonly current: Decider }).current;
}

/** Milliseconds, monotonic. A clock that fails measures nothing. */
export function clock(now: (() => number) | undefined): number {
  try {
    const time = now === undefined ? performance.now() : now();
    return Number.isFinite(time) ? time : 0;
  } catch {
    return 0;
  }
}

/** A broken log sink must not reach the caller: neither what it throws, nor a rejection, which would end the process. */
export function quietly(action: () => unknown): void {
  try {
    const told = action();
    if (typeof (told as { readonly then?: unknown } | undefined)?.then === "function")
      Promise.resolve(told).catch(() => undefined);
  } catch {
    // The decision stands without its line.
  }
}
