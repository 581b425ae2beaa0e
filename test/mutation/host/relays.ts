/** The way of messages, between two ends that only write down what they are sent. The policy is a function. */

import type { Channel } from "../../../compiler/enforcement/gateway/channel.ts";
import { LIMITS, type Limits, Verdicts } from "../../../compiler/enforcement/gateway/index.ts";
import type { Message as Wire } from "../../../compiler/enforcement/gateway/messages.ts";
import { Offers } from "../../../compiler/enforcement/gateway/offers.ts";
import { OuterMembers } from "../../../compiler/enforcement/gateway/outer-members.ts";
import { Relay } from "../../../compiler/enforcement/gateway/relay.ts";
import { isSuccess, Rulings } from "../../../compiler/enforcement/gateway/rulings.ts";
import { type Check, same } from "./check.ts";
import { ALLOW, CALLER, deciding, denied, TOOLS } from "./verdicts.ts";

/** What came out, in its order: a message to a side, or a fault. */
type Said = readonly ["client" | "server" | "fault", unknown];
type Message = Readonly<Record<string, unknown>>;

class End implements Channel {
  onMessage: (message: Wire) => void = () => {};
  onError: (problem: string) => void = () => {};
  private readonly side: "client" | "server";
  private readonly talk: Talk;

  constructor(side: "client" | "server", talk: Talk) {
    this.side = side;
    this.talk = talk;
  }
  start(onMessage: (message: Wire) => void, onError: (problem: string) => void): void {
    this.talk.started.push(this.side);
    this.onMessage = onMessage;
    this.onError = onError;
  }
  send(message: Wire): void {
    if (this.talk.fails(this.side, message as unknown as Message)) throw new Error("too deep");
    this.talk.said.push([this.side, message]);
  }
}

interface Odd {
  readonly limits?: Partial<Limits>;
  readonly isFull?: boolean;
  readonly fails?: (side: string, message: Message) => boolean;
  readonly record?: () => void;
}

/** A policy that offers what is called `open`. */
const offering = (policy: object): object => ({
  ...policy,
  entrypoints: ["portcullis/offer/mcp"],
  evaluate: (_: string, { name }: { readonly name: unknown }) =>
    name === "open" ? { ...ALLOW, reason: "offered" } : denied("OFFER"),
});

class Talk {
  readonly said: Said[] = [];
  readonly started: string[] = [];
  readonly fails: (side: string, message: Message) => boolean;
  readonly policy = deciding({
    1: ALLOW,
    yes: ALLOW,
    id: ALLOW,
    scoped: denied("SCOPE"),
    no: denied("FLAGS", { flags: ["f"] }),
  });
  readonly relay: Relay;
  private readonly client = new End("client", this);
  private readonly server = new End("server", this);

  constructor({ limits, isFull = false, fails = () => false, record = () => {} }: Odd = {}) {
    this.fails = fails;
    const verdicts = new Verdicts(this.policy, CALLER, TOOLS, record);
    const fault = (line: string): void => void this.said.push(["fault", line]);
    const rulings = new Rulings(verdicts, new Offers(offering(this.policy), CALLER, record), fault);
    const ends = { client: this.client, server: this.server, serverIsFull: () => isFull };
    this.relay = new Relay(ends, rulings, { limits: { ...LIMITS, ...limits }, fault });
    this.relay.start();
  }

  /** From a side; gives what came out. */
  async hear(side: "client" | "server", ...messages: readonly Message[]): Promise<readonly Said[]> {
    for (const message of messages) this[side].onMessage({ jsonrpc: "2.0", ...message } as Wire);
    return this.rest();
  }

  async error(side: "client" | "server"): Promise<readonly Said[]> {
    this[side].onError("odd");
    return this.rest();
  }

  async rest(milliseconds = 0): Promise<readonly Said[]> {
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
    return this.said.splice(0);
  }
}

const to = (side: "client" | "server", message: Message): Said => [side, { jsonrpc: "2.0", ...message }];
const fault = (line: string): Said => ["fault", line];
const error = (id: unknown, code: number, message: string): Said => to("client", { id, error: { code, message } });
const ping = (id: unknown): Message => ({ id, method: "ping" });
const answer = (id: unknown): Message => ({ id, result: {} });
const call = (id: unknown, name: unknown, more: object = {}): Message => ({
  id,
  method: "tools/call",
  params: { name, ...more },
});
const CANCELLED = "notifications/cancelled";
const STRAY = fault("server: an answer to nothing that is open was dropped");

export function relayChecks(): readonly Check[] {
  return [
    { what: "requests and answers", run: answers },
    { what: "notifications", run: notifications },
    { what: "requests of the server", run: questions },
    { what: "too many requests", run: tooMany },
    { what: "methods of tools", run: methods },
    { what: "calls of tools", run: calls },
    { what: "lists of tools", run: lists },
    { what: "resources and prompts", run: offers },
    { what: "subscriptions", run: subscriptions },
    { what: "successes", run: successes },
    { what: "messages that are too long", run: tooLong },
    { what: "the end of a relay", run: ends },
    { what: "a line that is not a message", run: errors },
    { what: "what cannot be sent", run: unsendable },
    { what: "late answers", run: late },
    { what: "rest", run: settled },
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

async function methods(): Promise<void> {
  const talk = new Talk();
  for (const method of [
    "tools/call_all",
    "tools/",
    "TOOLS/CALL",
    "Tools/list",
    "tools/call ",
    "t\u00f6ols/call",
    "",
    "a b",
    "tools/list\n",
  ])
    same(method, await talk.hear("client", { id: 1, method, params: { name: "yes" } }), [
      error(1, -32_601, `the gateway knows no method ${JSON.stringify(method)}`),
    ]);
  for (const method of ["tools", "toolsx/call", "x/tools/call", "resources/list", "prompts/list"])
    same(method, await talk.hear("client", { id: method, method }), [to("server", { id: method, method })]);
}

async function calls(): Promise<void> {
  const talk = new Talk();
  const whole = call(1, "yes", { arguments: { a: [1] }, task: { ttl: 1 }, _meta: { m: 1 }, other: 1 });
  same("allowed", await talk.hear("client", whole), [to("server", whole)]);
  same("its answer", await talk.hear("server", answer(1)), [to("client", answer(1))]);
  same("without arguments", await talk.hear("client", call(2, "yes")), [to("server", call(2, "yes"))]);
  same(
    "decided as",
    talk.policy.asked.map(({ tool, args }) => [tool, args]),
    [
      ["yes", { a: [1] }],
      ["yes", undefined],
    ],
  );
  const decision = denied("FLAGS", { flags: ["f"] });
  const text = 'The policy denies "no": FLAGS, r; flags ["f"]';
  const result = {
    resultType: "complete",
    content: [{ type: "text", text }],
    isError: true,
    _meta: { "portcullis/decision": decision },
  };
  same("denied", await talk.hear("client", call(3, "no", { arguments: {} })), [to("client", { id: 3, result })]);
  same("denied as a task", await talk.hear("client", call(3, "no", { task: {} })), [error(3, -32_600, text)]);
  same("not open", await talk.hear("server", answer(3)), [STRAY]);
  const nameless = error(4, -32_602, "`name` is the name of a tool");
  const tools = { id: 4, method: "tools/call" };
  for (const params of [undefined, {}, { name: 1 }, { name: ["yes"] }, { Name: "yes" }])
    same(JSON.stringify(params), await talk.hear("client", params === undefined ? tools : { ...tools, params }), [
      nameless,
    ]);
  for (const twin of ["Name", "ARGUMENTS", "ta\u017fk", "_META"])
    same(twin, await talk.hear("client", call(4, "yes", { [twin]: "no" })), [
      error(4, -32_602, `${JSON.stringify(twin)} could be read as another name`),
    ]);
  const args = { a: "decided" };
  const late = new Talk({
    record: () => {
      args.a = "changed since";
    },
  });
  const decided = call(5, "yes", { arguments: { a: "decided" } });
  same("what was decided", await late.hear("client", call(5, "yes", { arguments: args })), [to("server", decided)]);
  const full = new Talk({
    record: () => {
      throw new Error("full");
    },
  });
  const unrecorded = [
    fault("a request was not forwarded: full"),
    error(5, -32_603, "the request could not be decided and recorded"),
  ];
  same("not recorded", await full.hear("client", call(5, "yes")), unrecorded);
  same("denied, not recorded", (await full.hear("client", call(5, "no"))).length, 1);
}

async function lists(): Promise<void> {
  const talk = new Talk();
  const list = { id: 1, method: "tools/list", params: { cursor: "c" } };
  const tools = [
    { name: "no" },
    { name: "yes", a: 1 },
    { name: "mapped" },
    { name: "scoped" },
    { name: "id2" },
    { name: 1 },
    {},
    null,
    "yes",
    ["yes"],
  ];
  const seen = [{ name: "no" }, { name: "yes", a: 1 }, { name: "mapped" }, { name: "scoped" }];
  const listed = (id: number, of: unknown): Message => ({ id, result: { tools: of, nextCursor: "d" } });
  same("asked", await talk.hear("client", list), [to("server", list)]);
  same("listed", await talk.hear("server", listed(1, tools)), [to("client", listed(1, seen))]);
  for (const odd of [{}, { tools: {} }, { tools: "yes" }, { tools: null }]) {
    await talk.hear("client", list);
    same("no list", await talk.hear("server", { id: 1, result: odd }), [
      error(1, -32_603, "the server's list of tools is not a list"),
    ]);
  }
  await talk.hear("client", list);
  const wrong = { id: 1, error: { code: 1, message: "m", data: { tools } } };
  same("an error for a list", await talk.hear("server", wrong), [to("client", wrong)]);
  await talk.hear("client", ping(2));
  same("a list for another answer", await talk.hear("server", listed(2, tools)), [to("client", listed(2, seen))]);
  await talk.hear("client", ping(3));
  const other = { id: 3, result: { tools: "x" } };
  same("no list for another answer", await talk.hear("server", other), [to("client", other)]);
}

async function offers(): Promise<void> {
  const talk = new Talk();
  const reads: readonly (readonly [method: string, member: string])[] = [
    ["resources/read", "uri"],
    ["resources/subscribe", "uri"],
    ["resources/unsubscribe", "uri"],
    ["prompts/get", "name"],
  ];
  for (const [method, member] of reads) {
    const open = { id: method, method, params: { [member]: "open" } };
    same(method, await talk.hear("client", open), [to("server", open)]);
    await talk.hear("server", answer(method));
    const shut = { id: 1, method, params: { [member]: "shut" } };
    same("not offered", await talk.hear("client", shut), [error(1, -32_602, 'The policy denies "shut": OFFER, r')]);
    same("no name", await talk.hear("client", { id: 1, method, params: { [member]: 7 } }), [
      error(1, -32_602, `\`${member}\` is no text`),
    ]);
    same("nothing named", await talk.hear("client", { id: method, method }), [to("server", { id: method, method })]);
    await talk.hear("server", answer(method));
    const twin = { ...open, params: { [member]: "open", [member.toUpperCase()]: "shut" } };
    same("a second name", await talk.hear("client", twin), [
      error(method, -32_602, `"${member.toUpperCase()}" could be read as another name`),
    ]);
  }
  for (const [method, list, member] of [
    ["resources/list", "resources", "uri"],
    ["resources/templates/list", "resourceTemplates", "uriTemplate"],
    ["prompts/list", "prompts", "name"],
  ] as const) {
    const items = [{ [member]: "shut" }, { [member]: "open", a: 1 }, {}, { [member]: 1 }, null];
    await talk.hear("client", { id: 1, method });
    same(list, await talk.hear("server", { id: 1, result: { [list]: items, cacheScope: "public" } }), [
      to("client", { id: 1, result: { [list]: [{ [member]: "open", a: 1 }], cacheScope: "private" } }),
    ]);
    await talk.hear("client", { id: 1, method });
    same("no list", await talk.hear("server", { id: 1, result: {} }), [
      error(1, -32_603, `the server's list of ${list} is not a list`),
    ]);
    await talk.hear("client", { id: 1, method });
    const asks = { id: 1, result: { resultType: "input_required", requestState: "s" } };
    same("a list that needs more", await talk.hear("server", asks), [to("client", asks)]);
  }
  const completes = (ref: unknown): Message => ({ id: 1, method: "completion/complete", params: { ref } });
  for (const ref of [
    { type: "ref/prompt", name: "open" },
    { type: "ref/resource", uri: "open" },
  ]) {
    same("completed", await talk.hear("client", completes(ref)), [to("server", completes(ref))]);
    await talk.hear("server", answer(1));
  }
  for (const ref of [{ type: "ref/prompt", name: "shut" }, { type: "ref/resource", uri: "shut" }, "open", undefined])
    same("not completed", (await talk.hear("client", completes(ref)))[0]?.[0], "client");
  const updated = (uri: string): Message => ({ method: "notifications/resources/updated", params: { uri } });
  same("told of", await talk.hear("server", updated("open"), updated("shut")), [to("client", updated("open"))]);
}

async function subscriptions(): Promise<void> {
  const talk = new Talk({ limits: { answerMs: 20 } });
  const listen = (id: number, more: object = {}): Message => ({
    ...{ id, method: "subscriptions/listen" },
    params: { notifications: { toolsListChanged: true, ...more } },
  });
  let rest = 0;
  same("asked", await talk.hear("client", listen(1)), [to("server", listen(1))]);
  void talk.relay.settled().then(() => rest++);
  same("as long as it likes", await talk.rest(60), []);
  same("is not waited for", rest, 1);
  same("ended", await talk.hear("server", answer(1)), [to("client", answer(1))]);
  await talk.hear("client", listen(2));
  const cancelled = { method: CANCELLED, params: { requestId: 2 } };
  same("ended by the server", await talk.hear("server", cancelled), [to("client", cancelled)]);
  same("no more", await talk.hear("server", answer(2)), [STRAY]);
  await talk.hear("client", listen(5), ping(6));
  await talk.hear("server", { method: CANCELLED, params: { requestId: 6 } });
  same("only a subscription ends so", await talk.hear("server", answer(6)), [to("client", answer(6))]);
  await talk.hear("server", { method: "notifications/other", params: { requestId: 5 } });
  same("and by no other word", await talk.hear("server", answer(5)), [to("client", answer(5))]);
  const resources = listen(3, { resourceSubscriptions: ["open"] });
  same("offered", await talk.hear("client", resources), [to("server", resources)]);
  same("not offered", await talk.hear("client", listen(4, { resourceSubscriptions: ["open", "shut"] })), [
    error(4, -32_602, 'The policy denies "shut": OFFER, r'),
  ]);
  same("no list", await talk.hear("client", listen(4, { resourceSubscriptions: "open" })), [
    error(4, -32_602, "`resourceSubscriptions` is no list"),
  ]);
}

async function successes(): Promise<void> {
  const result = (members: object): Wire => ({ jsonrpc: "2.0", id: 1, result: { ...members } });
  for (const members of [
    {},
    { isError: false },
    { resultType: "complete" },
    { isError: false, resultType: "complete" },
  ])
    same("a success", isSuccess(result(members) as never), true);
  const error = { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } } as const;
  same("an error", isSuccess(error), false);
  for (const members of [
    { isError: true },
    { resultType: "input_required" },
    { isError: true, resultType: "complete" },
  ])
    same("no success", isSuccess(result(members) as never), false);
}

async function tooLong(): Promise<void> {
  const talk = new Talk({ limits: { messageBytes: 9 } });
  const outer = (text: string): OuterMembers => {
    const members = new OuterMembers();
    members.feed(Buffer.from(text));
    return members;
  };
  const told = async (side: "client" | "server", text: string): Promise<readonly Said[]> => {
    talk.relay.tooLong(side, outer(text));
    return talk.rest();
  };
  const dropped = (side: string): Said => fault(`${side}: a message over 9 bytes was dropped`);
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
    error('a"b', -32_600, "the request is longer than 9 bytes"),
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
  same("a question of the server", await deep.hear("server", { ...ping(4), deep: 1 }), [client]);
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
}
