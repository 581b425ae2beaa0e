/** What the programs that are asked sequences are about: whether they can find what they are there to find. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { policySectionOf } from "../../runtime/load/verify.ts";
import { generateComparing } from "../rego/plan/generate/comparing.ts";
import { mend } from "./repair.ts";
import { compareSequence, isSequence, moduleOf } from "./sequences.ts";

const FIRST = 600_000;
const PROGRAMS = 16;

interface Asked {
  readonly entrypoints: readonly string[];
  /** What the module says of its entrypoints, for the runtime's shorter way. */
  readonly decide: readonly unknown[];
  readonly answers: readonly string[];
}

async function askedOf(seed: number): Promise<Asked | undefined> {
  const generated = generateComparing(seed);
  const mended = mend(generated, generated.entrypoints);
  if (mended.policy === undefined) return undefined;
  const { entrypoints, questions } = mended.program;
  const wasm = (await moduleOf(mended.program)) as Uint8Array<ArrayBuffer>;
  const ask = (policy: Policy): (string | undefined)[] =>
    questions.flatMap(({ input }) =>
      entrypoints.map((entrypoint) => {
        const answer = policy.evaluate(entrypoint, input);
        return policy.lastFault === undefined ? (JSON.stringify(answer) ?? "undefined") : undefined;
      }),
    );
  const policy = await load(wasm);
  const answers = ask(policy).flatMap((answer) => answer ?? []);
  return {
    entrypoints,
    decide: policySectionOf(await WebAssembly.compile(wasm))?.decide ?? [],
    answers,
  };
}

describe("programs that are asked sequences", () => {
  let all: Asked[] = [];
  beforeAll(async () => {
    const asked = await Promise.all(Array.from({ length: PROGRAMS }, (_, i) => askedOf(FIRST + i)));
    all = asked.flatMap((one) => one ?? []);
  });

  const countWith = (mark: string): number => all.filter(({ decide }) => JSON.stringify(decide).includes(mark)).length;

  it("compile, nearly all of them", () => {
    expect(all.length).toBeGreaterThan(PROGRAMS * 0.9);
  });

  it("are decided from the footprints of their entrypoints, not as a result set of the whole input", () => {
    for (const { decide, entrypoints } of all)
      expect(decide.filter((entry) => entry !== null)).toHaveLength(entrypoints.length);
  });

  it("have strings that are looked up, and rows", () => {
    expect(countWith('"lookUp":')).toBeGreaterThan(all.length / 2);
    expect(countWith('"rows":')).toBeGreaterThan(all.length / 2);
  });

  it("allow and deny", () => {
    const answers = all.flatMap((one) => one.answers);
    for (const answer of ["true", "false"])
      expect(answers.filter((a) => a === answer).length).toBeGreaterThan(answers.length / 10);
    expect(new Set(answers).size).toBeGreaterThan(3);
  });

  it("are the same for the same seed", () => {
    expect(generateComparing(FIRST)).toEqual(generateComparing(FIRST));
    expect(generateComparing(FIRST)).not.toEqual(generateComparing(FIRST + 1));
  });

  it("are compared", async () => {
    expect(isSequence(FIRST)).toBe(true);
    expect(await compareSequence(FIRST)).toMatchObject({ compared: 1, differences: [] });
  });
});
