/** Values, and texts in the place of JSON, that are not what they seem. */

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

/**
 * By name: what is put in the place of a good value. `ask`: asks the policy something, from within its own reading of the
 * request.
 */
export const hostileValues = (ask: () => unknown): Readonly<Record<string, (good: unknown) => unknown>> => ({
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
          {
            enumerable: true,
            get: () => {
              ask();
              return inner;
            },
          },
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
  "a length that is not a number": lengthOf(Number.NaN),
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
    // A map has a size of its own, which cannot be assigned.
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
});

/** Some are no JSON. */
export const hostileTexts = [
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
