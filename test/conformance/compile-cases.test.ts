/** OPA's compile cases, where Go's cache has them: code, message and place of every error. */

import { describe, expect, it } from "vitest";
import { compileDifference, readCompileCases } from "./compile-cases.ts";
import { cachedOpaModule, compileCases } from "./opa-release.ts";

const module = cachedOpaModule();

describe.skipIf(module === undefined)("OPA's compile cases", () => {
  const cases = module === undefined ? [] : readCompileCases(compileCases(module));

  it("are there", () => {
    expect(cases.length).toBeGreaterThan(10);
  });

  it.each(cases.map((c) => [c.note, c] as const))("%s", (_, c) => {
    expect(compileDifference(c)).toBeUndefined();
  });
});
