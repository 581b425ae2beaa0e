import { expect, test } from "vitest";
import { builtins } from "./builtins/index.ts";
import { parseTerm } from "./term.ts";
import { print, type Val } from "./value.ts";

// Where OPA's answer is not what the name promises: its source (topdown/subset.go, aggregates.go) and `opa eval` say so.
test.each([
  ["object.subset", ["[]", "set()"], "false"],
  ["object.subset", ["[1]", "set()"], "true"],
  ["object.subset", ["[1, 1]", "{1, 2}"], "true"],
  ["object.subset", ["[1, 3]", "{1, 2}"], "false"],
  ["object.subset", ["[]", "[]"], "true"],
  ["object.get", ['{"a": null}', '"a"', "true"], "null"],
  ["object.get", ['{"a": {"b": null}}', '["a", "b"]', "true"], "null"],
  ["object.get", ['{"a": null}', '["a", "b"]', "true"], "true"],
  ["min", ['{"c", null}'], "null"],
  ["internal.member_3", ["1", "1", "{1, 2}"], "true"],
  ["internal.member_3", ["1", "2", "{1, 2}"], "false"],
  ["internal.member_3", ["3", "3", "{1, 2}"], "false"],
])("%s of %j is %s, as in OPA", (name, operands, want) => {
  const result = builtins.get(name)?.(...operands.map(parseTerm));
  expect(print(result as Val, " ")).toBe(want);
});
