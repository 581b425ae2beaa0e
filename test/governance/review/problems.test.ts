/** What a review cannot do is a problem with a code: nothing is thrown, and nothing printed. */

import { readFileSync } from "node:fs";
import { builtins } from "@portcullis/builtins";
import { readBundle } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import {
  diffPolicies,
  explain,
  type OpenedPolicy,
  openBundle,
  prove,
} from "../../../compiler/governance/review/index.ts";
import { packBundle } from "../../../compiler/rego/bundle/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";

const bytes = readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url));
const codeOf = (result: { ok: boolean; problem?: { code: string } }): string | undefined => result.problem?.code;

async function opened(bundle: Uint8Array = bytes): Promise<OpenedPolicy> {
  const result = await openBundle("generated", bundle, { builtins });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

/** The bundle without some of its files. */
async function without(pattern: RegExp): Promise<Uint8Array> {
  const files = [...(await readBundle(bytes))].filter(([path]) => !pattern.test(path));
  return packBundle(files.map(([path, content]) => ({ path, bytes: content })));
}

describe("openBundle", () => {
  it("does not take a bare module", async () => {
    const module = (await readBundle(bytes)).get("policy.wasm") as Uint8Array;
    expect(codeOf(await openBundle("policy.wasm", module, { builtins }))).toBe("bare-module");
  });
});

describe("explain", () => {
  it("needs an entrypoint of the policy", async () => {
    expect(codeOf(await explain(await opened(), { entrypoint: "no/such/rule" }))).toBe("no-entrypoint");
  });

  it("needs the Rego", async () => {
    const policy = await opened(await without(/\.rego$/));
    expect(codeOf(await explain(policy, { entrypoint: "portcullis/lane/decision" }))).toBe("no-rego");
  });
});

describe("diff and prove", () => {
  it("ask no more than the limit", async () => {
    const policy = await opened();
    expect(codeOf(await diffPolicies(policy, policy, { limit: 1 }))).toBe("too-many-questions");
    expect(codeOf(await prove(policy, { limit: 1 }))).toBe("too-many-questions");
  });

  it("find nothing between a policy and itself, and tell how far they are", async () => {
    const policy = await opened();
    let [steps, done] = [0, 0];
    const watch = (total: number) => {
      steps = total;
      return () => void done++;
    };
    expect(await diffPolicies(policy, policy, { watch })).toMatchObject({
      ok: true,
      value: { changes: [], contents: [] },
    });
    expect([done, steps > 0]).toEqual([steps, true]);
  });

  it("read claims first, and say where they are wrong", async () => {
    const claims = new SourceFile("claims.yaml", "claims:\n  - never: { decision: lane, role: NOBODY }\n");
    const result = await prove(await opened(), { claims });
    expect(result).toMatchObject({ ok: false, problem: { code: "broken-claims" } });
    expect(!result.ok && result.problem.message).toContain("claims.yaml:2:36: the policy has no role `NOBODY`");
  });
});
