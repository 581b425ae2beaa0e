import { describe, expect, it } from "vitest";
import { add, ceil, compareNum, div, floor, mul, Num, round, sub } from "./number.ts";
import { parseJson, parseTerm } from "./term.ts";
import { compare, print, toJson } from "./value.ts";

const n = (text: string): Num => Num.parse(text);

describe("numbers", () => {
  it("are exact, and quotients what 64 bits hold", () => {
    expect(String(add(n("0.1"), n("0.2")))).toBe("0.3");
    expect(String(add(n("9007199254740993"), n("1")))).toBe("9007199254740994");
    expect(String(mul(n("1.1"), n("1.1")))).toBe("1.21");
    expect(String(sub(n("1e2"), n("100.0")))).toBe("0");
    expect(String(div(n("1"), n("3")))).toBe("0.33333333333333333334");
    expect(String(div(n("2"), n("3")))).toBe("0.6666666666666666667");
    expect(String(div(n("100000000000000000000"), n("3")))).toBe("33333333333333333334");
    expect(String(div(n("-10"), n("4")))).toBe("-2.5");
  });

  it("are indexes where they are integers that are written without an exponent", () => {
    const indexes = ["1", "-1", "1000", "1.0", "-0", "10e-1", "1e0", "0.5"].map((text) => Num.parse(text).index);
    expect(indexes).toEqual([1, -1, 1000, 1, 0, undefined, undefined, undefined]);
    expect(add(Num.parse("0.5"), Num.parse("0.5")).index).toBe(1);
  });

  it("are rounded as Go does", () => {
    expect(["2.5", "-2.5", "2.4", "-2.4"].map((t) => String(round(n(t))))).toEqual(["3", "-3", "2", "-2"]);
    expect(["1.1", "-1.1", "7"].map((t) => String(floor(n(t))))).toEqual(["1", "-2", "7"]);
    expect(["1.1", "-1.1", "7"].map((t) => String(ceil(n(t))))).toEqual(["2", "-1", "7"]);
  });

  it("are compared without computing powers", () => {
    expect(compareNum(n("1e1000000"), n("2"))).toBe(1);
    expect(compareNum(n("-1e1000000"), n("2"))).toBe(-1);
    expect(compareNum(n("1.50"), n("15e-1"))).toBe(0);
  });

  it("refuse what JSON does", () => {
    expect(["01", "+1", ".5", "1.", "0x1", "", "NaN"].map((t) => Num.tryParse(t))).toEqual(Array(7).fill(undefined));
  });
});

describe("values", () => {
  it("are ordered by type, then by content", () => {
    const sorted = [
      "null",
      "false",
      "true",
      "-1",
      "2",
      '"a"',
      '"b"',
      '"\\uFFFF"',
      '"😀"',
      "[]",
      "[1]",
      "[1,2]",
      "[2]",
      "{}",
      '{"a":1}',
      "set()",
      "{1}",
      "{1,2}",
    ];
    const values = sorted.map(parseTerm);
    for (const [i, a] of values.entries())
      for (const [j, b] of values.entries())
        expect(Math.sign(compare(a, b)), `${sorted[i]} and ${sorted[j]}`).toBe(Math.sign(i - j));
  });

  it("are read and written", () => {
    const text = '{"a": [1, {2, "x"}, set()], {1: null}: true}';
    expect(print(parseTerm(text), " ")).toBe(text);
    expect(print(toJson(parseTerm("{[2], 1, {3: 4}}")))).toBe('[1,[2],{"3":4}]');
    expect(() => parseJson("{1}")).toThrow(SyntaxError);
    expect(() => parseJson("[1,]")).toThrow(SyntaxError);
    expect(() => parseJson("[1] 2")).toThrow(SyntaxError);
  });
});
