import { describe, expect, it } from "vitest";
import { runs, SEED } from "../../campaign.ts";
import { interpret, PolicyError } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { Arr, compare, Obj, print, toJson, type Val } from "../../interpreter/value.ts";
import { compile } from "./compile.ts";
import { type Generated, generate } from "./generate/index.ts";
import { askOpa, hasOpa } from "./opa.ts";

const PROGRAMS = runs(500);
const ASKED = runs(150);
/**
 * Once found: `some k, v in true`, which is not an error (10056), 1e-7 in a key that is a collection (1979497541),
 * and a list that an iteration made in such a key (1931961677).
 */
const FOUND = [10_056, 1_979_497_541, 1_931_961_677];

/** What the program's document is: its text, or `conflict`; undefined for a program that does not compile. */
function evaluate(program: Generated): string | undefined {
  const { policy } = compile(program.modules, { entrypoints: [program.package], keyed: true });
  if (policy === undefined) return undefined;
  const input = parseJson(JSON.stringify(program.input));
  const data = parseJson(JSON.stringify(program.data));
  try {
    const [row] = interpret(policy, program.package, { input, data, strict: true, budget: 2_000_000 }).items();
    return text((row as Obj).get("result") as Val);
  } catch (e) {
    if (e instanceof PolicyError) return "conflict";
    throw e;
  }
}

/**
 * Arrays sorted: in which order objects and documents are iterated is promised by no engine. A key that is not a text is JSON
 * text, in which OPA writes a number as its source does: the value counts.
 */
function text(value: Val): string {
  const key = (k: Val): Val => {
    if (typeof k !== "string" || !/^[[{]|^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(k)) return k;
    try {
      return print(sorted(parseJson(k)));
    } catch {
      return k; // A text that begins like JSON.
    }
  };
  const sorted = (v: Val): Val => {
    if (v instanceof Arr) return new Arr(v.items.map(sorted).sort(compare));
    return v instanceof Obj ? Obj.of(v.entries().map(([k, x]) => [key(k), sorted(x)])) : v;
  };
  return print(sorted(toJson(value)));
}

describe("generated programs", () => {
  it("compile without a crash, and run without reading what is undefined", () => {
    let ran = 0;
    for (let seed = SEED; seed < SEED + PROGRAMS; seed++) {
      try {
        if (evaluate(generate(seed)) !== undefined) ran++;
      } catch (e) {
        throw new Error(`seed ${seed}`, { cause: e });
      }
    }
    // Most of the others are type errors, as OPA says too.
    expect(ran).toBeGreaterThan(PROGRAMS * 0.3);
  });

  it.skipIf(!hasOpa)("give what OPA gives", () => {
    let compared = 0;
    const asked = Array.from({ length: ASKED }, (_, i) => SEED + i);
    for (const seed of [...FOUND, ...asked]) {
      const program = generate(seed);
      const answer = askOpa(`data.${program.package}`, program);
      const ours = evaluate(program);
      // Whether a conflict is met depends on what is evaluated first, and OPA's rule index looks ahead: only values are held.
      if ("errors" in answer || ours === "conflict") continue;
      compared++;
      expect(ours, `seed ${seed}`).toBe(text(answer.value ?? null));
    }
    expect(compared).toBeGreaterThan(ASKED * 0.2);
  });
});
