/** What `load` takes and refuses, and what it says. */

import { jwt } from "@portcullis/builtins/jwt";
import { time } from "@portcullis/builtins/time";
import { load, ReloadablePolicy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { packBundle } from "../../../compiler/rego/bundle/tar.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { sealModule } from "../../../compiler/rego/wasm/sections.ts";
import { ABI_VERSION } from "../../../runtime/abi/index.ts";
import { campaign } from "../../campaign.ts";
import { policyFiles } from "../trust/bundles.ts";
import { compileApp } from "./app.ts";

/** What of the digest section is read: its head, its name with a length before it, SHA-256. */
const DIGEST_BYTES = 2 + 1 + "portcullis.digest".length + 32;

let wasm: Uint8Array;
beforeAll(async () => {
  wasm = await compileApp();
});

describe("load", () => {
  it.each([
    ["nothing", new Uint8Array(), "not-a-policy"],
    ["garbage", new TextEncoder().encode("garbage"), "not-a-policy"],
    ["a gzip of nothing", new Uint8Array([0x1f, 0x8b, 8, 0]), "bundle-corrupt"],
    ["an empty module", new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), "not-a-policy"],
  ])("refuses %s", async (_name, bytes, code) => {
    await expect(load(bytes)).rejects.toMatchObject({ name: "LoadError", code });
  });

  it("refuses a value that is not bytes at all", async () => {
    await expect(load("text" as never)).rejects.toMatchObject({ name: "LoadError", code: "not-a-policy" });
  });

  it("refuses a bundle without a module, and says what to do", async () => {
    const bundle = await packBundle([{ path: "data.json", bytes: new TextEncoder().encode("{}") }]);
    await expect(load(bundle)).rejects.toThrow(/no policy\.wasm.*portcullis build/);
  });

  it("refuses a bundle whose manifest names another module by its hash", async () => {
    const files = await policyFiles({});
    const renamed = files.map(({ path, bytes }) => {
      if (path !== ".manifest") return { path, bytes };
      const text = new TextDecoder().decode(bytes);
      expect(text).toMatch(/"portcullis_wasm_sha256":"[0-9a-f]{64}"/);
      return { path, bytes: new TextEncoder().encode(text.replace(/(?<=_sha256":")[0-9a-f]{64}/, "0".repeat(64))) };
    });
    await expect(load(await packBundle(files))).resolves.toBeDefined();
    await expect(load(await packBundle(renamed))).rejects.toMatchObject({
      code: "bundle-mismatch",
      message: "the bundle's policy.wasm is not the one that its manifest names",
    });
  });

  it("refuses a module that was cut, wherever it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: wasm.length - 1 }), async (length) => {
        await expect(load(wasm.subarray(0, length))).rejects.toMatchObject({ name: "LoadError" });
      }),
      campaign(200),
    );
  });

  it("refuses a module that was cut where a section ends, as bytes and compiled", async () => {
    const ends: number[] = [];
    for (let at = 8; at < wasm.length; ) {
      // The size, seven bits a byte.
      let size = 0;
      for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
        byte = wasm[++at] as number;
        size |= (byte & 0x7f) << shift;
      }
      at += 1 + size;
      ends.push(at);
    }
    expect(ends.at(-1)).toBe(wasm.length);
    for (const end of ends.slice(0, -1)) {
      const cut = wasm.slice(0, end);
      await expect(load(cut), `${end} bytes`).rejects.toMatchObject({ name: "LoadError" });
      // Where the part is a module at all, a host may have compiled it itself.
      const module = await WebAssembly.compile(cut as Uint8Array<ArrayBuffer>).catch(() => undefined);
      if (module !== undefined) await expect(load(module), `${end} bytes`).rejects.toMatchObject({ name: "LoadError" });
    }
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

  it.each([
    ["entrypoints", '"entrypoints":[', '"entrypoint5":[', "module-tampered"],
    ["builtins", '"builtins":[]', '"builtins": 1', "module-tampered"],
    ["builtins that are null", '"builtins":[],"strings":', '"builtins":[null],"str":', "module-tampered"],
    ["roots", '"roots":[', '"rooot":[', "module-tampered"],
    ["strings", '"strings":{"address":', '"strings":{"nowhere":', "module-invalid"],
  ])("refuses a sealed module that is damaged in its %s", async (_, text, damage, code) => {
    const files = await policyFiles({ revision: "r1" });
    const module = files.find(({ path }) => path.endsWith(".wasm"))?.bytes as Uint8Array;
    const at = Buffer.from(module).indexOf(text);
    expect([at > 0, damage.length]).toEqual([true, text.length]);
    const other = new Uint8Array(module);
    other.set(new TextEncoder().encode(damage), at);
    const sealed = await sealModule(other.subarray(0, module.length - DIGEST_BYTES));
    await expect(load(sealed)).rejects.toMatchObject({ name: "LoadError", code });
  });

  it.each([ABI_VERSION - 1, ABI_VERSION + 1])(
    "refuses a module that speaks version %d of the calling convention, by name",
    async (version) => {
      const text = `"abi":${ABI_VERSION},`;
      const at = Buffer.from(wasm).indexOf(text);
      expect(at).toBeGreaterThan(0);
      const other = new Uint8Array(wasm);
      other.set(new TextEncoder().encode(text.replace(String(ABI_VERSION), String(version))), at);
      // Sealed anew: nothing but the version is wrong with it.
      const sealed = await sealModule(other.subarray(0, other.length - DIGEST_BYTES));
      expect(sealed.length).toBe(wasm.length);
      await expect(load(sealed)).rejects.toMatchObject({
        name: "LoadError",
        code: "abi-mismatch",
        message: expect.stringContaining(`version ${version} of the ABI, this runtime version ${ABI_VERSION}`),
      });
      await expect(load(await WebAssembly.compile(sealed as Uint8Array<ArrayBuffer>))).rejects.toMatchObject({
        code: "abi-mismatch",
      });
    },
  );

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
