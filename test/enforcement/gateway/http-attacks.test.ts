/** The gateway over HTTP against clients that want the server to read something else than what was decided. */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { memoryHistory, type Policy } from "@portcullis/runtime";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Identity } from "../../../compiler/enforcement/gateway/index.ts";
import { policyOf } from "../../governance/library/compiled-set.ts";
import { type Behind, post, type Remote, remote, type Sent, say } from "./remote.ts";
import { examplePolicy } from "./session.ts";

let policy: Policy;
beforeAll(async () => {
  policy = await examplePolicy();
});
const open: Remote[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
async function behind(answer: Behind, given: Parameters<typeof remote>[2] = {}, by: Policy = policy): Promise<Remote> {
  const made = await remote(by, answer, given);
  open.push(made);
  return made;
}

const idOf = ({ body }: Sent): unknown => (JSON.parse(body) as { readonly id?: unknown }).id;
const done: Behind = (sent, response) => say(response, { jsonrpc: "2.0", id: idOf(sent), result: { ok: true } });
const call = (name = "draft.create", more: object = {}): object => ({
  ...{ id: 1, method: "tools/call" },
  params: { name, arguments: {}, ...more },
});
const text = JSON.stringify({ jsonrpc: "2.0", ...call() });

/** Bytes as they are, and the first answer to them; empty where the connection is closed without one. */
async function raw(of: Remote, ...lines: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(lines.join("\r\n"));
  let said = "";
  socket.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes("\r\n\r\n")) socket.destroy();
  });
  await once(socket, "close");
  return said.split("\r\n", 1)[0] ?? "";
}
const HEAD = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json"];

describe("two readers of one connection", () => {
  it.each([
    ["a length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked", "", "0", "", ""]],
    ["two lengths", ["Content-Length: 4", `Content-Length: ${text.length}`, "", text]],
    ["a malformed length", ["Content-Length: +4", "", text]],
    ["chunks that are not the last coding", ["Transfer-Encoding: chunked, identity", "", "0", "", ""]],
    ["a coding that is hidden", ["Transfer-Encoding: xchunked", "", "0", "", ""]],
    ["a blank before the colon", [`Content-Length : ${text.length}`, "", text]],
    ["a folded line", ["X-A: b", " Transfer-Encoding: chunked", `Content-Length: ${text.length}`, "", text]],
    ["two hosts", ["Host: evil.example", `Content-Length: ${text.length}`, "", text]],
    ["two types", ["Content-Type: text/plain", `Content-Length: ${text.length}`, "", text]],
    ["two tokens", ["Authorization: Bearer a", "Authorization: Bearer b", `Content-Length: ${text.length}`, "", text]],
    ["two sessions", ["Mcp-Session-Id: a", "Mcp-Session-Id: b", `Content-Length: ${text.length}`, "", text]],
    [
      "two revisions",
      ["MCP-Protocol-Version: 2025-11-25", "MCP-Protocol-Version: 2026-07-28", "Content-Length: 0", "", ""],
    ],
  ])("get nothing from a request with %s", async (_, lines) => {
    const of = await behind(done);
    expect(await raw(of, ...HEAD, ...lines)).toMatch(/^HTTP\/1\.1 400 /);
    expect([of.sent, of.records]).toEqual([[], []]);
  });

  it("get nothing from a body that ends too early, and the gateway goes on", async () => {
    const of = await behind(done);
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      [...HEAD, "Transfer-Encoding: chunked", "", text.length.toString(16), text, "", ""].slice(0, -1).join("\r\n"),
    );
    socket.end();
    await once(socket.resume(), "close");
    expect(of.sent).toEqual([]);
    expect((await post(of, call())).status).toBe(200);
  });
});

describe("headers", () => {
  it.each([
    [{ mcp_name: "payout.release" }, "could be read as another header"],
    [{ content_type: "application/json; charset=utf-7" }, "could be read as another header"],
    [{ connection: "authorization" }, "takes `authorization` away"],
    [{ connection: "keep-alive, Mcp-Session-Id" }, "takes `mcp-session-id` away"],
    [{ "mcp-protocol-version": "draft" }, "is no revision"],
    [{ "mcp-protocol-version": "2026-07-28\t" + "x" }, "is no revision"],
  ])("that servers could read in two ways are refused: %j", async (headers, message) => {
    const of = await behind(done);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write([...HEAD, ...lines, `Content-Length: ${text.length}`, "", text].join("\r\n"));
    const [said] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(said.toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(said.toString()).toContain(message);
    expect(of.sent).toEqual([]);
  });

  it("that lead to another endpoint, or method, do not reach the server", async () => {
    const of = await behind(done);
    const odd = {
      ...{ "x-http-method-override": "DELETE", "x-http-method": "PUT", "x-method-override": "PUT" },
      ...{
        "x-original-url": "/admin",
        "x-rewrite-url": "/admin",
        x_rewrite_url: "/admin",
        transfer_encoding: "chunked",
      },
    };
    expect((await post(of, call(), { ...odd, "x-api-key": "k", x_other: "o" })).status).toBe(200);
    const names = Object.keys(of.sent[0]?.headers ?? {});
    expect(names.filter((name) => Object.hasOwn(odd, name))).toEqual([]);
    expect(of.sent[0]?.headers).toMatchObject({ "x-api-key": "k", x_other: "o" });
  });

  it("say no other encoding than the one that was read, on either side", async () => {
    const list = { jsonrpc: "2.0", id: 1, result: { tools: [] } };
    const of = await behind((_, response) =>
      say(response, list, { "content-type": "application/json; charset=utf-7" }),
    );
    for (const charset of ["utf-7", "utf-16", "cp037", "utf-8; x=y"]) {
      const told = await post(of, call(), { "content-type": `application/json; charset=${charset}` });
      expect([charset, told.status]).toEqual([charset, 415]);
    }
    expect(of.sent).toEqual([]);
    const told = await post(
      of,
      { id: 1, method: "tools/list" },
      { "content-type": 'application/json; charset="UTF-8"' },
    );
    expect([told.status, told.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(of.sent[0]?.headers["content-type"]).toBe("application/json");
    const streamed = await behind(
      (_, response) =>
        void response
          .writeHead(200, { "content-type": "text/event-stream; charset=utf-7" })
          .end(`data: ${JSON.stringify(list)}\n\n`),
    );
    expect((await post(streamed, { id: 1, method: "tools/list" })).headers.get("content-type")).toBe(
      "text/event-stream",
    );
    const refused = await behind(
      (_, response) => void response.writeHead(400, { "content-type": "text/html" }).end("<b>no"),
    );
    expect((await post(refused, call())).headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("of notifications and answers agree with it, too", async () => {
    const of = await behind((_, response) => void response.writeHead(202).end());
    const note = { method: "notifications/initialized" };
    expect((await post(of, note, { "mcp-method": "notifications/initialized" })).status).toBe(202);
    const answer = { id: 1, result: {} };
    expect((await post(of, answer)).status).toBe(202);
    for (const [message, headers] of [
      [note, { "mcp-method": "tools/call" }],
      [note, { "mcp-name": "payout.release" }],
      [answer, { "mcp-method": "tools/call" }],
      [answer, { "mcp-name": "payout.release" }],
      [answer, { "mcp-name": "=?base64?x?=" }],
    ] as const)
      expect((await post(of, message, headers)).json.error?.code).toBe(-32_020);
    expect(of.sent).toHaveLength(2);
  });

  it("repeat the very member that the message is decided by", async () => {
    const of = await behind(done);
    const odd = async (message: object, headers: Record<string, string>): Promise<unknown> =>
      (await post(of, message, headers)).json.error?.code;
    // A router goes by the name, and the decision by the address.
    const read = { id: 1, method: "resources/read", params: { uri: "memo://secret", name: "memo://style" } };
    expect(await odd(read, { "mcp-name": "memo://style" })).toBe(-32_020);
    expect(await odd({ id: 1, method: "ping" }, { "mcp-name": "=?base64?x?=" })).toBe(-32_020);
    const given = (args: object) => call("draft.create", { arguments: args });
    expect(await odd(given({ region: "eu", note: "us" }), { "mcp-param-region": "us" })).toBe(-32_020);
    expect(await odd(given({ Region: "eu", region: "us" }), { "mcp-param-region": "us" })).toBe(-32_020);
    expect(await odd(given({ n: 0 }), { "mcp-param-n": "" })).toBe(-32_020);
    expect(await odd(given({ n: 66 }), { "mcp-param-n": "0x42" })).toBe(-32_020);
    expect(await odd(given({ region: { a: "eu" } }), { "mcp-param-region": "eu" })).toBe(-32_020);
    expect(of.sent).toEqual([]);
    expect(
      await odd(given({ region: "eu", n: 1.5 }), { "mcp-param-region": "eu", "mcp-param-n": "1.50" }),
    ).toBeUndefined();
    expect(await odd(given({ place: { area: "eu" } }), { "mcp-param-region": "eu" })).toBeUndefined();
    expect(of.sent).toHaveLength(2);
  });

  it.each([
    ["another case of the encoding's name", "=?BASE64?ZXU=?=", "eu"],
    ["an encoded text that is written as it stands", "=?Base64?ZXU=?=", "=?Base64?ZXU=?="],
    ["bytes that are not UTF-8", "=?base64?/w==?=", "\ufffd"],
    ["a character that each reader decodes in its own way", "\u00e9", "\u00e9"],
  ])("say nothing with %s", async (_, header, region) => {
    const of = await behind(done);
    const told = await post(of, call("draft.create", { arguments: { region } }), { "mcp-param-region": header });
    expect(told.json.error?.code).toBe(-32_020);
    expect(of.sent).toEqual([]);
  });

  it("are there for every message of a revision that needs them", async () => {
    const of = await behind(done);
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const told = await post(of, call("draft.create", { _meta }));
    expect([told.status, told.json.error?.message]).toEqual([400, "`MCP-Protocol-Version` is missing"]);
    expect(of.sent).toEqual([]);
  });
});

describe("a message", () => {
  it("with a member that stands twice reaches the server as it was decided", async () => {
    const of = await behind(done);
    const twice = (first: string, second: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${first}","name":"${second}","arguments":{}}}`;
    const denied = await post(of, twice("draft.create", "payout.release"));
    expect(denied.json.result).toMatchObject({ isError: true });
    expect((await post(of, twice("payout.release", "draft.create"))).status).toBe(200);
    expect(of.sent.map(({ body }) => body)).toEqual([JSON.stringify({ jsonrpc: "2.0", ...call() })]);
  });

  it.each([
    "draft.create\u200b",
    "Draft.create",
    "draft.cre\u0430te",
    "draft.create ",
    "__proto__",
    "draft.create\u0000",
  ])("that calls %j, which looks like a tool, calls nothing", async (name) => {
    const of = await behind(done);
    expect((await post(of, call(name))).json.result).toMatchObject({ isError: true });
    expect(of.sent).toEqual([]);
  });

  it.each([
    ["Name", { Name: "payout.release" }],
    ["arguments in another case", { ARGUMENTS: { a: 1 } }],
    ["_meta that looks like it", { "_meta\u200b": {} }],
  ])("with a second %s is not passed on", async (_, more) => {
    const of = await behind(done);
    expect((await post(of, call("draft.create", more))).json.error?.code).toBe(-32_602);
    expect(of.sent).toEqual([]);
  });

  it("that names a prompt or resource beside its kind gets neither", async () => {
    const of = await behind(done);
    const argument = { name: "department", value: "S" };
    for (const ref of [
      { type: "ref/resource", name: "secret" },
      { type: "ref/prompt", uri: "memo://secret" },
      { type: "ref/other", name: "secret" },
      { type: "ref/prompt", Name: "secret" },
    ])
      expect(
        (await post(of, { id: 1, method: "completion/complete", params: { ref, argument } })).json.error?.code,
      ).toBe(-32_602);
    const listen = { notifications: {}, Notifications: { resourceSubscriptions: ["memo://secret"] } };
    expect((await post(of, { id: 1, method: "subscriptions/listen", params: listen })).json.error?.code).toBe(-32_602);
    const refs = { ref: { type: "ref/x" }, Ref: { type: "ref/prompt", name: "secret" }, argument };
    expect((await post(of, { id: 1, method: "completion/complete", params: refs })).json.error?.code).toBe(-32_602);
    expect(of.sent).toEqual([]);
  });
});

describe("a method", () => {
  it.each([
    ["Completion/Complete", { ref: { type: "ref/prompt", name: "secret" }, argument: { name: "a", value: "" } }],
    ["SUBSCRIPTIONS/listen", { notifications: { resourceSubscriptions: ["memo://secret"] } }],
    ["completion/complete/", { ref: { type: "ref/prompt", name: "secret" } }],
  ])("that a server could take for one that is decided is not known: %s", async (method, params) => {
    const of = await behind(done);
    expect((await post(of, { id: 1, method, params })).json.error?.code).toBe(-32_601);
    expect((await post(of, { method, params })).status).toBe(400);
    expect(of.sent).toEqual([]);
  });

  it.each(["constructor", "toString", "__proto__"])(
    "that every object has is passed on as any other: %s",
    async (method) => {
      const of = await behind(done);
      expect((await post(of, { id: 1, method })).json.result).toEqual({ ok: true });
    },
  );
});

describe("a list", () => {
  it.each(["Tools", "TOOLS", "tool\u017f", "tools\u200b", "resourcetemplates"])(
    "beside the one that is filtered, which a client could take for it, is not passed on: %s",
    async (name) => {
      const tools = [{ name: "payout.release", inputSchema: { type: "object" } }];
      for (const result of [{ tools: [], [name]: tools }, { [name]: tools }]) {
        const of = await behind((sent, response) => say(response, { jsonrpc: "2.0", id: idOf(sent), result }));
        for (const method of ["tools/list", "ping"]) {
          const told = await post(of, { id: 1, method });
          expect([told.json.error?.code, told.text.includes("payout.release")]).toEqual([-32_603, false]);
        }
      }
    },
  );
});

describe("a session", () => {
  const initialize = { id: 1, method: "initialize", params: {} };

  it("is one of as many as there may be, however many are asked for at once", async () => {
    const held: (() => void)[] = [];
    let count = 0;
    const of = await behind(
      (sent, response) =>
        void held.push(() =>
          say(response, { jsonrpc: "2.0", id: idOf(sent), result: {} }, { "mcp-session-id": `s-${count++}` }),
        ),
      { sessions: { most: 2, idleMs: 60_000 } },
    );
    const early: number[] = [];
    const asked = Array.from({ length: 5 }, async () => {
      const { status } = await post(of, initialize);
      early.push(status);
      return status;
    });
    await expect.poll(() => [held.length, early]).toEqual([2, [503, 503, 503]]);
    for (const go of held) go();
    expect((await Promise.all(asked)).sort()).toEqual([200, 200, 503, 503, 503]);
    expect((await post(of, initialize)).status).toBe(503);
  });

  it("is not opened by a message that wants no answer", async () => {
    const of = await behind((_, response) => void response.writeHead(202, { "mcp-session-id": "s" }).end());
    await post(of, { method: "initialize", params: {} });
    expect((await post(of, { id: 1, method: "ping" }, { "mcp-session-id": "s" })).status).toBe(404);
  });

  it("is not chosen by who calls, where limits count by it", async () => {
    const files = {
      "roles.yaml": "roles: [{ role_id: R }]\n",
      "lanes.yaml":
        "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [fetch, mail] } }]\n",
      "tool_registry.yaml":
        "tools: [{ tool_name: fetch, enabled: true, implementation_status: implemented }, { tool_name: mail, enabled: true, implementation_status: implemented }]\n",
      "limits.yaml":
        "limits: [{ limit_id: W, calls: { tools: [mail] }, per: [session], never_after: { tools: [fetch] } }]\n",
    };
    const caller = { role: "R", lane: "L", scope: {}, flags: [] };
    const of = await behind(done, { caller, facts: { history: memoryHistory() } }, await policyOf(files));
    expect((await post(of, call("fetch"))).json.result).toEqual({ ok: true });
    for (const authorization of ["", "Bearer x", "Bearer y"]) {
      const told = await post(of, call("mail"), authorization === "" ? {} : { authorization });
      expect(told.json.result).toMatchObject({ isError: true });
    }
    expect(of.sent).toHaveLength(1);
  });
});

describe("a result", () => {
  it("that comes with a status of failure is no success, which what may follow hangs on", async () => {
    const files = {
      "roles.yaml": "roles: [{ role_id: R }]\n",
      "lanes.yaml":
        "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [review, mail] } }]\n",
      "tool_registry.yaml":
        "tools: [{ tool_name: review, enabled: true, implementation_status: implemented }, { tool_name: mail, enabled: true, implementation_status: implemented }]\n",
      "limits.yaml":
        "limits: [{ limit_id: W, calls: { tools: [mail] }, per: [session], only_after: { tools: [review] } }]\n",
    };
    let status = 500;
    const answer: Behind = (sent, response) =>
      say(response, { jsonrpc: "2.0", id: idOf(sent), result: { ok: true } }, {}, status);
    const given = { caller: { role: "R", lane: "L", scope: {}, flags: [] }, facts: { history: memoryHistory() } };
    const of = await behind(answer, given, await policyOf(files));
    expect((await post(of, call("review"))).status).toBe(500);
    expect((await post(of, call("mail"))).json.result).toMatchObject({ isError: true });
    status = 200;
    await post(of, call("review"));
    expect((await post(of, call("mail"))).json.result).toEqual({ ok: true });
  });
});

describe("a stream that stays open", () => {
  const events = (response: ServerResponse, ...lines: string[]): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(lines.map((line) => `data: ${line}\n\n`).join("") || ":\n\n");
  };

  it.each([
    ["is not valid any more", async () => undefined],
    ["is another's", async (known: unknown) => ({ ...(known as object), principal: "other" })],
    [
      "cannot be verified",
      async () => {
        throw new Error("no keys");
      },
    ],
  ])("ends when its token %s", async (_, later) => {
    const caller = { role: "R", lane: "L", scope: {}, flags: [] };
    const known = { caller, principal: "p" };
    let isOver = false;
    const identity: Identity = {
      callerOf: async () => (isOver ? ((await later(known)) as typeof known | undefined) : known),
    };
    const of = await behind((_, response) => events(response), { identity, recheckMs: 20 });
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: {} } };
    const headers = { "content-type": "application/json" };
    const streams = await Promise.all([
      fetch(of.gateway.url),
      fetch(of.gateway.url, { method: "POST", headers, body: JSON.stringify(listen) }),
    ]);
    const ends = streams.map((stream) =>
      stream.text().then(
        () => "ended",
        () => "cut",
      ),
    );
    expect(await Promise.race([...ends, wait(100)])).toBe("waited");
    isOver = true;
    expect(await Promise.all(ends)).toEqual(["cut", "cut"]);
  });

  it("gives one answer to one request", async () => {
    const of = await behind((_, response) => {
      events(response, '{"jsonrpc":"2.0","id":1,"result":{"n":1}}', '{"jsonrpc":"2.0","id":1,"result":{"n":2}}');
      response.end();
    });
    const told = await post(of, call());
    expect([told.text.includes('"n":1'), told.text.includes('"n":2')]).toEqual([true, false]);
    expect(of.lines).toEqual(["server: an answer to nothing that is open was dropped"]);
  });
});

function wait(milliseconds: number): Promise<"waited"> {
  return new Promise((resolve) => setTimeout(() => resolve("waited"), milliseconds));
}
