/**
 * The way of messages between a client and a server of the Model Context Protocol. Calls and lists of tools are decided;
 * everything else goes through unread. A side that answers without a question, or asks too much, is not heard.
 */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { Limits } from "./limits.ts";
import { isPlain, LONGEST_NAME, lookAlike, quoted } from "./look-alikes.ts";
import { denialText, type Verdicts } from "./verdicts.ts";

/** Error codes of JSON-RPC; the two below are those of the protocol's own SDK. */
const [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR] = [
  -32_700, -32_600, -32_601, -32_602, -32_603,
];
const [CONNECTION_CLOSED, REQUEST_TIMEOUT] = [-32_000, -32_001];

type Answer = Exclude<JSONRPCMessage, JSONRPCRequest | JSONRPCNotification>;

/** What a call of a tool says. */
const PARAMS = ["name", "arguments", "task", "_meta"];

interface Open {
  readonly method: string;
  /** Absent while the policy has not decided. */
  timer?: NodeJS.Timeout;
  /** Told whether the tool succeeded. */
  done?: (succeeded: boolean) => void;
  /** What is awaited before the answer is passed on: that the success of the tool is recorded. */
  recorded?: Promise<unknown>;
}

export interface Ends {
  readonly client: Transport;
  readonly server: Transport;
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
  private readonly verdicts: Verdicts;
  private readonly limits: Limits;
  private readonly fault: (line: string) => void;
  /** Requests of the client that the server has not answered. */
  private readonly open = new Map<RequestId, Open>();
  /** Requests of the server that the client has not answered. */
  private readonly asked = new Set<RequestId>();
  private idle: (() => void) | undefined;
  private ended = false;

  constructor(ends: Ends, verdicts: Verdicts, { limits, fault }: RelayOptions) {
    this.ends = ends;
    this.verdicts = verdicts;
    this.limits = limits;
    this.fault = fault;
    const { client, server } = ends;
    client.onmessage = (message) => this.fromClient(message);
    server.onmessage = (message) => this.fromServer(message);
    client.onerror = (error) => {
      fault(`client: not a message: ${error.message}`);
      if (!this.ended)
        this.toClient({ jsonrpc: "2.0", error: { code: PARSE_ERROR, message: "not a message of the protocol" } });
    };
    server.onerror = (error) => fault(`server: not a message: ${error.message}`);
  }

  async start(): Promise<void> {
    await this.ends.server.start();
    await this.ends.client.start();
  }

  /** Resolves when every request of the client is answered. */
  settled(): Promise<void> {
    if (this.open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.idle = resolve;
    });
  }

  /** Answers open requests with an error, and relays nothing more. */
  end(reason: string): void {
    for (const id of [...this.open.keys()]) this.refuse(id, CONNECTION_CLOSED, reason);
    this.ended = true;
  }

  private fromClient(message: JSONRPCMessage): void {
    if (this.ended) return;
    if (!("method" in message)) {
      if (message.id !== undefined && this.asked.delete(message.id)) this.toServer(message);
      else this.fault("client: an answer to nothing that the server asked");
    } else if (!("id" in message)) this.notification(message);
    else if (this.open.has(message.id))
      this.toClient(failed(message.id, INVALID_REQUEST, "a request of this id is open"));
    else if (this.open.size >= this.limits.openRequests)
      this.toClient(failed(message.id, INVALID_REQUEST, "too many requests are open"));
    else this.request(message);
  }

  private request(message: JSONRPCRequest): void {
    const { id, method } = message;
    if (method === "tools/call") void this.call(message);
    else if (method !== "tools/list" && isAboutTools(method))
      this.toClient(failed(id, METHOD_NOT_FOUND, `the gateway knows no method ${quoted(method)}`));
    else this.forward(message);
  }

  /** A call without an id would run, and its caller would never get an answer. */
  private notification(message: JSONRPCNotification): void {
    if (isAboutTools(message.method)) return this.fault("client: a call of a tool that wants no answer was dropped");
    if (message.method === "notifications/cancelled") this.close(message.params?.["requestId"] as RequestId);
    this.toServer(message);
  }

  private async call(message: JSONRPCRequest): Promise<void> {
    const { id, params } = message;
    const name = params?.["name"];
    if (params === undefined || typeof name !== "string" || name.length > LONGEST_NAME)
      return this.toClient(failed(id, INVALID_PARAMS, "`name` is the name of a tool"));
    // A server that passes over case would read it, and call what was not decided.
    const twin = lookAlike(params, PARAMS);
    if (twin !== undefined)
      return this.toClient(failed(id, INVALID_PARAMS, `${quoted(twin)} could be read as another name`));
    // Open from now on: a decision may wait for the history of calls.
    const open: Open = { method: message.method };
    this.open.set(id, open);
    try {
      const outcome = this.verdicts.call(name, params["arguments"], (args) => {
        const decided = args === undefined ? params : { ...params, arguments: args };
        return this.forwardCall({ ...message, params: decided } as JSONRPCRequest, open);
      });
      open.recorded = outcome.catch(() => undefined);
      const { allowed, decision } = await outcome;
      if (allowed || this.open.get(id) !== open) return;
      this.close(id);
      const text = denialText(name, decision);
      const _meta = { "portcullis/decision": { ...decision } };
      // Who asks for a task takes no result of a tool.
      if (params["task"] !== undefined) this.toClient(failed(id, INVALID_REQUEST, text));
      else this.toClient({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true, _meta } });
    } catch (error) {
      this.fault(`a call was not forwarded: ${(error as Error).message}`);
      if (this.open.get(id) !== open) return;
      this.close(id);
      this.toClient(failed(id, INTERNAL_ERROR, "the call could not be decided and recorded"));
    }
  }

  private fromServer(message: JSONRPCMessage): void {
    if (this.ended) return;
    if (!("method" in message)) void this.answered(message);
    else if (!("id" in message)) this.toClient(message);
    else if (this.asked.has(message.id) || this.asked.size >= this.limits.openRequests) {
      this.fault("server: a request of an id that is open, or one too many");
      if (!this.ends.serverIsFull())
        this.toServer(failed(message.id, INVALID_REQUEST, "this id is open, or too many requests are"));
    } else {
      this.asked.add(message.id);
      this.toClient(message);
    }
  }

  private async answered(message: Answer): Promise<void> {
    const succeeded = "result" in message && message.result["isError"] !== true;
    const open = message.id === undefined ? undefined : this.close(message.id, succeeded);
    const method = open?.method;
    if (method === undefined) return this.fault("server: an answer to nothing that is open was dropped");
    await open?.recorded;
    // A list may come late, under an id that asks something else by now.
    if ("result" in message && (method === "tools/list" || Array.isArray(message.result["tools"])))
      this.toClient(await this.listed(message));
    else this.toClient(message);
  }

  /** The answer with the tools that may be seen. */
  private async listed(message: Extract<Answer, { result: unknown }>): Promise<Answer> {
    const tools = message.result["tools"];
    if (!Array.isArray(tools)) return failed(message.id, INTERNAL_ERROR, "the server's list of tools is not a list");
    const seen = await Promise.all(
      tools.map(async (tool) => isNamed(tool) && (await this.verdicts.visible(tool.name))),
    );
    return { ...message, result: { ...message.result, tools: tools.filter((_, i) => seen[i]) } };
  }

  /** Whether the tool succeeded, when the server has answered; nothing is sent for a request that is closed by now. */
  private forwardCall(message: JSONRPCRequest, open: Open): boolean | Promise<boolean> {
    if (this.ended || this.open.get(message.id) !== open) return false;
    this.forward(message, open);
    return new Promise((resolve) => {
      open.done = resolve;
    });
  }

  private forward(message: JSONRPCRequest, open: Open = { method: message.method }): void {
    const { id, method } = message;
    open.timer = setTimeout(() => {
      this.fault(`server: no answer to ${quoted(method)} in ${this.limits.answerMs} ms`);
      this.refuse(id, REQUEST_TIMEOUT, "the server did not answer in time");
      const params = { requestId: id, reason: "time limit of the gateway" };
      if (method !== "initialize") this.toServer({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }, this.limits.answerMs);
    this.open.set(id, open);
    this.toServer(message);
  }

  /** The request that is open no more. */
  private close(id: RequestId, succeeded = false): Open | undefined {
    const request = this.open.get(id);
    if (request === undefined) return undefined;
    clearTimeout(request.timer);
    this.open.delete(id);
    request.done?.(succeeded);
    if (this.open.size === 0) setImmediate(() => this.open.size === 0 && this.idle?.());
    return request;
  }

  private refuse(id: RequestId, code: number, message: string): void {
    this.close(id);
    this.toClient(failed(id, code, message));
  }

  private toClient(message: JSONRPCMessage): void {
    this.ends.client.send(message).catch((error: Error) => {
      this.fault(`client: ${error.message}`);
      if (!("method" in message) && message.id !== undefined && "result" in message)
        this.toClient(failed(message.id, INTERNAL_ERROR, NOT_PASSED));
    });
  }

  private toServer(message: JSONRPCMessage): void {
    this.ends.server.send(message).catch((error: Error) => {
      this.fault(`server: ${error.message}`);
      if ("method" in message && "id" in message) this.refuse(message.id, INTERNAL_ERROR, NOT_PASSED);
    });
  }
}

/** A message that cannot be written, for it is nested too deep: no caller waits for its answer. */
const NOT_PASSED = "the message could not be passed on";

/** Whether a server that reads loosely could take this method for one of tools. */
function isAboutTools(method: string): boolean {
  return !isPlain(method) || method.toLowerCase().startsWith("tools/");
}

function isNamed(tool: unknown): tool is { name: string } {
  return typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string";
}

function failed(id: RequestId, code: number, message: string): Answer {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
