import { expect, test } from "vitest";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { valueText } from "../../../compiler/rego/value/value-text.ts";

const string = (value: string): Value => ({ kind: "string", value });
const number = (text: string): Value => ({ kind: "number", text });

test.each<[Value, string]>([
  [{ kind: "null" }, "null"],
  [{ kind: "boolean", value: true }, "true"],
  [number("10e-1"), "10e-1"],
  [string('a"\n'), '"a\\"\\n"'],
  [{ kind: "array", items: [] }, "[]"],
  [{ kind: "array", items: [number("1"), string("x")] }, '[1, "x"]'],
  [{ kind: "object", entries: [] }, "{}"],
  [{ kind: "object", entries: [[string("a"), { kind: "null" }]] }, '{"a": null}'],
  [{ kind: "set", items: [] }, "set()"],
  [{ kind: "set", items: [number("1"), number("2")] }, "{1, 2}"],
])("%j is written as %s", (value, text) => {
  expect(valueText(value)).toBe(text);
});
