/** Methods, calls and lists of tools on their way through a relay. */
import type { Message as Wire } from "../../../compiler/enforcement/gateway/messages.ts";
import { isSuccess } from "../../../compiler/enforcement/gateway/rulings.ts";
import { type Check, same } from "./check.ts";
import { answer, call, error, fault, type Message, ping, STRAY, Talk, to } from "./talk.ts";
import { denied } from "./verdicts.ts";

export function toolRelayChecks(): readonly Check[] {
  return [
    { what: "methods of tools", run: methods },
    { what: "calls of tools", run: calls },
    { what: "lists of tools", run: lists },
    { what: "successes", run: successes },
  ];
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
  for (const [prompts, expected] of [
    [[], to("client", { id: 1, result: { tools: [], prompts: [] } })],
    [[0], error(1, -32_603, "the server's list has more than 10000 items")],
  ] as const) {
    await talk.hear("client", list);
    const long = { id: 1, result: { tools: Array(10_000).fill(0), prompts } };
    same("as long as may be, and longer", await talk.hear("server", long), [expected]);
  }
  await talk.hear("client", ping(2));
  same("a list for another answer", await talk.hear("server", listed(2, tools)), [to("client", listed(2, seen))]);
  await talk.hear("client", ping(3));
  const other = { id: 3, result: { tools: "x" } };
  same("no list for another answer", await talk.hear("server", other), [to("client", other)]);
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
    { isError: "true" },
    { task: { taskId: "t" } },
  ])
    same("no success", isSuccess(result(members) as never), false);
}
