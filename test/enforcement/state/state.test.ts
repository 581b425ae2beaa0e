/** State that is kept elsewhere: what a client may ask of it, and what every doubt about its answer comes to. */

import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  callDigest,
  type FactPolicy,
  guardTool,
  type HistoryRequest,
  type HistoryStore,
  type LimitUse,
  memoryHistory,
  type PolicyLimits,
  type ReservedFacts,
} from "@portcullis/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { type Server, serve } from "../../../compiler/enforcement/serving/index.ts";
import { KeptState, remoteState, type StatePlace } from "../../../compiler/enforcement/state/index.ts";
import { policyDigest } from "../../../compiler/enforcement/state/policy-digest.ts";

const TOKEN = "a-token-of-some-length";
const LIMITS: PolicyLimits = {
  PAY: { calls: { tools: { pay: true } }, max_calls: 2, max_sum: { of: "args.cents", at_most: 100 }, within_ms: 3600 },
  AFTER: { calls: { tools: { publish: true } }, only_after: { tools: { review: true }, within_ms: 60_000 } },
  NEVER: { calls: { tools: { mail: true } }, never_after: { tools: { fetch: true } } },
};
const policy: FactPolicy = { limits: LIMITS, historyName: "desk" };
const key = (n: number): string => n.toString(16).padStart(64, "0");
const PAY: LimitUse = {
  ...{ id: "PAY", key: key(1), within: 3600, maxCalls: 2, sum: { of: 1, atMost: 100 } },
  ...{ after: [], never: [] },
};
const folder = mkdtempSync(join(tmpdir(), "portcullis-state-"));
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function served(state: KeptState | undefined, more: object = {}): Promise<Server> {
  const server = await serve({
    served: () => ({ policy: policy as never }),
    ...{ metrics: () => "", authzen: "none", host: "127.0.0.1", port: 0, token: TOKEN, state },
    ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0", ...more },
  });
  ends.push(() => server.close());
  return server;
}

function placeOf({ url }: Pick<Server, "url">): StatePlace {
  return { host: "127.0.0.1", port: Number(new URL(url).port) };
}

/** Something that listens there, and answers as it likes. */
async function pretending(listener: RequestListener): Promise<StatePlace> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

describe("a store that is kept elsewhere", () => {
  it("counts for all who ask it, by the store's own answers", async () => {
    const place = placeOf(await served(new KeptState({ history: memoryHistory() })));
    const [one, other] = [1, 2].map(() => remoteState(place, TOKEN, policy).history) as [HistoryStore, HistoryStore];
    const first = await one.reserve({ limits: [PAY] });
    expect(first).toMatchObject({ isReserved: true, facts: { history: { PAY: { calls: 0, sum: 0, last_ms: {} } } } });
    const second = await other.reserve({ limits: [PAY] });
    expect(second.facts.history["PAY"]?.calls).toBe(1);
    expect(await one.reserve({ limits: [PAY] })).toMatchObject({ isReserved: false });
    await second.release();
    expect((await one.reserve({ limits: [PAY] })).facts.history["PAY"]?.calls).toBe(1);
    await expect(second.release()).rejects.toThrow("no open call has this `id`");
    await expect(second.commit()).rejects.toThrow("no open call has this `id`");
  });

  it("has an order: what succeeded is what was committed", async () => {
    const place = placeOf(await served(new KeptState({ history: memoryHistory() })));
    const { history } = remoteState(place, TOKEN, policy);
    const call = async (tool: string, fails = false): Promise<string> => {
      const decider = { ...policy, call: decided };
      const execute = (): number => {
        if (fails) throw new Error("no");
        return 1;
      };
      const outcome = await guardTool(decider as never, {} as never, tool, execute, { history }).call(undefined, {});
      return outcome.decision.reason;
    };
    // The policy's part, in two lines.
    const decided = ({ tool, facts }: { tool: string; facts?: { history: Record<string, { last_ms: object }> } }) => {
      const isOpen = tool !== "publish" || Object.hasOwn(facts?.history["AFTER"]?.last_ms ?? {}, "review");
      return { allowed: isOpen, gate: "LIMITS", reason: isOpen ? "allowed" : "denied" };
    };
    expect(await call("publish")).toBe("denied");
    await expect(call("review", true)).rejects.toThrow("no");
    expect(await call("publish")).toBe("denied");
    expect(await call("review")).toBe("allowed");
    expect(await call("publish")).toBe("allowed");
  });

  it("asks for the token, and for the same policy", async () => {
    const place = placeOf(await served(new KeptState({ history: memoryHistory() })));
    const asked = async (token: string, by: FactPolicy): Promise<unknown> =>
      remoteState(place, token, by).history.reserve({ limits: [] });
    await expect(asked("another-token-of-length", policy)).rejects.toThrow("status 401");
    for (const other of [
      { ...policy, historyName: "bureau" },
      { ...policy, limits: { ...LIMITS, PAY: { ...LIMITS["PAY"], max_calls: 3 } } },
      { ...policy, approvals: { revision: "r", approvers: {}, tools: [] } },
      {},
    ])
      await expect(asked(TOKEN, other)).rejects.toThrow("another policy");
    await expect(asked(TOKEN, policy)).resolves.toMatchObject({ isReserved: true });
    // One that is replaced meanwhile counts as it is at each call.
    const replaced: { current: FactPolicy } = { current: {} };
    const { history } = remoteState(place, TOKEN, replaced);
    await expect(history.reserve({ limits: [] })).rejects.toThrow("another policy");
    replaced.current = policy;
    await expect(history.reserve({ limits: [] })).resolves.toMatchObject({ isReserved: true });
  });

  it("is not there without `--state`, and never without a token", async () => {
    const without = placeOf(await served(undefined));
    await expect(remoteState(without, TOKEN, policy).history.reserve({ limits: [] })).rejects.toThrow("404");
    const open = await served(new KeptState({ history: memoryHistory() }), { token: undefined, anonymous: true });
    await expect(remoteState(placeOf(open), TOKEN, policy).history.reserve({ limits: [] })).rejects.toThrow("404");
    const empty = placeOf(await served(new KeptState({})));
    const { history, approvals } = remoteState(empty, TOKEN, policy);
    await expect(history.reserve({ limits: [] })).rejects.toThrow("no history is kept");
    await expect(approvals.find(key(1))).rejects.toThrow("no approvals are kept");
    await expect(approvals.ask?.(key(1), {})).rejects.toThrow("no approvals are kept");
  });

  it("listens on a socket as well, also where one was left by a server that was killed", async () => {
    const socketPath = join(folder, "state.sock");
    const state = new KeptState({ history: memoryHistory() });
    const server = await served(state, { socketPath });
    expect(server.url).toBe(`unix:${socketPath}`);
    expect(statSync(socketPath).mode & 0o666).toBe(0o666);
    expect(await remoteState({ socketPath }, TOKEN, policy).history.reserve({ limits: [PAY] })).toMatchObject({
      isReserved: true,
    });
    await expect(served(state, { socketPath })).rejects.toThrow("EADDRINUSE");
    await expect(served(state, { socketPath: join(folder, "open"), token: undefined })).rejects.toThrow("a token");
    const file = join(folder, "file");
    writeFileSync(file, "kept");
    await expect(served(state, { socketPath: file })).rejects.toThrow("EADDRINUSE");
    expect(statSync(file).size).toBe(4);
  });
});

describe("what is asked is held against the policy", () => {
  const after: LimitUse = { id: "AFTER", key: key(2), after: ["review"], never: [], remember: 60_000 };
  const never: LimitUse = { id: "NEVER", key: key(3), after: [], never: [], begins: "fetch" };
  const asked = async (body: object): Promise<number> => {
    const state = new KeptState({ history: memoryHistory() });
    const { policy: digest } = await printed;
    return (await state.answer(policy, "reserve", JSON.stringify({ policy: digest, ...body }))).status;
  };
  /** The digest, as a client sends it. */
  const printed = new Promise<{ policy: string }>((resolve) => {
    void pretending((request, response) => {
      request.on("data", (chunk: Buffer) => resolve(JSON.parse(String(chunk))));
      response.end();
    })
      .then((place) => remoteState(place, TOKEN, policy).history.reserve({ limits: [] }))
      .catch(() => undefined);
  });

  it("takes what a call of it can have", async () => {
    const good: readonly HistoryRequest["limits"][] = [
      [],
      [PAY],
      [PAY, after, never],
      [{ ...after, after: [], never: [], succeeds: "review" }],
      [{ ...never, never: ["fetch"], begins: undefined }],
      [{ ...PAY, key: key(9), sum: { of: 100, atMost: 100 } }],
    ];
    for (const limits of good) expect([limits, await asked({ limits })]).toEqual([limits, 200]);
  });

  it.each<[string, unknown]>([
    ["no list", {}],
    ["no uses", [null]],
    ["one key twice", [PAY, { ...after, key: PAY.key }]],
    ["more uses than limits", [1, 2, 3, 4].map((n) => ({ ...PAY, key: key(n) }))],
    ["an unknown limit", [{ ...PAY, id: "constructor" }]],
    ["no id", [{ ...PAY, id: 7 }]],
    ["an id in a list", [{ ...PAY, id: ["PAY"] }]],
    ["no list of successes", [{ ...PAY, after: undefined }]],
    ["no list of calls", [{ ...PAY, never: undefined }]],
    ["a key that is a path", [{ ...PAY, key: `../${"a".repeat(61)}` }]],
    ["a short key", [{ ...PAY, key: "ab" }]],
    ["a longer window", [{ ...PAY, within: 3601 }]],
    ["no window", [{ ...PAY, within: undefined }]],
    ["more calls", [{ ...PAY, maxCalls: 3 }]],
    ["uncounted calls", [{ ...PAY, maxCalls: undefined }]],
    ["a larger sum", [{ ...PAY, sum: { of: 1, atMost: 101 } }]],
    ["nothing added", [{ ...PAY, sum: undefined }]],
    ["less than nothing added", [{ ...PAY, sum: { of: -1, atMost: 100 } }]],
    ["half of one added", [{ ...PAY, sum: { of: 0.5, atMost: 100 } }]],
    ["more members of a sum", [{ ...PAY, sum: { of: 1, atMost: 100, more: 1 } }]],
    ["another tool read", [{ ...after, after: ["fetch"] }]],
    ["more tools read", [{ ...after, after: ["review", "review"] }]],
    ["tools that are a text", [{ ...after, after: "review" }]],
    ["a success read as a call", [{ ...after, after: [], never: ["review"] }]],
    ["a call read as a success", [{ ...never, after: ["fetch"] }]],
    ["a longer memory", [{ ...after, remember: 60_001 }]],
    ["a tool that does not begin", [{ ...never, begins: "mail" }]],
    ["a tool that does not succeed", [{ ...after, succeeds: "fetch" }]],
    ["a tool in a list", [{ ...never, begins: ["fetch"] }]],
    ["another member", [{ ...PAY, more: 1 }]],
  ])("refuses %s", async (_, limits) => {
    expect(await asked({ limits })).toBe(400);
  });

  it("refuses approvals of another form, and those that would be remembered for longer than one lasts", async () => {
    const nonce = { digest: key(1), call: key(2), keepUntil: Date.now() + 1000 };
    expect(await asked({ limits: [], nonce })).toBe(200);
    expect(await asked({ limits: [], nonce: { ...nonce, isRefusal: true } })).toBe(200);
    for (const other of [
      7,
      null,
      { ...nonce, digest: "../x" },
      { ...nonce, call: "" },
      { ...nonce, keepUntil: Date.now() + 26 * 3_600_000 },
      { ...nonce, keepUntil: -1 },
      { ...nonce, isRefusal: "no" },
      { ...nonce, more: 1 },
    ])
      expect([other, await asked({ limits: [], nonce: other })]).toEqual([other, 400]);
  });

  it("refuses any other question", async () => {
    const state = new KeptState({ history: memoryHistory() });
    const status = async (action: string, body: string): Promise<number> =>
      (await state.answer(policy, action, body)).status;
    expect(await status("reserve", "{")).toBe(400);
    expect(await status("reserve", '{"a":1,"a":2}')).toBe(400);
    for (const text of ["[]", "null", '"x"', "7"]) expect([text, await status("reserve", text)]).toEqual([text, 400]);
    expect(await status("reserve", "{}")).toBe(409);
    expect(await status("other", "{}")).toBe(404);
    expect(await status("commit", '{"id":7}')).toBe(404);
  });

  it("says so where the store does not answer", async () => {
    const reserve = (): never => {
      throw new Error("the disk is full");
    };
    const place = placeOf(await served(new KeptState({ history: { reserve } })));
    const { history } = remoteState(place, TOKEN, policy);
    await expect(history.reserve({ limits: [] })).rejects.toThrow("status 503, the disk is full");
  });

  it("forgets the oldest of too many calls that never end: they stay used up", async () => {
    const state = new KeptState({ history: memoryHistory() });
    const { policy: digest } = await printed;
    const body = JSON.stringify({ policy: digest, limits: [] });
    const ids: string[] = [];
    for (let n = 0; n <= 10_000; n++)
      ids.push(((await state.answer(policy, "reserve", body)).value as { id: string }).id);
    expect(new Set(ids).size).toBe(10_001);
    const end = async (id = ""): Promise<number> =>
      (await state.answer(policy, "release", JSON.stringify({ id }))).status;
    expect([await end(ids[0]), await end(ids[1]), await end(ids.at(-1))]).toEqual([404, 200, 200]);
  });
});

describe("one who has the token, and asks what no hook asks", () => {
  const START = Date.now();
  const day: LimitUse = { id: "DAY", key: key(1), within: 86_400_000, maxCalls: 2, after: [], never: [] };
  const limited: FactPolicy = {
    limits: {
      DAY: { max_calls: 2, within_ms: 86_400_000 },
      BURST: { max_calls: 9, within_ms: 1000 },
    },
  };
  const kept = () => {
    const time = { now: START };
    const state = new KeptState({ history: memoryHistory({ clock: () => time.now }) });
    const ask = async (action: string, body: object) =>
      (await state.answer(limited, action, JSON.stringify(body))) as {
        readonly status: number;
        readonly value: { id: string; isReserved: boolean; facts: ReservedFacts };
      };
    const reserve = (body: object) => ask("reserve", { policy: policyDigest(limited), ...body });
    return { time, ask, reserve };
  };

  it("widens no limit by asking for another one under its key", async () => {
    const { time, reserve } = kept();
    for (const isReserved of [true, true, false])
      expect((await reserve({ limits: [day] })).value).toMatchObject({ isReserved });
    time.now += 3_600_000;
    expect(await reserve({ limits: [{ ...day, id: "BURST", within: 1000, maxCalls: 9 }] })).toMatchObject({
      status: 503,
      value: { message: "the key is another limit's" },
    });
    expect((await reserve({ limits: [day] })).value).toMatchObject({ isReserved: false });
  });

  it("gives no approval back that another call has used", async () => {
    const { time, ask, reserve } = kept();
    const nonce = { digest: key(7), call: key(8), keepUntil: START + 600_000 };
    const early = await reserve({ limits: [], nonce: { ...nonce, keepUntil: START } });
    time.now += 1;
    expect((await reserve({ limits: [], nonce })).value.isReserved).toBe(true);
    expect((await ask("release", { id: early.value.id })).status).toBe(200);
    expect((await reserve({ limits: [], nonce })).value).toMatchObject({
      isReserved: false,
      facts: { approvalUsed: true },
    });
  });

  it("gives nothing back that it has held for longer than a decision takes", async () => {
    const { time, ask, reserve } = kept();
    const held = await reserve({ limits: [day] });
    time.now += 60_001;
    await ask("release", { id: held.value.id });
    expect((await reserve({ limits: [day] })).value.facts.history["DAY"]?.calls).toBe(1);
  });
});

describe("approvals that are kept elsewhere", () => {
  it("are found by digest, and calls kept that wait, under their own", async () => {
    const asked: unknown[] = [];
    const approvals = {
      find: (digest: string) => (digest === key(1) ? [{ by: "m.ortiz" }] : []),
      ask: (...call: unknown[]) => void asked.push(call),
    };
    const place = placeOf(await served(new KeptState({ approvals })));
    const { approvals: remote } = remoteState(place, TOKEN, policy);
    expect(await remote.find(key(1))).toEqual([{ by: "m.ortiz" }]);
    expect(await remote.find(key(2))).toEqual([]);
    await expect(remote.find("../../etc/passwd")).rejects.toThrow("no digest");
    const call = { tool: "pay", args: { cents: 7 }, facts: { paths: { file: "/a" } } };
    const digest = callDigest(call, call.facts.paths);
    await remote.ask?.(digest, call);
    expect(asked).toEqual([[digest, call]]);
    await expect(remote.ask?.(key(1), call)).rejects.toThrow("is not the digest");
    await expect(remote.ask?.(digest, { ...call, args: { cents: 8 } })).rejects.toThrow("is not the digest");
    await expect(remote.ask?.(digest, { ...call, facts: {} })).rejects.toThrow("is not the digest");
    expect(asked).toHaveLength(1);
  });
});

describe("a state that cannot be believed is a denial", () => {
  const allowing = { ...policy, call: () => ({ allowed: true, gate: "ALLOW", reason: "call_allowed" }) };
  const outcome = async (place: StatePlace): Promise<unknown> => {
    const { history } = remoteState(place, TOKEN, policy);
    const { decision } = await guardTool(allowing as never, {} as never, "fetch", () => 1, { history })({});
    return (decision as { problem?: string }).problem ?? decision.reason;
  };
  const facts = { now: 5, history: { NEVER: { calls: 0, sum: 0, last_ms: {} } } };

  it("allows while it is well", async () => {
    const good = await pretending((_, response) => response.end(JSON.stringify({ isReserved: true, id: "x", facts })));
    expect(await outcome(good)).toBe("call_allowed");
  });

  it.each<[string, RequestListener, string]>([
    ["no answer in time", () => {}, "no answer in"],
    ["an answer that never ends", (_, r) => void r.write("{"), "no answer in"],
    ["a connection that breaks", (_, r) => void r.destroy(), "cannot be asked"],
    [
      "another protocol",
      (_, { socket }) => void socket?.write("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
      "closed without an answer",
    ],
    ["an answer that breaks off", (_, r) => void r.write("{", () => r.destroy()), "cannot be asked"],
    ["no JSON", (_, r) => void r.end("<html>"), "no answer of a state"],
    ["a list", (_, r) => void r.end("[]"), "no answer of a state"],
    ["null", (_, r) => void r.end("null"), "no answer of a state"],
    ["a text", (_, r) => void r.end('"x"'), "no answer of a state"],
    ["another status", (_, r) => void r.writeHead(204).end(), "status 204"],
    ["a redirect", (_, r) => void r.writeHead(307, { location: "/" }).end("{}"), "status 307"],
    ["an endless answer", (_, r) => void r.end(JSON.stringify("x".repeat(2 << 20))), "too long"],
    ["an empty object", (_, r) => void r.end("{}"), "another form"],
    ["no id", (_, r) => void r.end(JSON.stringify({ isReserved: true, facts })), "another form"],
    ["nothing reserved", (_, r) => void r.end(JSON.stringify({ isReserved: false, facts })), "reserved nothing"],
    ["no facts", (_, r) => void r.end(JSON.stringify({ isReserved: true, id: "x" })), "another form"],
    [
      "facts of another limit",
      (_, r) => void r.end(JSON.stringify({ isReserved: true, id: "x", facts: { now: 5, history: {} } })),
      "another form",
    ],
    ["a member twice", (_, r) => void r.end('{"isReserved":false,"isReserved":true,"id":"x"}'), "no answer of a state"],
  ])("%s", async (_, listener, problem) => {
    expect(await outcome(await pretending(listener))).toContain(problem);
  });

  it("no one who listens", async () => {
    expect(await outcome({ host: "127.0.0.1", port: 9 })).toContain("ECONNREFUSED");
    expect(await outcome({ socketPath: join(folder, "none.sock") })).toContain("ENOENT");
  });
});
