/**
 * `envoy.service.auth.v3.Authorization` over gRPC, by `@grpc/grpc-js` where it is installed. The messages are written here as far as a
 * check needs them: https://github.com/envoyproxy/envoy/tree/main/api/envoy/service/auth/v3
 */

import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { holdConnections } from "../http/index.ts";
import type { Answer } from "./answer.ts";
import type { CheckAnswer, CheckedRequest } from "./ext-authz.ts";

export interface CheckServerOptions {
  /** `host:port`. */
  readonly address: string;
  /** Most bytes of a body that Envoy sends. */
  readonly maxBodyBytes: number;
  /** At a time; and as many checks, over whichever connection. */
  readonly maxConnections: number;
  /** For a check to arrive. */
  readonly requestMs: number;
  /** For checks under way, when the server is told to end. */
  readonly graceMs: number;
  /** Whether the words after `authorization` are the token's. Without a token they always are. */
  readonly bears: (authorization: string | undefined) => boolean;
  readonly answer: (checked: CheckedRequest) => Promise<CheckAnswer | Answer>;
}

export interface CheckServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Checks cannot be taken: the packages are not installed, or the address cannot be had. The message says which. */
export class CheckServerError extends Error {
  override readonly name = "CheckServerError";
}

/** Rejects with CheckServerError. */
export async function serveChecks(options: CheckServerOptions): Promise<CheckServer> {
  const { grpc, loader } = await packages();
  const found = loader.fromJSON(MESSAGES, { longs: String, defaults: false, bytes: Buffer });
  const server = new grpc.Server({
    // Headers of a check beside the body.
    "grpc.max_receive_message_length": options.maxBodyBytes + (1 << 17),
    "grpc.max_concurrent_streams": MOST_STREAMS,
    "grpc.max_connection_idle_ms": IDLE_MS,
    interceptors: [holdChecks(grpc, options)],
  });
  server.addService(found[SERVICE], {
    Check: (call: Call, done: Done) => {
      options.answer(checkedOf(call.request)).then(
        (answer) => done(null, responseOf(answer)),
        // Without an answer Envoy lets nothing pass.
        () => done({ code: grpc.status.INTERNAL, details: "the check could not be decided" }),
      );
    },
  });
  const { injectConnection } = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    if (socket.destroyed) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    injectConnection(socket);
  });
  holdConnections(listener, options.maxConnections);
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|(.+)):(\d+)$/.exec(options.address) ?? [];
  listener.listen(Number(port), bracketed ?? plain);
  await once(listener, "listening").catch((error: Error) => {
    throw new CheckServerError(`cannot listen on \`${options.address}\` for checks: ${error.message}`);
  });
  return {
    port: (listener.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        listener.close();
        // A client that never speaks, or keeps its end open, must not keep the process.
        const timer = setTimeout(() => {
          server.forceShutdown();
          for (const socket of sockets) socket.destroy();
        }, options.graceMs);
        server.tryShutdown(() => {
          timer.unref();
          resolve();
        });
      }),
  };
}

/** Most streams of one connection: a client may leave a check open that was refused. */
const MOST_STREAMS = 100;
/** A connection that nothing comes over for this long is closed. */
const IDLE_MS = 600_000;

/**
 * Ends a check without a token, and one too many, before its message is read, and one whose message does not arrive in time.
 * INVARIANT: a client that lacks the token costs no memory for messages.
 */
function holdChecks(grpc: Packages["grpc"], options: CheckServerOptions): (method: unknown, call: HeldCall) => object {
  const { UNAUTHENTICATED, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED } = grpc.status;
  let open = 0;
  return (_method, call) => {
    let timer: NodeJS.Timeout | undefined;
    const listener = {
      onReceiveMetadata: (metadata: Metadata, go: (metadata: Metadata) => void): void => {
        const [authorization] = metadata.get("authorization");
        if (!options.bears(typeof authorization === "string" ? authorization : undefined))
          return call.sendStatus({ code: UNAUTHENTICATED, details: "the check bears no valid token" });
        if (open >= options.maxConnections)
          return call.sendStatus({ code: RESOURCE_EXHAUSTED, details: "too many checks at a time" });
        open++;
        const late = { code: DEADLINE_EXCEEDED, details: "the check did not arrive in time" };
        timer = setTimeout(() => call.sendStatus(late), options.requestMs);
        go(metadata);
      },
      onReceiveHalfClose: (go: () => void): void => {
        clearTimeout(timer);
        go();
      },
      onCancel: (): void => {
        clearTimeout(timer);
        if (timer !== undefined) open--;
      },
    };
    return new grpc.ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

interface Metadata {
  get(name: string): readonly unknown[];
}
/** A call as it comes in. `onCancel` of its listener is told once, when it is over in whichever way. */
interface HeldCall {
  sendStatus(status: { readonly code: number; readonly details: string }): void;
}

interface Call {
  readonly request: CheckMessage;
}
type Done = (error: { readonly code: number; readonly details: string } | null, response?: object) => void;

interface CheckMessage {
  readonly attributes?: {
    readonly request?: {
      readonly http?: { readonly body?: string; readonly rawBody?: Buffer; readonly [member: string]: unknown };
    };
    readonly [member: string]: unknown;
  };
}

function checkedOf({ attributes: { request, ...attributes } = {} }: CheckMessage): CheckedRequest {
  const { body, rawBody, ...http } = request?.http ?? {};
  return { http, attributes, body: rawBody === undefined || rawBody.length === 0 ? whole(body) : utf8(rawBody) };
}

/** In a body that Envoy sends as text it writes `!` for each byte that is not UTF-8, and sends the service behind it that byte. */
function whole(body = ""): string | undefined {
  return body.includes("!") ? undefined : body;
}

function utf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

function responseOf(answer: CheckAnswer | Answer): object {
  const metadata = "metadata" in answer ? (answer.metadata ?? {}) : {};
  const fields = Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, { stringValue: text }]));
  if (answer.status === 200) return { status: { code: OK }, okResponse: {}, dynamicMetadata: { fields } };
  const { headers = { "content-type": "application/json" } } = answer;
  return {
    status: { code: PERMISSION_DENIED },
    deniedResponse: {
      status: { code: answer.status },
      headers: Object.entries(headers).map(([key, value]) => ({ header: { key, value } })),
      body: answer.body,
    },
    dynamicMetadata: { fields },
  };
}

/** Members of `google.rpc.Code`. */
const [OK, PERMISSION_DENIED] = [0, 7];
export const SERVICE = "envoy.service.auth.v3.Authorization";

const field = (type: string, id: number): object => ({ type, id });
const texts = (id: number): object => ({ keyType: "string", type: "string", id });
const message = (fields: object): object => ({ fields });

/** Fields that are not here are skipped where they come. */
export const MESSAGES = {
  nested: {
    envoy: {
      nested: {
        service: {
          nested: {
            auth: {
              nested: {
                v3: {
                  nested: {
                    Authorization: {
                      methods: { Check: { requestType: "CheckRequest", responseType: "CheckResponse" } },
                    },
                    CheckRequest: message({ attributes: field("Attributes", 1) }),
                    Attributes: message({
                      source: field("Peer", 1),
                      destination: field("Peer", 2),
                      request: field("Request", 4),
                      contextExtensions: texts(10),
                    }),
                    Peer: message({
                      address: field("Address", 1),
                      service: field("string", 2),
                      labels: texts(3),
                      principal: field("string", 4),
                    }),
                    Address: message({ socketAddress: field("SocketAddress", 1) }),
                    SocketAddress: message({ address: field("string", 2), portValue: field("uint32", 3) }),
                    Request: message({ http: field("Http", 2) }),
                    Http: message({
                      ...{
                        id: field("string", 1),
                        method: field("string", 2),
                        headers: texts(3),
                        path: field("string", 4),
                      },
                      ...{
                        host: field("string", 5),
                        scheme: field("string", 6),
                        query: field("string", 7),
                        fragment: field("string", 8),
                      },
                      ...{
                        size: field("int64", 9),
                        protocol: field("string", 10),
                        body: field("string", 11),
                        rawBody: field("bytes", 12),
                      },
                    }),
                    CheckResponse: message({
                      status: field("Status", 1),
                      deniedResponse: field("Denied", 2),
                      okResponse: field("Ok", 3),
                      dynamicMetadata: field("Struct", 4),
                    }),
                    Status: message({ code: field("int32", 1) }),
                    Ok: message({}),
                    Denied: message({
                      status: field("HttpStatus", 1),
                      headers: { rule: "repeated", ...field("HeaderOption", 2) },
                      body: field("string", 3),
                    }),
                    HttpStatus: message({ code: field("int32", 1) }),
                    HeaderOption: message({ header: field("Header", 1) }),
                    Header: message({ key: field("string", 1), value: field("string", 2) }),
                    Struct: message({ fields: { keyType: "string", type: "Value", id: 1 } }),
                    Value: message({ stringValue: field("string", 3) }),
                  },
                },
              },
            },
          },
        },
      },
    },
  },
} as const;

interface GrpcServer {
  addService(service: unknown, methods: object): void;
  createConnectionInjector(credentials: unknown): { injectConnection(connection: object): void };
  tryShutdown(done: () => void): void;
  forceShutdown(): void;
}

interface Packages {
  readonly grpc: {
    readonly Server: new (options: object) => GrpcServer;
    readonly ServerCredentials: { createInsecure(): unknown };
    readonly ServerInterceptingCall: new (
      call: HeldCall,
      responder: { start(next: (listener: object) => void): void },
    ) => object;
    readonly status: {
      readonly [name in "UNAUTHENTICATED" | "RESOURCE_EXHAUSTED" | "DEADLINE_EXCEEDED" | "INTERNAL"]: number;
    };
  };
  readonly loader: { fromJSON(messages: object, options: object): { readonly [name: string]: unknown } };
}

/** By name, so that the command is built without them. */
async function packages(): Promise<Packages> {
  const [grpc, loader] = ["@grpc/grpc-js", "@grpc/proto-loader"] as const;
  const [one, two] = await Promise.all([grpc, loader].map((name) => import(name).catch(() => undefined)));
  if (one === undefined || two === undefined)
    throw new CheckServerError(`Envoy's checks over gRPC need the packages ${grpc} and ${loader}`);
  return { grpc: one.default ?? one, loader: two.default ?? two };
}
