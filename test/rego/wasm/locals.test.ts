/** Wasm locals are taken over by others, and what they had before is not seen. */

import { expect, it } from "vitest";
import { moduleText } from "../../../compiler/rego/wasm/module-text.ts";
import { emit, entrypoint } from "./module.ts";
import { RETURN, run } from "./run-body.ts";

/** The locals of the rule's function, of a body with `count` documents one after the other, each with two of the IR. */
async function localsOf(count: number): Promise<number> {
  const blocks = Array.from({ length: count }, (_, i) => {
    const [a, b] = [10 + i * 2, 11 + i * 2];
    return `  block\n    L${a} = get L0 "a${i}"\n    L${b} = get L${a} "b"\n    equal L${b} true\n    L2 = reset\n    L2 = "${i}"\n`;
  });
  const text = await moduleText(
    emit(`${entrypoint("a", "f")}func f(L0, L1) -> L2\n${blocks.join("")}  block\n    return L2\n`),
  );
  const func = /\(func \$policy\/f [\s\S]*?\n \)/.exec(text)?.[0] ?? "";
  return func.match(/\(local \$/g)?.length ?? 0;
}

it("are as many for a hundred documents as for two", async () => {
  expect(await localsOf(100)).toBe(await localsOf(2));
});

it("begin as undefined where they may be read first, whatever others left behind", () => {
  const left = `block\n  L10 = get L0 "x"\n  L11 = get L0 "x"\n  equal L10 L11\n`;
  expect(run(`${left}block\n  is-undefined L20\n  L2 = "undefined"\n${RETURN}`, { x: 1 })).toBe("undefined");
  expect(run(`${left}block\n  L20 = once "new"\n  L2 = L20\n${RETURN}`, { x: 1 })).toBe("new");
});

it("keep their value from a turn of a loop to behind it", () => {
  const body = `block
  L3 = array 2
  scan L0 as L4, L5
    L6 = L5
    L7 = L6
    append L3 L7
  L8 = "c"
  append L3 L8
  L2 = L3
${RETURN}`;
  expect(run(body, ["a", "b"])).toEqual(["a", "b", "c"]);
});
