/** Names that some readers take for one. */

import { LONGEST_NAME, lookAlike, lookAlikeAmong } from "@portcullis/runtime";
import { expect, it } from "vitest";

const TWINS = ["Cents", "CENTS", "\uff43ents", "cents\u200b", " cents", "cen\u00adts"];

it("finds a name that could be read as one of others, and none that is it", () => {
  for (const twin of TWINS) {
    expect(lookAlike({ cents: 1, [twin]: 2 }, ["cents"]), twin).toBe(twin);
    expect(lookAlikeAmong({ cents: 1, [twin]: 2 }), twin).toBe(twin);
    expect(lookAlikeAmong({ [twin]: 2 }), twin).toBe(undefined);
  }
  const own = { cents: 1, scents: 2, cent: 3, "": 4 };
  expect([lookAlike(own, ["cents"]), lookAlikeAmong(own), lookAlikeAmong({}), lookAlikeAmong(["a", "A"])]).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

it("takes one that is too long to tell for such a name", () => {
  const long = "x".repeat(LONGEST_NAME + 1);
  const longest = "x".repeat(LONGEST_NAME);
  expect(lookAlike({ [long]: 1 }, ["cents"])).toBe(long);
  expect(lookAlikeAmong({ cents: 1, [long]: 2 })).toBe(long);
  expect([lookAlike({ [longest]: 1 }, ["cents"]), lookAlikeAmong({ cents: 1, [longest]: 2 })]).toEqual([
    undefined,
    undefined,
  ]);
});
