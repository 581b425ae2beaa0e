/** Questions to the side that asks another user for a state: what is asked, and what it does with an answer. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { FactPolicy } from "@portcullis/runtime";
import { policyDigest } from "../../../compiler/enforcement/state/policy-digest.ts";
import { remoteState, type StatePlace } from "../../../compiler/enforcement/state/remote-state.ts";
import { type Check, same } from "./check.ts";
import { key, policy } from "./state-policy.ts";

export function remoteStateChecks(): readonly Check[] {
  return [
    { what: "what is asked", run: asked },
    { what: "what is answered", run: answered },
    { what: "broken answers", run: broken },
    { what: "time", run: inTime },
  ];
}

/** Something that listens there while `work` asks it. */
async function at<T>(listener: RequestListener, work: (place: StatePlace) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await work({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const problemOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => `answered ${JSON.stringify(value)}`,
    (error: unknown) => String(error),
  );

async function asked(): Promise<void> {
  const seen: unknown[] = [];
  const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    return JSON.parse(text);
  };
  const listener: RequestListener = (request, response) =>
    void bodyOf(request).then((body) => {
      const { host, authorization, connection, "content-type": type } = request.headers;
      seen.push([request.method, request.url, host, authorization, connection, type, body]);
      const reserved = { isReserved: true, id: "x", facts: { now: 5 } };
      response.end(JSON.stringify(request.url?.endsWith("reserve") ? reserved : { approvals: [{ by: "m" }] }));
    });
  const line = (action: string, body: object): unknown[] => {
    const headers = ["localhost", "Bearer token", "close", "application/json"];
    return ["POST", `/v1/state/${action}`, ...headers, body];
  };
  await at(listener, async (place) => {
    const current: { current: FactPolicy } = { current: {} };
    const { history, approvals: source } = remoteState(place, "token", current);
    current.current = policy;
    const reservation = await history.reserve({ limits: [] });
    same("reserved", [reservation.isReserved, reservation.facts], [true, { now: 5 }]);
    await reservation.commit();
    await reservation.release();
    same("found", await source.find(key(1)), [{ by: "m" }]);
    await source.ask?.(key(1), { tool: "t" });
    await remoteState(place, "token", policy).history.reserve({ limits: [] });
    const first = line("reserve", { policy: policyDigest(policy), limits: [] });
    same("seen", seen, [
      first,
      line("commit", { id: "x" }),
      line("release", { id: "x" }),
      line("approvals", { call_sha256: key(1) }),
      line("ask", { call_sha256: key(1), call: { tool: "t" } }),
      first,
    ]);
  });
  seen.length = 0;
  const full: RequestListener = (_, response) => {
    seen.push(1);
    response.end('{"isReserved":false,"facts":{"now":7}}');
  };
  await at(full, async (place) => {
    const reservation = await remoteState(place, "token", policy).history.reserve({ limits: [] });
    await reservation.commit();
    await reservation.release();
    same("nothing reserved", [reservation.isReserved, reservation.facts, seen.length], [false, { now: 7 }, 1]);
  });
}

async function answered(): Promise<void> {
  const padded = (bytes: number): string => {
    const text = '{"isReserved":false,"pad":""}';
    return text.replace('""', `"${"x".repeat(bytes - text.length)}"`);
  };
  const cases: readonly (readonly [string, RequestListener, string])[] = [
    ["the longest", (_, r) => void r.end(padded(1 << 20)), "answered"],
    ["one byte more", (_, r) => void r.end(padded((1 << 20) + 1)), "the answer is too long"],
    ["in pieces", (_, r) => void r.write('{"isReserved":', () => r.end("false}")), "answered"],
    ["no member", (_, r) => void r.end("{}"), "another form"],
    ["an id and nothing reserved", (_, r) => void r.end('{"isReserved":false,"id":"x"}'), "another form"],
    ["no text for an id", (_, r) => void r.end('{"isReserved":true,"id":7}'), "another form"],
    ["no id", (_, r) => void r.end('{"isReserved":true}'), "another form"],
    ["another status", (_, r) => void r.writeHead(201).end('{"isReserved":false}'), "status 201, no answer of a state"],
    ["a reason", (_, r) => void r.writeHead(409).end('{"message":"no"}'), "status 409, no"],
    ["a list", (_, r) => void r.end("[]"), "no answer of a state"],
    ["null", (_, r) => void r.end("null"), "no answer of a state"],
    ["a text", (_, r) => void r.end('"x"'), "no answer of a state"],
    ["a member twice", (_, r) => void r.end('{"isReserved":false,"isReserved":false}'), "no answer of a state"],
    [
      "no UTF-8",
      (_, r) => void r.end(Buffer.from('{"isReserved":false,"a":"\xff"}', "latin1")),
      "no answer of a state",
    ],
  ];
  for (const [what, listener, problem] of cases)
    await at(listener, async (place) => {
      const said = await problemOf(Promise.resolve(remoteState(place, "t", policy).history.reserve({ limits: [] })));
      same(what, [said, said.includes(problem)], [said, true]);
    });
  for (const body of ["{}", '{"approvals":{}}', '{"approvals":"x"}'])
    await at(
      (_, r) => void r.end(body),
      async (place) => {
        const said = await problemOf(Promise.resolve(remoteState(place, "t", policy).approvals.find(key(1))));
        same(body, said.includes("another form"), true);
      },
    );
}

async function broken(): Promise<void> {
  const cases: readonly (readonly [string, RequestListener])[] = [
    ["a connection that breaks", (_, r) => void r.destroy()],
    ["an answer that breaks off", (_, r) => void r.write('{"isReserved":false}', () => r.destroy())],
  ];
  for (const [what, listener] of cases)
    await at(listener, async (place) => {
      const said = await problemOf(Promise.resolve(remoteState(place, "t", policy).history.reserve({ limits: [] })));
      same(what, [said, said.includes("the state cannot be asked: ")], [said, true]);
    });
  const away = remoteState({ socketPath: "/nowhere/state.sock" }, "t", policy);
  same("no one", (await problemOf(Promise.resolve(away.approvals.find(key(1))))).includes("ENOENT"), true);
}

/** For an answer as a whole: 1.5 seconds, of which a test waits for some milliseconds. */
async function inTime(): Promise<void> {
  const real = AbortSignal.timeout;
  const waits: number[] = [];
  AbortSignal.timeout = (milliseconds) => {
    waits.push(milliseconds);
    return real.call(AbortSignal, 30);
  };
  try {
    for (const listener of [() => {}, (_, response) => void response.write("{")] as RequestListener[])
      await at(listener, async (place) => {
        const said = await problemOf(Promise.resolve(remoteState(place, "t", policy).history.reserve({ limits: [] })));
        same("late", [said, said.includes("no answer in 1500 ms")], [said, true]);
      });
  } finally {
    AbortSignal.timeout = real;
  }
  same("waits", waits, [1500, 1500]);
}
