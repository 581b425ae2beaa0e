/** Which variables an equality binds, when those in `safe` are bound already. */

import { children, eachTerm, type Node, type SomeDecl, type Term, termKey, type With } from "../syntax/index.ts";
import { isRootName } from "./root-names.ts";
import { addVars, isComprehension, walkLevel } from "./walk.ts";

/** Names of variables, of which only membership is asked. */
export interface Names {
  has(name: string): boolean;
}

/**
 * The variables that `some key, value in xs` declares, but those of `xs`: all of the key, as it is an argument of a reference,
 * and those of arguments of other references into `xs`, also in `with`; and what a pattern for the value binds.
 */
export function iteratedVars(
  { key, value }: SomeDecl & { readonly value: Term },
  domain: Names,
  modifiers: readonly With[],
): Set<string> {
  const found = new Set<string>();
  if (key !== undefined) addArguments(key, found);
  const replaced = modifiers.flatMap((w) => [w.target, w.value]);
  for (const term of [...(key === undefined ? [] : [key]), value, ...replaced])
    walkLevel(term, (part) => {
      if (part.kind !== "Ref") return true;
      if (!isRefSafe(part.head, domain)) return false;
      for (const arg of part.args) addArguments(arg, found);
      return true;
    });
  if (value.kind === "Var" || isPattern(value)) patternVars(value, found);
  return found;
}

/** Variables of an argument, those in closures too, but no heads of references: `input` is one. */
function addArguments(node: Node, into: Set<string>): void {
  if (node.kind === "Var" && !isRootName(node.name)) into.add(node.name);
  for (const part of node.kind === "Ref" ? node.args : children(node)) addArguments(part, into);
}

/** The variables of a pattern that matching it with a value binds: not those of object keys, closures, heads of references. */
export function patternVars(term: Term, into: Set<string>, sets = true): void {
  const part = (inner: Term): void => patternVars(inner, into, sets);
  if (term.kind === "Var") {
    if (!isRootName(term.name)) into.add(term.name);
  } else if (term.kind === "Ref") term.args.forEach(part);
  else if (term.kind === "Object") for (const [, value] of term.entries) part(value);
  else if (term.kind !== "TemplateString" && (term.kind !== "Set" || sets)) eachTerm(term, part);
}

/** A reference has a value when the document it looks into is bound, whatever its arguments are. */
export function isRefSafe(head: Term, safe: Names): boolean {
  const vars = new Set<string>();
  addVars(head, vars, true);
  for (const v of vars) if (!safe.has(v)) return false;
  return true;
}

/** The variables that references of a term bind: their arguments, where the document they look into is bound. */
export function addRefOutputs(term: Term, safe: Names, into: Set<string>): void {
  walkLevel(term, (t) => {
    if (isComprehension(t)) return false;
    if (t.kind !== "Ref") return true;
    if (!isRefSafe(t.head, safe)) return false;
    for (const a of t.args) addArgumentVars(a, into);
    return true;
  });
}

/** All variables of a reference's argument; of references in it, those of their arguments. */
function addArgumentVars(term: Term, into: Set<string>): void {
  if (term.kind === "Ref") for (const a of term.args) addArgumentVars(a, into);
  else if (term.kind === "Var") into.add(term.name);
  else
    walkLevel(term, (t) => {
      if (t === term) return true;
      addArgumentVars(t, into);
      return false;
    });
}

/** The calls in an equality are only made when every argument is bound. */
function isCallSafe(term: Term, safe: Names): boolean {
  const vars = new Set<string>();
  addVars(term, vars, false);
  for (const v of vars) if (!safe.has(v)) return false;
  return true;
}

class Unifier {
  private readonly safe: Names;
  readonly bound = new Set<string>();
  /** A variable that is bound once all of these are. */
  private readonly waiting = new Map<string, Set<string>>();

  constructor(safe: Names) {
    this.safe = safe;
  }

  private isSafe(v: string): boolean {
    return this.safe.has(v) || this.bound.has(v);
  }

  /** Whether a term is a value as soon as the statement is reached. */
  private isValue(term: Term): boolean {
    if (term.kind === "Ref") return isRefSafe(term.head, this.safe);
    return term.kind !== "Call" || isCallSafe(term, this.safe);
  }

  unify(a: Term, b: Term): void {
    if (a.kind === "Var") this.unifyVar(a.name, b);
    else if (b.kind === "Var") this.unifyVar(b.name, a);
    else if (isPattern(a) && isPattern(b)) this.unifyPatterns(a, b);
    // On the left, OPA binds no object by a comprehension; on the right, either kind of pattern by its own kind alone.
    else if (isPattern(a)) {
      if (a.kind === "Array" || !isComprehension(b)) this.bindPattern(a, b);
    } else if (isPattern(b)) {
      if (!isComprehension(a) || a.kind === `${b.kind}Comprehension`) this.bindPattern(b, a);
    }
  }

  private unifyVar(a: string, b: Term): void {
    if (b.kind === "Var") {
      if (this.isSafe(b.name)) this.bind(a);
      else if (this.isSafe(a)) this.bind(b.name);
      else {
        this.wait(a, b.name);
        this.wait(b.name, a);
      }
    } else if (isPattern(b)) {
      if (this.isSafe(a)) this.bindAll(b);
      else this.waitForAll(a, b);
    } else if (this.isValue(b)) this.bind(a);
  }

  private bindPattern(pattern: Term, value: Term): void {
    if (value.kind === "Set" || !this.isValue(value)) return;
    if (value.kind === "Ref" || value.kind === "Call" || value.kind.endsWith("Comprehension")) this.bindAll(pattern);
  }

  private unifyPatterns(a: Term, b: Term): void {
    if (a.kind === "Array" && b.kind === "Array" && a.items.length === b.items.length) {
      for (const [i, item] of a.items.entries()) this.unify(item, b.items[i] as Term);
    } else if (a.kind === "Object" && b.kind === "Object" && a.entries.length === b.entries.length) {
      for (const [key, value] of a.entries) {
        const same = termKey(key);
        const other = b.entries.find(([k]) => termKey(k) === same);
        if (other) this.unify(value, other[1]);
      }
    }
  }

  private bindAll(pattern: Term): void {
    const vars = new Set<string>();
    patternVars(pattern, vars);
    for (const v of vars) this.bind(v);
  }

  private waitForAll(a: string, pattern: Term): void {
    const vars = new Set<string>();
    patternVars(pattern, vars);
    const open = [...vars].filter((v) => !this.isSafe(v));
    if (open.length === 0) this.bind(a);
    for (const v of open) this.wait(a, v);
  }

  private wait(a: string, b: string): void {
    const others = this.waiting.get(a);
    if (others) others.add(b);
    else this.waiting.set(a, new Set([b]));
  }

  private bind(v: string): void {
    const queue = [v];
    for (let x = queue.pop(); x !== undefined; x = queue.pop()) {
      this.bound.add(x);
      const parts = this.waiting.get(x);
      this.waiting.delete(x);
      if (parts) queue.push(...parts);
      for (const [y, needs] of this.waiting) {
        if (!needs.delete(x) || needs.size > 0) continue;
        this.waiting.delete(y);
        queue.push(y);
      }
    }
  }
}

function isPattern(term: Term): boolean {
  return term.kind === "Array" || term.kind === "Object";
}

export function unifiedVars(safe: Names, a: Term, b: Term): Set<string> {
  const unifier = new Unifier(safe);
  unifier.unify(a, b);
  return unifier.bound;
}
