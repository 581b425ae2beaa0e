/**
 * The answer never depends on what was asked before. One loaded policy is asked many requests in a row, over all of its
 * entrypoints; each answer must be that of a policy that was asked nothing else, whether the request comes as a value or as
 * JSON text, and that of OPA's own SDK, which knows nothing of slots, shapes and footprints.
 */

import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { campaign, runs, SEED } from "../campaign.ts";
import { generate } from "../rego/plan/generate/index.ts";

const REGO = `package t

table := {"a": {"k": 1, "roles": {"x": true}}, "b": {"k": 2, "roles": {"y": true, "a": true}}, "c": {"k": 3, "roles": {}}}

default members := "none"
members := [input.a, input.b] if input.c == "c"

default first := "none"
first := {"a": input.a} if input.c == "c"

default nested := "none"
nested := x if {
	input.a.b.c == "a"
	x := [input.a.b.d, input.b.a]
}

default other := "none"
other := input.a.d if input.a.b.a == input.c

default missing := false
missing if not input.a.b
missing if not input.c.a.a

default types := "none"
types := {"a": is_string(input.a), "t": type_name(object.get({"v": input.b}, "v", null))} if is_object(input.c)

default elements := []
elements := [x.a | some x in input.list; x.b == "b"]

default every_one := false
every_one if {
	count(input.list) > 0
	every x in input.list { x.a.b == "b" }
}

default indexed := "none"
indexed := input.list[1].a if count(input.list) == 2

default both := "none"
both := y if {
	some x in [input.a, input.b]
	x.c == "c"
	y := x.d
}

part(x) := x.b if x.a == "a"
part(x) := x.c if x.a == "b"

default called := "none"
called := [part(input.a), part(input.b)]

default keyed := "none"
keyed := [x.b, input.list[x.a].d.c] if { x := input.list[input.a]; x.c }

default keyed_too := "none"
keyed_too := [input.b[input.a].d, input.b.c.a]

default keyed_text := "none"
keyed_text := k if { some k, x in input.d; x.a == input.a; x.b != input.c }

default under_with := "none"
under_with := [x, nested] if { x := members with input as {"a": input.b, "b": input.d, "c": "c"} }

default under_path := "none"
under_path := [x, members] if { x := members with input.c as "c" }

default known := "none"
known := table[input.a].k if table[input.a].roles[input.b]

default null_or := "none"
null_or := "null" if input.a == null
null_or := "object" if { input.a != null; input.a != "a"; input.b.c }

default whole := "none"
whole := {"is": input.a, "has": object.keys(input.b)} if input.a != input.b

default record := {"allowed": false}
record := {"allowed": true, "a": input.a.a, "constant": "a", "z": input.b.b} if input.c

default numbers := "none"
numbers := input["0"]["1"] if input["2"]

default proto := "none"
proto := input["__proto__"].a if input["constructor"]
`;

const RULES = [...new Set([...REGO.matchAll(/^default (\w+)/gm)].map((m) => `t/${m[1]}`))];

async function compiled(modules: readonly string[], entrypoints: readonly string[]): Promise<Uint8Array | undefined> {
  const sources = modules.map((text, i) => new SourceFile(`module-${i}.rego`, text));
  return (await compileModules({ modules: sources, entrypoints })).compiled?.wasm;
}

type Stock = Awaited<ReturnType<typeof loadPolicy>>;

/** What OPA's SDK answers, which gets every request as JSON text and reads all of it. */
function stockAnswer(stock: Stock, entrypoint: string, value: unknown): unknown {
  const [answer] = stock.evaluate(value as never, entrypoint) as { result: unknown }[];
  return answer?.result;
}

/** Keys that rules ask for, and some that none does; now and then more of those than a writer goes through. */
const keys = fc.constantFrom("a", "b", "c", "d", "list", "0", "1", "2", "e", "f", "__proto__", "constructor");
const scalars = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>("a", "b", "c", "x", "y", "none") },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 0.5, 300, 1e21, "", "unknown", "é", "𝒜"),
  },
);
const own = (entries: readonly (readonly [string, unknown])[]): unknown => {
  const made = {};
  for (const [key, value] of entries)
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  return made;
};
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    scalars,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 6 }).map(own),
    fc
      .tuple(fc.array(fc.tuple(keys, tie("value")), { maxLength: 5 }), fc.integer({ min: 15, max: 20 }))
      .map(([entries, n]) => own([...Array.from({ length: n }, (_, i) => [`o${i}`, i] as const), ...entries])),
  ),
}));
/** Mostly what some rule asks for. */
const inner = fc.record({ a: values.value, b: values.value, c: values.value, d: scalars }, { requiredKeys: [] });
const requests = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        a: fc.oneof(inner, scalars),
        b: fc.oneof(inner, scalars),
        c: fc.oneof(inner, scalars),
        d: values.value,
        list: fc.array(inner, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 2, arbitrary: values.value },
);
const shuffled = fc.tuple(requests, fc.boolean()).map(([value, reversed]) => {
  if (!reversed || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return own(Object.entries(value).reverse());
});

function sequenceOf(entrypoints: readonly string[]): fc.Arbitrary<readonly (readonly [string, unknown, boolean])[]> {
  return fc.array(fc.tuple(fc.constantFrom(...entrypoints), shuffled, fc.boolean()), { minLength: 10, maxLength: 30 });
}

describe("requests one after the other", () => {
  let wasm: Uint8Array;
  let asked: Policy;
  let stock: Stock;
  beforeAll(async () => {
    const found = await compiled([REGO], RULES);
    if (found === undefined) throw new Error("the program does not compile");
    wasm = found;
    asked = await load(wasm);
    stock = await loadPolicy(wasm as Uint8Array<ArrayBuffer>);
  });

  it("are answered as by OPA's SDK, as value and as text", () => {
    let interesting = 0;
    fc.assert(
      fc.property(sequenceOf(RULES), (sequence) => {
        for (const [entrypoint, value, first] of sequence) {
          const text = JSON.stringify(value);
          if (first) asked.evaluateJson(entrypoint, text);
          const answer = asked.evaluate(entrypoint, value);
          const label = `${entrypoint} of ${text}`;
          expect(asked.lastFault, label).toBeUndefined();
          expect(asked.evaluateJson(entrypoint, text), label).toEqual(answer);
          expect(stockAnswer(stock, entrypoint, value), label).toEqual(answer);
          if (answer !== "none" && answer !== false) interesting++;
        }
      }),
      campaign(120),
    );
    expect(interesting).toBeGreaterThan(runs(120) / 2);
  });

  it("leave nothing behind when one of them is refused half way", async () => {
    const policy = await load(wasm);
    const good = {
      a: { b: { c: "a", d: "d" } },
      b: { a: "b" },
      c: "c",
      list: [
        { a: { b: "b" }, b: "b" },
        { a: "x", b: "b" },
      ],
    };
    const bad = [Symbol("s"), () => 1, Number.NaN, new Map(), new Array(3)];
    for (const entrypoint of RULES) {
      for (const poison of bad) {
        for (const key of Object.keys(good)) {
          policy.evaluate(entrypoint, good);
          policy.evaluate(entrypoint, { ...good, [key]: poison });
          policy.evaluate(entrypoint, { [key]: { b: poison }, ...good, z: 1, [`${key}${key}`]: poison });
          for (const value of [{}, { [key]: good[key as "a"] }, null, [], "a", undefined]) {
            const answer = policy.evaluate(entrypoint, value);
            expect(answer, `${entrypoint} after a refused ${key}`).toEqual(stockAnswer(stock, entrypoint, value));
          }
        }
      }
    }
  });

  it("are read as they are when their objects change while they are read", async () => {
    const policy = await load(wasm);
    const before = { a: "x", c: "c" };
    const visible = { enumerable: true, configurable: true };
    /** `a` comes up while `c` is read: it was not there when reading began. */
    const appearing = {
      get c(): unknown {
        Object.defineProperty(appearing, "a", { value: "fresh", ...visible });
        return "c";
      },
    };
    /** Has `c` alone to a reader that goes through its keys, and every key to one that asks for it. */
    const liar = new Proxy(
      {},
      {
        ownKeys: () => ["c"],
        getOwnPropertyDescriptor: () => ({ value: "c", ...visible }),
        get: () => "c",
      },
    );
    expect(policy.evaluate("t/first", before)).toEqual({ a: "x" });
    expect(policy.evaluate("t/first", appearing)).toBe("none");
    expect(policy.evaluate("t/first", before)).toEqual({ a: "x" });
    expect(policy.evaluate("t/first", liar)).toBe("none");
  });
});

describe("generated programs", () => {
  const PROGRAMS = runs(300);
  it(`answer the same whatever was asked before (seeds from ${SEED})`, async () => {
    const random = fc.sample(fc.tuple(values.value, inner), campaign(300)).flat();
    let compared = 0;
    for (let seed = SEED; seed < SEED + PROGRAMS; seed++) {
      const program = generate(seed);
      const names = [
        ...new Set([...program.modules[0]!.matchAll(/^(?:default )?(r\d+)(?: |\[|\.)/gm)].map((m) => m[1])),
      ];
      const entrypoints = names.map((name) => `${program.package}/${name}`);
      const wasm = entrypoints.length === 0 ? undefined : await compiled(program.modules, entrypoints);
      if (wasm === undefined) continue;
      const asked = await load(wasm, { data: program.data });
      const fresh = await load(wasm, { data: program.data });
      const inputs = [
        program.input,
        ...Array.from({ length: 24 }, (_, i) => random[(seed * 31 + i * 7) % random.length]),
      ];
      for (const value of inputs) {
        const text = JSON.stringify(value);
        for (const entrypoint of entrypoints) {
          const answer = asked.evaluate(entrypoint, value);
          const fault = asked.lastFault?.code;
          const expected = fresh.evaluateJson(entrypoint, text);
          expect([answer, fault], `seed ${seed}: ${entrypoint} of ${text}`).toEqual([expected, fresh.lastFault?.code]);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(PROGRAMS * 10);
  });
});
