/**
 * A matcher in time proportional to pattern × text, whatever both are: the pattern becomes a program whose threads run
 * side by side over the text (https://swtch.com/~rsc/regexp/regexp2.html). It answers only whether there is a match.
 */

import { type CharSet, isWord } from "./char-set.ts";
import { type Pattern, PatternError, parsePattern } from "./syntax.ts";

type Instruction =
  | { readonly op: "Char"; readonly set: CharSet }
  | { readonly op: "Assertion"; readonly at: (Pattern & { readonly kind: "Assertion" })["at"] }
  | { readonly op: "Split"; readonly targets: readonly number[] }
  | { readonly op: "Match" };

/** Repetition counts multiply when they nest; larger programs are refused. */
const maxProgram = 20_000;

class Compiler {
  readonly program: Instruction[] = [];

  private emit(instruction: Instruction): number {
    if (this.program.length >= maxProgram) throw new PatternError("pattern too large");
    return this.program.push(instruction) - 1;
  }

  compile(pattern: Pattern): void {
    switch (pattern.kind) {
      case "Empty":
        return;
      case "Char":
        this.emit({ op: "Char", set: pattern.set });
        return;
      case "Assertion":
        this.emit({ op: "Assertion", at: pattern.at });
        return;
      case "Sequence":
        for (const part of pattern.parts) this.compile(part);
        return;
      case "Choice":
        return this.choice(pattern.parts);
      case "Repeat":
        return this.repeat(pattern);
    }
  }

  private choice(parts: readonly Pattern[]): void {
    const split = this.emit({ op: "Split", targets: [] });
    const starts: number[] = [];
    const jumps: number[] = [];
    for (const part of parts) {
      starts.push(this.program.length);
      this.compile(part);
      jumps.push(this.emit({ op: "Split", targets: [] }));
    }
    this.program[split] = { op: "Split", targets: starts };
    for (const jump of jumps) this.program[jump] = { op: "Split", targets: [this.program.length] };
  }

  private repeat({ part, min, max }: Pattern & { readonly kind: "Repeat" }): void {
    for (let i = 0; i < min; i++) this.compile(part);
    if (max === undefined) {
      const split = this.emit({ op: "Split", targets: [] });
      this.compile(part);
      const back = this.emit({ op: "Split", targets: [split] });
      this.program[split] = { op: "Split", targets: [split + 1, back + 1] };
      return;
    }
    const skips: number[] = [];
    for (let i = min; i < max; i++) {
      skips.push(this.emit({ op: "Split", targets: [] }));
      this.compile(part);
    }
    for (const skip of skips) this.program[skip] = { op: "Split", targets: [skip + 1, this.program.length] };
  }
}

function holds(at: (Pattern & { readonly kind: "Assertion" })["at"], before: number, after: number): boolean {
  const edge = (code: number): boolean => code >= 0 && isWord(code);
  switch (at) {
    case "textStart":
      return before < 0;
    case "textEnd":
      return after < 0;
    case "lineStart":
      return before < 0 || before === 10;
    case "lineEnd":
      return after < 0 || after === 10;
    case "wordEdge":
      return edge(before) !== edge(after);
    case "noWordEdge":
      return edge(before) === edge(after);
  }
}

/** The instructions that wait for a character, reached from `start` without one; true when a match is reached. */
function follow(
  program: readonly Instruction[],
  start: number,
  before: number,
  after: number,
  seen: Uint32Array,
  mark: number,
  waiting: number[],
): boolean {
  const stack = [start];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (seen[at] === mark) continue;
    seen[at] = mark;
    const instruction = program[at] as Instruction;
    switch (instruction.op) {
      case "Match":
        return true;
      case "Char":
        waiting.push(at);
        break;
      case "Assertion":
        if (holds(instruction.at, before, after)) stack.push(at + 1);
        break;
      case "Split":
        stack.push(...instruction.targets);
        break;
    }
  }
  return false;
}

export type Matcher = (text: string) => boolean;

/** A matcher that looks for the pattern anywhere in a text; undefined for a pattern that RE2 would not take. */
export function compilePattern(text: string): Matcher | undefined {
  const compiler = new Compiler();
  try {
    compiler.compile(parsePattern(text));
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
  const program: readonly Instruction[] = [...compiler.program, { op: "Match" }];
  return (subject) => matches(program, subject);
}

function matches(program: readonly Instruction[], subject: string): boolean {
  const codes = Array.from(subject, (char) => char.codePointAt(0) as number);
  const seen = new Uint32Array(program.length);
  let waiting: number[] = [];
  for (let i = 0; i <= codes.length; i++) {
    const before = codes[i - 1] ?? -1;
    const after = codes[i] ?? -1;
    const next: number[] = [];
    // A thread that was waiting has its character now; a new thread starts at every position.
    for (const at of waiting) {
      if ((program[at] as Instruction & { readonly op: "Char" }).set(before)) {
        if (follow(program, at + 1, before, after, seen, i + 1, next)) return true;
      }
    }
    if (follow(program, 0, before, after, seen, i + 1, next)) return true;
    waiting = next;
  }
  return false;
}
