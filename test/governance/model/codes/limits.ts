/** Findings on limits.yaml. */

import type { Files } from "../../sources/virtual-host.ts";
import { type Fixture, type Fixtures, HARNESS } from "./fixture.ts";

/** Role `R` may call `t` and `u` in lane `L`; `v` is in no lane. */
const SET: Files = {
  ...HARNESS,
  "portcullis.yaml": "call: { host_scope: [k] }\n",
  "lanes.yaml": HARNESS["lanes.yaml"].replace("[t]", "[t, u]"),
  "tool_registry.yaml": ["t", "u", "v"].reduce(
    (text, name) => `${text}  - { tool_name: ${name}, enabled: true, implementation_status: implemented }\n`,
    "tools:\n",
  ),
};

/** A limit `A` with members; the findings are where they have `^`. */
function limit(members: string, more: Omit<Fixture, "files" | "at"> & { readonly files?: Files } = {}): Fixture {
  const line = `  - { limit_id: A, ${members} }\n`;
  const places = [...line.matchAll(/\^/g)].map(({ index }, i) => `limits.yaml:2:${index - i + 1}`);
  const files = { ...SET, "limits.yaml": `limits:\n${line.replaceAll("^", "")}`, ...more.files };
  return { ...more, files, at: places };
}

/** A limit with a finding at its id. */
function whole(members: string, more: Omit<Fixture, "files" | "at"> & { readonly files?: Files } = {}): Fixture {
  return { ...limit(members, more), at: ["limits.yaml:2:17"] };
}

/** Nothing is wrong with any of them. */
const SOUND = [
  "calls: { tools: [t], roles: [R], lanes: [L] }, per: [role, lane, tool, session, scope.k], max_calls: 0, within: 1s",
  "max_sum: { of: args.a.b, at_most: 9007199254740991 }, within: 366d",
  "max_sum: { of: scope.k, at_most: 0 }",
  "calls: { tools: [t] }, per: [session, scope.k], only_after: { tools: [u, v], within: 90m }",
  "calls: { tools: [t] }, per: [session], never_after: { tools: [t] }",
  "calls: { tools: [t] }, only_after: { tools: [t, u] }",
  "calls: { roles: [R] }, only_after: { tools: [t] }",
  'only_during: { days: [sat, sun], from: "22:00", to: "06:00", zone: America/Argentina/Buenos_Aires }',
  'only_during: { from: "00:00", to: "24:00", zone: UTC }',
];

/** Adapters for Envoy whose headers set the key of the host. */
const mapped = (routes: string): Files => ({
  ...SET,
  "portcullis.yaml": `${SET["portcullis.yaml"]}adapters:\n  envoy: { headers: { role: r, scope: [{ key: k, header: k }] }, ${routes} }\n`,
});

/** Tools that say what their arguments may be. */
const typed = (argument: string): Files => ({
  "tool_registry.yaml": [
    "tools:",
    `  - { tool_name: t, enabled: true, implementation_status: implemented, arguments: { ${argument} } }`,
    "  - { tool_name: u, enabled: true, implementation_status: implemented }",
    "",
  ].join("\n"),
});

export const LIMIT_CODES: Fixtures = {
  "model/limit-without-rule": [
    ...SOUND.map((members) => limit(members)),
    whole("calls: { tools: [t] }", { message: "limit `A` limits nothing" }),
    whole("per: [role], within: 1h"),
  ],
  "model/limit-of-undefined": [
    ...SOUND.map((members) => limit(members)),
    limit("calls: { tools: [t, ^x] }, max_calls: 1", {
      message: "`tools` of limit `A` names tool `x`, which is not defined",
    }),
    limit("calls: { roles: [^S], lanes: [^M] }, max_calls: 1", {
      message: "`roles` of limit `A` names role `S`, which is not defined",
    }),
    limit("calls: { tools: [t] }, only_after: { tools: [^x] }"),
    limit("calls: { tools: [t] }, per: [session], never_after: { tools: [u, ^x] }"),
  ],
  "model/empty-list-of-limit": [
    limit("calls: { ^tools: [] }, max_calls: 1", {
      message: "`tools` of limit `A` is empty: it is about no call",
    }),
    limit("calls: { ^roles: [], ^lanes: [] }, max_calls: 1"),
    limit("only_after: { ^tools: [] }", { message: "`tools` of limit `A` is empty: no call can have come before" }),
    limit("per: [session], never_after: { ^tools: [] }", {
      message: "`tools` of limit `A` is empty: every call keeps it",
    }),
    limit('only_during: { ^days: [], from: "09:00", to: "17:00", zone: UTC }', {
      message: "`days` of limit `A` is empty: no time is on one of them",
    }),
  ],
  "model/malformed-limit-key": [
    limit("per: [^roles, ^scope, ^scope., ^args.k, ^Session, scope.k], max_calls: 1", {
      message: "`roles` of limit `A` is nothing that calls can be counted by",
      help: "did you mean `role`?",
    }),
    limit("per: [^tools], only_after: { tools: [t] }"),
  ],
  "model/limit-key-of-callers": [
    ...SOUND.map((members) => limit(members)),
    limit("per: [scope.k, ^scope.l], max_calls: 1", {
      message: "limit `A` counts by `scope.l`, which is not in `host_scope`",
    }),
    limit("per: [^scope.k.x], max_calls: 1"),
    limit("per: [^scope.k], max_calls: 1", { files: { "portcullis.yaml": "call: {}\n" } }),
  ],
  "model/host-scope-of-callers": [
    {
      files: mapped(
        "routes: [{ method: GET, path: '/a/{l}', tool: t, lane: L, query: [k], scope: [{ key: m, argument: k }] }]",
      ),
      at: ["portcullis.yaml:3:132"],
      message: "`k` is in `host_scope`, and `adapters` takes it from a query",
    },
    {
      files: mapped("routes: [{ method: GET, path: '/a/{k}', tool: t, lane: L, scope: [{ key: l, argument: k }] }]"),
      at: ["portcullis.yaml:3:96"],
      message: "`k` is in `host_scope`, and `adapters` takes it from a route's path",
    },
    {
      files: mapped(
        "routes: [{ method: GET, path: /a, tool: t, lane: L, body: json, scope: [{ key: k, argument: a }] }]",
      ),
      at: ["portcullis.yaml:3:145"],
    },
    {
      files: {
        ...SET,
        "portcullis.yaml": `${SET["portcullis.yaml"]}adapters:\n  mcp: { tools: [{ name: n, tool: t, scope: [{ key: k, argument: a }, { key: l, argument: k }] }] }\n`,
      },
      at: ["portcullis.yaml:3:53"],
      message: "`k` is in `host_scope`, and `adapters` takes it from an argument",
    },
  ],
  "model/limit-key-splits-order": [
    limit("calls: { tools: [t] }, per: [^role, session, ^lane, ^tool], only_after: { tools: [u] }", {
      message: "limit `A` has `role` in `per`, beside `only_after`",
    }),
    limit("calls: { tools: [t] }, per: [session, ^tool], never_after: { tools: [u] }"),
    limit("per: [role, lane, tool], max_calls: 1"),
  ],
  "model/malformed-window": [
    limit("max_calls: 1, within: ^1w", {
      message: "`within` of limit `A` is `1w`: it is written as `90s`, `15m`, `24h` or `7d`",
    }),
    ...["0s", "367d", "8785h", "9999999999999999999999s"].map((window) =>
      limit(`max_calls: 1, within: ^${window}`, {
        message: `\`within\` of limit \`A\` is \`${window}\`: it is from 1s to 366d`,
      }),
    ),
    ...["1.5h", "-1s", "1 h", "1H", "h", "''", "1h30m"].map((window) => limit(`max_calls: 1, within: ^${window}`)),
    limit("calls: { tools: [t] }, only_after: { tools: [u], within: ^0s }"),
  ],
  "model/window-without-count": [
    limit("calls: { tools: [t] }, ^within: 24h, only_after: { tools: [u] }", {
      message: "limit `A` has `within`, and neither `max_calls` nor `max_sum`",
    }),
    limit("max_sum: { of: args.a, at_most: 1 }, within: 24h"),
  ],
  "model/malformed-sum": [
    limit("max_sum: { of: ^amount, at_most: 1 }", {
      message: "`of` of limit `A` is `amount`: it can be `args.NAME` or `scope.NAME`",
    }),
    ...["args", "args.", "scope.", "facts.now", "role"].map((of) => limit(`max_sum: { of: ^${of}, at_most: 1 }`)),
  ],
  "model/unknown-day": limit('only_during: { days: [mon, ^Mon, ^monday], from: "09:00", to: "17:00", zone: UTC }', {
    message: "`Mon` of limit `A` is no day of the week",
    help: "did you mean `mon`?",
  }),
  "model/malformed-time": [
    limit('only_during: { from: ^"9:00", to: ^"24:01", zone: UTC }', {
      message: '`from` of limit `A` is `9:00`: it is written "09:00"',
    }),
    limit('only_during: { from: ^"24:00", to: ^"12:60", zone: UTC }'),
    limit('only_during: { from: ^" 09:00", to: ^"17:00:00", zone: UTC }'),
  ],
  "model/empty-hours": [
    limit('only_during: { from: "09:00", to: ^"09:00", zone: UTC }', {
      message: "limit `A` allows calls from 09:00 to 09:00: no time is in between",
    }),
    limit('only_during: { from: "00:00", to: ^"00:00", zone: UTC }'),
  ],
  "model/unknown-zone": [
    limit('only_during: { from: "09:00", to: "17:00", zone: ^Europe/Berln }', {
      message: "`Europe/Berln` of limit `A` is no time zone of the IANA database",
      help: "did you mean `Europe/Berlin`?",
    }),
    ...["europe/berlin", "CEST", "Local", "+01:00", "''"].map((zone) =>
      limit(`only_during: { from: "09:00", to: "17:00", zone: ^${zone} }`),
    ),
  ],
  "model/limit-of-no-call": [
    ...SOUND.map((members) => limit(members)),
    whole("calls: { tools: [v] }, max_calls: 1", {
      message: "limit `A` is about no call: no role may call such a tool in such a lane",
    }),
    // It is the role that is admitted elsewhere.
    whole("calls: { tools: [t], roles: [S] }, max_calls: 1", {
      files: {
        "roles.yaml": `${HARNESS["roles.yaml"]}  - { role_id: S, privileges: { lanes: [M] } }\n`,
        "lanes.yaml": `${SET["lanes.yaml"]}  - { lane_id: M, allowed_callers: { roles: [S] }, allowed_actions: { tools: [u] } }\n`,
      },
    }),
  ],
  "model/limit-never-begins": [
    ...SOUND.map((members) => limit(members)),
    whole("only_after: { tools: [t] }", {
      message: "limit `A` allows no first call: each tool of `only_after` needs one of them before",
    }),
    whole("calls: { tools: [t, u] }, only_after: { tools: [u, t], within: 1h }"),
  ],
  "model/never-for-all": [
    ...SOUND.map((members) => limit(members)),
    whole("calls: { tools: [t] }, never_after: { tools: [u] }"),
    limit("calls: { tools: [t] }, per: [scope.k], never_after: { tools: [u] }"),
  ],
  "model/sum-of-nothing": [
    ...SOUND.map((members) => limit(members)),
    limit("max_sum: { of: ^args.a, at_most: 1 }", {
      files: typed("b: { type: integer }"),
      message: "limit `A` adds up `args.a`, and tool `t` has no such argument",
    }),
    limit("max_sum: { of: ^args.a, at_most: 1 }", {
      files: typed("a: {}"),
      message: "limit `A` adds up `args.a`, and tool `t` has it as a value of type `string`",
    }),
    limit("max_sum: { of: ^args.a, at_most: 1 }", { files: typed("a: { type: integer, required: false }") }),
    limit("max_sum: { of: args.a, at_most: 1 }", { files: typed("a: { type: integer, min: 1 }") }),
    limit("calls: { tools: [u] }, max_sum: { of: args.a, at_most: 1 }", { files: typed("a: {}") }),
  ],
  "model/sum-of-callers": [
    limit("max_sum: { of: ^scope.l, at_most: 1 }", {
      message: "limit `A` adds up `scope.l`, which is not in `host_scope`",
    }),
    limit("max_sum: { of: scope.k, at_most: 1 }"),
    limit("max_sum: { of: args.l, at_most: 1 }"),
  ],
};
