/** What `load` refuses, and what a policy does when evaluation fails. */

import { jwt } from "@portcullis/builtins/jwt";
import { time } from "@portcullis/builtins/time";
import { load, type Policy, ReloadablePolicy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/base/source-file.ts";
import { packBundle } from "../../../compiler/bundle/tar.ts";
import { compileModules } from "../../../compiler/compile-modules.ts";
import { sealModule } from "../../../compiler/wasm/sections.ts";
import { campaign } from "../../campaign.ts";

/** Of the digest section: its head, its name with a length before it, SHA-256. */
const DIGEST_BYTES = 2 + 1 + "portcullis.digest".length + 32;

const REGO = `package app

default decision := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

decision := {"allowed": true, "gate": "ALLOW", "reason": "ok"} if input.user == "ann"

clash := 1 if input.a
clash := 2 if input.b

default clashing := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "clash"}
clashing := {"allowed": true, "n": clash}

default open := true
open := false if clash

slow := count([1 | some i in numbers.range(1, 5000); some j in numbers.range(1, 5000); i == j])

big := numbers.range(1, input.n)

host := data.host.flag
`;

async function compileApp(text: string, entrypoints: readonly string[]): Promise<Uint8Array> {
  const { compiled, diagnostics } = await compileModules({ modules: [new SourceFile("app.rego", text)], entrypoints });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return compiled.wasm;
}

let wasm: Uint8Array;
beforeAll(async () => {
  wasm = await compileApp(REGO, ["app/decision", "app/clashing", "app/open", "app/slow", "app/big", "app/host"]);
}, 60_000);

describe("load", () => {
  it.each([
    ["nothing", new Uint8Array(), "not-a-policy"],
    ["garbage", new TextEncoder().encode("garbage"), "not-a-policy"],
    ["a gzip of nothing", new Uint8Array([0x1f, 0x8b, 8, 0]), "bundle-corrupt"],
    ["an empty module", new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), "not-a-policy"],
  ])("refuses %s", async (_name, bytes, code) => {
    await expect(load(bytes)).rejects.toMatchObject({ name: "LoadError", code });
  });

  it("refuses what is no bytes at all", async () => {
    await expect(load("text" as never)).rejects.toMatchObject({ name: "LoadError", code: "not-a-policy" });
  });

  it("refuses a bundle without a module, and says what to do", async () => {
    const bundle = await packBundle([{ path: "data.json", bytes: new TextEncoder().encode("{}") }]);
    await expect(load(bundle)).rejects.toThrow(/no policy\.wasm.*portcullis build/);
  });

  it("refuses a module that was cut, wherever it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: wasm.length - 1 }), async (length) => {
        await expect(load(wasm.subarray(0, length))).rejects.toMatchObject({ name: "LoadError" });
      }),
      campaign(200),
    );
  });

  it("refuses a module of which one bit was changed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: wasm.length - 1 }),
        fc.integer({ min: 0, max: 7 }),
        async (at, bit) => {
          const changed = wasm.slice();
          changed[at] = (changed[at] as number) ^ (1 << bit);
          await expect(load(changed)).rejects.toMatchObject({ name: "LoadError" });
        },
      ),
      campaign(300),
    );
  });

  it.each([3, 5])("refuses a module that speaks version %d of the calling convention, by name", async (version) => {
    const text = '"abi":4,';
    const at = Buffer.from(wasm).indexOf(text);
    expect(at).toBeGreaterThan(0);
    const other = new Uint8Array(wasm);
    other.set(new TextEncoder().encode(text.replace("4", String(version))), at);
    // Sealed anew: nothing but the version is wrong with it.
    const sealed = await sealModule(other.subarray(0, other.length - DIGEST_BYTES));
    expect(sealed.length).toBe(wasm.length);
    await expect(load(sealed)).rejects.toMatchObject({
      name: "LoadError",
      code: "abi-mismatch",
      message: expect.stringContaining(`version ${version} of the calling convention, this runtime version 4`),
    });
    await expect(load(await WebAssembly.compile(sealed as Uint8Array<ArrayBuffer>))).rejects.toMatchObject({
      code: "abi-mismatch",
    });
  });

  it("takes a compiled module, and serves it from several policies at once", async () => {
    const module = await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>);
    const [a, b] = await Promise.all([load(module), load(module)]);
    expect(a?.evaluate("app/decision", { user: "ann" })).toMatchObject({ allowed: true });
    expect(b?.evaluate("app/decision", { user: "bob" })).toMatchObject({ allowed: false });
  });

  const askingFor = async (body: string, allowBuiltins: string[] = []): Promise<Uint8Array> => {
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", `package t\n\n${body}\n`)],
      entrypoints: ["t/p"],
      allowBuiltins,
    });
    return compiled?.wasm as Uint8Array;
  };

  it("refuses a policy whose builtins the host lacks, and says what to import", async () => {
    const bytes = await askingFor("p := [io.jwt.decode(input.token), time.now_ns(), time.clock(1)]", ["time.now_ns"]);
    await expect(load(bytes)).rejects.toMatchObject({
      code: "missing-builtin",
      message:
        "the policy needs builtins that this host does not supply: io.jwt.decode, time.clock, time.now_ns; " +
        'import { jwt } from "@portcullis/builtins/jwt"; import { time } from "@portcullis/builtins/time"; ' +
        "load(source, { builtins: [jwt, time], sources: { now } })",
    });
    await expect(load(bytes, { builtins: [jwt, time] })).rejects.toMatchObject({
      code: "missing-builtin",
      message: expect.stringMatching(/supply: time\.now_ns; .*sources: \{ now \}/),
    });
    const policy = await load(bytes, { builtins: [jwt, time], sources: { now: () => 42n } });
    const token = "eyJhbGciOiJub25lIn0.e30.";
    expect(policy.evaluate("t/p", { token })).toEqual([[{ alg: "none" }, {}, ""], 42, [0, 0, 0]]);
  });

  it("takes builtins of your own, the later of two with one name, and says how to add one", async () => {
    const bytes = await askingFor("p := net.lookup_ip_addr(input.host)", ["net.lookup_ip_addr"]);
    await expect(load(bytes)).rejects.toThrow('load(source, { builtins: [{ "net.lookup_ip_addr": … }] })');
    const policy = await load(bytes, {
      builtins: [{ "net.lookup_ip_addr": () => "no" }, () => ({ "net.lookup_ip_addr": ([host]) => host })],
    });
    expect(policy.evaluate("t/p", { host: "here" })).toBe("here");
  });

  it("keeps the families of a policy that is reloaded", async () => {
    const bytes = await askingFor("p := io.jwt.decode(input.token)[0].alg");
    await expect(ReloadablePolicy.load(bytes)).rejects.toMatchObject({ code: "missing-builtin" });
    const reloadable = await ReloadablePolicy.load(bytes, { builtins: [jwt] });
    expect(await reloadable.reload(bytes)).toMatchObject({ ok: true });
    expect(reloadable.current.evaluate("t/p", { token: "eyJhbGciOiJub25lIn0.e30." })).toBe("none");
    const yaml = await askingFor("p := yaml.is_valid(input.text)");
    const refused = await reloadable.reload(yaml);
    expect(refused).toMatchObject({ ok: false, error: { code: "missing-builtin" } });
    expect(refused.error?.message).toContain("@portcullis/builtins/yaml");
    expect(reloadable.current.evaluate("t/p", { token: "eyJhbGciOiJub25lIn0.e30." })).toBe("none");
  });
});

describe("a fault", () => {
  it("answers with the entrypoint's denial, and the next decision is sound", async () => {
    const policy = await load(wasm);
    expect(policy.evaluate("app/clashing", { a: true, b: true })).toEqual({
      allowed: false,
      gate: "INTERNAL_ERROR",
      reason: "clash",
    });
    expect(policy.lastFault).toMatchObject({ code: "conflict" });
    expect(policy.evaluate("app/clashing", { a: true })).toEqual({ allowed: true, n: 1 });
    expect(policy.lastFault).toBeUndefined();
    expect(policy.faults).toBe(1);
  });

  it("is undefined where the default is no denial: it must not open a gate", async () => {
    const policy = await load(wasm);
    expect(policy.evaluate("app/open", { a: true, b: true })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "conflict" });
  });

  it("comes of a used-up step budget", async () => {
    const policy = await load(wasm, { limits: { steps: 10_000 } });
    expect(policy.evaluate("app/slow", {})).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "budget" });
    expect(policy.evaluate("app/decision", { user: "ann" })).toMatchObject({ allowed: true });
  });

  it("comes of the memory ceiling", async () => {
    const policy = await load(wasm, { limits: { memory: 1 << 20 } });
    expect(policy.evaluate("app/big", { n: 1_000_000 })).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "memory" });
    expect(policy.evaluate("app/big", { n: 2 })).toEqual([1, 2]);
  });

  it("comes of an entrypoint that is not there", async () => {
    const policy = await load(wasm);
    expect(policy.evaluate("app/other", {})).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "entrypoint" });
    expect(policy.lane({ role: "R", lane: "L" })).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
  });

  it("comes of a text that is not JSON", async () => {
    const policy = await load(wasm);
    for (const text of ["", "{", '{"user":"ann"', '{"user":"ann"}x', "\u0000"]) {
      expect(policy.evaluateJson("app/decision", text)).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
      expect(policy.lastFault).toMatchObject({ code: "input" });
    }
    expect(policy.evaluateJson("app/decision", '{"user":"ann"}')).toMatchObject({ allowed: true });
  });

  it("never throws for any JavaScript value", async () => {
    const policy = await load(wasm);
    const cycle: Record<string, unknown> = { user: "ann" };
    cycle["self"] = cycle;
    const hostile = {
      get user(): string {
        throw new Error("getter");
      },
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const thrown = (what: unknown): unknown => ({
      get user(): string {
        throw what;
      },
    });
    const wicked = Object.defineProperty(new Error(), "message", {
      get() {
        throw new Error("message");
      },
    });
    const values = [
      undefined,
      null,
      Number.NaN,
      10n ** 30n,
      ...[proxy, thrown(proxy), thrown(wicked), thrown(undefined), thrown(Object.assign(new Error(), { message: {} }))],
      Symbol("s"),
      () => 1,
      new Map(),
      new Date(),
      hostile,
      new Uint8Array(3),
    ];
    for (const value of [...values, { user: values }, [values]]) {
      expect(policy.evaluate("app/decision", value)).toMatchObject({ allowed: false });
    }
    // Only what the rules read is looked at: the cycle is beside it.
    expect(policy.evaluate("app/decision", cycle)).toMatchObject({ allowed: true });
  });

  it("comes of a builtin of the host's that throws, and the next decision is sound", async () => {
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", "package t\n\nnow := time.now_ns()\n\nok := input.x\n")],
      entrypoints: ["t/now", "t/ok"],
      allowBuiltins: ["time.now_ns"],
    });
    const broken = () => {
      throw new Error("clock");
    };
    const policy = await load(compiled?.wasm as Uint8Array, { builtins: [{ "time.now_ns": broken }] });
    expect(policy.evaluate("t/now", {})).toBeUndefined();
    expect(policy.lastFault).toMatchObject({ code: "internal" });
    expect(policy.evaluate("t/ok", { x: "y" })).toBe("y");
  });

  it("comes of asking the policy from within an evaluation of its own", async () => {
    const policy = await load(wasm);
    let inner: unknown;
    const input = {
      get user(): string {
        inner = policy.evaluate("app/decision", { user: "ann" });
        return "bob";
      },
    };
    expect(policy.evaluate("app/decision", input)).toMatchObject({ allowed: false });
    expect(inner).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
    expect(policy.evaluate("app/decision", { user: "ann" })).toMatchObject({ allowed: true });
  });

  it("is no crash for arbitrary values", async () => {
    const policy = await load(wasm);
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withObjectString: true,
        }),
        (value) => {
          const decision = policy.evaluate("app/decision", value) as { allowed: boolean };
          const isAnn = typeof value === "object" && value !== null && (value as { user?: unknown }).user === "ann";
          expect(decision.allowed).toBe(isAnn);
        },
      ),
      campaign(2000),
    );
  });
});

describe("setData", () => {
  it("supplies what lies outside of the bundle, and keeps the old data when the new is refused", async () => {
    const policy = await load(wasm, { data: { host: { flag: 1 } } });
    expect(policy.evaluate("app/host", {})).toBe(1);
    expect(() => policy.setData({ host: { flag: () => 1 } })).toThrow(/refused/);
    expect(policy.evaluate("app/host", {})).toBe(1);
    policy.setData({ host: { flag: "two" } });
    expect(policy.evaluate("app/host", {})).toBe("two");
  });

  it.each([
    ["a request that is refused", (policy: Policy) => policy.evaluate("app/decision", { user: Symbol("x") })],
    [
      "a getter that throws",
      (policy: Policy) =>
        policy.evaluate("app/decision", {
          get user(): string {
            throw new Error("no");
          },
        }),
    ],
    ["data that is refused", (policy: Policy) => expect(() => policy.setData({ host: () => 1 })).toThrow(/refused/)],
  ])("keeps what it was given, whatever becomes of the host's object: after %s", async (_, fault) => {
    const data = { host: { flag: { list: [1, { deep: "old" }] as unknown[], __proto__: null } } };
    const policy = await load(wasm, { data });
    const before = policy.evaluate("app/host", {});
    expect(before).toEqual({ list: [1, { deep: "old" }] });
    (data.host.flag.list[1] as { deep: string }).deep = "new";
    data.host.flag.list.push("more");
    fault(policy);
    expect(policy.evaluate("app/host", {})).toEqual(before);
    policy.setData(data);
    expect(policy.evaluate("app/host", {})).toEqual({ list: [1, { deep: "new" }, "more"] });
  });

  it("takes keys that objects have themselves, any of them, and refuses what is no data", async () => {
    const policy = await load(wasm);
    const flag: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "": 3}');
    policy.setData({ host: { flag } });
    const kept = (): unknown => Object.entries(policy.evaluate("app/host", {}) as object).sort();
    expect(kept()).toEqual([
      ["", 3],
      ["__proto__", { a: 1 }],
      ["constructor", 2],
    ]);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const endless = new Proxy([], { get: (_, key) => (key === "length" ? 2 ** 32 - 1 : 1) });
    for (const refused of [
      cycle,
      endless,
      new Date(0),
      new Map(),
      new URL("http://x/"),
      { a: 1n ** 2n, b: Symbol("x") },
    ])
      expect(() => policy.setData({ host: { flag: refused } })).toThrow(/refused/);
    expect(kept()).toEqual([
      ["", 3],
      ["__proto__", { a: 1 }],
      ["constructor", 2],
    ]);
  });

  it("does not leak: many evaluations leave the memory as large as it was", async () => {
    const policy = await load(wasm, { data: { host: { flag: 1 } } });
    for (let i = 0; i < 100_000; i++) policy.evaluate("app/decision", { user: `user-${i}`, more: [i, String(i)] });
    expect(policy.memoryBytes).toBeLessThan(4 << 20);
  });
});
