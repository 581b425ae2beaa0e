/** A history and a log that say when they fail: the calls that are denied for it do not. */

import type { EventSink, HistoryStore } from "@portcullis/runtime";

type Say = (line: string) => void;

/** A call that waits for so long is denied. */
const LATE_MS = 2000;
/** A Redis that is gone fails in several ways, and one damaged entry in turns with good ones: what is known is not said again earlier. */
const SILENT_MS = 60_000;

/** The same store. `say` hears a line when it begins to fail, and when it answers again. */
export function toldHistory<Store extends HistoryStore | undefined>(store: Store, say: Say): Store {
  if (store === undefined) return store;
  const words = ["calls that limits count are denied: the history fails", "the history answers again"] as const;
  const { fails, works } = failures(words, say);
  return {
    ...store,
    async reserve(request) {
      const late = setTimeout(() => fails(`it does not answer in ${LATE_MS} ms`), LATE_MS);
      try {
        const reservation = await store.reserve(request);
        const untold = request.limits.find(({ id }) => !Object.hasOwn(reservation.facts.history, id));
        if (untold === undefined) works();
        else fails(`it has seen a later time than now, and until then cannot tell of \`${untold.id}\``);
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

/** The same sink, likewise. `isRequired`: what it does not take is denied. */
export function toldSink(sink: EventSink, isRequired: boolean, say: Say): EventSink {
  const fails = isRequired ? "decisions are denied: the decision log fails" : "the decision log fails";
  const told = failures([fails, "the decision log takes events again"], say);
  return {
    ...sink,
    async write(batch, about) {
      try {
        await sink.write(batch, about);
      } catch (error) {
        told.fails((error as Error).message);
        throw error;
      }
      told.works();
    },
  };
}

/** Tells of changes between what works and what does not. */
function failures(
  [begins, ends]: readonly [begins: string, ends: string],
  say: Say,
): { fails(problem: string): void; works(): void } {
  /** What was said last, and when. */
  let [last, at, isSaid] = ["", Number.NEGATIVE_INFINITY, false];
  return {
    fails(problem) {
      const now = performance.now();
      const isNew = now - at >= SILENT_MS;
      if (isSaid ? problem === last || !isNew : problem === last && !isNew) return;
      [last, at, isSaid] = [problem, now, true];
      say(`warning: ${begins}: ${problem}`);
    },
    works() {
      if (isSaid) say(`note: ${ends}`);
      isSaid = false;
    },
  };
}
