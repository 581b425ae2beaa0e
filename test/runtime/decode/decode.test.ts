/** Answers that are small in memory and large when they are read. */

import { load } from "@portcullis/runtime";
import { expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

/** A list of two that holds the list before twice, `depth` times. */
async function doubled(depth: number): Promise<Awaited<ReturnType<typeof load>>> {
  const rules = Array.from({ length: depth }, (_, i) => `r${i + 1} := [r${i}, r${i}]`).join("\n");
  const text = `package t\n\nr0 := input.x\n${rules}\n`;
  const { compiled } = await compileModules({
    modules: [new SourceFile("t.rego", text)],
    entrypoints: [`t/r${depth}`],
  });
  return load(compiled?.wasm as Uint8Array);
}

it("has as many values as its lists hold", async () => {
  const policy = await doubled(10);
  const answer = policy.evaluate("t/r10", { x: "leaf" }) as unknown[];
  expect(answer.flat(10)).toEqual(Array.from({ length: 1024 }, () => "leaf"));
});

it("is a fault where it has too many, and the policy decides on", { timeout: 60_000 }, async () => {
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
