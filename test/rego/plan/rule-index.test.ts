/** The rule index: answers do not depend on it, and time does not depend on how many rules there are. */

import { type Policy as LoadedPolicy, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { between, runs, SEED } from "../../campaign.ts";
import { BudgetExceeded, interpret, PolicyError } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { type Obj, print, toJson, type Val } from "../../interpreter/value.ts";
import { compile } from "./compile.ts";
import { generateGuarded } from "./generate/guarded.ts";

const OFF = Number.POSITIVE_INFINITY;

/** `undefined` for a program with a type error, as some that are generated have. */
function tryToPlan(module: string, indexFrom: number): Policy | undefined {
  return compile([module], { entrypoints: ["t/p", "t"], indexFrom }).policy;
}

function planned(module: string, indexFrom: number): Policy {
  return tryToPlan(module, indexFrom) as Policy;
}

function answer(policy: Policy, input: unknown, budget = 1_000_000, entrypoint = "t"): string {
  const options = { input: parseJson(JSON.stringify(input)), data: undefined, strict: true, budget };
  try {
    const [row] = interpret(policy, entrypoint, options).items();
    return row === undefined ? "undefined" : print(toJson((row as Obj).get("result") as Val));
  } catch (error) {
    if (error instanceof PolicyError) return "conflict";
    throw error;
  }
}

/** Statements that an evaluation runs: the least budget that is enough for it. */
function statementsRun(policy: Policy, input: unknown): number {
  const isEnough = (budget: number): boolean => {
    try {
      answer(policy, input, budget, "t/p");
      return true;
    } catch (error) {
      if (error instanceof BudgetExceeded) return false;
      throw error;
    }
  };
  let [low, high] = [0, 1];
  while (!isEnough(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

async function loaded(module: string, indexFrom: number): Promise<LoadedPolicy | undefined> {
  const modules = [new SourceFile("t.rego", module)];
  const { compiled } = await compileModules({ modules, entrypoints: ["t/p", "t/s", "t/asked"], indexFrom });
  return compiled && load(compiled.wasm);
}

describe("programs of guarded rules", () => {
  it("give the same answers with and without the index", () => {
    let switches = 0;
    for (let seed = SEED; seed < SEED + runs(600); seed++) {
      const { module, inputs } = generateGuarded(seed, false);
      const [plain, indexed] = [tryToPlan(module, OFF), tryToPlan(module, 2)];
      if (plain === undefined || indexed === undefined) continue;
      expect(policyToText(plain)).not.toContain("switch");
      switches += policyToText(indexed).split("switch").length - 1;
      for (const input of inputs)
        expect(answer(indexed, input), `seed ${seed}: ${JSON.stringify(input)}\n${module}`).toBe(answer(plain, input));
    }
    expect(switches).toBeGreaterThan(runs(600));
  });

  it("give the same answers as modules", async () => {
    for (let seed = SEED; seed < SEED + between(8, 100); seed++) {
      const { module, inputs } = generateGuarded(seed, true);
      const [plain, indexed] = await Promise.all([OFF, 2].map((indexFrom) => loaded(module, indexFrom)));
      if (plain === undefined || indexed === undefined) continue;
      for (const entrypoint of ["t/p", "t/s", "t/asked"]) {
        for (const input of inputs) {
          const [want, got] = [plain, indexed].map((p) => [p.evaluate(entrypoint, input), p.lastFault?.code]);
          expect(got, `seed ${seed}: ${entrypoint} ${JSON.stringify(input)}\n${module}`).toEqual(want);
        }
      }
    }
  });
});

/** Rules of each kind that the index knows; each is about one of the users, or one of the paths. */
const KINDS: Readonly<Record<string, (i: number) => string>> = {
  "complete rules, by equality": (i) => `p := ${i} if input.user == "user${i}"`,
  "complete rules that agree, behind a local": (i) => `p if { u := input.user; u == "user${i}"; input.n > 0 }`,
  "complete rules, by membership": (i) => `p := ${i} if input.user in {"user${i}", "other${i}"}`,
  "complete rules, by two places": (i) => `p := ${i} if { input.n == ${i % 10}; input.user == "user${i}" }`,
  "complete rules, by a prefix": (i) => `p := ${i} if startswith(input.path, "/user${i}/")`,
  "complete rules, by prefixes of many lengths": (i) =>
    `p := ${i} if startswith(input.path, "/user${i}/${i < 10 ? "" : "a".repeat(i % 97)}")`,
  sets: (i) => `p contains "v${i}" if input.user == "user${i}"`,
  objects: (i) => `p[k] := ${i} if { k := "v${i}"; input.user == "user${i}" }`,
  "documents of constant keys": (i) => `p.v${i} := ${i} if input.user == "user${i}"`,
  "documents of constant keys, by membership": (i) => `p["v ${i}"] := ${i} if input.user in {"user${i}", "o${i}"}`,
  "documents of constant keys, with other rules": (i) =>
    i === 0
      ? "p.first contains 1 if input.n\np.second := true\ndefault p.third := 3"
      : `p.v${i} := ${i} if input.user == "user${i}"`,
  functions: (i) => `${i === 0 ? "p := f(input.user)\n" : ""}f("user${i}") := ${i}`,
};

const MANY = runs(10_000);

describe(`${MANY} guarded rules`, () => {
  it.each(Object.entries(KINDS))("run about as many statements as ten: %s", (_, rule) => {
    const module = (count: number): string =>
      `package t\n${Array.from({ length: count }, (_, i) => rule(i)).join("\n")}\n`;
    const [few, many] = [10, MANY].map((count) => {
      const policy = planned(module(count), 8);
      const asked = [0, 3, 9].map((i) => ({ user: `user${i}`, path: `/user${i}/a`, n: i }));
      return Math.max(...asked.map((input) => statementsRun(policy, input)));
    }) as [number, number];
    // Two tables in place of one, and a call.
    expect(many).toBeLessThanOrEqual(few * 1.5 + 8);
  });

  it("run about as many statements as ten: an else chain", () => {
    const chain = (count: number): string =>
      `package t\np := 0 if input.user == "user0"${Array.from({ length: count - 1 }, (_, i) => ` else := ${i + 1} if input.user == "user${i + 1}"`).join("")} else := "none"`;
    const [few, many] = [10, 300].map((count) => statementsRun(planned(chain(count), 8), { user: "user7" })) as [
      number,
      number,
    ];
    expect(many).toBe(few);
  });
});
