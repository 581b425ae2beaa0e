/** A call that an agent host asks about: every input has an answer, and only an allowed call is allowed. */

import { type CallRecord, type HistoryStore, memoryHistory, type PolicyLimits } from "@portcullis/runtime";
import {
  answerHook,
  type Caller,
  type HookFormat,
  type HookOptions,
  refusal,
} from "../../../compiler/enforcement/gateway/index.ts";
import { type Check, same } from "./check.ts";
import { spawning } from "./spawns.ts";
import { ALLOW, CALLER, deciding, denied, TOOLS } from "./verdicts.ts";

export function hookChecks(): readonly Check[] {
  return [
    { what: "answers of the generic format", run: generic },
    { what: "answers to each host", run: hosts },
    { what: "which host asks", run: recognised },
    { what: "questions about counted calls", run: counted },
    { what: "records of what a person is asked", run: recorded },
    { what: "whose call it is", run: callers },
    { what: "where files lie", run: rooted },
    { what: "no answers", run: refusals },
    { what: "how many values", run: values },
    { what: "which numbers", run: numbers },
  ];
}

const APPROVAL = denied("APPROVAL", { approval: "required" });
const ANSWERS = {
  ...{ yes: ALLOW, no: denied("FLAGS"), ask: APPROVAL, late: APPROVAL },
  asked: denied("X", { approval: "given" }),
};
/** Where somebody has approved. */
const BEHIND = deciding({ yes: ALLOW, no: ALLOW, ask: ALLOW, asked: ALLOW, late: denied("LATE") });

function approvable() {
  const policy = deciding(ANSWERS);
  const { call } = policy;
  policy.call = (request) => (request.approval === undefined ? call(request) : BEHIND.call(request));
  return policy;
}

async function answer(
  input: unknown,
  options: Partial<HookOptions> = {},
  record = (): void => {},
  limits: PolicyLimits = {},
) {
  const policy = Object.assign(approvable(), { limits });
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const given = { policy, caller: CALLER, tools: TOOLS, record };
  const found = await answerHook(text, given, { format: "auto", ask: false, ...options });
  return { ...found, args: policy.asked.map(({ tool, args }) => [tool, args]) };
}

const wordsOf = (tool: string, gate: string, more = ""): string => `The policy denies "${tool}": ${gate}, r${more}`;

/** What every host obeys. */
const deny = (reason: string, hookEventName = "PreToolUse"): object => ({
  ...{ decision: "block", reason, cancel: true, errorMessage: reason, permission: "deny" },
  ...{ permissionDecision: "deny", permissionDecisionReason: reason },
  hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: reason },
});

async function generic(): Promise<void> {
  same("allow", await answer({ tool: "yes", args: { a: [1] } }), {
    ...{ verdict: "allow", message: "", args: [["yes", { a: [1] }]] },
  });
  same("no arguments", (await answer({ tool_name: "yes" })).args, [["yes", undefined]]);
  same("further members", (await answer({ tool: "yes", role: 1 })).verdict, "allow");
  const message = wordsOf("no", "FLAGS");
  same("deny", await answer({ tool: "no", tool_input: 1 }), {
    ...{ verdict: "deny", output: deny(message), message, args: [["no", 1]] },
  });
  for (const ask of [true, false]) same("no word for asking", (await answer({ tool: "ask" }, { ask })).verdict, "deny");
  for (const thrown of [new Error("full"), "full"]) await unrecorded(thrown);
}

async function unrecorded(thrown: unknown): Promise<void> {
  const full = await answer({ tool: "yes" }, {}, () => {
    throw thrown;
  });
  same("no record", [full.verdict, full.message.includes("full")], ["deny", true]);
}

async function hosts(): Promise<void> {
  for (const format of ["claude-code", "codex", "copilot"] as const) await preTool(format);
  const before = { hook_event_name: "BeforeTool", tool_name: "no", tool_input: {} };
  const message = wordsOf("no", "FLAGS");
  for (const format of ["gemini", "auto"] as const)
    same("deny", (await answer(before, { format })).output, deny(message, "BeforeTool"));
  const cline = { hookName: "tool_call", taskId: "t", preToolUse: { toolName: "yes", parameters: { a: 1 } } };
  for (const format of ["cline", "auto"] as const)
    same("allow", (await answer(cline, { format })).args, [["yes", { a: 1 }]]);
  const own = { sessionId: "s", toolName: "yes", toolArgs: '{"a":1}' };
  for (const format of ["copilot", "auto"] as const)
    same("allow", (await answer(own, { format })).args, [["yes", { a: 1 }]]);
  same("a refusal", refusal("p"), {
    ...{ verdict: "deny", message: "The call cannot be decided, so it is denied: p" },
    output: deny("The call cannot be decided, so it is denied: p"),
  });
}

async function preTool(format: HookFormat): Promise<void> {
  const use = (tool_name: unknown, more: object = {}) =>
    JSON.stringify({ hook_event_name: "PreToolUse", tool_name, tool_input: { a: 1 }, cwd: "/", ...more });
  const [no, ask] = [wordsOf("no", "FLAGS"), wordsOf("ask", "APPROVAL", '; approval "required"')];
  same("allow", await answer(use("yes"), { format }), { verdict: "allow", message: "", args: [["yes", { a: 1 }]] });
  for (const asking of [true, false]) {
    same("deny", await answer(use("no"), { format, ask: asking }), {
      ...{ verdict: "deny", output: deny(no), message: no, args: [["no", { a: 1 }]] },
    });
    same("allow, though it may ask", (await answer(use("yes"), { format, ask: asking })).verdict, "allow");
    same("another approval", (await answer(use("asked"), { format, ask: asking })).verdict, "deny");
  }
  const permission = { permissionDecision: "ask", permissionDecisionReason: ask };
  const question = { ...permission, hookSpecificOutput: { hookEventName: "PreToolUse", ...permission } };
  same("ask", (await answer(use("ask"), { format, ask: true })).output, format === "codex" ? deny(ask) : question);
  const late = wordsOf(
    "late",
    format === "codex" ? "APPROVAL" : "LATE",
    format === "codex" ? '; approval "required"' : "",
  );
  same("denied behind an approval", (await answer(use("late"), { format, ask: true })).output, deny(late));
  same("ask without a person", (await answer(use("ask"), { format })).output, deny(ask));
  for (const event of ["PostToolUseFailure", null, undefined])
    same(`at ${event}`, (await answer(use("yes", { hook_event_name: event }), { format })).verdict, "deny");
  same("a name that is not one", (await answer(use(["yes"]), { format })).verdict, "deny");
  same("a sub-agent", (await answer(use("yes", { agent_id: "a" }), { format })).verdict, "deny");
}

/** A person's yes would run a call that no store has counted. */
async function counted(): Promise<void> {
  const use = { hook_event_name: "PreToolUse", tool_name: "ask", tool_input: { a: 1 }, cwd: "/" };
  for (const [tools, verdict] of [
    [{ other: true }, "ask"],
    [{ ask: true }, "deny"],
    [undefined, "deny"],
  ] as const) {
    const limits = { L: { ...(tools === undefined ? {} : { calls: { tools } }), max_calls: 1 } } as PolicyLimits;
    const found = await answer(use, { format: "claude-code", ask: true }, undefined, limits);
    const isTold = found.message.endsWith('; approval "required"');
    same(`with ${JSON.stringify(limits)}`, [found.verdict, isTold], [verdict, true]);
  }
}

async function recorded(): Promise<void> {
  for (const [tool_name, expected] of [
    ["ask", ["APPROVAL"]],
    ["late", ["APPROVAL", "LATE"]],
  ] as const)
    for (const policy of [approvable(), { current: approvable() }]) {
      const gates: unknown[] = [];
      const record = ({ gate }: CallRecord): unknown => gates.push(gate);
      const text = JSON.stringify({ hook_event_name: "PreToolUse", tool_name, tool_input: {}, cwd: "/" });
      await answerHook(text, { policy, caller: CALLER, tools: TOOLS, record }, { format: "claude-code", ask: true });
      same(tool_name, gates, expected);
    }
}

/** A sub-agent calls at the end of its session's chain; what has ended well counts as done. */
async function callers(): Promise<void> {
  const { lineage = [], ...alone } = CALLER;
  const asked = async (caller: Caller, more: object, history?: HistoryStore) => {
    const limits = { L: { calls: { tools: { yes: true } }, per: ["role"], only_after: { tools: { yes: true } } } };
    const policy = Object.assign(deciding(ANSWERS), { limits: history === undefined ? {} : limits });
    const spawns = spawning({ desk: ["reader"] });
    const given = { policy, caller, tools: TOOLS, record: (): void => {}, history, spawns };
    const input = JSON.stringify({ tool: "yes", args: {}, ...more });
    const format = "succeeded" in more ? "ended" : "generic";
    const { verdict, message } = await answerHook(input, given, { format, ask: false });
    const [request] = policy.asked as readonly { readonly lineage?: unknown; readonly facts?: unknown }[];
    return { verdict, message, request };
  };
  same("the session", (await asked(CALLER, {})).request?.lineage, lineage);
  same("a sub-agent", (await asked(CALLER, { agent_type: "reader" })).request?.lineage, [
    ...lineage,
    { agent_type: "reader", spawn_depth: lineage.length },
  ]);
  const { verdict, message, request } = await asked(alone as Caller, { agent_type: "reader" });
  same("a sub-agent without a session's chain", [verdict, request], ["deny", undefined]);
  const why = 'the sub-agent "reader" calls, and `--lineage` does not say whose it is';
  same("why", message, `The call cannot be decided, so it is denied: ${why}`);
  same("without a chain", (await asked(alone as Caller, {})).verdict, "allow");
  const store = memoryHistory();
  const known = async (): Promise<string[]> => {
    const { facts } = (await asked(CALLER, {}, store)).request as {
      readonly facts: { readonly history: { readonly L: { readonly last_ms: object } } };
    };
    return Object.keys(facts.history.L.last_ms);
  };
  same("before", await known(), []);
  same("after an allow", await known(), []);
  for (const succeeded of [false, true]) {
    const { verdict, message, request } = await asked(CALLER, { succeeded }, store);
    same("an end", [verdict, message, request], ["allow", "", undefined]);
    same(`after ${succeeded}`, await known(), succeeded === true ? ["yes"] : []);
  }
  const untold = await asked(alone as Caller, { succeeded: true, agent_type: "reader" }, store);
  const uncounted = `The success of "yes" is not counted: ${why}`;
  same("uncounted", [untold.verdict, untold.message], ["deny", uncounted]);
}

/** Paths of arguments are resolved where the host says where the project lies. */
async function rooted(): Promise<void> {
  for (const [root, found] of [
    [undefined, undefined],
    ["/", { file: "etc/hosts" }],
  ] as const) {
    const policy = Object.assign(deciding(ANSWERS), { pathArguments: { yes: ["file"] }, limits: {} });
    const given = { policy: policy as never, caller: CALLER, tools: TOOLS, record: (): void => {}, root };
    const input = JSON.stringify({ tool: "yes", args: { file: "/etc/hosts" } });
    await answerHook(input, given, { format: "generic", ask: false });
    const [request] = policy.asked as readonly { readonly facts?: { readonly paths?: object } }[];
    same(`below ${root}`, request?.facts?.paths && { ...request.facts.paths }, found);
  }
}

/** Members by which a host is known. What only `generic` reads is then no call. */
async function recognised(): Promise<void> {
  const event = { hook_event_name: "PreToolUse", tool: "yes" };
  same("an unknown caller", (await answer(event)).verdict, "allow");
  for (const member of ["turn_id", "model"])
    same(`known by ${member}`, (await answer({ ...event, [member]: "x" })).verdict, "deny");
  const own = await answer({ sessionId: "s", toolName: "yes", toolArgs: "{" });
  same("arguments that are not JSON", [own.verdict, own.message.includes("not JSON as it should be")], ["deny", true]);
  for (const [length, isOne] of [
    [256, true],
    [257, false],
  ] as const) {
    const { message } = await answer({ tool: "yes", agent_type: "a".repeat(length) });
    same(`a type of ${length}`, message.includes("is not the type of a sub-agent"), !isOne);
  }
  for (const agent_type of ["", " \t", 5, ["a"]]) {
    const { message } = await answer({ tool: "yes", agent_type });
    same(`the type ${agent_type}`, message.includes("is not the type of a sub-agent"), true);
  }
}

async function refusals(): Promise<void> {
  const none = "standard input is no call of a tool: ";
  for (const [input, problem] of [
    ...["null", "[]", '[{"tool":"yes"}]', '"yes"', "1", "true"].map(
      (text) => [text, `${none}it is no object`] as const,
    ),
    ...["{}", '{"tool":""}', '{"tool":["yes"]}', '{"tool":1,"args":1}'].map(
      (text) => [text, `${none}\`tool\` is the name of a tool`] as const,
    ),
    ['{"tool":"yes","tool_name":"no"}', `${none}it has both \`tool\` and \`tool_name\``],
  ] as const) {
    const message = `The call cannot be decided, so it is denied: ${problem}`;
    same(input, await answer(input), { verdict: "deny", output: deny(message), message, args: [] });
  }
  const given = { policy: deciding(ANSWERS), caller: CALLER, tools: TOOLS, record: (): void => {} };
  const odd = await answerHook(undefined as never, given, { format: "auto", ask: false });
  same("no text", [odd.verdict, odd.output], ["deny", deny(odd.message)]);
  for (const text of [
    "",
    "{",
    "yes",
    '{"tool":"yes"} x',
    '{"tool":"yes","tool":"yes"}',
    '{"tool":"yes","args":{"a":1,"a":1}}',
  ]) {
    const { verdict, message, args } = await answer(text);
    const begun = message.startsWith(
      "The call cannot be decided, so it is denied: standard input is not JSON as it should be: ",
    );
    same(text, [verdict, begun, args], ["deny", true, []]);
  }
}

/** A call with `{`, a comma and the brackets of its arguments may have at most 99,998 items. */
async function values(): Promise<void> {
  const verdictOf = async (args: string): Promise<string> => {
    const { verdict, message } = await answer(`{"tool":"yes","args":${args}}`);
    return message.endsWith("standard input has more than 100000 values") ? "too many" : verdict;
  };
  const list = (item: string, count: number): string => `[${Array.from({ length: count }, () => item)}]`;
  same("as many as may be", await verdictOf(list("0", 99_998)), "allow");
  same("one more", await verdictOf(list("0", 99_999)), "too many");
  for (const item of ["[]", "{}"]) {
    same(`as many ${item} as may be`, await verdictOf(list(item, 49_999)), "allow");
    same(`more ${item}`, await verdictOf(list(item, 50_000)), "too many");
  }
  const marks = "[{,".repeat(40_000);
  same("marks of a text", await verdictOf(JSON.stringify(marks)), "allow");
  same("marks behind a quote of a text", await verdictOf(JSON.stringify(`"${marks}`)), "allow");
  same("marks behind a text", await verdictOf(`["\\\\",${list("0", 99_998)}]`), "too many");
  same("marks behind texts", await verdictOf(list('"a"', 99_999)), "too many");
}

/** A host may read another number than was decided on where its text is not a double. */
async function numbers(): Promise<void> {
  const problem = (number: string): string =>
    `standard input is no call of a tool: not every reader reads the number ${number} alike`;
  for (const number of ["9007199254740993", "1.00000000000000000001", "1e400", "-1e400", "1e-400"])
    for (const args of [number, `[0,${number}]`, `{"a":0,"b":{"c":[{},${number}]}}`]) {
      const { verdict, message, args: asked } = await answer(`{"tool":"yes","args":${args}}`);
      same(
        `${number} in ${args}`,
        [verdict, message, asked],
        ["deny", `The call cannot be decided, so it is denied: ${problem(number)}`, []],
      );
    }
  for (const number of ["9007199254740992", "0.1", "1.50", "1e3", "-0", "1e308", "5e-324"])
    same(number, (await answer(`{"tool":"yes","args":[${number},{"a":"9007199254740993"}]}`)).verdict, "allow");
}
