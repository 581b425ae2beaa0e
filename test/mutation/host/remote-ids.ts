/** Ids of a session over HTTP, and clients that leave or do not read. */
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Reservation } from "@portcullis/runtime";
import type { Identified } from "../../../compiler/enforcement/gateway/identity.ts";
import { LIMITS } from "../../../compiler/enforcement/gateway/limits.ts";
import { marksIn } from "../../../compiler/enforcement/gateway/marks.ts";
import { type Check, same } from "./check.ts";
import { until, wait } from "./clock.ts";
import { type Behind, call, INITIALIZE, idOf, parsed, ping, refused, remote, say } from "./remote.ts";
import { ALLOW, CALLER, deciding } from "./verdicts.ts";

export function remoteIdChecks(): readonly Check[] {
  return [
    { what: "ids of a session", run: reused },
    { what: "the id of an `initialize` whose answer goes on", run: opening },
    { what: "clients that leave before a decision", run: left },
    { what: "clients that leave before their turn", run: behindAnother },
    { what: "clients that do not read", run: unread },
    { what: "messages of many values", run: many },
  ];
}

const SESSION = { "mcp-session-id": "s" };
const TAKEN = "a request of this id is open";

/** A client that can leave. Without a message it asks for a stream. */
function leaving(url: URL, message: object | undefined, headers: object = {}): () => void {
  const client = new AbortController();
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const given = { "content-type": "application/json", ...headers };
  const asked = message === undefined ? {} : { method: "POST", body };
  fetch(url, { ...asked, headers: given, signal: client.signal }).catch(() => {});
  return () => client.abort();
}

async function reused(): Promise<void> {
  const held: (() => void)[] = [];
  const behind: Behind = (sent, response) => {
    const answer = (): void => say(response, { id: idOf(sent), result: {} }, SESSION);
    if (sent.body.includes("initialize") || sent.body.includes('"ping"')) answer();
    else held.push(answer);
  };
  await remote(behind, {}, async (of) => {
    await of.post(INITIALIZE);
    const asked = async (count: number): Promise<void> => until(() => held.length === count);
    const first = of.post(call("yes", 7), SESSION);
    await asked(1);
    same("taken", parsed(await of.post(call("yes", 7), SESSION)), refused(400, -32_600, TAKEN, 7));
    held.pop()?.();
    same("answered", (await first).status, 200);
    same("free", (await of.post({ ...ping, id: 7 }, SESSION)).status, 200);
    same("denied", (await of.post(call("no", 7), SESSION)).text.includes("FLAGS"), true);
    same("free, too", (await of.post({ ...ping, id: 7 }, SESSION)).status, 200);
    const both = [of.post(call("yes", 7)), of.post(call("yes", 7))];
    await asked(2);
    for (const answer of held.splice(0)) answer();
    same(
      "of no session",
      (await Promise.all(both)).map(({ status }) => status),
      [200, 200],
    );
    const leave = leaving(of.url, call("yes", 8), SESSION);
    await asked(1);
    leave();
    await wait(30);
    same("left without an answer", parsed(await of.post({ ...ping, id: 8 }, SESSION)), refused(400, -32_600, TAKEN, 8));
  });
}

async function opening(): Promise<void> {
  let stream: ServerResponse | undefined;
  const behind: Behind = (sent, response) => {
    if (!sent.body.includes("initialize")) return say(response, { id: idOf(sent), result: {} });
    stream = response.writeHead(200, { "content-type": "text/event-stream", ...SESSION });
    stream.write(": \n\n");
  };
  await remote(behind, {}, async (of) => {
    const asked = of.post(INITIALIZE);
    await until(() => stream !== undefined);
    const isOpen = async (): Promise<boolean> => (await of.post({ ...ping, id: 9 }, SESSION)).status === 200;
    for (const end = Date.now() + 5_000; !(await isOpen()) && Date.now() < end; ) await wait(2);
    same("taken", parsed(await of.post(ping, SESSION)), refused(400, -32_600, TAKEN, 1));
    stream?.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} })}\n\n`);
    await asked;
    same("free", (await of.post(ping, SESSION)).status, 200);
  });
  const names = ["s", "t"];
  const answering: Behind = (sent, response) =>
    say(
      response,
      { id: idOf(sent), result: {} },
      sent.body.includes("initialize") ? { "mcp-session-id": names.shift() } : {},
    );
  await remote(answering, {}, async (of) => {
    await of.post(INITIALIZE);
    await of.post(INITIALIZE, SESSION);
    same("free in the session that opened another one", (await of.post(ping, SESSION)).status, 200);
  });
}

async function left(): Promise<void> {
  const released: number[] = [];
  let tell: (() => void) | undefined;
  const history = {
    async reserve(): Promise<Reservation> {
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
      const facts = { now: 1, history: { L: { calls: 0, sum: 0, last_ms: {} } } };
      return { facts, isReserved: true, commit: () => {}, release: () => void released.push(1) };
    },
  };
  const limits = { L: { calls: { tools: { yes: true } }, per: ["role"], max_calls: 9 } };
  const policy = Object.assign(deciding({ yes: ALLOW }), { limits }) as never;
  const answering: Behind = (sent, response) => say(response, { id: idOf(sent), result: {} });
  await remote(answering, { policy, facts: { history } } as never, async (of) => {
    const leave = leaving(of.url, call("yes"));
    await until(() => tell !== undefined);
    leave();
    await wait(30);
    tell?.();
    await until(() => released.length === 1);
    same("nothing is sent", of.sent.length, 0);
  });
  const found: Identified = { caller: CALLER, principal: "p" };
  let known: ((one: Identified) => void) | undefined;
  const identity = { callerOf: () => new Promise<Identified>((resolve) => void (known = resolve)) };
  const plain = deciding({ yes: ALLOW });
  await remote(answering, { policy: plain, identity }, async (of) => {
    for (const message of [call("yes"), undefined]) {
      known = undefined;
      const leave = leaving(of.url, message);
      await until(() => known !== undefined);
      leave();
      await wait(30);
      (known as unknown as (one: Identified) => void)(found);
      await wait(30);
      same("nothing is decided, or sent", [plain.asked.length, of.sent.length, of.lines], [0, 0, []]);
    }
  });
}

/** The second of two that were sent at once is not decided where the client leaves before the first is answered. */
async function behindAnother(): Promise<void> {
  const policy = deciding({ yes: ALLOW });
  await remote(
    () => {},
    { policy },
    async (of) => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...call("yes") });
      const head = `POST /mcp HTTP/1.1\r\nhost: ${of.url.host}\r\ncontent-type: application/json\r\n`;
      const one = `${head}content-length: ${body.length}\r\n\r\n${body}`;
      const socket = connect(Number(of.url.port), of.url.hostname).on("error", () => {});
      socket.write(one + one);
      await until(() => of.sent.length === 1);
      socket.destroy();
      await wait(50);
      same("one is decided", policy.asked.length, 1);
    },
  );
}

async function unread(): Promise<void> {
  let closed = 0;
  let [isSilent, streams] = [true, 0];
  const behind: Behind = (_, response) => {
    response.once("close", () => closed++);
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": \n\n");
    streams++;
    if (isSilent) return;
    // More than all sockets between hold.
    const note = { jsonrpc: "2.0", method: "notifications/x", params: { text: "x".repeat(1 << 16) } };
    const event = `data: ${JSON.stringify(note)}\n\n`;
    const write = (): void => {
      while (!response.destroyed && response.write(event));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  };
  await remote(behind, { unreadMs: 60 }, async (of) => {
    const get = (): ReturnType<typeof connect> => {
      const socket = connect(Number(of.url.port), of.url.hostname).on("error", () => {});
      socket.write(`GET /mcp HTTP/1.1\r\nhost: ${of.url.host}\r\naccept: text/event-stream\r\n\r\n`);
      return socket;
    };
    const silent = get().resume();
    await until(() => streams === 1);
    await wait(200);
    same("a silent stream stays", closed, 0);
    isSilent = false;
    const full = get().pause();
    await until(() => closed === 1);
    for (const socket of [silent, full]) socket.destroy();
  });
}

async function many(): Promise<void> {
  const message = call("yes");
  const marks = marksIn(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const behind: Behind = (sent, response) => say(response, { id: idOf(sent), result: {} });
  for (const [messageValues, status] of [
    [marks, 200],
    [marks - 1, 413],
  ] as const)
    await remote(behind, { limits: { ...LIMITS, messageValues } }, async (of) => {
      same(`${status}`, (await of.post(message)).status, status);
    });
}
