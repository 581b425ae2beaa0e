/**
 * Partial objects, with keys at any depth: `p[x] := v`, `p[x].q[y] := v`, `p[x] contains y`. The rules of one document may
 * overlap: one gives the value at `p.a`, another something below it, which is a conflict. Wherever definitions reach to
 * different depths, a second object records the kind of each path, since a rule's value looks like an object made here.
 */

import type { RuleDefinition } from "../analyze/index.ts";
import { isConstant, isScalar, type Term } from "../syntax/index.ts";
import type { Cursor } from "./emitter.ts";
import { type Local, local, type Operand } from "./ir.ts";
import { definitionIndex, planIndexed } from "./plan-index.ts";
import { collectParts, type Parts } from "./plan-parts.ts";
import { planChain } from "./plan-rules.ts";
import { planTerm } from "./plan-term.ts";
import type { Scope } from "./scope.ts";

/**
 * `parts`: functions that give together the value of all definitions but the defaults. `params`: locals that are the arguments
 * of the definitions, where these have any.
 */
export function planPartialObject(
  scope: Scope,
  definitions: readonly RuleDefinition[],
  result: number,
  parts: Parts | undefined,
  params: readonly Local[] = [],
): void {
  const { emitter } = scope;
  emitter.emit({ kind: "MakeObjectStmt", target: result });
  const shapes = new Set(definitions.map((d) => `${d.keys.length}${d.addsToSet}`));
  const builder = new Builder(scope, result, shapes.size > 1);
  for (const { path, isSet } of fixedDocuments(definitions)) {
    const keys = path.map((k) => planTerm(scope, k));
    if (isSet) builder.set(keys);
    else builder.object(keys);
  }
  if (parts !== undefined)
    collectParts(scope, parts, (key, value) =>
      emitter.emit({ kind: "ObjectInsertOnceStmt", key, value, object: result }),
    );
  const settled = parts === undefined ? definitions.filter((d) => !d.isDefault) : [];
  const planOne = (definition: RuleDefinition, own: Cursor): void => {
    emitter.at = definition.rule.head.span;
    const { rule, keys } = definition;
    if (definition.addsToSet) {
      planChain(scope, { ...rule, head: { ...rule.head, value: undefined } }, params, own, () =>
        builder.add(keys.map((k) => planTerm(scope, k))),
      );
    } else {
      // The keys are evaluated where the value is: both may use variables of the body.
      const isConstantKey = keys.every(isConstant);
      planChain(scope, rule, params, own, (value, isFinal) => {
        const ops = keys.map((k) => planTerm(scope, k));
        if (definition.isDefault) builder.unlessDefined(ops);
        builder.insert(ops, value);
        if (isFinal && isConstantKey && emitter.cursor !== own) emitter.leave(own);
      });
    }
    emitter.at = undefined;
  };
  const index = definitionIndex(scope, settled);
  if (index.kind === "items") for (const definition of settled) planOne(definition, emitter.newBlock());
  else {
    emitter.newBlock();
    planIndexed(scope, index, params, (items) => {
      for (const definition of items) emitter.block((own) => planOne(definition, own));
    });
  }
  for (const definition of definitions) if (definition.isDefault) planOne(definition, emitter.newBlock());
}

/**
 * Documents that exist whether or not a rule gives them a value: the objects on the way to rules whose keys are known, the
 * sets of such rules, and the objects of the outermost rules with variables in their keys. Documents below these exist only
 * if they have a value.
 */
function fixedDocuments(
  definitions: readonly RuleDefinition[],
): { readonly path: readonly Term[]; readonly isSet: boolean }[] {
  const shapes = definitions.map((d) => {
    const path = d.addsToSet ? d.keys.slice(0, -1) : d.keys;
    const free = path.findIndex((k) => !isScalar(k));
    return { path, known: free < 0 ? path.length : free, isSet: d.addsToSet };
  });
  const open = new Set(shapes.filter((s) => s.known < s.path.length).map((s) => pathKey(s.path.slice(0, s.known))));
  const found = new Map<string, { path: readonly Term[]; isSet: boolean }>();
  for (const { path, known, isSet } of shapes) {
    for (let i = 0; i <= known; i++) {
      const at = path.slice(0, i);
      const isRule = i === path.length;
      if (i > 0 && (!isRule || isSet)) found.set(pathKey(at), { path: at, isSet: isRule });
      if (open.has(pathKey(at))) break;
    }
  }
  return [...found.values()];
}

function pathKey(path: readonly Term[]): string {
  return JSON.stringify(path, (name, value: unknown) => (name === "span" || name === "raw" ? undefined : value));
}

class Builder {
  private readonly scope: Scope;
  private readonly root: number;
  /** Path → its kind, where paths of different kinds may meet. */
  private readonly kinds: number | undefined;

  constructor(scope: Scope, root: number, overlaps: boolean) {
    this.scope = scope;
    this.root = root;
    this.kinds = overlaps ? scope.emitter.local() : undefined;
    if (this.kinds !== undefined) scope.emitter.emit({ kind: "MakeObjectStmt", target: this.kinds });
  }

  insert(keys: readonly Operand[], value: Operand): void {
    const object = this.parent(keys);
    this.mark(keys, "value");
    this.scope.emitter.emit({ kind: "ObjectInsertOnceStmt", key: keys.at(-1) as Operand, value, object });
  }

  /** The set at a path, made where it is missing. */
  set(path: readonly Operand[]): number {
    const object = this.parent(path);
    this.mark(path, "set");
    return this.child(object, path.at(-1) as Operand, "IsSetStmt", "MakeSetStmt");
  }

  /** The object at a path, likewise. */
  object(path: readonly Operand[]): number {
    const object = this.parent(path);
    this.mark(path, "object");
    return this.child(object, path.at(-1) as Operand, "IsObjectStmt", "MakeObjectStmt");
  }

  /** The last key is an element of the set at the others. */
  add(keys: readonly Operand[]): void {
    const { emitter } = this.scope;
    const set = this.set(keys.slice(0, -1));
    emitter.emit({ kind: "SetAddStmt", value: keys.at(-1) as Operand, set });
  }

  /** Fails where something is at the path already. */
  unlessDefined(keys: readonly Operand[]): void {
    const { emitter } = this.scope;
    const outer = emitter.cursor;
    emitter.enter((block) => ({ kind: "NotStmt", block }));
    let at: Operand = local(this.root);
    for (const key of keys) at = emitter.dot(at, key);
    emitter.cursor = outer;
  }

  /** The object that holds the last key, made where it is missing. */
  private parent(keys: readonly Operand[]): number {
    return keys.length < 2 ? this.root : this.object(keys.slice(0, -1));
  }

  private child(
    object: number,
    key: Operand,
    test: "IsObjectStmt" | "IsSetStmt",
    make: "MakeObjectStmt" | "MakeSetStmt",
  ): number {
    const { emitter } = this.scope;
    const target = emitter.local();
    emitter.block((either) => {
      emitter.block(() => {
        emitter.emit({ kind: "DotStmt", source: local(object), key, target });
        emitter.emit({ kind: test, source: local(target) });
        emitter.leave(either);
      });
      emitter.emit({ kind: make, target });
      emitter.emit({ kind: "ObjectInsertOnceStmt", key, value: local(target), object });
    });
    return target;
  }

  private mark(path: readonly Operand[], kind: string): void {
    if (this.kinds === undefined) return;
    const { emitter } = this.scope;
    const value = this.scope.string(kind);
    emitter.emit({ kind: "ObjectInsertOnceStmt", key: emitter.array(path), value, object: this.kinds });
  }
}
