/** Lists, arrays that are made with their elements, behave like arrays that are filled one by one: whatever is done with one afterwards. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const many = (count: number): string =>
  Array.from({ length: count }, (_, i) => (i % 2 ? "input.x" : `${i}`)).join(", ");

const REGO = `package t

list := [input.x, 1, input.y]

twice := [list, list]

nested := [[input.x], [[input.y]], []]

sixteen := [${many(16)}]

seventeen := [${many(17)}]

longer := array.concat(list, ["z", "z", "z"])

longer_before := [array.concat(list, ["z"]), array.concat(list, ["y"]), list]

part := array.slice(list, 1, 3)

reversed := array.reverse(list)

joined := concat("-", [input.t, "b", input.t])

joined_one := concat("-", [input.t])

patched := [json.patch(list, [{"op": "add", "path": "/0", "value": "a"}, {"op": "add", "path": "/4", "value": "e"}]), list]

equal_to := [list == [input.x, 1, input.y], list == [input.x, 1], list == input.same]

counted := [count(list), count(sixteen), list[1], list[2]]

key := {list: 1}[[input.x, 1, input.y]]

member := [input.x, 1, input.y] in {list}

undefined_element := [input.x, input.nothing]

default partly := "default"
partly := [1, input.nothing, 2]

each_with_neighbour := [[x, input.list[i + 1]] | some i, x in input.list]

through_json := json.unmarshal(json.marshal(list))

walked := [v | walk(list, [[_], v])]
`;

const RULES = [...new Set([...REGO.matchAll(/^(?:default )?(\w+) :=/gm)].map((m) => m[1] as string))];

/** What each rule answers to an input with these values, by a plain reading of it. */
function expected(x: unknown, y: unknown, t: string, items: readonly unknown[]): Readonly<Record<string, unknown>> {
  const list = [x, 1, y];
  const alternating = (count: number) => Array.from({ length: count }, (_, i) => (i % 2 ? x : i));
  return {
    list,
    twice: [list, list],
    nested: [[x], [[y]], []],
    sixteen: alternating(16),
    seventeen: alternating(17),
    longer: [...list, "z", "z", "z"],
    longer_before: [[...list, "z"], [...list, "y"], list],
    part: [1, y],
    reversed: [y, 1, x],
    joined: `${t}-b-${t}`,
    joined_one: t,
    patched: [["a", ...list, "e"], list],
    equal_to: [true, false, true],
    counted: [3, 16, 1, y],
    key: 1,
    member: true,
    undefined_element: undefined,
    partly: "default",
    each_with_neighbour: items.slice(1).map((item, i) => [items[i], item]),
    through_json: list,
    walked: list,
  };
}

describe("lists", () => {
  let policy: Policy;
  beforeAll(async () => {
    const { compiled, diagnostics } = await compileModules({
      modules: [new SourceFile("t.rego", REGO)],
      entrypoints: RULES.map((rule) => `t/${rule}`),
    });
    if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
    policy = await load(compiled.wasm);
  });

  const values = ["x", "unknown", 7, null, true, [1], { k: "v" }];
  it.each(values.flatMap((x) => values.map((y) => [x, y] as const)))("hold %j and %j like any array", (x, y) => {
    const items = [x, y, 3];
    const input = { x, y, t: "é", list: items, same: [x, 1, y] };
    const want = expected(x, y, "é", items);
    expect(RULES.filter((rule) => !(rule in want))).toEqual([]);
    for (const rule of RULES) expect(policy.evaluate(`t/${rule}`, input), rule).toEqual(want[rule]);
  });
});
