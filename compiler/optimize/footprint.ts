/**
 * The footprint of an entrypoint: which paths of the input its rules can read. The runtime hands over those and nothing
 * else. A path that is used in any way but by looking a constant key up in it is handed over whole.
 */

import { blocksOf, fieldsOf } from "../plan/fields.ts";
import { type Block, type Func, INPUT, type Local, type Operand, type Policy } from "../plan/ir.ts";

/** `whole`: everything below is needed; else only the members, and whether the value is an object or an array. */
export interface Footprint {
  whole: boolean;
  readonly members: Map<string, Footprint>;
}

function empty(): Footprint {
  return { whole: false, members: new Map() };
}

/** The footprint of what a function of input and data reads, directly or through the rules that it calls. */
export function footprintOf(policy: Policy, name: string): Footprint {
  const funcs = new Map(policy.funcs.map((f) => [f.name, f]));
  const root = empty();
  const seen = new Set<string>();
  const work = [name];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const func = funcs.get(next);
    if (func === undefined || seen.has(next)) continue;
    seen.add(next);
    new Reader(policy, func, funcs, root, work).run();
  }
  return root;
}

class Reader {
  private readonly policy: Policy;
  private readonly func: Func;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly work: string[];
  /** What part of the input a local may hold. A local that is assigned from several parts makes each of them whole. */
  private readonly held = new Map<Local, Footprint>();

  constructor(policy: Policy, func: Func, funcs: ReadonlyMap<string, Func>, root: Footprint, work: string[]) {
    this.policy = policy;
    this.func = func;
    this.funcs = funcs;
    this.work = work;
    this.held.set(INPUT, root);
  }

  run(): void {
    // Twice, as a loop may read a local before the statement that assigns it.
    for (let pass = 0; pass < 2; pass++) for (const block of this.func.blocks) this.block(block);
  }

  private block(block: Block): void {
    for (const stmt of block.stmts) {
      switch (stmt.kind) {
        case "DotStmt": {
          const source = this.part(stmt.source);
          const key = stmt.key.kind === "String" ? this.policy.strings[stmt.key.index] : undefined;
          this.use(stmt.key);
          if (source === undefined) break;
          if (key === undefined) source.whole = true;
          else this.hold(stmt.target, memberOf(source, key));
          break;
        }
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

  /** A rule that is passed the input itself reads it by itself; whatever else is passed the input has it whole. */
  private call(name: string, args: readonly Operand[]): void {
    const isPolicyFunction = this.funcs.has(name);
    if (isPolicyFunction) this.work.push(name);
    for (const [i, arg] of args.entries()) {
      const isInput = isPolicyFunction && i === INPUT && arg.kind === "Local" && arg.local === INPUT;
      if (!isInput && !TYPE_CHECKS.has(name)) this.use(arg);
    }
  }

  private hold(target: Local, part: Footprint): void {
    const before = this.held.get(target);
    if (before !== undefined && before !== part) {
      before.whole = true;
      part.whole = true;
    }
    this.held.set(target, part);
  }

  private part(operand: Operand): Footprint | undefined {
    return operand.kind === "Local" ? this.held.get(operand.local) : undefined;
  }

  private use(operand: Operand): void {
    if (operand.kind === "Local") this.useLocal(operand.local);
  }

  private useLocal(l: Local): void {
    const part = this.held.get(l);
    if (part !== undefined) part.whole = true;
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

function memberOf(parent: Footprint, key: string): Footprint {
  let member = parent.members.get(key);
  if (member === undefined) {
    member = empty();
    parent.members.set(key, member);
  }
  return member;
}
