import { expect, it } from "vitest";
import { recordMaker } from "../../../runtime/decode/record-makers.ts";

const keysOf = (count: number, mark: string): string[] => Array.from({ length: count }, (_, i) => `${mark}${i}`);

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20])(
  "objects of %d keys have just these, in order, however many kinds there are",
  (count) => {
    for (const mark of ["a", "b", "c", "d", "a"]) {
      const keys = keysOf(count, mark);
      const make = recordMaker(keys);
      for (const value of [1, "x", null]) {
        const values = keys.map((key) => [key, value]);
        expect(Object.entries(make(keys, values))).toEqual(keys.map((key) => [key, [key, value]]));
      }
    }
  },
);

it("the same keys have the same maker, others another one while there are any", () => {
  const keys = keysOf(5, "same");
  expect(recordMaker(keys)).toBe(recordMaker([...keys]));
});

it("makes objects that share nothing", () => {
  const keys = keysOf(3, "a");
  const make = recordMaker(keys);
  const first = make(keys, [1, 2, 3]);
  const second = make(keys, [4, 5, 6]);
  first["a0"] = 7;
  expect(second).toEqual({ a0: 4, a1: 5, a2: 6 });
});
