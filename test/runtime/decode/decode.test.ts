/** Answers as they are read: texts of every length, constants that are shared, and what is small in memory and large when read. */

import { load, type Policy } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

async function policyOf(rules: string, entrypoint: string): Promise<Policy> {
  const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints: [entrypoint] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return load(compiled.wasm);
}

/** A list of two that holds the list before twice, `depth` times. */
function doubled(depth: number): Promise<Policy> {
  const rules = Array.from({ length: depth }, (_, i) => `r${i + 1} := [r${i}, r${i}]`).join("\n");
  return policyOf(`r0 := input.x\n${rules}`, `t/r${depth}`);
}

it("has as many values as its lists hold", async () => {
  const policy = await doubled(10);
  const answer = policy.evaluate("t/r10", { x: "leaf" }) as unknown[];
  expect(answer.flat(10)).toEqual(Array.from({ length: 1024 }, () => "leaf"));
});

it("is a fault where it has too many, and the policy decides on", async () => {
  const policy = await doubled(60);
  expect(policy.evaluate("t/r60", { x: "leaf" })).toBeUndefined();
  expect(policy.lastFault).toMatchObject({ code: "internal", message: "the result is too large" });
  expect(policy.evaluate("t/r60", {})).toBeUndefined();
  expect(policy.lastFault).toBeUndefined();
});

it("is read whole where keys that are not texts make the memory grow", async () => {
  const text = "package t\n\np[i] := 1 if some i in numbers.range(1, input.count)\n";
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", text)], entrypoints: ["t/p"] });
  // Somewhere in between, the answer ends where the memory does, and the texts of its keys need more.
  for (let count = 1000; count <= 8000; count += 500) {
    const policy = await load(compiled?.wasm as Uint8Array);
    const answer = policy.evaluate("t/p", { count });
    expect(policy.lastFault, `${count} keys`).toBeUndefined();
    expect(Object.keys(answer as object)).toHaveLength(count);
  }
});

/** Beyond what is read as ASCII without a decoder. */
const LENGTHS = Array.from({ length: 60 }, (_, length) => length);
const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

describe("a text of the request in an answer", () => {
  const asked = policyOf('r := {"said": input.text}', "t/r");
  const saidOf = async (text: string): Promise<unknown> => {
    const policy = await asked;
    const answer = policy.evaluateJson("t/r", new TextEncoder().encode(JSON.stringify({ text })));
    expect(policy.lastFault).toBeUndefined();
    return (answer as { said?: unknown }).said;
  };

  it("is that text, whatever its length", async () => {
    for (const length of LENGTHS) {
      const text = ALPHABET.slice(0, length);
      expect(await saidOf(text)).toBe(text);
      // All but the last of the codes that are ASCII, and the last.
      expect(await saidOf("\u007f".repeat(length))).toBe("\u007f".repeat(length));
    }
  });

  it.each(["\u0080", "\u00ff", "\u20ac", "\ufeff", "\u{1f512}", "\u0000"])(
    "is that text with %j at any place",
    async (one) => {
      for (const length of LENGTHS) {
        for (let at = 0; at < length; at++) {
          const text = ALPHABET.slice(0, at) + one + ALPHABET.slice(at + 1, length);
          expect(await saidOf(text)).toBe(text);
        }
      }
    },
  );

  it("has U+FFFD for half of a surrogate pair, and the pair for both", async () => {
    const policy = await asked;
    for (const [written, read] of [
      ["\\ud800", "\ufffd"],
      ["a\\udfffz", "a\ufffdz"],
      ["\\ud83d\\udd12", "\u{1f512}"],
    ])
      expect(policy.evaluateJson("t/r", `{"text":"${written}"}`)).toEqual({ said: read });
  });
});

it("a text that is not UTF-8 is a fault wherever the byte is, and the policy decides on", async () => {
  const policy = await policyOf("r := hex.decode(input.hex)", "t/r");
  for (const length of LENGTHS) {
    for (let at = 0; at < length; at++) {
      const hex = `${"61".repeat(at)}ff${"62".repeat(length - at - 1)}`;
      expect(policy.evaluate("t/r", { hex })).toBeUndefined();
      expect(policy.lastFault).toMatchObject({
        code: "internal",
        message: "the result holds a string that is not UTF-8",
      });
    }
    expect(policy.evaluate("t/r", { hex: "63".repeat(length) })).toBe("c".repeat(length));
  }
});

it("constants are read as they are, frozen, and the same ones in every answer, however many there are", async () => {
  const values = Array.from({ length: 5_000 }, (_, i) => [i, `v${i}`, i % 2 === 0, null, { [`k${i}`]: -1 - i }]);
  const policy = await policyOf(`all := ${JSON.stringify(values)}\n\nr := [all[input.i], input.x]`, "t/r");
  const [first, second] = [0, 1].map(() =>
    values.map((_, i) => (policy.evaluate("t/r", { i, x: `x${i}` }) as unknown[])[0]),
  );
  expect(first).toEqual(values);
  for (const [i, value] of (first ?? []).entries()) {
    expect(Object.isFrozen(value)).toBe(true);
    expect(second?.[i]).toBe(value);
  }
});

describe("an answer that is nested as deep as texts may be", () => {
  // A list of the request, 999 deep, that gets a constant as the only element of its innermost list.
  const nested = "[".repeat(999) + "]".repeat(999);
  const request = `{"list":${nested},"path":"${"/0".repeat(998)}/0"}`;
  const answerOf = async (rule: string): Promise<unknown> => {
    const policy = await policyOf(
      `patched(constant) := json.patch(input.list, [{"op": "add", "path": input.path, "value": constant}])\n\n${rule}`,
      "t/r",
    );
    // Constants are remembered, and that must not change what comes next.
    const [first, again] = [0, 1].map(() => {
      const answer = policy.evaluateJson("t/r", request);
      return policy.lastFault?.message ?? answer;
    });
    expect(again).toEqual(first);
    return first;
  };

  it("holds constants, lists and others", async () => {
    expect(await answerOf('r := [patched(["c"])]')).toEqual([JSON.parse(nested.replace("[]", '[["c"]]'))]);
    expect(await answerOf('r := [[patched("c")]]')).toEqual([[JSON.parse(nested.replace("[]", '["c"]'))]]);
  });

  it("is a fault where a list comes deeper, a constant or not", async () => {
    const fault = "the result is nested too deeply";
    expect(await answerOf('r := [[patched(["c"])]]')).toBe(fault);
    expect(await answerOf('r := [["c"], [patched(["c"])]]')).toBe(fault);
    expect(await answerOf("r := [[[input.list]]]")).toBe(fault);
  });
});
