/** What was kept for a list of texts is found for that list and for no other. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { TextTable } from "../../../runtime/evaluate/text-table.ts";
import { campaign, runs } from "../../campaign.ts";

const LENGTH = 4;
/** Few texts, so that lists have much in common; some alike but for their last character. */
const text = fc.constantFrom("", "a", "b", "agent-1", "agent-2", "a text that is longer than others");
const list = fc.array(text, { minLength: LENGTH, maxLength: LENGTH });

it("finds what was kept last for a list, as a Map of the whole list does, whatever else was kept", () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: LENGTH }),
      fc.array(fc.tuple(list, fc.boolean()), { maxLength: 120, size: "max" }),
      (length, steps) => {
        const table = new TextTable();
        const known = new Map<string, object>();
        for (const [all, isKept] of steps) {
          const texts = all.slice(0, length);
          const key = JSON.stringify(texts);
          // What follows the texts is left of other requests.
          expect(table.find(all)).toBe(known.get(key));
          if (known.has(key)) found++;
          if (!isKept) continue;
          const value = {};
          table.set(texts, value);
          known.set(key, value);
        }
        for (const [key, value] of known) expect(table.find(JSON.parse(key) as string[])).toBe(value);
      },
    ),
    campaign(500),
  );
  expect(found).toBeGreaterThan(runs(500));
});

it("finds lists of no texts, and none before any was kept", () => {
  const table = new TextTable();
  expect(table.find([])).toBeUndefined();
  table.set([], "answer");
  expect(table.find(["left over"])).toBe("answer");
});

it("finds each of many lists that differ in any of their texts", () => {
  const table = new TextTable();
  const lists = Array.from({ length: 3000 }, (_, i) => [`${i % 3}`, "same", `${i % 10}`, "also", `${i}`]);
  for (const [i, texts] of lists.entries()) table.set(texts, i);
  expect(lists.map((texts) => table.find([...texts]))).toEqual(lists.map((_, i) => i));
  expect(table.find(["0", "same", "0", "also", "1"])).toBeUndefined();
  expect(table.find(["0", "other", "0", "also", "0"])).toBeUndefined();
});
