/** Rule groups to functions: every definition in a block of its own, conflicts found by the statements that assign once. */

import type { RuleDefinition, RuleGroup } from "../analyze/index.ts";
import { assert } from "../diagnostics/index.ts";
import { isConstant, isScalar, type Rule, type Term } from "../syntax/index.ts";
import type { Context } from "./context.ts";
import { type Cursor, Emitter } from "./emitter.ts";
import { DATA, type Func, INPUT, type Local, local, type Operand } from "./ir.ts";
import { planBody } from "./plan-expr.ts";
import { branchIndex, definitionIndex, planIndexed } from "./plan-index.ts";
import { planPartialObject } from "./plan-object.ts";
import { callPart, collectParts, type Parts, partFunctions } from "./plan-parts.ts";
import { planTerm } from "./plan-term.ts";
import { unify } from "./plan-unify.ts";
import { type PolicyPlan, Scope } from "./scope.ts";

export interface Naming {
  readonly name: string;
  readonly path: readonly string[];
}

/** `definitions`: in the order in which they are to be planned. */
export function planGroup(
  policy: PolicyPlan,
  context: Context,
  group: RuleGroup,
  definitions: readonly RuleDefinition[],
  naming: Naming,
): Func {
  const params: Local[] = [INPUT, DATA];
  for (let i = 0; i < (group.arity ?? 0); i++) params.push(params.length);
  const emitter = new Emitter(params.length);
  const scope = new Scope(emitter, policy, context);
  const result = emitter.local();
  const isSettled = ({ isDefault }: RuleDefinition): boolean => !isDefault;
  const parts = partFunctions(scope, group, definitions.filter(isSettled), naming);
  switch (group.kind) {
    case "complete":
    case "function":
      if (parts === undefined) planValue(scope, definitions, params.slice(2), result);
      else planValueOfParts(scope, parts, definitions, params.slice(2), result);
      planDefault(scope, group, params.slice(2), result);
      break;
    case "partial-set":
      planPartialSet(scope, parts === undefined ? definitions : [], result);
      if (parts !== undefined)
        collectParts(scope, parts, (_, value) => emitter.emit({ kind: "SetAddStmt", value, set: result }));
      break;
    case "partial-object":
      planPartialObject(scope, definitions, result, parts);
      break;
  }
  emitter.newBlock();
  emitter.emit({ kind: "ReturnLocalStmt", source: result });
  return { ...naming, params, result, blocks: emitter.blocks };
}

/** Each definition in turn; all that hold must agree. Once one holds, those that would say the same need not be asked. */
function planValue(
  scope: Scope,
  definitions: readonly RuleDefinition[],
  params: readonly number[],
  result: number,
): void {
  const { emitter } = scope;
  const isUnanimous = allSame(definitions.map((d) => d.rule));
  const all = emitter.cursor;
  const planOne = (rule: Rule, own: Cursor): void => {
    planChain(scope, rule, params, own, (value, isFinal) => {
      if (isUnanimous) emitter.emit({ kind: "AssignVarStmt", source: value, target: result });
      else emitter.emit({ kind: "AssignVarOnceStmt", source: value, target: result });
      const isLast = emitter.cursor === own && definitions.length === 1;
      if (isUnanimous && !isLast) emitter.leave(all);
      else if (isFinal && emitter.cursor !== own) emitter.leave(own);
    });
  };
  const index = definitionIndex(scope, definitions);
  if (index.kind !== "items") {
    planIndexed(scope, index, params, (items) => {
      for (const { rule } of items) emitter.block((own) => planOne(rule, own));
    });
    return;
  }
  for (const { rule } of definitions) {
    if (!isUnanimous && emitter.cursor.stmts.length > 0) emitter.newBlock();
    const before = emitter.cursor;
    if (isUnanimous && definitions.length > 1) emitter.block((own) => planOne(rule, own));
    else planOne(rule, before);
    emitter.cursor = before;
  }
}

/** The same of definitions in parts. */
function planValueOfParts(
  scope: Scope,
  parts: Parts,
  definitions: readonly RuleDefinition[],
  params: readonly number[],
  result: number,
): void {
  const { emitter } = scope;
  const isUnanimous = allSame(definitions.map((d) => d.rule));
  const all = emitter.newBlock();
  planIndexed(scope, parts, params, (names) => {
    for (const name of names) {
      emitter.block(() => {
        const source = callPart(scope, name, params);
        if (!isUnanimous) return emitter.emit({ kind: "AssignVarOnceStmt", source, target: result });
        emitter.emit({ kind: "AssignVarStmt", source, target: result });
        emitter.leave(all);
      });
    }
  });
}

/** The default value, for where no definition gives one. */
function planDefault(scope: Scope, group: RuleGroup, params: readonly number[], result: number): void {
  const rule = group.defaultRule;
  if (rule === undefined) return;
  const { emitter } = scope;
  emitter.newBlock();
  emitter.emit({ kind: "IsUndefinedStmt", source: result });
  scope.locally(() => {
    unifyArgs(scope, rule, params);
    planBody(scope, rule.body);
    emitter.emit({ kind: "AssignVarStmt", source: headValue(scope, rule), target: result });
  });
}

/** Whether every definition can only give one and the same scalar. */
function allSame(rules: readonly Rule[]): boolean {
  const texts = new Set(rules.map((r) => (r.else === undefined ? scalarText(r.head.value) : undefined)));
  return texts.size === 1 && !texts.has(undefined);
}

function scalarText(term: Term | undefined): string | undefined {
  if (term === undefined) return "true";
  if (!isScalar(term)) return undefined;
  if (term.kind === "Null") return "null";
  return term.kind === "String" ? JSON.stringify(term.value) : term.kind === "Number" ? term.text : String(term.value);
}

/**
 * A definition with its `else`s. `done` is called where a value is known; `isFinal`: no other solution of this body can
 * give another value, so the rest of its iterations may be left out. `own` is the block that holds the definition.
 */
export function planChain(
  scope: Scope,
  rule: Rule,
  params: readonly number[],
  own: Cursor,
  done: (value: Operand, isFinal: boolean) => void,
): void {
  const { emitter } = scope;
  if (rule.else === undefined) {
    planBranch(scope, rule, rule, params, (value) => done(value, isConstantValue(rule)));
    emitter.cursor = own;
    return;
  }
  const chosen = emitter.reset();
  emitter.block((chain) => {
    planIndexed(scope, branchIndex(scope, rule), params, (branches) => {
      for (const at of branches) {
        emitter.block(() => {
          if (at !== rule) emitter.emit({ kind: "IsUndefinedStmt", source: chosen });
          planBranch(scope, rule, at, params, (source) => {
            emitter.emit({ kind: "AssignVarOnceStmt", source, target: chosen });
            if (isConstantValue(at)) emitter.leave(chain);
          });
        });
      }
    });
  });
  emitter.emit({ kind: "IsDefinedStmt", source: chosen });
  done(local(chosen), true);
  emitter.cursor = own;
}

function isConstantValue(rule: Rule): boolean {
  return rule.head.value === undefined || isConstant(rule.head.value);
}

/** The arguments are the first branch's: the others share them. */
function planBranch(
  scope: Scope,
  rule: Rule,
  branch: Rule,
  params: readonly number[],
  done: (value: Operand) => void,
): void {
  const before = scope.emitter.at;
  scope.emitter.at = branch.head.span;
  scope.locally(() => {
    unifyArgs(scope, rule, params);
    planBody(scope, branch.body);
    done(headValue(scope, branch));
  });
  scope.emitter.at = before;
}

function unifyArgs(scope: Scope, rule: Rule, params: readonly number[]): void {
  const args = rule.head.args ?? [];
  assert(args.length === params.length, "a function's definitions have its arity");
  args.forEach((arg, i) => {
    unify(scope, { term: arg }, { op: local(params[i] as number) });
  });
}

function headValue(scope: Scope, rule: Rule): Operand {
  return rule.head.value === undefined ? { kind: "Boolean", value: true } : planTerm(scope, rule.head.value);
}

function planPartialSet(scope: Scope, definitions: readonly RuleDefinition[], result: number): void {
  const { emitter } = scope;
  emitter.emit({ kind: "MakeSetStmt", target: result });
  const planOne = ({ rule, keys }: RuleDefinition, own: Cursor): void => {
    const key = keys[0];
    assert(key !== undefined && keys.length === 1, "a set has one key");
    emitter.at = rule.head.span;
    scope.locally(() => {
      planBody(scope, rule.body);
      emitter.emit({ kind: "SetAddStmt", value: planTerm(scope, key), set: result });
      if (isConstant(key) && emitter.cursor !== own) emitter.leave(own);
    });
    emitter.at = undefined;
  };
  const index = definitionIndex(scope, definitions);
  if (index.kind === "items") for (const definition of definitions) planOne(definition, emitter.newBlock());
  else
    planIndexed(scope, index, [], (items) => {
      for (const definition of items) emitter.block((own) => planOne(definition, own));
    });
}
