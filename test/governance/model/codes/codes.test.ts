/** Every finding of the model and lowering stages, with sources that cause it, and the place that it must point at. */

import { describe, expect, it } from "vitest";
import { lowerCodes } from "../../../../compiler/governance/lower/index.ts";
import { modelCodes } from "../../../../compiler/governance/model/index.ts";
import { brief, compileFiles, marked } from "../findings.ts";
import { ADAPTERS } from "./adapters.ts";
import { AGENTS } from "./agents.ts";
import { APPROVERS } from "./approvers.ts";
import { ARGUMENTS } from "./arguments.ts";
import { FILES } from "./files.ts";
import type { Fixtures } from "./fixture.ts";
import { HARNESS_CODES } from "./harness.ts";
import { LIMIT_CODES } from "./limits.ts";
import { MANIFESTS } from "./manifests.ts";
import { OTHERS } from "./others.ts";

const FIXTURES: Fixtures = {
  ...FILES,
  ...HARNESS_CODES,
  ...ARGUMENTS,
  ...LIMIT_CODES,
  ...APPROVERS,
  ...AGENTS,
  ...MANIFESTS,
  ...ADAPTERS,
  ...OTHERS,
};

describe("findings of the model and lowering stages", () => {
  it("has a fixture for every code", () => {
    expect(Object.keys(FIXTURES).sort()).toEqual([...Object.keys(modelCodes), ...Object.keys(lowerCodes)].sort());
  });

  for (const [code, fixtures] of Object.entries(FIXTURES)) {
    for (const [i, fixture] of [fixtures].flat().entries()) {
      it(`${code} #${i + 1}`, () => {
        const all = compileFiles(fixture.files).diagnostics;
        const found = all.filter((d) => d.code === code);
        expect(found.map(brief), all.map(brief).join("\n")).toEqual(
          fixture.at.map((at) => (at === "-" ? code : `${code} ${at}`)),
        );
        if (fixture.marked !== undefined) expect(marked(found[0] as never)).toBe(fixture.marked);
        if (fixture.message !== undefined) expect(found[0]?.message).toBe(fixture.message);
        if (fixture.help !== undefined) expect(found[0]?.help).toBe(fixture.help);
        if (fixture.severity !== undefined) expect(found[0]?.severity).toBe(fixture.severity);
        for (const d of found) expect(d.message).not.toMatch(/\{\w+\}|undefined/);
      });
    }
  }

  it("says what to do, in full sentences, for every code", () => {
    for (const [code, entry] of Object.entries({ ...modelCodes, ...lowerCodes })) {
      expect(code).toMatch(/^(?:model|lower)\/[a-z0-9-]+$/);
      expect(entry.message).not.toMatch(/\.$/);
      expect(entry.explain).toMatch(/\.$/);
      expect(entry.explain.length).toBeGreaterThan(60);
    }
  });
});
