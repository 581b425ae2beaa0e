/** RSA gives one answer, whether the host has OpenSSL or not. */

import {
  constants,
  generateKeyPairSync,
  type KeyObject,
  sign as opensslSign,
  verify as opensslVerify,
} from "node:crypto";
import { fromJson, type JsonLike } from "@portcullis/runtime/host";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hashes } from "../../../runtime/builtins/crypto/hash.ts";
import {
  type RsaPrivateKey,
  type RsaPublicKey,
  signPkcs1,
  signPss,
  verifyPkcs1,
  verifyPss,
} from "../../../runtime/builtins/crypto/rsa.ts";
import { jwt } from "../../../runtime/builtins/jwt/index.ts";
import { x509 } from "../../../runtime/builtins/x509/index.ts";
import { builtinsOf, recordedCalls, replay } from "./recorded.ts";

const PSS = constants.RSA_PKCS1_PSS_PADDING;
const names = ["sha256", "sha384", "sha512"] as const;

interface Pair {
  readonly publicKey: RsaPublicKey;
  readonly privateKey: RsaPrivateKey;
  readonly pem: KeyObject;
}

function pairOf(modulusLength: number): Pair {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength });
  const jwk = privateKey.export({ format: "jwk" }) as Record<string, string>;
  const number = (name: string): bigint => BigInt(`0x${Buffer.from(jwk[name] as string, "base64url").toString("hex")}`);
  const [n, e, d, p, q] = ["n", "e", "d", "p", "q"].map(number) as [bigint, bigint, bigint, bigint, bigint];
  return {
    publicKey: { kind: "RsaPublicKey", n, e },
    privateKey: { kind: "RsaPrivateKey", n, e, d, p, q },
    pem: privateKey,
  };
}

/** Moduli whose encoded message begins with a whole byte, and with a part of one. */
const pairs = [pairOf(1536), pairOf(1537), pairOf(1541)];

/** The answers with the platform's OpenSSL, and without it. */
function both<T>(ask: () => T): readonly [T, T] {
  const first = ask();
  const hidden = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
  const second = ask();
  expect(hidden).toHaveBeenCalled();
  hidden.mockRestore();
  return [first, second];
}

const message = new TextEncoder().encode("a message");

describe("RSA", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(names)("verifies %s signatures of OpenSSL, with a salt of any length, and none of a changed one", (name) => {
    for (const { publicKey, pem } of pairs) {
      const size = Math.ceil(publicKey.n.toString(16).length / 2);
      const longest = Math.ceil((publicKey.n.toString(2).length - 1) / 8) - hashes[name].outputLen - 2;
      const plain = opensslSign(name, message, pem);
      expect(plain.length).toBe(size);
      expect(both(() => verifyPkcs1(publicKey, hashes[name], message, plain))).toEqual([true, true]);
      for (const saltLength of [0, 1, 20, hashes[name].outputLen, longest]) {
        const signature = opensslSign(name, message, { key: pem, padding: PSS, saltLength });
        expect(both(() => verifyPss(publicKey, hashes[name], message, signature, "any"))).toEqual([true, true]);
        const exact = saltLength === hashes[name].outputLen;
        expect(both(() => verifyPss(publicKey, hashes[name], message, signature, hashes[name].outputLen))).toEqual([
          exact,
          exact,
        ]);
        fc.assert(
          fc.property(fc.nat(size - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
            const [changed, changedPlain] = [Uint8Array.from(signature), Uint8Array.from(plain)];
            changed[at] = (changed[at] as number) ^ difference;
            changedPlain[at] = (changedPlain[at] as number) ^ difference;
            expect(both(() => verifyPss(publicKey, hashes[name], message, changed, "any"))).toEqual([false, false]);
            expect(both(() => verifyPkcs1(publicKey, hashes[name], message, changedPlain))).toEqual([false, false]);
          }),
          { seed: 21, numRuns: 5 },
        );
      }
    }
  });

  it.each(names)("signs with %s the same bytes on every host, which OpenSSL verifies", (name) => {
    for (const { privateKey, pem } of pairs) {
      const [plain, elsewhere] = both(() => signPkcs1(privateKey, hashes[name], message));
      expect(plain).toBeDefined();
      expect(elsewhere).toEqual(plain);
      expect(opensslVerify(name, message, pem, plain as Uint8Array)).toBe(true);
      const [salted, saltedElsewhere] = both(() => signPss(privateKey, hashes[name], message));
      expect(salted).toBeDefined();
      expect(saltedElsewhere).toEqual(salted);
      const key = { key: pem, padding: PSS, saltLength: hashes[name].outputLen };
      expect(opensslVerify(name, message, key, salted as Uint8Array)).toBe(true);
    }
  });

  it("refuses keys that are too small, even, or do not fit together, and signatures of another length", () => {
    const [{ publicKey, privateKey, pem }] = pairs as [Pair];
    const signature = opensslSign("sha256", message, pem);
    const small = pairOf(1008);
    const keys: RsaPublicKey[] = [small.publicKey, { ...publicKey, n: publicKey.n - 1n }, { ...publicKey, e: 2n }];
    for (const key of keys)
      expect(
        verifyPkcs1(key, hashes.sha256, message, signature) || verifyPss(key, hashes.sha256, message, signature, "any"),
      ).toBe(false);
    for (const changed of [signature.subarray(1), new Uint8Array([0, ...signature]), new Uint8Array()]) {
      expect(both(() => verifyPkcs1(publicKey, hashes.sha256, message, changed))).toEqual([false, false]);
      expect(both(() => verifyPss(publicKey, hashes.sha256, message, changed, "any"))).toEqual([false, false]);
    }
    const unfit = { ...privateKey, p: privateKey.p + 2n };
    expect(signPkcs1(unfit, hashes.sha256, message) ?? signPss(unfit, hashes.sha256, message)).toBeUndefined();
    expect(signPss(small.privateKey, hashes.sha256, message)).toBeUndefined();
  });

  it("answers the recorded calls without OpenSSL as with it", () => {
    const hidden = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const tables = {
      jwt: builtinsOf(jwt, { now: () => 1_700_000_000_123_456_789n }),
      x509: builtinsOf(x509, { now: () => 1_800_000_000_000_000_000n }),
    };
    for (const name of ["jwt", "x509"] as const)
      for (const call of recordedCalls(name)) {
        const { got, want } = replay(tables[name], call);
        expect(got, `${call.name}${call.args.slice(0, 80)}`).toBe(want);
      }
    expect(hidden).toHaveBeenCalled();
  });

  it("refuses a key of a JWK with an even modulus, or one that is enormous", () => {
    const verify = builtinsOf(jwt)["io.jwt.verify_rs256"];
    const key = (n: bigint): string => {
      const bytes = Buffer.from(n.toString(16).padStart(2 * Math.ceil(n.toString(16).length / 2), "0"), "hex");
      return JSON.stringify({ kty: "RSA", e: "AQAB", n: bytes.toString("base64url") });
    };
    const token = `${Buffer.from('{"alg":"RS256"}').toString("base64url")}.e30.AAAA`;
    for (const n of [1n << 2047n, (1n << 16_384n) - 1n]) {
      const answer: JsonLike | undefined = verify?.([token, fromJson(JSON.stringify(key(n))) as JsonLike]);
      expect(answer).toBe(false);
    }
  });
});
