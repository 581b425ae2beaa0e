/**
 * The footprint of an entrypoint: which paths of the input its rules can read. The runtime hands over those and nothing
 * else. A path that is used in any way but by looking a constant key up in it, by going through its elements, or by asking
 * of what type it is, is handed over whole.
 */

import { blocksOf, fieldsOf } from "../plan/fields.ts";
import type { Block, Func, Local, Operand, Policy, Stmt } from "../plan/ir.ts";

export interface Footprint {
  /** Everything below is needed. */
  whole: boolean;
  /** What is needed of its members, by constant keys. */
  readonly members: Map<string, Footprint>;
  /** A string there may meet one of the policy's: it is looked up among these, so that the two are one. */
  matched: boolean;
  /** False where nobody asks more of a string there than whether another part of the input is the same. */
  text: boolean;
  /** What is needed of each of its elements, where some rule goes through them; an object is then needed whole. */
  each: Footprint | undefined;
}

function empty(): Footprint {
  return { whole: false, matched: false, text: false, members: new Map(), each: undefined };
}

/** The footprint of what a function of input and data reads, directly or through the rules that it calls. */
export function footprintOf(policy: Policy, name: string): Footprint {
  const root = empty();
  const reading = new Reading(policy);
  reading.visit(name, [root]);
  reading.finish();
  markMatched(reading);
  markTexts(root, reading.compared);
  return root;
}

/** What is compared with texts and read by builtins has its bytes there anyway: a few of them are compared sooner than looked up. */
function markMatched({ constants, bytes }: Reading): void {
  for (const part of constants) part.matched ||= !bytes.has(part);
}

/**
 * The runtime has stand-ins for texts of members that rules only compare with one another. They equal no text, so both sides of
 * a comparison must be such members: not the input itself, an element of an array, or a part of what is handed over whole.
 */
function markTexts(root: Footprint, compared: readonly (readonly [Footprint, Footprint])[]): void {
  const told = new Set(compared.flat());
  const visit = (part: Footprint, isMember: boolean, inWhole: boolean, depth: number): void => {
    part.text ||= !isMember || inWhole || !told.has(part);
    const isWhole = inWhole || part.whole || depth > DEEPEST_MEMBERS;
    for (const member of part.members.values()) visit(member, true, isWhole, depth + 1);
    if (part.each !== undefined) visit(part.each, false, isWhole, depth + 1);
  };
  visit(root, false, false, 0);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [a, b] of compared) {
      if (a.text === b.text) continue;
      a.text = true;
      b.text = true;
      changed = true;
    }
  }
}

/** Parts of the input that the arguments of a call are; `undefined` for any other value. */
type Parts = readonly (Footprint | undefined)[];

/** Members that lie deeper may be handed over whole. */
const DEEPEST_MEMBERS = 8;

/** Calls within calls that are followed at once. */
const MAX_DEPTH = 200;

/** All functions that are reached, each once for every combination of parts that it is passed. */
class Reading {
  readonly policy: Policy;
  readonly funcs: ReadonlyMap<string, Func>;
  /** Parts of the input that are compared with each other. */
  readonly compared: (readonly [Footprint, Footprint])[] = [];
  /** Those that are compared with a text of the policy's. */
  readonly constants = new Set<Footprint>();
  /** Those whose bytes a builtin reads. */
  readonly bytes = new Set<Footprint>();
  private readonly numbers = new Map<Footprint, number>();
  private readonly seen = new Set<string>();
  private readonly waiting: (() => void)[] = [];
  private depth = 0;

  constructor(policy: Policy) {
    this.policy = policy;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
  }

  visit(name: string, parts: Parts): void {
    const func = this.funcs.get(name);
    const key = `${name}(${parts.map((p) => this.numberOf(p)).join()})`;
    if (func === undefined || this.seen.has(key)) return;
    this.seen.add(key);
    const run = (): void => {
      this.depth++;
      new Reader(this, func, parts).run();
      this.depth--;
    };
    // Long chains of rules wait, so that they need no deep stack.
    if (this.depth < MAX_DEPTH) run();
    else this.waiting.push(run);
  }

  /** Visits what had to wait. */
  finish(): void {
    for (let run = this.waiting.pop(); run !== undefined; run = this.waiting.pop()) run();
  }

  private numberOf(part: Footprint | undefined): number {
    if (part === undefined) return 0;
    const number = this.numbers.get(part) ?? this.numbers.size + 1;
    this.numbers.set(part, number);
    return number;
  }
}

class Reader {
  private readonly reading: Reading;
  private readonly func: Func;
  /** What part of the input a local may hold. A local that is assigned from several parts makes each of them whole. */
  private readonly held = new Map<Local, Footprint>();

  constructor(reading: Reading, func: Func, parts: Parts) {
    this.reading = reading;
    this.func = func;
    for (const [i, part] of parts.entries()) {
      const param = func.params[i];
      if (part !== undefined && param !== undefined) this.hold(param, part);
    }
  }

  run(): void {
    // More than once, as a loop may read a local before the statement that assigns it.
    for (let known = -1; this.held.size > known; ) {
      known = this.held.size;
      for (const block of this.func.blocks) this.block(block);
    }
    for (const block of this.func.blocks) this.mixed(block);
  }

  /** What a local holds that may hold something else as well, a text of the policy for one, is compared as such. */
  private mixed(block: Block): void {
    for (const stmt of block.stmts) {
      for (const field of fieldsOf(stmt)) {
        if (field.kind !== "def" || this.isPart(stmt, field.value)) continue;
        const part = this.held.get(field.value);
        if (part !== undefined) part.text = true;
      }
      blocksOf(stmt).forEach((b) => this.mixed(b));
    }
  }

  /** Whether what the statement assigns to the local is a part of the input, or nothing. */
  private isPart(stmt: Stmt, target: Local): boolean {
    switch (stmt.kind) {
      case "DotStmt":
      case "AssignVarStmt":
        return this.part(stmt.source) !== undefined;
      case "ScanStmt":
        return target === stmt.value && target !== stmt.key && this.held.has(stmt.source);
      case "ResetLocalStmt":
        return true;
      default:
        return false;
    }
  }

  private block(block: Block): void {
    for (const stmt of block.stmts) {
      switch (stmt.kind) {
        case "DotStmt":
          this.dot(stmt.source, stmt.key, stmt.target);
          break;
        case "ScanStmt": {
          const source = this.held.get(stmt.source);
          if (source !== undefined) this.hold(stmt.value, eachOf(source));
          break;
        }
        case "LenStmt":
          this.count(stmt.source);
          break;
        case "AssignVarStmt": {
          const source = this.part(stmt.source);
          if (source !== undefined) this.hold(stmt.target, source);
          break;
        }
        case "EqualStmt":
        case "NotEqualStmt":
          this.compare(stmt.a, stmt.b);
          break;
        case "IsObjectStmt":
        case "IsArrayStmt":
        case "IsSetStmt":
        case "IsDefinedStmt":
        case "IsUndefinedStmt":
          break;
        case "CallStmt":
          this.call(stmt.func, stmt.args);
          break;
        case "CallDynamicStmt":
          // Whatever it reaches may read anything.
          for (const arg of stmt.args) this.useLocal(arg);
          for (const part of stmt.path) this.use(part);
          break;
        default:
          for (const field of fieldsOf(stmt)) {
            if (field.kind === "operand") this.use(field.value);
            else if (field.kind === "operands") field.value.forEach((o) => this.use(o));
            else if (field.kind === "use" || field.kind === "own" || field.kind === "probe") this.useLocal(field.value);
            else if (field.kind === "uses") field.value.forEach((l) => this.useLocal(l));
          }
      }
      blocksOf(stmt).forEach((b) => this.block(b));
    }
  }

  private dot(from: Operand, key: Operand, target: Local): void {
    this.use(key);
    const source = this.part(from);
    if (source === undefined) return;
    const text = key.kind === "String" ? this.reading.policy.strings[key.index] : undefined;
    this.hold(target, text === undefined ? eachOf(source) : memberOf(source, text));
  }

  private compare(a: Operand, b: Operand): void {
    const parts = [this.part(a), this.part(b)].flatMap((part) => part ?? []);
    // No part of a composite has to be there to tell it from what is none.
    const isScalar = this.isScalar(a) || this.isScalar(b);
    for (const part of parts) {
      part.whole ||= !isScalar;
      if (parts.length === 2) continue;
      if (this.isText(a) || this.isText(b)) {
        part.text = true;
        // Whether there is anything shows at once.
        if (!this.isEmptyText(a) && !this.isEmptyText(b)) this.reading.constants.add(part);
      } else if (!isScalar) {
        part.text = true;
        part.matched = true;
      }
    }
    const [left, right] = parts;
    if (left !== undefined && right !== undefined) this.reading.compared.push([left, right]);
  }

  /** How many there are is known when each of them is there, whatever of it. */
  private count(operand: Operand): void {
    const part = this.part(operand);
    if (part === undefined) return;
    eachOf(part);
    part.text = true;
  }

  private call(name: string, args: readonly Operand[]): void {
    if (TYPE_CHECKS.has(name)) return;
    if (name === "count") return args.forEach((arg) => this.count(arg));
    if (TEXT_BUILTINS.test(name)) return args.forEach((arg) => this.read(arg));
    if (!this.reading.funcs.has(name)) return args.forEach((arg) => this.use(arg));
    this.reading.visit(
      name,
      args.map((arg) => this.part(arg)),
    );
  }

  private hold(target: Local, part: Footprint): void {
    const before = this.held.get(target);
    if (before !== undefined && before !== part) {
      for (const either of [before, part]) {
        either.whole = true;
        either.matched = true;
        either.text = true;
      }
    }
    this.held.set(target, part);
  }

  private part(operand: Operand): Footprint | undefined {
    return operand.kind === "Local" ? this.held.get(operand.local) : undefined;
  }

  private isScalar(operand: Operand): boolean {
    if (operand.kind !== "Constant") return operand.kind !== "Local";
    const kind = this.reading.policy.constants[operand.index]?.kind;
    return kind === "null" || kind === "boolean" || kind === "number" || kind === "string";
  }

  private isText(operand: Operand): boolean {
    return (
      operand.kind === "String" ||
      (operand.kind === "Constant" && this.reading.policy.constants[operand.index]?.kind === "string")
    );
  }

  private isEmptyText(operand: Operand): boolean {
    return operand.kind === "String" && this.reading.policy.strings[operand.index] === "";
  }

  /** Something asks for all of it, but not whether it is one of the policy's strings. */
  private read(operand: Operand): void {
    const part = this.part(operand);
    if (part === undefined) return;
    part.whole = true;
    part.text = true;
    this.reading.bytes.add(part);
  }

  private use(operand: Operand): void {
    if (operand.kind === "Local") this.useLocal(operand.local);
  }

  private useLocal(l: Local): void {
    const part = this.held.get(l);
    if (part === undefined) return;
    part.whole = true;
    part.matched = true;
    part.text = true;
  }
}

/** Builtins that ask only of what type a value is. */
const TYPE_CHECKS = new Set([
  "is_array",
  "is_boolean",
  "is_null",
  "is_number",
  "is_object",
  "is_set",
  "is_string",
  "type_name",
]);

/** Builtins that read a string's bytes, whoever else has it. */
const TEXT_BUILTINS =
  /^(contains|endswith|startswith|indexof|indexof_n|lower|replace|sort|split|substring|trim\w*|upper|(strings|regex|glob|time)\..*)$/;

function memberOf(parent: Footprint, key: string): Footprint {
  let member = parent.members.get(key);
  if (member === undefined) {
    member = empty();
    parent.members.set(key, member);
  }
  return member;
}

function eachOf(parent: Footprint): Footprint {
  parent.each ??= empty();
  return parent.each;
}
