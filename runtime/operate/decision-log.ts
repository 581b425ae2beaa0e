/** A listener that writes decisions down: masked, buffered, sent in batches, tried again. */

import type { DecisionEvent } from "../observe/decision-event.ts";
import { eventTree, exactOf, exactText } from "./event-text.ts";
import { applyMask, type MaskRule, readMask } from "./mask.ts";
import { Outbox, type OutboxOptions, type OutboxStatus } from "./outbox.ts";
import { type EventSink, encodeBatch } from "./sinks.ts";

/** Options of `decisionLog`: where events go, what is masked and dropped, and the buffer's limits. */
export interface DecisionLogOptions extends OutboxOptions {
  readonly sink: EventSink;
  /** Rules for every event, or a function that gives those of one. An event whose function throws is dropped. */
  readonly mask?: readonly MaskRule[] | ((event: DecisionEvent) => readonly MaskRule[]);
  /** Events that are not written. An event for which it throws is dropped, too. */
  readonly drop?: (event: DecisionEvent) => boolean;
  /** Default: the sink's own; `httpSink` compresses. */
  readonly gzip?: boolean;
}

/** What `decisionLog` has delivered, dropped and left out. */
export interface DecisionLogStatus extends OutboxStatus {
  /** Events that `drop` took out. */
  readonly excluded: number;
  /** Events that were dropped because `mask` or `drop` threw. */
  readonly unmasked: number;
}

/** Give it to `load` as `onDecision`. */
export interface DecisionLog {
  (event: DecisionEvent): void;
  readonly status: DecisionLogStatus;
  /** Sends the waiting events. Rejects with the sink's error; events that were not sent stay. */
  flush(): Promise<void>;
  /** Sends the waiting events in one last attempt, and closes the sink. Never rejects; `status` counts the lost ones. */
  close(): Promise<DecisionLogStatus>;
}

/** Throws TypeError for a mask that is none, RangeError for a limit that is none. */
export function decisionLog(options: DecisionLogOptions): DecisionLog {
  const { sink, mask = [], drop } = options;
  const gzip = options.gzip ?? sink.gzip ?? false;
  const fixed = typeof mask === "function" ? undefined : readMask(mask, exactOf);
  const lost = { excluded: 0, unmasked: 0 };
  const outbox = new Outbox<string>(options, async (texts, signal) => {
    await sink.write(await encodeBatch(texts, sink, gzip), { events: texts.length, gzip, signal });
  });
  const textOf = (event: DecisionEvent): string => {
    const tree = eventTree(event);
    const rules = fixed ?? readMask((mask as (event: DecisionEvent) => readonly MaskRule[])(event), exactOf);
    if (rules.length > 0) applyMask(tree, rules);
    return exactText(tree);
  };
  const log = (event: DecisionEvent): void => {
    let text: string;
    try {
      if (drop?.(event) === true) return void lost.excluded++;
      text = textOf(event);
    } catch {
      lost.unmasked++;
      return;
    }
    outbox.add(text, text.length);
  };
  const status = (): DecisionLogStatus => ({ ...outbox.status, ...lost });
  return Object.defineProperties(log, {
    status: { get: status },
    flush: { value: () => outbox.flush() },
    close: {
      value: async () => {
        await outbox.close();
        await quietly(() => sink.close?.());
        return status();
      },
    },
  }) as DecisionLog;
}

/** A sink that cannot even be closed has been told. */
export async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // What was lost is in the status.
  }
}
