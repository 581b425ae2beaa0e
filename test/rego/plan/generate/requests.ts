/**
 * Sequences of requests of few values, so that the same is asked again, and almost the same: what a policy remembers, and
 * what an earlier request left in its memory, must not show.
 */

import type { Random } from "./random.ts";

export interface Question {
  readonly input: unknown;
  /** The host's data, `data.host`. */
  readonly host: unknown;
  /** Whether some of its texts are handed over as handles. */
  readonly hasHandles: boolean;
}

type Request = Record<string, unknown>;

/** Some that rules name, and some that no policy has. */
const TEXTS = ["k1", "k1", "k2", "root", "root", "a", "id", "new1", "new2", "new3", "é", ""];
/** The same, and others, with what trimming takes away. */
const UNTRIMMED = [
  " new1",
  "new1 ",
  " k1",
  "k1\t",
  "root ",
  " ",
  "   ",
  " ".repeat(12),
  " é",
  "new1é",
  "-new1",
  "new 1",
];
const SCALARS = [0, 1, 2, -1, 1.5, 300, true, true, false, null];
const HOSTS = [
  { a: "root", k1: "k2", root: "new1" },
  { a: "k1", k1: "new1", new1: "root" },
];

/** `keys`: members that they have, where they are few. */
export function requests(random: Random, count: number, keys?: readonly string[]): Question[] {
  const source = new Source(random, keys);
  const asked: unknown[] = [];
  let host: unknown = HOSTS[0];
  return random.times(count, () => {
    const before = host;
    if (random.chance(0.05)) host = random.pick(HOSTS);
    const again = asked.length > 0;
    const input =
      again && random.chance(host === before ? 0.2 : 0.7)
        ? random.pick(asked)
        : again && random.chance(0.75)
          ? source.mutated(random.pick(asked.slice(-8)))
          : source.input();
    asked.push(input);
    return { input, host, hasHandles: random.chance(0.1) };
  });
}

class Source {
  private readonly random: Random;
  private readonly keys: readonly string[] | undefined;

  constructor(random: Random, keys?: readonly string[]) {
    this.random = random;
    this.keys = keys;
  }

  input(): unknown {
    const { random } = this;
    if (random.chance(0.03)) return random.pick<unknown>([null, 1, "k1", [], [{ id: "k1" }], {}]);
    if (this.keys !== undefined) return this.few(this.keys);
    const list = (): unknown => this.list();
    return this.object({
      a: () => this.scalar(),
      b: () => this.scalar(),
      c: () => (random.chance(0.5) ? random.pick<unknown>([true, true, 0, 1]) : this.scalar()),
      o: () => (random.chance(0.9) ? this.inner() : this.scalar()),
      l: list,
      m: list,
      extra: () => this.scalar(),
    });
  }

  /** The same but for one part of it. */
  mutated(input: unknown): unknown {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return this.input();
    const { random, keys } = this;
    const copy = structuredClone(input) as Request;
    if (keys !== undefined) {
      this.set(copy, random.pick(keys), random.pick(TEXTS));
      return copy;
    }
    const inner = copy["o"];
    random.oneOf<void>(
      [3, () => this.set(copy, random.pick(["a", "b", "c"]), this.scalar())],
      [2, () => this.set(copy, random.pick(["a", "b"]), copy[random.pick(["a", "b", "c"])])],
      [3, () => this.changeList(copy, random.pick(["l", "m"]))],
      [1, () => this.set(copy, random.pick(["l", "m"]), this.list())],
      [1, () => this.set(copy, "m", structuredClone(copy["l"]))],
      [1, () => this.set(copy, "o", this.inner())],
      [isObject(inner) ? 2 : 0, () => this.changeList(inner as Request, "l")],
      [isObject(inner) ? 1 : 0, () => this.set(inner as Request, random.pick(["a", "b"]), copy["a"])],
      [1, () => this.set(copy, random.pick(["a", "b", "c", "o", "l", "m"]), undefined)],
    );
    return random.chance(0.1) ? Object.fromEntries(Object.entries(copy).reverse()) : copy;
  }

  /** Nearly always just these, and texts. */
  private few(keys: readonly string[]): Request {
    const { random } = this;
    const entries = keys.map((key): [string, unknown] => [
      key,
      random.chance(0.9) ? random.pick(TEXTS) : this.scalar(),
    ]);
    if (random.chance(0.05)) entries.pop();
    if (random.chance(0.05)) entries.push(["extra", this.scalar()]);
    return Object.fromEntries(random.chance(0.1) ? entries.reverse() : entries);
  }

  /** Undefined takes it away. */
  private set(object: Request, key: string, value: unknown): void {
    if (value === undefined) delete object[key];
    else object[key] = value;
  }

  private changeList(object: Request, key: string): void {
    const { random } = this;
    const list = object[key];
    if (!Array.isArray(list) || list.length === 0) {
      object[key] = this.list();
      return;
    }
    random.oneOf<void>(
      [3, () => (list[random.int(list.length)] = this.element())],
      [1, () => list.pop()],
      [1, () => list.push(structuredClone(random.pick<unknown>(list)))],
      [1, () => list.push(this.element())],
      [1, () => list.reverse()],
      [
        3,
        () => {
          const element: unknown = random.pick<unknown>(list);
          if (isObject(element)) this.set(element, random.pick(["id", "k", "other"]), this.scalar());
        },
      ],
    );
  }

  private inner(): Request {
    return this.object({
      a: () => this.scalar(),
      b: () => this.scalar(),
      z: () => (this.random.chance(0.8) ? this.object({ a: () => this.scalar() }) : this.scalar()),
      l: () => this.list(),
    });
  }

  private list(): unknown {
    return this.random.oneOf<unknown>(
      [8, () => this.elements(this.random.int(4))],
      [4, () => this.flat(this.random.int(4))],
      [1, () => this.elements(7 + this.random.int(3))],
      [1, () => this.elements(15 + this.random.int(6))],
      [1, () => this.object({ one: () => this.element(), id: () => this.scalar(), a: () => this.scalar() })],
      [1, () => this.scalar()],
    );
  }

  private elements(count: number): unknown[] {
    // Long lists whose elements are all alike, and others of few.
    const isMany = count > 4 && this.random.chance(0.5);
    return this.random.times(count, (i) => (isMany ? { id: `id ${i}`, k: "k1" } : this.element()));
  }

  /** What rules may name themselves, or the same within lists. */
  private flat(count: number): unknown[] {
    const { random } = this;
    const depth = random.pick([0, 0, 0, 1]);
    const item = (): unknown => random.pick<unknown>(["k1", "k1", "root", "a", 1, 0, true, null, { id: "k1" }]);
    return random.times(count, () => (depth === 0 ? item() : random.times(random.int(3), item)));
  }

  private element(): unknown {
    return this.random.oneOf<unknown>(
      [8, () => this.object({ id: () => this.scalar(), k: () => this.part(), other: () => this.scalar() })],
      [1, () => this.random.times(this.random.int(3), () => (this.random.chance(0.5) ? { id: "k1" } : this.scalar()))],
      [1, () => this.scalar()],
    );
  }

  private part(): unknown {
    return this.random.chance(0.7) ? this.scalar() : this.random.times(1, () => ({ id: this.scalar() }));
  }

  /** A text more often than not. */
  private scalar(): unknown {
    return this.random.oneOf<unknown>(
      [8, () => this.random.pick(TEXTS)],
      [1.5, () => this.random.pick(UNTRIMMED)],
      [2, () => this.random.pick(SCALARS)],
      [0.3, () => this.random.pick<unknown>([[], {}, ["k1"], ["new1"], { id: "k1" }, { a: "root" }])],
    );
  }

  /** Most of the members, now and then in another order. */
  private object(members: { readonly [key: string]: () => unknown }): Request {
    const entries = Object.entries(members).filter(() => this.random.chance(0.85));
    const made = entries.map(([key, make]): [string, unknown] => [key, make()]);
    return Object.fromEntries(this.random.chance(0.1) ? made.reverse() : made);
  }
}

function isObject(value: unknown): value is Request {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
