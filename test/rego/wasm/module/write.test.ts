/** Modules written from trees: engines take them, binaryen reads the same out of them, and what nothing reaches is not there. */

import { beforeAll, describe, expect, it } from "vitest";
import { code, type Expr, i32, i64, none } from "../../../../compiler/rego/wasm/module/code.ts";
import type { Library } from "../../../../compiler/rego/wasm/module/library.ts";
import { ModuleBuilder } from "../../../../compiler/rego/wasm/module/module.ts";
import { writeModule } from "../../../../compiler/rego/wasm/module/write.ts";
import { moduleText } from "../../../../compiler/rego/wasm/module-text.ts";
import { emit, entrypoint } from "../module.ts";

const { local, block, br, loop, call } = code;
const { add, const: int, eqz, eq, sub, wrap } = code.i32;
const empty: Library = { funcs: [], globals: [], exports: new Map(), data: [] };
const get = (index: number): Expr => local.get(index, i32);

/** The exports of a module with the functions that `build` adds. */
function built(build: (module: ModuleBuilder) => void): Record<string, (...args: number[]) => number> {
  const module = new ModuleBuilder(empty, 1);
  build(module);
  const compiled = new WebAssembly.Module(writeModule(module) as Uint8Array<ArrayBuffer>);
  const memory = new WebAssembly.Memory({ initial: 1 });
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as never;
}

const one = (body: Expr, locals: readonly (typeof i32 | typeof i64)[] = []) =>
  built((m) => {
    m.addFunc("f", [i32], i32, locals, body);
    m.exportFunc("f", "f");
  }).f as (n: number) => number;

describe("branches", () => {
  it("leave the block of their name, however deep", () => {
    const inner = block("inner", [br("outer", get(0)), local.set(1, int(2)), br("inner"), local.set(1, int(9))]);
    const f = one(
      block(null, [local.set(1, int(1)), block("outer", [inner, local.set(1, add(get(1), int(10)))]), get(1)], i32),
      [i32],
    );
    expect([f(0), f(1)]).toEqual([12, 1]);
  });

  it("go back to the beginning of a loop", () => {
    const turn = [local.set(1, add(get(1), get(0))), local.set(0, sub(get(0), int(1))), br("again", get(0))];
    expect(one(block(null, [loop("again", block(null, turn)), get(1)], i32), [i32])(100)).toBe(5050);
  });

  it("choose by a number, and the last beyond it", () => {
    const at = (label: string, inner: Expr, value: number): Expr =>
      block(null, [block(label, [inner]), code.return(int(value))]);
    const f = one(
      block(null, [at("end", at("b", at("a", code.switch(["a", "b"], "end", get(0)), 1), 2), 3), int(0)], i32),
    );
    expect([0, 1, 2, -1].map(f)).toEqual([1, 2, 3, 3]);
  });

  it("have a value where both arms have, also where one is never left", () => {
    expect([0, 5].map(one(code.if(get(0), int(7), int(8))))).toEqual([8, 7]);
    const f = one(code.if(eqz(get(0)), code.return(int(-1)), get(0)));
    expect([0, 5].map(f)).toEqual([-1, 5]);
  });
});

it("locals of two types keep their order", () => {
  const sum = wrap(code.i64.add(local.get(2, i64), code.i64.extend_u(get(1))));
  const f = one(block(null, [local.set(1, int(2)), local.set(2, code.i64.const(2n ** 32n + 40n)), sum], i32), [
    i32,
    i64,
    i32,
  ]);
  expect(f(0)).toBe(42);
});

it("data is copied from the segment of its number", () => {
  const read = code.i32.load8_u(8, 1, int(0));
  const { f, g } = built((m) => {
    for (const [name, text] of [
      ["f", "A"],
      ["g", "B"],
    ] as const) {
      const segment = m.addData(name, new TextEncoder().encode(text));
      m.addFunc(
        name,
        [],
        i32,
        [],
        block(null, [code.memory.init(segment, int(8), int(0), int(1)), code.data.drop(segment), read], i32),
      );
      m.exportFunc(name, name);
    }
  });
  expect([f?.(), g?.()]).toEqual([65, 66]);
});

it("functions may be called before they are there, and through the table", () => {
  const { f, g } = built((m) => {
    m.addFunc("f", [i32], i32, [], call("later", [get(0)], i32));
    m.addFunc("g", [i32], i32, [], code.call_indirect(get(0), [int(20)], [i32], i32));
    m.addFunc("none", [], none, [], code.unreachable());
    m.addFunc("later", [i32], i32, [], eq(get(0), int(20)));
    m.exportFunc("f", "f");
    m.exportFunc("g", "g");
    m.table = [m.func("later")];
  });
  expect([f?.(20), f?.(1), g?.(0)]).toEqual([1, 0, 1]);
});

it("refuses names that nothing has", () => {
  const calls = new ModuleBuilder(empty, 1);
  calls.addFunc("f", [], i32, [], call("missing", [], i32));
  calls.exportFunc("f", "f");
  expect(() => writeModule(calls)).toThrow();
  expect(() => one(block("a", [br("b")]))).toThrow("no block is called b");
  expect(() => one(code.global.get("missing", i32))).toThrow("no global is called missing");
});

describe("a policy's module", () => {
  const policy = `builtin regex.match/2
${entrypoint("a", "f")}func f(L0, L1) -> L2
  block
    L3 = call regex.match(L0, "x")
    L2 = L3
  block
    return L2

func unused(L0, L1) -> L2
  block
    L2 = true
  block
    return L2
`;
  let text: string;
  beforeAll(async () => {
    text = await moduleText(emit(policy));
  });

  it("has the functions that it reaches, and no others", () => {
    expect(text).toContain("(func $policy/f ");
    expect(text).toContain("(func $builtins/regex/");
    expect(text).not.toContain("$policy/unused");
    expect(text).not.toContain("$builtins/glob/");
  });

  it("asks the host for nothing that it does not call", () => {
    const asked = [...text.matchAll(/\(import "env" "(\w+)"/g)].map(([, name]) => name);
    // What rtlib itself calls has one argument.
    expect(asked).toEqual(["memory", "opa_builtin1", "opa_abort"]);
  });
});
