/** Servers behind the gateway that speak the oldest transport over HTTP. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { PassThrough } from "node:stream";
import type { Message } from "../../../compiler/enforcement/gateway/messages.ts";
import { sseUpstreamAt } from "../../../compiler/enforcement/gateway/sse-upstream.ts";
import type { UpstreamAnswer } from "../../../compiler/enforcement/gateway/upstream.ts";
import { type Check, same } from "./check.ts";
import { soon, until, wait } from "./clock.ts";
import { type Asked, serving, signal, textOf } from "./serving.ts";

export function sseUpstreamChecks(): readonly Check[] {
  return [
    { what: "sessions of the oldest transport", run: sessions },
    { what: "requests over the oldest transport", run: waiting },
    { what: "listeners of the oldest transport", run: listening },
    { what: "servers that do not speak it", run: odd },
    { what: "without a session", run: without },
    { what: "ends of the oldest transport", run: ends },
    { what: "clients that leave early", run: early },
    { what: "endpoints that fail", run: endpoints },
  ];
}

const json = (value: object): string => JSON.stringify({ jsonrpc: "2.0", ...value });
const data = (value: object): string => `data: ${json(value)}\n\n`;
const event = (value: object): string => `event: message\ndata: ${json(value)}\n\n`;
export const request = (id: string | number, method = "ping"): Message => ({ jsonrpc: "2.0", id, method });
const INITIALIZE = request(0, "initialize");
const ENDPOINT = "event: endpoint\ndata: /messages?s=1\n\n";
/** A server of the oldest transport: its streams, in the order in which they were opened. */
async function old(
  work: (given: {
    readonly upstream: ReturnType<typeof sseUpstreamAt>;
    readonly streams: readonly ServerResponse[];
    readonly asked: readonly Asked[];
    readonly faults: string[];
    /** Opens a session; gives its id. */
    open(): Promise<string>;
  }) => Promise<void>,
  status: (asked: Asked) => number = () => 202,
): Promise<void> {
  const streams: ServerResponse[] = [];
  const answer = (one: Asked, response: ServerResponse): void => {
    if (one.method === "POST") return void response.writeHead(status(one)).end("taken");
    streams.push(response);
    response.writeHead(200, { "content-type": "text/event-stream" }).write(ENDPOINT);
  };
  await serving(answer, async (url, asked) => {
    const faults: string[] = [];
    const upstream = sseUpstreamAt(url, { messageBytes: 500, fault: (line) => faults.push(line) });
    const open = async (): Promise<string> => {
      const before = asked.length;
      const opening = upstream.send(
        "POST",
        { accept: "x", authorization: "a", "last-event-id": "7" },
        INITIALIZE,
        signal(),
      );
      await until(() => asked.length === before + 2);
      streams.at(-1)?.write(data({ id: 0, result: {} }));
      const opened = await opening;
      same("opened", [opened.statusCode, await textOf(opened)], [200, event({ id: 0, result: {} })]);
      const { "mcp-session-id": id, ...others } = opened.headers;
      same("its head", others, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      return String(id);
    };
    try {
      await work({ upstream, streams, asked, faults, open });
    } finally {
      upstream.close();
    }
  });
}

async function sessions(): Promise<void> {
  await old(async ({ upstream, streams, asked, faults, open }) => {
    const [one, two] = [await open(), await open()];
    same("two sessions", [one === two, streams.length], [false, 2]);
    const [stream, told] = asked as [Asked, Asked];
    same("a stream", [stream.method, stream.url, stream.headers.accept], ["GET", "/mcp?a=b", "text/event-stream"]);
    same("an address", [told.method, told.url, told.body], ["POST", "/messages?s=1", JSON.stringify(INITIALIZE)]);
    for (const { headers } of [stream, told])
      same("credentials, and no event", [headers.authorization, headers["last-event-id"]], ["a", undefined]);
    const pinged = upstream.send("POST", { "mcp-session-id": one, "x-a": "b" }, request(1), signal());
    await until(() => asked.length === 5);
    const { "x-a": more, "mcp-session-id": session } = (asked[4] as Asked).headers;
    same("its headers", [more, session], ["b", undefined]);
    // Where messages go is said once.
    streams[0]?.write(`${ENDPOINT.replace("messages", "second")}event: other\n${data({ method: "note" })}`);
    await until(() => faults.length === 1);
    same("another event", faults.splice(0), ["server: an event without a message was dropped"]);
    await upstream.send("POST", { "mcp-session-id": one }, { jsonrpc: "2.0", method: "n" }, signal());
    same("the first address", asked[5]?.url, "/messages?s=1");
    // Another session's stream answers nothing.
    streams[1]?.write(data({ id: 1, result: { other: true } }));
    await until(() => faults.length === 1);
    streams[0]?.write(data({ id: 1, result: {} }));
    same("its own answer", await textOf(await pinged), event({ id: 1, result: {} }));
    same("dropped", faults, ["server: a message that no client waits for was dropped"]);
    const ended = new Promise((resolve) => streams[0]?.once("close", resolve));
    const deleted = await upstream.send("DELETE", { "mcp-session-id": one }, undefined, signal());
    same("deleted", [deleted.statusCode, await textOf(deleted)], [200, ""]);
    await ended;
    same(
      "is not there",
      (await upstream.send("POST", { "mcp-session-id": one }, request(2), signal())).statusCode,
      404,
    );
    const forgotten = new Promise((resolve) => streams[1]?.once("close", resolve));
    upstream.forget(two);
    await forgotten;
    same("is forgotten", (await upstream.send("GET", { "mcp-session-id": two }, undefined, signal())).statusCode, 404);
    upstream.forget("none");
  });
}

async function waiting(): Promise<void> {
  await old(async ({ upstream, streams, asked, faults, open }) => {
    const session = { "mcp-session-id": await open() };
    const send = (message: Message, by = signal()): Promise<UpstreamAnswer> =>
      upstream.send("POST", session, message, by);
    const write = (...values: readonly object[]): void => void streams[0]?.write(values.map(data).join(""));
    const [one, text, two] = [send(request(1)), send(request("1")), send(request(2, "initialize"))];
    await until(() => asked.length === 5);
    const again = await send(request(1));
    const open1 = { id: 1, error: { code: -32_600, message: "a request of this id is open" } };
    same("an open id", [again.statusCode, await textOf(again)], [400, json(open1)]);
    // Everything but an answer goes to the last one that asked.
    write({ method: "note" }, { id: 9, method: "ask" }, { id: 1, method: "ask" });
    write({ id: "1", result: {} }, { id: 1, result: {} }, { id: 1, result: { second: true } }, { id: 2, result: {} });
    same("one", await textOf(await one), event({ id: 1, result: {} }));
    same("another type", await textOf(await text), event({ id: "1", result: {} }));
    const others = [{ method: "note" }, { id: 9, method: "ask" }, { id: 1, method: "ask" }, { id: 2, result: {} }];
    same("the last", await textOf(await two), others.map(event).join(""));
    same("a second answer", faults, ["server: a message that no client waits for was dropped"]);
    write({ method: "note" }, { error: { code: 1, message: "m" } }, { id: 7, result: {} });
    streams[0]?.write("data: x\n\nevent: other\ndata: {}\n\ndata:\n\n");
    await until(() => faults.length === 7);
    same("dropped", new Set(faults.slice(4)), new Set(["server: an event without a message was dropped"]));
    same(
      "an error without an id",
      faults.slice(1, 4).every((line) => line === faults[0]),
      true,
    );
    const controller = new AbortController();
    const left = await send(request(3), controller.signal);
    controller.abort();
    await until(() => left.destroyed);
    await soon();
    const anew = send(request(3));
    await until(() => asked.length === 7);
    write({ id: 3, result: {} });
    same("its id is free", await textOf(await anew), event({ id: 3, result: {} }));
    // The end of an answer that is read late takes nothing from the request that has its id by then.
    const late = await send(request(5));
    write({ id: 5, result: {} });
    await until(() => late.readableLength > 0);
    const next = await send(request(5));
    await textOf(late);
    await soon();
    write({ id: 5, result: { next: true } });
    same("the next one's answer", await textOf(next), event({ id: 5, result: { next: true } }));
    const note = await send({ jsonrpc: "2.0", method: "n" });
    same("a notification", [note.statusCode, await textOf(note), asked.at(-1)?.body], [202, "", json({ method: "n" })]);
    const answered = await send({ jsonrpc: "2.0", id: 9, result: {} });
    same("an answer", [answered.statusCode, asked.at(-1)?.body], [202, json({ id: 9, result: {} })]);
  });
}

async function listening(): Promise<void> {
  await old(async ({ upstream, streams, asked, open }) => {
    const session = { "mcp-session-id": await open() };
    const listen = (by: AbortSignal): Promise<UpstreamAnswer> => upstream.send("GET", session, undefined, by);
    const first = await listen(signal());
    const ping = upstream.send("POST", session, request(1), signal());
    await until(() => asked.length === 3);
    streams[0]?.write(`${data({ method: "a" })}${data({ id: 1, result: {} })}`);
    same("the answer", await textOf(await ping), event({ id: 1, result: {} }));
    const controller = new AbortController();
    const second = await listen(controller.signal);
    same("everything else, until the next", [await textOf(first), second.statusCode], [event({ method: "a" }), 200]);
    streams[0]?.write(data({ method: "b" }));
    await until(() => second.readableLength > 0);
    controller.abort();
    await until(() => second.destroyed);
    await soon();
    const after = upstream.send("POST", session, request(2), signal());
    await until(() => asked.length === 4);
    streams[0]?.write(`${data({ method: "c" })}${data({ id: 2, result: {} })}`);
    same("to who asked", await textOf(await after), `${event({ method: "c" })}${event({ id: 2, result: {} })}`);
    // A listener that does not read is waited for, and one that leaves is not.
    const slow = (await listen(signal())) as UpstreamAnswer & PassThrough;
    const long = { method: "x", params: { text: "x".repeat(400) } };
    for (let i = 0; i < 400; i++) streams[0]?.write(data(long));
    await until(() => slow.readableLength > 10_000);
    await wait(100);
    same("is full", slow.readableLength + slow.writableLength < 60_000, true);
    let count = 0;
    for await (const chunk of slow as AsyncIterable<Buffer>) {
      count += chunk.toString().split("event:").length - 1;
      if (count === 400) break;
    }
    same("all", count, 400);
  });
}

export async function odd(): Promise<void> {
  const events = { "content-type": "text/event-stream" };
  const origin = "its endpoint is of another origin";
  const none = (status: number): string => `its stream answers ${status}, and no events`;
  for (const [status, headers, text, words] of [
    [404, events, ENDPOINT, none(404)],
    [204, events, "", none(204)],
    [200, { "content-type": "text/html" }, ENDPOINT, none(200)],
    [200, {}, ENDPOINT, none(200)],
    [200, { ...events, "content-encoding": "gzip" }, ENDPOINT, none(200)],
    [200, events, "", "its stream has ended"],
    [200, events, "data: /messages\n\n", "its stream has ended"],
    [200, events, "event: endpoint\ndata: http://127.0.0.1:1/\n\n", origin],
    [200, events, "event: endpoint\ndata: https://127.0.0.1/\n\n", origin],
    [200, events, "event: endpoint\ndata: http://[\n\n", origin],
    [200, events, "event: endpoint\ndata: //h/x\n\n", origin],
    [200, events, `data: ${"x".repeat(600)}\n\n`, "an event over 500 characters"],
  ] as const)
    await serving(
      ({ method }, response) => {
        if (method === "POST") response.writeHead(202).end();
        else response.writeHead(status, headers).end(text);
      },
      async (url, asked) => {
        const upstream = sseUpstreamAt(url, { messageBytes: 500, fault: () => {} });
        const said = await upstream
          .send("POST", {}, INITIALIZE, signal())
          .then(String, (error: Error) => error.message);
        same(text, [said, asked.length], [words, 1]);
        upstream.close();
      },
    );
}

async function without(): Promise<void> {
  await old(async ({ upstream, asked }) => {
    const send = async (method: string, message: Message | undefined, headers: IncomingHttpHeaders) => {
      const answer = await upstream.send(method, headers, message, signal());
      const text = await textOf(answer);
      return [answer.statusCode, text === "" ? "" : (JSON.parse(text) as object)];
    };
    const stray = { "mcp-session-id": "none" };
    const error = (code: number, message: string, id?: number): object => ({
      ...{ jsonrpc: "2.0", ...(id === undefined ? {} : { id }) },
      error: { code, message },
    });
    const alone = "the server has sessions alone";
    const unknown = "there is no session of this id";
    for (const [method, message, headers, expected] of [
      ["GET", undefined, {}, [405, ""]],
      ["GET", undefined, stray, [404, ""]],
      ["DELETE", undefined, stray, [404, ""]],
      ["POST", request(1), {}, [400, error(-32_601, alone, 1)]],
      ["POST", request(1), stray, [404, error(-32_600, unknown, 1)]],
      ["POST", INITIALIZE, stray, [404, error(-32_600, unknown, 0)]],
      ["POST", { jsonrpc: "2.0", method: "initialize" }, {}, [400, error(-32_600, unknown)]],
      ["POST", { jsonrpc: "2.0", method: "n" }, stray, [404, error(-32_600, unknown)]],
      ["POST", { jsonrpc: "2.0", id: 1, result: {} }, {}, [400, error(-32_600, unknown)]],
    ] as const)
      same(`${method} ${JSON.stringify([message, headers])}`, await send(method, message, headers), expected);
    same("nothing is asked", asked.length, 0);
  });
}

async function ends(): Promise<void> {
  await old(async ({ upstream, streams, asked, open }) => {
    const session = { "mcp-session-id": await open() };
    const listener = await upstream.send("GET", session, undefined, signal());
    const ping = upstream.send("POST", session, request(1), signal());
    await until(() => asked.length === 3);
    streams[0]?.end(`${ENDPOINT.replace("messages", "second")}`);
    const over = { id: 1, error: { code: -32_000, message: "the server has ended the session" } };
    same("who waits hears of it", [await textOf(await ping), await textOf(listener)], [event(over), ""]);
    same("is not there", (await upstream.send("GET", session, undefined, signal())).statusCode, 404);
    const [one, two] = [await open(), await open()];
    upstream.close();
    await until(() => streams.every(({ destroyed }) => destroyed));
    for (const id of [one, two])
      same("closed", (await upstream.send("GET", { "mcp-session-id": id }, undefined, signal())).statusCode, 404);
  });
}

/** Its client leaves before it says where messages go. */
export async function early(): Promise<void> {
  const streams: ServerResponse[] = [];
  await serving(
    (_, response) => {
      streams.push(response);
      response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n");
    },
    async (url, asked) => {
      const upstream = sseUpstreamAt(url, { messageBytes: 500, fault: () => {} });
      const controller = new AbortController();
      const { signal: by } = controller;
      const opening = upstream.send("POST", {}, INITIALIZE, by).then(String, (error: Error) => error.message);
      await until(() => streams.length === 1);
      controller.abort();
      same("taken back", [await opening, asked.length], ["the request was taken back", 1]);
      await until(() => streams[0]?.destroyed === true);
      upstream.close();
    },
  );
}

async function endpoints(): Promise<void> {
  let status = 200;
  const answered = (): number => status;
  await old(async ({ upstream, streams, asked, open }) => {
    const session = { "mcp-session-id": await open() };
    const send = (message: Message): Promise<unknown> =>
      upstream.send("POST", session, message, signal()).then(
        ({ statusCode }) => statusCode,
        (error: Error) => error.message,
      );
    for (const [given, expected] of [
      [200, 202],
      [299, 202],
      [300, "its endpoint answers 300"],
      [404, "its endpoint answers 404"],
    ] as const) {
      status = given;
      same(`${given}`, await send({ jsonrpc: "2.0", method: "n" }), expected);
    }
    same("a request", await send(request(1)), "its endpoint answers 404");
    await soon();
    status = 202;
    const before = asked.length;
    const again = upstream.send("POST", session, request(1), signal());
    await until(() => asked.length === before + 1);
    streams[0]?.write(data({ id: 1, result: {} }));
    same("its id is free", (await again).statusCode, 200);
    status = 500;
    const failing = await upstream.send("POST", {}, INITIALIZE, signal()).then(String, (error: Error) => error.message);
    same("no session", failing, "its endpoint answers 500");
    await until(() => streams[1]?.destroyed === true);
  }, answered);
}
