import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fromJson,
  fromText,
  type HostBuiltin,
  HostNumber,
  hostBuiltinNames,
  hostBuiltins,
  type JsonLike,
  openHostSession,
  sourcedBuiltinNames,
  toText,
} from "../../../runtime/builtins/index.ts";

const sources = {
  now: () => 1_234_567_890_123_456_789n,
  random: (n: number) => new Uint8Array(n).fill(255),
  runtime: new Map(),
};

describe("host builtins", () => {
  it("are those that are listed", () => {
    expect([...hostBuiltins.keys()].sort()).toEqual([...hostBuiltinNames].sort());
    const all = [...openHostSession(sources).builtins.keys()].sort();
    expect(all).toEqual([...hostBuiltinNames, ...sourcedBuiltinNames.keys()].sort());
    expect([...openHostSession().builtins.keys()].sort()).toEqual([...hostBuiltinNames].sort());
  });

  it("import no platform module and no package", () => {
    const folder = new URL("../../../runtime/builtins/", import.meta.url);
    for (const name of readdirSync(folder, { recursive: true }) as string[]) {
      if (!name.endsWith(".ts")) continue;
      const imports = [
        ...readFileSync(new URL(name, folder), "utf8").matchAll(/^(?:import|export)[^;]*? from "([^"]+)"/gm),
      ];
      for (const [, from] of imports) expect(from).toMatch(/^\.\.?\//);
    }
  });

  it("never throw and always end, whatever they are given", () => {
    const scalar: fc.Arbitrary<JsonLike> = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.string(),
      fc.constantFrom("-1", "0", "1e400", "9223372036854775808", "0.1").map((text) => new HostNumber(text)),
    );
    const { value } = fc.letrec<{ value: JsonLike }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(scalar, tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
        fc.array(scalar, { maxLength: 3 }).map((items) => new Set(items)),
      ),
    }));
    const builtins = openHostSession(sources).builtins;
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), (args) => {
        for (const builtin of builtins.values()) builtin(args);
      }),
      { seed: 10, numRuns: 500 },
    );
  });
});

describe("a session", () => {
  it("answers the same within an evaluation and afresh in the next", () => {
    let tick = 0n;
    let byte = 0;
    const session = openHostSession({ now: () => tick++, random: (n) => new Uint8Array(n).map(() => byte++) });
    const ask = (name: string, ...args: JsonLike[]) =>
      toText((session.builtins.get(name) as HostBuiltin)(args) as JsonLike);
    const first = [ask("time.now_ns"), ask("uuid.rfc4122", "k"), ask("rand.intn", "k", new HostNumber("1000000"))];
    expect([ask("time.now_ns"), ask("uuid.rfc4122", "k"), ask("rand.intn", "k", new HostNumber("1000000"))]).toEqual(
      first,
    );
    expect(ask("uuid.rfc4122", "other")).not.toBe(first[1]);
    session.beginEvaluation();
    expect(ask("time.now_ns")).toBe("1");
    expect(ask("uuid.rfc4122", "k")).not.toBe(first[1]);
  });

  it("keeps every digit of the time", () => {
    const now = openHostSession(sources).builtins.get("time.now_ns") as HostBuiltin;
    expect(toText(now([]) as JsonLike)).toBe("1234567890123456789");
  });

  it.each([["10"], ["-10"], ["1"], ["0"]])(
    "draws integers below |%s|, and gives up on a source that does not vary",
    (limit) => {
      const random = (n: number) => new Uint8Array(n).fill(170);
      const draw = openHostSession({ random }).builtins.get("rand.intn") as HostBuiltin;
      const drawn = Number((draw(["k", new HostNumber(limit)]) as HostNumber).text);
      expect(drawn).toBeGreaterThanOrEqual(0);
      expect(drawn).toBeLessThan(Math.max(1, Math.abs(Number(limit))));
      const stuck = openHostSession(sources).builtins.get("rand.intn") as HostBuiltin;
      expect(stuck(["k", new HostNumber("7")])).toBeUndefined();
    },
  );
});

describe("texts of values", () => {
  it("keep numbers, sets and keys of any type", () => {
    const text = '{"__proto__":1e3,"a":[-0,2.50,{1,"x"},set()],[1]:{"b":null}}';
    expect(toText(fromText(text) as JsonLike)).toBe('{"__proto__":1e3,"a":[-0,2.50,{1,"x"},set()],[1]:{"b":null}}');
  });

  it.each([
    "",
    "[1,]",
    "[1] x",
    "01",
    "1.",
    "+1",
    "'a'",
    '{"a"}',
    "{1:2}",
    '"\\x"',
    '"\u0001"',
    "nul",
    "[".repeat(5000),
    '{"a":1,}',
    "set()",
    "NaN",
    "\ufeff1",
  ])("refuse %j as JSON", (text) => expect(fromJson(text)).toBeUndefined());

  it("read what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = fromJson(JSON.stringify(value));
        expect(JSON.parse(toText(read as JsonLike))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});
