/** Who asks a gateway over HTTP, and whose session it is. */
import type { OutgoingHttpHeaders } from "node:http";
import { memoryHistory } from "@portcullis/runtime";
import type { Identified } from "../../../compiler/enforcement/gateway/identity.ts";
import { type Check, same } from "./check.ts";
import { until, wait } from "./clock.ts";
import { type Behind, call, done, INITIALIZE, idOf, parsed, ping, refused, remote, say, type Told } from "./remote.ts";
import { ALLOW, CALLER, deciding } from "./verdicts.ts";

export function remoteSessionChecks(): readonly Check[] {
  return [
    { what: "who asks", run: identities },
    { what: "sessions of the gateway", run: sessions },
    { what: "how many sessions", run: reserved },
    { what: "sessions of the newest revision", run: stateless },
    { what: "counts by session", run: counted },
    { what: "streams and tokens", run: held },
  ];
}

async function identities(): Promise<void> {
  const found: Identified = { caller: { ...CALLER, role: "S" }, principal: "p" };
  const asked: unknown[] = [];
  const identity = {
    callerOf: async (authorization: string | undefined) => {
      asked.push(authorization);
      if (authorization === "broken") throw new Error("no keys");
      return authorization === "good" ? found : undefined;
    },
  };
  const policy = deciding({ yes: ALLOW });
  await remote(done, { identity, policy }, async (of) => {
    const missing = await of.post(call("yes"));
    same("no token", parsed(missing), refused(401, -32_600, "the request bears no valid token"));
    same("how to ask", missing.headers["www-authenticate"], "Bearer");
    same("metrics", (await of.send("GET", "/metrics", {})).status, 401);
    same("health", (await of.send("GET", "/health", {})).headers["www-authenticate"], undefined);
    const broken = await of.post(call("yes"), { authorization: "broken" });
    same("no keys", parsed(broken), refused(503, -32_600, "the keys that verify tokens cannot be had"));
    same("said", of.lines, ["identity: the keys cannot be had: no keys"]);
    same("nothing is decided", [policy.asked.length, of.sent.length], [0, 0]);
    same("a token", (await of.post(call("yes"), { authorization: "good" })).status, 200);
    same(
      "whose it is",
      policy.asked.map(({ role }) => role),
      ["S"],
    );
  });
}

/** Opens a session for each `initialize`, under the name that the client gives it. */
const opening: Behind = (sent, response) => {
  const { "x-open": id, "x-status": status = "200" } = sent.headers;
  say(
    response,
    { id: idOf(sent) ?? 1, result: { ok: true } },
    id === undefined ? {} : { "mcp-session-id": id },
    Number(status),
  );
};

async function sessions(): Promise<void> {
  await remote(opening, {}, async (of) => {
    const gone = refused(404, -32_600, "there is no session of this id");
    const use = (id: string, authorization = "one"): Promise<Told> =>
      of.post(ping, { "mcp-session-id": id, authorization });
    const open = (id: string, message: object = INITIALIZE, more: OutgoingHttpHeaders = {}): Promise<Told> =>
      of.post(message, { "x-open": id, authorization: "one", ...more });
    same("unknown", parsed(await use("a")), gone);
    const opened = await open("a");
    same("opened", [opened.status, opened.headers["mcp-session-id"]], [200, "a"]);
    same("theirs", [(await use("a")).status, parsed(await use("a", "two"))], [200, gone]);
    same("without a token", parsed(await of.post(ping, { "mcp-session-id": "a" })), gone);
    await open("a", INITIALIZE, { authorization: "two" });
    same("the first one's still", [(await use("a")).status, parsed(await use("a", "two"))], [200, gone]);
    for (const [message, more] of [
      [ping, {}],
      [{ method: "initialize" }, {}],
      [{ id: 1, result: {} }, {}],
      [INITIALIZE, { "x-status": "400" }],
      [INITIALIZE, { "x-status": "300" }],
    ] as const) {
      await open("b", message, more);
      same(`not by ${JSON.stringify([message, more])}`, parsed(await use("b")), gone);
    }
    await open("c", INITIALIZE, { "x-status": "299" });
    same("299", (await use("c")).status, 200);
    await open("");
    await of.post(INITIALIZE, { authorization: "one" });
    const remove = (more: OutgoingHttpHeaders): Promise<Told> =>
      of.send("DELETE", "/mcp", { "mcp-session-id": "a", authorization: "one", ...more });
    for (const status of ["405", "300"]) await remove({ "x-status": status });
    same("not closed", (await use("a")).status, 200);
    await of.post(ping, { "mcp-session-id": "a", authorization: "one", "x-status": "400" });
    same("nor by another failure", (await use("a")).status, 200);
    await remove({ "x-status": "299" });
    same("closed", parsed(await use("a")), gone);
    await of.post(ping, { "mcp-session-id": "c", authorization: "one", "x-status": "404" });
    same("not known to the server", parsed(await use("c")), gone);
    const metrics = await of.send("GET", "/metrics", {});
    same("how many", /portcullis_mcp_sessions (\d+)/.exec(metrics.text)?.[1], "1");
  });
}

async function reserved(): Promise<void> {
  const waiting: (() => void)[] = [];
  const behind: Behind = (sent, response) =>
    void waiting.push(() => say(response, { id: idOf(sent), result: {} }, { "mcp-session-id": `s-${waiting.length}` }));
  const { performance } = globalThis;
  const clock = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => clock() + ahead;
  await remote(behind, { sessions: { most: 1, idleMs: 60_000 } }, async (of) => {
    const first = of.post(INITIALIZE);
    await until(() => waiting.length === 1);
    const full = refused(503, -32_600, "there are as many sessions as there may be", 1);
    same("is being opened", parsed(await of.post(INITIALIZE)), full);
    waiting[0]?.();
    const { status, headers } = await first;
    same("opened", status, 200);
    // In use, it is not idle.
    const using = of.post(ping, { "mcp-session-id": headers["mcp-session-id"] });
    await until(() => waiting.length === 2);
    ahead += 61_000;
    same("in use", parsed(await of.post(INITIALIZE)), full);
    waiting[1]?.();
    await using;
    same("used just now", parsed(await of.post(INITIALIZE)), full);
    ahead += 61_000;
    const third = of.post(INITIALIZE);
    await until(() => waiting.length === 3);
    waiting[2]?.();
    same("idle", (await third).status, 200);
  }).finally(() => {
    performance.now = clock;
  });
}

async function stateless(): Promise<void> {
  await remote(done, {}, async (of) => {
    const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "ping" };
    same("without one", (await of.post(ping, { ...modern, "mcp-session-id": "x" })).status, 200);
    same("it does not go on", of.sent[0]?.headers["mcp-session-id"], undefined);
    same(
      "of an older one",
      (await of.post(ping, { "mcp-session-id": "x", "mcp-protocol-version": "2025-11-25" })).status,
      404,
    );
  });
}

/** Who counts is one, whatever token, and a session of theirs is another one: each has a budget of its own. */
async function counted(): Promise<void> {
  const limits = { L: { calls: {}, per: ["session"], max_calls: 1 } };
  const identity = {
    callerOf: async (authorization: string | undefined) => ({ caller: CALLER, principal: authorization ?? "" }),
  };
  for (const given of [{}, { identity }]) {
    const policy = Object.assign(deciding({ yes: ALLOW }), { limits });
    await remote(opening, { ...given, policy: policy as never, facts: { history: memoryHistory() } }, async (of) => {
      const named = async (headers: OutgoingHttpHeaders): Promise<unknown> => {
        await of.post(call("yes"), headers);
        const { facts } = policy.asked.at(-1) as unknown as { readonly facts: { readonly session: unknown } };
        return facts.session;
      };
      await of.post(INITIALIZE, { "x-open": "s", authorization: "one" });
      const one = await named({ authorization: "one" });
      const two = await named({ authorization: "two" });
      const session = await named({ authorization: "one", "mcp-session-id": "s" });
      same("who", one === two, !("identity" in given));
      same(
        "a session",
        [session === one, session],
        [false, await named({ authorization: "one", "mcp-session-id": "s" })],
      );
      same(
        "digests",
        [session, one].every((text) => String(text).length === 44),
        true,
      );
    });
  }
}

async function held(): Promise<void> {
  let now: Identified | undefined | Error = { caller: CALLER, principal: "p" };
  let looks = 0;
  const identity = {
    callerOf: async () => {
      looks++;
      if (now instanceof Error) throw now;
      return now;
    },
  };
  const behind: Behind = (_, response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n");
  const listen = { id: 1, method: "subscriptions/listen", params: {} };
  const GOOD = now;
  for (const later of [undefined, { ...GOOD, principal: "q" }, new Error("no keys")])
    await remote(behind, { identity, recheckMs: 10 }, async (of) => {
      now = GOOD;
      const ends: string[] = [];
      const watch = (name: string, asked: Promise<Told>): void =>
        void asked.then(
          () => ends.push(`${name} ended`),
          () => ends.push(`${name} cut`),
        );
      watch("stream", of.send("GET", "/mcp", {}));
      watch("subscription", of.post(listen));
      watch("call", of.post(ping));
      await until(() => of.sent.length === 3);
      const before = looks;
      await until(() => looks > before + 3);
      same("stays", ends, []);
      now = later;
      await until(() => ends.length === 2);
      await wait(30);
      same("ends with its token", ends.sort(), ["stream cut", "subscription cut"]);
      const after = looks;
      await wait(40);
      same("is looked at no more", looks, after);
    });
  await remote(behind, { recheckMs: 10 }, async (of) => {
    const cut = of.send("GET", "/mcp", {}).then(
      () => "ended",
      () => "cut",
    );
    const first = await Promise.race([cut, wait(60).then(() => "open")]);
    same("without an identity", first, "open");
  });
}
