/** Texts of members, elements of lists and keys of objects that repeat one another, with and without their bytes. */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { SYMBOLIC_SIZE } from "../../../runtime/abi/layout.ts";
import { MemoryWriter } from "../../../runtime/encode/memory-writer.ts";
import { SymbolicStrings } from "../../../runtime/encode/symbolic-strings.ts";
import { campaign } from "../../campaign.ts";

/** Paths are read, and looked for among the keys; notes are compared; marks are read. */
const REGO = `package t

p := {
	"barred": barred,
	"found": found,
	"noted": noted,
	"marked": marked,
	"main": main,
	"flagged": flagged,
	"scoped": scoped,
	"owner": owner,
}

flagged contains flag if {
	some flag in input.flags
	flag in {"dry run", "force", "é"}
}

scoped[key] := value if {
	some key, value in input.scope
	value != "dry run"
	value in {"root", "x", input.owner}
}

default owner := 0

owner := {"root": 1, "other": 2, "é": 3}[input.owner]

barred contains i if {
	some i, file in input.files
	contains(file.path, "|")
}

found[i] := input.evidence[file.path].size if some i, file in input.files

noted contains note if {
	some note in input.notes
	some file in input.files
	note == file.path
}

marked contains i if {
	some i, mark in input.marks
	startswith(mark, "m")
}

default main := false

main if input.files[0].path == input.main
`;

let policy: Policy;
beforeAll(async () => {
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], entrypoints: ["t/p"] });
  policy = await load(compiled?.wasm as Uint8Array);
});

const utf8 = new TextEncoder();
function answer(input: unknown): unknown {
  const result = policy.evaluate("t/p", input);
  expect(policy.lastFault).toBeUndefined();
  expect(result).toEqual(policy.evaluateJson("t/p", utf8.encode(JSON.stringify(input))));
  return result;
}

/** A copy, as texts of one request that are equal are not the same string of JavaScript. */
const request = (paths: readonly string[], more: object = {}): unknown =>
  JSON.parse(
    JSON.stringify({
      files: paths.map((path) => ({ path })),
      notes: paths,
      marks: paths,
      evidence: Object.fromEntries(paths.map((path, i) => [path, { size: i }])),
      main: paths[0],
      ...more,
    }),
  );

describe("keys that are texts of members", () => {
  it.each([0, 1, 3, 8, 9, 20, 63, 64, 65, 200])("%d of them are found, again and again", (count) => {
    for (let round = 0; round < 4; round++) {
      const paths = Array.from({ length: count }, (_, i) => `work/${round}/part-${i}.md`);
      const found = Object.fromEntries(paths.map((_, i) => [i, i]));
      expect(answer(request(paths))).toMatchObject({ found, noted: [...paths].sort(), main: count > 0 });
      const others = paths.map((path) => `${path}x`);
      expect(answer(request(paths, { notes: others, main: "x" }))).toMatchObject({ found, noted: [], main: false });
    }
  });

  it("come before or behind the members", () => {
    const { evidence, ...rest } = request(["a|", "b"]) as { evidence: unknown };
    for (let round = 0; round < 3; round++) {
      expect(answer({ evidence, ...rest })).toMatchObject({ barred: [0], found: { 0: 0, 1: 1 } });
      expect(answer({ ...rest, evidence })).toMatchObject({ barred: [0], found: { 0: 0, 1: 1 } });
    }
  });
});

it("the policy's own texts are found after any number of others, where they stand alone and where others repeat them", () => {
  // No longer than texts of the policy: longer ones are not looked up anyway.
  const others = (round: number, i: number): string => `o${round}.${i}`;
  for (let round = 0; round < 300; round++) {
    const own = round % 50 === 49 || round === 9;
    const [flag, value, owner] = own ? ["force", "root", "other"] : [0, 1, 2].map((i) => others(round, i));
    const input = { flags: [flag, others(round, 3)], scope: { a: value, b: owner, c: "dry run" }, owner };
    expect(answer(JSON.parse(JSON.stringify(input)))).toMatchObject({
      flagged: own ? ["force"] : [],
      scoped: own ? { a: "root", b: "other" } : { b: owner },
      owner: own ? 2 : 0,
    });
  }
});

it("texts that UTF-8 has no bytes for are what stands for them, once bytes are written at once", () => {
  for (let round = 0; round < 3; round++) {
    answer(request(["a|", "m|b"]));
    for (const lone of ["\ud800", "x\udfff"])
      for (const note of ["\ud801", "\ufffd", "x\ufffd", "x", "é"]) {
        const input = { files: [{ path: lone }, { path: "é|" }], notes: [note], marks: [lone], main: note };
        answer(input);
      }
  }
});

it("texts that are as long and end alike are as many as they are", () => {
  for (const count of [7, 8, 9, 10, 30]) {
    const paths = Array.from({ length: count }, (_, i) => `${String(i).padStart(4, "0")}-the-same-end`);
    expect(answer(request(paths))).toMatchObject({ noted: paths });
    expect(answer(request([...paths, ...paths]))).toMatchObject({ noted: paths });
  }
});

it("any requests", () => {
  const text = fc.oneof(
    fc.constantFrom<unknown>("a", "b|", "mé", "", "\u{1f600}", "k".repeat(65), "m".repeat(257), 1, null, ["a"]),
    fc.nat(80).map((n) => `text-${n}`),
  );
  const list = fc.oneof(fc.array(text, { maxLength: 80 }), fc.array(text, { maxLength: 4 }), text);
  const key = fc.oneof(
    fc.constantFrom("a", "b|", "mé", "size"),
    fc.nat(80).map((n) => `text-${n}`),
  );
  const own = fc.oneof(fc.constantFrom<unknown>("dry run", "force", "é", "root", "x", "other"), text);
  const any = fc.record(
    {
      files: fc.array(fc.record({ path: text }, { requiredKeys: [] }), { maxLength: 20 }),
      notes: list,
      marks: list,
      evidence: fc.oneof(fc.dictionary(key, fc.oneof(fc.record({ size: text }), text), { maxKeys: 20 }), list),
      main: text,
      flags: fc.oneof(fc.array(own, { maxLength: 12 }), own),
      scope: fc.oneof(fc.dictionary(key, own, { maxKeys: 12 }), fc.array(own, { maxLength: 4 })),
      owner: own,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(any, (input) => {
      answer(input);
    }),
    campaign(2000),
  );
});

describe("the table of texts", () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const writer = new MemoryWriter(memory, 1 << 20);
  const symbols = new SymbolicStrings(writer, 1024);
  const addresses = (texts: readonly string[]): number[] => {
    writer.begin(8192);
    symbols.restart();
    return texts.map((text) => symbols.addressOf(text, true, { inBytes: 0 }));
  };

  it("has one address a text, in their order, whatever numbers were given before", () => {
    for (const numbers of [1, 1000, 2 ** 30 - 1, 2 ** 30, 2 ** 30 + 64]) {
      Object.assign(symbols, { firstNumber: numbers });
      for (let request = 0; request < 3; request++)
        expect(addresses(["a", "b", "a", "", "c".repeat(257), "b"])).toEqual(
          [0, 1, 0, undefined, undefined, 1].map((place) => (place === undefined ? 0 : 1024 + place * SYMBOLIC_SIZE)),
        );
    }
  });

  it("refuses a text that it would have to compare with many others, and knows those that it has", () => {
    const alike = Array.from({ length: 30 }, (_, i) => `${String(i).padStart(4, "0")}-the-same-end`);
    const given = addresses([...alike, ...alike]);
    expect(new Set(given.filter((address) => address !== 0)).size).toBe(8);
    expect(given.slice(8).every((address, i) => address === 0 || address === given[(i + 8) % 30])).toBe(true);
  });
});
