/** Checks over gRPC as frames: what is not one whole check, by who may ask, lets nothing pass, and costs the server next to nothing. */

import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import { connect as connectSocket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../free-port.ts";
import { servedExample } from "./served.ts";

const hasGrpc = await import("@grpc/grpc-js").then(
  () => true,
  () => false,
);
const TOKEN = "0123456789abcdef0123";
const { served } = servedExample();

const sessions: ClientHttp2Session[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
});

/** The wire format of protocol buffers, as far as a check needs it. */
function varint(value: number): Buffer {
  return value < 128 ? Buffer.of(value) : Buffer.concat([Buffer.of((value & 127) | 128), varint(value >>> 7)]);
}
function field(id: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint((id << 3) | 2), varint(bytes.length), bytes]);
}

const lineage = '[{"agent_type":"news_desk","spawn_depth":0}]';
const WHO = { "x-saltmarsh-role": "WRITER", "x-saltmarsh-run": "r-7", "x-saltmarsh-lineage": lineage };

/** A check of a draft that is allowed, and what else its `http` has. */
function check(headers: object = WHO, path = "/stories/s-1/drafts", ...more: readonly Buffer[]): Buffer {
  const told = Object.entries(headers).map(([key, value]) =>
    field(3, Buffer.concat([field(1, key), field(2, value as string)])),
  );
  const http = Buffer.concat([field(2, "POST"), ...told, field(4, path), ...more]);
  return field(1, field(4, field(2, http)));
}

function framed(message: Uint8Array, flag = 0, length = message.length): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

async function opened(options: Parameters<typeof served>[0] = {}): Promise<{ port: number; url: string }> {
  const port = await freePort();
  const { url } = await served({ checks: `127.0.0.1:${port}`, ...options });
  return { port, url };
}

function session(port: number): ClientHttp2Session {
  const made = connect(`http://127.0.0.1:${port}`).on("error", () => {});
  sessions.push(made);
  return made;
}

function begin(of: ClientHttp2Session, headers: object = {}): ClientHttp2Stream {
  const method = "/envoy.service.auth.v3.Authorization/Check";
  const own = { ":method": "POST", ":path": method, "content-type": "application/grpc", te: "trailers" };
  return of.request({ ...own, ...headers }).on("error", () => {});
}

/**
 * Once a callback of the client has returned. Node 20 goes on reading the frames of a session that is destroyed within one, from
 * memory that is freed by then, and sooner or later ends the process.
 */
const leave = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The status of gRPC, else that of HTTP. Where the check was decided: what Envoy is told. */
async function told(stream: ClientHttp2Stream): Promise<string> {
  let [http, grpc, body] = ["", "", Buffer.alloc(0)];
  const hear = (headers: IncomingHttpHeaders): void => {
    http ||= String(headers[":status" as keyof IncomingHttpHeaders]);
    grpc ||= String(headers["grpc-status"] ?? "");
  };
  const heard = new Promise<void>((resolve) => {
    stream.on("response", (headers) => {
      hear(headers as IncomingHttpHeaders);
      if (grpc !== "" || http !== "200") resolve();
    });
    stream.on("trailers", (headers) => {
      hear(headers as IncomingHttpHeaders);
      resolve();
    });
    stream.on("close", resolve);
  });
  stream.on("data", (chunk: Buffer) => void (body = Buffer.concat([body, chunk])));
  await heard;
  await leave();
  stream.close();
  if (grpc !== "0") return grpc === "" ? `HTTP ${http}` : `gRPC ${grpc}`;
  // Behind the head of the frame `status { code }` comes first.
  return body[8] === 0 ? "allowed" : "denied";
}

function asked(of: ClientHttp2Session, frames: readonly Uint8Array[], headers: object = {}): Promise<string> {
  const stream = begin(of, headers);
  for (const frame of frames) stream.write(frame);
  stream.end();
  return told(stream);
}

const whole = framed(check());

describe.skipIf(!hasGrpc)("a check over gRPC", () => {
  it.each<[string, string, readonly Uint8Array[], object?]>([
    ["one message", "allowed", [whole]],
    ["one message, byte by byte", "allowed", [...whole].map((byte) => Buffer.of(byte))],
    ["a packed message", "allowed", [framed(gzipSync(check()), 1)], { "grpc-encoding": "gzip" }],
    ["fields that are not known", "allowed", [framed(check(WHO, undefined, field(13, "a"), field(900, "b")))]],
    ["no message", "gRPC 12", []],
    ["an empty message", "denied", [framed(Buffer.alloc(0))]],
    ["two messages", "gRPC 12", [whole, whole]],
    ["two messages in one frame", "gRPC 12", [Buffer.concat([whole, whole])]],
    ["a length that is too long", "gRPC 12", [framed(check(), 0, check().length + 1)]],
    ["a length that is too short", "gRPC 13", [framed(check(), 0, check().length - 1)]],
    ["a length without end", "gRPC 8", [framed(check(), 0, 0xffff_ffff)]],
    [
      "a packed message that is too long",
      "gRPC 8",
      [framed(gzipSync(Buffer.alloc(9e6)), 1)],
      { "grpc-encoding": "gzip" },
    ],
    ["what is not packed as it says", "gRPC 13", [framed(check(), 1)], { "grpc-encoding": "gzip" }],
    ["an encoding that is not known", "gRPC 12", [framed(check(), 1)], { "grpc-encoding": "br" }],
    ["a type that is not gRPC's", "HTTP 415", [whole], { "content-type": "application/json" }],
    ["another method", "gRPC 12", [whole], { ":path": "/envoy.service.auth.v3.Authorization/check" }],
    ["names in capitals", "denied", [framed(check({ ...WHO, "X-SALTMARSH-ROLE": "WRITER", "x-saltmarsh-role": "" }))]],
    ["a path that stands twice", "denied", [framed(check(WHO, undefined, field(4, "/nowhere")))]],
    ["a role that is not UTF-8", "denied", [framed(check({ ...WHO, "x-saltmarsh-role": Buffer.of(0x57, 0xff) }))]],
  ])("of %s is: %s", async (_, answer, frames, headers) => {
    const { port } = await opened();
    const of = session(port);
    expect(await asked(of, frames, headers)).toBe(answer);
    // And the connection goes on.
    expect(await asked(of, [whole])).toBe("allowed");
  });

  it.each([0, 1, 8])("that is taken back, with code %i, harms no other", async (code) => {
    const { port } = await opened();
    const of = session(port);
    for (const part of [0, 3, 40, whole.length]) {
      const stream = begin(of);
      if (part > 0) stream.write(whole.subarray(0, part));
      await new Promise((resolve) => of.ping(resolve));
      await leave();
      const closed = new Promise((resolve) => stream.once("close", resolve));
      stream.close(code);
      await closed;
    }
    expect(await asked(of, [whole])).toBe("allowed");
  });

  it.each<[string, string, number, string | Uint8Array]>([
    ["as text", "allowed", 11, "now"],
    ["as bytes", "allowed", 12, "now!"],
    ["as text in which Envoy has perhaps replaced a byte", "denied", 11, "now!"],
    ["as bytes that are not UTF-8", "denied", 12, Buffer.of(0x6e, 0xff)],
  ])("of a body %s is: %s", async (_, answer, id, note) => {
    const { port } = await opened();
    const who = { ...WHO, "x-saltmarsh-role": "RIGHTS_CLERK", "content-type": "application/json" };
    const headers = { ...who, "x-saltmarsh-lineage": lineage.replace("news", "rights") };
    const body = Buffer.concat([
      Buffer.from('{"amount_cents":500,"note":"'),
      Buffer.from(note as string),
      Buffer.from('"}'),
    ]);
    const frames = [framed(check(headers, "/contributors/c-9/payouts", field(id, body)))];
    expect(await asked(session(port), frames)).toBe(answer);
  });

  it("without the token is refused before its message is read", async () => {
    const { port } = await opened({ token: TOKEN });
    const of = session(port);
    expect(await told(begin(of))).toBe("gRPC 16");
    expect(await told(begin(of, { authorization: `Bearer ${TOKEN}4` }))).toBe("gRPC 16");
    expect(await asked(of, [whole], { authorization: `Bearer ${TOKEN}` })).toBe("allowed");
  });

  it("that does not arrive in time is refused", async () => {
    const { port } = await opened({ requestMs: 50 });
    const stream = begin(session(port));
    stream.write(whole.subarray(0, 40));
    expect(await told(stream)).toBe("gRPC 4");
    const unended = begin(session(port));
    unended.write(whole);
    expect(await told(unended)).toBe("gRPC 4");
  });

  it("is refused where there are too many at a time", async () => {
    const { port } = await opened({ maxConnections: 3, requestMs: 600_000 });
    const of = session(port);
    const held = [1, 2, 3].map(() => begin(of));
    for (const stream of held) stream.write(whole.subarray(0, 40));
    expect(await asked(of, [whole])).toBe("gRPC 8");
    held[0]?.close();
    await once(held[0] as ClientHttp2Stream, "close");
    expect(await asked(of, [whole])).toBe("allowed");
  });

  it("that never begins does not keep a server that is told to end", async () => {
    const port = await freePort();
    const server = await served({ checks: `127.0.0.1:${port}`, graceMs: 50 });
    const socket = connectSocket({ port, host: "127.0.0.1", allowHalfOpen: true }).resume();
    await once(socket, "connect");
    const closed = once(socket, "end");
    await server.close();
    await closed;
    socket.destroy();
  });

  it("comes to an address that no other server has, or it is said why none comes", async () => {
    const { port } = await opened();
    const said = "cannot listen on `127.0.0.1:%` for checks: listen EADDRINUSE: address already in use 127.0.0.1:%";
    await expect(served({ checks: `127.0.0.1:${port}` })).rejects.toThrow(said.replaceAll("%", String(port)));
  });

  it("comes over no more connections than there may be", async () => {
    const { port } = await opened({ maxConnections: 3 });
    const sockets = [1, 2, 3].map(() => connectSocket(port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const one = connectSocket(port, "127.0.0.1").on("error", () => {});
    await once(one.resume(), "close");
    for (const socket of sockets) socket.destroy();
  });
});
