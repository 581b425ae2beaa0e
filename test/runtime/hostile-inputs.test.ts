/**
 * Values that are not what they seem, at every place of a request that would be allowed: through the typed calls, through
 * `evaluate`, and as JSON text. Nothing throws, and nothing is allowed but what the plain reading of the value deserves.
 */
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { dataValue } from "../../compiler/governance/lower/policy-data.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { load, type Policy } from "../../runtime/index.ts";
import { sampled } from "../campaign.ts";
import { combined } from "../governance/library/combinations.ts";
import { libraryModules, librarySchemas } from "../governance/library/library-modules.ts";
import { right } from "../governance/library/right-requests.ts";
import { absent, placesOf, replaced } from "../governance/library/spoiling.ts";
import { withFolds } from "../governance/library/with-folds.ts";
import { type DecisionName, decisionNames, statements } from "../statements/index.ts";
import { field } from "../statements/values.ts";
import { hostileTexts, hostileValues } from "./hostile-values.ts";
import { meaningOf } from "./meaning.ts";

let policy: Policy;
beforeAll(async () => {
  const { compiled } = await compileModules({
    modules: libraryModules().map(({ name, text }) => new SourceFile(name, text)),
    schemas: librarySchemas(),
    data: dataValue({ portcullis: { policy: withFolds(combined) } }),
  });
  policy = await load(compiled!.wasm);
});

const callers: readonly (readonly [string, (decision: DecisionName, input: unknown) => unknown])[] = [
  ["typed", (decision, input) => policy[decision](input as never)],
  ["evaluate", (decision, input) => policy.evaluate(`portcullis/${decision}/decision`, input)],
];

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Places that are asked for being there, whatever they hold: no rule looks into a list or an object there. */
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
    // A place that no rule looks into may hold anything, so such a request may also be denied by a gate.
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

const hostile = hostileValues(() => policy.lane(right.lane as never));

describe.each(decisionNames)("hostile requests to %s", (decision) => {
  it.each(Object.entries(hostile))("%s", (what, plant) => {
    // What goes round in circles is written until the limit of an input, a tenth of a second each time.
    const places = [...placesOf(right[decision])];
    for (const pointer of what === "cyclic" ? sampled(places, 1 / 80, 1 / 8) : sampled(places, 1 / 10))
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
    for (const pointer of placesOf(right[decision])) {
      const marked = JSON.stringify(replaced(right[decision], pointer, "@here@"));
      for (const value of hostileTexts) yield [pointer, marked.replace('"@here@"', () => value)];
    }
  }

  it("answers as the reading of JSON.parse deserves, or denies", () => {
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

  it("does not repair bytes that are not text", () => {
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
