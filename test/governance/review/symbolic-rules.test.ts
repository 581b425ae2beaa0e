/** Proofs for all requests about rules of an author's: what is encodable, and what may give anything. */

import { describe, expect, it } from "vitest";
import { type Property, proveNoMore } from "../../../compiler/governance/review/index.ts";
import { smtQuery } from "../../../compiler/governance/review/prove/symbolic/smt.ts";
import { readAnswer } from "../../../compiler/governance/review/prove/symbolic/solver.ts";
import { Unknowns } from "../../../compiler/governance/review/prove/symbolic/unknowns.ts";
import { opened } from "./opened.ts";
import { native } from "./solvers.ts";
import { claimed, DRAFTS, EXTENDED, SMALL, verdictOf, z3 } from "./symbolic-claims.ts";

describe.skipIf(native === undefined)("a rule of the author's", () => {
  it.each([
    ["a kind", 'must contains "A" if is_array(input.args.x)', "refuted"],
    ["what cannot be", 'must contains "A" if {\n\tis_array(input.args.x)\n\tis_string(input.args.x)\n}', "proved"],
    [
      "prefix and suffix",
      'must contains "A" if {\n\tstartswith(input.args.x, "ab")\n\tendswith(input.args.x, "ba")\n}',
      "refuted",
    ],
    [
      "prefixes that exclude each other",
      'must contains "A" if {\n\tstartswith(input.args.x, "ab")\n\tstartswith(input.args.x, "b")\n}',
      "proved",
    ],
    [
      "an order that cannot be",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tis_number(input.args.y)\n\tinput.args.x < input.args.y\n\tinput.args.y < input.args.x\n}',
      "proved",
    ],
    [
      "numbers between",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tinput.args.x < 3\n\tinput.args.x > 2\n}',
      "refuted",
    ],
    [
      "every element",
      'must contains "A" if {\n\tis_array(input.args.x)\n\tcount(input.args.x) > 1\n\tevery y in input.args.x {\n\t\ty == "z"\n\t}\n}',
      "refuted",
    ],
    [
      "an element that cannot be",
      'must contains "A" if {\n\tsome y in input.args.x\n\ty == "z"\n\tnot "z" in input.args.x\n}',
      "proved",
    ],
    ["an absent member", 'must contains "A" if not input.args.x', "refuted"],
    [
      "a member that is there and is not",
      'must contains "A" if {\n\t_ := input.args.x\n\tnot input.args.x\n\tis_number(input.args.x)\n}',
      "proved",
    ],
    ["what a builtin says of known texts", 'must contains "A" if regex.match(`^dr`, input.tool)', "refuted"],
    [
      "what a builtin says of no known text",
      'must contains "A" if {\n\tinput.args.x in {"a", "b"}\n\tregex.match(`^c`, input.args.x)\n}',
      "proved",
    ],
    [
      "two members that are the same",
      'must contains "A" if {\n\tinput.args.x == input.args.y\n\tinput.args.x == "a"\n\tinput.args.y == "b"\n}',
      "proved",
    ],
    ["a denial that comes anyway", 'deny contains {"gate": "A", "reason": "a"} if input.tool == "draft"', "proved"],
    [
      "a set",
      'must contains "A" if {\n\tseen := {y | some y in ["a", "b"]; input.args[y]}\n\tcount(seen) == 2\n}',
      "refuted",
    ],
    [
      "no whole number between two",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tfloor(input.args.x) == input.args.x\n\tinput.args.x > 2\n\tinput.args.x < 3\n}',
      "proved",
    ],
    [
      "sums of whole numbers",
      'must contains "A" if {\n\tfloor(input.args.x) == input.args.x\n\tinput.args.x + 1 == 3\n\tinput.args.x != 2\n}',
      "proved",
    ],
    ["the first of a sum", 'must contains "A" if input.args.x + 1 == 3', "refuted"],
    [
      "sums of others, which are rounded",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tinput.args.x + 0.5 == 1\n\tinput.args.x != 0.5\n}',
      "unknown",
    ],
    [
      "a number below nothing, whose floor is nothing",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tinput.args.x < 0\n\tfloor(input.args.x) >= 0\n}',
      "refuted",
    ],
    [
      "a whole number that a sum rounds",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tfloor(input.args.x) == input.args.x\n\tinput.args.x + 1 < input.args.x\n}',
      "unknown",
    ],
    [
      "a distance that is rounded",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tinput.args.x > 0\n\tabs(input.args.x) != input.args.x\n}',
      "unknown",
    ],
    [
      "a sum that is far from what it is of",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tis_number(input.args.y)\n\tinput.args.x > 1000\n\tinput.args.y >= 0\n\tinput.args.x + input.args.y <= 900\n}',
      "proved",
    ],
    [
      "a number in the text of another that is equal",
      'must contains "A" if {\n\tinput.args.x == 1\n\tjson.marshal(input.args.x) == "1.0"\n}',
      "unknown",
    ],
    [
      "nothing below nothing",
      'must contains "A" if {\n\tinput.args.x == 0\n\tjson.marshal(input.args.x) == "-0"\n}',
      "unknown",
    ],
    [
      "what is made of a number however it is written",
      'must contains "A" if {\n\tinput.args.x == 1\n\tformat_int(input.args.x, 10) != "1"\n}',
      "proved",
    ],
    [
      "a distance from nothing",
      'must contains "A" if {\n\tis_number(input.args.x)\n\tabs(input.args.x) < 3\n\tinput.args.x < 0 - 3\n}',
      "proved",
    ],
    ["a key of an object", 'must contains "A" if "q" in object.keys(input.args)', "refuted"],
    [
      "a key of a list",
      'must contains "A" if {\n\tis_array(input.args)\n\t"q" in object.keys(input.args)\n}',
      "proved",
    ],
    [
      "the first key in no order that is known",
      'must contains "A" if [k | some k in (object.keys(input.args) | {"m"})][0] == "a"',
      "refuted",
    ],
    [
      "keys and others together",
      'must contains "A" if {\n\tsome k in (object.keys(input.args) | {"a"})\n\tk == "b"\n}',
      "refuted",
    ],
    ["objects that differ", 'must contains "A" if {"a": input.args.x, "b": 1} == {"a": 1, "b": 2}', "proved"],
    ["objects that may be alike", 'must contains "A" if {"a": input.args.x, "b": 1} == {"a": 1, "b": 1}', "refuted"],
    [
      "one object over another",
      'must contains "A" if object.union({"a": 1, "b": input.args.x}, {"a": 2}).a == 1',
      "proved",
    ],
  ])("%s", async (_, rule, verdict) => {
    const policy = await opened(EXTENDED(rule));
    expect((await claimed(policy, [DRAFTS])).map(verdictOf)).toEqual([verdict]);
  });

  it("that the fragment does not have is named, with its place, and gives anything", async () => {
    const policy = await opened(
      EXTENDED(`must contains "A" if json.unmarshal(input.args.x) == json.unmarshal(input.args.y).z`),
    );
    const [property] = await claimed(policy, [DRAFTS]);
    expect(property?.proof?.open).toEqual([expect.stringMatching(/json\.unmarshal.*ext\/tool\.rego:\d+/)]);
    expect(verdictOf(property as Property)).not.toBe("proved");
    // What holds whatever it gives is proved.
    expect((await claimed(policy, ["never: { decision: tool, role: EDITOR, lane: DESK }"])).map(verdictOf)).toEqual([
      "proved",
    ]);
  });

  it("over a list is proved up to a number of elements, which is said", async () => {
    const policy = await opened(EXTENDED('must contains "A" if {\n\tsome y in input.args.list\n\ty == "z"\n}'));
    const [property] = await claimed(policy, [DRAFTS]);
    expect(property?.proof).toMatchObject({ bound: 3, upTo: ["input.args.list"] });
    const [found] = property?.counterexamples ?? [];
    // An object has elements, too.
    expect(found?.request).toMatchObject({ role: "WRITER", lane: "DESK", tool: "draft" });
    expect(JSON.stringify(found?.request)).toMatch(/"list":(?:\["z"\]|\{"[^"]*":"z"\})/);
  });

  it("that reads data of the host's is held for any such data", async () => {
    const policy = await opened({
      ...EXTENDED('must contains "A" if data.flags[input.tool] == true'),
      "portcullis.yaml": "rego: { host_data: [flags] }\n",
    });
    const [property] = await claimed(policy, [DRAFTS]);
    // With the data of the review, which is empty, the module denies it.
    expect(verdictOf(property as Property)).toBe("unknown");
  });
});

it.skipIf(native === undefined)(
  "what a builtin gives for a known text may be anything where the host gives it",
  async () => {
    const unknowns = new Unknowns(3);
    const base = unknowns.member(unknowns.input, "x");
    const result = unknowns.named("r", { from: "result" }, { base, give: () => "unknown" });
    const isKnown = unknowns.formulas.atom({ says: "is", of: base.id, scalar: "a" });
    const { text } = smtQuery(unknowns, [isKnown, unknowns.isDefined(result)], "any");
    expect(readAnswer(await z3(text)).verdict).toBe("sat");
  },
);

describe.skipIf(native === undefined)("what is not encodable", () => {
  const rule = (member: string): string =>
    `must contains "A" if json.unmarshal(input.args.x).a == json.unmarshal(input.args.y).${member}`;
  const verdicts = async (before: Record<string, string>, after: Record<string, string>): Promise<string[]> => {
    const result = await proveNoMore(await opened(before), await opened(after), z3);
    if (!result.ok) throw new Error(result.problem.message);
    return result.value.map(verdictOf);
  };

  it("gives the same in two policies where it is the same, and reads the same data", async () => {
    const before = EXTENDED(rule("z"));
    const registry = SMALL["tool_registry.yaml"].replace("draft, enabled: true", "draft, enabled: false");
    expect(await verdicts(before, { ...before, "tool_registry.yaml": registry })).not.toContain("unknown");
    expect(await verdicts(before, { ...before, "tool_registry.yaml": registry })).not.toContain("refuted");
  });

  it("may give anything where it is another", async () => {
    expect(await verdicts(EXTENDED(rule("z")), EXTENDED(rule("y")))).toContain("unknown");
  });
});

it("a solver that says nothing proves nothing", async () => {
  const rule = 'must contains "A" if {\n\tstartswith(input.args.x, "ab")\n\tstartswith(input.args.x, "b")\n}';
  const policy = await opened(EXTENDED(rule));
  for (const answer of ["", "unknown\n", "timeout\n", '(error "line 1")\nunsat\n', "sat\n((k0 6))\n", "sat\n"]) {
    const [property] = await claimed(policy, [DRAFTS], async () => answer);
    expect([answer, verdictOf(property as Property)]).toEqual([answer, "unknown"]);
  }
});
