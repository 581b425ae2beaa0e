/** guardTool: the tool runs after an allow, with what was decided on, and not otherwise. */

import { readFileSync } from "node:fs";
import {
  type CallContext,
  type CallDecision,
  type CallRecord,
  type CallRequest,
  callLine,
  guardTool,
  guardTools,
  load,
  type Policy,
  ReloadablePolicy,
  type ToolDenial,
} from "@portcullis/runtime";
import { beforeAll, describe, expect, it, vi } from "vitest";

const bundle = readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url));
const allow: CallDecision = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
const deny: CallDecision = { allowed: false, gate: "TOOL", reason: "tool_not_registered" };
const context: CallContext = { role: "R", lane: "L" };
const lineage = [{ agent_type: "news_desk", spawn_depth: 0 }];
/** A chain of one whose manifest names no tools. */
const trusted = [{ agent_type: "publisher", spawn_depth: 0 }];
const drafting: CallContext = {
  role: "WRITER",
  lane: "DRAFTING",
  scope: { story_id: "s-118", run_id: "r-7" },
  lineage,
};

/** A policy that answers so, and remembers what it was asked. */
function decider(answer: unknown): { call(request: CallRequest): CallDecision; readonly asked: CallRequest[] } {
  const asked: CallRequest[] = [];
  const call = (request: CallRequest): CallDecision => {
    asked.push(request);
    return answer as CallDecision;
  };
  return { asked, call };
}
const throwing = (): never => {
  throw new Error("no");
};

let policy: Policy;
beforeAll(async () => {
  policy = await load(bundle);
});

describe("guardTool", () => {
  it("runs a tool, sync or async, after an allow of the policy", async () => {
    const create = guardTool(policy, drafting, "draft.create", (args: { title: string }) => args.title.toUpperCase());
    expect(await create({ title: "tides" })).toMatchObject({ allowed: true, value: "TIDES", decision: allow });
    const later = guardTool(policy, drafting, "draft.create", async () => 7);
    expect(await later(undefined)).toMatchObject({ allowed: true, value: 7 });
  });

  it.each([
    ["a tool that is not registered", { ...drafting, lineage: trusted }, "shell.run", "TOOL"],
    ["a tool of another lane", { ...drafting, lineage: trusted }, "payout.release", "LANE_TOOL"],
    ["a tool that the agent could not be given", drafting, "payout.release", "CAPABILITY"],
    ["a role of another lane", { ...drafting, role: "ARCHIVIST" }, "draft.create", "LANE_AUTHORIZATION"],
    ["a scope without its keys", { ...drafting, scope: {} }, "draft.create", "SCOPE"],
    ["no lineage", { role: "WRITER", lane: "DRAFTING" }, "draft.create", "LINEAGE"],
    ["no context", undefined, "draft.create", "LINEAGE"],
    ["a name that every object has", drafting, "__proto__", "CAPABILITY"],
  ])("denies and does not run: %s", async (_, given, tool, gate) => {
    const execute = vi.fn();
    const outcome = await guardTool(policy, given as CallContext, tool, execute)({});
    expect(outcome).toMatchObject({ allowed: false, decision: { allowed: false, gate } });
    expect(outcome).not.toHaveProperty("value");
    expect(execute).not.toHaveBeenCalled();
  });

  it.each([
    ["a policy that throws", { call: throwing }],
    ["no policy", undefined],
    ["a policy of another kind", {}],
    ["no answer", decider(undefined)],
    ["an answer that is not there yet", decider(Promise.resolve(allow))],
    ["an inherited answer", decider(Object.create(allow))],
    ["an answer that only looks true", decider({ ...allow, allowed: 1 })],
    ["an answer without a gate", decider({ allowed: true })],
  ])("denies for %s", async (_, broken) => {
    const execute = vi.fn();
    const outcome = await guardTool(broken as never, context, "t", execute)({});
    expect(outcome).toMatchObject({ allowed: false, decision: { gate: "INTERNAL_ERROR", reason: "invalid input" } });
    expect(execute).not.toHaveBeenCalled();
  });

  it("lets errors of the tool through, and only those", async () => {
    const failing = guardTool(decider(allow), context, "t", throwing);
    await expect(failing({})).rejects.toThrow("no");
    await expect(guardTool(decider(deny), context, "t", throwing)({})).resolves.toMatchObject({ allowed: false });
    const rejecting = guardTool(decider(allow), context, "t", async () => throwing());
    await expect(rejecting({})).rejects.toThrow("no");
  });

  it("refuses at once to guard a value that is not a function", () => {
    expect(() => guardTool(decider(allow), context, "t", undefined as never)).toThrow(TypeError);
  });

  it("passes on what the host adds, unread", async () => {
    const { signal } = new AbortController();
    const execute = guardTool(decider(allow), context, "t", (_: unknown, s: AbortSignal) => s);
    expect(await execute({}, signal)).toMatchObject({ value: signal });
  });

  it("writes one record and one line a call", async () => {
    const lines: string[] = [];
    const records: CallRecord[] = [];
    const readings = [0, 0.25, 1, 1.5];
    const options = {
      log: (line: string) => lines.push(line),
      record: (record: CallRecord) => records.push(record),
      now: () => readings.shift() as number,
    };
    const approved = { role: "R", lane: "L", lineage, approval: { ref: "AP-1", by: "ann" } };
    await guardTool({ ...decider(allow), revision: "r1" }, approved, "t", () => 1, options)({});
    await guardTool(decider({ ...deny, missing: ["k"] }), context, 't"\ntool-call ALLOW\u2028', () => 1, options)({});
    expect(records).toEqual([
      {
        ...{ disposition: "ALLOW", role: "R", lane: "L", tool: "t", gate: "ALLOW", reason: "call_allowed" },
        ...{ evaluation_ms: 0.25, revision: "r1", lineage: ["news_desk"], approvalRef: "AP-1", approvedBy: "ann" },
      },
      {
        ...{ disposition: "DENY", role: "R", lane: "L", tool: 't"\ntool-call ALLOW\u2028', gate: "TOOL" },
        ...{ reason: "tool_not_registered", evaluation_ms: 0.5, details: { missing: ["k"] } },
      },
    ]);
    expect(lines).toEqual([
      'tool-call ALLOW gate=ALLOW evaluation_ms=0.250 role="R" lane="L" tool="t" reason="call_allowed" revision="r1" lineage=["news_desk"] approvalRef="AP-1" approvedBy="ann"',
      'tool-call DENY gate=TOOL evaluation_ms=0.500 role="R" lane="L" tool="t\\"\\ntool-call ALLOW\\u2028" reason="tool_not_registered" details={"missing":["k"]}',
    ]);
    expect(lines.join("")).not.toMatch(/[\n\r\u2028]/);
    expect(callLine({ ...(records[0] as CallRecord), gate: "X\nY" })).not.toContain("\n");
  });

  it("survives sinks and clocks that throw", async () => {
    const options = { log: throwing, record: throwing, now: throwing };
    expect(await guardTool(decider(allow), context, "t", () => 1, options)({})).toMatchObject({ allowed: true });
  });

  it("survives sinks that fail later", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const failing = () => Promise.reject(new Error("sink"));
    const options = { log: failing, record: failing };
    expect(await guardTool(decider(allow), context, "t", () => 1, options)({})).toMatchObject({ allowed: true });
    await new Promise(setImmediate);
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("reads a policy that can be replaced once a call", async () => {
    const policies = await ReloadablePolicy.load(bundle);
    const read = vi.spyOn(policies, "current", "get");
    const create = guardTool(policies, drafting, "draft.create", () => "made");
    expect(await create(undefined)).toMatchObject({ value: "made", record: { revision: policies.current.revision } });
    expect(read).toHaveBeenCalledTimes(2);
    read.mockReturnValue(decider(deny) as never);
    expect(await create(undefined)).toMatchObject({ allowed: false, decision: deny });
  });

  it("asks a context that is a function once, with the copied arguments", async () => {
    const asked: unknown[] = [];
    const scoped = (args: { story: string }): CallContext => {
      asked.push(args);
      return { ...drafting, scope: { story_id: args.story, run_id: "r-7" } };
    };
    const create = guardTool(policy, scoped, "draft.create", (args: { story: string }) => args.story);
    expect(await create({ story: "s-1" })).toMatchObject({ allowed: true, value: "s-1" });
    expect(await create({ story: " " })).toMatchObject({ decision: { gate: "SCOPE", missing: ["story_id"] } });
    expect(asked).toEqual([{ story: "s-1" }, { story: " " }]);
    expect(await guardTool(policy, throwing, "draft.create", () => 1)({})).toMatchObject({ allowed: false });
  });

  it("takes nothing from what every object inherits", async () => {
    const asking = decider(deny);
    for (const key of ["role", "lane", "approval", "scope"])
      Object.defineProperty(Object.prototype, key, { value: "polluted", configurable: true });
    await guardTool(asking, {} as never, "t", () => 1)(undefined);
    for (const key of ["role", "lane", "approval", "scope"]) Reflect.deleteProperty(Object.prototype, key);
    expect(asking.asked).toEqual([{ tool: "t" }]);
  });

  it("takes handles for their texts", async () => {
    const handled = { ...drafting, role: policy.intern("WRITER") as never };
    expect(await guardTool(policy, handled, "draft.create", () => 1)(undefined)).toMatchObject({
      record: { role: "WRITER" },
    });
  });
});

describe("what is decided is what is executed", () => {
  /** Decides on the arguments, and gives what the policy saw and what the tool got. */
  async function through(args: unknown): Promise<{ seen: unknown; got: unknown; outcome: unknown }> {
    const asking = decider(allow);
    let got: unknown = "nothing";
    const outcome = await guardTool(asking, context, "t", (given: unknown) => void (got = given))(args);
    return { seen: asking.asked[0]?.args, got, outcome };
  }

  it("hands over one frozen copy", async () => {
    const args = { path: "a", list: [{ deep: 1 }], none: null, absent: undefined, "": false, big: 2n ** 70n };
    const { seen, got } = await through(args);
    expect(got).toBe(seen);
    expect(got).toEqual({ path: "a", list: [{ deep: 1 }], none: null, "": false, big: 2n ** 70n });
    args.path = "b";
    (args.list[0] as { deep: number }).deep = 2;
    expect(got).toMatchObject({ path: "a", list: [{ deep: 1 }] });
    expect(() => ((got as { path: string }).path = "c")).toThrow(TypeError);
    expect(() => (got as { list: unknown[] }).list.push(1)).toThrow(TypeError);
  });

  it("reads a Proxy once, whatever it would say next", async () => {
    let reads = 0;
    const target = { path: "safe" };
    const lying = new Proxy(target, {
      getOwnPropertyDescriptor: () => ({
        value: reads++ === 0 ? "safe" : "/etc/passwd",
        writable: true,
        enumerable: true,
        configurable: true,
      }),
    });
    const { seen, got } = await through({ inner: lying });
    expect(got).toBe(seen);
    expect(reads).toBeGreaterThan(0);
    const first = JSON.stringify(got);
    expect(JSON.stringify(seen)).toBe(first);
  });

  it("keeps a member called __proto__ a member", async () => {
    const { got } = await through(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(Object.keys(got as object)).toEqual(["__proto__"]);
    expect((got as { admin?: boolean }).admin).toBeUndefined();
    expect(Object.getPrototypeOf(got)).toBe(Object.prototype);
  });

  const circle: { self?: unknown } = {};
  circle.self = circle;
  let doubled: unknown = 1;
  for (let i = 0; i < 30; i++) doubled = [doubled, doubled];
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const { proxy: revoked, revoke } = Proxy.revocable([], {});
  revoke();

  it.each<[string, unknown]>([
    ["an accessor", Object.defineProperty({}, "path", { get: () => "a", enumerable: true })],
    ["an accessor in a list", Object.defineProperty([1], "0", { get: () => 1, enumerable: true })],
    ["a function", () => 1],
    ["a function inside", { f: () => 1 }],
    ["a symbol", { s: Symbol("s") }],
    ["NaN", { n: Number.NaN }],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a hole", new Array(1)],
    ["undefined in a list", [undefined]],
    ["a Date", { at: new Date(0) }],
    ["a Map", new Map()],
    ["bytes", new Uint8Array(1)],
    ["an object with toJSON", { toJSON: () => "x" }],
    ["a circle", circle],
    ["half of a surrogate pair", { path: "src/\udcc3\udca9" }],
    ["half of a surrogate pair in a name", { "\ud800": 1 }],
    ["a list that doubles", doubled],
    ["great depth", deep],
    ["a length that lies", new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 31 : Reflect.get(t, k)) })],
    ["a revoked Proxy", revoked],
    ["a Proxy that throws", new Proxy({}, { ownKeys: throwing })],
  ])("denies, and asks no tool: %s", async (_, args) => {
    const { got, seen, outcome } = await through(args);
    expect(outcome).toMatchObject({ allowed: false, decision: { gate: "INTERNAL_ERROR" } });
    expect([got, seen]).toEqual(["nothing", undefined]);
  });

  it("holds the context, too", async () => {
    const scope = { story_id: "s-1" };
    const asking = decider(allow);
    await guardTool(asking, { ...context, scope }, "t", () => void (scope.story_id = "s-2"))({});
    expect(asking.asked[0]?.scope).toEqual({ story_id: "s-1" });
    const shifty = Object.defineProperty({}, "story_id", { get: () => "s-1", enumerable: true });
    expect(await guardTool(asking, { ...context, scope: shifty }, "t", () => 1)({})).toMatchObject({ allowed: false });
  });
});

describe("guardTools", () => {
  it("guards each member by its key, and keeps its types", async () => {
    const tools = guardTools(policy, drafting, {
      "draft.create": (args: { title: string }) => args.title.length,
      "shell.run": async (args: { command: string }) => args.command,
    });
    const made = await tools["draft.create"]({ title: "tides" });
    const length: number | undefined = made.allowed ? made.value : undefined;
    expect(length).toBe(5);
    const refused = await tools["shell.run"]({ command: "ls" });
    const denial: ToolDenial | undefined = refused.allowed ? undefined : refused;
    expect(denial?.decision.gate).toBe("CAPABILITY");
    // @ts-expect-error: the title is a text.
    await tools["draft.create"]({ title: 5 }).catch(() => {});
    expect(Object.isFrozen(tools)).toBe(true);
    expect(Object.keys(tools)).toEqual(["draft.create", "shell.run"]);
  });

  it("has nothing under a name that a model may choose but the tools", () => {
    const tools = guardTools(policy, drafting, { "draft.create": () => 1 });
    for (const name of ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "draft.create "])
      expect((tools as Record<string, unknown>)[name]).toBeUndefined();
  });
});
