/** An entrypoint may be a member of a rule's value: OPA asks the path below `data`, wherever the rule's own name ends. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/index.ts";
import { compileModules } from "../../../compiler/rego/pipeline/index.ts";
import { askOpa, hasOpa } from "../plan/opa.ts";

const POLICY = `package t

a[x][y] := 1 if { some x, ys in input.m; some y in ys }

all := input.m

keys contains x if some x, _ in input.m

nested.flag := true

nested.each[x] := y if some x, y in input.m

f(x) := x

contradicts[x] := y if { some x, ys in input.m; some y in ys }
`;
const INPUT = { m: { k: ["extra", "other"], w: ["z"] } };

async function compiled(name: string, how: "entrypoints" | "ensure" = "entrypoints") {
  return compileModules({ modules: [new SourceFile("t.rego", POLICY)], [how]: [name, "t/all"] });
}

const DEFINED = {
  "t/a/k": { extra: 1, other: 1 },
  "t/a/k/extra": 1,
  "t/a/w/z": 1,
  "t/all/k": ["extra", "other"],
  "t/keys/k": "k",
  "t/nested/flag": true,
  "t/nested/each/w": ["z"],
};
const UNDEFINED = ["t/a/none", "t/a/k/none", "t/all/k/0", "t/all/none/none", "t/keys/none"];

describe("a member of a rule's value as an entrypoint", () => {
  it.each([...Object.entries(DEFINED), ...UNDEFINED.map((name) => [name, undefined] as const)])(
    "%s is its value",
    async (name, value) => {
      for (const how of ["entrypoints", "ensure"] as const) {
        const { compiled: module } = await compiled(name, how);
        expect(module?.entrypoints).toEqual([name, "t/all"].sort());
        const policy = await load(module?.wasm as Uint8Array);
        expect(policy.evaluate(name, INPUT)).toEqual(value);
        expect(policy.lastFault).toBeUndefined();
      }
    },
  );

  it.skipIf(!hasOpa)("is what OPA says it is", () => {
    for (const name of [...Object.keys(DEFINED), ...UNDEFINED]) {
      const query = `data${name
        .split("/")
        .map((part) => `[${JSON.stringify(part)}]`)
        .join("")}`;
      const answer = askOpa(query, { modules: [POLICY], input: INPUT });
      expect("errors" in answer ? answer.errors : answer.json, name).toEqual(
        (DEFINED as Record<string, unknown>)[name],
      );
    }
  });

  it("denies where the rule contradicts itself", async () => {
    const { compiled: module } = await compiled("t/contradicts/k");
    const policy = await load(module?.wasm as Uint8Array);
    expect(policy.evaluate("t/contradicts/k", INPUT)).toBeUndefined();
    expect(policy.lastFault?.code).toBe("conflict");
  });

  it.each([
    ["t/nested/flag/x", "analyze/undefined-ref"],
    ["t/a/k/w/z", "analyze/undefined-ref"],
    ["t/f/x", "plan/unknown-entrypoint"],
    ["t/nested/other", "plan/unknown-entrypoint"],
    ["t/alll/k", "plan/unknown-entrypoint"],
  ])("%s, which no value can have, is a finding", async (name, code) => {
    const { compiled: module, diagnostics } = await compiled(name);
    expect(module).toBeUndefined();
    expect(diagnostics.map((d) => d.code)).toEqual([code]);
  });
});
