/** The code that policies share: which have the same, and that it decides each by its own data. */

import { load, type PolicySource } from "@portcullis/runtime";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { Value } from "../../../compiler/rego/value/index.ts";
import { codeOf } from "../../../runtime/load/code.ts";

const REGO = `package app

decision := {"allowed": true, "gate": data.gates[input.tool].gate} if {
	input.role in data.gates[input.tool].roles
	not input.tool in data.stopped
} else := {"allowed": false, "gate": "NONE"}
`;

const text = (value: string): Value => ({ kind: "string", value });
const object = (members: readonly (readonly [string, Value])[]): Value => ({
  kind: "object",
  entries: members.map(([key, value]) => [text(key), value]),
});

/** A policy of this many tools whose names begin with a prefix; the last one is stopped. */
async function compiled(prefix: string, tools: number): Promise<Uint8Array> {
  const names = Array.from({ length: tools }, (_, i) => `${prefix}${i}`);
  const gate = (name: string): Value =>
    object([
      ["gate", text(`${name} gate`)],
      ["roles", { kind: "array", items: [text(`${prefix}role`)] }],
    ]);
  const data = object([
    ["gates", object(names.map((name) => [name, gate(name)]))],
    ["stopped", { kind: "array", items: [text(names[tools - 1] as string)] }],
  ]);
  const { compiled: found, diagnostics } = await compileModules({
    modules: [new SourceFile("app.rego", REGO)],
    data,
    entrypoints: ["app/decision"],
  });
  if (found === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return found.wasm;
}

/** What the engine was given to compile as code alone, while `work` ran: the second of two modules. */
async function codesOf(work: () => Promise<unknown>): Promise<string[]> {
  const compile = vi.spyOn(WebAssembly, "compile");
  await work();
  return compile.mock.calls.map(([bytes]) => Buffer.from(bytes as Uint8Array).toString("base64"));
}

afterEach(() => void vi.restoreAllMocks());

describe("the code of a policy", () => {
  it("is that of any policy of the same rules, whatever its names are and how many, and has no name in it", async () => {
    // From 9 on, the keys of an object know their entries: other code.
    const [a, b, c] = await Promise.all([compiled("a", 40), compiled("some_longer_name_", 40), compiled("c", 3_000)]);
    const codes = await codesOf(() => Promise.all([codeOf(a), codeOf(b), codeOf(c)]));
    expect(new Set(codes).size).toBe(1);
    expect(Buffer.from(codes[0] as string, "base64").includes("gate")).toBe(false);
    expect((codes[0] as string).length * 0.75).toBeLessThan(a.length);
  });

  it("is that of policies whose data is packed, too", async () => {
    const [a, b] = await Promise.all([compiled("a", 12_000), compiled("some_name_", 14_000)]);
    const codes = await codesOf(() => Promise.all([codeOf(a), codeOf(b)]));
    expect(new Set(codes).size).toBe(1);
  });

  it.each([40, 3_000, 12_000])(
    "decides each policy of %d tools by its own data, from all it was loaded from",
    async (tools) => {
      const sources: (readonly [string, PolicySource])[] = [];
      for (const prefix of ["a", "some_name_"]) {
        const wasm = await compiled(prefix, tools);
        sources.push([prefix, wasm], [prefix, await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>)]);
      }
      const policies = await Promise.all(
        sources.map(async ([prefix, source]) => [prefix, await load(source)] as const),
      );
      for (const [prefix, policy] of policies)
        for (const other of ["a", "some_name_"])
          for (const i of [0, tools - 2, tools - 1]) {
            const request = { tool: `${other}${i}`, role: `${prefix}role` };
            const isAllowed = other === prefix && i < tools - 1;
            const answer = isAllowed ? { allowed: true, gate: `${other}${i} gate` } : { allowed: false, gate: "NONE" };
            expect(policy.evaluate("app/decision", request)).toEqual(answer);
            expect(policy.evaluateJson("app/decision", Buffer.from(JSON.stringify(request)))).toEqual(answer);
          }
    },
  );

  it("is a copy: the bytes stay as they are, a Buffer of Node's, too", async () => {
    const wasm = Buffer.from(await compiled("a", 40));
    const before = Buffer.from(wasm);
    await load(wasm);
    expect(wasm.equals(before)).toBe(true);
    expect((await load(wasm)).entrypoints).toEqual(["app/decision"]);
  });

  it("is compiled where bytes are loaded, and not where a module is", async () => {
    const wasm = await compiled("a", 40);
    expect(await codesOf(() => load(wasm))).toHaveLength(2);
    const module = await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>);
    vi.restoreAllMocks();
    expect(await codesOf(() => load(module))).toHaveLength(0);
  });
});

describe("a memory that a module has filled", () => {
  it("is filled anew by the whole module of another policy: the mark of the host is taken back", async () => {
    const [a, b] = await Promise.all([compiled("a", 40), compiled("b", 40)]);
    const memory = new WebAssembly.Memory({ initial: 5 });
    const imports = {
      env: new Proxy({ memory } as WebAssembly.ModuleImports, { get: (env, name) => env[name as string] ?? (() => 0) }),
    };
    const holds = (name: string): boolean => Buffer.from(memory.buffer).includes(name);
    await WebAssembly.instantiate(a as Uint8Array<ArrayBuffer>, imports);
    expect([holds("a0 gate"), holds("b0 gate")]).toEqual([true, false]);
    new Uint8Array(memory.buffer)[12] = 1;
    const code = (await codeOf(a)) as WebAssembly.Module;
    await WebAssembly.instantiate(code, imports);
    expect(holds("a0 gate")).toBe(true);
    await WebAssembly.instantiate(b as Uint8Array<ArrayBuffer>, imports);
    expect(holds("b0 gate")).toBe(true);
    // Code alone, in a memory that is not filled, is nothing.
    const empty = new WebAssembly.Memory({ initial: 5 });
    await expect(
      WebAssembly.instantiate(code, {
        env: { ...imports.env, memory: empty, opa_abort: () => 0, opa_builtin1: () => 0 },
      }),
    ).rejects.toThrow();
  });
});
