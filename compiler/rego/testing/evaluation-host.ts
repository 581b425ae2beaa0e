/**
 * The host of tests, and of evaluations on the spot: it hears what a policy prints, notes and reports, and has a clock and
 * chance, but no network. Chance is seeded: the same evaluations draw the same.
 */

import type { LoadOptions } from "@portcullis/runtime";
import { type BuiltinTable, type HostSources, isArray, isSet, type JsonLike, sorted } from "@portcullis/runtime/host";
import { TEST_CASE, TRACE } from "../plan/index.ts";
import { termText } from "./term-text.ts";
import { caseNames } from "./test-cases.ts";

/** What one evaluation said. */
export interface Heard {
  readonly printed: string[];
  readonly notes: string[];
  /** The names of the cases that were begun. */
  readonly cases: string[][];
}

export interface EvaluationHost {
  readonly load: LoadOptions;
  /** What was heard since the last time that this was asked. */
  take(): Heard;
  /** The names of the case that was begun last, since then. */
  currentCase(): readonly string[] | undefined;
}

/** A test may take what no decision may. */
export const TEST_LIMITS = { steps: 2_000_000_000, memory: 1 << 30 };

/** Builtins that have no answer here; a call of one is undefined, as a failing call is in OPA. */
const OFFLINE = ["http.send", "net.lookup_ip_addr"];

/** `options`: builtins and sources of the caller's own, which win. */
export function evaluationHost(options: LoadOptions): EvaluationHost {
  let heard: Heard = { printed: [], notes: [], cases: [] };
  const own: BuiltinTable = {
    "internal.print": ([operands]) => {
      if (isArray(operands)) heard.printed.push(...printedLines(operands));
      return true;
    },
    [TRACE]: ([note]) => {
      if (typeof note !== "string") return undefined;
      heard.notes.push(note);
      return true;
    },
    [TEST_CASE]: ([names]) => {
      if (isArray(names)) heard.cases.push(caseNames(names));
      return true;
    },
    ...Object.fromEntries(
      OFFLINE.map((name) => [
        name,
        () => {
          const note = `${name}: there is no network here; a test puts \`with ${name} as …\` in its place`;
          if (!heard.notes.includes(note)) heard.notes.push(note);
          return undefined;
        },
      ]),
    ),
  };
  return {
    load: {
      ...options,
      sources: { ...sources(), ...options.sources },
      builtins: [() => own, ...(options.builtins ?? [])],
    },
    take() {
      const taken = heard;
      heard = { printed: [], notes: [], cases: [] };
      return taken;
    },
    currentCase: () => heard.cases.at(-1),
  };
}

function sources(): HostSources {
  return { now: () => BigInt(Date.now()) * 1_000_000n, random: seededBytes(1), runtime: new Map() };
}

/** Marsaglia's xorshift over 32 bits: chance enough for tests, and the same on every run. */
function seededBytes(seed: number): (length: number) => Uint8Array {
  let state = seed;
  return (length) =>
    Uint8Array.from({ length }, () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state & 0xff;
    });
}

/** One line for every way to take one value of each operand; an operand without a value is `<undefined>`. */
function printedLines(operands: readonly JsonLike[]): string[] {
  return operands
    .reduce<string[][]>(
      (lines, operand) => {
        const values = isSet(operand) ? sorted(operand).map(printedText) : [printedText(operand)];
        const texts = values.length === 0 ? ["<undefined>"] : values;
        return lines.flatMap((line) => texts.map((text) => [...line, text]));
      },
      [[]],
    )
    .map((line) => line.join(" "));
}

function printedText(value: JsonLike): string {
  return typeof value === "string" ? value : termText(value);
}
