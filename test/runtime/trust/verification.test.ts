/** What `load`, `reload` and `describeBundle` take under `verification`: OPA's rules for signatures, and protection from rollback. */

import { execFileSync, spawnSync } from "node:child_process";
import { createPublicKey, X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  describeBundle,
  load,
  ReloadablePolicy,
  type SignatureAlgorithm,
  type Verification,
} from "@portcullis/runtime";
import { SIGNATURE_ALGORITHMS } from "@portcullis/runtime/trust";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BundleFile, packBundle } from "../../../compiler/rego/bundle/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { changed, freshKeys, keysFor, policyFiles, REGO, rsaKeys, signed } from "./bundles.ts";

const hasOpa = spawnSync("opa", ["version"]).status === 0;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpa) console.warn("skipped: no `opa` on the PATH, so nothing is signed or verified by OPA");

let files: readonly BundleFile[];
const folder = mkdtempSync(join(tmpdir(), "portcullis-trust-"));
beforeAll(async () => {
  files = await policyFiles({ revision: "r1" });
});
afterAll(() => rmSync(folder, { recursive: true }));

const trusting = (algorithm: SignatureAlgorithm, more: Partial<Verification> = {}): Verification => ({
  keys: { k1: { algorithm, key: keysFor(algorithm).publicKey } },
  ...more,
});
const refusal = (code: string, message?: string | RegExp) => ({
  name: "LoadError",
  code,
  ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
});
/** A public key as it gets into configurations: bytes of DER, or PEM without its lines, as one text or several. */
function publicForms(pem: string): (string | Uint8Array)[] {
  const der = createPublicKey(pem).export({ type: "spki", format: "der" });
  const lines = pem.split("\n").filter((line) => !line.startsWith("-----"));
  return [new Uint8Array(der), der.toString("base64"), der.toString("base64url"), lines.join("\n")];
}
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe("load with verification", () => {
  it.each(SIGNATURE_ALGORITHMS)(
    "takes what is signed with %s, and nothing that another key signed",
    async (algorithm) => {
      const bundle = await signed(files, { algorithm });
      const policy = await load(bundle, { verification: trusting(algorithm) });
      expect(policy.evaluate("app/decision", { user: "ann" })).toMatchObject({ allowed: true });
      const other = freshKeys(algorithm).publicKey;
      const verification = { keys: { k1: { algorithm, key: other } } };
      await expect(load(bundle, { verification })).rejects.toMatchObject(refusal("signature-invalid", "does not hold"));
    },
  );

  it("takes keys as JWK, as a certificate, in PKCS #1, and a secret as bytes", async () => {
    for (const algorithm of ["RS256", "ES384", "PS512"] as const) {
      const bundle = await signed(files, { algorithm });
      const key = createPublicKey(keysFor(algorithm).publicKey);
      const jwk = { ...key.export({ format: "jwk" }), alg: "none", use: "enc" } as { kty: string };
      await load(bundle, { verification: { keys: { k1: { algorithm, key: jwk } } } });
    }
    const rsa = createPublicKey(keysFor("RS256").publicKey).export({ type: "pkcs1", format: "pem" });
    await load(await signed(files, { algorithm: "RS256" }), {
      verification: { keys: { k1: { algorithm: "RS256", key: String(rsa) } } },
    });
    const secret = keysFor("HS256").publicKey;
    const bundle = await signed(files, { algorithm: "HS384" });
    for (const key of [text(secret), { kty: "oct", k: Buffer.from(secret).toString("base64url") }])
      await load(bundle, { verification: { keys: { k1: { algorithm: "HS384", key } } } });
  });

  it.skipIf(!hasOpenssl)("takes the key of a certificate", async () => {
    const path = join(folder, "key.pem");
    for (const algorithm of ["RS256", "ES256"] as const) {
      writeFileSync(path, keysFor(algorithm).privateKey);
      const key = execFileSync(
        "openssl",
        ["req", "-x509", "-new", "-key", path, "-subj", "/CN=policies", "-days", "2"],
        { encoding: "utf8" },
      );
      expect(new X509Certificate(key).subject).toBe("CN=policies");
      await load(await signed(files, { algorithm }), { verification: { keys: { k1: { algorithm, key } } } });
    }
  });

  it("refuses what is not signed: a bundle, the bytes of a module, a compiled module", async () => {
    const verification = trusting("ES256");
    const wasm = files.find((f) => f.path === "policy.wasm")?.bytes as Uint8Array<ArrayBuffer>;
    const unsigned = [await packBundle(files), wasm, await WebAssembly.compile(wasm)];
    for (const source of unsigned) {
      await expect(load(source, { verification })).rejects.toMatchObject(refusal("signature-missing"));
      await expect(describeBundle(source, { verification })).rejects.toMatchObject(refusal("signature-missing"));
    }
  });

  it.each<readonly [string, (files: Map<string, Uint8Array>) => void, RegExp]>([
    ["a changed module", (f) => f.set("policy.wasm", text("\0asm\u0001\0\0\0")), /`policy.wasm` was changed/],
    ["changed data", (f) => f.set("data.json", text('{"owner":"eve"}')), /`data.json` was changed/],
    ["a changed manifest", (f) => f.set(".manifest", text("{}")), /`.manifest` was changed/],
    ["a file too few", (f) => f.delete("app.rego"), /`app.rego` is signed, and missing/],
    ["a file too many", (f) => f.set("README", text("")), /`README` is not signed/],
    [
      "a signature file of another name",
      (f) => f.set("x.signatures.json", text("{}")),
      /`x.signatures.json` is not signed/,
    ],
    ["no tokens", (f) => f.set(".signatures.json", text('{"signatures":[]}')), /exactly one signature/],
    ["two tokens", (f) => f.set(".signatures.json", text('{"signatures":["a.b.c","a.b.c"]}')), /exactly one/],
    [
      "another way to sign",
      (f) => f.set(".signatures.json", text('{"signatures":["a.b.c"],"plugin":"mine"}')),
      /exactly one/,
    ],
    // OPA's readers of JSON take none.
    ...["data.json", ".manifest", ".signatures.json"].map(
      (name) =>
        [
          `a byte order mark before ${name}`,
          (f: Map<string, Uint8Array>) => void f.set(name, Buffer.concat([text("\ufeff"), f.get(name) as Uint8Array])),
          name === ".signatures.json" ? /exactly one/ : /cannot be read/,
        ] as const,
    ),
    ["a broken token", (f) => f.set(".signatures.json", text('{"signatures":["a.b.c"]}')), /no JSON Web Token/],
  ])("refuses %s", async (_name, change, message) => {
    const bundle = await changed(await signed(files), change);
    await expect(load(bundle, { verification: trusting("ES256") })).rejects.toMatchObject(
      refusal("signature-invalid", message),
    );
  });

  it("does not take another order of keys for a change, and reads nothing that is not signed", async () => {
    const bundle = await changed(await signed(files), (f) => {
      const manifest = JSON.parse(new TextDecoder().decode(f.get(".manifest"))) as object;
      f.set(".manifest", text(JSON.stringify(Object.fromEntries(Object.entries(manifest).reverse()), null, 2)));
    });
    expect((await load(bundle, { verification: trusting("ES256") })).revision).toBe("r1");
    const twice = await changed(await signed(files), (f) =>
      f.set(".manifest", text(new TextDecoder().decode(f.get(".manifest")).replace("{", '{"revision":"r0",'))),
    );
    await expect(load(twice, { verification: trusting("ES256") })).rejects.toMatchObject(
      refusal("signature-invalid", "cannot be read"),
    );
  });

  it("chooses the key as OPA does: the configuration's, then the one that the token names", async () => {
    const bundle = await signed(files, { keyId: "k2" });
    const { k1 } = trusting("ES256").keys;
    const key = k1 as NonNullable<typeof k1>;
    await load(bundle, { verification: { keys: { k2: key } } });
    await load(bundle, { verification: { keys: { mine: key }, keyId: "mine" } });
    await expect(load(bundle, { verification: { keys: { k1: key } } })).rejects.toMatchObject(
      refusal("signature-invalid", "no key `k2`"),
    );
    await expect(load(bundle, { verification: { keys: {}, keyId: "toString" } })).rejects.toMatchObject(
      refusal("signature-invalid", "no key"),
    );
    const nameless = await signed(files, { keyId: "" });
    await expect(load(nameless, { verification: { keys: { "": key } } })).rejects.toMatchObject(
      refusal("signature-invalid", "names no key"),
    );
  });

  it("holds the scope: that of the verification, or else of the key, or else none", async () => {
    const scoped = await signed(files, { scope: "read" });
    const { publicKey: key } = keysFor("ES256");
    const keys = { k1: { algorithm: "ES256", key, scope: "read" } } as const;
    await load(scoped, { verification: trusting("ES256", { scope: "read" }) });
    await load(scoped, { verification: { keys } });
    for (const [bundle, verification] of [
      [scoped, trusting("ES256")],
      [scoped, trusting("ES256", { scope: "write" })],
      [scoped, { keys, scope: "write" }],
      [await signed(files), { keys }],
    ] as const)
      await expect(load(bundle, { verification })).rejects.toMatchObject(refusal("signature-invalid", "scope"));
  });

  it("never lets a token choose: `none`, another algorithm, a public key for a secret", async () => {
    const { publicKey } = keysFor("RS256");
    // Signed with the public key, which everybody has.
    const forged = await signed(files, {
      algorithm: "HS256",
      privateKey: Buffer.from(publicKey.replace(/-----/g, "=====")).toString(),
    });
    await expect(load(forged, { verification: trusting("RS256") })).rejects.toMatchObject(
      refusal("signature-invalid", "made with `HS256`, and the key is for `RS256`"),
    );
    const der = createPublicKey(publicKey).export({ type: "spki", format: "der" });
    for (const key of [
      publicKey,
      text(publicKey),
      new Uint8Array(der),
      JSON.stringify({ kty: "RSA" }),
      { kty: "RSA", n: "AQAB", e: "AQAB" },
      ...publicForms(publicKey),
      ...(["ES256", "ES384", "ES512"] as const).flatMap((algorithm) => publicForms(keysFor(algorithm).publicKey)),
    ])
      await expect(load(forged, { verification: { keys: { k1: { algorithm: "HS256", key } } } })).rejects.toMatchObject(
        refusal("signature-invalid", "no secret"),
      );
    const unsigned = await changed(await signed(files), (f) => {
      const { signatures } = JSON.parse(new TextDecoder().decode(f.get(".signatures.json"))) as {
        signatures: [string];
      };
      const [, payload] = signatures[0].split(".");
      const token = `${Buffer.from('{"alg":"none","kid":"k1"}').toString("base64url")}.${payload}.AA`;
      f.set(".signatures.json", text(JSON.stringify({ signatures: [token] })));
    });
    for (const algorithm of ["ES256", "none"] as readonly string[]) {
      const verification = { keys: { k1: { algorithm: algorithm as "ES256", key: keysFor("ES256").publicKey } } };
      await expect(load(unsigned, { verification })).rejects.toMatchObject(refusal("signature-invalid"));
    }
  });

  it("refuses keys that do not fit, and weak ones", async () => {
    const bundle = await signed(files);
    const small = rsaKeys(1024);
    const weak = await signed(files, { algorithm: "RS256", privateKey: small.privateKey });
    await expect(
      load(weak, { verification: { keys: { k1: { algorithm: "RS256", key: small.publicKey } } } }),
    ).rejects.toMatchObject(refusal("signature-invalid", "1024 bits"));
    const short = await signed(files, { algorithm: "HS256", privateKey: "short" });
    await expect(
      load(short, { verification: { keys: { k1: { algorithm: "HS256", key: "short" } } } }),
    ).rejects.toMatchObject(refusal("signature-invalid", "5 bytes"));
    const { publicKey: p384 } = keysFor("ES384");
    for (const key of ["", "text", p384, text(keysFor("ES256").publicKey), keysFor("ES256").privateKey, { kty: "EC" }])
      await expect(load(bundle, { verification: { keys: { k1: { algorithm: "ES256", key } } } })).rejects.toMatchObject(
        refusal("signature-invalid", "no public key for ES256"),
      );
  });
});

describe("rollback", () => {
  const sequenced = async (sequence: number | undefined, owner: string): Promise<Uint8Array> =>
    signed(await policyFiles({ owner, revision: owner, ...(sequence === undefined ? {} : { sequence }) }));
  const verification = trusting("ES256");

  it("is refused below the least sequence, and without one", async () => {
    const bundle = await sequenced(7, "ann");
    expect((await load(bundle, { verification: { ...verification, minimumRevision: 7 } })).sequence).toBe(7);
    expect(await describeBundle(bundle)).toMatchObject({ sequence: 7, revision: "ann" });
    for (const old of [bundle, await sequenced(undefined, "bob")])
      await expect(load(old, { verification: { ...verification, minimumRevision: 8 } })).rejects.toMatchObject(
        refusal("revision-rolled-back"),
      );
  });

  it("is refused by a reload, however well it is signed, unless it is wanted", async () => {
    const policy = await ReloadablePolicy.load(await sequenced(7, "ann"), { verification });
    const replayed = await sequenced(6, "bob");
    for (const old of [replayed, await sequenced(undefined, "eve")])
      expect(await policy.reload(old)).toMatchObject({
        ok: false,
        revision: "ann",
        error: { code: "revision-rolled-back" },
      });
    expect(await policy.reload(await sequenced(7, "zoe"))).toMatchObject({ ok: true, revision: "zoe" });
    expect(await policy.reload(replayed, { allowRollback: true })).toMatchObject({ ok: true, revision: "bob" });
    expect(policy.current.evaluate("app/decision", { user: "bob" })).toMatchObject({ allowed: true });
  });

  it("leaves the last good policy where a reload is unsigned, or signed by another", async () => {
    const policy = await ReloadablePolicy.load(await sequenced(1, "ann"), { verification });
    const unsigned = await packBundle(await policyFiles({ owner: "eve", sequence: 2 }));
    const other = freshKeys("ES256");
    const forged = await signed(await policyFiles({ owner: "eve", sequence: 2 }), { privateKey: other.privateKey });
    expect(await policy.reload(unsigned)).toMatchObject({ ok: false, error: { code: "signature-missing" } });
    expect(await policy.reload(forged)).toMatchObject({ ok: false, error: { code: "signature-invalid" } });
    expect(policy.current.evaluate("app/decision", { user: "eve" })).toMatchObject({ allowed: false });
  });
});

describe("a module without its bundle", () => {
  it("says its revision, sequence and versions itself, and a manifest must say the same", async () => {
    const own = await policyFiles({ revision: "r9", sequence: 9 });
    const wasm = own.find((f) => f.path === "policy.wasm")?.bytes as Uint8Array<ArrayBuffer>;
    const manifest = JSON.parse(new TextDecoder().decode(own.find((f) => f.path === ".manifest")?.bytes)) as object;
    for (const source of [wasm, await WebAssembly.compile(wasm)]) {
      expect(await load(source)).toMatchObject({ revision: "r9", sequence: 9, versions: { lanes: "2" } });
      expect(await load(source, { manifest })).toMatchObject({ revision: "r9" });
      await expect(load(source, { manifest: { ...manifest, revision: "r8" } })).rejects.toMatchObject(
        refusal("bundle-mismatch"),
      );
    }
    expect(await describeBundle(wasm)).toMatchObject({ revision: "r9", sequence: 9, roots: ["app", "owner"] });
  });

  it("takes facts from the manifest where the module has none", async () => {
    const modules = [new SourceFile("app.rego", REGO)];
    const { compiled } = await compileModules({ modules, entrypoints: ["app/decision"] });
    const wasm = compiled?.wasm as Uint8Array;
    expect((await load(wasm)).revision).toBeUndefined();
    expect((await load(wasm, { manifest: { revision: "theirs" } })).revision).toBe("theirs");
    await expect(load(wasm, { manifest: { revision: 5 as never } })).rejects.toMatchObject(refusal("bundle-corrupt"));
  });
});

describe.skipIf(!hasOpa)("a real opa", () => {
  const file = (name: string): string => join(folder, name);

  it.each(SIGNATURE_ALGORITHMS)("signs with %s what `load` takes", async (algorithm) => {
    const { privateKey } = keysFor(algorithm);
    writeFileSync(file("key"), privateKey);
    const root = file("unpacked");
    mkdirSync(root, { recursive: true });
    for (const { path, bytes } of files) writeFileSync(join(root, path), bytes);
    execFileSync(
      "opa",
      ["sign", "--signing-key", file("key"), "--signing-alg", algorithm, "--bundle", "-o", folder, "."],
      { cwd: root },
    );
    const bundle = await packBundle([
      ...files,
      { path: ".signatures.json", bytes: readFileSync(file(".signatures.json")) },
    ]);
    const verification = trusting(algorithm, { keyId: "k1" });
    expect((await load(bundle, { verification })).revision).toBe("r1");
    // OPA's signature names no key, so that somebody has to.
    await expect(load(bundle, { verification: trusting(algorithm) })).rejects.toMatchObject(
      refusal("signature-invalid", "names no key"),
    );
  });

  it.each(SIGNATURE_ALGORITHMS)("verifies what we sign with %s, and not what was changed", async (algorithm) => {
    writeFileSync(file("key.pub"), keysFor(algorithm).publicKey);
    const bundle = await signed(files, { algorithm });
    const verify = (bytes: Uint8Array): number | null => {
      writeFileSync(file("signed.tar.gz"), bytes);
      const key = ["--verification-key", file("key.pub"), "--verification-key-id", "k1", "--signing-alg", algorithm];
      return spawnSync("opa", ["build", "-b", file("signed.tar.gz"), ...key, "-o", file("built.tar.gz")]).status;
    };
    expect(verify(bundle)).toBe(0);
    expect(verify(await changed(bundle, (f) => f.set("data.json", text('{"owner":"eve"}'))))).not.toBe(0);
  });
});
