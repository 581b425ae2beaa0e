/** The way of messages between two ends: requests, answers, notifications, and what becomes of them where something fails. */

import type { HistoryStore, Reservation } from "@portcullis/runtime";
import { OuterMembers } from "../../../compiler/enforcement/gateway/outer-members.ts";
import { type Check, same } from "./check.ts";
import { offerRelayChecks } from "./relayed-offers.ts";
import { toolRelayChecks } from "./relayed-tools.ts";
import { answer, CANCELLED, call, error, fault, type Message, ping, type Said, STRAY, Talk, to } from "./talk.ts";

export function relayChecks(): readonly Check[] {
  return [
    { what: "requests and answers", run: answers },
    { what: "notifications", run: notifications },
    { what: "requests of the server", run: questions },
    { what: "too many requests", run: tooMany },
    ...toolRelayChecks(),
    ...offerRelayChecks(),
    { what: "messages that are too long", run: tooLong },
    { what: "the end of a relay", run: ends },
    { what: "a line that is not a message", run: errors },
    { what: "what cannot be sent", run: unsendable },
    { what: "late answers", run: late },
    { what: "rest", run: settled },
    { what: "calls that wait for what came before", run: waiting },
    { what: "successes of calls", run: succeeded },
    { what: "ids that may still be answered", run: reused },
    { what: "too many that may still be answered", run: exhausted },
  ];
}

async function answers(): Promise<void> {
  const talk = new Talk();
  same("the server first", talk.started, ["server", "client"]);
  for (const id of [1, "1", 0]) {
    same("a request", await talk.hear("client", ping(id)), [to("server", ping(id))]);
    same("its answer", await talk.hear("server", answer(id)), [to("client", answer(id))]);
    same("its second answer", await talk.hear("server", answer(id)), [STRAY]);
  }
  const wrong = { id: 2, error: { code: 7, message: "m" } };
  same("an error", await talk.hear("client", ping(2)).then(() => talk.hear("server", wrong)), [to("client", wrong)]);
  same("an answer to nothing", await talk.hear("server", answer(9), { error: { code: 7, message: "m" } }), [
    STRAY,
    STRAY,
  ]);
  const nothing = fault("client: an answer to nothing that the server asked");
  same("an answer to no question", await talk.hear("client", answer(1), { error: { code: 1, message: "" } }), [
    nothing,
    nothing,
  ]);
}

async function notifications(): Promise<void> {
  const talk = new Talk();
  const note = { method: "notifications/x", params: { a: 1 } };
  same("to the server", await talk.hear("client", note), [to("server", note)]);
  same("to the client", await talk.hear("server", note, { method: "tools/call" }), [
    to("client", note),
    to("client", { method: "tools/call" }),
  ]);
  const dropped = fault("client: a call of a tool that wants no answer was dropped");
  for (const method of ["tools/call", "tools/list", "TOOLS/x", "tools\u200b/call", ""])
    same(method, await talk.hear("client", { method, params: { name: "yes" } }), [dropped]);
  await talk.hear("client", ping(1), ping(2));
  const cancelled = { method: CANCELLED, params: { requestId: 1 } };
  same("cancelled", await talk.hear("client", cancelled), [to("server", cancelled)]);
  same("an answer to it", await talk.hear("server", answer(1)), [STRAY]);
  const other = { method: "notifications/other", params: { requestId: 2 } };
  same("not cancelled", await talk.hear("client", other, { method: CANCELLED }), [
    to("server", other),
    to("server", { method: CANCELLED }),
  ]);
  same("an answer still", await talk.hear("server", answer(2)), [to("client", answer(2))]);
  // Three at once: the denial of the first comes when its id stands for the second call.
  const taken = { method: CANCELLED, params: { requestId: 3 } };
  same("a denied call that was taken back", await talk.hear("client", call(3, "no"), taken, call(3, "yes")), [
    to("server", taken),
    to("server", call(3, "yes")),
  ]);
  same("the answer to its id", await talk.hear("server", answer(3)), [to("client", answer(3))]);
}

async function questions(): Promise<void> {
  const refused = fault("server: a request of an id that is open, or one too many");
  const busy = (id: number): Said =>
    to("server", { id, error: { code: -32_600, message: "this id is open, or too many requests are" } });
  const talk = new Talk({ limits: { openRequests: 2 } });
  same("a question", await talk.hear("server", ping(1)), [to("client", ping(1))]);
  same("its id again", await talk.hear("server", ping(1)), [refused, busy(1)]);
  same("as many as there may be", await talk.hear("server", ping(2)), [to("client", ping(2))]);
  same("one too many", await talk.hear("server", ping(3)), [refused, busy(3)]);
  same("its answer", await talk.hear("client", answer(1)), [to("server", answer(1))]);
  same("its second answer", await talk.hear("client", answer(1)), [
    fault("client: an answer to nothing that the server asked"),
  ]);
  same("room again", await talk.hear("server", ping(3)), [to("client", ping(3))]);
  const full = new Talk({ isFull: true });
  await full.hear("server", ping(1));
  same("a server that does not read", await full.hear("server", ping(1)), [refused]);
}

async function tooMany(): Promise<void> {
  const talk = new Talk({ limits: { openRequests: 2 } });
  same("two", await talk.hear("client", ping(1), call(2, "yes")), [
    to("server", ping(1)),
    to("server", call(2, "yes")),
  ]);
  same("three", await talk.hear("client", ping(3)), [error(3, -32_600, "too many requests are open")]);
  same("an open id", await talk.hear("client", call(2, "yes")), [error(2, -32_600, "a request of this id is open")]);
  await talk.hear("server", answer(1));
  same("room again", await talk.hear("client", ping(3)), [to("server", ping(3))]);
}

async function tooLong(): Promise<void> {
  const talk = new Talk({ limits: { messageBytes: 9, messageValues: 5 } });
  const outer = (text: string): OuterMembers => {
    const members = new OuterMembers();
    members.feed(Buffer.from(text));
    return members;
  };
  const told = async (side: "client" | "server", text: string): Promise<readonly Said[]> => {
    talk.relay.tooLong(side, outer(text));
    return talk.rest();
  };
  const dropped = (side: string): Said =>
    fault(`${side}: a message over 9 bytes${side === "client" ? " or 5 values" : ""} was dropped`);
  await talk.hear("client", ping(1), ping(2));
  same("an answer", await told("server", '{"result":{"id":2,"method":"x"},"jsonrpc":"2.0","id":1}'), [
    dropped("server"),
    error(1, -32_603, "the server's answer is longer than 9 bytes"),
  ]);
  same("its answer after all", await talk.hear("server", answer(1)), [STRAY]);
  same("a question", await told("server", '{"id":2,"method":"x","params":[1]}'), [dropped("server")]);
  same("an answer to nothing", await told("server", '{"id":7,"result":{}}'), [dropped("server")]);
  same("a request", await told("client", '{"method":"x","id":"a\\"b","params":{"id":3}}'), [
    dropped("client"),
    error('a"b', -32_600, "the request is longer than 9 bytes or 5 values"),
  ]);
  same("an answer of the client", await told("client", '{"result":{},"id":2}'), [dropped("client")]);
  same("a notification", await told("client", '{"method":"x","params":{"id":3}}'), [dropped("client")]);
  talk.relay.end("over");
  await talk.rest();
  same("after the end", await told("client", '{"method":"x","id":9}'), [dropped("client")]);
}

async function ends(): Promise<void> {
  const talk = new Talk();
  await talk.hear("client", ping(1), ping(2));
  talk.relay.end("over");
  const closed = [1, 2].map((id) => error(id, -32_000, "over"));
  same("open requests", await talk.rest(), closed);
  talk.relay.end("again");
  same("the client", await talk.hear("client", ping(3), { method: "x" }, answer(1)), []);
  same("the server", await talk.hear("server", answer(1), ping(1), { method: "x" }), []);
  same("an error of the client", await talk.error("client"), [fault("client: not a message: odd")]);
}

async function errors(): Promise<void> {
  const talk = new Talk();
  const parse = { error: { code: -32_700, message: "not a message of the protocol" } };
  same("the client's", await talk.error("client"), [fault("client: not a message: odd"), to("client", parse)]);
  same("the server's", await talk.error("server"), [fault("server: not a message: odd")]);
}

async function unsendable(): Promise<void> {
  const NOT_PASSED = "the message could not be passed on";
  const deep = new Talk({ fails: (_, message) => "deep" in message });
  const [client, server] = [fault("client: too deep"), fault("server: too deep")];
  same("a request", await deep.hear("client", { ...ping(1), deep: 1 }), [server, error(1, -32_603, NOT_PASSED)]);
  same("is not open", await deep.hear("server", answer(1)), [STRAY]);
  same("a notification", await deep.hear("client", { method: "x", deep: 1 }), [server]);
  same("a notification with an id in it", await deep.hear("server", { method: "x", deep: 1 }), [client]);
  await deep.hear("client", ping(2));
  same("a result", await deep.hear("server", { ...answer(2), deep: 1 }), [client, error(2, -32_603, NOT_PASSED)]);
  await deep.hear("client", ping(2));
  same("an error", await deep.hear("server", { id: 2, error: { code: 1, message: "" }, deep: 1 }), [client]);
  await deep.hear("server", ping(3));
  same("an answer for the server", await deep.hear("client", { ...answer(3), deep: 1 }), [server]);
  const unheard = to("server", { id: 4, error: { code: -32_603, message: NOT_PASSED } });
  same("a question of the server", await deep.hear("server", { ...ping(4), deep: 1 }), [client, unheard]);
  const stray = fault("client: an answer to nothing that the server asked");
  same("is not open either", await deep.hear("client", answer(4)), [stray]);
  const full = new Talk({ isFull: true, fails: (_, message) => "deep" in message });
  same("a question of a server that does not read", await full.hear("server", { ...ping(4), deep: 1 }), [client]);
  for (const side of ["server", "client"] as const) await deep.hear(side, ping(5));
  const both = await deep.hear("server", { ...answer(5), deep: 1 });
  same("a result of an id by which the server asks, too", both, [client, error(5, -32_603, NOT_PASSED)]);
  same("whose answer goes on", await deep.hear("client", answer(5)), [to("server", answer(5))]);
  const gone = new Talk({ fails: (side) => side === "client" });
  await gone.hear("client", ping(1));
  same("a client that takes nothing", await gone.hear("server", answer(1)), [client, client]);
}

async function late(): Promise<void> {
  const talk = new Talk({ limits: { answerMs: 20 } });
  await talk.hear("client", { id: 1, method: "initialize" }, { id: 2, method: "x" }, ping(3));
  await talk.hear("server", answer(3));
  const reason = "time limit of the gateway";
  same("no answer", await talk.rest(60), [
    fault('server: no answer to "initialize" in 20 ms'),
    error(1, -32_001, "the server did not answer in time"),
    fault('server: no answer to "x" in 20 ms'),
    error(2, -32_001, "the server did not answer in time"),
    to("server", { method: CANCELLED, params: { requestId: 2, reason } }),
  ]);
  same("an answer after all", await talk.hear("server", answer(2)), [STRAY]);
}

async function settled(): Promise<void> {
  const talk = new Talk();
  let rest = 0;
  const wait = (): void => void talk.relay.settled().then(() => rest++);
  wait();
  await talk.rest();
  same("nothing is open", rest, 1);
  await talk.hear("client", ping(1), ping(2));
  wait();
  await talk.hear("server", answer(1));
  same("something is open", rest, 1);
  await talk.hear("server", answer(2));
  same("nothing is open any more", rest, 2);
  await talk.hear("client", ping(3));
  wait();
  // Asked again before anybody was told.
  await Promise.all([talk.hear("server", answer(3)), talk.hear("client", ping(4))]);
  same("something is open again", rest, 2);
  await talk.hear("server", answer(4));
  same("nothing is open at last", rest, 3);
  await talk.hear("client", ping(1));
  wait();
  talk.relay.end("over");
  await talk.rest();
  same("the end is a rest", rest, 4);
  let recorded: () => void = () => {};
  const history = {
    async reserve() {
      const facts = { now: 1, history: { L: { calls: 0, sum: 0, last_ms: {} } } };
      const commit = (): Promise<void> => new Promise((resolve) => void (recorded = resolve));
      return { facts, isReserved: true, commit, release: () => {} };
    },
  };
  const slow = new Talk({ history: history as never });
  await slow.hear("client", call(1, "yes"));
  same("not passed on before it is recorded", await slow.hear("server", answer(1)), []);
  let isSettled = false;
  void slow.relay.settled().then(() => {
    isSettled = true;
  });
  await slow.rest();
  same("an answer is on its way", isSettled, false);
  recorded();
  same("is passed on", [await slow.rest(), isSettled], [[to("client", answer(1))], true]);
}

const TAKEN = error(1, -32_600, "a request of this id is open");

/** A server may answer what the client has taken back: an id is free with that answer. */
async function reused(): Promise<void> {
  const talk = new Talk();
  await talk.hear("client", ping(1), { method: CANCELLED, params: { requestId: 1 } });
  same("taken", await talk.hear("client", ping(1)), [TAKEN]);
  same("its answer", await talk.hear("server", answer(1)), [STRAY]);
  same("free", await talk.hear("client", ping(1)), [to("server", ping(1))]);
}

async function exhausted(): Promise<void> {
  const [a, b] = ["a", "b"].map((letter) => letter.repeat(150_000));
  const leave = (id: unknown): Message => ({ method: CANCELLED, params: { requestId: id } });
  const talk = new Talk();
  let isExhausted = false;
  void talk.relay.exhausted.then(() => {
    isExhausted = true;
  });
  await talk.hear("client", ping(a), ping(b), ping(1));
  same("one", await talk.hear("client", leave(a)), [to("server", leave(a))]);
  const why = "too many requests were left without an answer";
  const said = [to("server", leave(b)), fault(`client: ${why}, and the session ends`), error(1, -32_000, why)];
  same("one too many", [await talk.hear("client", leave(b)), isExhausted], [said, true]);
  const ended = new Talk();
  await ended.hear("client", ping(a), ping(b));
  ended.relay.end("over");
  same("at the end", await ended.rest(), [error(a, -32_000, "over"), error(b, -32_000, "over")]);
}

/** A store that waits until it is told, and notes which calls succeeded. */
class SlowStore implements HistoryStore {
  readonly committed: number[] = [];
  private readonly asked: (() => void)[] = [];
  private count = 0;

  async reserve(): Promise<Reservation> {
    const number = ++this.count;
    await new Promise<void>((resolve) => this.asked.push(resolve));
    const facts = { now: 1, history: { L: { calls: 0, sum: 0, last_ms: {} } } };
    return { facts, isReserved: true, commit: () => void this.committed.push(number), release: () => {} };
  }

  tell(): void {
    for (const one of this.asked.splice(0)) one();
  }
}

async function waiting(): Promise<void> {
  const history = new SlowStore();
  const talk = new Talk({ history });
  const told = async (): Promise<readonly Said[]> => {
    history.tell();
    return talk.rest();
  };
  const cancelled = { method: CANCELLED, params: { requestId: 1 } };
  same("waits", await talk.hear("client", call(1, "yes")), []);
  same("an answer to what was not sent", await talk.hear("server", answer(1)), [STRAY]);
  same("does not free its id", await talk.hear("client", call(1, "yes")), [TAKEN]);
  same("sent", await told(), [to("server", call(1, "yes"))]);
  same("its answer", await talk.hear("server", answer(1)), [to("client", answer(1))]);
  const denied = error(2, -32_600, 'The policy denies "no": FLAGS, r; flags ["f"]');
  const guessed = [talk.hear("client", call(2, "no", { task: {} })), talk.hear("server", answer(2))];
  same("the server answers in place of the policy", (await Promise.all(guessed)).flat(), [STRAY, denied]);
  await talk.hear("client", call(1, "yes"));
  same("taken back", await talk.hear("client", cancelled), [to("server", cancelled)]);
  same("nothing is sent for what was taken back", await told(), []);
  await talk.hear("client", call(1, "yes"), cancelled, call(1, "yes"));
  same("the second of an id is sent", await told(), [to("server", call(1, "yes"))]);
  same("and answered", await talk.hear("server", answer(1)), [to("client", answer(1))]);
  await talk.hear("client", call(2, "yes"));
  talk.relay.end("over");
  same("the end", await talk.rest(), [error(2, -32_000, "over")]);
  same("nothing is sent after it", await told(), []);
  same("what succeeded", history.committed, [1, 4]);
}

/** A call that was answered well has succeeded; one that was taken back, or came to nothing, has not. */
async function succeeded(): Promise<void> {
  const history = new SlowStore();
  const talk = new Talk({ history, limits: { answerMs: 20 } });
  const sent = async (id: number): Promise<readonly Said[]> => {
    await talk.hear("client", call(id, "yes"));
    history.tell();
    return talk.rest();
  };
  same("sent", await sent(1), [to("server", call(1, "yes"))]);
  await talk.hear("client", { method: CANCELLED, params: { requestId: 1 } });
  await sent(2);
  await talk.rest(60);
  await sent(3);
  await talk.hear("server", { id: 3, error: { code: 1, message: "m" } });
  await sent(4);
  await talk.hear("server", { id: 4, result: { isError: true } });
  await sent(5);
  await talk.hear("server", answer(5));
  same("what succeeded", history.committed, [5]);
}
