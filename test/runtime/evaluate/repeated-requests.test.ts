/** Whatever was asked before, an answer is the one that the same request gets as JSON text. */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { campaign } from "../../campaign.ts";

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

async function policyOf(text: string, entrypoint: string): Promise<Policy> {
  const { compiled, diagnostics } = await compileModules({
    modules: [new SourceFile("t.rego", text)],
    entrypoints: [entrypoint],
  });
  if (compiled === undefined) throw new Error(JSON.stringify(diagnostics));
  return load(compiled.wasm);
}

describe("a policy that is asked again and again", () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await policyOf(REGO, "t/decision");
  });

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

  it("answers as to JSON text, in any order, with any data", () => {
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 20 }), fc.constantFrom(1, 2, 3), (requests, value) => {
        policy.setData({ host: { value } });
        for (const asked of [...requests, ...requests]) {
          const answer = policy.evaluate("t/decision", asked);
          expect(policy.lastFault).toBeUndefined();
          expect(answer).toEqual(policy.evaluateJson("t/decision", JSON.stringify(asked)));
        }
      }),
      campaign(300),
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
      policy.evaluate("t/decision", request);
      for (const asked of honest)
        expect(policy.evaluate("t/decision", asked)).toEqual(policy.evaluateJson("t/decision", JSON.stringify(asked)));
    }
  });

  it("hands out answers that no other caller has, or that cannot be changed", async () => {
    const text = `package t

decision := {"allowed": true, "who": input.who, "at": [i | some i, x in input.list; x == input.mark], "of": {"a": [1]}}
`;
    const echoing = await policyOf(text, "t/decision");
    const request = { who: "somebody", list: ["x", "y", "x"], mark: "x" };
    const wanted = echoing.evaluateJson("t/decision", JSON.stringify(request));
    expect(wanted).toEqual({ allowed: true, who: "somebody", at: [0, 2], of: { a: [1] } });
    for (let i = 0; i < 3; i++) {
      const answer = echoing.evaluate("t/decision", structuredClone(request)) as { at: number[]; of: { a: number[] } };
      expect(answer).toEqual(wanted);
      answer.at.push(7);
      Object.assign(answer, { allowed: false });
      expect(() => answer.of.a.push(7)).toThrow(TypeError);
    }
    expect(echoing.evaluate("t/decision", { ...request, who: "another" })).toEqual({
      ...(wanted as object),
      who: "another",
    });
  });

  /** A policy of one rule. */
  async function asks(rules: string): Promise<(request: unknown) => unknown> {
    const one = await policyOf(`package t\n\ndefault decision := "none"\n\n${rules}`, "t/decision");
    return (asked) => one.evaluate("t/decision", asked);
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
        expect(ask(request)).toMatchObject({ z: (request as Record<string, string>)[last] });
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
    const handle = policy.intern("root").constructor as new (...args: unknown[]) => object;
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
        expect(ask({ session: {}, table: {}, list: [], n: 1 })).toEqual({ allowed: true });
        expect(ask({ session: {}, table: { a: {} }, list: [{}], n: 1 })).toEqual({ allowed: true });
        expect(ask(request)).toBeUndefined();
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
    const wanted = [request(), list(), names()].map(ask);
    expect(wanted).toEqual(["none", "none", { allowed: true }]);
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
      const answer = fresh(list());
      Reflect.deleteProperty(Array.prototype, "0");
      expect(answer).not.toEqual({ allowed: true });
    }
  });

  it("finds answers that are constants after the memory grew", async () => {
    const grown = await policyOf(
      'package t\n\ndefault decision := "deny"\n\ndecision := "allow" if { input.n > 0; input.who != "" }\n',
      "t/decision",
    );
    expect(grown.evaluate("t/decision", { n: 1, who: "x" })).toBe("allow");
    grown.setData({ big: Array.from({ length: 300_000 }, (_, i) => `text ${i}`) });
    for (let i = 0; i < 3; i++) {
      expect(grown.evaluate("t/decision", { n: 1, who: "x" })).toBe("allow");
      expect(grown.lastFault).toBeUndefined();
    }
  });

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
    const rows = await load(compiled?.wasm as Uint8Array);
    const lists: unknown[][] = [["admin"], [], [1], ["q"], ["admin", 1], [["q"]], [[{ id: "root" }]], [[{ id: "q" }]]];
    for (const list of lists) {
      const wanted = list.includes("admin") || JSON.stringify(list).includes("root");
      expect(rows.evaluate("t/b", { list }), JSON.stringify(list)).toBe(wanted);
      expect(rows.evaluate("t/a", { list })).toBeUndefined();
    }
  });

  it("asks a builtin of the host's each time", async () => {
    let calls = 0;
    const runtime = () => ({ calls: String(++calls) });
    const text = 'package t\n\ndecision := true if { input.role; opa.runtime().calls != "1" } else := false\n';
    const { compiled } = await compileModules({
      modules: [new SourceFile("t.rego", text)],
      entrypoints: ["t/decision"],
      allowBuiltins: ["opa.runtime"],
    } as Parameters<typeof compileModules>[0]);
    const asking = await load(compiled?.wasm as Uint8Array, { builtins: [{ "opa.runtime": runtime }] });
    const answers = [1, 2, 3].map(() => asking.evaluate("t/decision", { role: "x" }));
    expect(answers).toEqual([false, true, true]);
    expect(calls).toBe(3);
  });
});
