/** Calls of builtins and functions, and of their replacements under `with`. */

import { assert } from "../diagnostics/index.ts";
import { builtin, type Call, type Ref } from "../syntax/index.ts";
import { type Context, REPLACEMENTS, type Replacement } from "./context.ts";
import { nodeAt, pathText } from "./documents.ts";
import { DATA, INPUT, local, type Operand } from "./ir.ts";
import { planTerm } from "./plan-term.ts";
import type { Scope } from "./scope.ts";

/** The path below `data` that a reference to a function names. */
export function functionPath(ref: Ref): string[] {
  return ref.args.map((arg) => {
    assert(arg.kind === "String", "a function's name is made of strings");
    return arg.value;
  });
}

export function planCall(scope: Scope, call: Call): Operand {
  const args = call.args.map((arg) => planTerm(scope, arg));
  const { operator } = call;
  if (operator.kind === "Ref") {
    const path = functionPath(operator);
    // `g()` of a rule that is not a function is its value.
    if (call.args.length === 0 && nodeAt(scope.context.all, path)?.group?.kind !== "function")
      return planTerm(scope, operator);
    const replacement = scope.context.functions.get(pathText(path));
    return replacement === undefined
      ? callFunction(scope, scope.context, path, args)
      : callReplacement(scope, pathText(path), replacement, args);
  }
  const replacement = scope.context.functions.get(operator.name);
  if (replacement !== undefined) return callReplacement(scope, operator.name, replacement, args);
  const result = callBuiltin(scope, operator.name === "trace" ? noteOf(scope) : operator.name, args);
  // A relation answers with a collection of results, each of which is a value of the call.
  return builtin(operator.name)?.relation === true ? scope.emitter.scan(result).value : result;
}

/** `trace`, as the host hears it. Without a listener it only checks that a note is a string. */
export const TRACE = "portcullis.trace";

function noteOf(scope: Scope): string {
  return scope.policy.traced ? TRACE : "is_string";
}

function callBuiltin(scope: Scope, name: string, args: readonly Operand[]): Operand {
  scope.policy.builtin(name, args.length);
  const result = scope.emitter.local();
  scope.emitter.emit({ kind: "CallStmt", func: name, args, result });
  return local(result);
}

function callFunction(scope: Scope, context: Context, path: readonly string[], args: readonly Operand[]): Operand {
  const group = nodeAt(context.all, path)?.group;
  assert(group?.kind === "function", `no function ${pathText(path)}`);
  const func = scope.policy.groupFunction(context, group);
  const result = scope.emitter.local();
  scope.emitter.emit({ kind: "CallStmt", func, args: [local(INPUT), local(DATA), ...args], result });
  return local(result);
}

function callReplacement(scope: Scope, name: string, by: Replacement, args: readonly Operand[]): Operand {
  switch (by.kind) {
    case "builtin":
      return callBuiltin(scope, by.name, args);
    case "function":
      return callFunction(scope, scope.policy.contextWithoutReplacements(scope.context), by.path, args);
    case "value":
      return scope.emitter.dot(scope.emitter.dot(local(DATA), scope.string(REPLACEMENTS)), scope.string(name));
  }
}
