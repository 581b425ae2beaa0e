/**
 * The way of messages between a client and a server that keep one connection. What is decided goes through `Rulings`; a side
 * that answers without a question, or asks too much, is not heard.
 */

import type { Channel } from "./channel.ts";
import type { Limits } from "./limits.ts";
import {
  type Answer,
  CONNECTION_CLOSED,
  failed,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type Message,
  NOT_PASSED,
  type Notification,
  PARSE_ERROR,
  REQUEST_TIMEOUT,
  type Request,
  type RequestId,
} from "./messages.ts";
import type { OuterMembers } from "./outer-members.ts";
import { quoted } from "./outside-names.ts";
import { isSuccess, LISTEN, type Rulings, Unsent } from "./rulings.ts";
import { TAKEN, TakenIds, TOO_MANY_LEFT } from "./taken-ids.ts";

interface Open {
  readonly method: string;
  /** Absent while the policy has not decided, and for what stays open for as long as it likes. */
  timer?: NodeJS.Timeout;
  /** Told whether the request succeeded. */
  done?: (succeeded: boolean) => void;
  /** Whether the server has it, and may answer. */
  isSent?: boolean;
  /** What is awaited before the answer is passed on: that the success of a tool is recorded. */
  recorded?: Promise<unknown>;
}

export interface Ends {
  readonly client: Channel;
  readonly server: Channel;
  /** Whether the server has stopped reading. */
  serverIsFull(): boolean;
}

export interface RelayOptions {
  readonly limits: Limits;
  /** Receives a line for people whenever a side does what the protocol does not know. */
  readonly fault: (line: string) => void;
}

export class Relay {
  private readonly ends: Ends;
  private readonly rulings: Rulings;
  private readonly limits: Limits;
  private readonly fault: (line: string) => void;
  /** Requests of the client that the server has not answered. */
  private readonly open = new Map<RequestId, Open>();
  /** Their ids, and those of requests that the client has given up and the server may still answer. */
  private readonly ids = new TakenIds();
  /** Requests of the server that the client has not answered. */
  private readonly asked = new Set<RequestId>();
  /** Answers of the server that the client does not have yet: the history, or a list, takes its time. */
  private passing = 0;
  private idle: (() => void) | undefined;
  private ended = false;
  /** Resolves when the relay has ended by itself: too many requests were left without an answer. */
  readonly exhausted: Promise<void>;
  private exhaust: () => void = () => {};

  constructor(ends: Ends, rulings: Rulings, { limits, fault }: RelayOptions) {
    this.ends = ends;
    this.rulings = rulings;
    this.limits = limits;
    this.fault = fault;
    this.exhausted = new Promise((resolve) => {
      this.exhaust = resolve;
    });
  }

  start(): void {
    const { client, server } = this.ends;
    server.start(
      (message) => this.fromServer(message),
      (problem) => this.fault(`server: not a message: ${problem}`),
    );
    client.start(
      (message) => this.fromClient(message),
      (problem) => {
        this.fault(`client: not a message: ${problem}`);
        if (!this.ended) this.toClient(failed(undefined, PARSE_ERROR, "not a message of the protocol"));
      },
    );
  }

  /** A message that was too long: who waits for an answer gets an error at once. */
  tooLong(side: "client" | "server", { id, asks }: OuterMembers): void {
    const { messageBytes, messageValues } = this.limits;
    const limit = side === "server" ? `${messageBytes} bytes` : `${messageBytes} bytes or ${messageValues} values`;
    this.fault(`${side}: a message over ${limit} was dropped`);
    if (id === undefined || this.ended) return;
    if (side === "server" && !asks) {
      this.ids.free(id);
      if (this.open.has(id)) this.refuse(id, INTERNAL_ERROR, `the server's answer is longer than ${limit}`);
    }
    if (side === "client" && asks) this.toClient(failed(id, INVALID_REQUEST, `the request is longer than ${limit}`));
  }

  /** Resolves when every request of the client is answered that is to be answered in time. */
  settled(): Promise<void> {
    if (this.isSettled()) return Promise.resolve();
    return new Promise((resolve) => {
      this.idle = resolve;
    });
  }

  /** Answers open requests with an error, and relays nothing more. */
  end(reason: string): void {
    this.ended = true;
    for (const id of [...this.open.keys()]) this.refuse(id, CONNECTION_CLOSED, reason);
  }

  private fromClient(message: Message): void {
    if (this.ended) return;
    if (!("method" in message)) {
      if (message.id !== undefined && this.asked.delete(message.id)) this.toServer(message);
      else this.fault("client: an answer to nothing that the server asked");
    } else if (!("id" in message)) this.notification(message);
    else if (this.ids.has(message.id)) this.toClient(failed(message.id, INVALID_REQUEST, TAKEN));
    else if (this.open.size >= this.limits.openRequests)
      this.toClient(failed(message.id, INVALID_REQUEST, "too many requests are open"));
    else void this.request(message);
  }

  private async request(message: Request): Promise<void> {
    // Open from now on: a decision may wait for the history of calls.
    const open: Open = { method: message.method };
    this.open.set(message.id, open);
    this.ids.take(message.id);
    const ruling = this.rulings.request(message, (decided) => this.forward(decided, open));
    open.recorded = ruling;
    const answer = await ruling;
    if (answer === undefined || this.open.get(message.id) !== open) return;
    this.close(message.id);
    this.toClient(answer);
  }

  private notification(message: Notification): void {
    if (!this.rulings.passesToServer(message))
      return this.fault("client: a call of a tool that wants no answer was dropped");
    this.toServer(message);
    if (message.method === "notifications/cancelled") this.close(message.params?.["requestId"]);
  }

  private fromServer(message: Message): void {
    if (this.ended) return;
    if (!("method" in message)) void this.answered(message);
    else if (!("id" in message)) {
      // A server ends a subscription with this.
      const id = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
      if (this.open.get(id as RequestId)?.method === LISTEN) this.close(id);
      // Or takes back what it asked, which its client does not answer then.
      else this.asked.delete(id as RequestId);
      if (this.rulings.passesToClient(message)) this.toClient(message);
    } else if (this.asked.has(message.id) || this.asked.size >= this.limits.openRequests) {
      this.fault("server: a request of an id that is open, or one too many");
      if (!this.ends.serverIsFull())
        this.toServer(failed(message.id, INVALID_REQUEST, "this id is open, or too many requests are"));
    } else {
      this.asked.add(message.id);
      this.toClient(message);
    }
  }

  private async answered(message: Answer): Promise<void> {
    const open = this.open.get(message.id as RequestId);
    // The answer to what was cancelled, or came too late, frees the id; one before the request was sent frees nothing.
    if (open === undefined || open.done !== undefined) this.ids.free(message.id);
    // A server that guesses ids must not answer in place of the policy.
    if (open?.done === undefined) return this.fault("server: an answer to nothing that is open was dropped");
    this.passing++;
    this.close(message.id, isSuccess(message));
    await open.recorded;
    this.toClient(await this.rulings.answer(open.method, message));
    this.passing--;
    this.rest();
  }

  /** Whether the request succeeded, when the server has answered. Throws for one that is closed by now: nothing is sent. */
  private forward(message: Request, open: Open): Promise<boolean> {
    const { id, method } = message;
    if (this.open.get(id) !== open) throw new Unsent();
    const late = (): void => {
      this.fault(`server: no answer to ${quoted(method)} in ${this.limits.answerMs} ms`);
      this.refuse(id, REQUEST_TIMEOUT, "the server did not answer in time");
      const params = { requestId: id, reason: "time limit of the gateway" };
      if (method !== "initialize") this.toServer({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    };
    if (method !== LISTEN) open.timer = setTimeout(late, this.limits.answerMs);
    const succeeded = new Promise<boolean>((resolve) => {
      open.done = resolve;
    });
    this.toServer(message);
    open.isSent = true;
    return succeeded;
  }

  private close(id: unknown, succeeded = false): void {
    const request = this.open.get(id as RequestId);
    if (request === undefined) return;
    clearTimeout(request.timer);
    this.open.delete(id as RequestId);
    request.done?.(succeeded);
    this.rest();
    if (request.isSent !== true) this.ids.free(id as RequestId);
    else if (!this.ids.leave(id as RequestId) && !this.ended) {
      this.fault(`client: ${TOO_MANY_LEFT}, and the session ends`);
      this.end(TOO_MANY_LEFT);
      this.exhaust();
    }
  }

  private rest(): void {
    setImmediate(() => this.isSettled() && this.idle?.());
  }

  private isSettled(): boolean {
    return this.passing === 0 && [...this.open.values()].every(({ method }) => method === LISTEN);
  }

  private refuse(id: RequestId, code: number, message: string): void {
    this.close(id);
    this.toClient(failed(id, code, message));
  }

  private toClient(message: Message): void {
    try {
      this.ends.client.send(message);
    } catch (error) {
      this.fault(`client: ${(error as Error).message}`);
      if (!("method" in message) && message.id !== undefined && "result" in message)
        this.toClient(failed(message.id, INTERNAL_ERROR, NOT_PASSED));
      const isAsked = "method" in message && "id" in message && this.asked.delete(message.id);
      if (isAsked && !this.ends.serverIsFull()) this.toServer(failed(message.id, INTERNAL_ERROR, NOT_PASSED));
    }
  }

  private toServer(message: Message): void {
    try {
      this.ends.server.send(message);
    } catch (error) {
      this.fault(`server: ${(error as Error).message}`);
      if ("method" in message && "id" in message) this.refuse(message.id, INTERNAL_ERROR, NOT_PASSED);
    }
  }
}
