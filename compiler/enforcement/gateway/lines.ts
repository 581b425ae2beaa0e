/** Complete lines out of a stream of bytes, no longer and no faster than the limits say, and none while the reader is full. */

import { Transform, type TransformCallback, type Writable } from "node:stream";
import type { Limits } from "./limits.ts";
import { marksIn } from "./marks.ts";
import { OuterMembers } from "./outer-members.ts";

const NEWLINE = 0x0a;

export class Lines extends Transform {
  private readonly limits: Limits;
  /** What the lines lead to: while one of them is full, no further line is read. */
  private readonly sinks: readonly Writable[];
  private readonly onDropped: (outer: OuterMembers) => void;
  /** The line so far: the first `length` bytes. Grows by doubling, so that a line of single bytes costs no more than any other. */
  private line = Buffer.allocUnsafe(4096);
  private length = 0;
  /** Bytes are dropped up to the next end of line, and looked at. */
  private dropped: OuterMembers | undefined;
  private tokens: number;
  private filled = performance.now();

  /** `onDropped` is told of a line that was too long when it has ended. */
  constructor(limits: Limits, sinks: readonly Writable[], onDropped: (outer: OuterMembers) => void) {
    // One line is read at a time, and they are not joined.
    super({ readableObjectMode: true, readableHighWaterMark: 1 });
    this.limits = limits;
    this.sinks = sinks;
    this.onDropped = onDropped;
    this.tokens = limits.messagesPerSecond;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.split(chunk).then(
      () => done(),
      (error: Error) => done(error),
    );
  }

  /** A last line without an end is no message. */
  override _flush(done: TransformCallback): void {
    if (this.dropped !== undefined) this.onDropped(this.dropped);
    done();
  }

  private async split(chunk: Buffer): Promise<void> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && !this.destroyed; end = chunk.indexOf(NEWLINE, from)) {
      this.keep(chunk.subarray(from, end + 1));
      from = end + 1;
      if (this.dropped === undefined && this.length > this.limits.messageValues) this.holdValues();
      if (this.dropped !== undefined) this.onDropped(this.dropped);
      else if (this.length > 1) {
        await this.turn();
        this.push(Buffer.from(this.line.subarray(0, this.length)));
      }
      this.length = 0;
      this.dropped = undefined;
    }
    this.keep(chunk.subarray(from));
  }

  private keep(part: Buffer): void {
    if (this.dropped !== undefined) return this.dropped.feed(part);
    const length = this.length + part.length;
    if (length > this.limits.messageBytes) {
      this.dropped = new OuterMembers();
      this.dropped.feed(this.line.subarray(0, this.length));
      this.dropped.feed(part);
      this.line = Buffer.allocUnsafe(4096);
      return;
    }
    if (length > this.line.length) {
      const longer = Buffer.allocUnsafe(Math.max(length, this.line.length * 2));
      this.line.copy(longer, 0, 0, this.length);
      this.line = longer;
    }
    part.copy(this.line, this.length);
    this.length = length;
  }

  /** A line of few bytes has few values. */
  private holdValues(): void {
    const line = this.line.subarray(0, this.length);
    if (marksIn(line.toString("latin1")) <= this.limits.messageValues) return;
    this.dropped = new OuterMembers();
    this.dropped.feed(line);
  }

  /** Waits for a token, and for room. */
  private async turn(): Promise<void> {
    const { messagesPerSecond } = this.limits;
    const now = performance.now();
    this.tokens = Math.min(messagesPerSecond, this.tokens + ((now - this.filled) / 1000) * messagesPerSecond) - 1;
    this.filled = now;
    if (this.tokens < 0) await after((-this.tokens / messagesPerSecond) * 1000);
    // A sink that is destroyed needs no drain.
    for (const sink of this.sinks) while (sink.writableNeedDrain && !this.destroyed) await room(sink);
  }
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Ends with whatever comes first: room, or the end of the stream. */
function room(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "close", "error"];
    const done = (): void => {
      for (const event of events) sink.off(event, done);
      resolve();
    };
    for (const event of events) sink.on(event, done);
  });
}
