/** The parts of JSON texts: what is cut out is what a parser finds, wherever brackets, commas and quotes stand. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberText, partsOf } from "../../../compiler/enforcement/serving/member-text.ts";
import { campaign } from "../../campaign.ts";

/** Texts out of what a scanner could stumble over. */
const awkward = fc.string({
  unit: fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "\n", " ", "a", "é"),
  maxLength: 6,
});
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, 0, -1.5e300),
    awkward,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(awkward, tie("any"), { maxKeys: 3 }),
  ),
})).any;
const space = fc.constantFrom("", " ", "\n\t", "  \r\n");

/** A text of a value, with white space wherever it may be. */
function written(value: unknown, gap: string): string {
  const inner = Array.isArray(value)
    ? value.map((item) => gap + written(item, gap) + gap)
    : typeof value === "object" && value !== null
      ? Object.entries(value).map(
          ([key, item]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${written(item, gap)}${gap}`,
        )
      : undefined;
  if (inner === undefined) return JSON.stringify(value);
  const text = inner.length === 0 ? gap : inner.join(",");
  return Array.isArray(value) ? `[${text}]` : `{${text}}`;
}

describe("the parts of a text", () => {
  it("are the members of an object, and together the object", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(awkward, value), { maxLength: 4 }), space, (members, gap) => {
        const whole = members.map(([key, item]) => `${gap}${JSON.stringify(key)}:${written(item, gap)}${gap}`);
        const parts = partsOf(`${gap}{${whole.length === 0 ? gap : whole.join(",")}}${gap}`);
        expect(parts.map(({ name, text }) => [name, JSON.parse(text)])).toEqual(members);
        expect(JSON.parse(`{${parts.map((part) => part.whole).join(",")}}`)).toEqual(
          JSON.parse(`{${whole.join(",")}}`),
        );
      }),
      campaign(1000),
    );
  });

  it("are the elements of an array", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), space, (items, gap) => {
        const parts = partsOf(gap + written(items, gap));
        expect(parts.map(({ name, text }) => [name, JSON.parse(text)])).toEqual(items.map((item) => ["", item]));
      }),
      campaign(1000),
    );
  });

  it("are asked for by a key in any case, and the last of several counts", () => {
    expect(memberText('{"Input": 1, "x": {"input": 2}, "in\\u0050UT" : [ 3 ] }', "input")).toBe("[ 3 ]");
    expect(memberText('{"x": "input"}', "input")).toBeUndefined();
  });
});
