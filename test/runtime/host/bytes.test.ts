/** Strings that are not UTF-8: kept inside of the policy and on the way to builtins of bytes, a fault on any other way out. */

import { crypto, jwt, uri, yaml } from "@portcullis/builtins";
import { type LoadOptions, load, type Policy } from "@portcullis/runtime";
import { fromText, toJson, toText } from "@portcullis/runtime/host";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { callBuiltin } from "../../../compiler/rego/wasm/call-builtin.ts";
import { fromBytes, fromUtf8, utf8 } from "../../../runtime/builtins/bytes.ts";

async function policyOf(rules: string, options: LoadOptions = {}): Promise<Policy> {
  const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints: ["t/r"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return load(compiled.wasm, { builtins: [crypto, jwt, uri, yaml], ...options });
}

const ask = async (rules: string, input: unknown = {}): Promise<unknown> => {
  const policy = await policyOf(rules);
  const answer = policy.evaluate("t/r", input);
  return policy.lastFault?.message ?? answer;
};

describe("strings of other bytes", () => {
  const mac = 'hex.decode(crypto.hmac.sha256(input.message, "server secret")) == base64.decode(input.mac)';

  it("tell a forged message authentication code from the true one", async () => {
    const policy = await policyOf(`default r := false\n\nr if ${mac}`);
    const sent = (code: string): unknown => ({ message: "pay 5", mac: code });
    expect(policy.evaluate("t/r", sent("JpnhQ3FfRRyGMzRwUGo1QS5tM7254noxC7PDy13RzDo="))).toBe(true);
    expect(policy.evaluate("t/r", sent("Jv//Q3FfRRz/MzRwUGo1QS5tM////3oxC////13//zo="))).toBe(false);
    expect(policy.lastFault).toBeUndefined();
  });

  it("are secrets of JSON web tokens", async () => {
    const policy = await policyOf(
      "default r := false\n\nr if io.jwt.verify_hs256(input.token, base64.decode(input.secret))",
    );
    const token = (signature: string): unknown => ({
      token: `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJib2IifQ.${signature}`,
      secret: "gP+AR8Ch",
    });
    expect(policy.evaluate("t/r", token("m96kdgC24uhDD7WDeRD6kj6b1_uinMQiZZ0Dc6_YaMY"))).toBe(true);
    expect(policy.evaluate("t/r", token("aKabHZFrvEkIcoKtcYro9NVMRn6UFraDTJ4L2kqtWS8"))).toBe(false);
  });

  it.each([
    ['r := base64.decode("/w==") == base64.decode("/g==")', false],
    ["r := base64.decode(input.a) == base64.decode(input.b)", false],
    ["r := count({base64.decode(input.a), base64.decode(input.b), base64.decode(input.a)})", 2],
    ['r := {base64.decode(input.a): 1, base64.decode(input.b): 2}[hex.decode("ff")]', 1],
    ["r := [hex.encode(x) | some x in {base64.decode(input.a), base64.decode(input.b)}]", ["fe", "ff"]],
    ["r := base64.encode(base64.decode(input.c))", "gP+ARw=="],
    ['r := concat("", [hex.decode("c3"), hex.decode("a9")])', "é"],
    ["r := urlquery.encode(urlquery.decode(input.d))", "%FF%C3%A9"],
    ["r := json.marshal(base64.decode(input.a))", '"\\ufffd"'],
    ['r := crypto.sha256(base64.decode(input.a)) == crypto.sha256("\ufffd")', false],
    ["r := crypto.hmac.equal(base64.decode(input.a), base64.decode(input.b))", false],
    ['r := hex.encode(uri.parse("http://h/%ff").path)', "2fff"],
  ])("%s", async (rule, expected) => {
    expect(await ask(rule, { a: "/w==", b: "/g==", c: "gP+ARw==", d: "%ff%C3%A9" })).toEqual(expected);
  });

  it("are no constants, and what has none is evaluated", () => {
    const call = (name: string, value: string): unknown => callBuiltin(name, [{ kind: "string", value }]);
    expect(call("base64.decode", "/w==")).toBe("unknown");
    expect(call("base64.decode", "YQ==")).toEqual({ kind: "string", value: "a" });
  });
});

describe("on the way out, strings of other bytes", () => {
  it.each(["r := base64.decode(input.a)", "r := [{base64.decode(input.a): 1}]", "r := {[base64.decode(input.a)]: 1}"])(
    "are a fault, and the decision is the denial: %s",
    async (rule) => {
      const denial = { decision: false, reason: "fault" };
      const policy = await policyOf(`default r := ${JSON.stringify(denial)}\n\n${rule}`);
      const answer = policy.evaluate("t/r", { a: "/w==" });
      expect(policy.lastFault?.message).toMatch(/a string that is not UTF-8/);
      expect(answer).toEqual(denial);
      expect(policy.evaluate("t/r", { a: "YQ==" })).toBeDefined();
      expect(policy.lastFault).toBeUndefined();
    },
  );

  it("fail builtins that take texts", async () => {
    expect(await ask("r := yaml.marshal(base64.decode(input.a))", { a: "/w==" })).toBe(
      "the builtin `yaml.marshal` failed: it was called with a string that is not UTF-8",
    );
    expect(await ask('r := yaml.marshal("\\\\udcff")')).toBe("\\udcff\n");
  });

  it("are not made of halves of surrogate pairs in an input", async () => {
    const policy = await policyOf('r := [input.a == base64.decode("/w=="), input.a == "\ufffd"]');
    expect(policy.evaluateJson("t/r", '{"a": "\\udcff"}')).toEqual([false, true]);
    expect(policy.evaluate("t/r", { a: "\udcff" })).toEqual([false, true]);
  });
});

describe("their text", () => {
  const all = Array.from({ length: 2000 }, (_, i) => Uint8Array.of(i & 255, (i * 7) & 255, 0xc3, (i * 31) & 255));

  it("is as different as the bytes are, and gives them back", () => {
    const texts = new Set<string>();
    const kinds = new Set(all.map((bytes) => bytes.join()));
    for (const bytes of all) {
      const text = fromBytes(bytes);
      texts.add(text);
      expect([...utf8(text)]).toEqual([...bytes]);
      expect(fromText(toText(text))).toBe(text);
      expect(fromUtf8(bytes)).not.toMatch(/\p{Surrogate}/u);
    }
    expect(texts.size).toBe(kinds.size);
  });

  it("has U+FFFD for each byte that is not a character, as in Go", () => {
    expect(fromUtf8(Uint8Array.of(0xf0, 0x9f, 0x61, 0xe2, 0x80))).toBe("\ufffd\ufffda\ufffd\ufffd");
    expect(toJson('\\\udcff"')).toBe('"\\\\\\ufffd\\""');
  });
});
