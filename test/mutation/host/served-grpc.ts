/** Envoy's checks over gRPC, by a client with messages of its own: field numbers are Envoy's, and not those that the server writes. */
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import * as grpc from "@grpc/grpc-js";
import { type ServeOptions, serve } from "../../../compiler/enforcement/serving/server.ts";
import { freePort } from "../../free-port.ts";
import { type Check, same } from "./check.ts";
import { type Answers, answering } from "./served-policy.ts";

export function grpcChecks(): readonly Check[] {
  // It tells of the address that is taken.
  grpc.setLogVerbosity(grpc.logVerbosity.NONE);
  return [
    { what: "a check over gRPC", run: checked },
    { what: "bodies over gRPC", run: bodies },
    { what: "denials over gRPC", run: denied },
    { what: "who checks over gRPC", run: callers },
    { what: "how many check over gRPC", run: crowds },
    { what: "addresses for checks", run: addresses },
  ];
}

const TOKEN = "0123456789abcdef0123";
const ENTRY = "portcullis/envoy/authz";

/** https://protobuf.dev/programming-guides/encoding: a number, or bytes with their length. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function field(id: number, value: number | string | Uint8Array): Buffer {
  if (typeof value === "number") return Buffer.from([...varint(id << 3), ...varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint((id << 3) | 2), ...varint(bytes.length)]), bytes]);
}

const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);
const pair = (id: number, key: string, value: string): Buffer => field(id, message(field(1, key), field(2, value)));

/** The fields of a message: by number, numbers and bytes in their order. */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly (number | Buffer)[]> {
  const found = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const value = number();
    const isBytes = (tag & 7) === 2;
    const list = found.get(tag >> 3) ?? [];
    found.set(tag >> 3, [...list, isBytes ? bytes.subarray(at, at + value) : value]);
    if (isBytes) at += value;
  }
  return found;
}

const inner = (bytes: Buffer, ...path: readonly number[]): ReadonlyMap<number, readonly (number | Buffer)[]> =>
  path.reduce((fields, id) => fieldsOf((fields.get(id)?.[0] ?? Buffer.alloc(0)) as Buffer), fieldsOf(bytes));
const text = (value: number | Buffer | undefined): string | undefined => value?.toString();

/** `CheckRequest` of `attributes.request.http`, and other attributes. */
const request = (http: Buffer, ...others: Buffer[]): Buffer => field(1, message(...others, field(4, field(2, http))));

function check(address: string, sent: Buffer, authorization?: string): Promise<Buffer | number> {
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
  const metadata = new grpc.Metadata();
  if (authorization !== undefined) metadata.set("authorization", authorization);
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const path = "/envoy.service.auth.v3.Authorization/Check";
    client.makeUnaryRequest(path, same, same, sent, metadata, { deadline: Date.now() + 5000 }, (error, answer) => {
      client.close();
      resolve(error === null ? (answer as Buffer) : error.code);
    });
  });
}

type Policy = ReturnType<typeof answering>;

async function serving(
  policy: Policy,
  options: Partial<ServeOptions>,
  work: (check: (sent: Buffer, authorization?: string) => Promise<Buffer | number>) => Promise<void>,
): Promise<void> {
  const checks = `127.0.0.1:${await freePort()}`;
  const server = await serve({
    served: () => ({ policy }),
    metrics: () => "",
    ...{ host: "127.0.0.1", port: 0, authzen: "a/b", anonymous: true, version: "0", checks },
    ...{ maxBodyBytes: 1000, maxConnections: 5, requestMs: 5000, graceMs: 100 },
    ...options,
  });
  try {
    await work((sent, authorization) => check(checks, sent, authorization));
  } finally {
    await server.close();
  }
}

const policyOf = (answer: Answers[string]): Policy => answering({ [ENTRY]: answer });

async function checked(): Promise<void> {
  const policy = policyOf(() => ({ allowed: true, dynamic_metadata: { gate: "ALLOW", no: 1 } }));
  await serving(policy, {}, async (ask) => {
    const http = message(
      field(1, "id"),
      field(2, "PUT"),
      ...[pair(3, "x", "1"), pair(3, "authorization", "Bearer client"), pair(3, "content-type", "application/json")],
      ...[field(4, "/a/b?c=d"), field(5, "host"), field(6, "https"), field(7, "c=d"), field(8, "f"), field(9, 300)],
      ...[field(10, "HTTP/2"), field(11, '{"a":1}'), field(99, "unknown")],
    );
    const peer = (address: string): Buffer =>
      message(
        field(1, field(1, message(field(2, address), field(3, 443)))),
        ...[field(2, "s"), pair(3, "l", "v"), field(4, "p")],
      );
    const others = [field(1, peer("10.0.0.1")), field(2, peer("10.0.0.2")), pair(10, "e", "f")];
    const answer = (await ask(request(http, ...others))) as Buffer;
    const said = (address: string): unknown => ({
      address: { socketAddress: { address, portValue: 443 } },
      ...{ service: "s", labels: { l: "v" }, principal: "p" },
    });
    same("what is asked", policy.asked[0]?.input, {
      attributes: {
        ...{ source: said("10.0.0.1"), destination: said("10.0.0.2"), contextExtensions: { e: "f" } },
        request: {
          http: {
            ...{ id: "id", method: "PUT", path: "/a/b?c=d", host: "host", scheme: "https", query: "c=d" },
            ...{ fragment: "f", size: "300", protocol: "HTTP/2", body: '{"a":1}' },
            headers: { x: "1", authorization: "Bearer client", "content-type": "application/json" },
          },
        },
      },
      ...{ parsed_path: ["a", "b"], parsed_query: { c: ["d"] }, parsed_body: { a: 1 }, truncated_body: false },
      version: { encoding: "protojson", ext_authz: "v3" },
    });
    const fields = fieldsOf(answer);
    same("its parts", [...fields.keys()].sort(), [1, 3, 4]);
    same("the status", [inner(answer, 1).get(1)?.[0] ?? 0, inner(answer, 3).size], [0, 0]);
    const told = inner(answer, 4, 1);
    same(
      "metadata",
      [text(told.get(1)?.[0]), text(fieldsOf(told.get(2)?.[0] as Buffer).get(3)?.[0])],
      ["gate", "ALLOW"],
    );
    same("nothing else in it", inner(answer, 4).get(1)?.length, 1);
  });
}

async function bodies(): Promise<void> {
  const policy = policyOf(() => ({ allowed: true }));
  await serving(policy, {}, async (ask) => {
    const asked = async (...http: Buffer[]): Promise<unknown> => {
      await ask(request(message(field(4, "/"), ...http)));
      const { input } = policy.asked.at(-1) as { input: unknown };
      return (input as { attributes: { request: { http: { body?: string } } } }).attributes.request.http.body;
    };
    same("none", await asked(), undefined);
    same("a text", await asked(field(11, "a")), "a");
    same("bytes", await asked(field(12, "b")), "b");
    same("both", await asked(field(11, "a"), field(12, "b")), "b");
    same("empty bytes", await asked(field(11, "a"), field(12, "")), "a");
    same("a text in which a byte may be another", await asked(field(11, "a!")), undefined);
    same("bytes with that character", await asked(field(12, "a!")), "a!");
    same("bytes that are not UTF-8", await asked(field(12, Uint8Array.of(0x61, 0xff))), undefined);
    const before = policy.asked.length;
    same("nothing", typeof (await ask(Buffer.alloc(0))), "object");
    same("a check without a request", policy.asked.length, before + 1);
    // Beside the body a check has headers: 128 KiB.
    const long = (bytes: number): Buffer => request(message(field(11, "a".repeat(bytes))));
    const most = 1000 + (1 << 17);
    const rest = long(most).length - most;
    same("as long as may be", typeof (await ask(long(most - rest))), "object");
    same("too long", await ask(long(most - rest + 1)), grpc.status.RESOURCE_EXHAUSTED);
  });
}

async function denied(): Promise<void> {
  const asked = async (answer: Answers[string]): Promise<Buffer> => {
    let told: Buffer | number = 0;
    await serving(policyOf(answer), {}, async (ask) => void (told = await ask(request(field(4, "/a")))));
    return told as unknown as Buffer;
  };
  const headers = { "x-a": "1", "x-b": "2" };
  const no = await asked(() => ({ allowed: false, http_status: 451, headers, body: "no" }));
  same("its parts", [...fieldsOf(no).keys()].sort(), [1, 2, 4]);
  same("the codes", [inner(no, 1).get(1)?.[0], inner(no, 2, 1).get(1)?.[0]], [7, 451]);
  same("the body", text(inner(no, 2).get(3)?.[0]), "no");
  const headersOf = (answer: Buffer): unknown =>
    inner(answer, 2)
      .get(2)
      ?.map((one) => inner(one as Buffer, 1))
      .map((header) => [text(header.get(1)?.[0]), text(header.get(2)?.[0])]);
  same("the headers", headersOf(no), [
    ["x-a", "1"],
    ["x-b", "2"],
  ]);
  const odd = await asked(() => undefined);
  same("no answer", [inner(odd, 1).get(1)?.[0], inner(odd, 2, 1).get(1)?.[0]], [7, 403]);
  same("is JSON", headersOf(odd), [["content-type", "application/json"]]);
  const broken = await asked(() => {
    throw new Error("broken");
  });
  same("an answer that fails", broken, grpc.status.INTERNAL);
}

async function callers(): Promise<void> {
  const policy = policyOf(() => ({ allowed: true }));
  const sent = request(message(field(4, "/a"), pair(3, "authorization", "Bearer client"), pair(3, "x", "1")));
  await serving(policy, { token: TOKEN }, async (ask) => {
    for (const wrong of [undefined, "Bearer", `Bearer ${TOKEN}0`, TOKEN])
      same(`${wrong}`, await ask(sent, wrong), grpc.status.UNAUTHENTICATED);
    same("nothing is asked", policy.asked.length, 0);
    same("the token", fieldsOf((await ask(sent, `Bearer ${TOKEN}`)) as Buffer).has(3), true);
  });
  await serving(policy, {}, async (ask) => {
    same("anybody", fieldsOf((await ask(sent)) as Buffer).has(3), true);
  });
}

/** A check that is open takes a place until it is over; one that was refused takes none. */
async function crowds(): Promise<void> {
  const checks = `127.0.0.1:${await freePort()}`;
  const policy = policyOf(() => ({ allowed: true }));
  await serving(policy, { checks, token: TOKEN, maxConnections: 2 }, async () => {
    const session = connect(`http://${checks}`).on("error", () => {});
    await once(session, "remoteSettings");
    same("streams of one connection", session.remoteSettings.maxConcurrentStreams, 100);
    const bearer = { authorization: `Bearer ${TOKEN}` };
    same("without a token", await refusalOf(begun(session, {})), String(grpc.status.UNAUTHENTICATED));
    let told = 0;
    const open = [1, 2].map(() => begun(session, bearer).on("response", () => told++));
    same("one too many", await refusalOf(begun(session, bearer)), String(grpc.status.RESOURCE_EXHAUSTED));
    same("both wait", told, 0);
    open[0]?.close(constants.NGHTTP2_CANCEL);
    // It is told of later, as events come.
    let status: unknown = "8";
    for (let i = 0; i < 200 && status === "8"; i++) {
      const next = begun(session, bearer);
      next.end(Buffer.alloc(5));
      status = await refusalOf(next);
    }
    same("in the place of one that left", [status, policy.asked.length], [undefined, 1]);
    session.destroy();
  });
}

/** A check whose message has not come. */
function begun(session: ClientHttp2Session, more: object): ClientHttp2Stream {
  const path = "/envoy.service.auth.v3.Authorization/Check";
  const own = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
  return session.request({ ...own, ...more }).on("error", () => {});
}

/** The status of a check that is refused before its message. */
async function refusalOf(stream: ClientHttp2Stream): Promise<unknown> {
  const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
  // Out of the client's callback, where Node 20 does not bear that its session is destroyed.
  await new Promise((resolve) => setImmediate(resolve));
  return headers["grpc-status"];
}

async function addresses(): Promise<void> {
  const policy = policyOf(() => ({ allowed: true }));
  const taken = `127.0.0.1:${await freePort()}`;
  await serving(policy, { checks: taken }, async () => {
    const error = await serving(policy, { checks: taken }, async () => undefined).catch((one: Error) => [
      one.name,
      one.message.includes("EADDRINUSE"),
    ]);
    same("a taken one", error, ["CheckServerError", true]);
  });
  same("is free again", typeof (await serving(policy, { checks: taken }, async () => undefined)), "undefined");
}
