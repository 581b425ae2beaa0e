/** Keys as Node writes them, in PEM and as JWK, are the same key here; anything else has a reason. */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keyOfJwk, keyOfPem } from "../../../compiler/governance/model/public-key.ts";

const pem = (key: KeyObject): string =>
  String(key.export({ type: key.type === "public" ? "spki" : "pkcs8", format: "pem" }));
const jwk = (key: KeyObject): Map<string, string> =>
  new Map(Object.entries(key.export({ format: "jwk" }))) as Map<string, string>;

const PAIRS = {
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

describe.each(Object.entries(PAIRS))("%s", (algorithm, { publicKey, privateKey }) => {
  it("is read from PEM and JWK alike, as Node writes it", () => {
    const written = Object.fromEntries(jwk(publicKey));
    expect(keyOfPem(pem(publicKey))).toEqual(written);
    expect(keyOfPem(pem(publicKey).replaceAll("\n", "\r\n"))).toEqual(written);
    expect(keyOfJwk(jwk(publicKey))).toEqual(written);
    expect(keyOfJwk(jwk(publicKey).set("alg", algorithm).set("use", "sig"))).toEqual(written);
  });

  it("is refused for another algorithm, another use, and where it is private", () => {
    for (const other of Object.keys(PAIRS).filter((one) => one !== algorithm))
      expect(keyOfJwk(jwk(publicKey).set("alg", other))).toHaveProperty("problem");
    expect(keyOfJwk(jwk(publicKey).set("use", "enc"))).toHaveProperty("problem");
    expect(keyOfJwk(jwk(privateKey))).toEqual({ problem: expect.stringContaining("is a private key") });
    expect(keyOfPem(pem(privateKey))).toEqual({ problem: expect.stringContaining("is a private key") });
  });

  it("is refused when any byte of its PEM is another, or is read as another key", () => {
    const text = pem(publicKey).replace(/-----[^-]+-----|\n/g, "");
    const der = Buffer.from(text, "base64");
    const same = JSON.stringify(keyOfPem(pem(publicKey)));
    for (let at = 0; at < der.length; at++) {
      const changed = Buffer.from(der);
      changed[at] = (changed[at] as number) ^ 1;
      const result = keyOfPem(`-----BEGIN PUBLIC KEY-----\n${changed.toString("base64")}\n-----END PUBLIC KEY-----\n`);
      expect(JSON.stringify(result), `byte ${at}`).not.toBe(same);
    }
    const short = der.subarray(0, -1).toString("base64");
    expect(keyOfPem(`-----BEGIN PUBLIC KEY-----\n${short}\n-----END PUBLIC KEY-----`)).toHaveProperty("problem");
    const long = Buffer.concat([der, Buffer.of(0)]).toString("base64");
    expect(keyOfPem(`-----BEGIN PUBLIC KEY-----\n${long}\n-----END PUBLIC KEY-----`)).toHaveProperty("problem");
  });
});

it("other kinds of keys, and weak ones, are refused", () => {
  const others = [
    generateKeyPairSync("rsa", { modulusLength: 1024 }),
    generateKeyPairSync("ec", { namedCurve: "P-384" }),
    generateKeyPairSync("ed448"),
    generateKeyPairSync("x25519"),
  ];
  for (const { publicKey } of others) {
    expect(keyOfPem(pem(publicKey))).toHaveProperty("problem");
    expect(keyOfJwk(jwk(publicKey))).toHaveProperty("problem");
  }
  const weak = others[0]?.publicKey as KeyObject;
  expect(keyOfPem(pem(weak))).toEqual({ problem: "has 1024 bits, and 2048 are the least" });
  const modulus = jwk(PAIRS.RS256.publicKey);
  expect(keyOfJwk(new Map(modulus).set("e", "AQ"))).toEqual({ problem: "is no key of RSA" });
  expect(keyOfJwk(new Map(modulus).set("e", "Ag"))).toEqual({ problem: "is no key of RSA" });
});
