import { fromJson, type HostBuiltin, type JsonLike, toText } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { yaml } from "../../../runtime/builtins/yaml/index.ts";
import { campaign } from "../../campaign.ts";
import { cpuMs } from "../../cpu-time.ts";
import { builtinsOf, orGivesUp, recordedCalls, replay, title } from "./recorded.ts";

const builtins = builtinsOf(yaml);
const unmarshal = builtins["yaml.unmarshal"] as HostBuiltin;
const marshal = builtins["yaml.marshal"] as HostBuiltin;
const valid = builtins["yaml.is_valid"] as HostBuiltin;

describe("yaml", () => {
  it.each(recordedCalls("yaml").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(builtins, call);
    expect(got).toBe(want);
  });

  it.each(["{}x", '"a" b', " - a\n- b", "  a: 1\n b: 2", "[a]\nb"])(
    "refuses a document that goes on after its end, which OPA overlooks: %j",
    (text) => {
      expect(unmarshal([text])).toBeUndefined();
      expect(valid([text])).toBe(false);
    },
  );

  it("reads back what it writes", () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab1 -:#\n\t\"'[]{}!&*|>%@`?,.~é\u00e9_<=") });
    const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false }).map((v) => JSON.stringify(v));
    const texts = fc.oneof(text, fc.array(text), fc.dictionary(text, text)).map((v) => JSON.stringify(v));
    fc.assert(
      fc.property(fc.oneof(value, texts), (json) => {
        const original = fromJson(json) as JsonLike;
        const written = marshal([original]);
        // Numbers are read as doubles on the way, and some controls cannot be written at all.
        fc.pre(written !== undefined && !/[-\d.]e[-+]?\d|\d{15}/.test(json));
        // Nor does OPA read back a block that begins with a tab, and a key `<<`.
        fc.pre(!json.includes('"<<":') && !/"(?:\\n)*\\t(?:[^"\\]|\\.)*\\n/.test(json));
        const read = unmarshal([written as string]);
        expect(read === undefined ? undefined : toText(read)).toBe(
          toText(original).replaceAll(/(?<![\w."])-0(?![\d.])/g, "0"),
        );
      }),
      campaign(1500),
    );
  });

  it("refuses aliases that would make a small text large", () => {
    let text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (let i = 1; i < 12; i++)
      text += `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(", ")}]\n`;
    const started = cpuMs();
    expect(unmarshal([text])).toBeUndefined();
    expect(cpuMs() - started).toBeLessThan(3000);
  });

  it.each([
    ["[".repeat(5000)],
    ["- ".repeat(5000)],
    ["{a: ".repeat(5000)],
    [`"${"\\n".repeat(200_000)}"`],
    ["a: ".repeat(5000)],
    [`${"x\n".repeat(50_000)}`],
    [`? ${"? ".repeat(5000)}`],
  ])("ends on %#", (text) => {
    const started = cpuMs();
    orGivesUp(() => unmarshal([text]));
    expect(cpuMs() - started).toBeLessThan(3000);
  });

  it.each(["- ".repeat(600), `a: ${"[".repeat(600)}${"]".repeat(600)}`, "!!timestamp 2001-1-1"])(
    "gives up beyond its limits: %#",
    (text) => {
      expect(() => unmarshal([text])).toThrow(/too deep|not supported/);
      expect(() => valid([text])).toThrow(/too deep|not supported/);
    },
  );

  it("never throws, whatever it is given", () => {
    const unit = fc.constantFrom(
      ..."ab:-?,[]{}&*!|>'\"%@#\n\r\t ~<1",
      "\u0085",
      "\u2028",
      "---\n",
      "...\n",
      "<<: ",
      "!!int ",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const read = unmarshal([text]);
        expect(valid([text])).toBe(read !== undefined);
      }),
      campaign(3000),
    );
  });
});
