/** Several verification keys, in files or in a JWKS: publishers change over from one key to another, and no good bundle is refused in between. */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, ReloadablePolicy, type Verification } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verificationOf } from "../../compiler/cli/verification-options.ts";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let folder = "";
let file = "";
let unsigned: Uint8Array;
beforeAll(async () => {
  folder = temporaryFolder();
  file = join(folder, "keys.json");
  writeFileSync(join(folder, "roles.yaml"), "roles: [{ role_id: EDITOR }]\n");
  const { compiled } = await compile({ host: nodeHost, dirs: [folder] });
  unsigned = compiled?.bundle as Uint8Array;
});
afterAll(() => removeFolder(folder));

const pairs = { old: pair(), new: pair(), other: pair() };

function pair(): Pair {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

async function signedBy(kid: keyof typeof pairs, named: string = kid): Promise<Uint8Array> {
  const [key, bundle, signed] = ["key.pem", "bundle.tar.gz", "signed.tar.gz"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(key, pairs[kid].privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(bundle, unsigned);
  const options = ["--signing-key", key, "--signing-alg", "ES256", "--verification-key-id", named, "-o", signed];
  expect(await portcullis("sign", bundle, ...options)).toMatchObject({ code: 0 });
  return readFileSync(signed);
}

function holds(...kids: (keyof typeof pairs)[]): void {
  const keys = kids.map((kid) => ({ ...pairs[kid].publicKey.export({ format: "jwk" }), kid, alg: "ES256" }));
  writeFileSync(file, JSON.stringify({ keys }));
}

function verification(more: { readonly verificationKeyId?: string } = {}): Verification {
  return verificationOf({ verificationKey: [file], signingAlg: "RS256", ...more }) as Verification;
}

/** The file of one key, `kid`. */
function pem(kid: keyof typeof pairs): string {
  const path = join(folder, `${kid}.pem`);
  writeFileSync(path, pairs[kid].publicKey.export({ type: "spki", format: "pem" }));
  return path;
}

function several(files: readonly string[], more: { readonly verificationKeyId?: string } = {}): Verification {
  return verificationOf({ verificationKey: files, signingAlg: "ES256", ...more }) as Verification;
}

describe("a JWKS of verification keys", () => {
  it("is read again for each bundle, so that keys rotate without a gap", async () => {
    holds("old");
    const policies = await ReloadablePolicy.load(await signedBy("old"), { verification: verification() });
    expect(await policies.reload(await signedBy("new"))).toMatchObject({
      ok: false,
      error: { code: "signature-invalid" },
    });
    holds("old", "new");
    expect(await policies.reload(await signedBy("new"))).toMatchObject({ ok: true });
    expect(await policies.reload(await signedBy("old"))).toMatchObject({ ok: true });
    holds("new");
    expect(await policies.reload(await signedBy("old"))).toMatchObject({ ok: false });
    expect(await policies.reload(await signedBy("new"))).toMatchObject({ ok: true });
  });

  it.each([
    ["not there", undefined],
    ["not JSON", "{"],
    ["no key set any more", "-----BEGIN PUBLIC KEY-----"],
    ["empty", '{"keys":[]}'],
  ])("keeps the policy in use while the file is %s", async (_, text) => {
    holds("old");
    const policies = await ReloadablePolicy.load(await signedBy("old"), { verification: verification() });
    const { current } = policies;
    removeFolder(file);
    if (text !== undefined) writeFileSync(file, text);
    expect(await policies.reload(await signedBy("old"))).toMatchObject({ ok: false });
    expect(policies.current).toBe(current);
  });

  it("takes a signature by the key that it names, and by no other", async () => {
    holds("old", "new");
    const keys = { verification: verification() };
    for (const bundle of [
      await signedBy("other"),
      await signedBy("other", "old"),
      await signedBy("new", "old"),
      unsigned,
    ])
      await expect(load(bundle, keys)).rejects.toMatchObject({ code: expect.stringMatching(/^signature-/) });
  });

  it("is narrowed to one key by its name", async () => {
    holds("old", "new");
    const keys = { verification: verification({ verificationKeyId: "new" }) };
    await expect(load(await signedBy("old"), keys)).rejects.toMatchObject({ code: "signature-invalid" });
    await expect(load(await signedBy("new"), keys)).resolves.toBeDefined();
    expect(() => verification({ verificationKeyId: "other" })).toThrow("there is no key `other`");
  });

  it.each([
    ["has no list `keys`", '{"kty":"EC"}'],
    ["no `kid`", '{"keys":[{"kty":"EC","alg":"ES256"}]}'],
    ["two keys are called `a`", '{"keys":[{"kid":"a","kty":"EC","alg":"ES256"},{"kid":"a","kty":"EC","alg":"ES256"}]}'],
    ["has no `alg` for public keys", '{"keys":[{"kid":"a","kty":"EC"}]}'],
    ["has no `alg` for public keys", '{"keys":[{"kid":"a","kty":"oct","k":"c2VjcmV0","alg":"HS256"}]}'],
    ["has no `alg` for public keys", '{"keys":[{"kid":"a","kty":"EC","alg":"none"}]}'],
  ])("%s: refused at once", (problem, text) => {
    writeFileSync(file, text);
    expect(() => verification()).toThrow(problem.replace(/^has no list/, "a key set has a list"));
  });
});

describe("several files of verification keys", () => {
  it("verify what any of them signed by its name, and nothing else", async () => {
    const keys = { verification: several([`old=${pem("old")}`, `new=${pem("new")}`]) };
    for (const kid of ["old", "new"] as const)
      await expect(load(await signedBy(kid), keys)).resolves.toMatchObject({ revision: expect.any(String) });
    for (const bundle of [
      await signedBy("other"),
      await signedBy("new", "old"),
      await signedBy("other", "new"),
      await signedBy("other", "default"),
    ])
      await expect(load(bundle, keys)).rejects.toMatchObject({ code: "signature-invalid" });
    await expect(load(unsigned, keys)).rejects.toMatchObject({ code: "signature-missing" });
  });

  it("are read again for each bundle, one key or a set", async () => {
    holds("other");
    const [old, next] = [pem("old"), pem("new")];
    const files = [`old=${old}`, `new=${next}`, file];
    const policies = await ReloadablePolicy.load(await signedBy("old"), { verification: several(files) });
    expect(await policies.reload(await signedBy("other"))).toMatchObject({ ok: true });
    expect(await policies.reload(await signedBy("new"))).toMatchObject({ ok: true });
    writeFileSync(next, pairs.other.publicKey.export({ type: "spki", format: "pem" }));
    expect(await policies.reload(await signedBy("new"))).toMatchObject({ error: { code: "signature-invalid" } });
    removeFolder(old);
    const { current } = policies;
    expect(await policies.reload(await signedBy("other"))).toMatchObject({ ok: false });
    expect(policies.current).toBe(current);
  });

  it("hold one key by the name that it is given, and a lone one without a name whatever signatures call it", async () => {
    const named = { verification: several([`old=${pem("old")}`]) };
    await expect(load(await signedBy("old"), named)).resolves.toBeDefined();
    await expect(load(await signedBy("old", "new"), named)).rejects.toMatchObject({ code: "signature-invalid" });
    const lone = { verification: several([pem("old")]) };
    await expect(load(await signedBy("old", "new"), lone)).resolves.toBeDefined();
    await expect(load(await signedBy("new", "old"), lone)).rejects.toMatchObject({ code: "signature-invalid" });
  });

  it("are narrowed to one by --verification-key-id", async () => {
    const files = [`old=${pem("old")}`, `new=${pem("new")}`];
    const keys = { verification: several(files, { verificationKeyId: "new" }) };
    await expect(load(await signedBy("new"), keys)).resolves.toBeDefined();
    await expect(load(await signedBy("old"), keys)).rejects.toMatchObject({ code: "signature-invalid" });
    expect(() => several(files, { verificationKeyId: "other" })).toThrow("there is no key `other`");
  });

  it("tell who signs without a name how to name the key", async () => {
    const signed = join(folder, "nameless.tar.gz");
    const [key, bundle] = [join(folder, "nameless.pem"), join(folder, "nameless-bundle.tar.gz")];
    writeFileSync(key, pairs.old.privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(bundle, unsigned);
    const es256 = ["--signing-alg", "ES256"];
    expect(await portcullis("sign", bundle, "--signing-key", key, ...es256, "-o", signed)).toMatchObject({ code: 0 });
    const keys = ["old", "new"].flatMap((name) => ["--verification-key", `${name}=${pem(name as "old" | "new")}`]);
    const served = async (path: string) => (await portcullis("serve", path, ...keys, ...es256)).err;
    expect(await served(signed)).toContain("`portcullis sign --verification-key-id NAME`");
    expect(await served(bundle)).toContain("code signature-missing; `portcullis sign` signs it");
  });

  it("say what is wrong at once", () => {
    holds("old");
    const [old, next] = [pem("old"), pem("new")];
    expect(() => several([`old=${old}`, next])).toThrow("one key of several needs the name");
    expect(() => several([`old=${old}`, `old=${next}`])).toThrow("two keys are called `old`");
    expect(() => several([`old=${old}`, file])).toThrow("two keys are called `old`");
    expect(() => several([`old=${file}`])).toThrow("a key set names its keys itself");
    expect(() => several([`old=${join(folder, "absent.pem")}`, `new=${next}`])).toThrow("absent.pem");
  });
});
