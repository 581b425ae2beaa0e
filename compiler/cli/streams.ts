/** Standard input and output as streams, for commands that go on while they read. */

import { Readable, Writable } from "node:stream";
import type { Terminal } from "./terminal.ts";

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Those of the terminal; one that has none gives all its input at once. */
export async function streamsOf(terminal: Terminal): Promise<Streams> {
  if (terminal.streams !== undefined) return terminal.streams;
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      terminal.outBytes(chunk);
      done();
    },
  });
  return { input: Readable.from([Buffer.from(await terminal.readInput())]), output };
}
