/** Adapters of agent SDKs, with tools of each one's form; and starts of sub-agents. The policy is a function. */
import type { CallDecision, CallRecord } from "@portcullis/runtime";
import { type AgentOptions, admitting, ToolDenied } from "../../../runtime/agents/admission.ts";
import { guardTools as guardAiTools } from "../../../runtime/agents/ai-sdk.ts";
import { guardTool as guardOpenAi } from "../../../runtime/agents/openai.ts";
import { run, stream } from "../../../runtime/agents/running.ts";
import { type Check, same } from "./check.ts";
import { claudeChecks } from "./claude-sessions.ts";
import { chainChecks } from "./langchain-tools.ts";
import { ALLOW, CONTEXT, DENIED, DENY, keeping, outcome, policyOf } from "./sdk-policy.ts";
import { startChecks } from "./starts.ts";

export function checks(): readonly Check[] {
  return [
    { what: "admissions", run: admissions },
    { what: "admissions that are denied", run: deniedOnes },
    { what: "sessions of SDKs", run: sessions },
    { what: "ends of tools", run: ends },
    { what: "parts of tools", run: parts },
    { what: "tools of the AI SDK", run: aiTools },
    { what: "tools of the AI SDK that tell of a failure", run: aiFailures },
    { what: "streaming tools of the AI SDK", run: aiStreams },
    { what: "tools of OpenAI Agents", run: openAi },
    ...chainChecks(),
    ...startChecks(),
    ...claudeChecks(),
  ];
}

async function admissions(): Promise<void> {
  const [policy, said]: [ReturnType<typeof policyOf>, string[]] = [policyOf(), []];
  const told: unknown[] = [];
  const context = (...given: unknown[]) => {
    told.push(given);
    return CONTEXT;
  };
  const admit = admitting(policy, context, "t", { history: keeping(said), tools: { t: "id" } });
  const args = { a: [1] };
  const asked = await admit(args, "call");
  if (asked instanceof ToolDenied) throw asked;
  same("a copy", [asked.args, asked.args === args, Object.isFrozen(asked.args)], [args, false, false]);
  same("told", told, [[args, "call"]]);
  same("asked", [policy.asked[0]?.tool, policy.asked[0]?.role, said], ["id", "R", []]);
  await asked.done("value");
  await asked.failed(new Error("later"));
  same("done", said, ["commit"]);
  const failing = await admit(args, "call");
  if (failing instanceof ToolDenied) throw failing;
  await failing.failed(new Error("no"));
  await failing.done("later");
  same("failed", said, ["commit"]);
  for (const tools of [undefined, {}, { other: "o" }, Object.create({ t: "inherited" }) as object]) {
    const own = admitting(policy, CONTEXT, "t", { history: keeping([]), ...(tools && { tools: tools as never }) });
    await own({}, undefined);
    same("its own name", policy.asked.at(-1)?.tool, "t");
  }
  for (const [options, given] of [
    [{ histroy: 1 }, CONTEXT],
    [{}, { rolle: "R" }],
  ] as const)
    same(
      "refused early",
      typeof (await outcome(() => admitting(policy, given as never, "t", options as never))),
      "string",
    );
}

async function deniedOnes(): Promise<void> {
  const said: string[] = [];
  const asked = await admitting(policyOf(DENY), CONTEXT, "t", { history: keeping(said) })({}, undefined);
  if (!(asked instanceof ToolDenied)) throw new Error("is not denied");
  same("denied", [asked.name, asked.message, asked.decision, asked.record.gate], ["ToolDenied", DENIED, DENY, "FLAGS"]);
  same("released", said, ["release"]);
  const odd = admitting(policyOf(), CONTEXT, "t", { history: keeping([]) });
  for (const args of [{ f: () => 1 }, { at: new Date() }])
    same("no data", (await odd(args, 0)) instanceof ToolDenied, true);
  const throws = (): never => {
    throw new Error("no");
  };
  for (const [options, context] of [
    [{ session: throws }, CONTEXT],
    [{ session: () => 7 as never }, CONTEXT],
    [{ session: () => null as never }, CONTEXT],
    [{}, throws],
  ] as const) {
    const records: CallRecord[] = [];
    const given = { ...options, history: keeping([]), record: (one: CallRecord) => void records.push(one) };
    const found = await admitting(policyOf(), context as never, "t", given)({}, "call");
    if (!(found instanceof ToolDenied)) throw new Error("is not denied");
    same("a fault", [found.message, records], ['The policy denies "t": INTERNAL_ERROR, invalid input', [found.record]]);
  }
}

async function sessions(): Promise<void> {
  for (const [session, expected] of [
    ["s", "s"],
    [(call: string) => call, "call"],
    [() => undefined, undefined],
    [undefined, undefined],
  ] as const) {
    const policy = policyOf();
    const options: AgentOptions<string> = { history: keeping([]), ...(session && { session }) };
    await admitting(policy, CONTEXT, "t", options)({}, "call");
    same("a session", (policy.asked[0] as unknown as { facts: { session?: string } }).facts.session, expected);
  }
}

const admission = (said: unknown[], args: unknown = { a: 1 }) => ({
  args,
  done: async (value: unknown) => void said.push(["done", value]),
  failed: async (error: unknown) => void said.push(["failed", error instanceof Error ? error.message : error]),
});

async function ends(): Promise<void> {
  const said: unknown[] = [];
  same("a value", await run(admission(said), async (args) => [args]), [{ a: 1 }]);
  same("done", said.splice(0), [["done", [{ a: 1 }]]]);
  for (const fails of [
    () => {
      throw new Error("own");
    },
    () => Promise.reject(new Error("own")),
  ])
    same("its own error", await outcome(() => run(admission(said), fails)), "Error: own");
  same("failed", said.splice(0), [
    ["failed", "own"],
    ["failed", "own"],
  ]);
  const isFailure = (value: unknown): boolean => value === "bad";
  await run(admission(said), () => "bad", { isFailure });
  await run(admission(said), () => "good", { isFailure });
  same("judged", said.splice(0), [
    ["failed", "bad"],
    ["done", "good"],
  ]);
  for (const value of [null, 7, "text", { next: () => 1 }, { async *[Symbol.asyncIterator]() {} }]) {
    const given = await run(admission(said), () => value, { streams: true });
    same("no generator", [given === value, said.splice(0).length], [true, 1]);
  }
  const generator = counting(1);
  same("not read here", await run(admission(said), () => generator), generator);
  same("a value, too", said.splice(0).length, 1);
}

async function* counting(to: number): AsyncGenerator<number, string> {
  for (let i = 1; i <= to; i++) yield i;
  return "end";
}

async function read(given: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const part of given) found.push(part);
  return found;
}

async function parts(): Promise<void> {
  const said: unknown[] = [];
  const held = (await run(admission(said), () => counting(2), { streams: true })) as AsyncGenerator<number>;
  same("the first", [await held.next(), said.length], [{ value: 1, done: false }, 0]);
  same(
    "all",
    [await held.next(), await held.next()],
    [
      { value: 2, done: false },
      { value: "end", done: true },
    ],
  );
  same("done first", said.splice(0), [
    ["done", "end"],
    ["failed", "the reader has left"],
  ]);
  for await (const _ of stream(admission(said), () => counting(2))) break;
  same("left", said.splice(0), [["failed", "the reader has left"]]);
  const failing = stream(admission(said), async function* () {
    yield 1;
    throw new Error("own");
  });
  same("its own error", await outcome(() => read(failing)), "Error: own");
  same("failed first", said.splice(0)[0], ["failed", "own"]);
}

type Held = Record<string, { execute(args: unknown, call: unknown): unknown; readonly [member: string]: unknown }>;
const AI_CALL = { toolCallId: "c", messages: [] };

async function aiTools(): Promise<void> {
  const said: string[] = [];
  const hold = (tool: object, answer: CallDecision = ALLOW): Held =>
    guardAiTools(policyOf(answer), CONTEXT, { t: tool }, { history: keeping(said) }) as never as Held;
  const calls: unknown[] = [];
  const tool = {
    word: "own",
    execute(this: { readonly word: string }, ...given: unknown[]) {
      calls.push(given);
      return this.word;
    },
  };
  const held = hold(tool);
  same("its members", [held["t"]?.["word"], Object.keys(held), held["constructor"]], ["own", ["t"], undefined]);
  same("allowed", await held["t"]?.execute({ a: 1 }, AI_CALL), "own");
  same("once", [calls, said.splice(0)], [[[{ a: 1 }, AI_CALL]], ["commit"]]);
  same("denied", await outcome(() => hold(tool, DENY)["t"]?.execute({}, AI_CALL)), DENIED);
  same("not run", [calls.length, said.splice(0)], [1, ["release"]]);
  const why = (tail: string): string =>
    `TypeError: the tool \`t\` does not run here, so that no policy can hold it: ${tail}`;
  for (const [odd, tail] of [
    [{}, "it has no `execute`"],
    [{ execute: "x" }, "it has no `execute`"],
    [{ execute: () => 1, isProviderExecuted: true }, "its provider runs it"],
    [{ isProviderExecuted: true }, "its provider runs it"],
    ...[Symbol.for("vercel.ai.toolSearch"), "experimental_toolCaller"].map(
      (mark) => [{ execute: () => 1, [mark]: 1 }, "the SDK puts another function in place of its `execute`"] as const,
    ),
  ] as const)
    same(tail, await outcome(() => hold(odd)), why(tail));
  same("run here", await hold({ execute: () => 1, isProviderExecuted: false })["t"]?.execute({}, AI_CALL), 1);
}

/** A tool may tell the model of its result as a failure. */
async function aiFailures(): Promise<void> {
  const said: string[] = [];
  const hold = (tool: object): Held =>
    guardAiTools(policyOf(), CONTEXT, { t: tool }, { history: keeping(said) }) as never as Held;
  const told: unknown[] = [];
  const telling = (type: unknown) => (asked: unknown) => {
    told.push(asked);
    if (type === "thrown") throw new Error("no text");
    return type === "nothing" ? undefined : Promise.resolve({ type });
  };
  const [execute, streamed] = [
    () => "out",
    async function* () {
      yield 1;
      yield "out";
    },
  ];
  for (const [type, ends] of [
    ...[["text", "commit"] as const, ["nothing", "commit"] as const],
    ...["error-text", "error-json", "execution-denied", "thrown"].map((type) => [type, undefined] as const),
  ]) {
    await hold({ execute, toModelOutput: telling(type) })["t"]?.execute({ a: 1 }, AI_CALL);
    same(type, said.splice(0), ends === undefined ? [] : [ends]);
    await read(hold({ execute: streamed, toModelOutput: telling(type) })["t"]?.execute({ a: 1 }, AI_CALL) as never);
    same(`${type} of parts`, said.splice(0), ends === undefined ? [] : [ends]);
    const asked = { toolCallId: "c", input: { a: 1 }, output: "out" };
    same(`what ${type} is asked`, told.splice(0), [asked, asked]);
  }
  for (const toModelOutput of [undefined, "error-text"]) {
    await hold({ execute, toModelOutput })["t"]?.execute({}, AI_CALL);
    same("no function", said.splice(0), ["commit"]);
  }
  for (const toModelOutput of [undefined, telling("text")]) {
    await hold({ execute: () => ({ isError: true }), toModelOutput })["t"]?.execute({}, AI_CALL);
    same("an error of a server", said.splice(0), []);
  }
}

async function aiStreams(): Promise<void> {
  const said: string[] = [];
  const hold = (execute: unknown, answer: CallDecision = ALLOW) => {
    const seen: unknown[] = [];
    const succeeded = (value: unknown): boolean => seen.push(value) > 0;
    const options = { history: keeping(said), succeeded };
    const tools = guardAiTools(policyOf(answer), CONTEXT, { t: { execute } }, options) as never as Held;
    return { seen, ask: (args: unknown) => tools["t"]?.execute(args, AI_CALL) };
  };
  const count = async function* ({ to }: { readonly to: number }) {
    for (let i = 1; i <= to; i++) yield i;
  };
  const streaming = hold(count);
  same("parts", await read(streaming.ask({ to: 3 }) as AsyncIterable<number>), [1, 2, 3]);
  same("judged by the last", [streaming.seen, said.splice(0)], [[3], ["commit"]]);
  for await (const _ of hold(count).ask({ to: 3 }) as AsyncIterable<number>) break;
  same("left", said.splice(0), []);
  same("denied", await outcome(() => read(hold(count, DENY).ask({ to: 1 }) as AsyncIterable<number>)), DENIED);
  said.splice(0);
  const whole = hold((args: { readonly to: number }) => count(args));
  same("the last", [await whole.ask({ to: 3 }), whole.seen], [3, [3]]);
  same("of nothing", await whole.ask({ to: 0 }), undefined);
  for (const value of [null, 7, "text", { a: 1 }]) same("no parts", await hold(() => value).ask({}), value);
  same(
    "a promise of parts is a value",
    await read((await hold(async () => count({ to: 2 })).ask({})) as never),
    [1, 2],
  );
}

type Made = { readonly name: string; execute(...given: unknown[]): Promise<unknown> };

async function openAi(): Promise<void> {
  const said: string[] = [];
  const told: unknown[] = [];
  const make = (definition: object, answer: CallDecision = ALLOW): Made =>
    guardOpenAi(
      (one: object) => one as Made,
      policyOf(answer),
      (_: unknown, call: unknown) => {
        told.push(call);
        return CONTEXT;
      },
      { history: keeping(said) },
    )(definition);
  const calls: unknown[] = [];
  const execute = (...given: unknown[]): string => `${calls.push(given)}`;
  const held = make({ name: "t", description: "d", execute });
  same("its members", [held.name, (held as never as { description: string }).description], ["t", "d"]);
  same("allowed", await held.execute({ a: 1 }, "run", "details"), "1");
  same(
    "once",
    [calls, told, said.splice(0)],
    [[[{ a: 1 }, "run", "details"]], [{ runContext: "run", details: "details" }], ["commit"]],
  );
  same("denied", await make({ name: "t", execute }, DENY).execute({}), DENIED);
  const thrown = await make({ name: "t", execute, outputSchema: {} }, DENY)
    .execute({})
    .then(
      (value) => ["given", value],
      (error: Error) => ["thrown", error.message],
    );
  same("denied, with a schema", thrown, ["thrown", DENIED]);
  same("not run", [calls.length, said.splice(0)], [1, ["release", "release"]]);
  const named = make({
    word: "own",
    async execute(this: { readonly word: string }) {
      return this.word;
    },
  });
  same("the function's name", [named.name, await named.execute({})], ["execute", "own"]);
  const already = (what: string): string =>
    `TypeError: ${what} is made already: give \`tool\` its definition, with \`execute\``;
  for (const [definition, expected] of [
    [{ type: "function", name: "t", execute }, already("the tool `t`")],
    [{ invoke: execute, execute }, already("a tool")],
    [{ type: "hosted_tool", name: "w" }, already("the tool `w`")],
    [{ name: "t" }, "TypeError: the tool `t` has no `execute`, so that no policy can hold it"],
    [{ execute: 7 }, "TypeError: a tool has no `execute`, so that no policy can hold it"],
  ] as const)
    same(expected, await outcome(() => make(definition)), expected);
}
