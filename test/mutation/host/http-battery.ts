import { ambiguity, isStateless, mismatch, missing } from "../../../compiler/enforcement/gateway/mirrored-headers.ts";
import { OuterMembers } from "../../../compiler/enforcement/gateway/outer-members.ts";
import { acceptPins, isKeptList, Pins } from "../../../compiler/enforcement/gateway/pins.ts";
import { Sessions, Turn } from "../../../compiler/enforcement/gateway/sessions.ts";
import { type Check, same } from "./check.ts";

import { identityChecks } from "./identities.ts";

export function checks(): readonly Check[] {
  return [
    ...identityChecks(),
    { what: "sessions", run: sessions },
    { what: "turns of a session", run: turns },
    { what: "idle sessions", run: idle },
    { what: "unclear headers", run: ambiguities },
    { what: "mirrored headers", run: mirrored },
    { what: "missing headers", run: lacking },
    { what: "outer members", run: outer },
    { what: "pins", run: pins },
    { what: "accepted pins", run: accepted },
  ];
}

type Json = Readonly<Record<string, unknown>>;

function sessions(): void {
  const ended: string[] = [];
  const of = new Sessions(
    { most: 2, idleMs: 100 },
    (id) => ended.push(id),
    () => 0,
  );
  same("room", [of.reserve(), of.reserve(), of.reserve()], [true, true, false]);
  of.opened();
  same("room again", [of.reserve(), of.reserve()], [true, false]);
  of.opened();
  of.opened();
  of.open("a", "one");
  same("a session", [of.size, of.use("a", "one"), of.use("a", "two"), of.use("b", "one")], [1, true, false, false]);
  of.open("a", "two");
  same("its opener's still", [of.use("a", "two"), of.use("a", "one")], [false, true]);
  same("one more", [of.reserve(), of.reserve()], [true, false]);
  of.opened();
  of.close("a");
  of.close("a");
  of.release("a");
  same("closed", [of.size, of.use("a", "one"), ended], [0, false, ["a"]]);
  same("without a clock", new Sessions({ most: 1, idleMs: 1e9 }, () => {}).size, 0);
}

/** An id is free again with its answer, and stays taken without one. */
function turns(): void {
  const [ended, faults]: [string[], string[]] = [[], []];
  const of = new Sessions(
    { most: 2, idleMs: 100 },
    (id) => ended.push(id),
    () => 0,
  );
  const turn = (): Turn => new Turn(of, (line) => void faults.push(line));
  of.open("a", "one");
  const first = turn();
  same("free", first.begin("a", 1), true);
  same("taken", [turn().begin("a", 1), turn().begin("a", "1"), turn().begin("a", 2)], [false, false, true]);
  first.over(true);
  const second = turn();
  same("free again", second.begin("a", 1), true);
  first.over(true);
  same("its first turn is over", turn().begin("a", 1), false);
  second.over(false);
  second.over(true);
  same("left", [turn().begin("a", 1), turn().begin("b", 1)], [false, true]);
  // Another request has ended the session meanwhile.
  const late = turn();
  same("a session that is over", late.begin("b", 1), true);
  for (const isAnswered of [true, false]) late.over(isAnswered);
  for (const [id, expected] of [
    ["x".repeat((1 << 18) - 1), [[], []]],
    ["y", [["a"], ["client: too many requests were left without an answer, and the session ends"]]],
  ] as const) {
    const last = turn();
    last.begin("a", id);
    last.over(false);
    same(`${id.length} more without an answer`, [ended, faults], expected);
  }
}

function idle(): void {
  const ended: string[] = [];
  let now = 0;
  const of = new Sessions(
    { most: 9, idleMs: 100 },
    (id) => ended.push(id),
    () => now,
  );
  for (const id of ["a", "b", "c"]) of.open(id, "p");
  now = 50;
  same("in use", of.use("a", "p"), true);
  now = 99;
  same("not yet", of.size, 3);
  of.use("b", "p");
  of.release("b");
  now = 100;
  same("c is idle", [of.size, ended], [2, ["c"]]);
  now = 150;
  same("a is in use", [of.size, ended], [2, ["c"]]);
  of.use("a", "p");
  of.release("a");
  now = 200;
  same("b is idle, and a is still in use", [of.size, ended], [1, ["c", "b"]]);
  of.release("a");
  now = 299;
  same("a was used", of.size, 1);
  now = 300;
  same("a is idle", [of.use("a", "p"), ended], [false, ["c", "b", "a"]]);
}

function ambiguities(): void {
  const of = (distinct: Readonly<Record<string, readonly string[]>>): string | undefined =>
    ambiguity({
      headersDistinct: distinct as never,
      headers: Object.fromEntries(Object.entries(distinct).map(([name, values]) => [name, values.join(", ")])),
    });
  same("plain", of({ accept: ["a", "b"], x_y: ["1"], "mcp-name": ["n"], authorization: ["a"] }), undefined);
  for (const name of ["authorization", "content-type", "mcp-session-id", "mcp-name", "mcp-param-x"]) {
    same(name, of({ [name]: ["a", "b"] }), `there are several \`${name}\``);
    same(`without ${name}`, of({ connection: [`x, ${name.toUpperCase()}`] }), `\`Connection\` takes \`${name}\` away`);
    same(
      `${name}_`,
      of({ [name.replace("-", "_")]: ["a"] }),
      name.includes("-") ? `\`${name.replace("-", "_")}\` could be read as another header` : undefined,
    );
  }
  same("kept alive", of({ connection: ["keep-alive, x-other"] }), undefined);
  for (const [version, expected] of [
    ["2026-07-28", undefined],
    ["2026-07-28, 2025-11-25", "`MCP-Protocol-Version` is no revision"],
    ["x2026-07-28", "`MCP-Protocol-Version` is no revision"],
    ["", "`MCP-Protocol-Version` is no revision"],
  ] as const)
    same(version, of({ "mcp-protocol-version": [version] }), expected);
  same(
    "stateless",
    ["2026-07-28", "2026-07-27", "2027-01-01"].map((v) => isStateless({ "mcp-protocol-version": v })),
    [true, false, true],
  );
  same("of no revision", isStateless({}), false);
}

const REVISION = "io.modelcontextprotocol/protocolVersion";
const asking = (method: string, params?: Json) => ({
  jsonrpc: "2.0" as const,
  id: 1,
  method,
  ...(params ? { params } : {}),
});

function mirrored(): void {
  const call = asking("tools/call", {
    ...{ name: "t", uri: "u", _meta: { [REVISION]: "2026-07-28" } },
    arguments: {
      odd: "\u00e9",
      packed: "eu",
      bytes: "\ufffd",
      region: "eu",
      n: 42,
      deep: [{ flag: true, none: null, text: "x" }],
      list: ["in"],
    },
  });
  const of = (headers: Record<string, string>, message: object = call): boolean =>
    mismatch(headers, message as never) === undefined;
  const answer = { jsonrpc: "2.0", id: 1, result: {} };
  for (const [headers, message, expected] of [
    [{}, call, true],
    [{ "mcp-method": "tools/call", "mcp-name": "t", "mcp-protocol-version": "2026-07-28" }, call, true],
    [{ "mcp-method": "tools/list" }, call, false],
    [{ "mcp-name": "u" }, call, false],
    [{ "mcp-name": "=?base64?dA==?=" }, call, true],
    [{ "mcp-name": "=?base64?dA=?=" }, call, false],
    [{ "mcp-name": "x=?base64?dA==?=" }, call, false],
    [{ "mcp-protocol-version": "2025-11-25" }, call, false],
    [{ "mcp-protocol-version": "2025-11-25" }, asking("ping"), true],
    [{ "mcp-protocol-version": "2025-11-25" }, asking("ping", { _meta: 7 }), true],
    [{ "mcp-method": "ping" }, asking("ping"), true],
    [{ "mcp-name": "x" }, asking("ping"), false],
    [{ "mcp-name": "undefined" }, asking("ping"), false],
    [{ "mcp-name": "=?base64?x?=" }, asking("ping"), false],
    [{ "mcp-name": "u" }, asking("resources/read", { uri: "u", name: "n" }), true],
    [{ "mcp-name": "n" }, asking("resources/read", { uri: "u", name: "n" }), false],
    [{ "mcp-method": "ping" }, answer, false],
    [{ "mcp-name": "x" }, answer, false],
    [{}, answer, true],
    ...(
      [
        ["region", "eu", true],
        ["region", "x", false],
        ["other", "eu", true],
        ["other", "x", true],
        ["other", "true", true],
        ["other", "in", true],
        ["other", "y", false],
        ["other", "[object Object]", false],
        ["deep", "x", false],
        ["deep", "[object Object]", false],
        ["list", "in", false],
        ["n", "42", true],
        ["n", "42.0", true],
        ["n", "4.2e1", true],
        ["n", "0x2a", false],
        ["n", "x42", false],
        ["n", "43", false],
        ["n", "=?base64?NDI=?=", true],
        ["n", "=?base64?NDI?=", false],
        ["region", "=?BASE64?ZXU=?=", false],
        ["odd", "\u00e9", false],
        ["odd", "=?base64?w6k=?=", true],
        ["packed", "=?Base64?ZXU=?=", false],
        ["bytes", "=?base64?/w==?=", false],
        ["bytes", "=?base64?77+9?=", true],
      ] as const
    ).map(([name, value, expected]) => [{ [`mcp-param-${name}`]: value }, call, expected] as const),
    [{ "mcp-param-x": "1" }, asking("tools/call", { name: "t" }), false],
    [{ "mcp-param-x": "1" }, asking("tools/call", { name: "t", arguments: "1" }), true],
    [{ "mcp-param-a": "1" }, asking("tools/call", { name: "t", arguments: { a: "1", A: "2" } }), false],
    [{ "x-mcp-param-a": "1" }, asking("ping"), true],
    [{ "mcp-param-n": "-1.0" }, asking("tools/call", { name: "t", arguments: { n: -1 } }), true],
    [{ "mcp-param-n": "" }, asking("tools/call", { name: "t", arguments: { n: 0 } }), false],
    [{ "mcp-param-m": "-1.0" }, asking("tools/call", { name: "t", arguments: { n: -1 } }), true],
    [{ "mcp-param-m": "" }, asking("tools/call", { name: "t", arguments: { n: 0 } }), false],
    [{ "mcp-param-m": "0x42" }, asking("tools/call", { name: "t", arguments: { n: 66 } }), false],
  ] as const)
    same(JSON.stringify([headers, message]), of(headers as Record<string, string>, message), expected);
  same("words", mismatch({ "mcp-param-x": "y" }, call as never), "`mcp-param-x` is in no argument");
}

function lacking(): void {
  const modern = { "mcp-protocol-version": "2026-07-28" };
  for (const [headers, message, expected] of [
    [{}, asking("tools/call", { name: "t" }), undefined],
    [{ "mcp-protocol-version": "2025-11-25" }, asking("tools/call", { name: "t" }), undefined],
    [modern, asking("ping"), "`Mcp-Method` is missing"],
    [{ ...modern, "mcp-method": "ping" }, asking("ping", { name: "x" }), undefined],
    [{}, asking("ping", { _meta: { [REVISION]: "2026-07-28" } }), "`MCP-Protocol-Version` is missing"],
    [{}, asking("ping", { _meta: { [REVISION]: "2025-11-25" } }), undefined],
    ...["tools/call", "prompts/get", "resources/read"].flatMap((method) => {
      const member = method === "resources/read" ? "uri" : "name";
      const said = { ...modern, "mcp-method": method };
      return [
        [said, asking(method, { [member]: "t" }), "`Mcp-Name` is missing"],
        [{ ...said, "mcp-name": "t" }, asking(method, { [member]: "t" }), undefined],
        [said, asking(method, {}), undefined],
      ] as const;
    }),
    [modern, { jsonrpc: "2.0", id: 1, result: {} }, undefined],
  ] as const)
    same(JSON.stringify([headers, message]), missing(headers as never, message as never), expected);
}

function outer(): void {
  for (const [text, id, asks] of [
    ['{"id":1,"method":"x"}', 1, true],
    ['{"method":{"a":1}}', undefined, true],
    ['{"":1,"id":2}', 2, false],
    ['{"method":"x","params":{"id":2}}', undefined, true],
    ['{"id":"a","result":{"method":"x"}}', "a", false],
    ['{"a":"\\"id\\":7,","id" : 3 }', 3, false],
    ['{"params":{"a":[{"id":5}],"b":"}"},"id":4}', 4, false],
    ['{"a":"\\\\","id":9}', 9, false],
    ['{"\\u0069d":8}', 8, false],
    ['{"id":[1]}', undefined, false],
    ['{"id":null}', undefined, false],
    ['{"id":1.5}', undefined, false],
    ['{"id":"\u00e9"}', "\u00e9", false],
    ['{"id":1', undefined, false],
    ['[{"id":1}]', undefined, false],
    [`{"id":"${"x".repeat(1022)}"}`, "x".repeat(1022), false],
    [`{"id":"${"x".repeat(1023)}"}`, undefined, false],
    ['{"x":1,"id":2}', 2, false],
    ['{"id":2,"x":1}', 2, false],
    ['{"id":2}{"id":3}', 3, false],
    ['{"a":{},"id":6}', 6, false],
    ['{"a":[1,2],"id":6}', 6, false],
    ['{"a":"b:c","id":6}', 6, false],
    ['{"a":{"x":"\\"}"},"id":6}', 6, false],
  ] as const) {
    const found = new OuterMembers();
    for (const byte of Buffer.from(text)) found.feed(Buffer.of(byte));
    const whole = new OuterMembers();
    whole.feed(Buffer.from(text));
    same(text.slice(0, 60), [found.id, found.asks, whole.id, whole.asks], [id, asks, id, asks]);
  }
}

const TOOL = { name: "t", description: "d", inputSchema: { b: 1, a: 2 } };
function pinned(text: string | undefined) {
  const [kept, lines]: [string[], string[]] = [[], []];
  const files = { read: () => text, keep: (one: string) => kept.push(one), log: (line: string) => lines.push(line) };
  return { pins: new Pins(files), kept, lines, set: (to: string | undefined) => void (text = to) };
}
const fileOf = (...tools: object[]): string => `${JSON.stringify({ tools }, undefined, 2)}\n`;

function pins(): void {
  const of = pinned(fileOf(TOOL));
  const again = { inputSchema: { a: 2, b: 1 }, description: "d", name: "t" };
  same(
    "as it was accepted",
    [of.pins.accepted([again]), of.pins.problem("t"), of.kept, of.lines],
    [[true], undefined, [], []],
  );
  const changed = { ...TOOL, description: "e" };
  same("changed", [of.pins.accepted([changed]), of.pins.problem("t")], [[false], "tool_changed"]);
  const why = 'the tool "t" has changed since it was pinned, and is hidden until `--accept`';
  same("said once", [of.pins.accepted([changed]), of.lines, of.kept.length], [[false], [why], 1]);
  same("kept", JSON.parse(of.kept[0] ?? ""), { tools: [changed] });
  same("again as it was", [of.pins.accepted([TOOL]), of.pins.problem("t")], [[true], undefined]);
  const other = { name: "new" };
  same(
    "not pinned",
    [of.pins.accepted([other, TOOL]), of.pins.problem("new"), of.pins.problem("t")],
    [[false, true], "tool_not_pinned", undefined],
  );
  same("words", of.lines.at(-1), 'the tool "new" is not pinned, and is hidden until `--accept`');
  of.set(fileOf(TOOL, other));
  same("accepted meanwhile", [of.pins.problem("new"), of.pins.accepted([other])], [undefined, [true]]);
  same("odd items", of.pins.accepted([null, 7, {}, { name: 7 }, [TOOL]]), [false, false, false, false, false]);
  same("odd items are not kept", of.kept.length, 2);
  of.set(undefined);
  same("no file", [of.pins.problem("t"), of.pins.accepted([TOOL])], ["tool_not_pinned", [false]]);
  for (const odd of ["x", "{}", "[]", '{"tools":{}}', '{"tools":[7]}', '{"tools":[{}]}']) {
    of.set(odd);
    let thrown = 0;
    for (const ask of [() => of.pins.problem("t"), () => of.pins.accepted([TOOL])])
      try {
        ask();
      } catch {
        thrown++;
      }
    same(odd, thrown, 2);
  }
  const many = pinned(undefined);
  const items = Array.from({ length: 1_001 }, (_, i) => ({ name: `t-${String(i).padStart(4, "0")}` }));
  same("none is shown", many.pins.accepted(items).includes(true), false);
  const { tools } = JSON.parse(many.kept.at(-1) ?? "") as { tools: { name: string }[] };
  same("as many as are kept", [tools.length, tools[0]?.name, tools.at(-1)?.name], [1_000, "t-0000", "t-0999"]);
  many.set(fileOf(TOOL));
  same("a pinned one that has changed", many.pins.accepted([{ name: "t" }, { name: "u" }]), [false, false]);
  same("is kept always", [many.pins.problem("t"), many.kept.length], ["tool_changed", 2]);
  many.pins.accepted([{ name: "t-0000", x: 1 }]);
  const last = (JSON.parse(many.kept.at(-1) ?? "") as { tools: { name: string }[] }).tools;
  same(
    "one that is kept may change",
    last.find(({ name }) => name === "t-0000"),
    { name: "t-0000", x: 1 },
  );
}

function accepted(): void {
  const [a, b, c] = [{ name: "a" }, { name: "b", x: 1 }, { name: "c" }];
  same("both", acceptPins(fileOf(c, b), fileOf({ name: "b", x: 2 }, a)), {
    before: fileOf(b, c),
    after: fileOf(a, { name: "b", x: 2 }, c),
  });
  same("the first", acceptPins(undefined, fileOf(a)), { before: fileOf(), after: fileOf(a) });
  const texts = [fileOf(a, b), fileOf(), fileOf(b, a), `${fileOf(a)} `, "tools", "{}", '{"tools":[{}]}'];
  same("as kept", texts.map(isKeptList), [true, true, false, false, false, false, false]);
}
