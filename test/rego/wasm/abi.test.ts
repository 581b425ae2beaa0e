/** The exports and imports of the OPA ABI 1.3, and what each SDK does with them (spec: opa-abi.md). */

import { describe, expect, it } from "vitest";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { HEADER_HEAP_BASE, HEADER_MEMO_FRAME, HEADER_MEMO_SIZE, RTLIB_BASE } from "../../../runtime/abi/index.ts";
import { Abort, emit, entrypoint, Module } from "./module.ts";

const EXPORTS: Record<string, number | "global" | "memory"> = {
  memory: "memory",
  opa_wasm_abi_version: "global",
  opa_wasm_abi_minor_version: "global",
  builtins: 0,
  entrypoints: 0,
  eval: 1,
  opa_eval: 7,
  opa_eval_ctx_new: 0,
  opa_eval_ctx_set_input: 2,
  opa_eval_ctx_set_data: 2,
  opa_eval_ctx_set_entrypoint: 2,
  opa_eval_ctx_get_result: 1,
  opa_malloc: 1,
  opa_free: 1,
  opa_json_parse: 2,
  opa_value_parse: 2,
  opa_json_dump: 1,
  opa_value_dump: 1,
  opa_heap_ptr_get: 0,
  opa_heap_ptr_set: 1,
  opa_value_add_path: 3,
  opa_value_remove_path: 2,
  opa_value_free: 1,
  opa_heap_blocks_stash: 0,
  opa_heap_blocks_restore: 0,
  opa_heap_stash_clear: 0,
};

/** Gives `[input.x, data.y]`, or nothing when either is missing, at entrypoint 0; a constant at 1; a call of the host at 2. */
const POLICY = `builtin test.host/1
${entrypoint("pkg/pair", "g0.data.pkg.pair")}${entrypoint("pkg/constant", "g0.data.pkg.constant")}${entrypoint("pkg/host", "g0.data.pkg.host")}
func g0.data.pkg.pair(L0, L1) -> L2 path g0/pkg/pair
  block
    L3 = get L0 "x"
    L4 = get L1 "y"
    L2 = array 2
    append L2 L3
    append L2 L4
  block
    return L2
func g0.data.pkg.constant(L0, L1) -> L2 path g0/pkg/constant
  block
    L2 = "text"
  block
    return L2
func g0.data.pkg.host(L0, L1) -> L2 path g0/pkg/host
  block
    L3 = get L0 "x"
    L2 = call test.host(L3)
  block
    return L2
`;

const bytes = emit(POLICY);

describe("module", () => {
  it("imports and exports what the ABI says, and nothing else but our own names", () => {
    const module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
    const imports = WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`);
    expect(new Set(imports)).toEqual(new Set(["env.memory", "env.opa_abort", "env.opa_builtin1"]));
    const exports = WebAssembly.Module.exports(module);
    const own = exports.filter((e) => e.name.startsWith("portcullis_")).length;
    expect(exports.length - own).toBe(26);
    const m = new Module(bytes);
    for (const [name, shape] of Object.entries(EXPORTS)) {
      const kind = exports.find((e) => e.name === name)?.kind;
      expect(kind, name).toBe(typeof shape === "number" ? "function" : shape);
      if (typeof shape === "number") expect(m.fn(name).length, name).toBe(shape);
    }
  });

  it("says ABI 1.3", () => {
    const m = new Module(bytes);
    const global = (name: string): number => (m.exports[name] as unknown as WebAssembly.Global).value;
    expect([global("opa_wasm_abi_version"), global("opa_wasm_abi_minor_version")]).toEqual([1, 3]);
  });

  it("takes the host's memory and exports the same object", () => {
    const m = new Module(bytes);
    expect(m.exports["memory"]).toBe(m.memory);
  });

  it("loads into 2 pages, and grows a memory that is too small for its data", () => {
    expect(new Module(bytes, { pages: 2 }).evaluate(undefined, 1)).toEqual([{ result: "text" }]);
    const items = Array.from({ length: 30000 }, (_, i): Value => ({ kind: "string", value: `item number ${i}` }));
    const big = emit(
      `${entrypoint("p", "f")}
func f(L0, L1) -> L2
  block
    L3 = number "29999"
    L2 = get #0 L3
  block
    return L2
`,
      [{ kind: "array", items }],
    );
    const m = new Module(big, { pages: 5 });
    expect(m.memory.buffer.byteLength).toBeGreaterThan(5 * 65536);
    expect(m.evaluate()).toEqual([{ result: "item number 29999" }]);
  });

  it("has the same heap base in every instance", () => {
    const bases = [2, 5, 40].map((pages) => new Module(bytes, { pages }).base);
    expect(new Set(bases).size).toBe(1);
  });

  it("names entrypoints and host builtins", () => {
    const m = new Module(bytes);
    expect(m.json(m.fn("entrypoints")())).toEqual({ "pkg/pair": 0, "pkg/constant": 1, "pkg/host": 2 });
    expect(m.json(m.fn("builtins")())).toEqual({ "test.host": 0 });
  });
});

describe("npm SDK: opa_eval", () => {
  it("evaluates with data and input at an unaligned heap", () => {
    const m = new Module(bytes);
    m.setData({ y: [1, { z: null }] });
    for (let pad = 0; pad < 8; pad++) {
      const text = `${" ".repeat(pad)}{"x": "some text that the policy does not know"}`;
      expect(JSON.parse(m.evaluateText(text))).toEqual([
        { result: ["some text that the policy does not know", [1, { z: null }]] },
      ]);
    }
  });

  it("gives [] for undefined, without input and without data too", () => {
    const m = new Module(bytes);
    expect(m.evaluate()).toEqual([]);
    expect(m.evaluate({ x: 1 })).toEqual([]);
    m.setData({ y: 1 });
    expect(m.evaluate()).toEqual([]);
    expect(m.evaluate({ x: 1 })).toEqual([{ result: [1, 1] }]);
  });

  it("takes set literals in the input, and format 1 gives value text", () => {
    const m = new Module(bytes);
    m.setData({ y: 1 });
    expect(m.evaluateText(`{"x": {2, 1, "a"}}`)).toBe(`[{"result":[[1,2,"a"],1]}]`);
    expect(m.evaluateText(`{"x": {2, 1, "a"}}`, 0, 1)).toBe(`{{"result":[{1,2,"a"},1]}}`);
    expect(m.evaluateText(`{"x": set()}`, 0, 1)).toBe(`{{"result":[set(),1]}}`);
    expect(m.evaluateText(`{"x": {1: 2}}`, 0, 1)).toBe(`{{"result":[{1:2},1]}}`);
    expect(m.evaluateText(`{"x": {1: {[2]: 3}}}`)).toBe(`[{"result":[{"1":{"[2]":3}},1]}]`);
  });

  it("treats an input that is not well-formed as none", () => {
    const m = new Module(bytes);
    m.setData({ y: 1 });
    expect(m.evaluateText(`{"x": 1`)).toBe("[]");
    expect(m.evaluateText(`{"x": 1}}`)).toBe("[]");
  });

  it("aborts for an entrypoint that is not there and for the reserved argument", () => {
    const m = new Module(bytes);
    for (const entry of [3, -1, 1 << 30]) {
      expect(() => m.evaluate({}, entry)).toThrow(new Abort("internal: illegal entrypoint id"));
    }
    expect(() => m.fn("opa_eval")(1, 0, 0, 0, 0, m.base, 0)).toThrow(new Abort("invalid reserved argument"));
    expect(m.evaluate(undefined, 1)).toEqual([{ result: "text" }]);
  });

  it("calls builtins of the host; their 0 is undefined", () => {
    const seen: unknown[] = [];
    const m: Module = new Module(bytes, {
      builtins: {
        "test.host": (a) => {
          seen.push(m.json(a));
          return m.json(a) === 1 ? 0 : m.parse(`{"got": [true]}`);
        },
      },
    });
    expect(m.evaluate({ x: { k: "v" } }, 2)).toEqual([{ result: { got: [true] } }]);
    expect(m.evaluate({ x: 1 }, 2)).toEqual([]);
    expect(seen).toEqual([{ k: "v" }, 1]);
  });

  it("does not write below the heap while the input is read, and changes nothing below the heap base but statics", () => {
    const m = new Module(bytes);
    m.setData({ y: ["a", "b"] });
    const header = new DataView(m.memory.buffer);
    expect(header.getUint32(HEADER_HEAP_BASE, true)).toBe(m.base);
    const memo = header.getUint32(HEADER_MEMO_FRAME, true);
    const memoEnd = memo + header.getUint32(HEADER_MEMO_SIZE, true);
    const snapshot = (): Uint8Array => {
      const copy = new Uint8Array(m.memory.buffer).slice(RTLIB_BASE, m.evalBase);
      copy.fill(0, memo - RTLIB_BASE, memoEnd - RTLIB_BASE);
      return copy;
    };
    m.evaluate({ x: 1 });
    const before = snapshot();
    m.evaluate({ x: { a: [1, 2, 3], b: "some text" } });
    // rtlib's own statics (the context of opa_eval) are below; the data and the constants are as they were.
    const start = m.base - RTLIB_BASE;
    expect(Buffer.compare(snapshot().subarray(start), before.subarray(start))).toBe(0);
  });

  it("keeps its memory over a million bytes of input, many times", () => {
    const m = new Module(bytes);
    m.setData({ y: 1 });
    const input = { x: Array.from({ length: 20000 }, (_, i) => `element ${i}`) };
    m.evaluate(input);
    m.evaluate(input);
    const size = m.memory.buffer.byteLength;
    for (let i = 0; i < 20; i++) m.evaluate(input);
    expect(m.memory.buffer.byteLength).toBe(size);
  });
});

describe("Java, .NET and Rust SDKs: eval with a context", () => {
  const run = (m: Module, input: number, data: number, entry: number): number => {
    const ctx = m.fn("opa_eval_ctx_new")();
    m.fn("opa_eval_ctx_set_input")(ctx, input);
    m.fn("opa_eval_ctx_set_data")(ctx, data);
    m.fn("opa_eval_ctx_set_entrypoint")(ctx, entry);
    expect(m.fn("eval")(ctx)).toBe(0);
    return m.fn("opa_eval_ctx_get_result")(ctx);
  };

  it("gives a set of results, which may be freed", () => {
    const m = new Module(bytes);
    const data = m.parse(`{"y": 5}`);
    const heap = m.fn("opa_heap_ptr_get")();
    for (let i = 0; i < 3; i++) {
      m.fn("opa_heap_ptr_set")(heap);
      const result = run(m, m.parse(`{"x": [1]}`), data, 0);
      expect(m.valueText(result)).toBe(`{{"result":[[1],5]}}`);
      m.fn("opa_free")(result);
    }
    expect(m.json(run(m, 0, 0, 0))).toEqual([]);
  });

  it("survives len + 1 bytes written into opa_malloc(len), and empty texts", () => {
    const m = new Module(bytes);
    const blocks = Array.from({ length: 70 }, (_, n) => {
      const at = m.fn("opa_malloc")(n);
      new Uint8Array(m.memory.buffer).fill(0xee, at, at + n + 1);
      return { at, n };
    });
    for (const { at, n } of blocks) {
      expect([...new Uint8Array(m.memory.buffer).subarray(at, at + n + 1)].every((b) => b === 0xee)).toBe(true);
    }
    // Freeing them, in any order, finds headers that the extra byte did not damage.
    for (const { at } of blocks.filter((_, i) => i % 3 === 0)) m.fn("opa_free")(at);
    for (const { at } of blocks.filter((_, i) => i % 3 !== 0).reverse()) m.fn("opa_free")(at);
    expect(m.parse("")).toBe(0);
    expect(m.json(m.parse("[1]"))).toEqual([1]);
  });

  it("aborts for an entrypoint that is not there", () => {
    expect(() => run(new Module(bytes), 0, 0, 9)).toThrow(new Abort("internal: illegal entrypoint id"));
  });
});

describe("Go SDK: a pool of instances, data patches", () => {
  it("evaluates over a copy of another instance's data", () => {
    const a = new Module(bytes);
    a.setData({ y: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key ${39 - i}`, [i, `value ${i}`]])) });
    const b = new Module(bytes);
    b.write(b.base, new Uint8Array(a.memory.buffer).slice(a.base, a.evalBase));
    b.data = a.data;
    b.evalBase = a.evalBase;
    b.fn("opa_heap_ptr_set")(a.evalBase);
    expect(b.evaluate({ x: 0 })).toEqual(a.evaluate({ x: 0 }));
    expect(b.evaluate({ x: 0 })).toEqual(a.evaluate({ x: 0 }));
  });

  it("patches data by paths, with OPA's error codes", () => {
    const m = new Module(bytes);
    const data = m.parse(`{"a": {"b": 1}, "s": "t"}`);
    const path = (...keys: string[]): number => m.parse(JSON.stringify(keys));
    const add = m.fn("opa_value_add_path");
    const remove = m.fn("opa_value_remove_path");
    expect(add(data, path("a", "c"), m.parse("2"))).toBe(0);
    expect(add(data, path("x", "y", "z"), m.parse("[3]"))).toBe(0);
    expect(add(data, path("a", "b"), m.parse("4"))).toBe(0);
    expect(m.json(data)).toEqual({ a: { b: 4, c: 2 }, s: "t", x: { y: { z: [3] } } });
    expect(add(data, path(), m.parse("1"))).toBe(3);
    expect(add(data, m.parse(`"a"`), m.parse("1"))).toBe(3);
    expect(add(data, path("s", "u"), m.parse("1"))).toBe(2);
    expect(add(data, path("s", "u", "v"), m.parse("1"))).toBe(2);
    expect(remove(data, path("x", "y"))).toBe(0);
    expect(remove(data, path("no", "such", "path"))).toBe(0);
    expect(remove(data, path("a", "nothing"))).toBe(0);
    expect(remove(data, path())).toBe(3);
    expect(remove(data, path("s", "u"))).toBe(2);
    expect(m.json(data)).toEqual({ a: { b: 4, c: 2 }, s: "t", x: {} });
  });

  it("reuses what is freed: patches do not make memory grow", () => {
    const m = new Module(bytes);
    const data = m.parse(`{"keep": true}`);
    const patch = (i: number): void => {
      const path = m.parse(`["tree", "branch ${i % 5}"]`);
      const old = m.parse(`["tree"]`);
      const value = m.parse(JSON.stringify({ list: Array.from({ length: 200 }, (_, n) => `leaf ${n} of ${i}`) }));
      expect(m.fn("opa_value_remove_path")(data, old)).toBe(0);
      expect(m.fn("opa_value_add_path")(data, path, value)).toBe(0);
      m.fn("opa_value_free")(value);
      m.fn("opa_value_remove_path")(data, old);
      m.fn("opa_value_free")(old);
      m.fn("opa_value_free")(path);
    };
    for (let i = 0; i < 50; i++) patch(i);
    const used = m.fn("opa_heap_ptr_get")();
    for (let i = 0; i < 5000; i++) patch(i);
    // All that a patch leaves is the object that opa_value_add_path made on the way: its address is not known.
    expect(m.fn("opa_heap_ptr_get")() - used).toBeLessThan(5000 * 80);
  });

  it("stashes free blocks for an evaluation and gets them back", () => {
    const m = new Module(bytes);
    const hole = m.malloc("x".repeat(1000)).at;
    m.data = m.parse(`{"y": 1}`);
    m.fn("opa_free")(hole);
    m.evalBase = m.fn("opa_heap_ptr_get")();
    m.fn("opa_heap_blocks_stash")();
    const evaluated = new Uint8Array(m.memory.buffer).slice(hole, hole + 1000);
    m.evaluate({ x: ["nothing of this may lie in the hole"] });
    expect(new Uint8Array(m.memory.buffer).slice(hole, hole + 1000)).toEqual(evaluated);
    m.fn("opa_heap_ptr_set")(m.evalBase);
    m.fn("opa_heap_blocks_restore")();
    expect(m.malloc("y".repeat(1000)).at).toBe(hole);
    m.fn("opa_heap_stash_clear")();
    m.fn("opa_heap_blocks_restore")();
    expect(m.malloc("y".repeat(1000)).at).toBeGreaterThan(hole);
  });
});

describe("allocator", () => {
  it("tolerates 0, static values, foreign addresses, and freeing twice", () => {
    const m = new Module(bytes);
    m.fn("opa_value_free")(0);
    m.fn("opa_free")(0);
    m.fn("opa_value_free")(m.fn("entrypoints")());
    m.fn("opa_value_free")(m.parse("true"));
    m.fn("opa_value_free")(m.parse("7"));
    expect(m.json(m.fn("entrypoints")())).toHaveProperty("pkg/host");
    const first = m.malloc("some bytes").at;
    const second = m.malloc("others").at;
    m.fn("opa_free")(first);
    m.fn("opa_free")(first);
    m.fn("opa_free")(first + 8);
    m.fn("opa_free")(0xfffffff8);
    m.fn("opa_free")(second + 1);
    expect(m.malloc("some bytes").at).toBe(first);
    expect(m.malloc("some bytes").at).not.toBe(first);
  });

  it("gives distinct blocks for size 0", () => {
    const m = new Module(bytes);
    expect(m.fn("opa_malloc")(0)).not.toBe(m.fn("opa_malloc")(0));
  });

  it("aborts when memory is exhausted, and goes on afterwards", () => {
    const m = new Module(bytes, { maximum: 100 });
    for (const size of [100 * 65536, 0x7fffffff, -0x100000, -1, -5, -16, -17]) {
      expect(() => m.fn("opa_malloc")(size), String(size)).toThrow(new Abort("opa_malloc: failed"));
    }
    expect(m.evaluate(undefined, 1)).toEqual([{ result: "text" }]);
  });

  it("notices memory that the host has grown", () => {
    const m = new Module(bytes);
    m.setData({ y: 1 });
    m.memory.grow(200);
    const before = m.memory.buffer.byteLength;
    m.evaluate({ x: "z".repeat(3_000_000) });
    expect(m.memory.buffer.byteLength).toBe(before);
  });
});
