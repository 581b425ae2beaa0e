/** Integers in references into base data, in a plan as OPA writes it. */

import { describe, expect, it } from "vitest";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { interpret } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { print, toJson } from "../../interpreter/value.ts";
import { addressDataByText } from "./data-keys.ts";
import { parsePolicyText } from "./parse-text.ts";
import { assertVerified } from "./verify.ts";

const TEXT = `plan eval
  block
    L2 = number "2"
    L3 = get L1 "xs"
    L4 = get L3 L2
    L5 = object
    insert L5 "x" L4
    result L5
`;

const answer = (data: string): string =>
  print(toJson(interpret(addressDataByText(parsePolicyText(TEXT)), "eval", { data: parseJson(data), strict: true })));

describe("integers in references into base data", () => {
  it("find elements of arrays and keys of objects", () => {
    expect(answer('{"xs": ["a", "b", "c"]}')).toBe('[{"x":"c"}]');
    expect(answer('{"xs": {"2": "text"}}')).toBe('[{"x":"text"}]');
    expect(answer('{"xs": {"3": "other"}}')).toBe("[]");
    expect(answer("{}")).toBe("[]");
  });

  it("gives a valid plan, and leaves one without them as it is", () => {
    assertVerified(addressDataByText(parsePolicyText(TEXT)));
    const plain = parsePolicyText(TEXT.replace("L1", "L0"));
    expect(policyToText(addressDataByText(plain))).toBe(policyToText(plain));
  });
});
