/** What the guards promise, asked of one build of them. */
import { isDeepStrictEqual } from "node:util";

export interface Guards {
  readonly guardTool: (...args: unknown[]) => (...args: unknown[]) => Promise<Record<string, unknown>>;
  readonly guardTools: (...args: unknown[]) => Record<string, (...args: unknown[]) => Promise<Record<string, unknown>>>;
  readonly guardTurn: (...args: unknown[]) => Record<string, unknown>;
}

const ALLOW = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
const DENY = { allowed: false, gate: "FLAGS", reason: "flag_prohibited", flags: ["x"] };
const CONTEXT = {
  ...{ role: "R", lane: "L", scope: { k: 1 }, flags: ["f"], writes: [] },
  lineage: [{ agent_type: "a" }, {}, 7, null],
  approval: { ref: "A", by: "me" },
};
const TOOL = { role: "R", lane: "L", scope: { k: 1 }, flags: ["f"], writes: [] };
const fails = (): never => {
  throw new Error("no");
};

function noting<Answer>(list: unknown[], given: unknown, answer: Answer): Answer {
  list.push(given);
  return answer;
}

/** What went wrong; nothing where everything is as it should be. */
export async function guardsHold(guards: Guards): Promise<string | undefined> {
  try {
    for (const [what, found, expected] of await answersOf(guards))
      if (!isDeepStrictEqual(found, expected)) return `${what}: ${JSON.stringify(found)}`;
    return undefined;
  } catch (error) {
    return String(error);
  }
}

type Answer = readonly [what: string, found: unknown, expected: unknown];

async function answersOf({ guardTool, guardTools, guardTurn }: Guards): Promise<Answer[]> {
  return [
    ...(await tools(guardTool)),
    ...(await values(guardTool)),
    ...(await record(guardTools)),
    ...(await paths(guardTool)),
    ...(await histories(guardTool)),
    ...(await approvals(guardTool)),
    ...turns(guardTurn),
  ];
}

/** A store that reserves one call, and takes down what becomes of it. */
function keeping(said: unknown[], reserve?: () => unknown): object {
  const reservation = {
    facts: { now: 5, history: { X: { calls: 0, sum: 0, last_ms: {} } } },
    isReserved: true,
    commit: async () => void said.push("commit"),
    release: async () => void said.push("release"),
  };
  return { reserve: async () => reserve?.() ?? reservation };
}

async function histories(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const found: Answer[] = [];
  const limits = { X: { calls: { tools: { t: true } }, per: [], max_calls: 1 } };
  const seen: unknown[] = [];
  const policyOf = (answer: unknown): object => ({
    ...{ limits, historyName: "h", revision: "r" },
    call: (request: unknown) => noting(seen, request, answer),
  });
  const facts = { now: 5, history: { X: { calls: 0, sum: 0, last_ms: {} } } };
  const good: readonly (readonly [succeeded: unknown, said: readonly string[]])[] = [
    [undefined, ["commit"]],
    [() => true, ["commit"]],
    [() => 1, []],
    [() => false, []],
    [fails, []],
  ];
  for (const [succeeded, expected] of good) {
    const said: unknown[] = [];
    const options = { history: keeping(said), ...(succeeded === undefined ? {} : { succeeded }) };
    const { allowed, value } = await guardTool(policyOf(ALLOW), {}, "t", () => "done", options)(undefined);
    found.push([
      "with a history",
      [allowed, value, seen.splice(0), said],
      [true, "done", [{ tool: "t", facts }], expected],
    ]);
  }
  const said: unknown[] = [];
  const denied = await guardTool(policyOf(DENY), {}, "t", fails, { history: keeping(said) })(undefined);
  found.push(["a denial is given back", [denied["decision"], said], [DENY, ["release"]]]);
  const problem = "the history of the call is not known: no";
  const fault = { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input", problem };
  for (const [answer, decision] of [
    [ALLOW, fault],
    [DENY, { ...DENY, problem }],
  ] as const) {
    const outcome = await guardTool(policyOf(answer), {}, "t", fails, { history: keeping([], fails) })(undefined);
    found.push(["without an answer of the store", outcome["decision"], decision]);
  }
  const full = { facts, isReserved: false, commit: async () => {}, release: async () => {} };
  const unreserved = { ...fault, problem: "the store has reserved nothing for it" };
  for (const [answer, decision] of [[ALLOW, unreserved] as const, [DENY, DENY] as const]) {
    const outcome = await guardTool(policyOf(answer), {}, "t", fails, { history: keeping([], () => full) })(undefined);
    found.push(["where nothing was reserved", outcome["decision"], decision]);
  }
  const broken = { call: () => ALLOW, limits: { X: 7 } };
  found.push(["limits of another form", (await guardTool(broken, {}, "t", fails)({}))["allowed"], false]);
  const { record: written } = await guardTool(policyOf(ALLOW), fails, "t", fails)(undefined);
  found.push(["a context that throws names the policy", (written as { revision?: unknown }).revision, "r"]);
  return found;
}

async function approvals(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const found: Answer[] = [];
  const bound = { tools: ["t"], approvers: {}, revision: "r" };
  for (const [approval, times] of [["bound", 1] as const, ["required", 0] as const, [undefined, 0] as const]) {
    const calls: unknown[] = [];
    const source = {
      find: () => [],
      ask: (digest: unknown, call: unknown) => noting(calls, [digest, call], undefined),
    };
    const answer = { allowed: false, gate: "G", reason: "r", ...(approval === undefined ? {} : { approval }) };
    const policy = { call: () => answer, approvals: bound };
    const outcome = await guardTool(policy, {}, "t", fails, { approvals: source })(undefined);
    found.push(["asks people", [outcome["allowed"], calls.length], [false, times]]);
  }
  // Whose approvals cannot be read: a denial for lack of one says that, and no other does.
  for (const [gate, expected] of [
    ["APPROVAL", "INTERNAL_ERROR"],
    ["SCOPE", "SCOPE"],
  ] as const) {
    const policy = { call: () => ({ allowed: false, gate, reason: "r" }), approvals: bound };
    const outcome = await guardTool(policy, {}, "t", fails, { approvals: { find: fails } })(undefined);
    const decision = outcome["decision"] as { readonly gate: string; readonly problem?: string };
    found.push([`approvals that are not known, ${gate}`, decision.gate, expected]);
    const isSaid = decision.problem?.startsWith("the approvals of the call are not known") === true;
    found.push([`their problem, ${gate}`, isSaid, gate === "APPROVAL"]);
  }
  return found;
}

function clockOf(...readings: unknown[]): () => unknown {
  return () => readings.shift();
}

/** Fails at one of its readings, and says 0 at the others. */
function failingAt(reading: number): () => number {
  let readings = 0;
  return () => (readings++ === reading ? fails() : 0);
}

function spun(milliseconds: number): number {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
  return 0;
}

function evaluationOf(outcome: Record<string, unknown>): unknown {
  return (outcome["record"] as { evaluation_ms: number }).evaluation_ms;
}

async function tools(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const found: Answer[] = [];
  for (const answer of [
    ALLOW,
    DENY,
    null,
    1,
    {},
    { allowed: true },
    { ...ALLOW, gate: 1 },
    { ...ALLOW, reason: 1 },
    { ...ALLOW, allowed: 1 },
  ]) {
    const seen: unknown[] = [];
    const lines: string[] = [];
    const records: unknown[] = [];
    const policy = { call: (request: unknown) => noting(seen, request, answer), revision: "r" };
    const options = {
      log: (l: string) => lines.push(l),
      record: (r: unknown) => records.push(r),
      now: clockOf(1, 8.25),
    };
    const ran: unknown[] = [];
    const run = guardTool(
      { current: policy },
      CONTEXT,
      "t",
      (...args: unknown[]) => noting(ran, args, "done"),
      options,
    );
    const outcome = await run({ a: [1] }, "host");
    const good = answer === ALLOW;
    const decided =
      good || answer === DENY
        ? (answer as typeof ALLOW)
        : { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input" };
    const { allowed: _, gate, reason, ...details } = decided;
    const asked = { tool: "t", ...TOOL, lineage: CONTEXT.lineage, approval: CONTEXT.approval, args: { a: [1] } };
    const written = {
      ...{ disposition: good ? "ALLOW" : "DENY", role: "R", lane: "L", tool: "t", gate, reason, evaluation_ms: 7.25 },
      ...{ revision: "r", lineage: ["a", "", "", ""] },
      ...(good ? { approvalRef: "A", approvedBy: "me" } : {}),
      ...(Object.keys(details).length > 0 ? { details } : {}),
    };
    const { allowed, decision, ...rest } = outcome;
    found.push(
      ["asked", seen, [asked]],
      ["ran", ran, good ? [[{ a: [1] }, "host"]] : []],
      ["outcome", [allowed, decision], [good, decided]],
      ["rest", rest, good ? { value: "done", record: written } : { record: written }],
      ["records", records, [written]],
      [
        "lines",
        lines.map((line) =>
          line.startsWith(`tool-call ${good ? "ALLOW" : "DENY"} gate=${gate} evaluation_ms=7.250 role="R"`),
        ),
        [true],
      ],
    );
  }
  const policy = { call: () => ALLOW };
  const broken = { log: fails, record: fails, now: fails };
  const plain = await guardTool(policy, { role: 7 }, "t", () => 1, broken)(undefined);
  found.push([
    "plain",
    plain,
    {
      allowed: true,
      value: 1,
      decision: ALLOW,
      record: {
        ...{ disposition: "ALLOW", role: "", lane: "", tool: "t" },
        ...{ gate: "ALLOW", reason: "call_allowed", evaluation_ms: 0 },
      },
    },
  ]);
  const back = await guardTool(policy, {}, "t", () => 1, { now: clockOf(5, 4) })(undefined);
  found.push(["a clock that goes back", (back["record"] as typeof ALLOW & { evaluation_ms: number }).evaluation_ms, 0]);
  const infinite = await guardTool(policy, {}, "t", () => 1, { now: clockOf(0, Number.POSITIVE_INFINITY) })(undefined);
  found.push(["a clock without end", (infinite["record"] as { evaluation_ms: number }).evaluation_ms, 0]);
  const clocks: readonly (readonly [string, () => unknown])[] = [
    ["a clock without beginning", clockOf(Number.POSITIVE_INFINITY, 0)],
    ["a clock that fails first", failingAt(0)],
    ["a clock that fails last", failingAt(1)],
  ];
  for (const [what, now] of clocks)
    found.push([what, evaluationOf(await guardTool(policy, {}, "t", () => 1, { now })(undefined)), 0]);
  const slow = { call: () => noting([], performance.now() + spun(2), ALLOW) };
  found.push([
    "a clock of its own",
    Number(evaluationOf(await guardTool(slow, {}, "t", () => 1)(undefined))) >= 2,
    true,
  ]);
  const lines: string[] = [];
  const odd = { call: () => ({ ...DENY, gate: "A\nB" }) };
  await guardTool(odd, {}, "t", () => 1, { log: (line: string) => lines.push(line) })(undefined);
  found.push(["one line", lines.some((line) => line.includes("\n")), false]);
  const scoped = await guardTool(
    policy,
    (args: unknown) => (Object.isFrozen(args) ? {} : fails()),
    "t",
    () => 1,
  )({});
  found.push(["a context of frozen arguments", scoped["allowed"], true]);
  found.push(["a context that throws", (await guardTool(policy, fails, "t", fails)({}))["allowed"], false]);
  found.push([
    "no context",
    (await guardTool({ call: () => DENY }, Object.create(CONTEXT), "t", fails)({}))["allowed"],
    false,
  ]);
  const inherited: unknown[] = [];
  await guardTool(
    { call: (one: unknown) => noting(inherited, one, DENY) },
    Object.create(CONTEXT),
    "t",
    fails,
  )(undefined);
  found.push(["what is inherited", inherited, [{ tool: "t" }]]);
  found.push([
    "an error of the tool",
    await guardTool(policy, {}, "t", fails)({}).then(() => "none", String),
    "Error: no",
  ]);
  found.push(["no function", attempt(() => guardTool(policy, {}, "t", 7)), "thrown"]);
  found.push(["no policy", (await guardTool({}, {}, "t", fails)({}))["allowed"], false]);
  return found;
}

function attempt(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch {
    return "thrown";
  }
}

/** `depth` lists or objects, one in the other, around a number. */
function nested(depth: number, around: (value: unknown) => unknown = (value) => [value]): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = around(value);
  return value;
}
const inObject = (a: unknown): object => ({ a });

async function values(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const through = async (args: unknown): Promise<unknown> => {
    const policy = { call: () => ALLOW };
    const { allowed, value } = await guardTool(policy, {}, "t", (given: unknown) => given)(args);
    return allowed === true ? value : "denied";
  };
  const kept = [
    null,
    true,
    "",
    1.5,
    2n,
    [1, [null]],
    { a: { b: [] } },
    JSON.parse('{"__proto__":1}'),
    new Array(249_999).fill(0),
    nested(1_000),
    nested(1_000, inObject),
  ];
  const halfLong = new Proxy([1], { get: (list, key) => (key === "length" ? 1.5 : Reflect.get(list, key)) });
  const accessor = Object.defineProperty({}, "a", { get: () => 1, enumerable: true });
  const refused = [
    ...[Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol("s"), [undefined], new Array(1), new Date(0), new Map()],
    ...[accessor, new Array(250_000).fill(0), nested(1_001), nested(1_001, inObject), [() => 1]],
    ...[halfLong, [...new Array(249_997).fill(0), { a: 0, b: 0 }]],
  ];
  const found: Answer[] = [];
  for (const value of kept) found.push(["kept", await through(value), value]);
  for (const [i, value] of refused.entries()) found.push([`refused ${i}`, await through(value), "denied"]);
  found.push(["absent members", await through({ a: undefined, b: 1 }), { b: 1 }]);
  const frozen = (await through({ a: [{}] })) as { a: object[] };
  found.push(["frozen", [frozen, frozen.a, frozen.a[0]].map((one) => Object.isFrozen(one)), [true, true, true]]);
  return found;
}

/** Facts are there where the policy names arguments and the host resolves them, and nowhere else. */
async function paths(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const resolve = (text: string) => ({ path: `in/${text}`, absolute: `/root/${text}` });
  const asked = async (pathArguments: unknown, options: object): Promise<string> => {
    const seen: unknown[] = [];
    const decider = { pathArguments, call: (request: unknown) => noting(seen, request, ALLOW) };
    const run = guardTool(decider, {}, "t", (args: unknown) => args, options);
    const { allowed, value } = await run({ file: "a", other: "b" });
    return JSON.stringify([allowed, value, seen]);
  };
  const raw = { file: "a", other: "b" };
  const resolved = { file: "/root/a", other: "b" };
  const plain = JSON.stringify([true, raw, [{ tool: "t", args: raw }]]);
  const withFacts = JSON.stringify([true, resolved, [{ tool: "t", args: raw, facts: { paths: { file: "in/a" } } }]]);
  return [
    ["paths", await asked({ t: ["file"] }, { paths: resolve }), withFacts],
    ["no resolver", await asked({ t: ["file"] }, {}), plain],
    ["no path of the tool", await asked({ u: ["file"] }, { paths: resolve }), plain],
    ["no list", await asked({ t: 7 }, { paths: resolve }), plain],
    ["no paths at all", await asked(undefined, {}), plain],
  ];
}

async function record(guardTools: Guards["guardTools"]): Promise<Answer[]> {
  const guarded = guardTools(
    { call: ({ tool }: { tool: string }) => (tool === "a" ? ALLOW : DENY) },
    {},
    { a: () => 1, b: fails },
  );
  return [
    ["tools", Object.keys(guarded), ["a", "b"]],
    ["frozen", Object.isFrozen(guarded), true],
    ["nothing else", guarded["constructor"], undefined],
    ["outcomes", [(await guarded["a"]?.({}))?.["allowed"], (await guarded["b"]?.({}))?.["allowed"]], [true, false]],
  ];
}

const DELEGATED = { ...ALLOW, allowlistedSubagents: ["A", "B"], delegatedSubagents: ["A"] };

function turns(guardTurn: Guards["guardTurn"]): Answer[] {
  const found: Answer[] = [];
  const through = (answer: unknown, turn: unknown, options: object = {}): readonly [unknown, unknown[]] => {
    const seen: unknown[] = [];
    const result = guardTurn({ subagent: (given: unknown) => noting(seen, given, answer) }, turn, options);
    return [result["delegatedSubagents"], seen];
  };
  const env = { CHIRALITY_ENABLE_SUBAGENTS: "true", OTHER: 1 };
  const turn = { persona: "P", governance: { a: 1 }, env };
  const asked = { persona: "P", governance: { a: 1 }, env: { CHIRALITY_ENABLE_SUBAGENTS: "true" } };
  found.push(["delegated", through(DELEGATED, turn), [["A"], [asked]]]);
  found.push(["frozen", Object.isFrozen(through(DELEGATED, turn)[0]), true]);
  for (const answer of [
    ...[
      { ...DELEGATED, allowed: false },
      { ...DELEGATED, allowed: 1 },
      { ...DELEGATED, delegatedSubagents: "A" },
    ],
    ...[{ ...DELEGATED, allowlistedSubagents: 1 }, { ...DELEGATED, allowed: undefined }, null, 1],
  ])
    found.push(["not delegated", through(answer, turn)[0], []]);
  for (const one of [null, 7, {}, { persona: "P", env: null }, { persona: "P", env: 1 }, Object.create(turn)])
    found.push(["no turn", through(DELEGATED, one), [[], []]]);
  for (const [limit, slow] of [
    [1, true],
    ["1", true],
    [2, false],
    [3, false],
    ["", false],
    [" ", false],
    [0, false],
    ["0", false],
    [-1, false],
    ["x", false],
    [true, false],
  ] as const) {
    const [warned, logged]: string[][] = [[], []];
    const timed = { ...turn, env: { ...env, CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS: limit } };
    through(DELEGATED, timed, {
      warn: (l: string) => warned?.push(l),
      log: (l: string) => logged?.push(l),
      now: clockOf(3, 5),
    });
    const line = `subagent-governance WARN slow evaluation: 2.000 ms is over ${limit} ms`;
    found.push([`warned over ${limit}`, [warned, logged?.length], [slow ? [line] : [], 1]]);
  }
  const slow = { ...turn, env: { ...env, CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS: 1 } };
  const [lines, warnings]: string[][] = [[], []];
  through(DELEGATED, slow, { log: (l: string) => lines?.push(l), now: clockOf(3, 5) });
  const isWarning = (l: string): boolean => l.startsWith("subagent-governance WARN");
  found.push(["a warning where the lines go", lines?.map(isWarning), [false, true]]);
  through(DELEGATED, slow, { log: false, warn: (l: string) => warnings?.push(l), now: clockOf(3, 5) });
  found.push(["a warning without lines", warnings?.map(isWarning), [true]]);
  found.push(["no lines at all", through(DELEGATED, slow, { log: false, now: clockOf(3, 5) })[0], ["A"]]);
  const recorded = (persona: unknown, answer: unknown, ...readings: number[]): unknown => {
    const { record: one, decision } = guardTurn(
      { subagent: () => answer },
      { ...turn, persona },
      { now: clockOf(...readings) },
    );
    const { persona: said, evaluation_ms: took } = one as { persona: unknown; evaluation_ms: unknown };
    return [said, took, (decision as typeof ALLOW).gate];
  };
  found.push(["recorded", recorded("P", DELEGATED, 5, 5), ["P", 0, "ALLOW"]]);
  found.push(["a clock that goes back", recorded(7, DELEGATED, 5, 4), ["", 0, "ALLOW"]]);
  found.push(["no answer", recorded("P", { ...DELEGATED, allowed: undefined }, 5, 5), ["P", 0, "INTERNAL_ERROR"]]);
  const broken = guardTurn({ subagent: () => DELEGATED }, turn, { log: fails, record: fails, now: fails });
  found.push(["broken sinks", broken["delegatedSubagents"], ["A"]]);
  return found;
}
