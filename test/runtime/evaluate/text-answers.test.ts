/** What is remembered of questions that are a few texts is answered to these texts alone, however a request says them. */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/base/source-file.ts";
import { compileModules } from "../../../compiler/compile-modules.ts";
import type { FootprintNode } from "../../../runtime/abi/section.ts";
import { shapeOf } from "../../../runtime/encode/shape.ts";
import { TextAnswers } from "../../../runtime/evaluate/text-answers.ts";
import { campaign } from "../../campaign.ts";

describe("TextAnswers", () => {
  const texts = Array.from({ length: 6000 }, (_, i) => `text ${i}`);
  const keys = ["a", "b", "c", "d", "e"];
  const strings = new Map([...keys, ...texts].map((text, i) => [text, 1000 + i * 8] as const));
  const own = new Map([...strings].map(([text, address]) => [address, text]));
  const nodeOf = (members: readonly string[], more: object = {}): FootprintNode => ({
    members: Object.fromEntries(members.map((key) => [key, { members: {} }])),
    object: 64,
    slots: Object.fromEntries(members.map((key, i) => [key, 96 + i * 8])),
    ...more,
  });
  const of = (node: FootprintNode): TextAnswers | undefined =>
    TextAnswers.of(shapeOf(node, strings), strings, (address) => own.get(address) as string, strings);
  const memory = new Int32Array(64);
  /** Memory as a writer leaves it. */
  const write = (request: Record<string, string>): Int32Array => {
    Object.keys(request)
      .sort()
      .forEach((key, i) => {
        memory[(96 + i * 8) >> 2] = strings.get(request[key] as string) ?? 0;
      });
    return memory;
  };
  const keep = (answers: TextAnswers, request: Record<string, string>, answer: unknown): void => {
    if (answers.isWritten(write(request))) answers.keep(answer);
  };

  it("serve shapes of up to four texts", () => {
    for (const count of [1, 2, 3, 4]) expect(of(nodeOf(keys.slice(0, count)))).toBeDefined();
    expect(of(nodeOf(keys))).toBeUndefined();
    expect(of(nodeOf([]))).toBeUndefined();
    expect(of(true)).toBeUndefined();
    expect(of({ members: { a: true } })).toBeUndefined();
    expect(of(nodeOf(["a", "b"], { unmatched: ["b"] }))).toBeUndefined();
    expect(of(nodeOf(["a", "b"], { opaque: ["a"] }))).toBeUndefined();
  });

  it.each([1, 2, 3, 4])("find what they were given for the very same %d texts", (count) => {
    const answers = of(nodeOf(keys.slice(0, count))) as TextAnswers;
    const wanted = new Map<string, unknown>();
    const random = (n: number, salt: number): number => Math.abs(Math.imul(n + salt, 0x9e3779b1) >> 7) % 30;
    let found = 0;
    for (let i = 0; i < 20_000; i++) {
      const request = Object.fromEntries(
        keys.slice(0, count).map((key, k) => [key, texts[random(i >> 1, k)] as string]),
      );
      const name = JSON.stringify(request);
      const known = answers.find(request);
      if (known !== undefined) {
        found++;
        expect(known).toBe(wanted.get(name));
        continue;
      }
      const answer = Object.freeze({ answer: i % 200 });
      const kept = [...wanted.values()].find((one) => (one as { answer: number }).answer === i % 200) ?? answer;
      wanted.set(name, kept);
      keep(answers, request, kept);
    }
    expect(found).toBeGreaterThan(5000);
  });

  it("have room for so many texts and answers, and let others be asked again", () => {
    const answers = of(nodeOf(["a", "b"])) as TextAnswers;
    for (const [i, a] of texts.entries()) {
      const request = { a, b: "text 0" };
      expect(answers.find(request)).toBeUndefined();
      keep(answers, request, Object.freeze({ i }));
    }
    let found = 0;
    for (const [i, a] of texts.entries()) {
      const known = answers.find({ a, b: "text 0" });
      if (known === undefined) continue;
      found++;
      expect(known).toEqual({ i });
    }
    expect(found).toBe(255);
  });

  it("forget when they are full, and when they are told to", () => {
    const answers = of(nodeOf(["a", "b"])) as TextAnswers;
    for (let i = 0; i < 100; i++)
      for (let j = 0; j < 100; j++) {
        const request = { a: texts[i] as string, b: texts[j] as string };
        expect(answers.find(request)).toBeUndefined();
        keep(answers, request, i % 2 === 0);
        expect(answers.find(request)).toBe(i % 2 === 0);
      }
    expect(answers.find({ a: "text 0", b: "text 0" })).toBeUndefined();
    expect(answers.find({ a: "text 99", b: "text 99" })).toBe(false);
    answers.clear();
    expect(answers.find({ a: "text 99", b: "text 99" })).toBeUndefined();
  });

  it("keep nothing for a question that is not in memory", () => {
    const answers = of(nodeOf(["a", "b"])) as TextAnswers;
    answers.find({ a: "text 1", b: "text 2" });
    for (const request of [
      { a: "text 1", b: "text 1" },
      { a: "text 2", b: "text 1" },
      { a: "text 1", b: "unknown" },
    ])
      expect(answers.isWritten(write(request))).toBe(false);
    expect(answers.isWritten(write({ a: "text 1", b: "text 2" }))).toBe(true);
    answers.find({ a: "unknown", b: "text 2" });
    expect(answers.isWritten(write({ a: "text 1", b: "text 2" }))).toBe(false);
  });
});

const REGO = `package t

default p := {"allowed": false, "gate": "none"}

p := {"allowed": true, "gate": "both"} if {
	input["0"] == "admin"
	input.lane == "main"
} else := {"allowed": true, "gate": "host"} if {
	input["0"] == data.host.role
	input.lane == "main"
} else := {"allowed": false, "gate": "lane"} if {
	input.lane == "side"
}
`;

let wasm: Uint8Array;
let policy: Policy;
beforeAll(async () => {
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", REGO)], entrypoints: ["t/p"] });
  wasm = compiled?.wasm as Uint8Array;
}, 60_000);
beforeEach(async () => {
  policy = await load(wasm, { data: { host: { role: "guest" } } });
  for (const role of ["admin", "guest", "main"])
    for (const lane of ["main", "side", "admin"]) for (let i = 0; i < 3; i++) ask({ 0: role, lane });
});

function ask(input: unknown): string {
  return (policy.evaluate("t/p", input) as { gate: string }).gate;
}

/** What an evaluation of the request's JSON text answers. */
function evaluated(input: unknown): string {
  return (policy.evaluateJson("t/p", JSON.stringify(input)) as { gate: string }).gate;
}

describe("a policy that remembers answers to texts", () => {
  it("answers from what it remembers", () => {
    type Inner = { evaluator: { instance: { exports: { portcullis_set_budget: (steps: number) => void } } } };
    (policy as unknown as Inner).evaluator.instance.exports.portcullis_set_budget(1);
    expect(ask({ 0: "admin", lane: "main" })).toBe("both");
    expect(policy.lastFault).toBeUndefined();
    ask({ 0: "admin", lane: "main", other: {} });
    ask({ 0: "new", lane: "main" });
    expect(policy.lastFault).toMatchObject({ code: "budget" });
  });

  it("is not asked by what is no such object", () => {
    for (const input of [
      ["admin"],
      Object.assign(["admin"], { lane: "main" }),
      null,
      "admin",
      Object.create({ 0: "admin", lane: "main" }),
      Object.assign(Object.create({ 0: "admin" }), { lane: "main" }),
      Object.defineProperty({ lane: "main" }, "0", { value: "admin", enumerable: false }),
      { 0: "admin" },
      { lane: "main" },
      { 0: ["admin"], lane: "main" },
      { 0: "admin", lane: true },
      { 0: "admin", lane: null },
      { 0: "admin", lane: undefined },
      { 0: "ADMIN", lane: "main" },
      { 0: "admin\0", lane: "main" },
    ])
      expect(ask(input), JSON.stringify(input)).toBe("none");
    const proxy = new Proxy({ 0: "admin", lane: "main" }, { ownKeys: () => [] });
    expect(ask(proxy)).toBe("none");
  });

  it("takes keys in any order, others beside them, and handles", () => {
    const [role, lane] = [policy.intern("admin"), policy.intern("main")];
    for (let i = 0; i < 200; i++)
      for (const input of [
        { lane: "main", 0: "admin" },
        { 0: "admin", lane: "main" },
        { 0: "admin", lane: "main", other: i },
        { other: i, 0: "admin", lane: "main" },
        { 0: role, lane: "main" },
        { 0: "admin", lane },
        { 0: role, lane },
      ])
        expect(ask(input)).toBe("both");
  });

  it.each([
    ["main", "admin", "main"],
    ["admin", "main", "main"],
    ["side", "admin", "main"],
    ["admin", "side", "side"],
    ["unknown", "admin", "main"],
    ["admin", "unknown", "main"],
  ])("keeps no answer to %s, which a request said first, when it then said %s", async (first, then, lane) => {
    policy = await load(wasm);
    let reads = 0;
    const shifty = {
      get 0() {
        return reads++ % 2 === 0 ? first : then;
      },
      lane,
    };
    for (let i = 0; i < 5; i++) ask(shifty);
    for (const role of [first, then, first]) expect(ask({ 0: role, lane })).toBe(evaluated({ 0: role, lane }));
  });

  it("takes a handle of another policy for its text, and one of no text of the policy for none", async () => {
    const other = await load(wasm, { data: { host: { role: "guest" } } });
    for (let i = 0; i < 3; i++)
      for (const role of ["admin", "main", "guest", "unknown"])
        for (const from of [policy, other]) {
          const input = { 0: from.intern(role), lane: from.intern("main") };
          expect(ask(input)).toBe(evaluated({ 0: role, lane: "main" }));
        }
  });

  it("keeps no answer that a getter asked for meanwhile", () => {
    const nested = {
      0: "admin",
      get lane() {
        ask({ 0: "guest", lane: "side" });
        return "main";
      },
    };
    for (let i = 0; i < 3; i++) ask(nested);
    for (const role of ["admin", "guest"])
      for (const lane of ["main", "side"]) expect(ask({ 0: role, lane })).toBe(evaluated({ 0: role, lane }));
  });

  it("forgets with other data", () => {
    expect(ask({ 0: "guest", lane: "main" })).toBe("host");
    policy.setData({ host: { role: "main" } });
    expect(ask({ 0: "guest", lane: "main" })).toBe("none");
    expect(ask({ 0: "main", lane: "main" })).toBe("host");
  });

  it("answers to any requests as their JSON text is answered", () => {
    const text = fc.constantFrom("admin", "guest", "main", "side", "lane", "", "new", "é");
    const value = fc.oneof({ arbitrary: text, weight: 9 }, { arbitrary: fc.jsonValue(), weight: 1 });
    const request = fc.record({ 0: value, lane: value, other: value }, { requiredKeys: ["lane"] });
    fc.assert(
      fc.property(request, (input) => {
        expect(ask(input)).toBe(evaluated(input));
        expect(ask(Object.fromEntries(Object.entries(input).reverse()))).toBe(evaluated(input));
      }),
      campaign(3000),
    );
  });
});
