/** How much a gateway takes from either side. A peer that sends more waits, or is refused; memory stays bounded. */

export interface Limits {
  /** Bytes of one message; a longer line is dropped. */
  readonly messageBytes: number;
  /** Values of a client's message: a call with more is denied, and they would take seconds to read. */
  readonly messageValues: number;
  /** Messages a second from one side, with bursts of as many; more are read later. */
  readonly messagesPerSecond: number;
  /** Requests of one side that wait for an answer; one more is refused. */
  readonly openRequests: number;
  /** Time for an answer of the server. */
  readonly answerMs: number;
  /** Time for each step of shutting down: open answers, the server's own end, its end after a signal. */
  readonly graceMs: number;
}

export const LIMITS: Limits = {
  messageBytes: 8 * 1024 * 1024,
  messageValues: 250_000,
  messagesPerSecond: 1_000,
  openRequests: 256,
  answerMs: 300_000,
  graceMs: 2_000,
};
