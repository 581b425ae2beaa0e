/** A policy with limits of every kind, and calls whose past is near the edge of each; and any limits with any calls. */

import fc from "fast-check";
import type { WrittenLimit } from "../../statements/limits.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { lowered } from "./case-files.ts";
import { every } from "./every.ts";
import { absent, oddValues } from "./spoiling.ts";

const ROLES = ["CLERK", "CHIEF"];
const LANES = ["L", "M"];
const TOOLS = ["pay", "bill", "publish", "review", "check", "mail", "fetch", "office", "night", "count", "ls"];
const MOST = Number.MAX_SAFE_INTEGER;

/** The tables of a policy with these limits. Throws for limits that do not compile. */
function policyOf(limits: readonly WrittenLimit[]): PolicyData {
  const tools = TOOLS.map((tool_name) => ({ tool_name, enabled: true, implementation_status: "implemented" }));
  const lanes = LANES.map((lane_id) => ({
    lane_id,
    allowed_callers: { roles: ROLES },
    allowed_actions: { tools: TOOLS },
  }));
  const result = lowered({
    "portcullis.yaml": "call: { host_scope: [who, a.b] }\n",
    "roles.yaml": JSON.stringify({ roles: ROLES.map((role_id) => ({ role_id })) }),
    "lanes.yaml": JSON.stringify({ lanes }),
    "tool_registry.yaml": JSON.stringify({ tools }),
    "limits.yaml": JSON.stringify({ limits }),
  });
  if ("errors" in result) throw new Error(`${result.errors.join(", ")}: ${JSON.stringify(limits)}`);
  return result.policy;
}

export const limitPolicy = policyOf([
  // In another order than that of their ids, of which two differ beyond U+FFFF.
  {
    limit_id: "pay",
    calls: { tools: ["pay"], roles: ["CLERK"], lanes: ["L"] },
    per: ["role", "lane", "tool", "scope.who"],
    max_calls: 3,
    max_sum: { of: "args.cents", at_most: 100 },
    within: "1h",
  },
  {
    limit_id: "order",
    calls: { tools: ["publish"] },
    per: ["session"],
    only_after: { tools: ["review", "check"], within: "10m" },
  },
  { limit_id: "first", calls: { tools: ["publish"], roles: ["CHIEF"] }, only_after: { tools: ["check"] } },
  { limit_id: "\u{1f600}", calls: { tools: ["bill"] }, max_sum: { of: "scope.a.b", at_most: MOST } },
  { limit_id: "\uff5e", calls: { tools: ["bill"] }, max_calls: 0 },
  { limit_id: "taint", calls: { tools: ["mail"] }, per: ["session"], never_after: { tools: ["fetch", "mail"] } },
  {
    limit_id: "both",
    calls: { tools: ["count"] },
    max_sum: { of: "scope.a.b", at_most: 9 },
    only_after: { tools: ["check"], within: "10m" },
  },
  {
    limit_id: "hours",
    calls: { tools: ["office"] },
    only_during: { days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "17:30", zone: "Europe/Berlin" },
  },
  {
    limit_id: "night",
    calls: { tools: ["night"] },
    max_calls: 1,
    only_during: { days: ["sat", "sun"], from: "22:00", to: "01:30", zone: "Australia/Lord_Howe" },
  },
]);

const NOW = 5_000_000;
const last = (times: object): object => ({
  now: NOW,
  session: "s",
  history: { order: { last_ms: times }, first: { last_ms: times }, taint: { last_ms: times } },
});

const payments = every({
  role: ROLES,
  lane: LANES,
  tool: ["pay"],
  scope: [{ who: "x", ents: 7 }, { who: "" }],
  args: [{ cents: 0 }, { cents: 40 }, { cents: 41 }, { cents: MOST }],
  facts: every({
    now: [NOW],
    history: every({
      calls: [0, 2, 3, MOST],
      sum: [0, 60, 61, MOST],
      free_at_ms: [absent, NOW + 500, NOW - 500, "x"],
    }).map((pay) => ({ pay })),
  }),
});

const orders = every({
  role: ROLES,
  lane: ["L"],
  tool: ["publish", "review", "check", "mail", "fetch"],
  facts: [
    ...[0, 1, NOW - 600_001, NOW - 600_000, NOW, NOW + 1, MOST].flatMap((time) =>
      ["review", "check", "mail", "fetch", "publish"].map((tool) => last({ [tool]: time })),
    ),
    last({}),
    last({ review: NOW, check: 0, fetch: 0 }),
    last({ check: NOW, odd: null }),
    last([]),
    { ...last({ check: NOW }), session: "" },
    { ...last({ check: NOW }), session: null },
    { ...last({ check: NOW }), now: null },
    { session: "s" },
    { session: "s", history: { taint: {} } },
    { session: "s", history: { order: {} } },
    null,
  ],
});

/** The minutes around every hour of the days on which clocks change, and of some others. */
const DAYS = [
  [2026, 2, 27],
  [2026, 2, 28],
  [2026, 3, 3],
  [2026, 3, 4],
  [2026, 9, 2],
  [2026, 9, 3],
  [2026, 9, 23],
  [2049, 11, 30],
] as const;
const HOUR = 3_600_000;
const times = DAYS.flatMap(([year, month, day]) =>
  Array.from({ length: 72 * 2 }, (_, i) => Date.UTC(year, month, day) + (i * HOUR) / 2),
).flatMap((at) => [at - 1, at]);
const edges = [2025, 2050].flatMap((year) =>
  Array.from({ length: 240 }, (_, i) => Date.UTC(year, 0, 1) + (i - 120) * HOUR),
);
const hours = every({
  role: ["CHIEF"],
  lane: ["M"],
  tool: ["office", "night"],
  facts: [...times, ...edges, 0, MOST, -1, 0.5].map((now) => ({ now, history: { night: { calls: 0 } } })),
});

const sums = every({
  role: ["CHIEF"],
  lane: ["M"],
  tool: ["bill"],
  scope: [{ "a.b": 1 }, { "a.b": MOST }, { a: { b: 1 } }, { "a.b": 0 }],
  facts: [0, 1, MOST].map((sum) => ({ now: 1, history: { "\u{1f600}": { sum }, "\uff5e": { calls: 0 } } })),
});

const counts = every({
  role: ["CHIEF"],
  lane: ["M"],
  tool: ["count", "check"],
  scope: [{ "a.b": 1 }, { "a.b": 2 }, {}],
  args: [absent, { ".a.b": 1, "a.b": 1 }],
  facts: [{ check: NOW }, {}].map((last_ms) => ({
    now: NOW,
    session: "s",
    history: { both: { sum: 8, last_ms, free_at_ms: NOW } },
  })),
});

/** Each value of a fact, of every type. */
const odd = [...oddValues, MOST + 1, 1e300, 2.0].flatMap((value) => {
  const call = { role: "CLERK", lane: "L", tool: "pay", scope: { who: "x" }, args: { cents: 40 } };
  const pay = { calls: 1, sum: 1 };
  return [
    { ...call, facts: value },
    { ...call, facts: { now: value, history: { pay } } },
    { ...call, facts: { now: NOW, history: value } },
    { ...call, facts: { now: NOW, history: { pay: value } } },
    { ...call, facts: { now: NOW, history: { pay: { ...pay, calls: value } } } },
    { ...call, facts: { now: NOW, history: { pay: { ...pay, sum: value } } } },
    { ...call, facts: { now: NOW, history: { pay: { ...pay, calls: 3, free_at_ms: value } } } },
    { ...call, scope: value, facts: { now: NOW, history: { pay } } },
    { ...call, scope: { who: value }, facts: { now: NOW, history: { pay } } },
    { ...call, args: value, facts: { now: NOW, history: { pay } } },
    { ...call, args: { cents: value }, facts: { now: NOW, history: { pay } } },
    { ...call, tool: "fetch", facts: { now: NOW, session: "s", history: { taint: value } } },
    { ...call, tool: "mail", facts: { now: NOW, session: value, history: { taint: { last_ms: {} } } } },
    { ...call, tool: "mail", facts: { now: NOW, session: "s", history: { taint: { last_ms: value } } } },
    { ...call, tool: "mail", facts: { now: NOW, session: "s", history: { taint: { last_ms: { mail: value } } } } },
    { ...call, tool: "mail", facts: { now: NOW, session: "s", history: { taint: { last_ms: { other: value } } } } },
  ];
});

/** Calls to `limitPolicy` near the edges of its limits. */
export const limitCalls: readonly object[] = [
  ...payments,
  ...orders,
  ...hours,
  ...sums,
  ...counts,
  ...odd,
  { role: "CLERK", lane: "L", tool: "ls" },
];

const few = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
  fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const small = fc.oneof(fc.nat(4), fc.constantFrom(0, 100, MOST));
const window = fc.constantFrom("1s", "2s", "5m", "1h", "366d");

const rules = fc.record({
  max_calls: maybe(small),
  max_sum: maybe(fc.record({ of: fc.constantFrom("args.n", "scope.who", "scope.n"), at_most: small })),
  only_after: maybe(fc.record({ tools: few(TOOLS), within: maybe(window) })),
  never_after: maybe(fc.record({ tools: few(TOOLS) })),
  only_during: maybe(
    fc.record({
      days: maybe(few(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])),
      from: fc.constantFrom("00:00", "09:00", "23:59"),
      to: fc.constantFrom("00:01", "17:30", "24:00"),
      zone: fc.constantFrom(
        "UTC",
        "Europe/Berlin",
        "Asia/Kathmandu",
        "America/St_Johns",
        "Pacific/Kiritimati",
        "Africa/Casablanca",
      ),
    }),
  ),
});

const limits: fc.Arbitrary<WrittenLimit> = fc
  .record({
    limit_id: fc.constantFrom("A", "B", "a", "Z", "é", "__proto__"),
    calls: maybe(fc.record({ tools: maybe(few(TOOLS)), roles: maybe(few(ROLES)), lanes: maybe(few(LANES)) })),
    per: maybe(few(["role", "lane", "tool", "session", "scope.who", "scope.a.b"])),
    rules,
    within: maybe(window),
  })
  .map(({ limit_id, calls, per, rules: some, within }) => {
    const isOrder = some.only_after !== undefined || some.never_after !== undefined;
    const isCount = some.max_calls !== undefined || some.max_sum !== undefined;
    const keys = per?.filter((name) => !isOrder || name === "session" || name.startsWith("scope."));
    const written = {
      limit_id,
      calls,
      per: keys,
      ...some,
      ...(isCount ? { within } : {}),
      ...(isOrder || isCount || some.only_during !== undefined ? {} : { max_calls: 1 }),
    };
    return JSON.parse(JSON.stringify(written)) as WrittenLimit;
  });

/** Tables of policies with a few limits. */
export const limitPolicies: fc.Arbitrary<PolicyData> = fc
  .uniqueArray(limits, { selector: ({ limit_id }) => limit_id, minLength: 1, maxLength: 4 })
  .map(policyOf);

const seldom = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(...oddValues) });
const number = seldom(small);
const now = Date.UTC(2026, 2, 28);
const time = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((days) => now + days * 86_400_000),
  fc.integer({ min: 0, max: 3000 }).map((ms) => now - ms),
  fc.nat(86_400_000 * 7).map((ms) => now + ms),
);
const lastTimes = fc.dictionary(fc.constantFrom(...TOOLS), seldom(time), { maxKeys: 4 });
const fact = seldom(
  fc.record(
    { calls: number, sum: number, last_ms: seldom(lastTimes), free_at_ms: seldom(time) },
    { requiredKeys: ["calls", "sum", "last_ms"] },
  ),
);

/** Any calls, most of which have what limits ask for. */
export const limitRequests: fc.Arbitrary<object> = fc.record({
  role: fc.constantFrom(...ROLES),
  lane: fc.constantFrom(...LANES),
  tool: fc.constantFrom(...TOOLS),
  args: seldom(fc.record({ n: number })),
  scope: fc.oneof(
    fc.record({ who: seldom(fc.constantFrom("x", "y")), n: number, "a.b": seldom(fc.constant("z")) }),
    fc.constant(null),
  ),
  facts: seldom(
    fc.record({
      now: seldom(time),
      session: seldom(fc.constant("s")),
      history: seldom(
        fc
          .record({ A: fact, B: fact, a: fact, Z: fact, é: fact })
          .map((known) => ({ ...known, ["__proto__"]: known.A })),
      ),
    }),
  ),
});
