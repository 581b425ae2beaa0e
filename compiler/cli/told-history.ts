/** A history that says when it fails: the calls that are denied for it do not. */

import type { HistoryStore } from "@portcullis/runtime";

/** A call that waits for so long is denied. */
const LATE_MS = 2000;
/** A Redis that is gone fails in several ways, and one damaged entry in turns with good ones: what is known is not said again earlier. */
const SILENT_MS = 60_000;

/** The same store. `say` hears a line when it begins to fail, and when it answers again. */
export function toldHistory<Store extends HistoryStore | undefined>(store: Store, say: (line: string) => void): Store {
  if (store === undefined) return store;
  /** What was said last, and when. */
  let [last, at, isSaid] = ["", Number.NEGATIVE_INFINITY, false];
  const fails = (problem: string): void => {
    const now = performance.now();
    const isNew = now - at >= SILENT_MS;
    if (isSaid ? problem === last || !isNew : problem === last && !isNew) return;
    [last, at, isSaid] = [problem, now, true];
    say(`warning: calls that limits count are denied: the history fails: ${problem}`);
  };
  const answers = (): void => {
    if (isSaid) say("note: the history answers again");
    isSaid = false;
  };
  return {
    ...store,
    async reserve(request) {
      const late = setTimeout(() => fails(`it does not answer in ${LATE_MS} ms`), LATE_MS);
      try {
        const reservation = await store.reserve(request);
        answers();
        return reservation;
      } catch (error) {
        fails((error as Error).message);
        throw error;
      } finally {
        clearTimeout(late);
      }
    },
  };
}
