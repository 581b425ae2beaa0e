import { fromJson, type HostBuiltin, type JsonLike } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { template } from "../../../runtime/builtins/template/index.ts";
import { campaign } from "../../campaign.ts";
import { cpuMs } from "../../cpu-time.ts";
import { builtinsOf, orGivesUp, recordedCalls, replay, title } from "./recorded.ts";

const builtins = builtinsOf(template);
const render = builtins["strings.render_template"] as HostBuiltin;
const empty = fromJson("{}") as JsonLike;

describe("strings.render_template", () => {
  it.each(recordedCalls("template").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(builtins, call);
    expect(got).toBe(want);
  });

  it.each(['{{printf "%v" 1}}', '{{html "a"}}', '{{define "x"}}a{{end}}', "{{0x10}}", "{{'a'}}"])(
    "ends the evaluation at what is left out of the language: %s",
    (text) => {
      expect(() => render([text, empty])).toThrow(/not supported/);
    },
  );

  it.each([
    "{{range 1000}}{{range 1000}}{{range 1000}}x{{end}}{{end}}{{end}}",
    "{{if true}}".repeat(5000),
    `{{${"(".repeat(5000)}}}`,
    "{{".repeat(20_000),
  ])("ends on %#", (text) => {
    const started = cpuMs();
    orGivesUp(() => expect(render([text, empty])).toBeUndefined());
    expect(cpuMs() - started).toBeLessThan(5000);
  });

  it("has no value for variables that OPA writes as JSON cannot be read", () => {
    for (const text of ["\u{10ffff}", "\u{f0000}", "\u0007"])
      expect(render(["a", fromJson(JSON.stringify({ a: text })) as JsonLike])).toBeUndefined();
    expect(render(["{{.a}}", fromJson(JSON.stringify({ a: "\u{1f600}\u0080" })) as JsonLike])).toBe("\u{1f600}\u0080");
  });

  it("never throws, whatever it is given", () => {
    const unit = fc.constantFrom(
      "{{",
      "}}",
      ".a",
      ".",
      " ",
      "$x",
      ":=",
      "|",
      "(",
      ")",
      "if ",
      "range ",
      "end",
      "else",
      "eq ",
      "1",
      '"s"',
      "- ",
      " -",
      "/*",
      "*/",
      "t",
    );
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 30 }),
        fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue()),
        (text, values) => {
          render([text, fromJson(JSON.stringify(values)) as JsonLike]);
        },
      ),
      campaign(3000),
    );
  });
});
