/** A server may answer what was cancelled, or timed out: its late answer is never that of the next request of the id. */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { memoryHistory } from "@portcullis/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS, type Limits, NO_TOOLS } from "../../../compiler/enforcement/gateway/index.ts";
import { context, policy } from "../limited-policy.ts";
import { post, type Remote, remote, say, type Told } from "./remote.ts";
import { against, type Session } from "./session.ts";

const caller = { ...context, scope: {}, flags: [] };
const facts = (): object => ({ history: memoryHistory(), session: "s" });
const TAKEN = "a request of this id is open";

type Loose = { id?: unknown; result?: { isError?: boolean }; error?: { message: string } };

/** Over pipes, to the server that answers `fetch` late. */
function piped(limits: Partial<Limits> = {}): {
  of: Session;
  send: (message: object) => void;
  ask: (id: unknown, name: string) => Promise<Loose>;
} {
  const of = against("late", { policy, caller, tools: NO_TOOLS, facts: facts(), limits });
  const waiting: ((message: Loose) => void)[] = [];
  createInterface({ input: of.output }).on("line", (line) => waiting.shift()?.(JSON.parse(line)));
  const send = (message: object): void => void of.input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (id: unknown, name: string): Promise<Loose> => {
    const answered = new Promise<Loose>((resolve) => waiting.push(resolve));
    send(name === "ping" ? { id, method: name } : call(id, name));
    return answered;
  };
  return { of, send, ask };
}
const call = (id: unknown, name: string): object => ({ id, method: "tools/call", params: { name, arguments: {} } });
const cancelled = (requestId: unknown): object => ({ method: "notifications/cancelled", params: { requestId } });

describe("over pipes, the id of a request that was cancelled", () => {
  it.each([
    [1, 1],
    [1, "1"],
    ["1", 1],
  ])("is taken until its answer: %j and then %j", async (id, again) => {
    const { of, send, ask } = piped();
    expect((await ask(2, "publish")).result?.isError).toBe(true);
    send(call(id, "fetch"));
    send(cancelled(id));
    expect(await ask(again, "review")).toMatchObject({ id: again, error: { message: TAKEN } });
    expect((await ask(2, "publish")).result?.isError).toBe(true);
    // The answer came before that of the ping, and was dropped.
    expect(await ask(3, "ping")).toMatchObject({ id: 3, result: {} });
    expect(of.lines).toContain("server: an answer to nothing that is open was dropped");
    expect(await ask(again, "review")).toMatchObject({ id: again, result: { isError: true } });
    expect((await ask(2, "publish")).result?.isError).toBe(true);
    of.input.end();
    await of.end;
  });

  it("is taken after a time-out, too", async () => {
    const { of, send, ask } = piped({ answerMs: 300 });
    expect((await ask(1, "fetch")).error?.message).toBe("the server did not answer in time");
    expect(await ask(1, "review")).toMatchObject({ id: 1, error: { message: TAKEN } });
    expect((await ask(2, "publish")).result?.isError).toBe(true);
    send({ method: "notifications/initialized" });
    of.input.end();
    await of.end;
  });

  it("is one of a bounded number without an answer; beyond it the session ends", async () => {
    const { of, ask, send } = piped();
    const long = "x".repeat(100_000);
    for (const id of ["a", "b"]) {
      send(call(id + long, "fetch"));
      send(cancelled(id + long));
    }
    const open = ask(9, "fetch");
    await expect.poll(() => of.records.length).toBe(3);
    send(call(`c${long}`, "fetch"));
    send(cancelled(`c${long}`));
    expect((await open).error?.message).toBe("too many requests were left without an answer");
    expect((await of.end).why).toBe("exhausted");
    expect(of.lines).toContain("client: too many requests were left without an answer, and the session ends");
  });
});

describe("over HTTP, the id of a request that its client left", () => {
  const open: Remote[] = [];
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    for (const server of servers.splice(0)) server.closeAllConnections();
  });
  const initialize = { id: 0, method: "initialize", params: {} };

  async function leaves(of: Remote, headers: Record<string, string>, hasIt: () => boolean): Promise<void> {
    const client = new AbortController();
    const asked = fetch(of.gateway.url, {
      ...{ method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...call(1, "fetch") }), signal: client.signal },
      headers: { "content-type": "application/json", ...headers },
    }).catch(() => {});
    await expect.poll(hasIt).toBe(true);
    client.abort();
    await asked;
  }
  const reviewed = async (of: Remote, session: Record<string, string>): Promise<readonly Told[]> => [
    await post(of, call(1, "review"), session),
    await post(of, call("1", "review"), session),
    await post(of, call(2, "publish"), session),
    // Another id is asked as before, and free when it is answered.
    await post(of, call(2, "publish"), session),
  ];
  const expected = [
    [400, TAKEN],
    [400, TAKEN],
    [200, undefined],
    [200, undefined],
  ];

  async function expectTaken(of: Remote, hasIt: () => boolean): Promise<void> {
    const session = { "mcp-session-id": (await post(of, initialize)).headers.get("mcp-session-id") ?? "" };
    await leaves(of, session, hasIt);
    const told = await reviewed(of, session);
    expect(told.map(({ status, json }) => [status, json.error?.message])).toEqual(expected);
    expect(told.slice(2).map(({ json }) => json.result?.["isError"])).toEqual([true, true]);
  }

  it("stays taken in its session: a server may send the answer in the next request's stream", async () => {
    const late: (() => void)[] = [];
    let next: ServerResponse | undefined;
    const of = await remote(
      policy,
      ({ body }, response) => {
        const { id, method, params } = JSON.parse(body);
        const result = (answer: object): void =>
          say(response, { jsonrpc: "2.0", id, result: answer }, { "mcp-session-id": "s" });
        if (method === "initialize") return result({});
        if (params.name === "fetch")
          return void late.push(() => void (next && say(next, { jsonrpc: "2.0", id, result: {} })));
        next = response;
        if (params.name === "review") for (const answer of late.splice(0)) answer();
        else result({});
      },
      { caller, facts: facts() },
    );
    open.push(of);
    await expectTaken(of, () => late.length === 1);
  });

  it("stays taken before a server of the oldest transport", async () => {
    let stream: ServerResponse | undefined;
    const late: unknown[] = [];
    const tell = (message: object): void =>
      void stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
    const server = createServer((request, response) => {
      if (request.method === "GET") {
        stream = response.writeHead(200, { "content-type": "text/event-stream" });
        return void stream.write("event: endpoint\ndata: /messages\n\n");
      }
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.writeHead(202).end();
        const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
        if (params.name === "fetch") return void late.push(id);
        if (params.name === "review") for (const one of late) tell({ id: one, result: {} });
        else tell({ id, result: {} });
      });
    });
    servers.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const upstream = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`);
    const of = await remote(policy, () => {}, {
      ...{ caller, facts: facts(), upstream, isSse: true },
      limits: { ...LIMITS, graceMs: 100 },
    });
    open.push(of);
    await expectTaken(of, () => late.length === 1);
  });
});
