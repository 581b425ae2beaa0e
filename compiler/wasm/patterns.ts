/**
 * The regular expressions and globs that a policy names itself, as programs in its static data, so that no evaluation
 * compiles one. How they are found: rtlib/builtins/regex/known.ts.
 */

import { unreachable } from "../base/assert.ts";
import type { Value } from "../base/value.ts";
import { blocksOf } from "../plan/fields.ts";
import type { Block, Operand, Policy, StmtOf } from "../plan/ir.ts";
import type { PolicyLayout } from "./layout.ts";
import { type Pattern, programOf } from "./pattern-compiler.ts";

/** Builtins that take a pattern, and which argument it is. */
const PATTERN_ARGUMENT: ReadonlyMap<string, number> = new Map([
  ["glob.match", 0],
  ["re_match", 0],
  ["regex.find_all_string_submatch_n", 0],
  ["regex.find_n", 0],
  ["regex.is_valid", 0],
  ["regex.match", 0],
  ["regex.replace", 1],
  ["regex.split", 0],
]);

/** Of `glob.match`. */
const SEPARATORS_ARGUMENT = 1;

interface Place {
  readonly pattern: number;
  /** 0 for a regular expression. */
  readonly separators: number;
  readonly program: number;
}

/** Address of the table of all patterns that are constants, or 0 where there are none. */
export function layOutPatterns(layout: PolicyLayout): number {
  const places = new Map<string, Place>();
  for (const stmt of callsOf(layout.policy)) {
    const place = placeOf(layout, stmt);
    if (place !== undefined) places.set(`${place.pattern}/${place.separators}`, place);
  }
  return places.size === 0 ? 0 : layout.data.words(tableOf([...places.values()]));
}

function placeOf(layout: PolicyLayout, { func, args }: StmtOf<"CallStmt">): Place | undefined {
  const argument = PATTERN_ARGUMENT.get(func);
  const operand = argument === undefined ? undefined : args[argument];
  const pattern = operand && constantOf(layout, operand);
  if (pattern?.value.kind !== "string" || layout.builtins.get(func)?.kind !== "Native") return undefined;
  const text = pattern.value.value;
  if (func !== "glob.match") return place(layout, { text }, pattern.address, 0);
  const separators = constantOf(layout, args[SEPARATORS_ARGUMENT] as Operand);
  if (separators === undefined || !areSeparators(separators.value)) return undefined;
  return place(layout, { text, separators: separators.value }, pattern.address, separators.address);
}

function place(layout: PolicyLayout, source: Pattern, pattern: number, separators: number): Place | undefined {
  const words = programOf(source);
  return words && { pattern, separators, program: layout.data.words(words) };
}

function constantOf(layout: PolicyLayout, operand: Operand): { value: Value; address: number } | undefined {
  switch (operand.kind) {
    case "Local":
    case "Boolean":
      return undefined;
    case "String":
      return { value: { kind: "string", value: layout.text(operand.index) }, address: layout.addressOf(operand) };
    case "Constant":
      return { value: layout.constantOf(operand) as Value, address: layout.addressOf(operand) };
    default:
      return unreachable(operand);
  }
}

/** What a glob may have for separators: with anything else it has no result. */
function areSeparators(value: Value): boolean {
  if (value.kind !== "array") return value.kind === "null";
  return value.items.every((item) => item.kind === "string" && [...item.value].length === 1);
}

/** The index mask, then entries of three words. */
function tableOf(places: readonly Place[]): number[] {
  let slots = 2;
  while (slots < places.length * 2) slots *= 2;
  const words = [slots - 1, ...Array.from({ length: slots * 3 }, () => 0)];
  for (const { pattern, separators, program } of places) {
    let slot = (pattern >>> 3) & (slots - 1);
    while (words[1 + slot * 3] !== 0) slot = (slot + 1) & (slots - 1);
    words.splice(1 + slot * 3, 3, pattern, separators, program);
  }
  return words;
}

/** Every call, wherever it stands. */
function callsOf(policy: Policy): StmtOf<"CallStmt">[] {
  const found: StmtOf<"CallStmt">[] = [];
  const pending: Block[] = [...policy.funcs, ...policy.plans].flatMap((body) => body.blocks);
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    for (const stmt of block.stmts) {
      if (stmt.kind === "CallStmt") found.push(stmt);
      pending.push(...blocksOf(stmt));
    }
  }
  return found;
}
