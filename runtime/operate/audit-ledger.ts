/**
 * Decisions as a chain of hashes, one JSON object a line:
 *
 *   {"decision_id": …, "input": …, "ledger": {"previous": "<hash of the line before>", "sequence": 1}, …}
 *   {"checkpoint": {"closed": false, "timestamp": …}, "ledger": {"previous": …, "sequence": 2}, "signature": "<JWS>"}
 *
 * A line is canonical JSON: members in the order of their keys' code points, no white space, numbers as they are. Its hash is
 * the SHA-256 of these bytes. `ledger` of the first line of a batch says what was lost (`dropped`) and denied (`refused`)
 * before it, and of the first line of a ledger that goes on that it is `continued`. Every batch ends in a
 * checkpoint, so that a reader knows where the ledger was whole; with a key it is signed: the signature is over the line
 * without it. The last checkpoint says what was lost and denied after the last event.
 */

import type { ExactJson, ExactNumber } from "../json/index.ts";
import { type DecisionEvent, EventSources, RECORDER, type Recorder, type Untold } from "../observe/index.ts";
import { holdOptions, type OptionTable } from "../options.ts";
import type { PlatformAbortSignal } from "../platform.ts";
import { quietly } from "./decision-log.ts";
import { canonicalText, eventTree, isExactObject, parseLine } from "./event-text.ts";
import { type LedgerKey, type Signer, signerOf } from "./ledger-signer.ts";
import { OUTBOX_OPTIONS, Outbox, type OutboxOptions, type OutboxStatus } from "./outbox.ts";
import type { EventSink } from "./sinks.ts";
import { elapsed } from "./times.ts";
import { countsOf, UntoldCounts } from "./untold-counts.ts";

/** `previous` of the first line. */
export const NO_LINE = "0".repeat(64);

/** Options of `auditLedger`: the key of its checkpoints, the ledger that it continues, and the buffer's limits. */
export interface AuditLedgerOptions extends OutboxOptions {
  /** Signs the checkpoints. Without it the chain shows accidents, and no forgery: a writer can write it all anew. */
  readonly key?: LedgerKey;
  /** The last line of a ledger that is continued: the checkpoint of its `close`. After any other line it does not verify. */
  readonly continues?: string;
}

const AUDIT_LEDGER_OPTIONS: OptionTable = {
  ...OUTBOX_OPTIONS,
  key: { algorithm: "string", key: "string|object", keyId: "string" },
  continues: "string",
};

/** What `auditLedger` has written and lost. */
export interface AuditLedgerStatus extends OutboxStatus {
  /** Place and hash of the last line that the sink took. Kept elsewhere, they show a ledger that was cut. */
  readonly sequence: number;
  readonly head: string;
}

/** Give it to `load` as `onDecision`. It hears of losses, and its policies of its room, where it is given as it is. */
export interface AuditLedger {
  (event: DecisionEvent): void;
  readonly status: AuditLedgerStatus;
  /**
   * Takes what its policies have pending, and writes the waiting events and a checkpoint. Rejects with the sink's error;
   * events that were not written stay.
   */
  flush(): Promise<void>;
  /**
   * The same in one last attempt, with the last checkpoint, which says that the ledger ends here, and what was lost and denied
   * after the last event. Never rejects.
   */
  close(): Promise<AuditLedgerStatus>;
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/** Throws TypeError for an option that there is not or of another type, or a last line that is not a line of a ledger. */
export function auditLedger(sink: EventSink, options: AuditLedgerOptions = {}): AuditLedger {
  holdOptions(options, AUDIT_LEDGER_OPTIONS);
  let signer: Promise<Signer> | undefined = options.key && signerOf(options.key);
  // A key that does not fit rejects where the signer is awaited, and must not be an unhandled rejection before.
  signer?.catch(() => {});
  let start: Head | Promise<Head> = { sequence: 0, hash: NO_LINE };
  if (options.continues !== undefined) start = headOf(options.continues);
  let head: Head = { sequence: 0, hash: NO_LINE };
  const started = Promise.resolve(start).then((given) => {
    head = given;
  });
  const { timeoutMs = 30_000 } = options;
  const untold = new UntoldCounts();
  const sources = new EventSources();
  let isContinued = options.continues !== undefined;

  const written = new WeakSet<ReadonlyMap<string, ExactJson>>();
  /** One write at a time: one that came too late for the outbox may still arrive, and leads to the next head. */
  let turn: Promise<void> = started;
  const seal = (
    events: readonly Map<string, ExactJson>[],
    closed: boolean,
    signal: PlatformAbortSignal,
  ): Promise<void> => {
    const mine = turn.then(() => write(events, closed, signal));
    turn = mine.catch(() => {});
    return mine;
  };

  /** Writes lines for these events and a checkpoint. Nothing is kept until the sink has them. */
  const write = async (
    all: readonly Map<string, ExactJson>[],
    closed: boolean,
    signal: PlatformAbortSignal,
  ): Promise<void> => {
    const events = all.filter((event) => !written.has(event));
    if (signal.aborted || (events.length === 0 && !closed)) return;
    const sign = await signer;
    const told = untold.sum();
    const lines: string[] = [];
    let at = head;
    const add = async (line: Map<string, ExactJson>, signs?: Signer): Promise<void> => {
      const place = new Map<string, ExactJson>([
        ["previous", at.hash],
        ["sequence", number(at.sequence + 1)],
      ]);
      if (lines.length === 0) {
        if (isContinued) place.set("continued", true);
        for (const [name, count] of Object.entries(told)) if (count > 0) place.set(name, number(count));
      }
      const whole = new Map(line).set("ledger", place);
      if (signs !== undefined) whole.set("signature", await signs(canonicalText(whole)));
      const text = canonicalText(whole);
      lines.push(text);
      at = { sequence: at.sequence + 1, hash: await sha256(text) };
    };
    for (const event of events) await add(event);
    const checkpoint = new Map<string, ExactJson>([
      ["closed", closed],
      ["timestamp", new Date().toISOString()],
    ]);
    await add(new Map([["checkpoint", checkpoint]]), sign);
    const batch = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
    await sink.write(batch, { events: lines.length, gzip: false, signal });
    untold.take(told);
    isContinued = false;
    head = at;
    for (const event of events) written.add(event);
  };

  const outbox = new Outbox<Line>(
    options,
    (items, signal) =>
      seal(
        items.map(({ tree }) => tree),
        false,
        signal,
      ),
    (items) => {
      for (const item of items) untold.lose(item);
    },
  );
  const lineOf = (event: DecisionEvent): Line => {
    const tree = eventTree(event);
    return { tree, size: canonicalText(tree).length, ...countsOf(event) };
  };
  let broken = 0;
  const ledger = (event: DecisionEvent): void => {
    try {
      const line = lineOf(event);
      outbox.add(line, line.size);
    } catch {
      broken++;
      untold.lose(countsOf(event));
    }
  };
  const dropped = (): number => outbox.status.dropped + broken;
  const recorder: Recorder = {
    prepare(event) {
      const line = lineOf(event);
      if (!outbox.hasRoom(line.size)) throw new Error(outbox.problem);
      return () => outbox.add(line, line.size, true);
    },
    follow: (source) => sources.add(source),
    lost: dropped,
    queue: () => outbox.status,
  };
  const status = (): AuditLedgerStatus => ({
    ...outbox.status,
    dropped: dropped(),
    sequence: head.sequence,
    head: head.hash,
  });
  let ended: Promise<AuditLedgerStatus> | undefined;
  const close = async (): Promise<AuditLedgerStatus> => {
    sources.drain();
    await outbox.close();
    untold.add(sources.untold());
    // A sink that never answers keeps neither the caller nor, by its connection, the process.
    const late = new AbortController();
    await Promise.race([quietly(() => seal([], true, late.signal)), elapsed(timeoutMs)]);
    late.abort();
    await quietly(() => sink.close?.());
    signer = undefined;
    return status();
  };
  const flush = (): Promise<void> => {
    sources.drain();
    return outbox.flush();
  };
  return Object.defineProperties(ledger, {
    [RECORDER]: { value: recorder },
    status: { get: status },
    flush: { value: flush },
    close: { value: () => (ended ??= close()) },
  }) as AuditLedger;
}

/** An event's line, and what it says of those before it. */
interface Line extends Untold {
  readonly tree: Map<string, ExactJson>;
  readonly size: number;
}

/** Place and hash of a line. Throws TypeError when it is no line of a ledger. */
function headOf(line: string): Promise<Head> {
  const value = parseLine(line.trim());
  const place = isExactObject(value) ? value.get("ledger") : undefined;
  const sequence = isExactObject(place)
    ? Number((place.get("sequence") as ExactNumber | undefined)?.number)
    : Number.NaN;
  if (!Number.isSafeInteger(sequence) || sequence < 1) throw new TypeError("`continues` is the last line of a ledger");
  return sha256(canonicalText(value)).then((hash) => ({ sequence, hash }));
}

function number(value: number): ExactNumber {
  return { number: String(value) };
}

/** Lower-case hex. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
