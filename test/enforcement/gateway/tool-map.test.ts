/** Which tool of the registry a server's tool is: the file, the words, and what is wrong with them. */

import { describe, expect, it } from "vitest";
import { callerOf, NO_TOOLS, readToolMap, withNames } from "../../../compiler/enforcement/gateway/index.ts";
import { mappedTo, toolsAtHost } from "../../../compiler/enforcement/gateway/tool-map.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";

const read = (text: string) => readToolMap(new SourceFile("mcp.yaml", text));

describe("a map of tools", () => {
  it("has names, and what calls are about", () => {
    const map = read(`
tools:
  find: archive.lookup
  pay:
    tool: payout.release
    scope: { contributor_id: contributor }
    flags: [immediate]
    writes: [{ table: payouts, mode: append }]
`);
    expect(map.ok && [...map.value]).toEqual([
      ["find", { tool: "archive.lookup", scope: new Map(), flags: [], writes: [] }],
      [
        "pay",
        {
          tool: "payout.release",
          scope: new Map([["contributor_id", "contributor"]]),
          flags: ["immediate"],
          writes: [{ table: "payouts", mode: "append" }],
        },
      ],
    ]);
  });

  it.each([
    ["", "this file needs a mapping `tools`"],
    ["tools: [a]", "mcp.yaml:1:1: this file needs a mapping `tools`"],
    ["tools: {}\nrole: WRITER", "mcp.yaml:1:1: this file needs a mapping `tools`, and nothing else"],
    ["tools: { a: 7 }", "mcp.yaml:1:13: `a` is an id of the registry"],
    ["tools: { a: '' }", "`a` is an id"],
    ["tools: { a: { scope: {} } }", "`a` is an id"],
    ["tools: { a: { tool: t, scopes: {} } }", "`a` is an id"],
    ["tools: { a: { tool: t, scope: { k: 7 } } }", "`a` is an id"],
    ["tools: { a: { tool: t, flags: x } }", "`a` is an id"],
    ["tools: { a: { tool: t, flags: [7] } }", "`a` is an id"],
    ["tools: { a: { tool: t, writes: [{ table: x }] } }", "`a` is an id"],
    ["tools: { a: { tool: t, writes: [{ table: x, mode: y, more: z }] } }", "`a` is an id"],
    ["tools: { a: b, a: c }", "mcp.yaml:1:16: "],
    ["tools: {", "mcp.yaml:1:"],
  ])("is refused: %j", (text, message) => {
    const map = read(text);
    expect(map.ok ? undefined : map.problem.message).toContain(message);
  });

  it("takes words besides, once each", () => {
    const map = withNames(NO_TOOLS, ["a=b", "c=d=e"]);
    expect(map.ok && [...map.value.values()].map(({ tool }) => tool)).toEqual(["b", "d=e"]);
    for (const words of [["a"], ["=b"], ["a="], ["a=b", "a=c"]]) expect(withNames(NO_TOOLS, words).ok).toBe(false);
  });
});

describe("a name at an agent host", () => {
  const names = ["pay/create", "pay/_create", "pay/", "/create", "mcp__own__tool", "own/tool"];
  const tools = toolsAtHost(new Map(names.map((name) => [name, mappedTo(`id of ${name}`)])));
  const tool = (name: string): string | undefined => tools.get(name)?.tool;

  it("is a tool of one server, where the map does not have the name itself", () => {
    expect(tool("mcp__pay__create")).toBe("id of pay/create");
    expect(tool("mcp__own__tool")).toBe("id of mcp__own__tool");
  });

  // A server that names itself or its tool so would choose which tool of another server the policy is asked about.
  it.each([
    ["mcp__pay__create__x", "the tool `x` of a server `pay__create`"],
    ["mcp__x__pay__create", "the tool `create` of a server `x__pay`"],
    ["mcp__pay___create", "the tool `create` of a server `pay_`"],
    ["mcp__pay__", "no tool"],
    ["mcp____create", "no server"],
    ["xmcp__pay__create", "a tool of the host"],
    ["pay__create", "a tool of the host"],
  ])("is no tool of the map where it could be another's: %s, %s", (name) => {
    expect(tool(name)).toBeUndefined();
  });
});

describe("a caller", () => {
  const words = { role: "R", lane: "L", scope: [], flags: [] };
  it("is what the command line says", () => {
    expect(callerOf({ ...words, scope: ["a=1", "b=x=y", "c="], lineage: "desk, writer" })).toEqual({
      ok: true,
      value: {
        ...{ role: "R", lane: "L", flags: [], scope: { a: "1", b: "x=y", c: "" } },
        lineage: [
          { agent_type: "desk", spawn_depth: 0 },
          { agent_type: "writer", spawn_depth: 1 },
        ],
      },
    });
    const proto = callerOf({ ...words, scope: ["__proto__=x"] });
    expect(proto.ok && Object.keys(proto.value.scope)).toEqual(["__proto__"]);
    expect(callerOf(words)).not.toHaveProperty("value.lineage");
  });
  it.each([
    [{ scope: ["a"] }, "is not KEY=VALUE"],
    [{ scope: ["=a"] }, "is not KEY=VALUE"],
    [{ scope: ["a=1", "a=2"] }, "gives `a` twice"],
    [{ lineage: "" }, "has an empty place"],
    [{ lineage: "a,,b" }, "has an empty place"],
  ])("is refused: %j", (more, message) => {
    const caller = callerOf({ ...words, ...more });
    expect(caller.ok ? undefined : caller.problem.message).toContain(message);
  });
});
