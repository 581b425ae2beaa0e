/**
 * Each code of LoadError, brought about by a real file and by a real server: in `loadFile`, in `reload` and in `follow`. The
 * table has to name every code: the type checker sees one that is missing.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpSource, LoadError, type LoadErrorCode, type LoadOptions, ReloadablePolicy } from "@portcullis/runtime";
import { loadFile } from "@portcullis/runtime/node";
import { afterAll, describe, expect, it } from "vitest";
import { packBundle } from "../../../compiler/rego/bundle/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { sealModule } from "../../../compiler/rego/wasm/sections.ts";
import { ABI_VERSION } from "../../../runtime/abi/index.ts";
import { BundleServer } from "../operate/bundle-server.ts";
import { until } from "../operate/followed.ts";
import { changed, keysFor, policyFiles, signed } from "../trust/bundles.ts";

const folder = mkdtempSync(join(tmpdir(), "portcullis-codes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const files = policyFiles({ revision: "good", sequence: 2 });
const good = files.then((all) => packBundle(all));
const trusted = files.then((all) => signed(all));
const wasm = async (): Promise<Uint8Array> =>
  (await files).find(({ path }) => path.endsWith(".wasm"))?.bytes as Uint8Array;
const verification = { keys: { k1: { algorithm: "ES256", key: keysFor("ES256").publicKey } } } as const;
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function withFile(path: string, bytes: Uint8Array | undefined): Promise<Uint8Array> {
  return changed(await good, (all) => {
    if (bytes === undefined) all.delete(path);
    else all.set(path, bytes);
  });
}

interface Case {
  readonly bytes: () => Promise<Uint8Array>;
  readonly options?: LoadOptions;
  /** What is in use before; the good bundle. */
  readonly before?: Promise<Uint8Array>;
  /** It comes from the host's own options, so that there is no policy before it. */
  readonly ofHost?: true;
}

const CASES: { readonly [Code in LoadErrorCode]: Case } = {
  "not-a-policy": { bytes: async () => text("<html>503</html>") },
  "bundle-corrupt": { bytes: async () => (await good).subarray(0, -30) },
  "bundle-too-large": { bytes: () => withFile(".manifest", text(`{${" ".repeat(2 << 20)}}`)) },
  "bundle-incomplete": {
    bytes: async () =>
      changed(await good, (all) => {
        all.delete("policy.wasm");
        all.set(".manifest", text('{"roots": ["app"]}'));
      }),
  },
  "bundle-mismatch": { bytes: () => withFile("data.json", text('{"owner": "eve"}')) },
  "module-invalid": { bytes: () => withFile("policy.wasm", text("no module")) },
  "module-tampered": {
    bytes: async () => {
      const bytes = new Uint8Array(await wasm());
      // The last byte of its digest.
      bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
      return bytes;
    },
  },
  "abi-mismatch": {
    bytes: async () => {
      const bytes = new Uint8Array(await wasm());
      const at = Buffer.from(bytes).indexOf(`"abi":${ABI_VERSION},`);
      bytes[at + '"abi":'.length] = String(ABI_VERSION + 1).charCodeAt(0);
      const digest = 2 + 1 + "portcullis.digest".length + 32;
      return sealModule(bytes.subarray(0, bytes.length - digest));
    },
  },
  "missing-builtin": {
    bytes: async () => {
      const modules = [new SourceFile("app.rego", "package app\n\ndecision := io.jwt.decode(input.token)\n")];
      const { compiled } = await compileModules({ modules, entrypoints: ["app/decision"] });
      return compiled?.wasm as Uint8Array;
    },
  },
  "memory-limit": {
    bytes: () => good,
    options: { limits: { memory: 1 << 16 }, data: { host: "x".repeat(64 << 20) } },
    ofHost: true,
  },
  "signature-missing": { bytes: () => good, options: { verification }, before: trusted },
  "signature-invalid": {
    bytes: async () => changed(await trusted, (all) => all.set("data.json", text('{"owner": "eve"}'))),
    options: { verification },
    before: trusted,
  },
  "revision-rolled-back": {
    bytes: async () => signed(await policyFiles({ revision: "old", sequence: 1 })),
    options: { verification: { ...verification, minimumRevision: 2 } },
    before: trusted,
  },
};

describe.each(Object.entries(CASES))("%s", (code, { bytes, options = {}, before = good, ofHost }) => {
  it("is what a file brings about", async () => {
    const path = join(folder, code);
    writeFileSync(path, await bytes());
    const error = await loadFile(path, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LoadError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\w+ \w+/) });
  });

  it.skipIf(ofHost)("is what `reload` and a server bring about, and the policy stays", async () => {
    const server = await new BundleServer(await before).start();
    try {
      const source = httpSource(server.url, { minDelay: 5, maxDelay: 10 });
      const policies = await ReloadablePolicy.follow(source, options);
      try {
        server.bundle = await bytes();
        await until(() => policies.status()?.lastError?.code === code);
        expect(await policies.reload(await bytes())).toMatchObject({ ok: false, revision: "good", error: { code } });
        expect(policies.current.evaluate("app/decision", { user: "ann" })).toMatchObject({ allowed: true });
        expect(policies.current.evaluate("app/decision", { user: "eve" })).toMatchObject({ allowed: false });
      } finally {
        policies.close();
      }
    } finally {
      await server.stop();
    }
  });
});
