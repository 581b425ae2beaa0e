/** Questions to the side that keeps a state: what it takes, what it answers, and every doubt. */
import { type ApprovalSource, callDigest, type HistoryStore, memoryHistory } from "@portcullis/runtime";
import { KeptState, type StateAnswer } from "../../../compiler/enforcement/state/kept-state.ts";
import { policyDigest } from "../../../compiler/enforcement/state/policy-digest.ts";
import { type Check, same } from "./check.ts";
import { key, policy } from "./state-policy.ts";

export function keptStateChecks(): readonly Check[] {
  return [
    { what: "uses", run: uses },
    { what: "ends", run: ends },
    { what: "nonces", run: nonces },
    { what: "questions", run: questions },
    { what: "approvals", run: approvals },
    { what: "policies", run: policies },
    { what: "many open calls", run: manyOpen },
  ];
}

type Json = Readonly<Record<string, unknown>>;
const PAY = { id: "PAY", key: key(1), within: 3600, maxCalls: 2, sum: { of: 1, atMost: 100 }, after: [], never: [] };
const AFTER = { id: "AFTER", key: key(2), after: ["review", "look"], never: [], remember: 60_000 };
const NEVER = { id: "NEVER", key: key(3), after: [], never: [], begins: "fetch" };
interface Answer {
  readonly status: StateAnswer["status"];
  readonly value: { readonly [name: string]: unknown };
}

function kept(history: HistoryStore | undefined = memoryHistory(), source?: ApprovalSource) {
  const state = new KeptState({ history, approvals: source });
  // As a client gets it.
  const text = async (action: string, body: string): Promise<Answer> =>
    JSON.parse(JSON.stringify(await state.answer(policy, action, body))) as Answer;
  const ask = (action: string, body: object): Promise<Answer> => text(action, JSON.stringify(body));
  const reserve = (body: object): Promise<Answer> => ask("reserve", { policy: policyDigest(policy), ...body });
  return { text, ask, reserve };
}

async function uses(): Promise<void> {
  const good: readonly object[] = [
    PAY,
    { ...PAY, sum: { of: 0, atMost: 100 } },
    { ...PAY, sum: { of: 2 ** 53 - 1, atMost: 100 } },
    // A call that is only remembered is held against no bound.
    { id: "PAY", key: key(1), within: 3600, after: [], never: [] },
    { id: "CALLS", key: key(6), maxCalls: 1, after: [], never: [] },
    { id: "SUM", key: key(7), sum: { of: 9, atMost: 9 }, after: [], never: [] },
    AFTER,
    { ...AFTER, after: [], never: [] },
    { ...AFTER, after: [], never: [], succeeds: "look" },
    NEVER,
    { id: "NEVER", key: key(3), after: [], never: ["fetch"] },
    { id: "BOTH", key: key(4), after: ["a"], never: ["b"] },
    { id: "BOTH", key: key(4), after: [], never: [], begins: "b", succeeds: "a" },
  ];
  for (const use of good) same(JSON.stringify(use), (await kept().reserve({ limits: [use] })).status, 200);
  same("all", (await kept().reserve({ limits: [PAY, AFTER, NEVER, { ...PAY, key: key(5) }] })).status, 200);
  const bad: readonly unknown[] = [
    ...[null, 7, "PAY", [PAY], {}],
    ...["UNKNOWN", "constructor", "__proto__", 7, ["PAY"], null].flatMap((id) => [
      { ...PAY, id },
      { id, key: key(1), after: [], never: [] },
    ]),
    ...[
      "",
      key(1).slice(1),
      `${key(1)}0`,
      `x${key(1)}`,
      `${key(1)}\n`,
      key(1).replace("1", "A"),
      [key(1)],
      7,
      null,
    ].map((k) => ({
      ...PAY,
      key: k,
    })),
    ...[3599, 3601, null, "3600"].map((within) => ({ ...PAY, within })),
    ...[1, 3, null].map((maxCalls) => ({ ...PAY, maxCalls })),
    ...[{ of: 1 }, { atMost: 100 }, 7, null, [], { of: 1, atMost: 101 }, { of: 1, atMost: 99 }].map((sum) => ({
      ...PAY,
      sum,
    })),
    ...[-1, 0.5, "1", null, 2 ** 53].map((of) => ({ ...PAY, sum: { of, atMost: 100 } })),
    { ...PAY, sum: { of: 1, atMost: 100, more: 1 } },
    { id: "PAY", key: key(1), within: 3600, after: [], never: [], maxCalls: 2 },
    { id: "PAY", key: key(1), within: 3600, after: [], never: [], sum: PAY.sum },
    { ...PAY, after: ["pay"] },
    { ...PAY, never: ["pay"] },
    { ...AFTER, never: ["review", "look"] },
    { ...AFTER, after: [], never: ["review", "look"] },
    { ...NEVER, after: ["fetch"] },
    ...[["b"], ["a", "b"]].map((after) => ({ id: "BOTH", key: key(4), after, never: ["b"] })),
    ...[["a"], [], null].map((never) => ({ id: "BOTH", key: key(4), after: ["a"], never })),
    ...[null, "review", {}, ["review"], ["look", "review"], ["review", "look", "look"], ["review", 7]].map((after) => ({
      ...AFTER,
      after,
    })),
    ...[null, "fetch", {}, ["mail"], ["fetch", "fetch"], [7]].map((never) => ({ ...NEVER, never })),
    // What counts reads the order, too.
    { id: "AFTER", key: key(2), after: [], never: [], remember: 60_000, maxCalls: 1 },
    { id: "AFTER", key: key(2), after: [], never: [], remember: 60_000, sum: { of: 1, atMost: 1 } },
    ...[59_999, 60_001, null].map((remember) => ({ ...AFTER, remember })),
    { ...NEVER, sum: { of: 1, more: 1 } },
    { ...PAY, remember: 1 },
    { ...AFTER, within: 1 },
    ...["pay", "constructor", 7, ["fetch"], null].flatMap((tool) => [
      { ...NEVER, begins: tool },
      { ...AFTER, succeeds: tool },
    ]),
    { ...NEVER, succeeds: "fetch" },
    { ...AFTER, begins: "review" },
    { ...PAY, more: 1 },
  ];
  for (const use of bad) same(JSON.stringify(use), (await kept().reserve({ limits: [use] })).status, 400);
  for (const limits of [undefined, null, {}, "PAY", { 0: PAY, length: 1 }])
    same(JSON.stringify(limits), (await kept().reserve({ limits })).status, 400);
  same("one key twice", (await kept().reserve({ limits: [PAY, { ...NEVER, key: PAY.key }] })).status, 400);
  same("one of two", (await kept().reserve({ limits: [PAY, { ...NEVER, id: "NONE" }] })).status, 400);
  const many = (n: number): object[] => Array.from({ length: n }, (_, i) => ({ ...PAY, key: key(i) }));
  same("as many as limits", (await kept().reserve({ limits: many(6) })).status, 200);
  same("one more", (await kept().reserve({ limits: many(7) })).status, 400);
  const without = new KeptState({ history: memoryHistory() });
  const body = (limits: object[]): string => JSON.stringify({ policy: policyDigest({}), limits });
  same("no limits", (await without.answer({}, "reserve", body([]))).status, 200);
  same("none of no limits", (await without.answer({}, "reserve", body([PAY]))).status, 400);
}

async function ends(): Promise<void> {
  const { ask, reserve } = kept();
  const calls = async (): Promise<unknown> => {
    const { value } = await reserve({ limits: [PAY] });
    if (value["isReserved"] === true) await ask("release", { id: value["id"] });
    return (value["facts"] as { history: { PAY: { calls: number } } }).history.PAY.calls;
  };
  const first = await reserve({ limits: [PAY] });
  const id = first.value["id"] as string;
  same("an id", /^[0-9a-f]{32}$/.test(id), true);
  same("reserved", [first.status, first.value["isReserved"], await calls()], [200, true, 1]);
  same("no id", (await ask("release", { id: 7 })).status, 404);
  same("released", await ask("release", { id }), { status: 200, value: {} });
  same(
    "once",
    [(await ask("release", { id })).status, (await ask("commit", { id })).status, await calls()],
    [404, 404, 0],
  );
  const second = await reserve({ limits: [PAY] });
  const third = await reserve({ limits: [PAY] });
  const denied = await reserve({ limits: [PAY] });
  same("full", [denied.status, denied.value["isReserved"], "id" in denied.value], [200, false, false]);
  same("another id", new Set([id, second.value["id"], third.value["id"]]).size, 3);
  same("committed", (await ask("commit", { id: second.value["id"] })).status, 200);
  same("used up", await calls(), 2);
  const review = await reserve({ limits: [{ ...AFTER, after: [], never: [], succeeds: "review" }] });
  const told = async (): Promise<unknown> =>
    ((await reserve({ limits: [AFTER] })).value["facts"] as { history: { AFTER: { last_ms: object } } }).history.AFTER
      .last_ms;
  same("no success yet", await told(), {});
  await ask("commit", { id: review.value["id"] });
  same("a success", Object.keys((await told()) as object), ["review"]);
}

/** Until when an approval may be remembered is said to the millisecond. */
async function nonces(): Promise<void> {
  const real = Date.now;
  const now = real();
  Date.now = () => now;
  try {
    const nonce = { digest: key(1), call: key(2), keepUntil: now + 25 * 3_600_000 };
    for (const one of [
      nonce,
      { ...nonce, keepUntil: 0 },
      { ...nonce, isRefusal: true },
      { ...nonce, isRefusal: false },
    ])
      same(JSON.stringify(one), (await kept().reserve({ limits: [], nonce: one })).status, 200);
    for (const one of [
      ...[null, 7, [], "x", {}],
      ...["", key(1).slice(1), 7].flatMap((text) => [
        { ...nonce, digest: text },
        { ...nonce, call: text },
      ]),
      ...[now + 25 * 3_600_000 + 1, -1, 0.5, "1", null, undefined].map((keepUntil) => ({ ...nonce, keepUntil })),
      ...["no", 1, null].map((isRefusal) => ({ ...nonce, isRefusal })),
      { ...nonce, more: 1 },
    ])
      same(JSON.stringify(one), (await kept().reserve({ limits: [], nonce: one })).status, 400);
    const { reserve, ask } = kept();
    const first = await reserve({ limits: [], nonce });
    const used = await reserve({ limits: [], nonce });
    same("used", [first.value["isReserved"], used.value["isReserved"]], [true, false]);
    await ask("release", { id: first.value["id"] });
    same("given back", (await reserve({ limits: [], nonce })).value["isReserved"], true);
    same(
      "refused",
      (await reserve({ limits: [], nonce: { ...nonce, digest: key(3), isRefusal: true } })).value["facts"],
      {
        ...{ now, history: {}, approvalUsed: false, approvalRefused: true },
      },
    );
  } finally {
    Date.now = real;
  }
}

async function questions(): Promise<void> {
  const { text, ask } = kept();
  for (const body of ["", "{", '{"a":1,"a":2}', "[]", "null", '"x"', "7"])
    same(body, (await text("reserve", body)).status, 400);
  same("no policy", (await ask("reserve", { limits: [] })).status, 409);
  same("another", (await ask("reserve", { policy: policyDigest({}), limits: [] })).status, 409);
  same("no such thing", (await ask("clear", {})).status, 404);
  same("no approvals", (await ask("approvals", { call_sha256: key(1) })).status, 404);
  same("no one to ask", (await ask("ask", { call_sha256: key(1), call: {} })).status, 404);
  const without = new KeptState({});
  same("no history", (await without.answer(policy, "reserve", "{}")).status, 404);
  const failing = (error: unknown) => kept({ reserve: () => Promise.reject(error) }).reserve({ limits: [] });
  same("a full disk", await failing(new Error("the disk is full")), {
    ...{ status: 503, value: { message: "the disk is full" } },
  });
  same("no error", await failing("x"), { status: 503, value: { message: "the store does not answer" } });
}

async function approvals(): Promise<void> {
  const waiting: unknown[] = [];
  const source: ApprovalSource = {
    find: (digest) => (digest === key(1) ? [{ by: "m.ortiz" }] : []),
    ask: (...call) => void waiting.push(call),
  };
  const { ask } = kept(undefined, source);
  same("found", await ask("approvals", { call_sha256: key(1) }), {
    ...{ status: 200, value: { approvals: [{ by: "m.ortiz" }] } },
  });
  for (const digest of [key(1).slice(1), "../x", [key(1)], 7, undefined])
    same(`found by ${digest}`, (await ask("approvals", { call_sha256: digest })).status, 400);
  const call = { tool: "pay", args: { cents: 7 }, facts: { paths: { file: "/a" } } };
  const digest = callDigest(call, call.facts.paths);
  const bare = { tool: "pay" };
  const status = async (body: Json): Promise<number> => (await ask("ask", body)).status;
  same("asked", await ask("ask", { call_sha256: digest, call }), { status: 200, value: {} });
  same("without paths", await status({ call_sha256: callDigest(bare), call: bare }), 200);
  same("with odd facts", await status({ call_sha256: callDigest(bare), call: { ...bare, facts: 7 } }), 200);
  same("kept", waiting.slice(0, 2), [
    [digest, call],
    [callDigest(bare), bare],
  ]);
  for (const body of [
    { call_sha256: key(1), call },
    { call_sha256: 7, call },
    { call_sha256: digest, call: { ...call, args: { cents: 8 } } },
    { call_sha256: digest, call: { ...call, facts: {} } },
    { call_sha256: digest, call: [call] },
    { call_sha256: digest },
  ])
    same(JSON.stringify(body), await status(body), 400);
  same("another action", (await ask("other", { call_sha256: digest, call })).status, 404);
  same("no more", waiting.length, 3);
  const mute = kept(undefined, { find: () => [] });
  same("one who does not ask", (await mute.ask("ask", { call_sha256: digest, call })).status, 404);
}

function policies(): void {
  const digests = [
    policy,
    { ...policy, historyName: "bureau" },
    { ...policy, limits: { PAY: { max_calls: 3 } } },
    { ...policy, approvals: { revision: "r", approvers: {}, tools: [] } },
    { ...policy, approvals: { revision: "s", approvers: {}, tools: [] } },
    {},
  ].map((one) => policyDigest(one));
  same("digests", [new Set(digests).size, digests.every((one) => /^[0-9a-f]{64}$/.test(one))], [6, true]);
  same("alike", policyDigest({ ...policy, pathArguments: {} }), digests[0]);
}

async function manyOpen(): Promise<void> {
  const { ask, reserve } = kept();
  const ids: unknown[] = [];
  for (let n = 0; n < 10_001; n++) ids.push((await reserve({ limits: [] })).value["id"]);
  const statuses: number[] = [];
  for (const id of [ids[0], ids[1], ids.at(-1)]) statuses.push((await ask("release", { id })).status);
  same("the oldest is forgotten", statuses, [404, 200, 200]);
}
