/** What becomes of one message, without the way that it takes: the policy and the pins are functions. */
import type { CallRecord } from "@portcullis/runtime";
import type { Answer, Members, Request } from "../../../compiler/enforcement/gateway/messages.ts";
import { type OfferDecider, Offers } from "../../../compiler/enforcement/gateway/offers.ts";
import { Pins } from "../../../compiler/enforcement/gateway/pins.ts";
import { Rulings } from "../../../compiler/enforcement/gateway/rulings.ts";
import { Verdicts } from "../../../compiler/enforcement/gateway/verdicts.ts";
import { type Check, same } from "./check.ts";
import { ALLOW, CALLER, deciding, denied, TOOLS } from "./verdicts.ts";

export function rulingChecks(): readonly Check[] {
  return [
    { what: "calls of pinned tools", run: pinned },
    { what: "lists of pinned tools", run: pinnedLists },
    { what: "names of tools that are called", run: names },
    { what: "methods that look like decided ones", run: methods },
    { what: "references and subscriptions", run: references },
    { what: "kinds of what is read", run: kinds },
    { what: "notifications that are decided", run: notifications },
    { what: "results with lists", run: lists },
    { what: "rounds", run: rounds },
    { what: "faults of decisions", run: faults },
  ];
}

interface Given {
  readonly pins?: Pins;
  readonly record?: () => void;
  readonly visible?: () => never;
}

function ruling({ pins, record = () => {}, visible }: Given = {}) {
  const faults: string[] = [];
  const records: string[] = [];
  const policy = deciding({ yes: ALLOW, no: denied("FLAGS"), hidden: denied("TOOL") });
  const offering: OfferDecider = {
    entrypoints: ["portcullis/offer/mcp"],
    evaluate: (_, input) => {
      const { name } = input as { readonly name: unknown };
      visible?.();
      return String(name).startsWith("open") ? { ...ALLOW, reason: "offered" } : denied("OFFER");
    },
  };
  const note = ({ disposition, gate, tool }: CallRecord, name: string): void => {
    record();
    records.push(`${disposition} ${gate} ${tool} ${name}`);
  };
  const rulings = new Rulings(
    new Verdicts(policy, CALLER, TOOLS, note),
    new Offers(offering, CALLER, note),
    (line) => faults.push(line),
    pins,
  );
  /** The answer, or what goes on: never both. */
  const ask = async (method: string, params?: object): Promise<unknown> => {
    let forwarded: Request | undefined;
    const message = { jsonrpc: "2.0" as const, id: 1, method, ...(params && { params: params as Members }) };
    const answer = await rulings.request(message, (one) => {
      forwarded = one;
      return true;
    });
    if (forwarded !== undefined && answer !== undefined) return "both";
    return forwarded ?? textOf(answer);
  };
  const answered = (method: string | undefined, result: object): Promise<unknown> =>
    rulings
      .answer(method, { jsonrpc: "2.0", id: 1, result: result as Members })
      .then((answer) => ("result" in answer ? answer.result : textOf(answer)));
  return { rulings, faults, records, ask, answered };
}

function textOf(answer: Answer | undefined): unknown {
  if (answer === undefined) return undefined;
  if ("error" in answer) return `${answer.error.code} ${answer.error.message}`;
  return (answer.result["content"] as readonly { readonly text: string }[])[0]?.text;
}
const going = (method: string, params?: object): object => ({
  ...{ jsonrpc: "2.0", id: 1, method },
  ...(params && { params }),
});

const YES = { name: "yes", description: "d" };
const pinsOf = (...tools: object[]): Pins =>
  new Pins({ read: () => JSON.stringify({ tools }), keep: () => {}, log: () => {} });

async function pinned(): Promise<void> {
  const pins = pinsOf(YES);
  const of = ruling({ pins });
  const call = { name: "yes", arguments: { a: 1 } };
  same("pinned", await of.ask("tools/call", call), going("tools/call", call));
  same("not pinned", await of.ask("tools/call", { name: "no" }), 'The policy denies "no": PIN, tool_not_pinned');
  pins.accepted([{ ...YES, description: "e" }]);
  same("changed", await of.ask("tools/call", call), 'The policy denies "yes": PIN, tool_changed');
  same("written down", of.records, ["ALLOW ALLOW yes yes", "DENY PIN no no", "DENY PIN yes yes"]);
}

async function pinnedLists(): Promise<void> {
  const of = ruling({ pins: pinsOf(YES, { name: "no" }, { name: "hidden" }) });
  const tools = [{ name: "hidden" }, { ...YES, description: "e" }, { name: "no" }, YES, { name: "mapped" }];
  const prompts = [{ name: "open" }];
  same("a list", await of.answered("tools/list", { tools, prompts }), { tools: [{ name: "no" }], prompts });
  const once = [{ name: "no" }, YES, { name: "mapped" }];
  same("each once", await of.answered("tools/list", { tools: once }), { tools: [{ name: "no" }, YES] });
  const twice = [YES, { name: "no", Name: "x" }, YES];
  same("each alike", await of.answered("tools/list", { tools: twice }), { tools: [YES, YES] });
}

async function names(): Promise<void> {
  const of = ruling();
  const nameless = "-32602 `name` is the name of a tool";
  const long = "n".repeat(257);
  for (const params of [undefined, {}, { name: 7 }, { name: null }, { name: ["yes"] }, { name: long }])
    same(JSON.stringify(params), await of.ask("tools/call", params), nameless);
  same("no decision", of.records, []);
  same(
    "the longest",
    of.records.length + String(await of.ask("tools/call", { name: "n".repeat(256) })).length > 256,
    true,
  );
  for (const name of ["__proto__", "constructor", "yes\u200b", "Yes", ""])
    same(name, String(await of.ask("tools/call", { name })).startsWith("The policy denies"), true);
  const known = ["name", "arguments", "task", "_meta", "inputResponses", "requestState"];
  for (const name of known) {
    const twin = name.toUpperCase();
    same(
      twin,
      await of.ask("tools/call", { name: "yes", [twin]: 1 }),
      `-32602 "${twin}" could be read as another name`,
    );
  }
  const whole = { name: "yes", task: {}, _meta: {}, inputResponses: {}, requestState: "s", x: 1 };
  same("all of them", await of.ask("tools/call", whole), going("tools/call", whole));
  same(
    "denied as a task",
    await of.ask("tools/call", { name: "no", task: {} }),
    '-32600 The policy denies "no": FLAGS, r',
  );
  same("no task", await of.ask("tools/call", { name: "no", task: undefined }), 'The policy denies "no": FLAGS, r');
}

async function methods(): Promise<void> {
  const of = ruling();
  const roots = ["tools", "resources", "prompts", "completion", "subscriptions"];
  const odd = [
    ...roots.flatMap((root) => [`${root}/`, `${root}/other`, `${root.toUpperCase()}/list`, `${root}/LIST`]),
    ...["tools/Call", "Completion/complete", "completion/complete/", "Subscriptions/listen", "", "a b", "\u00e4"],
  ];
  for (const method of odd) {
    same(method, await of.ask(method), `-32601 the gateway knows no method ${JSON.stringify(method)}`);
    same(`${method} without an id`, of.rulings.passesToServer({ jsonrpc: "2.0", method }), false);
  }
  for (const method of ["constructor", "__proto__", "toString", "ping", "tool/call", "x/tools/call", "initialize"]) {
    same(method, await of.ask(method, {}), going(method, {}));
    same(`${method} without an id`, of.rulings.passesToServer({ jsonrpc: "2.0", method }), true);
    same(`an answer to ${method}`, await of.answered(method, { a: 1 }), { a: 1 });
  }
  for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
    same(method, await of.ask(method), going(method));
  for (const method of ["tools/list", "resources/read", "completion/complete", "subscriptions/listen"])
    same(`${method} without an id`, of.rulings.passesToServer({ jsonrpc: "2.0", method }), false);
}

async function references(): Promise<void> {
  const of = ruling();
  const [SHUT, TWIN] = ["-32602 The policy denies", "could be read as another name"];
  const completing = "completion/complete";
  for (const [method, params, expected] of [
    [completing, { ref: { type: "ref/prompt", name: "open" } }, undefined],
    [completing, { ref: { type: "ref/prompt", name: "open", uri: "open-2" } }, undefined],
    [completing, { ref: { type: "x" } }, undefined],
    [completing, { ref: { name: "open", uri: "shut" } }, SHUT],
    [completing, { ref: { name: "shut", uri: "open" } }, SHUT],
    [completing, { ref: { name: "open", URI: "shut" } }, TWIN],
    [completing, { ref: { name: 7 } }, "`name` is no text"],
    [completing, { ref: { uri: null } }, "`uri` is no text"],
    [completing, { ref: { name: "open" }, Ref: {} }, "`ref` is no reference"],
    [completing, { ref: [] }, "`ref` is no reference"],
    [completing, {}, "`ref` is no reference"],
    ["subscriptions/listen", undefined, undefined],
    ["subscriptions/listen", { notifications: { toolsListChanged: true } }, undefined],
    ["subscriptions/listen", { notifications: 7 }, undefined],
    ["subscriptions/listen", { notifications: { resourceSubscriptions: ["open", "open-2"] } }, undefined],
    ["subscriptions/listen", { notifications: { resourceSubscriptions: [] } }, undefined],
    ["subscriptions/listen", { notifications: { resourceSubscriptions: ["open", "shut"] } }, SHUT],
    [
      "subscriptions/listen",
      { notifications: { resourceSubscriptions: ["open", 7] } },
      "`resourceSubscriptions` is no text",
    ],
    ["subscriptions/listen", { notifications: { resourceSubscriptions: {} } }, "`resourceSubscriptions` is no list"],
    ["subscriptions/listen", { notifications: { ResourceSubscriptions: ["shut"] } }, TWIN],
    ["subscriptions/listen", { notifications: {}, Notifications: {} }, TWIN],
    ["resources/read", { uri: "open", URI: "shut" }, TWIN],
    ["resources/read", { URI: "shut" }, TWIN],
    ["resources/read", { name: "shut" }, undefined],
    ["prompts/get", { name: "open", uri: "shut" }, undefined],
    ["prompts/get", { name: "shut" }, SHUT],
  ] as const) {
    const found = await of.ask(method, params);
    const what = `${method} ${JSON.stringify(params)}`;
    if (expected === undefined) same(what, found, going(method, params));
    else
      same(
        `${what}: ${found}`,
        typeof found === "string" && found.startsWith("-32602 ") && found.includes(expected),
        true,
      );
  }
}

/** What is written down of a read says of which kind it is. */
async function kinds(): Promise<void> {
  for (const [method, member, kind] of [
    ["resources/read", "uri", "resources"],
    ["resources/subscribe", "uri", "resources"],
    ["resources/unsubscribe", "uri", "resources"],
    ["prompts/get", "name", "prompts"],
  ] as const) {
    const of = ruling();
    await of.ask(method, { [member]: "open" });
    same(method, of.records, [`ALLOW ALLOW ${kind} open`]);
  }
}

function notifications(): void {
  const { rulings } = ruling();
  const isTold = (method: string, params?: object): boolean =>
    rulings.passesToClient({ jsonrpc: "2.0", method, ...(params && { params: params as Members }) });
  const updated = "notifications/resources/updated";
  same(
    "told of",
    [isTold(updated, { uri: "open" }), isTold("notifications/x", { uri: "shut" }), isTold("x")],
    [true, true, true],
  );
  for (const params of [{ uri: "shut" }, { uri: 7 }, {}, undefined, { uri: "open", URI: "shut" }])
    same(`not told of ${JSON.stringify(params)}`, isTold(updated, params), false);
}

async function lists(): Promise<void> {
  const of = ruling();
  const shown = [{ name: "yes" }];
  const tools = [...shown, { name: "hidden" }, { name: "yes", Name: "hidden" }, { name: 7 }, null, ["yes"]];
  for (const method of ["tools/list", "ping", undefined])
    same(`tools for ${method}`, await of.answered(method, { tools, x: 1 }), { tools: shown, x: 1 });
  const resources = [{ uri: "open", name: "shut" }, { uri: "shut" }, { uri: "open", Uri: "shut" }];
  const templates = [{ uriTemplate: "open" }, { uriTemplate: "shut", uri: "open" }];
  same(
    "several",
    await of.answered("resources/list", { resources, resourceTemplates: templates, prompts: [{ name: "shut" }] }),
    { resources: resources.slice(0, 1), resourceTemplates: templates.slice(0, 1), prompts: [] },
  );
  for (const twin of ["Tools", "tool\u017f", "PROMPTS", "resourcetemplates", "resources\u200b"])
    for (const result of [{ tools: [], [twin]: [] }, { [twin]: "x" }])
      for (const method of ["tools/list", "ping"])
        same(
          twin,
          await of.answered(method, result),
          `-32603 the server's ${JSON.stringify(twin)} could be read as a list`,
        );
  const error = { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } } as const;
  same("an error", await of.rulings.answer("tools/list", error), error);
  for (const [scope, seen] of [
    ["public", "private"],
    ["private", "private"],
    ["other", "other"],
  ] as const)
    same(scope, await of.answered("x", { tools: [], cacheScope: scope }), { tools: [], cacheScope: seen });
  same("no list to cache", await of.answered("x", { cacheScope: "public" }), { cacheScope: "public" });
}

/** A round that asks for more has no list yet; what says that it is complete has one. */
async function rounds(): Promise<void> {
  const of = ruling();
  for (const [method, list] of [
    ["tools/list", "tools"],
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
    ["prompts/list", "prompts"],
  ] as const) {
    const missing = `-32603 the server's list of ${list} is not a list`;
    for (const result of [{}, { resultType: "complete" }, { [list]: {} }, { resultType: "complete", [list]: "x" }])
      same(JSON.stringify(result), await of.answered(method, result), missing);
    const asks = { resultType: "input_required" };
    same("a round", await of.answered(method, asks), asks);
    same("a round with a list", await of.answered(method, { ...asks, tools: [{ name: "hidden" }] }), {
      ...asks,
      tools: [],
    });
  }
}

async function faults(): Promise<void> {
  const fails = (): never => {
    throw new Error("full");
  };
  const unrecorded = "-32603 the request could not be decided and recorded";
  const full = ruling({ record: fails });
  for (const [method, params] of [
    ["resources/read", { uri: "open" }],
    ["tools/call", { name: "yes" }],
    ["subscriptions/listen", { notifications: { resourceSubscriptions: ["open"] } }],
  ] as const)
    same(method, await full.ask(method, params), unrecorded);
  same("said", new Set(full.faults), new Set(["a request was not forwarded: full"]));
  const broken = ruling({ visible: fails });
  same("a list", await broken.answered("x", { prompts: [{ name: "open" }] }), "-32603 the list could not be decided");
  same("why", broken.faults, ["a list was not passed on: full"]);
}
