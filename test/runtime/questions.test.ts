/** Whatever is remembered, an answer is the one that an evaluation gives. */

import { type HostBuiltin, load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { compileModules } from "../../compiler/compile-modules.ts";
import type { FootprintNode } from "../../runtime/abi/section.ts";
import { Interned } from "../../runtime/interned.ts";
import { OpaqueStrings } from "../../runtime/opaque-strings.ts";
import { plainCopy } from "../../runtime/plain-copy.ts";
import { Questions } from "../../runtime/questions.ts";
import { shapeOf } from "../../runtime/shape.ts";

const SEED = 20261122;

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
  keep(request: unknown, answer: unknown): void;
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
    keep: (request, answer) => {
      const copy = plainCopy(request, shape);
      opaque.shrink(0);
      for (const [key, text] of Object.entries(copy ?? {})) {
        if (typeof text !== "string" || text === "") continue;
        if (key === "ref" && /^[!-~]/.test(text)) opaque.newNumber(text);
        else if (key === "id" || key === "owner") opaque.numberOf(text);
      }
      if (copy !== undefined) questions.keep(copy, answer);
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
        : Object.entries(list).map(([key, item]) => [key, x(item)])
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
  1,
  0,
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
      { seed: SEED, numRuns: 300 },
    );
    expect(found).toBeGreaterThan(1000);
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
      opaque.shrink(0);
      for (const text of written) opaque.newNumber(text);
      questions.keep(request, "answer");
      expect(questions.find(request)).toBeUndefined();
    }
    opaque.shrink(0);
    for (const text of ["1", "2"]) opaque.newNumber(text);
    questions.keep(request, "answer");
    expect(questions.find(request)).toBe("answer");
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

describe("plainCopy", () => {
  const shape = shapeOf(NODE, STRINGS);

  it("has what is wanted of a request, and shares nothing with it", () => {
    const list: unknown[] = [1, { b: "x" }];
    const request = { other: 1, whole: { a: list, c: undefined }, list: [{ x: 1, y: 2 }], role: "r" };
    const copy = plainCopy(request, shape);
    expect(copy).toEqual({ whole: { a: [1, { b: "x" }] }, list: [{ x: 1 }], role: "r" });
    expect(Object.keys(copy as object)).toEqual(["whole", "list", "role"]);
    list.push("later");
    expect(copy).toMatchObject({ whole: { a: [1, { b: "x" }] } });
  });

  it("reads each member once", () => {
    let reads = 0;
    const request = {
      get role() {
        return `read ${++reads}`;
      },
    };
    expect(plainCopy(request, shape)).toEqual({ role: "read 1" });
    expect(reads).toBe(1);
  });

  it.each<[string, unknown]>([
    ["too many values", { whole: new Array(200).fill(1) }],
    ["too many values in all", { whole: new Array(100).fill([1]) }],
    ["too long texts", { whole: ["x".repeat(5000)] }],
    ["too long keys", { whole: { ["x".repeat(5000)]: 1 } }],
    ["half a character", { role: `${"x".repeat(20)}\ud800` }],
    ["a cycle", { whole: cycle() }],
    ["a member that would be a prototype", { whole: JSON.parse('{"__proto__": 1}') }],
    ["no number", { whole: Number.POSITIVE_INFINITY }],
    ["a list that has holes", { whole: new Array(3) }],
    ["a list where members are wanted", []],
    ["an instance of a class", { whole: new (class {})() }],
  ])("is not made of %s", (_, request) => {
    expect(plainCopy(request, shape)).toBeUndefined();
  });
});

function cycle(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

const REGO = `package t

tables := {"r1": {"l1", "l2"}, "r2": {"l2"}}

default decision := {"allowed": false, "gate": "none"}

decision := {"allowed": true, "gate": "host", "value": data.host.value} if {
	input.role == "host"
} else := {"allowed": true, "gate": "echo", "lane": input.lane} if {
	input.role == "echo"
} else := {"allowed": false, "gate": "twice", "index": twice} if {
	twice
} else := {"allowed": true, "gate": "table", "marked": marked} if {
	input.lane in tables[input.role]
}

twice := [i | some i, x in input.list; some j, y in input.list; j < i; x.id == y.id][0]

default marked := false

marked if input.mark.of == true

# METADATA
# entrypoint: true
flag if input.role == "r1"
`;

async function policies(text: string, entrypoint: string, options: object = {}): Promise<[Policy, Policy]> {
  const { compiled, diagnostics } = await compileModules({
    modules: [new SourceFile("t.rego", text)],
    entrypoints: [entrypoint],
    ...options,
  } as Parameters<typeof compileModules>[0]);
  if (compiled === undefined) throw new Error(JSON.stringify(diagnostics));
  return [await load(compiled.wasm), await load(compiled.wasm, { remember: false })];
}

describe("a policy that remembers", () => {
  let remembering: Policy;
  let plain: Policy;
  beforeAll(async () => {
    [remembering, plain] = await policies(REGO, "t/decision");
  }, 60_000);

  const id = fc.constantFrom<unknown>("x", "y", "z", "r1", "", 1, null, true);
  const agent = fc.oneof(
    { arbitrary: fc.record({ id, other: fc.constantFrom(1, "a") }, { requiredKeys: [] }), weight: 6 },
    { arbitrary: fc.constantFrom<unknown>(null, 1, "x", []), weight: 1 },
  );
  const request = fc.record(
    {
      role: fc.constantFrom<unknown>("r1", "r2", "r3", "host", "echo", 1, null, ["r1"]),
      lane: fc.constantFrom<unknown>("l1", "l2", "new to the policy", 2, undefined),
      list: fc.oneof(fc.array(agent, { maxLength: 4 }), fc.array(agent, { minLength: 15, maxLength: 18 }), agent),
      mark: fc.constantFrom<unknown>({ of: true }, { of: false }, {}, "x", null),
    },
    { requiredKeys: [] },
  );

  it("answers like one that does not, in any order, with any data", () => {
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 20 }), fc.constantFrom(1, 2, 3), (requests, value) => {
        for (const policy of [remembering, plain]) policy.setData({ host: { value } });
        for (const asked of [...requests, ...requests]) {
          const answer = remembering.evaluate("t/decision", asked);
          expect(answer).toEqual(plain.evaluate("t/decision", asked));
          expect(remembering.lastFault).toEqual(plain.lastFault);
        }
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it("is not misled by a request that says something else each time", () => {
    const roles = ["r1", "r3", "echo", "host"];
    const honest = roles.flatMap((role) => ["l1", "l2"].map((lane) => ({ role, lane, list: [{ id: role }] })));
    for (let n = 0; n < 200; n++) {
      let reads = n;
      const shifty = (): string => roles[(reads++ * 7 + n) % roles.length] as string;
      const request = {
        lane: "l1",
        get role() {
          return shifty();
        },
        list: [
          {
            get id() {
              return shifty();
            },
          },
        ],
      };
      remembering.evaluate("t/decision", request);
      for (const asked of honest)
        expect(remembering.evaluate("t/decision", asked)).toEqual(plain.evaluate("t/decision", asked));
    }
  });

  it("hands out answers that nobody else has, or that nobody can change", async () => {
    const text = `package t

decision := {"allowed": true, "who": input.who, "at": [i | some i, x in input.list; x == input.mark], "of": {"a": [1]}}
`;
    const [policy, other] = await policies(text, "t/decision");
    const request = { who: "somebody", list: ["x", "y", "x"], mark: "x" };
    const wanted = other.evaluate("t/decision", request);
    expect(wanted).toEqual({ allowed: true, who: "somebody", at: [0, 2], of: { a: [1] } });
    for (let i = 0; i < 3; i++) {
      const answer = policy.evaluate("t/decision", structuredClone(request)) as { at: number[]; of: { a: number[] } };
      expect(answer).toEqual(wanted);
      answer.at.push(7);
      Object.assign(answer, { allowed: false });
      expect(() => answer.of.a.push(7)).toThrow(TypeError);
    }
    expect(policy.evaluate("t/decision", { ...request, who: "another" })).toEqual({
      ...(wanted as object),
      who: "another",
    });
  });

  /** A policy of one rule, asked by one that remembers, by one that does not, and as text. */
  async function asks(rules: string): Promise<(request: unknown) => [unknown, unknown]> {
    const [policy, other] = await policies(`package t\n\ndefault decision := "none"\n\n${rules}`, "t/decision");
    return (request) => [policy.evaluate("t/decision", request), other.evaluate("t/decision", request)];
  }

  it("puts each text where it belongs, however many members there are", async () => {
    for (const count of [29, 30, 31, 40]) {
      const members = Array.from({ length: count }, (_, i) => `m${i}`);
      const unread = members.map((m) => `\tnot input.${m} == 1`).join("\n");
      const ask = await asks(`decision := {"a": input.m0, "z": input.m${count - 1}} if {\n${unread}\n}\n`);
      const requestOf = (keys: string[], text: (key: string) => string): unknown =>
        Object.fromEntries(keys.map((key) => [key, text(key)]));
      const last = `m${count - 1}`;
      for (const request of [
        requestOf([last, "m0"], () => "same"),
        requestOf([last, "m0"], (key) => `of ${key}`),
        requestOf(members.toReversed(), () => "secret"),
        requestOf(members.toReversed(), (key) => (Number(key.slice(1)) > count - 17 ? `v_${key}` : "secret")),
      ]) {
        const [remembered, evaluated] = ask(request);
        expect(remembered).toEqual(evaluated);
        expect(evaluated).toMatchObject({ z: (request as Record<string, string>)[last] });
      }
    }
  });

  it("refuses an object that stands for another value, and what only looks like a plain one", async () => {
    const ask = await asks(`decision := {"allowed": true} if {
	is_object(input.session)
	not input.session.revoked
	every _, v in input.table { not v.revoked == true }
	every v in input.list { not v.revoked == true }
	input.n > 0
}
`);
    const handle = remembering.intern("root").constructor as new (...args: unknown[]) => object;
    const odd: unknown[] = [
      { toJSON: () => ({ revoked: true }) },
      Object.defineProperty({}, "toJSON", { value: () => ({ revoked: true }) }),
      Reflect.construct(handle, ["root", 0, undefined], Object as never),
    ];
    for (const session of odd) {
      for (const request of [
        { session, table: {}, list: [], n: 1 },
        { session: {}, table: { a: session }, list: [], n: 1 },
        { session: {}, table: session, list: [], n: 1 },
        { session: {}, table: {}, list: [session], n: 1 },
      ]) {
        expect(ask({ session: {}, table: {}, list: [], n: 1 })).toEqual([{ allowed: true }, { allowed: true }]);
        expect(ask({ session: {}, table: { a: {} }, list: [{}], n: 1 })[0]).toEqual({ allowed: true });
        const [remembered, evaluated] = ask(request);
        expect(evaluated).toBeUndefined();
        expect(remembered).toBeUndefined();
      }
    }
  });

  it("evaluates what a request says, whatever all objects and lists inherit", async () => {
    const ask = await asks(`decision := {"allowed": true} if {
	every _, v in input.table { v.ok == true }
	every v in input.list { v == true }
	input.who != ""
}
`);
    const request = (): unknown =>
      JSON.parse('{"who": "w", "table": {"a": {"ok": true}, "evil": {"ok": false}}, "list": []}');
    const list = (): unknown => JSON.parse('{"who": "w", "table": {}, "list": [false]}');
    const names = (): unknown => JSON.parse('{"who": "w", "table": {"constructor": {"ok": true}}, "list": []}');
    const both = (): unknown[] => [request(), list(), names()].map(ask);
    const wanted = both();
    expect(wanted).toEqual([
      ["none", "none"],
      ["none", "none"],
      [{ allowed: true }, { allowed: true }],
    ]);
    const accessors = [{ set() {}, get() {} }, { get() {} }];
    for (const accessor of accessors) {
      const fresh = await asks(
        'decision := {"allowed": true} if { every _, v in input.table { v.ok == true }; every v in input.list { v == true }; input.who != "" }\n',
      );
      Object.defineProperty(Object.prototype, "evil", { ...accessor, configurable: true });
      const answers = [request(), list(), names()].map(fresh);
      Reflect.deleteProperty(Object.prototype, "evil");
      expect(answers).toEqual(wanted);
      Object.defineProperty(Array.prototype, "0", { ...accessor, configurable: true });
      const [remembered, evaluated] = fresh(list());
      Reflect.deleteProperty(Array.prototype, "0");
      expect(remembered).toEqual(evaluated);
      expect(remembered).not.toEqual({ allowed: true });
    }
  });

  it("finds answers that are constants after the memory grew", async () => {
    const [policy] = await policies(
      'package t\n\ndefault decision := "deny"\n\ndecision := "allow" if { input.n > 0; input.who != "" }\n',
      "t/decision",
    );
    expect(policy.evaluate("t/decision", { n: 1, who: "x" })).toBe("allow");
    policy.setData({ big: Array.from({ length: 300_000 }, (_, i) => `text ${i}`) });
    for (let i = 0; i < 3; i++) {
      expect(policy.evaluate("t/decision", { n: 1, who: "x" })).toBe("allow");
      expect(policy.lastFault).toBeUndefined();
    }
  });

  /** Steps of an evaluation; with one only, whatever is evaluated is a fault. */
  const setSteps = (policy: Policy, steps: number): void => {
    type Inner = { evaluator: { instance: { exports: { portcullis_set_budget: (steps: number) => void } } } };
    (policy as unknown as Inner).evaluator.instance.exports.portcullis_set_budget(steps);
  };
  const asked = { role: "r1", lane: "l1", list: [{ id: "x" }, { id: "y" }] };

  it("tells lists apart whose elements are rows to another entrypoint only", async () => {
    const text = `package t

a if { some x in input.list; x.id == "q" }

default b := false

b if { some x in input.list; x == "admin" }

b if { some x in input.list; some y in x; y.id == "root" }
`;
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", text)],
      entrypoints: ["t/a", "t/b"],
    });
    const policy = await load(compiled?.wasm as Uint8Array);
    const lists: unknown[][] = [["admin"], [], [1], ["q"], ["admin", 1], [["q"]], [[{ id: "root" }]], [[{ id: "q" }]]];
    for (const list of lists) {
      const wanted = list.includes("admin") || JSON.stringify(list).includes("root");
      expect(policy.evaluate("t/b", { list }), JSON.stringify(list)).toBe(wanted);
      expect(policy.evaluate("t/a", { list })).toBeUndefined();
    }
  });

  it("answers from what it remembers: the module is not asked", async () => {
    const [policy] = await policies(REGO, "t/decision");
    const answer = policy.evaluate("t/decision", asked);
    expect(answer).toMatchObject({ allowed: true, gate: "table" });
    setSteps(policy, 1);
    expect(policy.evaluate("t/decision", asked)).toBe(answer);
    expect(policy.evaluate("t/decision", { ...asked, list: [{ id: "new 1" }, { id: "new 2" }] })).toBe(answer);
    expect(policy.lastFault).toBeUndefined();
    policy.evaluate("t/decision", { ...asked, list: [{ id: "x" }, { id: "x" }] });
    expect(policy.lastFault).toMatchObject({ code: "budget" });
    expect(policy.evaluate("t/decision", asked)).toBe(answer);
  });

  it("asks anew after a fault: a fault is not an answer", async () => {
    const [policy] = await policies(REGO, "t/decision");
    setSteps(policy, 1);
    expect(policy.evaluate("t/decision", asked)).toMatchObject({ allowed: false, gate: "none" });
    setSteps(policy, 1_000_000);
    expect(policy.evaluate("t/decision", asked)).toMatchObject({ allowed: true, gate: "table" });
  });

  it("does not remember when it is told not to", async () => {
    const [, policy] = await policies(REGO, "t/decision");
    policy.evaluate("t/decision", asked);
    setSteps(policy, 1);
    expect(policy.evaluate("t/decision", asked)).toMatchObject({ allowed: false, gate: "none" });
  });

  it("does not remember what a builtin of the host's may answer otherwise the next time", async () => {
    let calls = 0;
    const runtime: HostBuiltin = () => new Map([["calls", String(++calls)]]);
    const text = 'package t\n\ndecision := true if { input.role; opa.runtime().calls != "1" } else := false\n';
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", text)],
      entrypoints: ["t/decision"],
      allowBuiltins: ["opa.runtime"],
    } as Parameters<typeof compileModules>[0]);
    const policy = await load(compiled?.wasm as Uint8Array, { builtins: { "opa.runtime": runtime } });
    const answers = [1, 2, 3].map(() => policy.evaluate("t/decision", { role: "x" }));
    expect(answers).toEqual([false, true, true]);
    expect(calls).toBe(3);
  });
});
