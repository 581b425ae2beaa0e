import { createHash, createHmac } from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hex, utf8 } from "../../../runtime/builtins/bytes.ts";
import { hashes } from "../../../runtime/builtins/crypto/hash.ts";
import { crypto } from "../../../runtime/builtins/crypto/index.ts";
import { campaign } from "../../campaign.ts";
import { builtinsOf, recordedCalls, replay, title } from "./recorded.ts";

const digests = builtinsOf(crypto);
const names = ["md5", "sha1", "sha256", "sha384", "sha512"] as const;

describe("digests", () => {
  it.each(recordedCalls("crypto").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(digests, call);
    expect(got).toBe(want);
  });

  it.each(names)("%s equals an independent implementation at every padding boundary", (name) => {
    for (let length = 0; length < 300; length++) {
      const message = new Uint8Array(length).map((_, i) => i * 7 + length);
      expect(hex(hashes[name](message))).toBe(createHash(name).update(message).digest("hex"));
    }
  });

  it.each(names)("hmac over %s equals an independent implementation for any key and message", (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (key, message) => {
        expect(hex(hmac(hashes[name], key, message))).toBe(createHmac(name, key).update(message).digest("hex"));
      }),
      campaign(200),
    );
  });

  it("digests the UTF-8 bytes of a text", () => {
    expect(digests["crypto.sha256"]?.(["åäöçß🥲♙Ω"])).toBe(createHash("sha256").update("åäöçß🥲♙Ω").digest("hex"));
    expect(utf8("é")).toEqual(Uint8Array.of(0xc3, 0xa9));
  });

  it.each([[[]], [[null]], [[["a"]]], [[true, "a"]]])("is undefined for operands of other types: %j", (args) => {
    for (const builtin of Object.values(digests)) expect(builtin(args)).toBeUndefined();
  });
});
