/** OPA's compliance cases through our front end, our module and our runtime. Exceptions are checked both ways. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { difference, type NamedCase, readCases } from "./cases.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { exceptions } from "./exceptions.ts";

const dir = fileURLToPath(new URL("../../../shared/conformance/rego-v1", import.meta.url));
const cases = existsSync(dir) ? readCases(dir) : [];
const categories = new Map<string, NamedCase[]>();
for (const named of cases) categories.set(named.category, [...(categories.get(named.category) ?? []), named]);

async function problem({ case: c }: NamedCase): Promise<string | undefined> {
  try {
    return difference(c, await evaluateCase(c));
  } catch (error) {
    return String(error);
  }
}

describe.skipIf(cases.length === 0)("OPA's cases", () => {
  it("names only cases that exist as exceptions", () => {
    const notes = new Set(cases.map((c) => c.case.note));
    expect([...exceptions.keys()].filter((note) => !notes.has(note))).toEqual([]);
  });

  it.each([...categories])(
    "%s",
    async (_category, named) => {
      const wrong: string[] = [];
      for (const c of named) {
        const found = await problem(c);
        const expected = exceptions.get(c.case.note);
        if (found !== undefined && expected === undefined) wrong.push(`${c.case.note}: ${found}`);
        if (found === undefined && expected !== undefined)
          wrong.push(`${c.case.note} passes, but is listed as an exception`);
      }
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});
