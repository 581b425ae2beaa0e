/**
 * Erroneous modules get OPA's findings: code, file, line, column and wording. `errors/opa.json` holds what OPA said;
 * where an `opa` is installed, that it still says so.
 */

import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { sampled } from "../../campaign.ts";
import { askOpa, opa } from "./ask-opa.ts";
import { nameOf, readCases, recorded } from "./corpus.ts";
import { parse, where } from "./helpers.ts";

const cases = readCases();
const answers = recorded();

/** Cases in which we answer otherwise on purpose. */
const exceptions: Readonly<Record<string, string>> = {
  "recursion/through a dynamic reference":
    "OPA knows by now that the key is another one, and reports those that it does not know; we take any key to be possible",
  "with/builtins replaced in an every": "OPA names no place; we point at the builtins",
  "unsafe/a relation in a template": "OPA names no place; we point at the call",
  "shadowing/argument called input": "we point at the argument, OPA at its rule",
  "shadowing/argument called data": "we point at the argument, OPA at its rule",
  "shadowing/argument in an array pattern": "we point at the argument, OPA at its rule",
  "shadowing/argument in an object pattern": "we point at the argument, OPA at its rule",
};

/** Messages in which OPA has places or generated names, which we keep apart or leave out. */
const reworded =
  /^(multiple default rules|package .* conflicts with rule|\w+ annotation redeclared|rule .* conflicts with:|.*__local\d+__|.* used as value)/;

/** A wildcard is said to be unsafe only where nothing else is. */
const place = (line: string): string => line.split(" ").slice(0, 2).join(" ");
const message = (line: string): string => line.split(" ").slice(2).join(" ");

describe.each([...new Set(cases.map((c) => c.kind))])("%s", (kind) => {
  it.each(cases.filter((c) => c.kind === kind).map((c) => [c.title, c] as const))("%s", (_, c) => {
    const modules = c.modules.map(({ name, text }) => parse(text, name));
    const { diagnostics } = analyze(modules, { strict: c.strict });
    const ours = diagnostics
      .filter(({ severity }) => severity === "error")
      .map(where)
      .sort();
    const theirs = answers[nameOf(c)] ?? ["not recorded"];
    const same = JSON.stringify([...new Set(ours.map(place))]) === JSON.stringify([...new Set(theirs.map(place))]);
    if (nameOf(c) in exceptions) {
      expect(same, "is no exception any more").toBe(false);
      return;
    }
    expect([...new Set(ours.map(place))], `ours:\n${ours.join("\n")}\ntheirs:\n${theirs.join("\n")}`).toEqual([
      ...new Set(theirs.map(place)),
    ]);
    for (const t of theirs) {
      if (reworded.test(message(t))) continue;
      expect(
        ours.some((o) => place(o) === place(t) && message(o).startsWith(message(t))),
        `${t}\nours:\n${ours.join("\n")}`,
      ).toBe(true);
    }
    for (const o of ours) expect(o).not.toMatch(/#\d|__local/);
  });
});

it("refuses a relation in a template at its call", () => {
  const { diagnostics } = analyze([parse('package t\np := $"{walk(input)}"\n', "a.rego")]);
  expect(diagnostics.map(where)).toEqual([
    "rego_compile_error a.rego:2:9 illegal call to relation built-in 'walk' that may cause multiple outputs",
  ]);
});

describe.skipIf(opa === undefined)("a real opa", () => {
  it("still says what was recorded", () => {
    for (const c of sampled(cases)) expect(askOpa(c), nameOf(c)).toEqual(answers[nameOf(c)]);
  });
});
