/**
 * References into `data`, where rules' documents and base data are one tree. The known keys of the path pick the rule at
 * compile time. Where a key is only known at evaluation, every document that it may name is an alternative, and base data
 * is the last one; the alternatives are joined before the rest of the rule goes on, so that it is planned once.
 */

import type { RuleGroup } from "../analyze/index.ts";
import { isScalar, type Ref, type Term } from "../syntax/index.ts";
import { compareText } from "../value/index.ts";
import { REPLACEMENTS } from "./context.ts";
import type { DocumentNode } from "./documents.ts";
import { bool, DATA, type Local, local, type Operand } from "./ir.ts";
import { planDocument } from "./plan-document.ts";
import { planGroupRef } from "./plan-group.ts";
import { planSteps } from "./plan-ref.ts";
import { planNumber, planTerm } from "./plan-term.ts";
import { unify } from "./plan-unify.ts";
import { unpack } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { addUnbound, hasUnbound } from "./terms.ts";

export function planDataRef(scope: Scope, ref: Ref): Operand {
  let node = scope.context.documents;
  let known = 0;
  for (; known < ref.args.length; known++) {
    const arg = ref.args[known] as Term;
    const next = arg.kind === "String" ? node.children.get(arg.value) : undefined;
    if (next === undefined) break;
    node = next;
  }
  const rest = ref.args.slice(known);
  if (node.group !== undefined && (node.group.kind !== "function" || node.children.size === 0))
    return planRule(scope, node.group, rest);
  if (rest.length === 0) return planDocument(scope, node);
  const walk = new Walk(scope, rest);
  const path = node.path.map((name) => scope.string(name));
  if (isScalar(rest[0] as Term) || node.children.size === 0) return walk.base(path, 0);
  return walk.alternatives(node, path);
}

/** A rule's value and the path that is looked up in it. */
function planRule(scope: Scope, group: RuleGroup, args: readonly Term[]): Operand {
  if (group.kind !== "function") return planGroupRef(scope, group, args);
  // A function is no document. What follows is planned all the same.
  scope.emitter.fail();
  const names = new Set<string>();
  for (const arg of args) addUnbound(scope, arg, names);
  for (const name of names) scope.bind(name, bool(false));
  return scope.string("");
}

/** Plans the part of a reference that begins at a node whose next key is not known. */
class Walk {
  private readonly scope: Scope;
  private readonly args: readonly Term[];

  constructor(scope: Scope, args: readonly Term[]) {
    this.scope = scope;
    this.args = args;
  }

  /** All alternatives, joined: their value, and the variables they bind. */
  alternatives(node: DocumentNode, path: readonly Operand[]): Operand {
    const names = new Set<string>();
    for (const arg of this.args) addUnbound(this.scope, arg, names);
    return names.size === 0 ? this.single(node, path) : this.collected(node, path, [...names]);
  }

  /** Nothing to iterate over: at most one alternative has a value. */
  private single(node: DocumentNode, path: readonly Operand[]): Operand {
    const { emitter } = this.scope;
    const target = emitter.reset();
    emitter.block(() => {
      this.node(node, path, 0, (source) => emitter.emit({ kind: "AssignVarStmt", source, target }));
    });
    emitter.emit({ kind: "IsDefinedStmt", source: target });
    return local(target);
  }

  /** Every alternative adds its bindings and its value to a list; a loop over the list goes on with them. */
  private collected(node: DocumentNode, path: readonly Operand[], names: readonly string[]): Operand {
    const { scope } = this;
    const { emitter } = scope;
    const array = emitter.local();
    emitter.emit({ kind: "MakeArrayStmt", capacity: 0, target: array });
    emitter.block(() => {
      this.node(node, path, 0, (value) => {
        const row = emitter.array([...names.map((name) => scope.variable(name)), value]);
        emitter.emit({ kind: "ArrayAppendStmt", value: row, array });
      });
    });
    return unpack(scope, array, names);
  }

  /** The alternatives below a node, each in a block of its own. The cursor is where it was afterwards. */
  private node(node: DocumentNode, path: readonly Operand[], i: number, done: (value: Operand) => void): void {
    const { scope } = this;
    const { emitter } = scope;
    if (node.group !== undefined && (node.group.kind !== "function" || node.children.size === 0)) {
      this.apart(() => done(planRule(scope, node.group as RuleGroup, this.args.slice(i))));
      return;
    }
    const arg = this.args[i];
    if (arg === undefined) {
      this.apart(() => done(planDocument(scope, node)));
      return;
    }
    if (arg.kind === "String") {
      const child = node.children.get(arg.value);
      if (child !== undefined) this.node(child, [...path, scope.string(arg.value)], i + 1, done);
      else this.apart(() => done(this.base(path, i)));
      return;
    }
    if (isScalar(arg)) {
      // Names of documents are strings.
      this.apart(() => done(this.base(path, i)));
      return;
    }
    if (hasUnbound(scope, arg)) {
      const keys = this.keys(node, path);
      this.apart(() => {
        const { value: key } = emitter.scan(local(keys));
        unify(scope, { term: arg }, { op: key });
        this.atKey(node, path, i, key, done);
      });
    } else this.atKey(node, path, i, planTerm(scope, arg), done);
  }

  /** The document that `key` names. */
  private atKey(
    node: DocumentNode,
    path: readonly Operand[],
    i: number,
    key: Operand,
    done: (value: Operand) => void,
  ): void {
    const { scope } = this;
    const { emitter } = scope;
    emitter.block((all) => {
      for (const [name, child] of node.children) {
        this.apart(() => {
          const known = scope.string(name);
          emitter.emit({ kind: "EqualStmt", a: key, b: known });
          this.node(child, [...path, known], i + 1, done);
          // No other document has this name, whether or not this one had a value.
          emitter.leave(all);
        });
      }
      this.apart(() => done(this.baseSteps(this.steps(path, key), i + 1)));
    });
  }

  /** A list of all keys below a node: those of base data, then the names that it lacks. Lists of what is found have OPA's order. */
  private keys(node: DocumentNode, path: readonly Operand[]): Local {
    const { scope } = this;
    const { emitter } = scope;
    const array = emitter.local();
    emitter.emit({ kind: "MakeArrayStmt", capacity: 0, target: array });
    emitter.block(() => {
      const { key } = emitter.scan(this.steps(path));
      if (node.path.length === 0 && scope.context.replaces)
        emitter.emit({ kind: "NotEqualStmt", a: key, b: scope.string(REPLACEMENTS) });
      emitter.emit({ kind: "ArrayAppendStmt", value: key, array });
    });
    for (const name of [...node.children.keys()].sort(compareText)) {
      emitter.block(() => {
        const value = scope.string(name);
        const outer = emitter.cursor;
        emitter.enter((block) => ({ kind: "NotStmt", block }));
        this.steps(path, value);
        emitter.cursor = outer;
        emitter.emit({ kind: "ArrayAppendStmt", value, array });
      });
    }
    return array;
  }

  private apart(f: () => void): void {
    this.scope.emitter.block(() => this.scope.locally(f));
  }

  /** Base data at `path`, then the arguments from `i` on. */
  base(path: readonly Operand[], i: number): Operand {
    return this.baseSteps(this.steps(path), i);
  }

  private baseSteps(from: Operand, i: number): Operand {
    let at = from;
    for (const arg of this.args.slice(i)) {
      const isInteger = arg.kind === "Number" && /^\d+$/.test(arg.text);
      at = isInteger ? this.integerStep(at, arg.text) : planSteps(this.scope, at, [arg]);
    }
    return at;
  }

  /** OPA addresses base data by text: `data.xs[2]` finds the element 2 of an array, and the key "2" of an object. */
  private integerStep(at: Operand, text: string): Operand {
    const { emitter } = this.scope;
    const target = emitter.reset();
    for (const key of [() => planNumber(this.scope, text), () => this.scope.string(text)]) {
      emitter.block(() => {
        emitter.emit({ kind: "IsUndefinedStmt", source: target });
        const source = emitter.dot(at, key());
        emitter.emit({ kind: "AssignVarStmt", source, target });
      });
    }
    emitter.emit({ kind: "IsDefinedStmt", source: target });
    return local(target);
  }

  private steps(path: readonly Operand[], ...more: readonly Operand[]): Operand {
    let at: Operand = local(DATA);
    for (const key of [...path, ...more]) at = this.scope.emitter.dot(at, key);
    return at;
  }
}
