import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa, product } from "./differential.ts";
import { type Argument, NumberText, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

const n = (text: string): NumberText => new NumberText(text);

/** JSON number texts of every kind: small and large integers, fractions, exponents, what is awkward to round. */
const numberText: fc.Arbitrary<NumberText> = fc
  .record({
    negative: fc.boolean(),
    whole: fc.oneof(
      fc.integer({ min: 0, max: 20 }).map(String),
      fc.bigInt({ min: 0n, max: 1n << 64n }).map(String),
      fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
    ),
    fraction: fc.oneof({ weight: 2, arbitrary: fc.constant("") }, fc.stringMatching(/^\.[0-9]{1,22}$/)),
    exponent: fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      fc.integer({ min: -60, max: 60 }).map((e) => `e${e}`),
    ),
  })
  .map(({ negative, whole, fraction, exponent }) => n(`${negative ? "-" : ""}${whole}${fraction}${exponent}`));

function sample<T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] {
  return fc.sample(arbitrary, campaign(numRuns));
}

describe("numbers", () => {
  const rtlib = new Rtlib();

  it.each([
    ["plus", ["1", "2"], "3"],
    ["plus", ["9223372036854775807", "1"], "9223372036854775808"],
    ["plus", ["0.1", "0.2"], "0.3"],
    ["plus", ["2.50", "0"], "2.5"],
    ["plus", ["1e3", "0"], "1000"],
    ["minus", ["-9223372036854775808", "1"], "-9223372036854775809"],
    ["minus", ["5", "5.0"], "0"],
    ["mul", ["9223372036854775807", "9223372036854775807"], "85070591730234615847396907784232501249"],
    ["mul", ["3037000500", "3037000500"], "9223372037000250000"],
    ["mul", ["-1", "-9223372036854775808"], "9223372036854775808"],
    ["mul", ["4294967296", "-2147483648"], "-9223372036854775808"],
    ["plus", ["1e30", "1"], "1000000000000000000000000000001"],
    ["rem", ["10", "18446744073709551616"], "10"],
    ["mul", ["1.5e-7", "1"], "1.5e-07"],
    ["div", ["1", "3"], "0.33333333333333333334"],
    ["div", ["4", "2"], "2"],
    ["div", ["-9223372036854775808", "-1"], "9223372036854775808"],
    ["div", ["0", "-5"], "-0"],
    ["div", ["0", "5"], "0"],
    ["div", ["-0", "0.5"], "-0"],
    ["mul", ["0", "-2.5"], "-0"],
    ["mul", ["0", "-2"], "0"],
    ["product", ["[0,0.5,-3]"], "-0"],
    ["div", ["1", "0"], undefined],
    ["div", ["1", "0.0"], undefined],
    ["rem", ["-7", "3"], "-1"],
    ["rem", ["1e5", "7"], "5"],
    ["rem", ["7", "1e30"], "7"],
    ["rem", ["-9223372036854775808", "-1"], "0"],
    ["rem", ["1", "0"], undefined],
    ["rem", ["1", "0.5"], undefined],
    ["round", ["-2.5"], "-3"],
    ["round", ["2.4999"], "2"],
    ["ceil", ["-0.5"], "1"],
    ["ceil", ["1.2"], "2"],
    ["floor", ["-1.2"], "-2"],
    ["abs", ["-2.50"], "2.5"],
    ["abs", ["-9223372036854775808"], "9223372036854775808"],
    ["equal", ["1", "1.0"], "true"],
    ["equal", ["10.0", "1"], "false"],
    ["lt", ["9007199254740992", "9007199254740993"], "true"],
    ["gt", ["1e400", "1e399"], "true"],
    ["bits.and", ["-1", "255"], "255"],
    ["bits.lsh", ["1", "100"], "1267650600228229401496703205376"],
    ["bits.lsh", ["3", "18446744073709551617"], "6"],
    ["bits.rsh", ["-12", "18446744073709551617"], "-6"],
    ["bits.lsh", ["0", "1000000000"], "0"],
    ["bits.lsh", ["1", "-1"], undefined],
    ["bits.rsh", ["-5", "1"], "-3"],
    ["bits.rsh", ["-5", "100000000000000000000"], "-1"],
    ["bits.negate", ["9223372036854775807"], "-9223372036854775808"],
    ["bits.negate", ["1e20"], "-100000000000000000001"],
    ["numbers.range", ["3", "1"], "[3,2,1]"],
    ["numbers.range", ["1.0", "2e0"], "[1,2]"],
    ["numbers.range_step", ["1", "6", "2"], "[1,3,5]"],
    ["numbers.range_step", ["1", "6", "0"], undefined],
    ["sum", ["[9223372036854775807,1]"], "9223372036854775808"],
  ])("%s(%j) is %s", (name, args, want) => {
    expect(rtlib.call(name, ...args)).toBe(want);
  });

  it("keeps the text of numbers", () => {
    for (const text of ["2.50", "1e3", "1E5", "1.50E+5", "-0", "-0.0", "123456789012345678901234567890"]) {
      expect(rtlib.valueText(rtlib.parse(text))).toBe(text);
    }
  });

  it("gives equal numbers equal hashes and exact order", () => {
    const exact = (t: NumberText): bigint => {
      const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(t.text) ?? [];
      const value = BigInt(`${whole}${fraction}`) * 10n ** BigInt(Number(exponent) - fraction.length + 100);
      return sign === "-" ? -value : value;
    };
    fc.assert(
      fc.property(numberText, numberText, (a, b) => {
        const x = exact(a);
        const y = exact(b);
        expect(rtlib.call("lt", a.text, b.text)).toBe(String(x < y));
        expect(rtlib.call("equal", a.text, b.text)).toBe(String(x === y));
        // Membership goes by hash once a set is large.
        const padding = Array.from({ length: 20 }, (_, i) => `"${i}"`).join(",");
        expect(
          rtlib.call("internal.member_2", `${a.text}${a.text.includes("e") ? "" : "e0"}`, `{${a.text},${padding}}`),
        ).toBe("true");
      }),
      campaign(500),
    );
  });

  // Undefined, `not` would make an answer of each of them: OPA has a value.
  it.each([
    ["plus", ["1e20000", "1"]],
    ["mul", ["1e-20000", "0.5"]],
    ["rem", ["9".repeat(20_000), "7"]],
    ["abs", ["-1e20000"]],
    ["floor", ["1e20000"]],
    ["sum", ["[1e20000, 0.5]"]],
    ["product", [`[${"1e16000,".repeat(20)} 0.5]`]],
    ["format_int", ["1e20000", "10"]],
    ["bits.and", ["1e20000", "1"]],
    ["bits.lsh", ["1", "300000"]],
    ["numbers.range", ["1e20000", "1"]],
    ["to_number", [`"0.${"1".repeat(20_000)}"`]],
    ["to_number", ['"0x1p4"']],
    ["units.parse", ['"1e6000"']],
    ["units.parse_bytes", ['"1e20000"']],
  ])("%s ends the evaluation beyond the limits", (name, args) => {
    expect(() => rtlib.call(name, ...args)).toThrow(/too long to calculate with|limit exceeded|hexadecimal/);
  });

  it("refuses what would not end, and never traps", () => {
    const huge = `1e${"9".repeat(30)}`;
    for (const name of ["plus", "minus", "mul", "div", "rem", "bits.and", "bits.lsh", "bits.rsh"]) {
      for (const args of [
        [huge, "1"],
        ["1", huge],
        ["9".repeat(20000), "2"],
        ["1e16000", "1e16000"],
        ["1e-16000", "1e-16000"],
      ]) {
        try {
          rtlib.call(name, ...(args as [string, string]));
        } catch (error) {
          expect(String(error)).toMatch(/too long to calculate with|limit exceeded/);
        }
      }
    }
    for (const [from, to] of [
      ["1", "1000000000"],
      ["-9223372036854775808", "9223372036854775807"],
      ["1", "9".repeat(100)],
    ] as const) {
      expect(() => rtlib.call("numbers.range", from, to)).toThrow("memory limit exceeded");
    }
    expect(rtlib.call("lt", "1", huge)).toBe("true");
    const long = `[${Array.from({ length: 300 }, () => "1e16000").join(",")}]`;
    expect(() => rtlib.call("product", long)).toThrow("too long to calculate with");
  });
});

describe.skipIf(!opaInstalled)("numbers, like OPA", () => {
  const awkward: Argument[] = [
    ...[0, 1, -1, 2, 3, 7, 10, 999, 1000, -1000, 2 ** 31, -(2 ** 31)],
    ...[
      "9223372036854775807",
      "-9223372036854775808",
      "9223372036854775808",
      "18446744073709551616",
      "1e20",
      "1e30",
    ].map(n),
    ...[
      "0.5",
      "-0.5",
      "2.5",
      "-2.5",
      "1.0",
      "-0",
      "0.1",
      "3.14159",
      "1e-7",
      "123456789.123",
      "1e400",
      "1e-400",
      "1e3",
    ].map(n),
    ...["123456789012345678901234567890", "99999999999999999999.5", "4611686018427387904.5"].map(n),
    "a",
    null,
    true,
    [1],
    { $set: [1] },
  ];
  // OPA compares texts with trailing zeros wrongly (10.0 == 1) and orders by rounded values: see the exact test above.
  it("arithmetic on awkward numbers", () => {
    expectLikeOpa(["plus", "minus", "mul", "div", "rem"].flatMap((name) => calls(name, product(awkward, awkward))));
    expectLikeOpa(["abs", "round", "ceil", "floor", "bits.negate"].flatMap((name) => calls(name, product(awkward))));
  });

  it("arithmetic on random numbers", () => {
    const pairs = sample(fc.tuple(numberText, numberText), 1000);
    expectLikeOpa(["plus", "minus", "mul", "div", "rem"].flatMap((name) => calls(name, pairs)));
    expectLikeOpa(
      ["abs", "round", "ceil", "floor"].flatMap((name) =>
        calls(
          name,
          pairs.map(([a]) => [a]),
        ),
      ),
    );
  });

  it("bits", () => {
    const ints = sample(fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }), 300).map((b) => n(String(b)));
    const pairs = [
      ...product(awkward, awkward),
      ...ints.map((a, i) => [a, ints[(i * 7 + 3) % ints.length] as Argument]),
    ];
    expectLikeOpa(["bits.and", "bits.or", "bits.xor"].flatMap((name) => calls(name, pairs)));
    const shifts = product([...awkward, ...ints], [0, 1, 31, 32, 33, 64, 100, -1, n("1.5")]);
    expectLikeOpa(["bits.lsh", "bits.rsh"].flatMap((name) => calls(name, shifts)));
  });

  it("ranges", () => {
    const ends = [0, 3, -3, 10, n("1.0"), n("1.5"), n("1e1"), "a", null];
    expectLikeOpa(calls("numbers.range", product(ends, ends)));
    expectLikeOpa(calls("numbers.range_step", product(ends, ends, [1, 2, 3, 100, 0, -1, n("0.5")])));
    const large = ["9223372036854775805", "9223372036854775809", "18446744073709551616", "18446744073709551619"].map(n);
    expectLikeOpa(calls("numbers.range", product(large.slice(0, 2), large.slice(0, 2))));
    expectLikeOpa(calls("numbers.range", product(large.slice(2), large.slice(2))));
  });
});
