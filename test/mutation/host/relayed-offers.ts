/** Resources, prompts and subscriptions on their way through a relay. */
import { type Check, same } from "./check.ts";
import { answer, CANCELLED, error, type Message, ping, STRAY, Talk, to } from "./talk.ts";

export function offerRelayChecks(): readonly Check[] {
  return [
    { what: "resources and prompts", run: offers },
    { what: "subscriptions", run: subscriptions },
  ];
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
