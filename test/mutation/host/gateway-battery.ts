/** The gateway without its processes, and one with: what a build of it has to say. */
import { PassThrough } from "node:stream";
import {
  type Caller,
  callerOf,
  NO_TOOLS,
  readToolMap,
  withNames,
} from "../../../compiler/enforcement/gateway/index.ts";
import { LIMITS } from "../../../compiler/enforcement/gateway/limits.ts";
import { copyErrors, faultLog } from "../../../compiler/enforcement/gateway/log.ts";
import { isPlain, quoted } from "../../../compiler/enforcement/gateway/outside-names.ts";
import { mappedTo, toolsAtHost, toolsOf } from "../../../compiler/enforcement/gateway/tool-map.ts";
import { within } from "../../../compiler/enforcement/gateway/within.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { lookAlike, lookAlikeAmong } from "../../../runtime/facts/look-alikes.ts";
import { type Check, same } from "./check.ts";
import { hookChecks } from "./hooks.ts";
import { hostPathChecks } from "./host-paths.ts";
import { lineChecks } from "./lines.ts";
import { proxyChecks } from "./proxies.ts";
import { relayChecks } from "./relays.ts";
import { spawnChecks } from "./spawns.ts";
import { verdictChecks } from "./verdicts.ts";

export function checks(): readonly Check[] {
  return [
    ...verdictChecks(),
    ...relayChecks(),
    ...hookChecks(),
    ...hostPathChecks(),
    ...spawnChecks(),
    ...lineChecks(),
    { what: "tool maps", run: toolMaps },
    { what: "tools of several servers", run: severalServers },
    { what: "callers", run: callers },
    { what: "look-alikes", run: lookAlikes },
    { what: "faults", run: faults },
    { what: "errors of a server", run: errors },
    { what: "waiting", run: waiting },
    { what: "limits", run: limits },
    ...proxyChecks(),
  ];
}

const plain = (tool: string): object => ({ tool, scope: new Map(), flags: [], writes: [] });

function toolMaps(): void {
  const read = (text: string) => readToolMap(new SourceFile("mcp.yaml", text));
  const whole = read(
    "tools: { find: lookup, pay: { tool: release, scope: { a: b, c: d }, flags: [f, g], writes: [{ table: t, mode: m }, { mode: n, table: u }] }, bare: { tool: x } }",
  );
  same("a map", whole.ok && [...whole.value], [
    ["find", plain("lookup")],
    [
      "pay",
      {
        ...{ tool: "release", flags: ["f", "g"] },
        scope: new Map(Object.entries({ a: "b", c: "d" })),
        writes: [
          { table: "t", mode: "m" },
          { table: "u", mode: "n" },
        ],
      },
    ],
    ["bare", plain("x")],
  ]);
  same("an empty map", read("tools: {}").ok, true);
  const odd = [
    ...["7", "''", "[a]", "null", "{ scope: {} }", "{ tool: 7 }", "{ tool: '' }", "{ tool: t, more: 1 }"],
    ...["{ tool: t, scope: [a] }", "{ tool: t, scope: { k: 7 } }", "{ tool: t, scope: { k: a, l: 7 } }"],
    ...["{ tool: t, scope: { k: null } }", "{ tool: t, scope: x }", "{ tool: t, flags: x }", "{ tool: t, flags: [7] }"],
    ...[
      "{ tool: t, flags: [true] }",
      "{ tool: t, flags: [a, 7] }",
      "{ tool: t, writes: x }",
      "{ tool: t, writes: [x] }",
      "{ tool: t, flags: {} }",
    ],
    ...["{ tool: t, writes: [{ table: x }] }", "{ tool: t, writes: [{ mode: x }] }"],
    ...["{ tool: t, writes: [{ table: 7, mode: x }] }", "{ tool: t, writes: [{ table: x, mode: 7 }] }"],
    ...["{ tool: t, writes: [{ table: x, mode: y, z: 1 }] }", "{ tool: t, writes: [{ table: x, mode: y }, {}] }"],
  ];
  const help = "`a` is an id of the registry, or `tool` with `scope`, `flags`, `writes`";
  for (const one of odd) same(one, problemOf(read(`tools: { a: ${one} }`)), `mcp.yaml:1:13: ${help}`);
  const needs = "this file needs a mapping `tools`, and nothing else";
  for (const text of ["tools: [a]", "tools: x", "tools: {}\nmore: 1", "other: {}", "[a]", "x", ""])
    same(text, problemOf(read(text)), `mcp.yaml:1:1: ${needs}`);
  same("a key twice", problemOf(read("tools: { a: b, a: c }"))?.startsWith("mcp.yaml:1:16: "), true);
  same("no YAML", problemOf(read("tools: {"))?.startsWith("mcp.yaml:1:"), true);

  const words = withNames(NO_TOOLS, ["a=b", "c=d=e"]);
  same("words", words.ok && [...words.value], [
    ["a", plain("b")],
    ["c", plain("d=e")],
  ]);
  for (const word of ["a", "ab", "=b", "a=", "", "="])
    same(word, problemOf(withNames(NO_TOOLS, [word])), `\`--map ${word}\` is not NAME=REGISTRY_ID`);
  same("a word twice", problemOf(withNames(NO_TOOLS, ["a=b", "a=c"])), "`a` is mapped twice");
  same(
    "a word for a tool of the file",
    whole.ok && problemOf(withNames(whole.value, ["find=x"])),
    "`find` is mapped twice",
  );
}

/** A name that could be split in two ways, or has an empty part, belongs to no server. */
function severalServers(): void {
  const names = ["pay/create", "look", "/create", "pay/", "mcp__own__tool", "own/tool", "pay/look"];
  const map = new Map(names.map((name) => [name, mappedTo(`id of ${name}`)]));
  const split = toolsAtHost(map);
  for (const [name, expected, isNamed] of [
    ["mcp__pay__create", "id of pay/create", false],
    ["mcp__own__tool", "id of mcp__own__tool", true],
    ["look", "id of look", true],
    ...[
      ...["mcp__pay__create__x", "mcp__x__pay__create", "mcp__pay__", "mcp____create", "xmcp__pay__create"],
      ...["MCP__pay__create", "mcp_pay__create", "pay__create", "__pay__create", "mcp", "mcp__", "mcp__pay", ""],
    ].map((name) => [name, undefined, false] as const),
  ] as const)
    same(`${name} at a host`, [split.get(name)?.tool, split.has(name)], [expected, isNamed]);
  const pay = toolsOf(map, "pay");
  for (const [name, expected, isNamed] of [
    ["create", "id of pay/create", true],
    ["look", "id of pay/look", true],
    ["shell", "pay/shell", false],
    ["own/tool", "pay/own/tool", false],
  ] as const)
    same(`${name} of pay`, [pay.get(name)?.tool, pay.has(name)], [expected, isNamed]);
  const other = toolsOf(map, "other");
  for (const [name, expected, isNamed] of [
    ["look", "id of look", true],
    ["create", "other/create", false],
    ["pay/create", "other/pay/create", false],
  ] as const)
    same(`${name} of other`, [other.get(name)?.tool, other.has(name)], [expected, isNamed]);
}

function problemOf(result: {
  readonly ok: boolean;
  readonly problem?: { readonly message: string };
}): string | undefined {
  return result.ok ? undefined : result.problem?.message;
}

function callers(): void {
  const words = { role: "R", lane: "L", scope: [], flags: ["f"] };
  const whole = callerOf({ ...words, scope: ["a=1", "b=x=y", "c=", "__proto__=z"], lineage: "desk, writer" });
  const scope = Object.fromEntries([...Object.entries({ a: "1", b: "x=y", c: "" }), ["__proto__", "z"]]);
  same("a caller", whole, {
    ok: true,
    value: {
      ...{ role: "R", lane: "L", flags: ["f"], scope },
      lineage: [
        { agent_type: "desk", spawn_depth: 0 },
        { agent_type: "writer", spawn_depth: 1 },
      ],
    } satisfies Caller,
  });
  same("a caller without lineage", callerOf(words), {
    ok: true,
    value: { role: "R", lane: "L", flags: ["f"], scope: {} },
  });
  for (const pair of ["a", "ab", "=a", "", "="])
    same(pair, problemOf(callerOf({ ...words, scope: [pair] })), `\`--scope ${pair}\` is not KEY=VALUE`);
  same("a key twice", problemOf(callerOf({ ...words, scope: ["a=1", "a=2"] })), "`--scope` gives `a` twice");
  for (const lineage of ["", "a,,b", "a, ,b", "a,"])
    same(lineage, problemOf(callerOf({ ...words, lineage })), `\`--lineage ${lineage}\` has an empty place`);
}

function lookAlikes(): void {
  for (const [members, twin] of [
    [{ name: 1 }, undefined],
    [{ name: 1, Name: 1 }, "Name"],
    [{ "n\u200bame": 1 }, "n\u200bame"],
    [{ " name": 1 }, " name"],
    [{ "\uff4eame": 1 }, "\uff4eame"],
    [{ names: 1, nam: 1, other: 1 }, undefined],
    [{ name: 1, TAS\u212a: 1 }, "TAS\u212a"],
  ] as const)
    same(JSON.stringify(members), lookAlike(members, ["name", "task"]), twin);
  for (const length of [256, 257]) {
    const key = "k".repeat(length);
    same(`a key of ${length}`, lookAlike({ [key]: 1 }, ["name"]), length > 256 ? key : undefined);
    same(`one of ${length} beside another`, lookAlikeAmong({ n: 1, [key]: 2 }), length > 256 ? key : undefined);
    same(`one of ${length} alone`, lookAlikeAmong({ [key]: 2 }), undefined);
  }
  same("among themselves", [lookAlikeAmong({ n: 1, m: 2, N: 2 }), lookAlikeAmong({ n: 1, m: 2 })], ["N", undefined]);
  for (const [name, expected] of [
    ...([
      ["tools/call", true],
      ["~!", true],
      ["", false],
      ["a b", false],
      ["a\n", false],
      ["\u00e4", false],
    ] as const),
  ])
    same(name, isPlain(name), expected);
  const [long, longer] = ["n".repeat(256), `${"m".repeat(32)}${"n".repeat(225)}`];
  same("a name that is quoted", quoted('a"'), '"a\\""');
  same("a long name that is quoted", quoted(long), `"${long}"`);
  same("a name that is cut", quoted(longer), `"${"m".repeat(32)}…"`);
}

function faults(): void {
  const lines: string[] = [];
  const { fault, rest } = faultLog((line) => lines.push(line));
  for (let i = 0; i < 20; i++) fault(`${i}`);
  rest();
  same(
    "as many as there may be",
    lines,
    Array.from({ length: 20 }, (_, i) => `${i}`),
  );
  fault("21");
  fault("22");
  rest();
  same("more", lines.slice(20), ["2 further faults were not logged"]);
  const odd = ["\u0000", "\u001f", "\u007f", "\u009f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"];
  const said: string[] = [];
  faultLog((line) => said.push(line)).fault(`a${odd.join("")} \u00a0~\u202f`);
  const codes = odd.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  same("what a terminal would obey", said, [`a${codes.join("")} \u00a0~\u202f`]);
}

async function errors(): Promise<void> {
  const stderr = new PassThrough();
  const lines: string[] = [];
  copyErrors(stderr, new PassThrough(), (line) => lines.push(line));
  stderr.write(`a \u001b[31m \nb\n\n${"x".repeat(4_095)}\n${"y".repeat(4_096)}\nno end`);
  await soon();
  same("lines", lines, ["server: a \\u001b[31m", "server: b", `server: ${"x".repeat(4_095)}`]);
  // A new second begins the count anew.
  await new Promise((resolve) => setTimeout(resolve, 1_010 - (performance.now() % 1_000)));
  lines.length = 0;
  const begun = Math.floor(performance.now() / 1000);
  stderr.write("\n".concat("line\n".repeat(150)));
  await soon();
  if (Math.floor(performance.now() / 1000) === begun) same("lines in a second", lines.length, 100);
  await new Promise((resolve) => setTimeout(resolve, 1_010 - (performance.now() % 1_000)));
  stderr.write("later\n");
  await soon();
  same("lines in the next", lines.at(-1), "server: later");
}

async function soon(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function waiting(): Promise<void> {
  same("in time", await within(1_000, Promise.resolve()), true);
  same("late", await within(1, new Promise(() => {})), false);
}

/** A number that is written down nowhere else would be no promise. */
function limits(): void {
  same("limits", LIMITS, {
    ...{ messageBytes: 8_388_608, messageValues: 250_000, messagesPerSecond: 1_000, openRequests: 256 },
    ...{ answerMs: 300_000, graceMs: 2_000 },
  });
}
