/** Signatures of bundles: what we sign we verify, what OPA signs we verify, what we sign OPA verifies, and nothing else passes. */

import { execFileSync, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBundle } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packBundle } from "../../compiler/rego/bundle/tar.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

/** Only where one is installed. */
const opa = ["opa"].find((path) => spawnSync(path, ["version"]).status === 0);
let folder = "";
let bundle = "";
const file = (name: string): string => join(folder, name);

const pem = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;
const pairs = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048, ...pem }),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256", ...pem }),
  ES512: generateKeyPairSync("ec", { namedCurve: "P-521", ...pem }),
};
/** Algorithm, signing key, verification key. */
const algorithms = [
  ["RS256", "RS256.pem", "RS256.pub"],
  ["RS512", "RS256.pem", "RS256.pub"],
  ["PS256", "RS256.pem", "RS256.pub"],
  ["ES256", "ES256.pem", "ES256.pub"],
  ["ES512", "ES512.pem", "ES512.pub"],
  ["HS256", "secret", "secret"],
  ["HS512", "secret", "secret"],
] as const;

beforeAll(async () => {
  folder = temporaryFolder();
  write(file("rules/a.rego"), "package a\n\n# METADATA\n# entrypoint: true\np if data.b.x == input.x\n");
  write(file("rules/data.json"), '{ "b": {"x": 1.50, "é<&>": "\\u2028" } }');
  for (const [name, { publicKey, privateKey }] of Object.entries(pairs)) {
    write(file(`${name}.pem`), privateKey);
    write(file(`${name}.pub`), publicKey);
  }
  write(file("secret"), "not so secret, but as long as it takes");
  bundle = file("out/bundle.tar.gz");
  expect((await portcullis("build", file("rules"), "-o", file("out"))).code).toBe(0);
});
afterAll(() => removeFolder(folder));

const sign = (algorithm: string, key: string, output: string, ...more: string[]) =>
  portcullis("sign", bundle, "--signing-key", file(key), "--signing-alg", algorithm, "-o", file(output), ...more);
const verify = (algorithm: string, key: string, input: string, ...more: string[]) =>
  portcullis("verify", file(input), "--verification-key", file(key), "--signing-alg", algorithm, ...more);

describe("sign and verify", () => {
  it.each(algorithms)("%s", async (algorithm, privateKey, publicKey) => {
    expect(await sign(algorithm, privateKey, "signed.tar.gz")).toMatchObject({ code: 0 });
    expect(await verify(algorithm, publicKey, "signed.tar.gz")).toMatchObject({ code: 0, err: "" });
  });

  it("builds signed bundles, and checks them with the other key first", async () => {
    const flags = ["--signing-key", file("RS256.pem"), "--verification-key", file("RS256.pub"), "--scope", "write"];
    expect(await portcullis("build", file("rules"), "-o", file("built"), ...flags)).toMatchObject({ code: 0 });
    expect(await verify("RS256", "RS256.pub", "built/bundle.tar.gz", "--scope", "write")).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file("built/.signatures.json"), "utf8"))).toHaveProperty("signatures");
    const other = generateKeyPairSync("rsa", { modulusLength: 2048, ...pem }).publicKey;
    const wrong = ["--signing-key", file("RS256.pem"), "--verification-key", write(file("other.pub"), other)];
    const refused = await portcullis("build", file("rules"), "-o", file("unwritten"), ...wrong);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("does not hold under this key") });
    expect(() => readFileSync(file("unwritten/bundle.tar.gz"))).toThrow();
  });

  it("refuses data in YAML, which no command reads in a bundle", async () => {
    const yaml = file("yaml.tar.gz");
    writeFileSync(yaml, await packBundle([{ path: "data.yaml", bytes: new TextEncoder().encode("a: b\n") }]));
    expect(await portcullis("sign", yaml, "--signing-key", file("RS256.pem"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("`data.yaml` in the bundle is YAML, which is not read in a bundle\nhelp: merge it"),
    });
  });

  it("asks for a bundle, and for no folder of sources, where a file is not there", async () => {
    const missing = file("missing.tar.gz");
    for (const ran of [
      await portcullis("sign", missing, "--signing-key", file("RS256.pem")),
      await portcullis("verify", missing, "--verification-key", file("RS256.pub")),
    ]) {
      expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("help: name a bundle.tar.gz") });
      expect(ran.err).not.toContain("folder of sources");
    }
  });

  it("gives the same bytes for the same files", async () => {
    await sign("RS256", "RS256.pem", "one.tar.gz");
    await sign("RS256", "RS256.pem", "two.tar.gz");
    expect(readFileSync(file("one.tar.gz")).equals(readFileSync(file("two.tar.gz")))).toBe(true);
  });

  it.each<readonly [string, (files: Map<string, Uint8Array>) => void, string]>([
    ["a changed module", (f) => f.set("a.rego", Buffer.from("package a\n\np := true\n")), "`a.rego` was changed"],
    ["changed data", (f) => f.set("data.json", Buffer.from('{"b":{"x":2}}')), "`data.json` was changed"],
    ["a file too few", (f) => f.delete("a.rego"), "`a.rego` is signed, and missing"],
    ["a file too many", (f) => f.set("b.rego", Buffer.from("package b\n")), "`b.rego` is not signed"],
    ["no signature", (f) => f.delete(".signatures.json"), "not signed"],
    ["garbage", (f) => f.set(".signatures.json", Buffer.from("garbage")), "exactly one signature"],
    [
      "two signatures",
      (f) => f.set(".signatures.json", Buffer.from('{"signatures":["a.b.c","a.b.c"]}')),
      "exactly one",
    ],
    [
      "a token that says it needs no key",
      (f) => {
        const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
        const token = `${part({ alg: "none" })}.${part({ files: [] })}.AA`;
        f.set(".signatures.json", Buffer.from(JSON.stringify({ signatures: [token] })));
      },
      "is made with `none`",
    ],
  ])("finds %s", async (_name, change, problem) => {
    await sign("RS256", "RS256.pem", "signed.tar.gz");
    const files = await readBundle(readFileSync(file("signed.tar.gz")));
    change(files);
    writeFileSync(file("changed.tar.gz"), await packBundle([...files].map(([path, bytes]) => ({ path, bytes }))));
    const result = await verify("RS256", "RS256.pub", "changed.tar.gz");
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining(problem) });
    const json = JSON.parse((await verify("RS256", "RS256.pub", "changed.tar.gz", "--format", "json")).out);
    expect(json).toMatchObject({ ok: false, problems: [expect.stringContaining(problem)] });
  });

  it("does not take white space and order in data for a change", async () => {
    await sign("RS256", "RS256.pem", "signed.tar.gz");
    const files = await readBundle(readFileSync(file("signed.tar.gz")));
    files.set("data.json", Buffer.from(' {"b": {"é<&>": "\u2028", "x": 1.50}}'));
    writeFileSync(file("changed.tar.gz"), await packBundle([...files].map(([path, bytes]) => ({ path, bytes }))));
    expect(await verify("RS256", "RS256.pub", "changed.tar.gz")).toMatchObject({ code: 0 });
  });

  it("holds scope and key id to what is asked for", async () => {
    await sign("HS256", "secret", "scoped.tar.gz", "--scope", "write", "--verification-key-id", "k1");
    expect((await verify("HS256", "secret", "scoped.tar.gz")).err).toContain("scope is `write`, not ``");
    const other = await verify("HS256", "secret", "scoped.tar.gz", "--scope", "write", "--verification-key-id", "k2");
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining("names the key `k1`, not `k2`") });
    expect((await verify("HS256", "secret", "scoped.tar.gz", "--scope", "write")).code).toBe(0);
  });
});

describe("keys that do not fit", () => {
  it.each([
    ["HS256", "RS256.pub", "takes a secret"],
    ["RS256", "ES256.pub", "is a key for ec prime256v1"],
    ["ES256", "ES512.pub", "is a key for ec secp521r1"],
    ["RS256", "secret", "is no public key in PEM"],
    ["RS256", "missing", "no such file"],
  ])("%s with %s", async (algorithm, key, problem) => {
    const result = await portcullis("verify", bundle, "--verification-key", file(key), "--signing-alg", algorithm);
    expect(result).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
  });

  it("does not sign with a public key, or a folder", async () => {
    expect(await sign("RS256", "RS256.pub", "x.tar.gz")).toMatchObject({ code: 2 });
    const result = await portcullis("sign", file("rules"), "--signing-key", file("RS256.pem"));
    expect(result).toMatchObject({ code: 2, err: expect.stringContaining("is a folder") });
  });
});

describe.skipIf(opa === undefined)("a real opa", () => {
  it.each(algorithms)("verifies what we sign with %s", async (algorithm, privateKey, publicKey) => {
    await sign(algorithm, privateKey, "ours.tar.gz");
    const build = (input: string) =>
      spawnSync(
        opa as string,
        [
          "build",
          "-b",
          file(input),
          "--verification-key",
          file(publicKey),
          "--verification-key-id",
          "default",
          "--signing-alg",
          algorithm,
          "-o",
          file("opa.tar.gz"),
        ],
        { encoding: "utf8" },
      );
    expect(build("ours.tar.gz")).toMatchObject({ status: 0 });
    const files = await readBundle(readFileSync(file("ours.tar.gz")));
    files.set("data.json", Buffer.from('{"b":{"x":2}}'));
    writeFileSync(file("changed.tar.gz"), await packBundle([...files].map(([path, bytes]) => ({ path, bytes }))));
    expect(build("changed.tar.gz").status).not.toBe(0);
  });

  it.each(algorithms)("signs with %s what we verify", async (algorithm, privateKey, publicKey) => {
    execFileSync(opa as string, [
      "build",
      "-b",
      file("rules"),
      "-o",
      file("theirs.tar.gz"),
      "-t",
      "wasm",
      "-e",
      "a/p",
      "--signing-key",
      file(privateKey),
      "--signing-alg",
      algorithm,
    ]);
    expect(await verify(algorithm, publicKey, "theirs.tar.gz")).toMatchObject({ code: 0, err: "" });
  });
});
