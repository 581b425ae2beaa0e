import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign, sampled } from "../../campaign.ts";
import { calls, expectLikeOpa } from "./differential.ts";
import { type Argument, NumberText, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

const n = (text: string): NumberText => new NumberText(text);

describe("sprintf", () => {
  const rtlib = new Rtlib();
  it.each([
    ["%d|%5d|%-5d|%05d|%+d|% d", "[1,2,3,-4,5,6]", "1|    2|3    |-0004|+5| 6"],
    ["%s %v %q", '["é",[1,"a",{"b":null}],"x\\n"]', 'é [1, "a", {"b": null}] "x\\n"'],
    ["%x %X %#x %o %O %b %c %U", "[255,255,255,8,8,5,233,233]", "ff FF 0xff 10 0o10 101 é U+00E9"],
    ["%.2f %8.3f %e %g %v", "[3.14159,2.5,1234.5,0.00001,1e21]", "3.14    2.500 1.234500e+03 1e-05 1e+21"],
    ["%d %s", "[1]", "1 %!s(MISSING)"],
    ["%d", '["x"]', "%!d(string=x)"],
    ["x", "[1,2.5]", "x%!(EXTRA int64=1, float64=2.5)"],
    ["100%%", "[]", "100%"],
    ["%", "[]", "%!(NOVERB)"],
    ["%[2]d %[1]d", "[1,2]", "2 1"],
    ["%*d|%-*d|%.*f", "[4,1,4,2,1,2.55]", "   1|2   |2.5"],
    ["%d %T", "[123456789012345678901,123456789012345678901]", "123456789012345678901 *big.Int"],
    ["%v %v", "[{1,2},set()]", "{1, 2} set()"],
  ])("%j of %s", (format, args, want) => {
    expect(rtlib.call("sprintf", JSON.stringify(format), args)).toBe(JSON.stringify(want));
  });

  it("refuses what would be endless", () => {
    expect(() => rtlib.call("sprintf", '"%99999999999d"', "[1]")).not.toThrow();
    expect(rtlib.call("sprintf", '"%d"', '"x"')).toBe(undefined);
  });
});

describe.skipIf(!opaInstalled)("sprintf, like OPA", () => {
  const values: Argument[] = [
    ...[0, 1, -1, 42, -255, 65, 0x1f600, 0x110000, 2 ** 40],
    ...["9223372036854775807", "-9223372036854775808", "9223372036854775808", "-123456789012345678901234567890"].map(n),
    ...[
      "0.0",
      "-0",
      "-0.5",
      "1.0",
      "2.50",
      "3.14159",
      "1e3",
      "1e21",
      "1e-7",
      "123456789.125",
      "1.7976931348623157e308",
      "5e-324",
      "2.2250738585072014e-308",
      "1e400",
      "0.1",
      "100000",
      "1000000.0",
      "1e20",
      "9007199254740993.0",
      "0.30000000000000004",
    ].map(n),
    ...["", "abc", "héé", "日本", 'a\nb\t"`\\', "\u0000\u007f\u00a0\u2028😀", "x\u{10ffff}"],
    null,
    true,
    [],
    [1, "a", [null]],
    { a: 1, b: { c: "é" } },
    { $set: [1, "x"] },
    { $set: [] },
  ];
  const verbs = [..."vdsqxXobBcOeEfFgGtTUpiw%é"];
  const flags = [
    "",
    "5",
    "-8",
    "08",
    "+",
    "#",
    " ",
    "+#",
    "-08",
    ".0",
    ".1",
    ".3",
    "8.2",
    "-8.2",
    "08.2",
    "+.3",
    "#.3",
    "# ",
    "12.5",
    ".",
    "+08",
    " 6",
    "#10",
    "#U",
    "-+8",
  ];

  it("every verb with every flag on every kind of value", () => {
    // OPA prints addresses of large integers with %p, and Go's insides with %w.
    const odd = (verb: string, value: Argument): boolean =>
      "pw".includes(verb) && value instanceof NumberText && /^-?\d{19,}$/.test(value.text);
    const rows = flags.flatMap((f) =>
      verbs.flatMap((v) =>
        values.filter((value) => !odd(v, value)).map((value): Argument[] => [`[%${f}${v}]`, [value]]),
      ),
    );
    expectLikeOpa(calls("sprintf", sampled(rows)));
  });

  it("arguments", () => {
    const formats = [
      "%[1]d %d",
      "%[3]d",
      "%[0]d",
      "%[x]d",
      "%[1",
      "%[1]",
      "%[2]*[1]d",
      "%[3]*.[2]*[1]f",
      "%*d",
      "%.*d",
      "%.*f",
      "%-*d|",
      "%[1]*d",
      "%!",
      "%",
      "%5",
      "%-",
      "%.",
      "%z %d",
      "%d %d %d",
      "%%%d",
      "%5%",
      "%[2]d %[1]d %d",
      "%[1]2d",
      "%[1].2d",
      "%1000001d",
      "%.1000001d",
      "%12345678901d",
      "a%",
      "%d%",
      "é%dé",
      "%d%s%v",
      "%#v %+v",
      "%[ 1]d",
      "%[-1]d",
      "%[1]%",
      "%*%",
    ];
    const lists: Argument[] = [
      [],
      [1],
      [1, 2],
      [1, 2, 3],
      ["a", 2],
      [1.5, 2, 3],
      [-5, 7],
      [8, -3, 2.5],
      [[1], { a: 1 }, null],
      [2000000, 1],
      "x",
      null,
      1,
    ];
    expectLikeOpa(
      calls(
        "sprintf",
        [...formats, 1].flatMap((f) => lists.map((l): Argument[] => [f, l])),
      ),
    );
  });

  it("random floats", () => {
    const floats = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), campaign(1500));
    const texts = floats.map((f) => n(/[.e]/.test(String(f)) ? String(f).replace("e+", "e") : `${f}.0`));
    const verbsOf = ["%v", "%e", "%.3e", "%g", "%.5g", "%.17g", "%f", "%.0f", "%x", "%.2x", "%b", "%#g", "%#.3x"];
    expectLikeOpa(
      calls(
        "sprintf",
        texts.map((t, i): Argument[] => [verbsOf[i % verbsOf.length] as string, [t]]),
      ),
    );
    const decimals = fc.sample(
      fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 25n }), fc.integer({ min: -340, max: 300 })),
      campaign(1500),
    );
    expectLikeOpa(
      calls(
        "sprintf",
        decimals.map(([d, e]): Argument[] => ["%v %.20g", [n(`${d}e${e}`), n(`${d}e${e}`)]]),
      ),
    );
  });
});
