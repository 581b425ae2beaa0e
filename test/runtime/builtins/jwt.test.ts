import { constants, generateKeyPairSync, verify } from "node:crypto";
import { fromJson, fromText, type HostBuiltin, isArray, type JsonLike, toText } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../../runtime/builtins/bytes.ts";
import { jwt } from "../../../runtime/builtins/jwt/index.ts";
import { campaign } from "../../campaign.ts";
import { builtinsOf, recordedCalls, replay, title } from "./recorded.ts";

const clockless = builtinsOf(jwt);
const builtin = (name: string): HostBuiltin => clockless[name] as HostBuiltin;
const value = (json: unknown): JsonLike => fromJson(JSON.stringify(json)) as JsonLike;

/** Some recorded tokens expire; any time of this century judges them as the time of the recording did. */
const clocked = builtinsOf(jwt, { now: () => 1_700_000_000_123_456_789n });

describe("io.jwt", () => {
  it.each(recordedCalls("jwt").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(clocked, call);
    expect(got).toBe(want);
  });

  it("has no answer for a token that expires without a clock", () => {
    const key = value({ kty: "oct", k: "c2VjcmV0" });
    const secret = value({ secret: "secret" });
    const token = builtin("io.jwt.encode_sign")([value({ alg: "HS256" }), value({ exp: 10 }), key]) as string;
    expect(builtin("io.jwt.decode_verify")([token, secret])).toBeUndefined();
    const at = (ns: bigint) =>
      toText(builtinsOf(jwt, { now: () => ns })["io.jwt.decode_verify"]?.([token, secret]) as JsonLike);
    expect(at(9_999_999_999n)).toContain("[true");
    expect(at(10_000_000_000n)).toBe("[false,{},{}]");
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signers = [
    ["RS256", rsa, "sha256", {}],
    [
      "PS256",
      rsa,
      "sha256",
      { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
    ],
    ["ES256", generateKeyPairSync("ec", { namedCurve: "P-256" }), "sha256", { dsaEncoding: "ieee-p1363" }],
    ["ES384", generateKeyPairSync("ec", { namedCurve: "P-384" }), "sha384", { dsaEncoding: "ieee-p1363" }],
    ["ES512", generateKeyPairSync("ec", { namedCurve: "P-521" }), "sha512", { dsaEncoding: "ieee-p1363" }],
    ["EdDSA", generateKeyPairSync("ed25519"), null, {}],
  ] as const;

  it.each(signers)(
    "signs with %s what an independent implementation verifies, the same each time",
    (alg, pair, hash, options) => {
      const jwk = value(pair.privateKey.export({ format: "jwk" }));
      const sign = () => builtin("io.jwt.encode_sign")([value({ alg }), value({ sub: "someone" }), jwk]) as string;
      const token = sign();
      expect(sign()).toBe(token);
      const [header, payload, signature] = token.split(".") as [string, string, string];
      const message = utf8(`${header}.${payload}`);
      const key = { key: pair.publicKey, ...options } as Parameters<typeof verify>[2];
      expect(verify(hash, message, key, Buffer.from(signature, "base64url"))).toBe(true);
      const pem = pair.publicKey.export({ type: "spki", format: "pem" }).toString().trimEnd();
      expect(toText(builtin("io.jwt.decode_verify")([token, value({ cert: pem })]) as JsonLike)).toContain("[true");
    },
  );

  it.each(signers)("refuses a %s token with any one bit of it changed", (alg, pair) => {
    const jwk = value(pair.privateKey.export({ format: "jwk" }));
    const pem = pair.publicKey.export({ type: "spki", format: "pem" }).toString().trimEnd();
    const token = builtin("io.jwt.encode_sign")([value({ alg }), value({ sub: "someone" }), jwk]) as string;
    const parts = token.split(".").map((part) => Buffer.from(part, "base64url"));
    fc.assert(
      fc.property(fc.nat(2), fc.nat(4000), fc.nat(7), (part, at, bit) => {
        const changed = parts.map((bytes) => Buffer.from(bytes));
        const target = changed[part] as Buffer;
        target[at % target.length] = (target[at % target.length] as number) ^ (1 << bit);
        const forged = changed.map((bytes) => bytes.toString("base64url")).join(".");
        const answer = builtin("io.jwt.decode_verify")([forged, value({ cert: pem })]);
        expect(isArray(answer) && answer[0] === true).toBe(false);
      }),
      campaign(30),
    );
  });

  it("never throws, whatever it is given", () => {
    const anything = fc.oneof(
      fc.jsonValue().map(value),
      fc.string(),
      fc.base64String(),
      fc.constant(new Set(["a"]) as JsonLike),
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), (args) => {
        for (const call of Object.values(clocked)) call(args);
      }),
      campaign(500),
    );
  });

  it("refuses text after a JWK, which OPA's JSON reader overlooks", () => {
    const jwk = JSON.stringify(rsa.publicKey.export({ format: "jwk" }));
    const token = builtin("io.jwt.encode_sign")([
      value({ alg: "RS256" }),
      fromText("{}") as JsonLike,
      value(rsa.privateKey.export({ format: "jwk" })),
    ]);
    expect(builtin("io.jwt.verify_rs256")([token as string, jwk])).toBe(true);
    expect(builtin("io.jwt.verify_rs256")([token as string, `${jwk} junk`])).toBeUndefined();
  });
});
