/** The gateway over HTTP, attacked by what outlasts one message: sessions, results that later calls hang on, and streams that stay open. */

import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { memoryHistory } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import type { Identity } from "../../../compiler/enforcement/gateway/index.ts";
import { policyOf } from "../../governance/library/compiled-set.ts";
import { call, done, gateways, idOf } from "./behind.ts";
import { type Behind, post, say } from "./remote.ts";
import { writer } from "./session.ts";

const behind = gateways();

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

  it("is let go of by a client that leaves before it is known who asks", async () => {
    const waiting: (() => void)[] = [];
    let isHeld = false;
    const identity: Identity = {
      callerOf: async () => {
        if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
        return { caller: writer, principal: "p" };
      },
    };
    const opens: Behind = (sent, response) =>
      say(response, { jsonrpc: "2.0", id: idOf(sent), result: {} }, { "mcp-session-id": "s" });
    const of = await behind(opens, { identity, sessions: { most: 1, idleMs: 500 } });
    expect((await post(of, initialize)).status).toBe(200);
    isHeld = true;
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
    const head = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Mcp-Session-Id: s"];
    socket.write([...head, "Content-Length: 9", "", ""].join("\r\n"));
    await expect.poll(() => waiting.length).toBe(1);
    socket.destroy();
    // Its end is seen before it is known who asked.
    await wait(50);
    isHeld = false;
    waiting[0]?.();
    await expect.poll(async () => (await post(of, initialize)).status).toBe(200);
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
    expect((await post(of, call(1, "fetch"))).json.result).toEqual({ ok: true });
    for (const authorization of ["", "Bearer x", "Bearer y"]) {
      const told = await post(of, call(1, "mail"), authorization === "" ? {} : { authorization });
      expect(told.json.result).toMatchObject({ isError: true });
    }
    expect(of.sent).toHaveLength(1);
  });
});

describe("a result", () => {
  const REVIEW_FIRST = {
    "roles.yaml": "roles: [{ role_id: R }]\n",
    "lanes.yaml":
      "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [review, mail] } }]\n",
    "tool_registry.yaml":
      "tools: [{ tool_name: review, enabled: true, implementation_status: implemented }, { tool_name: mail, enabled: true, implementation_status: implemented }]\n",
    "limits.yaml":
      "limits: [{ limit_id: W, calls: { tools: [mail] }, per: [session], only_after: { tools: [review] } }]\n",
  };
  const caller = { role: "R", lane: "L", scope: {}, flags: [] };
  const given = () => ({ caller, facts: { history: memoryHistory() } });

  it("that comes with a status of failure is no success, which what may follow hangs on", async () => {
    let status = 500;
    const answer: Behind = (sent, response) =>
      say(response, { jsonrpc: "2.0", id: idOf(sent), result: { ok: true } }, {}, status);
    const of = await behind(answer, given(), await policyOf(REVIEW_FIRST));
    expect((await post(of, call(1, "review"))).status).toBe(500);
    expect((await post(of, call(1, "mail"))).json.result).toMatchObject({ isError: true });
    status = 200;
    await post(of, call(1, "review"));
    expect((await post(of, call(1, "mail"))).json.result).toEqual({ ok: true });
  });

  // A client may ask for a task (revision 2025-11-25), and cancel it as soon as it has begun.
  it.each([
    ["that only says that a task has begun", { task: { taskId: "t", status: "working", ttl: 1000 } }],
    ["that says so beside a content", { task: { taskId: "t", status: "working" }, content: [] }],
    ["that a server calls an error in a word of its own", { isError: "true", content: [] }],
  ])("%s is no success", async (_, result) => {
    const answer: Behind = (sent, response) =>
      say(response, { jsonrpc: "2.0", id: idOf(sent), result: sent.body.includes("review") ? result : { ok: true } });
    const of = await behind(answer, given(), await policyOf(REVIEW_FIRST));
    expect((await post(of, call(1, "review"))).json.result).toEqual(result);
    expect((await post(of, call(2, "mail"))).json.result).toMatchObject({ isError: true });
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

  it.each([
    ["that leaves before it is known who asks", 1],
    ["that waits for another answer on its connection", 2],
  ])("ends with a client %s", async (_, count) => {
    let open = 0;
    let know: () => void = () => {};
    const known = new Promise<void>((resolve) => {
      know = resolve;
    });
    const identity: Identity = {
      callerOf: async () => {
        if (count === 1) await known;
        return { caller: writer, principal: "p" };
      },
    };
    const of = await behind(
      (_, response) => {
        open++;
        response.once("close", () => open--);
        events(response);
      },
      { identity },
    );
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
    socket.write("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(count));
    await wait(100);
    socket.destroy();
    await wait(50);
    know();
    await wait(100);
    expect(open).toBe(0);
  });

  // The client could take it for the answer to a call that the policy denies, or has not decided yet.
  it.each<[string, object]>([
    ["that begins", {}],
    ["for a message that wants none", { method: "POST", body: '{"jsonrpc":"2.0","method":"notifications/x"}' }],
  ])("gives no answer of the server's, %s", async (_, init) => {
    const of = await behind((_, response) => {
      events(response, '{"jsonrpc":"2.0","id":1,"result":{"n":1}}', '{"jsonrpc":"2.0","method":"notifications/y"}');
      response.end();
    });
    const asked = { headers: { "content-type": "application/json" }, ...init };
    const text = await (await fetch(of.gateway.url, asked)).text();
    expect([text.includes('"n":1'), text.includes("notifications/y")]).toEqual([false, true]);
    expect(of.lines).toEqual(["server: an answer to nothing that is open was dropped"]);
  });

  it("leaves out what is nested too deep to be passed on, and gives the answer behind it", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const of = await behind((_, response) => {
      const note = `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":${deep}}}`;
      events(response, note, '{"jsonrpc":"2.0","id":1,"result":{"n":1}}');
      response.end();
    });
    expect((await post(of, call(1))).text).toContain('"n":1');
  });

  it("gives one answer to one request", async () => {
    const of = await behind((_, response) => {
      events(response, '{"jsonrpc":"2.0","id":1,"result":{"n":1}}', '{"jsonrpc":"2.0","id":1,"result":{"n":2}}');
      response.end();
    });
    const told = await post(of, call(1));
    expect([told.text.includes('"n":1'), told.text.includes('"n":2')]).toEqual([true, false]);
    expect(of.lines).toEqual(["server: an answer to nothing that is open was dropped"]);
  });
});

function wait(milliseconds: number): Promise<"waited"> {
  return new Promise((resolve) => setTimeout(() => resolve("waited"), milliseconds));
}
