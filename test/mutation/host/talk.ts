/** A relay between two ends that only write down what they are sent. The policy is a function. */

import type { HistoryStore } from "@portcullis/runtime";
import type { Channel } from "../../../compiler/enforcement/gateway/channel.ts";
import { LIMITS, type Limits, Verdicts } from "../../../compiler/enforcement/gateway/index.ts";
import type { Message as Wire } from "../../../compiler/enforcement/gateway/messages.ts";
import { Offers } from "../../../compiler/enforcement/gateway/offers.ts";
import { Relay } from "../../../compiler/enforcement/gateway/relay.ts";
import { Rulings } from "../../../compiler/enforcement/gateway/rulings.ts";
import { ALLOW, CALLER, deciding, denied, TOOLS } from "./verdicts.ts";

/** What came out, in its order: a message to a side, or a fault. */
export type Said = readonly ["client" | "server" | "fault", unknown];

export type Message = Readonly<Record<string, unknown>>;

class End implements Channel {
  onMessage: (message: Wire) => void = () => {};
  onError: (problem: string) => void = () => {};
  private readonly side: "client" | "server";
  private readonly talk: Talk;

  constructor(side: "client" | "server", talk: Talk) {
    this.side = side;
    this.talk = talk;
  }
  start(onMessage: (message: Wire) => void, onError: (problem: string) => void): void {
    this.talk.started.push(this.side);
    this.onMessage = onMessage;
    this.onError = onError;
  }
  send(message: Wire): void {
    if (this.talk.fails(this.side, message as unknown as Message)) throw new Error("too deep");
    this.talk.said.push([this.side, message]);
  }
}

interface Odd {
  readonly limits?: Partial<Limits>;
  readonly isFull?: boolean;
  readonly fails?: (side: string, message: Message) => boolean;
  readonly record?: () => void;
  /** A store of history for calls of `yes`, which the policy then counts. */
  readonly history?: HistoryStore;
}

/** A policy that offers what is called `open`. */
const offering = (policy: object): object => ({
  ...policy,
  entrypoints: ["portcullis/offer/mcp"],
  evaluate: (_: string, { name }: { readonly name: unknown }) =>
    name === "open" ? { ...ALLOW, reason: "offered" } : denied("OFFER"),
});

export class Talk {
  readonly said: Said[] = [];
  readonly started: string[] = [];
  readonly fails: (side: string, message: Message) => boolean;
  readonly policy = deciding({
    1: ALLOW,
    yes: ALLOW,
    id: ALLOW,
    scoped: denied("SCOPE"),
    no: denied("FLAGS", { flags: ["f"] }),
  });
  readonly relay: Relay;
  private readonly client = new End("client", this);
  private readonly server = new End("server", this);

  constructor({ limits, isFull = false, fails = () => false, record = () => {}, history }: Odd = {}) {
    this.fails = fails;
    const counts = { L: { calls: { tools: { yes: true } }, per: ["role"], max_calls: 9 } };
    const policy = history === undefined ? this.policy : Object.assign(this.policy, { limits: counts });
    const verdicts = new Verdicts(policy, CALLER, TOOLS, record, history === undefined ? {} : { history });
    const fault = (line: string): void => void this.said.push(["fault", line]);
    const rulings = new Rulings(verdicts, new Offers(offering(this.policy), CALLER, record), fault);
    const ends = { client: this.client, server: this.server, serverIsFull: () => isFull };
    this.relay = new Relay(ends, rulings, { limits: { ...LIMITS, ...limits }, fault });
    this.relay.start();
  }

  /** From a side; gives what came out. */
  async hear(side: "client" | "server", ...messages: readonly Message[]): Promise<readonly Said[]> {
    for (const message of messages) this[side].onMessage({ jsonrpc: "2.0", ...message } as Wire);
    return this.rest();
  }

  async error(side: "client" | "server"): Promise<readonly Said[]> {
    this[side].onError("odd");
    return this.rest();
  }

  async rest(milliseconds = 0): Promise<readonly Said[]> {
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
    return this.said.splice(0);
  }
}

export const to = (side: "client" | "server", message: Message): Said => [side, { jsonrpc: "2.0", ...message }];
export const fault = (line: string): Said => ["fault", line];
export const error = (id: unknown, code: number, message: string): Said =>
  to("client", { id, error: { code, message } });
export const ping = (id: unknown): Message => ({ id, method: "ping" });
export const answer = (id: unknown): Message => ({ id, result: {} });
export const call = (id: unknown, name: unknown, more: object = {}): Message => ({
  id,
  method: "tools/call",
  params: { name, ...more },
});

export const CANCELLED = "notifications/cancelled";
export const STRAY = fault("server: an answer to nothing that is open was dropped");
