/** A question is found again when all that counts of it is the same, and only then. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FootprintNode } from "../../../runtime/abi/section.ts";
import { Interned } from "../../../runtime/encode/interned.ts";
import { OpaqueStrings } from "../../../runtime/encode/opaque-strings.ts";
import { plainCopy } from "../../../runtime/encode/plain-copy.ts";
import { shapeOf } from "../../../runtime/encode/shape.ts";
import { Questions } from "../../../runtime/evaluate/questions.ts";
import { campaign, runs } from "../../campaign.ts";

/** `id` and `owner` are texts that no rule reads; of the elements of `list` only `x` is wanted, and `whole` is wanted whole. */
const NODE: FootprintNode = {
  members: {
    role: true,
    whole: true,
    list: { each: { members: { x: true } } },
    table: { each: { members: { x: true } }, ofObjects: true },
    id: true,
    owner: true,
    ref: true,
  },
  opaque: ["id", "owner", "ref"],
  alone: ["ref"],
  trimmed: ["ref"],
  onlyTrimmed: ["ref"],
};
const STRINGS = new Map(
  ["role", "whole", "list", "table", "x", "id", "owner", "ref"].map((text, i) => [text, 8 + i * 8]),
);

interface Asked {
  find(request: unknown): unknown;
  keep(request: unknown, answer: unknown, size?: number): void;
  readonly questions: Questions;
}

/** As an instance asks, with the texts that a writer would have stand-ins for. */
function asking(node: FootprintNode = NODE): Asked {
  const opaque = new OpaqueStrings(new WebAssembly.Memory({ initial: 1 }), 1024);
  const shape = shapeOf(node, STRINGS);
  const questions = Questions.of(shape, opaque);
  if (questions === undefined) throw new Error("no questions");
  return {
    questions,
    find: (request) => questions.find(request),
    keep: (request, answer, size = 0) => {
      const copy = plainCopy(request, shape);
      opaque.restart();
      for (const [key, text] of Object.entries(copy ?? {})) {
        if (typeof text !== "string" || text === "") continue;
        if (key === "ref" && /^[!-~]/.test(text)) opaque.newNumber(text);
        else if (key === "id" || key === "owner") opaque.numberOf(text);
      }
      if (copy !== undefined) questions.keep(copy, answer, size);
    },
  };
}

/** What counts of a request, as JSON text: texts that no rule reads count as the first place at which they are. */
function counting(request: Record<string, unknown>): string {
  const seen: string[] = [];
  const rows = (list: unknown): unknown =>
    typeof list === "object" && list !== null
      ? Array.isArray(list)
        ? list.map((item) => x(item))
        : { members: Object.entries(list).map(([key, item]) => [key, x(item)]) }
      : list;
  const x = (item: unknown): unknown =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.entries(item).filter(([key, value]) => key === "x" && value !== undefined)
      : item;
  const entries = Object.entries(request).flatMap(([key, value]): unknown[] => {
    if (value === undefined || key === "other") return [];
    if (key === "list" || key === "table") return [[key, rows(value)]];
    if (typeof value !== "string" || value === "" || key === "role" || key === "whole") return [[key, value]];
    if (key === "ref" && !/^[!-~]/.test(value)) return [[key, value]];
    if (key === "ref") {
      seen.push(value);
      return [[key, `text ${seen.length - 1}`, "stand-in"]];
    }
    if (!seen.includes(value)) seen.push(value);
    return [[key, `text ${seen.indexOf(value)}`, "stand-in"]];
  });
  return JSON.stringify(entries);
}

const value = fc.constantFrom<unknown>(
  "a",
  "b",
  "",
  "long enough to be a part of another text",
  "1",
  1,
  0,
  15,
  16,
  -1,
  1.5,
  true,
  false,
  null,
);
const row = fc.record({ x: value, y: value }, { requiredKeys: [] });
const anyRequest = fc
  .record(
    {
      role: value,
      whole: fc.oneof(value, fc.record({ a: value, b: fc.array(value, { maxLength: 2 }) }, { requiredKeys: [] })),
      list: fc.oneof(fc.array(row, { maxLength: 3 }), value),
      table: fc.oneof(fc.dictionary(fc.constantFrom("p", "q", "x"), row, { maxKeys: 2 }), fc.array(row), value),
      id: value,
      owner: value,
      ref: fc.oneof(value, fc.constant("  ")),
      other: value,
    },
    { requiredKeys: [] },
  )
  .chain((made) => {
    const entries = Object.entries(made);
    const few = fc.shuffledSubarray(entries, { maxLength: Math.min(2, entries.length) });
    return fc.oneof({ arbitrary: few, weight: 3 }, fc.shuffledSubarray(entries)).map((all) => Object.fromEntries(all));
  });

describe("Questions", () => {
  it("finds what it was given for what counts the same, and nothing for anything else", () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(anyRequest, { minLength: 20, maxLength: 100, size: "max" }), (requests) => {
        const { find, keep } = asking();
        const wanted = new Map<string, object>();
        for (const request of requests) {
          const known = find(request);
          if (known !== undefined) {
            expect(known).toBe(wanted.get(counting(request)));
            found++;
          }
          const answer = {};
          keep(request, answer);
          if (find(request) === answer) wanted.set(counting(request), answer);
        }
      }),
      campaign(300),
    );
    expect(found).toBeGreaterThan(2 * runs(300));
  });

  it("finds requests of every kind again", () => {
    const requests: Record<string, unknown>[] = [
      {},
      { role: "a" },
      { role: "a", id: "1", owner: "2" },
      { owner: "2", role: "a" },
      { list: [{ x: 1 }, { x: "a" }] },
      { list: [] },
      { table: { p: { x: 1 } } },
      { whole: { deep: [{ er: [1, null, true] }] } },
      { ref: "APPROVAL-1" },
      { ref: "  " },
    ];
    const { find, keep } = asking();
    const answers = requests.map((request) => {
      expect(find(request), JSON.stringify(request)).toBeUndefined();
      const answer = {};
      keep(request, answer);
      return answer;
    });
    requests.forEach((request, i) => {
      expect(find(structuredClone(request)), JSON.stringify(request)).toBe(answers[i]);
      expect(find({ ...request, other: i }), JSON.stringify(request)).toBe(answers[i]);
      expect(find({ ...request, unset: undefined, whole: request["whole"] }), JSON.stringify(request)).toBe(answers[i]);
    });
  });

  it("takes what every object has since somebody gave it to all for nobody's", () => {
    const { find, keep } = asking();
    keep({ whole: { a: 1 }, table: { p: { x: 1 } } }, "answer");
    Object.defineProperty(Object.prototype, "x", { value: 1, configurable: true, enumerable: true });
    const found = [
      { whole: { a: 1 }, table: { p: { x: 1 } } },
      { whole: { a: 1 }, table: { p: {} } },
    ].map(find);
    keep({ whole: {}, table: { p: {} } }, "other");
    Reflect.deleteProperty(Object.prototype, "x");
    expect([...found, find({ whole: {}, table: { p: {} } })]).toEqual(["answer", undefined, "other"]);
  });

  it("takes a handle for its text, wherever it stands", () => {
    const { find, keep } = asking();
    keep({ role: "a", whole: ["b"], id: "c" }, "answer");
    const handle = (text: string): Interned => new Interned(text, 0, undefined);
    expect(find({ role: handle("a"), whole: [handle("b")], id: handle("d") })).toBe("answer");
    expect(find({ role: handle("b"), whole: ["b"], id: "c" })).toBeUndefined();
    expect(find({ role: "a", whole: ["b"], id: "c", list: handle("a") })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["a Map", new Map([["a", 1]])],
    ["a Date", new Date(0)],
    ["an instance of a class", new (class {})()],
    ["a String", new String("a")],
    ["a typed array", new Uint8Array(1)],
    ["what no JSON text has", undefined],
    ["a function", () => true],
    ["a big integer", 1n],
    ["no number", Number.NaN],
    ["an object of another prototype", Object.create({ a: 1 })],
  ])("knows nothing of %s", (_, odd) => {
    const { find, keep } = asking();
    for (const whole of [{}, [], "a", null, 0]) keep({ whole }, "answer");
    for (const list of [[], [{}], {}]) keep({ list }, "answer");
    for (const table of [[], {}, { p: {} }, [{}]]) keep({ table }, "answer");
    keep({ role: "a" }, "answer");
    if (odd !== undefined) {
      expect(find({ whole: odd })).toBeUndefined();
      expect(find({ table: odd })).toBeUndefined();
      expect(find({ table: { p: odd } })).toBeUndefined();
      expect(find(odd)).toBeUndefined();
    }
    expect(find({ whole: [odd] })).toBeUndefined();
    expect(find({ list: [odd] })).toBeUndefined();
  });

  it("keeps no question whose texts have other stand-ins where it was written", () => {
    const opaque = new OpaqueStrings(new WebAssembly.Memory({ initial: 1 }), 1024);
    const questions = Questions.of(shapeOf(NODE, STRINGS), opaque) as Questions;
    const request = { id: "1", owner: "2" };
    for (const written of [[], ["1"], ["2", "1"], ["1", "2", "3"]]) {
      opaque.restart();
      for (const text of written) opaque.newNumber(text);
      questions.keep(request, "answer", 0);
      expect(questions.find(request)).toBeUndefined();
    }
    opaque.restart();
    for (const text of ["1", "2"]) opaque.newNumber(text);
    questions.keep(request, "answer", 0);
    expect(questions.find(request)).toBe("answer");
  });

  it("begins each request anew, however the one before it ended", () => {
    const { find, keep } = asking();
    keep({ role: "a", whole: "b" }, "ab");
    keep({ role: "c", whole: "a" }, "ca");
    const broken = {
      role: "c",
      get whole(): unknown {
        throw new Error("no value");
      },
    };
    expect(() => find(broken)).toThrow("no value");
    expect(find({ role: "a", whole: "b" })).toBe("ab");
    // Found as far as its first text, and no further.
    expect(find({ role: "c", whole: new Map() })).toBeUndefined();
    expect(find({ role: "c", whole: "a" })).toBe("ca");
    expect(() => find(broken)).toThrow("no value");
    keep({ role: "a", whole: "c" }, "ac");
    expect([find({ role: "a", whole: "c" }), find({ role: "c", whole: "a" })]).toEqual(["ac", "ca"]);
  });

  it("keeps no text of a request, and of those that have stand-ins none once another one was looked for", () => {
    const { find, keep, questions } = asking();
    keep({ role: "a" }, "answer");
    keep({ role: "a", whole: "b", id: "1", owner: "2" }, "answer");
    expect(find({ role: "a", whole: "b", id: "stand-in", owner: "stand-in as well" })).toBe("answer");
    expect(find({ role: "a", whole: "something", id: "stand-in" })).toBeUndefined();
    expect(JSON.stringify(questions)).not.toMatch(/something|as well/);
    find({ role: "a" });
    expect(JSON.stringify(questions)).not.toMatch(/stand-in/);
  });

  it("keeps questions of as many texts as a copy may have, and looks for ones of more", () => {
    const { find, keep } = asking();
    const many = (count: number): unknown => ({ whole: Array.from({ length: count }, (_, i) => `text ${i}`) });
    keep(many(120), "answer");
    expect(find(many(120))).toBe("answer");
    keep(many(126), "more");
    for (const count of [119, 121, 125, 126, 127, 128, 129, 1000])
      expect(find(many(count))).toBe(count === 126 ? "more" : undefined);
  });

  it("is not made for objects with more members than are written in their order", () => {
    const of = (count: number): Questions | undefined => {
      const keys = Array.from({ length: count }, (_, i) => `k${i}`);
      const inner: FootprintNode = { members: Object.fromEntries(keys.map((key) => [key, true])) };
      const strings = new Map([...keys, "list", "in"].map((text, i) => [text, 8 + i * 8]));
      const opaque = new OpaqueStrings(new WebAssembly.Memory({ initial: 1 }), 4096);
      return Questions.of(shapeOf({ members: { list: { each: { members: { in: inner } } } } }, strings), opaque);
    };
    expect([of(0), of(30)]).toEqual([expect.any(Questions), expect.any(Questions)]);
    expect(of(31)).toBeUndefined();
  });

  it("keeps no long keys that nobody asks for", () => {
    const { find, keep, questions } = asking();
    keep({ role: "a" }, "answer");
    const long = "k".repeat(1000);
    expect(find({ [long]: 1, role: "a" })).toBe("answer");
    const seen = new Set<unknown>();
    const keys = (value: unknown): string[] => {
      if (typeof value === "string") return [value];
      if (typeof value !== "object" || value === null || seen.has(value)) return [];
      seen.add(value);
      return [...(value instanceof Map ? value.entries() : Object.values(value))].flatMap(keys);
    };
    expect(keys((questions as unknown as { root: unknown }).root)).not.toContain(long);
  });

  it("forgets rather than growing, and what it finds is right all the while", () => {
    const { find, keep, questions } = asking();
    let found = 0;
    for (let i = 0; i < 120_000; i++) {
      const number = Math.imul(i >> 1, 7919) % 40_009;
      const known = find({ role: number, list: [{ x: number % 3 }] });
      if (known !== undefined) {
        expect(known).toBe(`answer ${number}`);
        found++;
      } else if (questions.wants) keep({ role: number, list: [{ x: number % 3 }] }, `answer ${number}`);
      expect((questions as unknown as { places: number }).places).toBeLessThan((1 << 15) + 300);
    }
    expect(found).toBeGreaterThan(59_000);
  });

  it("has room for fewer of large answers and of many texts", () => {
    const roomFor = (request: (i: number) => unknown, size: number): number => {
      const { find, keep } = asking();
      for (let i = 0; ; i++) {
        keep(request(i), "answer", size);
        if (find(request(0)) === undefined) return i;
      }
    };
    const small = roomFor((i) => ({ role: `${i}` }), 0);
    expect(small).toBeGreaterThan(5000);
    // 3 MB in all, where a value takes 25 bytes and a text of its own about 100.
    expect(roomFor((i) => ({ role: `${i}` }), 400)).toBeLessThan(small / 15);
    expect(roomFor((i) => ({ role: `${"long".repeat(1000)}${i}` }), 0)).toBeLessThan(small / 10);
    expect(roomFor((i) => ({ role: `${i}`, whole: Array.from({ length: 100 }, () => `${i}`) }), 0)).toBeLessThan(320);
  });

  it("wants few questions where none is asked again, and many once some are", () => {
    const { find, keep, questions } = asking();
    const wanted = (requests: number, make: (i: number) => unknown): number => {
      let count = 0;
      for (let i = 0; i < requests; i++) {
        const request = make(i);
        if (find(request) !== undefined || !questions.wants) continue;
        count++;
        keep(request, "answer");
      }
      return count;
    };
    expect(wanted(2048, (i) => ({ role: i }))).toBe(2048);
    expect(wanted(32_000, (i) => ({ role: `new ${i}` }))).toBeLessThanOrEqual(1001);
    // Ten again and again: each is wanted once, as soon as it is looked for.
    expect(wanted(2000, (i) => ({ role: `again ${i % 10}` }))).toBe(10);
    expect(wanted(1000, (i) => ({ role: -i }))).toBeGreaterThan(900);
  });

  it("holds nothing any more once it was cleared", () => {
    const { find, keep, questions } = asking();
    keep({ role: "a" }, "answer");
    questions.clear();
    expect(find({ role: "a" })).toBeUndefined();
    keep({ role: "a" }, "other");
    expect(find({ role: "a" })).toBe("other");
  });
});
