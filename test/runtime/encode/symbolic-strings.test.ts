/** Symbolic strings are told apart exactly where the texts are, as the same request shows that comes as JSON text. */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { PolicySection } from "../../../runtime/abi/section.ts";
import { DEFAULT_LIMITS, Instance } from "../../../runtime/evaluate/instance.ts";
import { policySectionOf } from "../../../runtime/load/verify.ts";
import { campaign } from "../../campaign.ts";

const REGO = `package t

p := {
	"same": same,
	"different": different,
	"twice": twice,
	"owned": owned,
	"text": text,
	"named": named,
}

default same := false

same if input.a == input.b

default different := false

different if input.a != input.b

default twice := false

twice if {
	some i, x in input.list
	some j, y in input.list
	i < j
	x.id == y.id
}

default owned := false

owned if {
	some x in input.list
	x.id == input.owner.id
}

default text := false

text if is_string(input.a)

# Compared with a text, so it is not one of them.
default named := false

named if input.name == "known to the policy"
`;

let policy: Policy;
beforeAll(async () => {
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], entrypoints: ["t/p"] });
  policy = await load(compiled?.wasm as Uint8Array);
});

const utf8 = new TextEncoder();
/** The answer, which is the same for the same request as JSON text. */
function answer(input: unknown): Record<string, unknown> {
  const result = policy.evaluate("t/p", input) as Record<string, unknown>;
  expect(policy.lastFault).toBeUndefined();
  expect(result).toEqual(policy.evaluateJson("t/p", utf8.encode(JSON.stringify(input))));
  return result;
}

const texts = ["x", "y", "", "known to the policy", "same", "é", "e\u0301", "\u{1f600}", "z".repeat(200), "x\0", "10"];

describe("texts", () => {
  it("are the same when they are the same", () => {
    for (const a of texts)
      for (const b of texts)
        expect(answer({ a: `${a}`.slice(), b: [...b].join("") })).toMatchObject({
          same: a === b,
          different: a !== b,
          text: true,
        });
  });

  it.each([
    ["one that UTF-8 has no bytes for and another one", "a\ud800", "a\ud801", true],
    ["one that UTF-8 has no bytes for and what stands for it", "a\ud800", "a\ufffd", true],
    ["two such texts that differ elsewhere", "a\ud800", "b\ud800", false],
  ])("%s", (_, a, b, same) => {
    expect(answer({ a, b })).toMatchObject({ same });
    expect(answer({ list: [{ id: a }, { id: b }] })).toMatchObject({ twice: same });
    expect(answer({ list: [{ id: "x" }, { id: a }], owner: { id: b } })).toMatchObject({ owned: same });
  });

  it.each([1, 2, 8, 15, 16, 17, 18, 40])("%d different ones, and one more that was there", (count) => {
    const list = Array.from({ length: count }, (_, i) => ({ id: `id ${i}` }));
    expect(answer({ list })).toMatchObject({ twice: false, owned: false });
    expect(answer({ list, owner: { id: `id ${count - 1}` } })).toMatchObject({ twice: false, owned: true });
    expect(answer({ list: [...list, { id: "id 0" }] })).toMatchObject({ twice: true });
    expect(answer({ list: [{ id: `id ${count - 1}` }, ...list] })).toMatchObject({ twice: true });
  });

  it("below an object where an array was expected are texts on both sides", () => {
    const list = { one: { id: "x" }, two: { id: "y" } };
    expect(answer({ list, owner: { id: "x" } })).toMatchObject({ owned: true, twice: false });
    expect(answer({ owner: { id: "x" }, list })).toMatchObject({ owned: true });
    expect(answer({ list, owner: { id: "z" } })).toMatchObject({ owned: false });
    expect(answer({ list: { ...list, three: { id: "y" } }, a: "q", b: "q" })).toMatchObject({
      twice: true,
      same: true,
    });
  });

  it("within lists and objects are texts", () => {
    expect(answer({ a: ["x"], b: ["x"] })).toMatchObject({ same: true });
    expect(answer({ a: ["x"], b: "x" })).toMatchObject({ same: false, different: true });
    expect(answer({ a: { k: "x" }, b: { k: "y" } })).toMatchObject({ same: false });
  });

  it("may be handles, of this policy or of none", () => {
    for (const text of texts) {
      const handle = policy.intern(text);
      expect(answer({ a: handle, b: text })).toMatchObject({ same: true, text: true });
      expect(answer({ a: text, b: handle })).toMatchObject({ same: true });
      expect(answer({ a: handle, b: `${text}!` })).toMatchObject({ same: false });
      const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`other${i}`, i]));
      expect(answer({ ...many, a: handle, b: text })).toMatchObject({ same: true });
    }
  });

  it("of one request are forgotten by the next", () => {
    expect(answer({ a: "x", b: "y" })).toMatchObject({ same: false });
    expect(answer({ a: "y", b: "y" })).toMatchObject({ same: true });
    expect(answer({ a: "y" })).toMatchObject({ same: false, different: false });
    expect(answer({ b: "x" })).toMatchObject({ same: false, different: false });
  });
});

describe("a value that is a part of the request or something else", () => {
  it.each([
    ["a text of the policy", 'actor := input.actor if input.delegated == true else := "root"'],
    ["the same, first", 'actor := "root" if input.delegated == false else := input.actor'],
    ["what a builtin makes", 'actor := input.actor if input.delegated == true else := concat("o", ["r", "ot"])'],
    ["what a table has", 'actor := input.actor if input.delegated == true else := {"k": "root"}[input.k]'],
    ["the host's data", "actor := input.actor if input.delegated == true else := data.host.root"],
    ["what a function is passed", 'actor := f(input.actor)\n\nf(x) := x if input.delegated == true else := "root"'],
  ])("%s is compared as what it is", async (_, rule) => {
    const rules = `package t\n\n${rule}\n\ndefault p := false\n\np if actor != input.owner\n`;
    const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", rules)], entrypoints: ["t/p"] });
    const mixed = await load(compiled?.wasm as Uint8Array, { data: { host: { root: "root" } } });
    for (const delegated of [false, true])
      for (const actor of ["x", "root"])
        for (const owner of ["x", "root", "y"])
          expect(mixed.evaluate("t/p", { actor, owner, delegated, k: "k" }), `${delegated} ${actor} ${owner}`).toBe(
            (delegated ? actor : "root") !== owner,
          );
  });
});

describe("a look-up by a computed key, which may find a part of the request, is compared as what it finds", () => {
  it.each([
    [
      "a member of it",
      "p if { v := data.s[input.t]; v.id != input.owner }",
      'q := input.x\n\nr := {"id": "root"}',
      [
        { t: "r", owner: "root" },
        { t: "r", owner: "x" },
        { t: "q", owner: "x", x: { id: "x" } },
        { t: "q", owner: "x" },
      ],
    ],
    [
      "a member of it, in a negation",
      "p if { v := data.s[input.t]; not v.id == input.owner }",
      'q := input.x\n\nr := {"id": "root"}',
      [
        { t: "r", owner: "root" },
        { t: "q", owner: "x", x: { id: "x" } },
        { t: "q", owner: "x", x: { id: "y" } },
      ],
    ],
    [
      "an element of it",
      "p if { v := data.s[input.t]; not listed(v) }\n\nlisted(v) if { some e in v; e.id == input.owner }",
      'q := input.x\n\nr := [{"id": "root"}]',
      [
        { t: "r", owner: "root" },
        { t: "r", owner: "x" },
        { t: "q", owner: "x", x: [{ id: "x" }] },
      ],
    ],
    ...[
      ["what is left of it", 'p if not trim_space(data.s[input.t]) == "root"'] as const,
      ["what is left of it, if anything", 'p if trim(data.s[input.t], " ") != ""'] as const,
    ].map(([what, rules]): [string, string, string, object[]] => [
      what,
      rules,
      'q := input.x\n\ndefault r := "none"\n\nr := input.z if input.f',
      ["root", "root ", " ", "x"].flatMap((z) => [
        { t: "r", z, f: true },
        { t: "q", x: z },
      ]),
    ]),
  ])("%s", async (_, rules, tables, requests) => {
    const modules = [
      new SourceFile("t.rego", `package t\n\ndefault p := false\n\n${rules}\n`),
      new SourceFile("s.rego", `package s\n\n${tables}\n`),
    ];
    const { compiled } = await compileModules({ modules, entrypoints: ["t/p"] });
    const mixed = await load(compiled?.wasm as Uint8Array);
    for (const request of requests) {
      const wanted = mixed.evaluateJson("t/p", JSON.stringify(request));
      expect(mixed.evaluate("t/p", request), JSON.stringify(request)).toBe(wanted);
      expect(mixed.lastFault).toBeUndefined();
    }
  });
});

describe("whatever asks for the bytes of a string gets them, looked up or not", () => {
  const TERMS = {
    equal: 'p if input.x == "root"',
    different: 'p if input.x != "root"',
    "different from another part": "p if input.x != input.y",
    member: 'p if input.x in {"root", "b"}',
    key: 'p := {"root": 1, "b": 2}[input.x]',
    "key of what was made": "p := {input.x: 1}",
    element: "p := {input.x}",
    count: "p := count(input.x)",
    lower: "p := lower(input.x)",
    trim: 'p := trim(input.x, "ro")',
    trim_prefix: 'p := trim_prefix(input.x, "r")',
    substring: "p := substring(input.x, 0, 1)",
    contains: 'p := contains(input.x, "o")',
    startswith: 'p := startswith(input.x, "ro")',
    concat: 'p := concat("-", [input.x, "a"])',
    order: 'p if input.x < "z"',
    sort: 'p := sort([input.x, "z"])',
    sprintf: 'p := sprintf("%s", [input.x])',
    regex: 'p := regex.match("^r", input.x)',
    split: 'p := split(input.x, "o")',
    indexof: 'p := indexof(input.x, "z")',
    json: "p := json.marshal(input.x)",
    replace: 'p := replace(input.x, "o", "0")',
    host: "p if input.x == data.host.x",
    "key of an object": 'p if {"a": 1, "other": 2, input.x: 3}[input.x] == 3',
    "key of the request": "p := input.z[input.x]",
    "order of a set": 'p := {input.y, input.x, 1, "root"}',
    union: 'p := {input.x} | {"root", input.y}',
    "array of it": 'p if [input.x] == ["root"]',
    "object with it": 'p if {"a": input.x} == {"a": "root"}',
    "hashed, then compared": 'p if { count({input.x, input.y}) == 2; input.x == "root" }',
    walk: "p := [x | walk(input.x, [_, x])]",
    "type name": "p := type_name(input.x)",
  } as const;
  type Writable = { decide: ({ footprint: Record<string, unknown> } | null)[] };
  const names = Object.keys(TERMS) as (keyof typeof TERMS)[];
  const instances: Instance[] = [];
  beforeAll(async () => {
    const modules = names.map((name, i) => new SourceFile(`m${i}.rego`, `package m${i}\n\n${TERMS[name]}\n`));
    const { compiled } = await compileModules({ modules, entrypoints: names.map((_, i) => `m${i}/p`) });
    const module = await WebAssembly.compile(compiled?.wasm as Uint8Array<ArrayBuffer>);
    for (const lookUp of [[], ["x"], ["y"], ["x", "y"]]) {
      const section = structuredClone(policySectionOf(module)) as PolicySection;
      for (const entry of (section as unknown as Writable).decide)
        if (entry !== null) Object.assign(entry.footprint, { lookUp });
      const instance = new Instance(module, section, new Map(), DEFAULT_LIMITS);
      instance.setData({ host: { x: "root" } });
      instances.push(instance);
    }
  });

  it.each(names)("%s", (name) => {
    const id = names.indexOf(name);
    for (const x of ["root", "other", "é", "a\ud800", "zzz", " ro "])
      for (const y of ["other", "root", "zzz"])
        for (const z of [
          { root: 1, zzz: 2 },
          Object.fromEntries("abcdefghijkl".split("").map((k) => [k + x.replace("\ud800", ""), k])),
        ]) {
          const input = { x, y, z };
          const [first] = instances;
          const wanted = first?.decideJson(id, utf8.encode(JSON.stringify(input)));
          for (const instance of instances) expect(instance.decide(id, input), JSON.stringify(input)).toEqual(wanted);
        }
  });
});

it("a text that stands where others have members that meet a text of the policy", async () => {
  const rules = `package t

default p := false

p if input.o.z != input.b

p if input.o.z.a == "root"

p if {
	some x in input.c
	some y in x
	y == "root"
}

p if input.c != input.o.c
`;
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", rules)], entrypoints: ["t/p"] });
  const mixed = await load(compiled?.wasm as Uint8Array);
  for (const text of ["x", "root", "é"]) {
    expect(mixed.evaluate("t/p", { o: { z: text }, b: text })).toBe(false);
    expect(mixed.evaluate("t/p", { o: { z: text }, b: `${text}!` })).toBe(true);
    expect(mixed.evaluate("t/p", { o: { c: text }, c: text })).toBe(false);
    expect(mixed.evaluate("t/p", { o: { c: text }, c: `${text}!` })).toBe(true);
  }
  expect(mixed.evaluate("t/p", { o: { z: { a: "root" } } })).toBe(true);
  expect(mixed.evaluate("t/p", { c: [["root"]], o: { c: [["root"]] } })).toBe(true);
});

it("long texts whose bytes are read are the same only where they are equal, from one request to the next", async () => {
  const rules = `package t

p := {"same": same, "barred": barred}

same contains "a and b" if input.a == input.b

same contains "a and c" if input.a == input.c

same contains "b and c" if input.b == input.c

barred contains "a" if contains(input.a, "|")

barred contains "b" if contains(input.b, "|")

barred contains "c" if contains(input.c, "|")
`;
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", rules)], entrypoints: ["t/p"] });
  const read = await load(compiled?.wasm as Uint8Array);
  const long = (unit: string): string => unit.repeat(60);
  const choices = [long("a"), long("b"), `${long("a")}|`, long("é"), long("\ud800"), long("\ufffd"), "a".repeat(47)];
  for (const a of choices)
    for (const b of choices)
      for (const c of choices) {
        const input = { a, b, c };
        expect(read.evaluate("t/p", input)).toEqual(read.evaluateJson("t/p", utf8.encode(JSON.stringify(input))));
        expect(read.lastFault).toBeUndefined();
      }
});

it("texts that are too long for the limits are refused, wherever they stand", async () => {
  const rules = "package t\n\np if input.a != input.b\n";
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", rules)], entrypoints: ["t/p"] });
  const small = await load(compiled?.wasm as Uint8Array, { limits: { input: 1000 } });
  expect(small.evaluate("t/p", { a: "a".repeat(200), b: "b" })).toBe(true);
  expect(small.evaluate("t/p", { a: "a".repeat(2000), b: "b" })).toBeUndefined();
  expect(small.lastFault).toMatchObject({ code: "input" });
});

it("any requests", () => {
  const text = fc.oneof(fc.constantFrom<unknown>(...texts), fc.constantFrom<unknown>(1, null, true, ["x"], { k: "x" }));
  const element = fc.oneof(
    { arbitrary: fc.record({ id: text, other: text }, { requiredKeys: [] }), weight: 8 },
    { arbitrary: text, weight: 1 },
  );
  const list = fc.oneof(
    fc.array(element, { maxLength: 6 }),
    fc.array(fc.record({ id: fc.nat(30).map(String) }), { maxLength: 20 }),
    fc.dictionary(fc.constantFrom("one", "two", "x"), element),
    text,
  );
  const request = fc.record({ a: text, b: text, list, owner: element, name: text }, { requiredKeys: [] });
  fc.assert(
    fc.property(request, (input) => {
      answer(input);
    }),
    campaign(2000),
  );
});
