/** Whatever is remembered, an answer is the one that an evaluation gives. */

import { type HostBuiltin, load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { compileModules } from "../../compiler/compile-modules.ts";
import { COLLECTION_COUNT, RECORD_ENTRIES } from "../../runtime/abi/layout.ts";
import type { FootprintNode } from "../../runtime/abi/section.ts";
import { Answers } from "../../runtime/answers.ts";
import { shapeOf } from "../../runtime/shape.ts";

const SEED = 20261122;

describe("Answers", () => {
  const strings = new Map(["a", "b", "list", "x", "y"].map((text, i) => [text, 1000 + i * 8] as const));
  const answersOf = (node: FootprintNode): Answers | undefined => Answers.of(shapeOf(node, strings));
  const slots: FootprintNode = { members: { a: true, b: true }, object: 64, slots: { a: 96, b: 104 } };
  const memory = new Int32Array(256);
  const ask = (answers: Answers, a: number, b: number, input = 64): unknown => {
    memory[96 >> 2] = a;
    memory[104 >> 2] = b;
    return answers.find(memory, input, a * 31 + b);
  };
  const made = (): Answers => answersOf(slots) as Answers;

  it("finds what it was given for the very same words, and nothing for others", () => {
    const answers = made();
    const answer = Object.freeze({ allowed: true });
    expect(ask(answers, 8, 16)).toBeUndefined();
    answers.keep(answer);
    expect(ask(answers, 8, 16)).toBe(answer);
    for (const [a, b, input] of [
      [16, 8],
      [8, 0],
      [0, 16],
      [8, 24],
      [8, 16, 72],
    ] as const)
      expect(ask(answers, a, b, input)).toBeUndefined();
  });

  it("keeps only what is the same for everybody", () => {
    for (const answer of ["a text of the request", 7, undefined, null, { allowed: true }, ["list"]]) {
      const answers = made();
      ask(answers, 8, 16);
      answers.keep(answer);
      expect(ask(answers, 8, 16)).toBeUndefined();
    }
    for (const answer of [true, false, Object.freeze([])]) {
      const answers = made();
      ask(answers, 8, 16);
      answers.keep(answer);
      expect(ask(answers, 8, 16)).toBe(answer);
    }
  });

  it("forgets rather than mixing questions up, however many there are", () => {
    const answers = made();
    const wanted = new Map<string, object>();
    let found = 0;
    for (let i = 0; i < 200_000; i++) {
      const a = Math.imul(i >> 1, 7919) % 300;
      const b = (i >> 4) % 211;
      const known = ask(answers, a * 8, b * 8);
      if (known !== undefined) {
        expect(known).toBe(wanted.get(`${a} ${b}`));
        found++;
        continue;
      }
      const answer = Object.freeze({ a, b });
      wanted.set(`${a} ${b}`, answer);
      answers.keep(answer);
    }
    expect(wanted.size).toBeGreaterThan(20_000);
    expect(found).toBeGreaterThan(90_000);
  });

  it("holds nothing any more once it was cleared", () => {
    const answers = made();
    ask(answers, 8, 16);
    answers.keep(true);
    answers.clear();
    expect(ask(answers, 8, 16)).toBeUndefined();
    answers.keep(false);
    expect(ask(answers, 8, 16)).toBe(false);
  });

  it("tells arrays apart by their length and by each member of each element, up to so many elements", () => {
    const rows = { array: 256, items: 288, first: 320, stride: 48, capacity: 9 };
    const each: FootprintNode = { members: { x: true, y: true }, row: { number: 1, keys: ["x", "y"] } };
    const answers = answersOf({ members: { list: { each, rows } }, object: 64, slots: { list: 96 } }) as Answers;
    const words = new Int32Array(512);
    words[96 >> 2] = 256;
    const find = (length: number): unknown => {
      words[(256 + COLLECTION_COUNT) >> 2] = length;
      return answers.find(words, 64, 7);
    };
    expect(find(2)).toBeUndefined();
    answers.keep(true);
    expect(find(2)).toBe(true);
    expect(find(1)).toBeUndefined();
    expect(find(3)).toBeUndefined();
    const member = (row: number, key: number): number => (320 + row * 48 + RECORD_ENTRIES + key * 8 + 4) >> 2;
    for (const word of [member(0, 0), member(0, 1), member(1, 0), member(1, 1), 288 >> 2, 292 >> 2]) {
      words[word] = 8;
      expect(find(2)).toBeUndefined();
      words[word] = 0;
      expect(find(2)).toBe(true);
    }
    words[member(2, 0)] = 8;
    expect(find(2)).toBe(true);
    expect(find(9)).toBeUndefined();
    answers.keep(true);
    expect(find(9)).toBeUndefined();
  });

  it("is not made for what static memory has no place for", () => {
    expect(answersOf(true)).toBeUndefined();
    expect(answersOf({ members: { a: true } })).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, true as const]));
    const keys = new Map(Object.keys(many).map((key, i) => [key, 1000 + i * 8]));
    const node = { members: many, object: 64, slots: Object.fromEntries(Object.keys(many).map((k, i) => [k, i * 8])) };
    expect(Answers.of(shapeOf(node, keys))).toBeUndefined();
  });
});

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
