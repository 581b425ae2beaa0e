/**
 * Texts like those of requests, changed by chance, all read by one module: refused exactly where JSON.parse refuses them, else
 * of the same value, copied or in place. What the module remembers of the texts before must not show.
 */

import { expect, it } from "vitest";
import { parseExactJson } from "../../../runtime/json/exact-json.ts";
import { runs, SEED } from "../../campaign.ts";
import { Random } from "../plan/generate/random.ts";
import { emit, entrypoint, Module } from "./module.ts";

const OWN = ["id", "kind", "path", "items", "draft", "PASS", "é", "a key of the policy with more than sixteen bytes"];
const FOREIGN = [
  "",
  "x",
  "note",
  "paths",
  "draf",
  "PASS ",
  "日本",
  "\u{10ffff}",
  "y".repeat(63),
  "z".repeat(64),
  "w".repeat(65),
];

const policy = `${entrypoint("p", "f")}
func f(L0, L1) -> L2
${OWN.map((text) => `  block\n    L2 = ${JSON.stringify(text)}`).join("\n")}
  block
    return L0
`;

const NUMBERS = [
  "0",
  "-0",
  "7",
  "-1",
  "255",
  "256",
  "1.0",
  "1e3",
  "-2.5E-7",
  "9223372036854775807",
  "123456789012345678901234567890",
];
const SPACES = ["", "", "", "", " ", "\n", "\t\r\n  "];
const PIECES = [
  ...["{", "}", "[", "]", ",", ":", '"', '""', "\\", "\\n", "\\u", "\\u0069", "\\ud83d", "\\udc00", '"id":', '"id":1,'],
  ...["0", "-", ".5", "e9", "true", "null", "set()", " ", "\n", "\u0000", "\u001f", "\u007f", "é", "\u0080", "😀"],
].map((text) => [...Buffer.from(text)]);
const BYTES = [[0x80], [0xc3], [0xc0, 0xaf], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff]];

class Texts {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.random.int(items.length)] as T;
  }

  /** A string as JSON has it, some of its characters as escapes now and then. */
  private string(): string {
    const text = JSON.stringify(this.random.chance(0.6) ? this.pick(OWN) : this.pick(FOREIGN));
    if (!this.random.chance(0.05)) return text;
    return text.replace(/[a-z]/g, (c) => (this.random.chance(0.3) ? `\\u00${c.charCodeAt(0).toString(16)}` : c));
  }

  private list(count: number, item: () => string): string {
    const space = this.pick(SPACES);
    return Array.from({ length: count }, () => space + item() + space).join();
  }

  value(depth: number): string {
    const space = this.pick(SPACES);
    switch (this.random.int(depth > 3 ? 5 : 8)) {
      case 0:
        return this.pick(NUMBERS);
      case 1:
        return this.pick(["true", "false", "null"]);
      case 2:
      case 3:
      case 4:
        return this.string();
      case 5:
        return `[${this.list(this.count(), () => this.value(depth + 1))}]`;
      default:
        return `{${this.list(this.count(), () => `${this.string()}${space}:${space}${this.value(depth + 1)}`)}}`;
    }
  }

  /** Few as a rule; sometimes more than an object without an index has. */
  private count(): number {
    return this.random.chance(0.03) ? 6 + this.random.int(12) : this.random.int(4);
  }

  changed(text: Buffer): Buffer {
    const at = this.random.int(text.length + 1);
    const until = (length: number): Buffer => text.subarray(at + length);
    const put = (bytes: ArrayLike<number>, dropped: number): Buffer =>
      Buffer.concat([text.subarray(0, at), Uint8Array.from(bytes), until(dropped)]);
    switch (this.random.int(5)) {
      case 0:
        return put(this.pick(PIECES), this.random.int(3));
      case 1:
        return put([], 1 + this.random.int(3));
      case 2:
        return put([this.random.int(256)], 1);
      case 3: {
        const from = this.random.int(text.length + 1);
        return put(text.subarray(from, from + this.random.int(24)), 0);
      }
      default:
        return this.random.chance(0.3) ? put(this.pick(BYTES), 0) : text.subarray(0, at);
    }
  }
}

/** The value as JSON.parse has it; `undefined` for a text that it refuses. */
function expected(text: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text));
    return text.includes("\\u") ? wellFormed(value) : value;
  } catch {
    return undefined;
  }
}

/** Half a surrogate pair is U+FFFD, as in Go. */
function wellFormed<T>(value: T): unknown {
  if (typeof value === "string") return value.replace(/\p{Surrogate}/gu, "\ufffd");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [wellFormed(key), wellFormed(member)]));
}

/** Whether two values of JSON are the same. Members may come in any order. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

it("of mutated texts is refused what JSON.parse refuses, and the rest has the same value", () => {
  const m = new Module(emit(policy));
  const random = new Random(SEED);
  const texts = new Texts(random);
  const count = runs(8_000_000);
  let read = 0;
  let text: Buffer = Buffer.from("{}");
  for (let i = 0; i < count; i++) {
    text = i % 4 === 0 ? Buffer.from(texts.value(0)) : texts.changed(text);
    m.fn("opa_heap_ptr_set")(m.base);
    const value = m.parse(text);
    const dumped = value === 0 ? undefined : m.text(m.fn("opa_json_dump")(value));
    const got: unknown = dumped === undefined ? undefined : JSON.parse(dumped);
    const want = expected(text);
    if (!same(got, want)) expect.fail(`text ${i}: ${text.toString("latin1")}`);
    if (want === undefined) continue;
    read++;
    // Throws where a key stands twice, which JSON.parse would not show.
    parseExactJson(dumped as string);
    // Value text is more than JSON, and reads JSON alike.
    const answer = JSON.parse(m.evaluateText(text)) as readonly [{ readonly result: unknown }];
    if (!same(answer[0].result, want)) expect.fail(`text ${i}, evaluated: ${text.toString("latin1")}`);
  }
  expect(read).toBeGreaterThan(count / 4);
});
