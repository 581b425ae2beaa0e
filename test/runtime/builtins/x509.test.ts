import { generateKeyPairSync } from "node:crypto";
import { fromJson, type HostBuiltin, type JsonLike, toText } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPem } from "../../../runtime/builtins/asn1/pem.ts";
import { x509 } from "../../../runtime/builtins/x509/index.ts";
import { campaign } from "../../campaign.ts";
import { argumentsOf, builtinsOf, recordedCalls, replay, title } from "./recorded.ts";

/** The recorded chains hold at this time. */
const then = 1_800_000_000_000_000_000n;
const clocked = builtinsOf(x509, { now: () => then });
const clockless = builtinsOf(x509);
const builtin = (name: string): HostBuiltin => clocked[name] as HostBuiltin;
const calls = recordedCalls("x509");

function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (let block = readPem(text); block !== undefined; block = readPem(block.rest))
    blocks.push(`${block.type} ${block.bytes}`);
  return blocks;
}

describe("certificates and keys", () => {
  it.each(calls.map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(clocked, call);
    expect(got).toBe(want);
  });

  it("has no answer about a chain without a clock", () => {
    const chain = calls.find(
      ({ name, result }) => name === "crypto.x509.parse_and_verify_certificates" && result?.startsWith("[true"),
    );
    expect(chain).toBeDefined();
    const args = argumentsOf(chain as NonNullable<typeof chain>);
    expect(clockless["crypto.x509.parse_and_verify_certificates"]?.(args)).toBeUndefined();
    const options = (ns: string) => fromJson(`{"CurrentTime": ${ns}}`) as JsonLike;
    const at = (ns: string) =>
      clockless["crypto.x509.parse_and_verify_certificates_with_options"]?.([...args, options(ns)]);
    expect(toText(at(String(then)) as JsonLike)).toMatch(/^\[true,/);
    expect(toText(at("0") as JsonLike)).toBe("[false,[]]");
  });

  it("never throws, and never finds a chain, in damaged certificates", () => {
    const [chain] = argumentsOf(
      calls.find(({ name, result }) => name.endsWith("verify_certificates") && result?.startsWith("[true")) ??
        (calls[0] as never),
    );
    const text = chain as string;
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom("A", "/", "=", "-", "\n"), (at, char) => {
        const damaged = text.slice(0, at) + char + text.slice(at + 1);
        // Some characters do not matter (the last bits of base64), and without one of its blocks a chain may still hold.
        const [before, after] = [blocksOf(text), blocksOf(damaged)];
        fc.pre(before.length === after.length && String(before) !== String(after));
        const answer = builtin("crypto.x509.parse_and_verify_certificates")([damaged]);
        // The root is trusted as it stands: its own signature is never looked at.
        const inRoot = at < text.indexOf("-----END");
        if (!inRoot && answer !== undefined) expect(toText(answer)).toMatch(/^\[false/);
        builtin("crypto.x509.parse_certificates")([damaged]);
      }),
      campaign(150),
    );
  });

  it("never throws, whatever it is given", () => {
    const pem = fc.base64String().map((body) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`);
    const anything = fc.oneof(pem, fc.base64String(), fc.string(), fc.constant(null as JsonLike));
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 2 }), (args) => {
        for (const call of Object.values(clocked)) call(args);
      }),
      campaign(500),
    );
  });

  it("shows an RSA key as an independent implementation does", () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const text = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const jwk = builtin("crypto.x509.parse_rsa_private_key")([text]) as JsonLike;
    expect(toText(jwk)).toBe(toText(fromJson(JSON.stringify(privateKey.export({ format: "jwk" }))) as JsonLike));
  });
});

describe("PEM", () => {
  it.each([
    ["-----BEGIN A-----\nQUJD\n-----END A-----\n", "A", ""],
    ["text\n-----BEGIN A-----\nQUJD\n-----END A-----", "A", ""],
    ["-----BEGIN A-----\nName: value\n\nQUJD\n-----END A-----\nrest", "A", "rest"],
    ["-----BEGIN A-----\nQUJD\n-----END B-----\n-----BEGIN C-----\nQUJD\n-----END C-----\n", "C", ""],
    ["-----BEGIN A-----\n-----END A-----\n", "A", ""],
  ])("reads %j", (text, type, rest) => {
    expect(readPem(text)).toMatchObject({ type, rest });
  });

  it.each([
    "",
    "-----BEGIN A-----",
    "-----BEGIN A-----\nQUJD",
    " -----BEGIN A-----\nQUJD\n-----END A-----\n",
    "-----BEGIN A-----\nQ!\n-----END A-----\n",
  ])("finds nothing in %j", (text) => expect(readPem(text)).toBeUndefined());
});
