/**
 * `runProxy`: a server of the Model Context Protocol behind the policy, over standard input and output. It ends when the
 * client leaves, when the server ends, when too many requests are left without an answer, or when it is told to, and leaves no
 * process behind.
 */

import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { CallDecider, CallRecord, FactHost, Replaceable } from "@portcullis/runtime";
import type { Caller } from "./caller.ts";
import { LineChannel } from "./channel.ts";
import type { Limits } from "./limits.ts";
import { Lines } from "./lines.ts";
import { copyErrors, faultLog } from "./log.ts";
import { type OfferDecider, Offers } from "./offers.ts";
import type { Pins } from "./pins.ts";
import { Relay } from "./relay.ts";
import { Rulings } from "./rulings.ts";
import { ServerProcess } from "./server-process.ts";
import type { ToolNames } from "./tool-map.ts";
import { Verdicts } from "./verdicts.ts";
import { within } from "./within.ts";

export interface ProxyOptions {
  readonly policy: Replaceable<CallDecider & OfferDecider>;
  readonly caller: Caller;
  readonly tools: ToolNames;
  readonly limits: Limits;
  /** What facts of calls are found out with. */
  readonly facts?: FactHost;
  /** Tools as they were accepted; without it each is what the server says. */
  readonly pins?: Pins | undefined;
  /** Command and arguments of the server. */
  readonly server: readonly [string, ...string[]];
  readonly input: Readable;
  readonly output: Writable;
  /** Receives each decision, and the server's own name of what was asked for. What cannot be recorded is not done. */
  readonly record: (record: CallRecord, name: string) => void;
  /** Receives lines for people: faults, and what the server writes to its standard error. */
  readonly log: (line: string) => void;
  /** A signal is handed on to the server, and the proxy ends. */
  readonly signalled: Promise<NodeJS.Signals>;
}

export interface ProxyEnd {
  /** `exhausted`: too many requests were left without an answer. */
  readonly why: "client-left" | "server-ended" | "signalled" | "exhausted";
  /** Whether there was a server at all. */
  readonly started: boolean;
  /** How the server ended. */
  readonly message: string;
}

/** Answers that a dead server has left in the pipe are read in this time. */
const REST_MS = 200;

export async function runProxy(options: ProxyOptions): Promise<ProxyEnd> {
  const { limits, input, output } = options;
  const { fault, rest } = faultLog(options.log);
  const [command, ...args] = options.server;
  const server = new ServerProcess(command, args);
  const { stdin, stdout, stderr } = server.streams;

  // Who does not read the answers is not read either. The server is: it may be full of answers, and read again afterwards.
  const fromClient = input.pipe(new Lines(limits, [stdin, output], (line) => relay.tooLong("client", line)));
  const ofServer = { ...limits, messageValues: Number.POSITIVE_INFINITY };
  const fromServer = stdout.pipe(new Lines(ofServer, [output], (line) => relay.tooLong("server", line)));
  copyErrors(stderr, stdin, options.log);
  const closed = new Promise<"client-left">((resolve) => {
    for (const event of ["close", "error"]) output.once(event, () => resolve("client-left"));
  });
  const noMore = once(fromClient, "end").catch(() => {});

  const verdicts = new Verdicts(options.policy, options.caller, options.tools, options.record, options.facts);
  const rulings = new Rulings(
    verdicts,
    new Offers(options.policy, options.caller, options.record),
    fault,
    options.pins,
  );
  const [client, behind] = [new LineChannel(fromClient, output), new LineChannel(fromServer, stdin)];
  const ends = { client, server: behind, serverIsFull: () => stdin.writableNeedDrain };
  const relay = new Relay(ends, rulings, { limits, fault });
  relay.start();

  const ended = server.ended.then(() => "server-ended" as const);
  const signalled = options.signalled.then((name) => {
    server.signal(name);
    return "signalled" as const;
  });
  // A client that sends no more may still read: open requests are answered first.
  const answered = noMore.then(() => relay.settled()).then(() => "client-left" as const);
  const exhausted = relay.exhausted.then(() => "exhausted" as const);
  const why = await Promise.race([ended, signalled, closed, answered, exhausted]);
  if (why === "signalled") await within(limits.graceMs, server.ended);
  if (why === "server-ended") await within(REST_MS, relay.settled());
  relay.end("the server has ended");
  await server.stop(limits.graceMs);
  input.unpipe(fromClient);
  input.destroy();
  for (const stream of [stdout, stderr, fromClient, fromServer]) stream.destroy();
  rest();
  return { why, started: server.streams.pid !== undefined, message: await server.ended };
}
