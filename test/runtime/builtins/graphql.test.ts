import type { HostBuiltin, JsonLike } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphql } from "../../../runtime/builtins/graphql/index.ts";
import { campaign } from "../../campaign.ts";
import { cpuMs } from "../../cpu-time.ts";
import { builtinsOf, orGivesUp, recordedCalls, replay, title } from "./recorded.ts";

const builtins = builtinsOf(graphql);
const isValid = builtins["graphql.is_valid"] as HostBuiltin;

describe("graphql", () => {
  it.each(recordedCalls("graphql").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(builtins, call);
    expect(got).toBe(want);
  });

  const schema = "type Query { self(x: [Int]): Query, name: String }";

  it.each([
    [
      "fragments spread without end",
      `${Array.from({ length: 40 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} a${i}: self { ...F${i + 1} } }`).join(" ")} fragment F40 on Query { name } { ...F0 }`,
    ],
    ["selections nested deep", `{${"self{".repeat(5000)}name${"}".repeat(5000)}}`],
    ["one field asked very often", `{${"name ".repeat(20_000)}}`],
    ["lists nested deep", `{self(x:${"[".repeat(5000)}`],
    ["long lists in fields of one name", `{${`self(x:[${"1 ".repeat(5000)}]){name}`.repeat(100)}}`],
  ])("gives up in time on %s", (_, query) => {
    const started = cpuMs();
    orGivesUp(() => isValid([query, schema]));
    expect(cpuMs() - started).toBeLessThan(5000);
  });

  it("reads selections of trees once, however deep they are wrong", () => {
    let tree: JsonLike = [];
    for (let i = 0; i < 200; i++) {
      const members: [JsonLike, JsonLike][] = [
        ["Name", true],
        ["SelectionSet", tree],
      ];
      tree = [new Map(members)];
    }
    const operation = new Map<JsonLike, JsonLike>([["SelectionSet", tree]]);
    const query = new Map<JsonLike, JsonLike>([["Operations", [operation]]]);
    expect(isValid([query, schema])).toBe(true);
  });

  it("looks for input objects within themselves in a long chain", () => {
    const chain = (end: string): string =>
      `${Array.from({ length: 20_000 }, (_, i) => `input I${i}{a:I${i + 1}!}`).join(" ")} input I20000{a:${end}}`;
    const schemaIsValid = builtins["graphql.schema_is_valid"] as HostBuiltin;
    expect([schemaIsValid([chain("Int")]), schemaIsValid([chain("I3!")])]).toEqual([true, false]);
  });

  it("never throws, whatever it is given", () => {
    const unit = fc.constantFrom(
      ...'{}()[]:!=@$|&# \n"',
      "...",
      "a",
      "on ",
      "fragment ",
      "query ",
      "type ",
      "extend ",
      "1",
      '"""',
    );
    const text = fc.string({ unit, maxLength: 40 });
    fc.assert(
      fc.property(text, text, (query, types) => {
        for (const call of Object.values(graphql)) call([query, types]);
        isValid([query, schema]);
      }),
      campaign(2000),
    );
  });
});
