/** What the generators hold against every text, number and list of a right request, whatever the decision. */
import { describe, expect, it } from "vitest";
import { decisionNames } from "../statements/index.ts";
import { nearMisses, neighbours } from "./near-misses.ts";
import { right } from "./right-requests.ts";
import { placesOf, valueAt } from "./spoiling.ts";

describe.each(decisionNames)("near misses of a request to %s", (decision) => {
  const values = placesOf(right[decision]).map((place) => valueAt(right[decision], place));

  it("are texts in other case, shorter, longer, and of letters that look the same", () => {
    for (const text of values.filter((value) => typeof value === "string")) {
      const near = nearMisses(text);
      expect(near, text).not.toContain(text);
      expect(near, text).toContain(text.slice(0, -1));
      expect(near, text).toContain(text.slice(1));
      expect(near, text).toContain(text + text.slice(-1));
      const isOtherCase = (one: string): boolean => one.toLowerCase() === text.toLowerCase();
      if (/[a-z]/i.test(text)) expect(near.some(isOtherCase), text).toBe(true);
      const isLookAlike = (one: string): boolean =>
        [...one].length === [...text].length && [...one].every((letter) => letter === " " || letter > "\u007f");
      if (/^[ -~]+$/.test(text)) expect(near.some(isLookAlike), text).toBe(true);
    }
  });

  it("are numbers and lists with one more and one less", () => {
    for (const value of values) {
      if (typeof value === "number") expect(neighbours(value)).toEqual([value - 1, value + 1]);
      if (Array.isArray(value) && value.length > 0)
        expect(new Set(neighbours(value).map((one) => (one as unknown[]).length - value.length))).toEqual(
          new Set([-1, 1]),
        );
    }
  });
});
