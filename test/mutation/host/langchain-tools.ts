/** Tools of LangChain's form: what is held of them, and what is refused. */
import { ToolDenied } from "../../../runtime/agents/admission.ts";
import { guardTools } from "../../../runtime/agents/langchain.ts";
import { type Check, same } from "./check.ts";
import { ALLOW, CONTEXT, DENIED, DENY, keeping, outcome, policyOf } from "./sdk-policy.ts";

export function chainChecks(): readonly Check[] {
  return [
    { what: "tools of LangChain", run: tools },
    { what: "denials in LangChain", run: denials },
    { what: "tools that LangChain does not hold", run: refused },
    { what: "streaming tools of LangChain", run: streams },
    { what: "tools of LangChain that tell of a failure", run: failures },
  ];
}

const CONFIG = { toolCall: { id: "c" } };

/** `invoke` calls `call`, which parses, calls `_call` and makes a message where a model has called. */
class Structured {
  readonly name: string = "t";
  responseFormat = "content";
  func: ((...given: never) => unknown) | undefined;
  constructor(func?: (...given: never) => unknown) {
    if (func !== undefined) this.func = func;
  }
  get lc_namespace(): readonly string[] {
    return ["langchain", "tools"];
  }
  async invoke(input: unknown, config: unknown): Promise<unknown> {
    return this.call(input, config);
  }
  async call(input: unknown, config: unknown): Promise<unknown> {
    const made = await this._call({ pages: 3, ...(input as object) } as never, "manager", config);
    if (typeof made === "object" && made !== null && Symbol.asyncIterator in made) return made;
    const [content, artifact] = this.responseFormat === "content" ? [made] : (made as unknown[]);
    return (config as typeof CONFIG).toolCall ? { status: "success", content, artifact } : content;
  }
  _call(...given: unknown[]): unknown {
    return (this.func as (...all: unknown[]) => unknown)(...given);
  }
}

function hold<Tool extends object>(tool: Tool, said: string[] = [], answer = ALLOW, asked = policyOf(answer)): Tool {
  const [held] = guardTools(asked, CONTEXT, [tool] as never, { history: keeping(said) }) as readonly Tool[];
  return held as Tool;
}

async function tools(): Promise<void> {
  const [calls, said]: [unknown[], string[]] = [[], []];
  const policy = policyOf();
  const tool = new Structured((...given: unknown[]) => `${calls.push(given)}`);
  const held = hold(tool, said, ALLOW, policy);
  same("allowed", await held.invoke({ a: 1 }, CONFIG), { status: "success", content: "1" });
  same("once", [calls, said], [[[{ pages: 3, a: 1 }, "manager", CONFIG]], ["commit"]]);
  same("asked", [policy.asked[0]?.tool, policy.asked[0]?.args], ["t", { pages: 3, a: 1 }]);
  same("itself", [held instanceof Structured, held.name, held === tool], [true, "t", false]);
  const behind = "TypeError: `t` is held by a policy: use `invoke`";
  for (const run of [() => held._call({}), () => (held.func as unknown as (given: object) => unknown)({})])
    same("not behind the policy", await outcome(run), behind);
  same("not run", calls.length, 1);
  class Own extends Structured {
    override _call(): string {
      return "own";
    }
  }
  const own = hold(new Own());
  same("without a function", [await own.invoke({}, {}), "func" in own && own.func], ["own", undefined]);
  const failing = hold(new Structured(() => Promise.reject(new Error("own"))), said);
  same("its own error", [await outcome(() => failing.invoke({}, CONFIG)), said.length], ["Error: own", 1]);
  class Passing extends Structured {
    override async call(): Promise<string> {
      return "ran";
    }
  }
  const passes = "TypeError: `t` passes by its `_call`: no policy can hold it";
  same("passes by", await outcome(() => hold(new Passing()).invoke({}, CONFIG)), passes);
}

async function denials(): Promise<void> {
  const [calls, said]: [unknown[], string[]] = [[], []];
  const func = (): unknown => calls.push(1);
  const answer = { status: "error", content: DENIED };
  same("to a model", await hold(new Structured(func), said, DENY).invoke({}, CONFIG), answer);
  const pairs = new Structured(func);
  pairs.responseFormat = "content_and_artifact";
  same("with an artifact", await hold(pairs, said, DENY).invoke({}, CONFIG), answer);
  same("to a program", await outcome(() => hold(new Structured(func), said, DENY).invoke({}, {})), DENIED);
  for (const made of [null, 7, "text", { content: DENIED }]) {
    class Making extends Structured {
      override async call(input: unknown, config: unknown): Promise<unknown> {
        await super.call(input, config);
        return made;
      }
    }
    const thrown = await hold(new Making(func), said, DENY)
      .invoke({}, CONFIG)
      .then(
        () => false,
        (error: unknown) => error instanceof ToolDenied,
      );
    same("no message", thrown, true);
  }
  same("not run", [calls, new Set(said)], [[], new Set(["release"])]);
}

async function refused(): Promise<void> {
  const call = (): number => 1;
  const none = (what: string): string =>
    `TypeError: ${what} is not a StructuredTool of LangChain, so that no policy can hold it`;
  for (const [tool, expected] of [
    [{ name: "r", invoke: call, call }, none("the tool `r`")],
    [{ name: "r", invoke: call, _call: call }, none("the tool `r`")],
    [{ invoke: call, call, _call: call }, none("a tool")],
    [{ name: 7, invoke: call, call, _call: call }, none("a tool")],
    [null, none("a tool")],
    [
      { name: "r", call, _call: call },
      "TypeError: the tool `r` has an `invoke` of its own, so that no policy can hold it: make it with `tool`",
    ],
  ] as const)
    same(expected, await outcome(() => hold(tool as never)), expected);
  class Invoking extends Structured {
    override async invoke(): Promise<string> {
      return "ran";
    }
  }
  const own = "TypeError: the tool `t` has an `invoke` of its own, so that no policy can hold it: make it with `tool`";
  same("an own `invoke`", await outcome(() => hold(new Invoking())), own);
  class Named extends Structured {
    override get lc_namespace(): readonly string[] {
      return ["own"];
    }
    override async invoke(): Promise<string> {
      return "ran";
    }
  }
  same("an own name, too", await outcome(() => hold(new Named())), own);
  const methods = { call: () => "ran", _call: () => "ran" };
  for (const alike of [methods, { ...methods, invoke: () => "ran" }])
    same("methods alone", await outcome(() => hold(Object.assign(Object.create(alike), { name: "t" }))), own);
  same("twice", await outcome(() => hold(hold(new Structured()))), "TypeError: the tool `t` is held already");
}

async function streams(): Promise<void> {
  const said: string[] = [];
  const count = async function* () {
    yield 1;
    return "end";
  };
  const parts = (await hold(new Structured(count), said).invoke({}, CONFIG)) as AsyncGenerator<number>;
  same("a part", [await parts.next(), said.length], [{ value: 1, done: false }, 0]);
  same("the end", [await parts.next(), said], [{ value: "end", done: true }, ["commit"]]);
}

async function failures(): Promise<void> {
  const isSuccess = async (value: unknown, responseFormat = "content"): Promise<boolean> => {
    const said: string[] = [];
    const tool = new Structured(() => value);
    tool.responseFormat = responseFormat;
    await outcome(() => hold(tool, said).invoke({}, CONFIG));
    return said.includes("commit");
  };
  const [bad, good] = [{ status: "error" }, { status: "success" }];
  const passedOn = { lc_direct_tool_output: true };
  const [badMessage, goodMessage] = [
    { ...passedOn, ...bad },
    { ...passedOn, ...good },
  ];
  const command = (update: unknown): object => ({ ...passedOn, update });
  for (const value of [
    ...["text", null, [bad], bad, goodMessage, command(undefined), command({ messages: [] })],
    ...[command({ messages: [good] }), { update: { messages: [bad] } }, ["text", badMessage]],
  ])
    same(`a success: ${JSON.stringify(value)}`, await isSuccess(value), true);
  for (const value of [
    ...[badMessage, [badMessage], command({ messages: [bad] }), command({ messages: [good, bad] })],
    ...[command({ messages: bad }), command([["messages", [bad]]])],
  ])
    same(`none: ${JSON.stringify(value)}`, await isSuccess(value), false);
  const pairs = "content_and_artifact";
  for (const value of [
    ["text", "file"],
    [goodMessage, "file"],
    ["text", badMessage],
  ])
    same(`a pair: ${JSON.stringify(value)}`, await isSuccess(value, pairs), true);
  for (const value of [[badMessage, "file"], ["text"], ["text", 1, 2], "ab", { length: 2 }, null])
    same(`no pair: ${JSON.stringify(value)}`, await isSuccess(value, pairs), false);
  const ends = async function* () {
    yield "part";
    return badMessage;
  };
  const said: string[] = [];
  const parts = (await hold(new Structured(ends), said).invoke({}, CONFIG)) as AsyncGenerator<unknown>;
  same("the end", [(await parts.next()).done, (await parts.next()).done, said], [false, true, []]);
}
