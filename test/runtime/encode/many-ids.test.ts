/** More ids than a key of a request remembers: every one is still itself, and none is another. */

import { expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { load } from "../../../runtime/index.ts";

const COUNT = 6000;
const id = (i: number): string => `ID_${i}`;

it("tells 6,000 ids of one key apart, again and again", async () => {
  const entries = Array.from({ length: COUNT }, (_, i): readonly [Value, Value] => [
    { kind: "string", value: id(i) },
    { kind: "number", text: String(i) },
  ]);
  const text = "package app\n\nfound := [data.table[input.id], input.other]";
  const { compiled } = await compileModules({
    modules: [new SourceFile("app.rego", text)],
    data: {
      kind: "object",
      entries: [
        [
          { kind: "string", value: "table" },
          { kind: "object", entries },
        ],
      ],
    },
    entrypoints: ["app/found"],
  });
  const policy = await load(compiled!.wasm);
  const ask = (name: string, other: string): unknown => policy.evaluate("app/found", { id: name, other });
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < COUNT; i++) {
      const answer = ask(id(i), id((i * 7) % COUNT));
      if (JSON.stringify(answer) !== JSON.stringify([i, id((i * 7) % COUNT)]))
        expect(answer).toEqual([i, id((i * 7) % COUNT)]);
    }
    for (const strange of ["", "ID_", "ID_6000", "id_1", "ID_1 ", "ID_-1"])
      expect(ask(strange, strange)).toBeUndefined();
  }
  expect(policy.faults).toBe(0);
});
