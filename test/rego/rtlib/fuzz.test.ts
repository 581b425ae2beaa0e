/**
 * Every builtin with arbitrary arguments of every type: an answer, undefined, or an abort for lack of memory or steps;
 * never a trap, never a loop without end, never a change of an argument, and the same answer when asked again.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { Abort, RTLIB_BUILTINS, Rtlib } from "./rtlib.ts";

const CEILING = 512 * 1024 * 1024;
const STEPS = 20_000_000;

/** Texts that mean something to some builtin, whole or in part. */
const telling = fc.constantFrom(
  ...[
    "",
    "a",
    "abc",
    "a,b",
    "é😀",
    "^(a|b)*$",
    "[a-",
    "(?i)x",
    "*.{a,b}",
    "**",
    "%d %s %v",
    "%[2]*.[1]*f",
    "%10.3q",
    "$1 ${x}",
  ],
  ...[
    "10.0.0.0/8",
    "10.1.2.3",
    "::1/64",
    "1.2.3-rc.1",
    "10Ki",
    "1e400",
    "5m",
    "YWJj",
    "616263",
    "%41",
    "a=1&b=2",
    '{"a":[1]}',
  ],
  ...[
    "/a/b",
    "a/0",
    "-",
    "add",
    "urn:uuid:",
    "00112233-4455-6677-8899-aabbccddeeff",
    "{",
    "}",
    "prefix",
    "\u0000",
    "\uffff",
  ],
);
const text = fc.oneof(
  telling,
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.array(telling, { maxLength: 3 }).map((t) => t.join("")),
);
const number = fc.oneof(
  fc.integer({ min: -3, max: 20 }).map(String),
  fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }).map(String),
  fc.constantFrom(
    "-0",
    "1.0",
    "0.5",
    "-2.5",
    "1e3",
    "1e400",
    "1e-400",
    "1e999999",
    "9223372036854775807",
    "-9223372036854775808",
    "1000000",
    "1e18",
  ),
);

/** Value text: what Rtlib.parse reads. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3, withCrossShrink: true },
    text.map((t) => JSON.stringify(t)),
    number,
    fc.constantFrom("null", "true", "false", "[]", "{}", "set()"),
    fc.array(tie("value"), { maxLength: 4 }).map((v) => `[${v.join(",")}]`),
    fc.array(tie("value"), { minLength: 1, maxLength: 4 }).map((v) => `{${v.join(",")}}`),
    fc
      .array(fc.tuple(tie("value"), tie("value")), { maxLength: 4 })
      .map((v) => `{${v.map(([k, x]) => `${k}:${x}`).join(",")}}`),
    fc.constantFrom(
      '{"op":"add","path":"/a","value":1}',
      '[{"op":"move","from":"/a","path":"/b"}]',
      '{"pretty":true,"indent":"  "}',
      '{"a":["b"],"b":["a"]}',
    ),
  ),
}));

describe("every builtin", () => {
  const rtlib = new Rtlib();
  rtlib.function("setCeiling")(CEILING);

  it.each(RTLIB_BUILTINS)("%s answers", (name) => {
    const builtin = rtlib.function(`builtin_${name}`);
    fc.assert(
      fc.property(fc.array(value, { minLength: builtin.length, maxLength: builtin.length }), (args) => {
        rtlib.function("setBudget")(STEPS);
        rtlib.reset();
        const addresses = args.map((a) => rtlib.parse(a));
        const before = addresses.map((a) => rtlib.valueText(a));
        try {
          const first = builtin(...addresses);
          const answer = first === 0 ? undefined : rtlib.valueText(first);
          expect(addresses.map((a) => rtlib.valueText(a))).toEqual(before);
          const second = builtin(...addresses);
          expect(second === 0 ? undefined : rtlib.valueText(second)).toBe(answer);
        } catch (error) {
          if (!(error instanceof Abort)) throw error;
        }
      }),
      campaign(400),
    );
  });
});
