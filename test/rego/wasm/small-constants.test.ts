/**
 * Look-ups in small constants, whose keys are compared one by one, and in the smallest that has an index. Texts come from the
 * request, or are made while the rule runs, and are asked more than once: the answers are those of a plain reading.
 */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const KEYS = ["", "a", "b", "ab", "ba", "äö", "eight888", "longer than eight", "nine"];
const OTHERS = ["c", "bb", "aä", "eight889", "longer than eighty", "longer than eighT", "none of them", "\u0000"];
/** A small one, one with as many as have no index, and one that has an index. */
const COUNTS = [1, 3, 8, 9];

const tables = COUNTS.map((count) => {
  const keys = KEYS.slice(0, count);
  const object = keys.map((key, i) => `${JSON.stringify(key)}: ${i + 1}`).join(", ");
  return `object_${count} := {${object}}
set_${count} := {${keys.map((key) => JSON.stringify(key)).join(", ")}}`;
});

const answers = (text: string): string =>
  `{${COUNTS.map((n) => `"${n}": [object.get(object_${n}, ${text}, 0), ${text} in set_${n}, [y | y := object_${n}[${text}]]]`).join(", ")}}`;

const RULES = `package p

${tables.join("\n")}
mixed := {1: "number", true: "boolean", null: "null", "1": "text", "": "empty"}

asked := ${answers("input.text")}
made := ${answers("text")} if text := substring(input.long, 1, -1)
parts := [x | some part in split(input.list, ","); x := ${answers("part")}]
again := [input.text in set_3, input.text == "ab", input.text in set_8, input.text, input.text in set_9, input.text == input.other]
kind := [y | y := mixed[input.text]]`;

let policy: Policy;
beforeAll(async () => {
  const entrypoints = ["asked", "made", "parts", "again", "kind"].map((name) => `p/${name}`);
  const { compiled } = await compileModules({ modules: [new SourceFile("p.rego", RULES)], entrypoints });
  policy = await load(compiled?.wasm as Uint8Array<ArrayBuffer>);
});

function plain(text: unknown): unknown {
  return Object.fromEntries(
    COUNTS.map((count) => {
      const at = KEYS.slice(0, count).indexOf(text as string) + 1;
      return [String(count), [at, at > 0, at > 0 ? [at] : []]];
    }),
  );
}

function answer(rule: string, input: unknown): unknown {
  const result = policy.evaluate(`p/${rule}`, input);
  expect(policy.lastFault).toBeUndefined();
  return result;
}

describe("look-ups in small constants", () => {
  it.each([...KEYS, ...OTHERS])("find a text of the request or none: %j", (text) => {
    expect(answer("asked", { text })).toEqual(plain(text));
  });

  it.each([...KEYS, ...OTHERS])("find a text that a rule makes or none: %j", (text) => {
    expect(answer("made", { long: `-${text}` })).toEqual(plain(text));
  });

  it("find many texts of one request", () => {
    const texts = [...KEYS, ...OTHERS, ...KEYS];
    expect(answer("parts", { list: texts.join(",") })).toEqual(texts.map(plain));
  });

  it("leave a text as it was for what is asked of it later", () => {
    for (const text of [...KEYS, ...OTHERS])
      for (const other of ["ab", "c", text])
        expect(answer("again", { text, other })).toEqual([
          KEYS.slice(0, 3).includes(text),
          text === "ab",
          KEYS.slice(0, 8).includes(text),
          text,
          KEYS.includes(text),
          text === other,
        ]);
  });

  it("find no text for a value that is not a string, and nothing else for a text", () => {
    expect([1, true, null, "1", "", 0, "true", "null"].map((text) => answer("kind", { text }))).toEqual([
      ["number"],
      ["boolean"],
      ["null"],
      ["text"],
      ["empty"],
      [],
      [],
      [],
    ]);
    for (const text of [1, false, null, { a: 1 }]) expect(answer("asked", { text })).toEqual(plain(text));
  });
});
