/** Keys as Node writes them, in PEM and as JWK, are the same key here; anything else has a reason. */

import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
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

const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
/** 32 bytes, the least first, as Ed25519 writes a point's y; the highest bit is the sign of x. */
const point = (y: bigint, sign = 0n): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number(((y | (sign << 255n)) >> BigInt(8 * i)) & 255n));
/** Points that vanish after three doublings, which is all that a signature asks of a key. */
const SMALL = [
  ...[0n, 1n, P - 1n].flatMap((y) => [point(y), point(y, 1n)]),
  // https://eprint.iacr.org/2020/1244.pdf, table 1
  ...[
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  ].flatMap((text) => [
    Buffer.from(text, "hex"),
    Buffer.from(text, "hex").fill(Number.parseInt(text.slice(-2), 16) | 128, 31),
  ]),
];

describe("keys of Ed25519 for which anybody can sign", () => {
  const key = (bytes: Uint8Array) =>
    new Map([
      ["kty", "OKP"],
      ["crv", "Ed25519"],
      ["x", Buffer.from(bytes).toString("base64url")],
    ]);
  const der = (bytes: Uint8Array): string => {
    const text = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), bytes]).toString("base64");
    return `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`;
  };

  it("take a signature of nothing", () => {
    const forged = Buffer.concat([point(1n), new Uint8Array(32)]);
    const jwk = Object.fromEntries(key(point(1n)));
    const taken = verify(null, Buffer.from("any text"), createPublicKey({ key: jwk, format: "jwk" }), forged);
    expect(taken).toBe(true);
  });

  it("are refused, in every form", () => {
    // The same y once more, above the prime.
    const again = [P, P + 1n].flatMap((y) => [point(y), point(y, 1n)]);
    for (const bytes of [...SMALL, ...again]) {
      const problem = { problem: "is no point of Ed25519, or one for which anybody can sign" };
      expect(keyOfJwk(key(bytes)), Buffer.from(bytes).toString("hex")).toEqual(problem);
      expect(keyOfPem(der(bytes))).toEqual(problem);
    }
  });

  it("are refused where they are no points: half of all numbers", () => {
    // With y = 2, x² = 3 / (4 d + 1) is no square.
    const root = (value: bigint): bigint => power(value, (P - 1n) / 2n);
    expect(root((3n * power(4n * D + 1n, P - 2n)) % P)).toBe(P - 1n);
    expect(keyOfJwk(key(point(2n)))).toHaveProperty("problem");
    const made = Array.from({ length: 200 }, (_, i) => keyOfJwk(key(point(BigInt(i) + 2n))));
    const points = made.filter((one) => !("problem" in one)).length;
    expect(points).toBeGreaterThan(70);
    expect(points).toBeLessThan(130);
  });

  it("are not those that people make", () => {
    for (let i = 0; i < 50; i++) {
      const { publicKey } = generateKeyPairSync("ed25519");
      expect(keyOfJwk(jwk(publicKey))).toEqual(Object.fromEntries(jwk(publicKey)));
    }
  });
});

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base % P, exponent]; left > 0n; square = (square * square) % P, left >>= 1n)
    if (left % 2n === 1n) result = (result * square) % P;
  return result;
}

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
