/**
 * Calls of builtins and what OPA 1.22.2 answered, in `recorded/*.json`: those that OPA's own compliance cases make, and some of
 * ours. Where an opa is installed, `test/opa` asks it each again. `args` and `result` are in Rego's syntax; a call without
 * `result` was an error.
 */

import { readdirSync, readFileSync } from "node:fs";
import {
  type BuiltinFamily,
  type BuiltinTable,
  fromText,
  type HostSources,
  type JsonLike,
  openSession,
  toText,
} from "@portcullis/runtime/host";

/** A family's builtins without a clock or chance, or with these sources. */
export function builtinsOf(family: BuiltinFamily, sources: HostSources = {}): BuiltinTable {
  return family(openSession(sources).sources);
}

export interface RecordedCall {
  readonly name: string;
  readonly args: string;
  readonly result?: string;
  readonly error?: string;
}

/** All of `recorded/`. */
export const families: readonly string[] = readdirSync(new URL("recorded", import.meta.url))
  .map((file) => file.replace(".json", ""))
  .sort();

export function recordedCalls(family: string): RecordedCall[] {
  return JSON.parse(readFileSync(new URL(`recorded/${family}.json`, import.meta.url), "utf8")) as RecordedCall[];
}

export function argumentsOf(call: RecordedCall): readonly JsonLike[] {
  return fromText(call.args) as readonly JsonLike[];
}

/** The answer of a builtin to a recorded call, and the recorded one, as comparable texts. */
export function replay(builtins: BuiltinTable, call: RecordedCall): { got: string; want: string } {
  const builtin = builtins[call.name];
  if (builtin === undefined) return { got: "no such builtin", want: "a builtin" };
  const result = builtin(argumentsOf(call));
  const want = call.result === undefined ? undefined : fromText(call.result);
  return {
    got: result === undefined ? "undefined" : toText(result),
    want: want === undefined ? "undefined" : toText(want),
  };
}

/** Runs a builtin that may find a limit of ours: it ends the evaluation, for what is undefined would make an answer of `not`. */
export function orGivesUp(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!String(error).startsWith("BeyondLimits:")) throw error;
  }
}

/** A short title for a call. */
export function title(call: RecordedCall, index: number): string {
  return `${index} ${call.name}${call.args.slice(0, 60).replaceAll("%", "%%")}`;
}
