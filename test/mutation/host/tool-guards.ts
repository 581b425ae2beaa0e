/** What a guard of a tool asks, runs, records and says. */
import { ALLOW, type Answer, clockOf, DENY, fails, type Guards, noting } from "./guard-fakes.ts";

const CONTEXT = {
  ...{ role: "R", lane: "L", scope: { k: 1 }, flags: ["f"], writes: [] },
  lineage: [{ agent_type: "a" }, {}, 7, null],
  approval: { ref: "A", by: "me" },
};

const TOOL = { role: "R", lane: "L", scope: { k: 1 }, flags: ["f"], writes: [] };
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

export async function tools(guardTool: Guards["guardTool"]): Promise<Answer[]> {
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
  const heard: string[] = [];
  // biome-ignore lint/suspicious/noThenProperty: a sink may give a promise of another library.
  const late = { then: (_: unknown, fail: unknown) => void heard.push(typeof fail) };
  await guardTool(policy, {}, "t", () => 1, { log: () => late })(undefined);
  await new Promise(setImmediate);
  found.push(["a sink that gives a promise, which may reject", heard, ["function"]]);
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

export async function record(guardTools: Guards["guardTools"]): Promise<Answer[]> {
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
