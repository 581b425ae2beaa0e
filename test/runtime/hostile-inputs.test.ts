/**
 * Values that are not what they seem, at every place of a request that would be allowed: through the typed calls, through
 * `evaluate`, and as JSON text. Nothing throws, and nothing is allowed but what the plain reading of the value deserves.
 */
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { compileModules } from "../../compiler/compile-modules.ts";
import { dataValue } from "../../compiler/lower/policy-data.ts";
import { load, type Policy } from "../../runtime/index.ts";
import { sampled } from "../campaign.ts";
import { combined } from "../library/combinations.ts";
import { libraryModules, librarySchemas } from "../library/library-modules.ts";
import { right } from "../library/right-requests.ts";
import { absent, placesOf, replaced } from "../library/spoiling.ts";
import { type DecisionName, decisionNames, statements } from "../statements/index.ts";
import { field } from "../statements/values.ts";
import { meaningOf } from "./meaning.ts";

let policy: Policy;
beforeAll(async () => {
  const { compiled } = await compileModules({
    modules: libraryModules().map(({ name, text }) => new SourceFile(name, text)),
    schemas: librarySchemas(),
    data: dataValue({ portcullis: { policy: combined } }),
  });
  policy = await load(compiled!.wasm);
}, 60_000);

const callers: readonly (readonly [string, (decision: DecisionName, input: unknown) => unknown])[] = [
  ["typed", (decision, input) => policy[decision](input as never)],
  ["evaluate", (decision, input) => policy.evaluate(`portcullis/${decision}/decision`, input)],
];

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Places that are asked for being there, whatever they hold: nobody looks into a list or an object there. */
const anything: Partial<Record<DecisionName, readonly string[]>> = { handoff: ["/record/severity"] };

/**
 * The answer is the statement's of what the input means, or the denial of a fault where it is no JSON value; `unread`: or
 * that of the right request, as the value is there.
 */
function hold(decision: DecisionName, input: unknown, what: string, unread = false): void {
  const meaning = meaningOf(input);
  const expected = plain(statements[decision](combined, meaning.value));
  for (const [caller, decide] of callers) {
    const label = `${decision} by ${caller}: ${what}`;
    let answer: unknown;
    expect(() => (answer = decide(decision, input)), label).not.toThrow();
    // A place that nobody looks into may hold anything, so such a request may also be denied by a gate.
    if (!meaning.whole && (isFault(answer) || field(answer, "allowed") === false)) continue;
    if (
      !meaning.whole &&
      unread &&
      isDeepStrictEqual(plain(answer), plain(statements[decision](combined, right[decision])))
    )
      continue;
    if (!isDeepStrictEqual(plain(answer), expected)) expect(plain(answer), label).toEqual(expected);
  }
}

const isFault = (answer: unknown): boolean =>
  field(answer, "gate") === "INTERNAL_ERROR" && field(answer, "allowed") === false && policy.lastFault !== undefined;

/** Puts a value there without cloning the rest: `replaced` would flatten what is hostile. */
function planted(request: object, pointer: string, plant: (good: unknown) => unknown): unknown {
  if (pointer === "") return plant(request);
  const root = structuredClone(request);
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = keys.pop()!;
  const at = keys.reduce<object>((inner, key) => Reflect.get(inner, key), root);
  const value = plant(Reflect.get(at, last));
  Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  return root;
}

function getterOf(value: unknown): object {
  const made = {};
  for (const [key, inner] of Object.entries(Object(value)))
    Object.defineProperty(made, key, { get: () => inner, enumerable: true });
  return made;
}

function cyclic(value: unknown): object {
  const made: Record<string, unknown> = { ...Object(value) };
  for (const key of Object.keys(made)) made[key] = made;
  return made;
}

const proxied = (target: unknown, handler: ProxyHandler<object>): unknown =>
  typeof target === "object" && target !== null ? new Proxy(target, handler) : new Proxy({ target }, handler);

/** An array that lies about its length. */
const lengthOf = (length: unknown) => (good: unknown) =>
  proxied(Array.isArray(good) ? good : [good], {
    get: (target, key, receiver) => (key === "length" ? length : Reflect.get(target, key, receiver)),
  });

function deep(levels: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

const text = (change: (good: string) => string) => (good: unknown) =>
  typeof good === "string" ? change(good) : change("true");

class Inheriting {
  get contextSealed(): boolean {
    return true;
  }
  toJSON(): unknown {
    return { contextSealed: true };
  }
}

const hostile: Readonly<Record<string, (good: unknown) => unknown>> = {
  "everything inherited": (good) => Object.create(Object(good)),
  "everything inherited by an own nothing": (good) => Object.setPrototypeOf({}, Object(good)),
  "without a prototype": (good) => Object.assign(Object.create(null), good),
  frozen: (good) => Object.freeze(structuredClone(good)),
  getters: getterOf,
  "a getter that throws": (good) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.keys(Object(good)).map((key) => [
          key,
          {
            enumerable: true,
            get: () => {
              throw new Error("no");
            },
          },
        ]),
      ),
    ),
  "a getter that asks the policy": (good) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(Object(good)).map(([key, inner]) => [
          key,
          { enumerable: true, get: () => (policy.lane(right.lane as never).allowed ? inner : inner) },
        ]),
      ),
    ),
  "keys that are not to be seen": (good) =>
    Object.defineProperty(Object.assign({}, good), "extra", { value: () => 1, enumerable: false }),
  "a transparent proxy": (good) => (typeof good === "object" && good !== null ? new Proxy(good, {}) : good),
  "a proxy that has everything": () =>
    new Proxy(
      {},
      {
        get: () => true,
        has: () => true,
        ownKeys: () => [],
      },
    ),
  "a revoked proxy": (good) => {
    const { proxy, revoke } = Proxy.revocable(Object(good), {});
    revoke();
    return proxy;
  },
  "a proxy that throws": (good) =>
    proxied(good, {
      get: () => {
        throw new Error("no");
      },
      ownKeys: () => {
        throw new Error("no");
      },
      getOwnPropertyDescriptor: () => {
        throw new Error("no");
      },
    }),
  "no length": lengthOf(undefined),
  "a length that is no number": lengthOf(Number.NaN),
  "a negative length": lengthOf(-1),
  "half a length": lengthOf(0.5),
  "more than half a length": lengthOf(1.5),
  "a length in words": lengthOf("1"),
  "a length of an object": lengthOf({ valueOf: () => 1 }),
  "a length that wraps": lengthOf(2 ** 32),
  "a length that nearly wraps": lengthOf(2 ** 31),
  "a length of less": lengthOf(0),
  toJSON: (good) => ({ toJSON: () => good }),
  "an inherited toJSON": () => new Inheriting(),
  boxed: (good) => Object(good),
  "a box of truth": () => new Boolean(true),
  "a box of text": () => new String("true"),
  "NUL behind": text((good) => `${good}\0`),
  "NUL before": text((good) => `\0${good}`),
  "the other case": text((good) => (good === good.toUpperCase() ? good.toLowerCase() : good.toUpperCase())),
  "a homoglyph": text((good) => good.replace(/[aco]/i, (c) => ({ a: "а", c: "с", o: "о" })[c.toLowerCase()] as string)),
  "full width": text((good) => good.replace(/[!-~]/, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))),
  "nothing to be seen behind": text((good) => `${good}\u200b`),
  "a byte order mark before": text((good) => `\ufeff${good}`),
  "white space around": text((good) => ` ${good}\n`),
  "an accent": text((good) => `${good}\u0301`),
  "half a character behind": text((good) => `${good}\ud83d`),
  "half a character": () => "\udc00",
  "the replacement character": () => "\ufffd",
  "a long text": text((good) => good.repeat(200_000)),
  "too long a text": text((good) => good.padEnd(20_000_000, "x")),
  "a list of itself": (good) => [good],
  "a list with its members": (good) => Object.assign([], good),
  "like a list": (good) => ({ length: 1, 0: good }),
  "a list with holes": (good) => {
    const list: unknown[] = Array.isArray(good) ? [...good] : [good];
    list.length += 2;
    return list;
  },
  "a list of nothing, and long": () => new Array(2 ** 32 - 1),
  "a set": (good) => new Set([good]),
  "a map": (good) => new Map(Object.entries(Object(good))),
  "a map with members": (good) =>
    // A map has a size of its own, which nobody can assign.
    Object.defineProperties(new Map(), Object.getOwnPropertyDescriptors(Object(good))),
  bytes: () => new Uint8Array([1]),
  "a shared buffer": () => new SharedArrayBuffer(8),
  symbol: () => Symbol("true"),
  "keys that are symbols": (good) => ({ [Symbol("a")]: good }),
  "more keys that are symbols": (good) => (Array.isArray(good) ? good : Object.assign({}, good, { [Symbol("a")]: 1 })),
  function: () => () => true,
  "a function with members": (good) => Object.assign(() => true, good),
  class: () => Inheriting,
  date: () => new Date(0),
  "a regular expression": () => /true/,
  promise: (good) => Promise.resolve(good),
  error: () => new Error("true"),
  generator: () =>
    (function* () {
      yield true;
    })(),
  cyclic,
  "as deep as it may be": () => deep(60),
  "too deep": () => deep(100_000),
  undefined: () => undefined,
  "not a number": () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  "less than nothing": () => -0,
  "a very small number": () => 5e-324,
  "a very large number": () => 1.7976931348623157e308,
  "a number just under": () => 1 - 2 ** -53,
  "beyond exact": () => 2 ** 53,
  "a big integer": () => 1n,
  "a bigger integer": () => 10n ** 400n,
  "a name that objects have": () => "__proto__",
  "another name that objects have": () => "constructor",
  "a method's name": () => "toString",
  "an object of such names": (good) =>
    JSON.parse(`{"__proto__":${JSON.stringify(good)},"constructor":true,"toString":true,"hasOwnProperty":null}`),
};

describe.each(decisionNames)("hostile requests to %s", (decision) => {
  it.each(Object.entries(hostile))("%s", { timeout: 300_000 }, (what, plant) => {
    // What goes round in circles is written until the limit of an input, a tenth of a second each time.
    const places = [...placesOf(right[decision])];
    for (const pointer of sampled(places, what === "cyclic" ? 1 / 20 : 1 / 10))
      hold(
        decision,
        planted(right[decision], pointer, plant),
        `${what} at \`${pointer}\``,
        anything[decision]?.includes(pointer),
      );
    // The policy is still there, and not opened.
    const still = policy[decision](right[decision] as never);
    expect({ ...still, fault: policy.lastFault }).toMatchObject({ allowed: true, fault: undefined });
    expect(policy[decision](replaced(right[decision], "", null) as never).allowed).toBe(false);
  });

  it("members that every object has since somebody gave them to all", () => {
    for (const pointer of placesOf(right[decision]).filter((one) => one !== "")) {
      const key = pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll("~1", "/");
      if (/^\d+$/.test(key)) continue;
      let good: unknown;
      planted(right[decision], pointer, (value) => (good = value));
      const without = replaced(right[decision], pointer, absent);
      expect(Object.hasOwn(Object.prototype, key)).toBe(false);
      Object.defineProperty(Object.prototype, key, { value: good, configurable: true, writable: true });
      const answers = callers.map(([, decide]) => decide(decision, without));
      Reflect.deleteProperty(Object.prototype, key);
      for (const answer of answers)
        expect(plain(answer), pointer).toEqual(plain(statements[decision](combined, without)));
    }
  });
});

describe.each(decisionNames)("hostile JSON text to %s", (decision) => {
  const entrypoint = `portcullis/${decision}/decision`;

  /** The right request as text, with a value replaced by text that need not be JSON. */
  function* texts(): Iterable<readonly [string, string]> {
    const values = [
      "1e400",
      "-1e400",
      "1e999999999",
      "1e-999999999",
      "-0",
      "-0.0",
      "1.0",
      "1E0",
      "0.99999999999999999999",
      "1.00000000000000000001",
      "4294967295.5",
      `1${"0".repeat(5_000)}`,
      `0.${"0".repeat(5_000)}1`,
      "01",
      "+1",
      ".5",
      "1.",
      "0x1",
      "1_0",
      "NaN",
      "Infinity",
      "undefined",
      "True",
      "'true'",
      "tru",
      '"true',
      '"\\ud800"',
      '"\\u0000"',
      '"\\x41"',
      '"\t"',
      '{"a":1,"a":2}',
      '{"a"}',
      "[1,]",
      "[,]",
      "{,}",
      "/* */ 1",
      "",
      "\u00a0",
      "[".repeat(100_000),
      '{"a":'.repeat(100_000),
    ];
    for (const pointer of placesOf(right[decision])) {
      const marked = JSON.stringify(replaced(right[decision], pointer, "@here@"));
      for (const value of values) yield [pointer, marked.replace('"@here@"', () => value)];
    }
  }

  it("answers as the reading of JSON.parse deserves, or denies", { timeout: 120_000 }, () => {
    for (const [pointer, json] of texts()) {
      const label = `${pointer}: ${json.slice(0, 200)}`;
      const answer = policy.evaluateJson(entrypoint, json);
      if (field(answer, "allowed") !== true) continue;
      // A number that no double holds is a number all the same.
      const { value } = meaningOf(JSON.parse(json, (_, one) => (Math.abs(one) === Infinity ? 1e308 : one)));
      expect(field(statements[decision](combined, value), "allowed"), label).toBe(true);
    }
  });

  it("takes the last of a key that is given twice, as every reader does, and denies when that is wrong", () => {
    for (const pointer of placesOf(right[decision]).filter((one) => !/(^|\/\d+)$/.test(one))) {
      const key = JSON.stringify(pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll("~1", "/"));
      const whole = JSON.stringify(replaced(right[decision], pointer, "@here@"));
      let good: unknown;
      planted(right[decision], pointer, (value) => (good = value));
      const twice = (a: string, b: string): string => whole.replace(`${key}:"@here@"`, () => `${key}:${a},${key}:${b}`);
      for (const json of [twice(JSON.stringify(good), "null"), twice("null", JSON.stringify(good))]) {
        const answer = policy.evaluateJson(entrypoint, json);
        expect(plain(answer), json).toEqual(plain(statements[decision](combined, JSON.parse(json))));
      }
    }
  });

  it("does not repair bytes that are no text", () => {
    const json = JSON.stringify(right[decision]);
    const bytes = new TextEncoder().encode(json);
    for (const bad of [
      [0xff],
      [0xc1, 0xa1],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0x00],
      [0xef, 0xbb, 0xbf],
    ]) {
      for (let at = 0; at <= bytes.length; at += 7) {
        const spoiled = Uint8Array.of(...bytes.subarray(0, at), ...bad, ...bytes.subarray(at));
        const answer = policy.evaluateJson(entrypoint, spoiled);
        if (field(answer, "allowed") !== true) continue;
        const read = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(spoiled));
        expect(field(statements[decision](combined, read), "allowed"), `${bad} at ${at}`).toBe(true);
      }
    }
  });
});
