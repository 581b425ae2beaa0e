/** A listener that writes decisions down: masked, buffered, sent in batches, tried again. */

import { type DecisionEvent, EventSources, newId, RECORDER, type Recorder, type Untold } from "../observe/index.ts";
import { holdOptions, type OptionTable } from "../options.ts";
import type { PlatformAbortSignal } from "../platform.ts";
import { eventTree, exactOf, exactText } from "./event-text.ts";
import { applyMask, type MaskRule, readMask } from "./mask.ts";
import { OUTBOX_OPTIONS, Outbox, type OutboxOptions, type OutboxStatus } from "./outbox.ts";
import { type EventSink, encodeBatch } from "./sinks.ts";
import { elapsed } from "./times.ts";
import { countsOf, NOTHING, UntoldCounts } from "./untold-counts.ts";

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

const DECISION_LOG_OPTIONS: OptionTable = {
  ...OUTBOX_OPTIONS,
  sink: "object",
  mask: "array|function",
  drop: "function",
  gzip: "boolean",
};

/** What `decisionLog` has delivered, dropped and left out. */
export interface DecisionLogStatus extends OutboxStatus {
  /** Events that `drop` took out. */
  readonly excluded: number;
  /** Events that were dropped because `mask` or `drop` threw. */
  readonly unmasked: number;
}

/** Give it to `load` as `onDecision`. It hears of losses, and its policies of its room, where it is given as it is. */
export interface DecisionLog {
  (event: DecisionEvent): void;
  readonly status: DecisionLogStatus;
  /**
   * Takes what its policies have pending, and sends the waiting events. Rejects with the sink's error; events that were not
   * sent stay, unless the sink will never take them.
   *
   * `held`: ids of decisions that the caller does not give if it rejects. Each of them that waits becomes a line without a path,
   * which says so.
   */
  flush(held?: ReadonlySet<string>): Promise<void>;
  /**
   * As `flush`, in one last attempt, and closes the sink. Where something was lost or denied after the last event, a line
   * without a path says how much. Never rejects; `status` counts the lost ones.
   */
  close(): Promise<DecisionLogStatus>;
}

/** An event's text without its counts, and these. */
interface Line extends Untold {
  readonly id: string;
  text: string;
}

const NOT_GIVEN = { code: "unrecorded", message: "the answer waited for the log, and was not given" };

/** Throws TypeError for an unknown option, one of another type, or a malformed mask; RangeError for a limit out of range. */
export function decisionLog(options: DecisionLogOptions): DecisionLog {
  holdOptions(options, DECISION_LOG_OPTIONS);
  const { sink, mask = [], drop, timeoutMs = 30_000 } = options;
  const gzip = options.gzip ?? sink.gzip ?? false;
  const fixed = typeof mask === "function" ? undefined : readMask(mask, exactOf);
  const lost = { excluded: 0, unmasked: 0 };
  const sources = new EventSources();
  const untold = new UntoldCounts();
  const outbox = new Outbox<Line>(
    options,
    async (lines, signal) => {
      const told = untold.sum();
      await write(
        lines.map((line, i) => withCounts(line, i === 0 ? told : NOTHING)),
        signal,
      );
      untold.take(told);
    },
    (lines) => {
      for (const line of lines) untold.lose(line);
    },
  );
  const write = async (texts: readonly string[], signal: PlatformAbortSignal): Promise<void> => {
    await sink.write(await encodeBatch(texts, sink, gzip), { events: texts.length, gzip, signal });
  };
  /** What was lost and denied after the last event, if anything. */
  const tellRest = async (signal: PlatformAbortSignal): Promise<void> => {
    untold.add(sources.untold());
    const told = untold.sum();
    if (told.dropped + told.refused === 0) return;
    const event = { decision_id: newId(), timestamp: new Date().toISOString() };
    const line = { id: event.decision_id, text: JSON.stringify(event), ...NOTHING };
    await write([withCounts(line, told)], signal);
    untold.take(told);
  };
  const eventLine = (event: DecisionEvent): string => {
    const tree = eventTree(event);
    tree.delete("dropped");
    tree.delete("refused");
    const rules = fixed ?? readMask((mask as (event: DecisionEvent) => readonly MaskRule[])(event), exactOf);
    if (rules.length > 0) applyMask(tree, rules);
    return exactText(tree);
  };
  /** The line of an event; `undefined` for one that is left out. Throws where it cannot be masked. */
  const lineOf = (event: DecisionEvent): Line | undefined => {
    if (drop?.(event) !== true) return { id: event.decision_id, text: eventLine(event), ...countsOf(event) };
    return undefined;
  };
  const add = (line: Line | undefined, event: DecisionEvent, isKept: boolean): void => {
    if (line !== undefined) return outbox.add(line, line.text.length, isKept);
    lost.excluded++;
    untold.add(countsOf(event));
  };
  const log = (event: DecisionEvent): void => {
    let line: Line | undefined;
    try {
      line = lineOf(event);
    } catch {
      lost.unmasked++;
      untold.lose(countsOf(event));
      return;
    }
    add(line, event, false);
  };
  const recorder: Recorder = {
    prepare(event) {
      const line = lineOf(event);
      if (line !== undefined && !outbox.hasRoom(line.text.length)) throw new Error(outbox.problem);
      return () => add(line, event, true);
    },
    follow: (source) => sources.add(source),
    lost: () => outbox.status.dropped + lost.unmasked,
    queue: () => outbox.status,
  };
  let rest: Promise<void> | undefined;
  const status = (): DecisionLogStatus => ({ ...outbox.status, ...lost });
  return Object.defineProperties(log, {
    [RECORDER]: { value: recorder },
    status: { get: status },
    flush: {
      value: (held: ReadonlySet<string> = new Set()) => {
        sources.drain();
        return outbox.flush((lines) => {
          for (const line of lines) if (held.has(line.id)) line.text = notGiven(line);
        });
      },
    },
    close: {
      value: async () => {
        sources.drain();
        await outbox.close();
        // A sink that never answers keeps neither the caller nor, by its connection, the process.
        const late = new AbortController();
        await Promise.race([quietly(() => (rest ??= tellRest(late.signal))), elapsed(timeoutMs)]);
        late.abort();
        await quietly(() => sink.close?.());
        return status();
      },
    },
  }) as DecisionLog;
}

/** The line in place of a decision that was not given. Its denial was told, or counted, by itself. */
function notGiven({ id }: Line): string {
  return JSON.stringify({ decision_id: id, error: NOT_GIVEN, timestamp: new Date().toISOString() });
}

/** A line with what was lost before it. */
function withCounts({ text, dropped, refused }: Line, before: Untold): string {
  const counts = [
    ["dropped", dropped + before.dropped],
    ["refused", refused + before.refused],
  ] as const;
  const members = counts.flatMap(([name, count]) => (count > 0 ? [`,"${name}":${count}`] : []));
  return members.length === 0 ? text : `${text.slice(0, -1)}${members.join("")}}`;
}

/** A sink that cannot even be closed has been told. */
export async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // What was lost is in the status.
  }
}
