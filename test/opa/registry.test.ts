/** Bundles in a real registry: what is pushed is what `ociSource`, `serve` and OPA find, and nothing else is taken. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, ReloadablePolicy } from "@portcullis/runtime";
import { ociSource, pushBundle } from "@portcullis/runtime/node";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { portcullis } from "../cli/terminal.ts";
import { compileExample, publicKey, signed, withoutWriters } from "./bundles.ts";
import { hasOpa, runOpa, until } from "./opa.ts";
import { HAS_REGISTRY, type Registry, startRegistry, USER, WITHOUT_REGISTRY } from "./registry-server.ts";

if (!HAS_REGISTRY) process.stderr.write(`${WITHOUT_REGISTRY}\n`);

const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "portcullis-oci-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As `docker login` leaves it. */
function login(host: string, { username, password }: typeof USER): void {
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { [host]: { auth } } }));
}
beforeAll(() => vi.stubEnv("DOCKER_CONFIG", folder));
afterEach(() => rmSync(join(folder, "config.json"), { force: true }));
afterAll(() => void vi.unstubAllEnvs());

describe.skipIf(!HAS_REGISTRY)(HAS_REGISTRY ? "a registry" : WITHOUT_REGISTRY, () => {
  let registry: Registry;
  let bundle: Uint8Array;
  beforeAll(async () => {
    registry = await startRegistry(false);
    bundle = await signed((await compileExample("registered", "both")).files);
  });
  afterAll(() => registry?.stop());

  it("gives back what was pushed, by tag and by digest, and says when there is something else", async () => {
    const ref = `oci://${registry.host}/policies/newsroom`;
    const digest = await pushBundle(`${ref}:stable`, bundle);
    // As it is there already, nothing is sent again.
    expect(await pushBundle(`${ref}:stable`, bundle)).toBe(digest);
    const byTag = ociSource(`${ref}:stable`);
    const first = await byTag.fetch(undefined, never);
    expect(Buffer.from(first.bytes ?? []).equals(bundle)).toBe(true);
    expect(first.tag).toBe(digest);
    expect(await byTag.fetch(first.tag, never)).toEqual({ bytes: undefined, tag: digest });
    const other = (await compileExample("other", "both")).bundle;
    expect(await pushBundle(`${ref}:stable`, other)).not.toBe(digest);
    expect((await byTag.fetch(first.tag, never)).bytes).toEqual(other);
    // A digest is what it was.
    expect((await ociSource(`${ref}@${digest}`).fetch(undefined, never)).bytes).toEqual(first.bytes);
    await expect(ociSource(`${ref}:absent`).fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
  });

  it("is followed", async () => {
    const ref = `oci://${registry.host}/policies/followed:stable`;
    await pushBundle(ref, (await compileExample("one", "both")).bundle);
    const policies = await ReloadablePolicy.follow(ociSource(ref));
    try {
      expect(policies.current.revision).toBe("one");
      await pushBundle(ref, (await compileExample("two", "both")).bundle);
      expect(await policies.check()).toMatchObject({ revision: "two", failures: 0 });
    } finally {
      policies.close();
    }
  });

  it("takes what `sign` pushes, signed", async () => {
    const key = join(folder, "secret");
    writeFileSync(key, "a secret of more than thirty-two bytes");
    const file = join(folder, "plain.tar.gz");
    writeFileSync(file, (await compileExample("signed", "both")).bundle);
    const ref = `oci://${registry.host}/policies/signed:stable`;
    const signed = (to: string) =>
      portcullis("sign", file, "--signing-key", key, "--signing-alg", "HS256", "-o", to, "--format", "json");
    const { code, out } = await signed(ref);
    expect(code).toBe(0);
    const { bytes = new Uint8Array(), tag } = await ociSource(ref).fetch(undefined, never);
    expect(JSON.parse(out)).toMatchObject({ bundle: ref, digest: tag });
    const verification = {
      keys: { k: { algorithm: "HS256", key: "a secret of more than thirty-two bytes" } },
      keyId: "k",
    } as const;
    expect((await load(bytes, { verification })).revision).toBe("signed");
    const refused = await signed("oci://NOT A REF");
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("is not oci://HOST/REPOSITORY:TAG") });
  });

  it("that asks who it is gets what `docker login` left, and refuses others", async () => {
    const asking = await startRegistry(true);
    try {
      const ref = `oci://${asking.host}/policies/newsroom:stable`;
      await expect(pushBundle(ref, bundle)).rejects.toMatchObject({ code: "status" });
      login(asking.host, { ...USER, password: "wrong" });
      await expect(pushBundle(ref, bundle)).rejects.toMatchObject({ code: "status" });
      login(asking.host, USER);
      await pushBundle(ref, bundle);
      expect((await ociSource(ref).fetch(undefined, never)).bytes).toEqual(new Uint8Array(bundle));
      rmSync(join(folder, "config.json"));
      await expect(ociSource(ref).fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
    } finally {
      await asking.stop();
    }
  });

  it.skipIf(!hasOpa)("gives OPA the same bundle, which it verifies and decides by", async () => {
    const { files } = await compileExample("pulled", "rego");
    const ref = `${registry.host}/policies/opa:stable`;
    await pushBundle(`oci://${ref}`, await signed(files));
    const key = join(folder, "release.pem");
    writeFileSync(key, publicKey);
    const config = join(folder, "opa.json");
    const settings = {
      services: { registry: { url: `http://${registry.host}`, type: "oci" } },
      bundles: {
        portcullis: {
          ...{ service: "registry", resource: ref, persist: true },
          polling: { min_delay_seconds: 1, max_delay_seconds: 1 },
          signing: { keyid: "release", scope: "production" },
        },
      },
      keys: { release: { algorithm: "RS256" } },
      persistence_directory: folder,
    };
    writeFileSync(config, JSON.stringify(settings));
    const opa = await runOpa(["--config-file", config, "--set-file", `keys.release.key=${key}`]);
    try {
      const ask = async (): Promise<unknown> => {
        const body = JSON.stringify({ input: { role: "WRITER", lane: "DRAFTING" } });
        const response = await fetch(`${opa.url}/v1/data/portcullis/lane/decision`, { method: "POST", body });
        return ((await response.json()) as { result?: { allowed?: unknown } }).result?.allowed;
      };
      await until(async () => (await ask()) === true, "the bundle of the registry");
      await pushBundle(`oci://${ref}`, await signed(withoutWriters(files, "later")));
      await until(async () => (await ask()) === false, "the next bundle");
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${opa.log()}`);
    } finally {
      await opa.stop();
    }
  });
});
