/** One side of a proxy: messages come and go, whatever carries them. */

import type { Readable, Writable } from "node:stream";
import { type Message, readMessage } from "./messages.ts";

export interface Channel {
  /** Receives what arrives from the moment on that the channel is started. */
  start(onMessage: (message: Message) => void, onError: (problem: string) => void): void;
  /** Throws for a message that cannot be written, as it is nested too deep. */
  send(message: Message): void;
}

/** A message a line, as over standard input and output. */
export class LineChannel implements Channel {
  private readonly lines: Readable;
  private readonly output: Writable;

  /** `lines` gives one line at a time. */
  constructor(lines: Readable, output: Writable) {
    this.lines = lines;
    this.output = output;
  }

  start(onMessage: (message: Message) => void, onError: (problem: string) => void): void {
    this.lines.on("data", (line: Buffer) => {
      const message = readMessage(line.toString("utf8"));
      if (message.ok) onMessage(message.value);
      else onError(message.problem.message);
    });
    this.lines.on("error", (error: Error) => onError(error.message));
  }

  send(message: Message): void {
    this.output.write(`${JSON.stringify(message)}\n`);
  }
}
