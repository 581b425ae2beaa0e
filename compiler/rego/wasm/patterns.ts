/**
 * The regular expressions, globs and replacements that a policy names itself, as programs in its static data, so that no
 * evaluation compiles one. How they are found: rtlib/builtins/regex/known.ts.
 */

import { unreachable } from "../diagnostics/index.ts";
import { type Block, blocksOf, type Operand, type Policy, type Stmt, type StmtOf } from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import type { PolicyLayout } from "./layout.ts";
import { type Pattern, programOf } from "./pattern-compiler.ts";

/** Builtins that take a pattern: the index of that argument. */
const PATTERN_ARGUMENT: ReadonlyMap<string, number> = new Map([
  ["glob.match", 0],
  ["re_match", 0],
  ["regex.find_all_string_submatch_n", 0],
  ["regex.find_n", 0],
  ["regex.is_valid", 0],
  ["regex.match", 0],
  ["regex.replace", 1],
  ["regex.split", 0],
  ["strings.replace_n", 0],
]);

/** The position of the separators among the arguments of `glob.match`. */
const SEPARATORS_ARGUMENT = 1;

/** Addresses in static data: of the pattern as a value, of its separators, of its program. */
interface CompiledPattern {
  readonly pattern: number;
  /** 0 for a regular expression. */
  readonly separators: number;
  readonly program: number;
}

/** Address of the table of all constant patterns; 0 without any. */
export function layOutPatterns(layout: PolicyLayout): number {
  const compiled = new Map<string, CompiledPattern>();
  for (const stmt of matchesOf(layout.policy)) {
    const pattern = patternOf(layout, stmt);
    if (pattern !== undefined) compiled.set(`${pattern.pattern}/${pattern.separators}`, pattern);
  }
  return compiled.size === 0 ? 0 : layout.data.words(tableOf([...compiled.values()]));
}

function patternOf(layout: PolicyLayout, { func, args }: StmtOf<"CallStmt">): CompiledPattern | undefined {
  const argument = PATTERN_ARGUMENT.get(func);
  const operand = argument === undefined ? undefined : args[argument];
  const constant = operand && constantOf(layout, operand);
  if (constant === undefined || layout.builtins.get(func)?.kind !== "Native") return undefined;
  const { value, address } = constant;
  if (func === "strings.replace_n") {
    return value.kind === "object"
      ? compiledPattern(layout, { kind: "Replacements", strings: value }, address, 0)
      : undefined;
  }
  if (value.kind !== "string") return undefined;
  if (func !== "glob.match") return compiledPattern(layout, { kind: "Regex", text: value }, address, 0);
  const separators = constantOf(layout, args[SEPARATORS_ARGUMENT] as Operand);
  if (separators === undefined || !areSeparators(separators.value)) return undefined;
  return compiledPattern(
    layout,
    { kind: "Glob", text: value, separators: separators.value },
    address,
    separators.address,
  );
}

function compiledPattern(
  layout: PolicyLayout,
  source: Pattern,
  pattern: number,
  separators: number,
): CompiledPattern | undefined {
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

/** Whether they are separators of a glob, which has no result with any other value. */
function areSeparators(value: Value): boolean {
  if (value.kind !== "array") return value.kind === "null";
  return value.items.every((item) => item.kind === "string" && [...item.value].length === 1);
}

/** The index mask, then entries of three words. */
function tableOf(compiled: readonly CompiledPattern[]): number[] {
  let slots = 2;
  while (slots < compiled.length * 2) slots *= 2;
  const words = [slots - 1, ...Array.from({ length: slots * 3 }, () => 0)];
  for (const { pattern, separators, program } of compiled) {
    let slot = (pattern >>> 3) & (slots - 1);
    while (words[1 + slot * 3] !== 0) slot = (slot + 1) & (slots - 1);
    words.splice(1 + slot * 3, 3, pattern, separators, program);
  }
  return words;
}

/** Every call of a builtin that takes a pattern, wherever it stands. */
function matchesOf(policy: Policy): StmtOf<"CallStmt">[] {
  const found: StmtOf<"CallStmt">[] = [];
  const pending: Block[] = [...policy.funcs, ...policy.plans].flatMap((body) => body.blocks);
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    const { stmts } = block;
    for (let i = 0; i < stmts.length; i++) {
      const stmt = stmts[i] as Stmt;
      if (stmt.kind === "CallStmt" && PATTERN_ARGUMENT.has(stmt.func)) found.push(stmt);
      const inner = blocksOf(stmt);
      for (let j = 0; j < inner.length; j++) pending.push(inner[j] as Block);
    }
  }
  return found;
}
