/** The module as a file: sections, size, determinism, what is refused. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Block, Policy } from "../../../compiler/rego/plan/ir.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { sealModule } from "../../../compiler/rego/wasm/sections.ts";
import { StaticData } from "../../../compiler/rego/wasm/static-data.ts";
import {
  ABI_VERSION,
  DIGEST_SECTION,
  POLICY_SECTION,
  type PolicySection,
  RTLIB_BASE,
  STRING_BYTES,
  STRING_LENGTH,
  TAG_STRING,
} from "../../../runtime/abi/index.ts";
import { isWhole } from "../../campaign.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { emit, emitModule, entrypoint, Module } from "./module.ts";

const SMALL = `builtin test.host/2
${entrypoint("lane/decision", "g0.data.lane.decision")}func g0.data.lane.decision(L0, L1) -> L2 path g0/lane/decision
  block
    L3 = get L0 "lane"
    L4 = get L0 "role"
    L5 = get #0 L3
    L6 = get L5 L4
    equal L6 true
    L7 = call test.host(L3, L4)
    L2 = object
    insert L2 "allowed" true
    insert L2 "lane" L3
  block
    return L2
`;
const str = (value: string): Value => ({ kind: "string", value });
const LANES: Value = {
  kind: "object",
  entries: [[str("build"), { kind: "object", entries: [[str("engineer"), { kind: "boolean", value: true }]] }]],
};

const compile = (bytes: Uint8Array): WebAssembly.Module => new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);

describe("sections", () => {
  const bytes = emit(SMALL, [LANES]);

  it("tell the runtime what it must know", () => {
    const [section] = WebAssembly.Module.customSections(compile(bytes), POLICY_SECTION);
    const policy = JSON.parse(new TextDecoder().decode(section)) as PolicySection;
    const m = new Module(bytes, { builtins: {} });
    expect(policy).toEqual({
      abi: ABI_VERSION,
      entrypoints: ["lane/decision"],
      builtins: [{ name: "test.host", id: 0, arity: 2 }],
      strings: { address: expect.any(Number), count: 8 },
      heapBase: m.base,
      decide: [null],
    });
    const view = new DataView(m.memory.buffer);
    const strings = Array.from({ length: policy.strings.count }, (_, i) => {
      const value = view.getUint32(policy.strings.address + i * 4, true);
      expect(view.getUint8(value)).toBe(TAG_STRING);
      return m.json(value);
    });
    expect(strings.toSorted()).toEqual([
      "allowed",
      "build",
      "engineer",
      "lane",
      "lane/decision",
      "result",
      "role",
      "test.host",
    ]);
  });

  it("list each string once, with its bytes", () => {
    const texts = ["plain", 'quo"te', "back\\slash", "new\nline", "\u0000", "\u007f", "é", "𝄞", ""];
    const data = new StaticData(RTLIB_BASE, new Uint8Array());
    const addresses = texts.map((text) => data.string(text));
    const { strings, bytes } = data.seal();
    const utf8 = new TextDecoder();
    const at = (address: number, length: number): Uint8Array =>
      bytes.subarray(address - RTLIB_BASE, address - RTLIB_BASE + length);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const word = (address: number): number => view.getUint32(address - RTLIB_BASE, true);
    expect(Array.from({ length: strings.count }, (_, i) => word(strings.address + i * 4))).toEqual(addresses);
    for (const [i, address] of addresses.entries())
      expect(utf8.decode(at(word(address + STRING_BYTES), word(address + STRING_LENGTH)))).toBe(texts[i]);
  });

  it("keep the names of functions", () => {
    const [names] = WebAssembly.Module.customSections(compile(bytes), "name");
    const text = new TextDecoder().decode(names);
    expect(text).toContain("policy/g0.data.lane.decision");
    expect(text).toContain("opa_json_parse");
  });

  it("end with the digest of all that is before", async () => {
    const sealed = await sealModule(bytes);
    const [digest] = WebAssembly.Module.customSections(compile(sealed), DIGEST_SECTION);
    expect(Buffer.from(digest as ArrayBuffer)).toEqual(createHash("sha256").update(bytes).digest());
    expect(sealed.subarray(0, bytes.length)).toEqual(bytes);
  });
});

describe("size and determinism", () => {
  it("a small policy is well under 40 KB", () => {
    expect(emit(SMALL, [LANES]).length).toBeLessThan(32 * 1024);
  });

  it("uses nothing beyond MVP and bulk memory", () => {
    // An engine without these features is not at hand; the encoding of sign extension, saturating conversion and multiple
    // values would need types or opcodes that binaryen refuses with the features that are set. It validates on emission.
    expect(WebAssembly.validate(emit(SMALL, [LANES]) as Uint8Array<ArrayBuffer>)).toBe(true);
  });

  it("the same policy gives the same bytes", () => {
    const first = emit(SMALL, [LANES]);
    emit(`${entrypoint("other", "f")}func f(L0, L1) -> L2\n  block\n    return L2\n`);
    expect(Buffer.compare(emit(SMALL, [LANES]), first)).toBe(0);
  });

  it("a pruned module has no function of rtlib that it does not need", () => {
    const names = (text: string): number => {
      const [section] = WebAssembly.Module.customSections(compile(emit(text)), "name");
      return (section as ArrayBuffer).byteLength;
    };
    const body = (call: string): string =>
      `${call.includes("plus") ? "builtin plus/2\n" : ""}${entrypoint("p", "f")}func f(L0, L1) -> L2\n  block\n    L2 = ${call}\n  block\n    return L2\n`;
    expect(names(body("call plus(L0, L0)"))).toBeGreaterThan(names(body("object")));
  });
});

describe("limits", () => {
  const policyOf = (blocks: readonly Block[], more: Partial<Policy> = {}): Policy => ({
    strings: ["p"],
    constants: [],
    builtins: [],
    files: [],
    plans: [],
    funcs: [{ name: "f", params: [0, 1], result: 2, blocks, path: [] }],
    ...more,
  });
  const codes = (policy: Policy): string[] => (emitModule(policy).diagnostics ?? []).map((d) => d.code);
  const nest = (n: number): Block => {
    let block: Block = { stmts: [{ kind: "AssignVarStmt", source: { kind: "Boolean", value: true }, target: 2 }] };
    for (let i = 1; i < n; i++)
      block = { stmts: [{ kind: i % 2 === 0 ? "NotStmt" : "BlockStmt", block, blocks: [block] } as never] };
    return block;
  };

  it("of nesting: 400 levels compile and run, more are refused", () => {
    const called: Policy = policyOf([nest(400), { stmts: [{ kind: "ReturnLocalStmt", source: 2 }] }]);
    const bytes = emitModule(called).bytes as Uint8Array;
    expect(WebAssembly.validate(bytes as Uint8Array<ArrayBuffer>)).toBe(true);
    expect(codes(policyOf([nest(401)]))).toEqual(["wasm/too-deep"]);
    expect(codes(policyOf([nest(100_000)]))).toContain("wasm/too-deep");
  });

  it("of constants: 1000 levels, more are refused", () => {
    const deep = (n: number): Value => {
      let v: Value = { kind: "null" };
      for (let i = 0; i < n; i++) v = { kind: "array", items: [v] };
      return v;
    };
    expect(codes(policyOf([], { constants: [deep(1000)] }))).toEqual([]);
    expect(codes(policyOf([], { constants: [deep(1001)] }))).toEqual(["wasm/too-deep"]);
    expect(codes(policyOf([], { constants: [deep(1_000_000)] }))).toEqual(["wasm/too-deep"]);
    // Written out, it would have 2^900 values.
    let shared: Value = { kind: "null" };
    for (let i = 0; i < 900; i++) shared = { kind: "array", items: [shared, shared] };
    expect(codes(policyOf([], { constants: [shared] }))).toEqual([]);
    expect(codes(policyOf([], { constants: [{ kind: "array", items: [deep(999), deep(1000)] }] }))).toEqual([
      "wasm/too-deep",
    ]);
  });

  it("of a function's length: more than 25,000 statements are refused, and exactly as many compile and run", () => {
    // Engines take a minute for as many.
    const most = isWhole ? 25_000 : 2_500;
    const text = (n: number): string =>
      `${entrypoint("p", "f")}func f(L0, L1) -> L2\n  block\n${Array.from({ length: n - 2 }, (_, i) => `    L${i + 3} = get L0 "k"\n`).join("")}    L2 = true\n  block\n    return L2\n`;
    expect(new Module(emit(text(most))).evaluate({ k: 1 })).toEqual([{ result: true }]);
    expect(codes(parsePolicyText(text(25_001)))).toEqual(["wasm/too-large"]);
  });

  it("of builtins with more arguments than a host can be passed", () => {
    const builtins = [
      { name: "of.host", arity: 4 },
      { name: "wide", arity: 5 },
      { name: "plus", arity: 2 },
    ];
    expect(codes(policyOf([], { builtins }))).toEqual(["wasm/too-many-arguments"]);
  });

  it("many rules: 5,000 functions that call one another, and as many entrypoints", () => {
    const count = 5000;
    const funcs = Array.from(
      { length: count },
      (_, i) =>
        `func g0.data.r${i}(L0, L1) -> L2 path g0/r${i}\n  block\n    L3 = call g0.data.r${i + 1}(L0, L1)\n    L2 = array 1\n    append L2 L3\n  block\n    return L2\n`,
    );
    const last = `func g0.data.r${count}(L0, L1) -> L2 path g0/r${count}\n  block\n    L2 = "end"\n  block\n    return L2\n`;
    const plans = Array.from({ length: count }, (_, i) => entrypoint(`r${i}`, `g0.data.r${i}`));
    const bytes = emit(plans.join("") + funcs.join("") + last);
    const m = new Module(bytes);
    expect(m.evaluate({}, count - 1)).toEqual([{ result: ["end"] }]);
    expect(m.evaluateText("{}", count - 900)).toBe(`[{"result":${"[".repeat(900)}"end"${"]".repeat(900)}}]`);
  });
});
