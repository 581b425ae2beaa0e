/** Decisions in front of tools: what is asked, what is handed on, what is shown. The policy is a function here. */
import {
  type CallDecider,
  type CallDecision,
  type CallRecord,
  type CallRequest,
  denialText,
  type HistoryRequest,
  type HistoryStore,
  historyKey,
  type LimitUse,
  memoryHistory,
  type Policy,
} from "@portcullis/runtime";
import { shortened } from "../../../compiler/enforcement/gateway/denial.ts";
import { type Caller, type ToolMap, Verdicts } from "../../../compiler/enforcement/gateway/index.ts";
import { type Check, same } from "./check.ts";

export const ALLOW = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
export const denied = (gate: string, more: object = {}): object => ({ allowed: false, gate, reason: "r", ...more });

export const CALLER: Caller = {
  ...{ role: "R", lane: "L", flags: ["host"], scope: { a: "host", b: "host" } },
  lineage: [{ agent_type: "desk", spawn_depth: 0 }],
};
export const TOOLS: ToolMap = new Map([
  [
    "mapped",
    {
      ...{ tool: "id", flags: ["mapped"], writes: [{ table: "t", mode: "m" }] },
      scope: new Map(Object.entries({ a: "first", c: "second", d: "third" })),
    },
  ],
  ["plain", { tool: "other", flags: [], writes: [], scope: new Map() }],
]);

/** A policy that says the same of a tool every time, and notes which calls it was asked about. Its registry has these tools. */
export function deciding(
  answers: Readonly<Record<string, unknown>>,
  registry: readonly string[] = [],
): CallDecider & Pick<Policy, "lane" | "tool"> & { readonly asked: CallRequest[] } {
  const asked: CallRequest[] = [];
  return {
    asked,
    call(request: CallRequest) {
      asked.push(request);
      return (answers[request.tool] ?? denied("TOOL")) as CallDecision;
    },
    lane: () => ({ allowed: true }) as never,
    tool: ({ tool }: { readonly tool: unknown }) =>
      denied(registry.includes(tool as string) ? "TOOL_ENABLED" : "TOOL") as never,
  };
}

export function verdictChecks(): readonly Check[] {
  return [
    { what: "questions to the policy", run: questions },
    { what: "arguments that the host has said", run: said },
    { what: "visible tools", run: visible },
    { what: "limits", run: counted },
    { what: "twins", run: twins },
    { what: "successes", run: successes },
    { what: "successes that are told", run: told },
    { what: "calls that are not written down", run: unwritten },
    { what: "calls", run: calls },
    { what: "words of a denial", run: words },
  ];
}

async function questions(): Promise<void> {
  const policy = deciding({ id: ALLOW, other: ALLOW, unknown: ALLOW });
  const verdicts = new Verdicts(policy, CALLER, TOOLS, () => {});
  const { role, lane, lineage } = CALLER;
  await verdicts.call("mapped", { first: "host", second: 2, more: 1 }, () => {});
  await verdicts.call("plain", { first: "args" }, () => {});
  await verdicts.call("unknown", undefined, () => {});
  // Without the argument that says what the host says there is nothing to ask.
  for (const args of ["text", null, undefined, {}, { second: 2 }]) {
    const { decision } = await verdicts.call("mapped", args, () => {});
    const { problem } = decision as { readonly problem?: unknown };
    const said = 'the argument "first" is absent, and the host demands "host" of it';
    same(`mapped ${JSON.stringify(args)}`, [decision.allowed, problem], [false, said]);
  }
  await verdicts.visible("mapped");
  const own = { role, lane, lineage };
  const writes = [{ table: "t", mode: "m" }];
  const scope = { a: "host", b: "host" };
  const flags = ["host", "mapped"];
  same("questions", policy.asked, [
    { tool: "id", ...own, flags, writes, scope: { ...scope, c: 2 }, args: { first: "host", second: 2, more: 1 } },
    { tool: "other", ...own, flags: ["host"], scope, args: { first: "args" } },
    { tool: "unknown", ...own, flags: ["host"], scope },
    { tool: "id", ...own, flags, writes, scope },
  ]);
  const unlinked = deciding({});
  const { lineage: _, ...alone } = CALLER;
  await new Verdicts(unlinked, alone, TOOLS, () => {}).visible("plain");
  same("no lineage", unlinked.asked, [{ tool: "other", role, lane, flags: ["host"], scope }]);
}

/** What the host says is not said otherwise by an argument: the tool would read the argument. */
async function said(): Promise<void> {
  const caller: Caller = { ...CALLER, scope: { a: "7", toString: "x" } };
  for (const [first, expected] of [
    ["7", true],
    [7, true],
    ...["8", 8, "7 ", "", null, true, ["7"], {}].map((odd) => [odd, false] as const),
  ] as const) {
    const policy = deciding({ id: ALLOW });
    const { decision } = await new Verdicts(policy, caller, TOOLS, () => {}).call("mapped", { first }, () => {});
    same(`said ${JSON.stringify(first)}`, [decision.allowed, policy.asked.length], [expected, expected ? 1 : 0]);
  }
}

async function visible(): Promise<void> {
  for (const [answer, expected] of [
    [ALLOW, true],
    ...["SCOPE", "FLAGS", "WRITES", "APPROVAL"].map((gate) => [denied(gate), true] as const),
    ...["LINEAGE", "CAPABILITY", "LANE_AUTHORIZATION", "TOOL", "LANE_TOOL", "TOOL_ENABLED", "INTERNAL_ERROR"].map(
      (gate) => [denied(gate), false] as const,
    ),
    [null, false],
  ] as const)
    same(
      JSON.stringify(answer),
      await new Verdicts(deciding({ t: answer }), CALLER, TOOLS, () => {}).visible("t"),
      expected,
    );
}

/** Limits count by no argument: neither those of a policy as it is, nor those of one that is replaced while it runs. */
async function counted(): Promise<void> {
  const limit = { per: ["role", "scope.c"], max_calls: 1 };
  for (const isReplaced of [false, true]) {
    const asked = (limits: object) => {
      const decider = Object.assign(deciding({ id: ALLOW, other: ALLOW }), { limits });
      const policy = (isReplaced ? { current: decider } : decider) as unknown as CallDecider;
      return { decider, verdicts: new Verdicts(policy, CALLER, TOOLS, () => {}) };
    };
    const { decider, verdicts } = asked({ L: { ...limit, calls: { tools: { other: true } } } });
    await verdicts.call("mapped", { first: "host", second: 2, third: 3 }, () => {});
    same("what is asked", decider.asked[0]?.scope, { a: "host", b: "host", d: 3 });
    const { decision } = await asked({ L: { max_calls: 1 } }).verdicts.call("plain", {}, () => {});
    const { problem } = decision as { readonly problem?: unknown };
    same("without a store", problem, "the history of the call is not known: the host keeps none");
    same("named", [verdicts.isLimited("plain"), verdicts.isLimited("mapped")], [true, false]);
    same("visible", await verdicts.visible("plain"), true);
    same("any tool", asked({ L: limit }).verdicts.isLimited("mapped"), true);
  }
}

/** No argument could be read as another. */
async function twins(): Promise<void> {
  const verdicts = new Verdicts(deciding({ unknown: ALLOW, id: ALLOW }), CALLER, TOOLS, () => {});
  const call = async (args: unknown) => (await verdicts.call("unknown", args, () => {})).allowed;
  same("none", await call(undefined), true);
  same("a list", await call(["a"]), true);
  same("others", await call({ n: 1, m: 2 }), true);
  same("a twin", await call({ n: 1, m: 2, N: 2 }), false);
  same("a long name alone", await call({ ["m".repeat(300)]: 2 }), true);
  same("a long name beside another", await call({ n: 1, ["m".repeat(300)]: 2 }), false);
  same("a name that is just not too long", await call({ n: 1, ["m".repeat(256)]: 2 }), true);
  // Without a word of the host's on it, and where the argument itself is absent.
  same("of the scope, alone", (await verdicts.call("mapped", { first: "host", Third: 1 }, () => {})).allowed, false);
  same("none of the scope", (await verdicts.call("mapped", { first: "host", fourth: 1 }, () => {})).allowed, true);
}

/** What was forwarded is a success where it says `true`, and opens what may come only after it. */
async function successes(): Promise<void> {
  for (const [told, isKnown] of [
    [true, true],
    [false, false],
    [undefined, false],
    ["true", false],
  ] as const) {
    const limits = { L: { calls: { tools: { id: true } }, per: ["role"], only_after: { tools: { other: true } } } };
    const decider = Object.assign(deciding({ id: ALLOW, other: ALLOW }), { limits }) as unknown as CallDecider;
    const verdicts = new Verdicts(decider, CALLER, TOOLS, () => {}, { history: memoryHistory() });
    await verdicts.call("plain", {}, () => told);
    await verdicts.call("mapped", { first: "host" }, () => {});
    const [, second] = (decider as unknown as { readonly asked: readonly unknown[] }).asked;
    const { facts } = second as { readonly facts: { readonly history: { readonly L: { readonly last_ms: object } } } };
    same(`after ${told}`, Object.keys(facts.history.L.last_ms), isKnown ? ["other"] : []);
  }
}

/** A call that cannot be written down is denied, and uses up nothing. */
async function unwritten(): Promise<void> {
  const policy = Object.assign(deciding({ id: ALLOW }), { limits: { L: { max_calls: 1 } } }) as unknown as CallDecider;
  const asked = (policy as unknown as { readonly asked: readonly CallRequest[] }).asked;
  const kept = memoryHistory();
  const late: HistoryStore = { reserve: async (of) => kept.reserve(of) };
  const record = (): never => {
    throw new Error("full");
  };
  for (const [i, history] of [kept, late, kept].entries()) {
    const verdicts = new Verdicts(policy, CALLER, TOOLS, record, { history });
    const problem = await verdicts.call("mapped", { first: "host" }, () => true).catch(String);
    const { calls } = (asked[i]?.facts?.history as { readonly L?: { readonly calls: number } } | undefined)?.L ?? {};
    same("gives back", [problem, calls], ["Error: full", 0]);
  }
}

/** A success of a call that was decided somewhere else: by the policy that is there now, and not lost without a word. */
async function told(): Promise<void> {
  const limits = {
    L: { calls: { tools: { id: true } }, per: ["role"], only_after: { tools: { other: true } } },
    MOST: { max_calls: 1, never_after: { tools: { other: true } } },
  };
  const decider = Object.assign(deciding({ id: ALLOW }), { limits, historyName: "p" }) as unknown as CallDecider;
  for (const policy of [decider, { current: decider }] as const) {
    const history = memoryHistory();
    const reserved: unknown[] = [];
    const reserve = (asked: HistoryRequest) => {
      reserved.push(asked.limits);
      return history.reserve(asked);
    };
    const verdicts = new Verdicts(policy as never, CALLER, TOOLS, () => {}, { history: { reserve } });
    for (const name of ["plain", "mapped", "none"]) await verdicts.succeeded(name);
    same("of one that is waited for", reserved.length, 1);
    const [[use, more] = []] = reserved as LimitUse[][];
    same(
      "its use",
      [use?.id, use?.succeeds, use?.maxCalls, use?.begins, more],
      ["L", "other", undefined, undefined, undefined],
    );
    same("its key", use?.key, historyKey("p", "L", [CALLER.role]));
    const found = await history.reserve({ limits: [{ ...(use as LimitUse), after: ["other"] }] });
    same("its time", Object.keys(found.facts.history["L"]?.last_ms ?? {}), ["other"]);
  }
  const gone = new Verdicts(decider, CALLER, TOOLS, () => {}, {});
  same(
    "without a store",
    await gone.succeeded("plain").then(() => "told", String),
    "Error: the history of the call is not known: the host keeps none",
  );
  const unlimited = new Verdicts(deciding({}), CALLER, TOOLS, () => {}, {});
  same("without limits", await unlimited.succeeded("plain"), undefined);
}

async function calls(): Promise<void> {
  const policy = deciding({ id: ALLOW, no: denied("SCOPE") });
  const records: [CallRecord, string][] = [];
  const forwarded: unknown[] = [];
  const verdicts = new Verdicts(policy, CALLER, TOOLS, (record, name) => records.push([record, name]));
  const call = async (name: string, args: unknown) =>
    (await verdicts.call(name, args, (one) => forwarded.push(one))).allowed;
  same("allowed", await call("mapped", { first: "host" }), true);
  same("denied", await call("no", {}), false);
  same("a twin of an argument", await call("mapped", { first: "host", First: 2 }), false);
  same("a twin of nothing", await call("mapped", { first: "host", firsts: 2 }), true);
  same("forwarded", forwarded, [{ first: "host" }, { first: "host", firsts: 2 }]);
  same(
    "records",
    records.map(([{ disposition, gate }, name]) => [disposition, gate, name]),
    [
      ["ALLOW", "ALLOW", "mapped"],
      ["DENY", "SCOPE", "no"],
      ["DENY", "INTERNAL_ERROR", "mapped"],
      ["ALLOW", "ALLOW", "mapped"],
    ],
  );
  for (const thrown of [new Error("full"), undefined, null]) {
    let ran = 0;
    const full = new Verdicts(policy, CALLER, TOOLS, () => {
      throw thrown;
    });
    const outcome = await full.call("mapped", { first: "host" }, () => ran++).then(() => "resolved", String);
    same("a call without a record", [outcome, ran], [thrown ? "Error: full" : "Error: no record", 0]);
    same("a denial without a record", (await full.call("no", {}, () => ran++)).allowed, false);
  }
}

function words(): void {
  const decision = denied("G", { missing: ["a"], approval: "required" }) as CallDecision;
  same("words", denialText('a"b', decision), 'The policy denies "a\\"b": G, r; missing ["a"]; approval "required"');
  const most = "a".repeat(2000);
  for (const [text, shown] of [
    [most, most],
    [`${most}a`, `${most}…`],
    [`${most.slice(1)}\u{1f600}`, `${most.slice(1)}…`],
  ] as const)
    same(`${text.length} characters`, shortened(text), shown);
  same("few words", denialText("a", denied("G") as CallDecision), 'The policy denies "a": G, r');
}
