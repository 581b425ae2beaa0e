/** Hashes of files as signatures hold them. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileHash } from "../../../compiler/rego/signing/file-hash.ts";
import { campaign } from "../../campaign.ts";

/** A reader of one text. */
const readYaml = (text: string): string | undefined => (text === "b: 1\na: []\n" ? '{"a":[],"b":1}' : undefined);

describe("hashes", () => {
  it("are of the bytes, but of documents for data and manifest", () => {
    const hash = (path: string, text: string) => fileHash(path, Buffer.from(text), readYaml);
    expect(hash("a/data.json", '{"b":1,"a":[ ]}')).toBe(hash("data.json", '{"a":[],"b":1}'));
    expect(hash("other.json", '{"a":[ ]}')).not.toBe(hash("other.json", '{"a":[]}'));
    expect(hash("data.json", "{")).toBeUndefined();
    expect(hash("data.yaml", "b: 1\na: []\n")).toBe(hash("data.json", '{"a":[],"b":1}'));
    expect(hash("data.json", '{"a":1,"a":2}')).toBeUndefined();
  });

  it("are the same of a text in its canonical form and of one with white space", () => {
    const hash = (text: string) => fileHash("data.json", Buffer.from(text));
    for (const text of [
      ...['{"a":1,"a":2}', '{"b":1,"a":2}', '{"9":1,"10":2}', '{"10":1,"9":2}', '{"__proto__":{"b":1,"a":2}}'],
      ...['"\\ud800"', '"\\u00e4"', '"\\u001f"', '"\u2028"', '"\\/"', "1.0", "-0", "1e400", "0.1", "1E2", "1e+21"],
      ...['"\ud83d\ude00"', '{"\uffff":1,"\ud83d\ude00":2}', '{"\ud83d\ude00":1,"\uffff":2}', "", "nul", "[1,]"],
      ...[`${"[".repeat(499)}${"]".repeat(499)}`, `${"[".repeat(500)}${"]".repeat(500)}`],
    ])
      expect([text, hash(`[${text}]\n`)]).toEqual([text, hash(`[ ${text}]`)]);
    expect(hash('{"9":1,"10":2}')).toBe(hash('{"10":2,"9":1}'));
    expect(hash('{"\ud83d\ude00":2,"\uffff":1}')).toBe(hash('{"\uffff":1,"\ud83d\ude00":2}'));
    const key = fc.constantFrom('"a"', '"b"', '"9"', '"10"', '"\\u0061"', '"__proto__"');
    const { text } = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("0", "-0", "1.5", "1.50", "1e3", "null", "true", '"x"', '"\\n"', '"\\u000a"'),
        fc.array(tie("text"), { maxLength: 3 }).map((items) => `[${items.join()}]`),
        fc
          .array(fc.tuple(key, tie("text")), { maxLength: 3 })
          .map((all) => `{${all.map((one) => one.join(":")).join()}}`),
      ),
    }));
    fc.assert(
      fc.property(text, (one) => {
        expect(hash(`[${one}]`)).toBe(hash(`[ ${one}]`));
      }),
      campaign(2000),
    );
  });

  it("are not to be had of YAML without a reader of it", () => {
    expect(fileHash("data.yaml", Buffer.from("b: 1\n"))).toBeUndefined();
  });
});
