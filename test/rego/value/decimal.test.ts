/** Numbers by their text are compared and told apart as their exact values are. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { compareNumberText, numberKey } from "../../../compiler/rego/value/decimal.ts";
import { campaign } from "../../campaign.ts";

/** The value of a text times 10^40, which all of them have as an integer. */
function scaled(text: string): bigint {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(40 + Number(exponent) - fraction.length);
}

const EDGES = [
  ...["0", "-0", "0.0", "-0e3", "1", "-1", "1.0", "10e-1", "0.1e1", "1e0", "100", "1e2", "1E+2", "12e1", "120"],
  ...["999999999999999", "999999999999999.0", "1e15", "1000000000000000", "9007199254740993", "9007199254740992"],
  ...["9223372036854775807", "9223372036854775808", "-9223372036854775808", "0.9999999999999999999", "1e-20", "1e19"],
];
const digits = fc.integer({ min: -1200, max: 1200 });
const texts = fc.oneof(
  fc.constantFrom(...EDGES),
  digits.map(String),
  fc.tuple(digits, fc.nat(99)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.tuple(digits, fc.integer({ min: -9, max: 9 })).map(([whole, exponent]) => `${whole}e${exponent}`),
);

it("is ordered by its value, and has the key of what it equals alone", () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const difference = scaled(a) - scaled(b);
      expect(Math.sign(compareNumberText(a, b)) + 0).toBe(difference < 0n ? -1 : Number(difference > 0n));
      expect(numberKey(a) === numberKey(b)).toBe(difference === 0n);
    }),
    campaign(20_000),
  );
  for (const a of EDGES)
    for (const b of EDGES) expect([a, b, numberKey(a) === numberKey(b)]).toEqual([a, b, scaled(a) === scaled(b)]);
});

it("may have an exponent that no double has", () => {
  expect(compareNumberText("1e400", "1e399")).toBeGreaterThan(0);
  expect(compareNumberText("1e-400", "0")).toBeGreaterThan(0);
  expect(new Set(["1e400", "10e399", "1e-400", "0"].map(numberKey)).size).toBe(3);
});
