/** Calls: of the policy's functions, of builtins in the module, of builtins of the host, and by a computed path. */

import { NUMBER_INT } from "@portcullis/runtime/abi";
import { assert } from "../diagnostics/index.ts";
import { local, type Operand, type StmtOf } from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import { inlineBuiltin } from "./inline-builtins.ts";
import type { FuncTarget } from "./layout.ts";
import { type Expr, i32 } from "./module/code.ts";

/** As the index of a BreakStmt. */
const UNDEFINED_LEAVES = 3;

/** Fails when the result is undefined, or an argument other than the input and data that every rule is passed. */
export function emitCall(e: FunctionEmitter, stmt: StmtOf<"CallStmt">): Expr[] {
  const args = stmt.args.map((a) => e.operand(a));
  const target = e.layout.funcs.get(stmt.func);
  if (target !== undefined) {
    return [
      ...e.failIfUndefined(...stmt.args.slice(2)),
      e.writeOrFail(stmt.result, e.resultOf(target, e.m.call(target.internal, args, i32))),
    ];
  }
  const inline = inlineBuiltin(e, stmt);
  if (inline !== undefined) {
    const write = inline.mayBeUndefined ? e.writeOrFail(stmt.result, inline.value) : e.write(stmt.result, inline.value);
    return [...e.failIfUndefined(...stmt.args), write];
  }
  const builtin = e.layout.builtins.get(stmt.func);
  assert(builtin !== undefined, `call of an unknown function ${stmt.func}`);
  assert(builtin.arity === args.length, `${stmt.func} takes ${builtin.arity} arguments`);
  if (builtin.kind === "Native")
    return [...e.failIfUndefined(...stmt.args), e.writeOrFail(stmt.result, e.m.call(builtin.internal, args, i32))];
  const asked = e.call(`opaBuiltin${args.length}`, e.m.i32.const(builtin.id), e.m.i32.const(0), ...args);
  return [
    ...e.failIfUndefined(...stmt.args),
    e.write(stmt.result, asked),
    // A host may keep what it was given, and what it made.
    e.keepAll(),
    e.failUnless(e.read(stmt.result)),
  ];
}

/**
 * The functions whose paths the operands may spell, as nested constant objects from the computed parts of the path to
 * indexes in the table: a look-up for each computed part, then an indirect call. Finding no function fails; a function that
 * is found and undefined leaves four blocks, as in OPA: the planner puts other ways to the document into three of them.
 */
export function emitCallDynamic(e: FunctionEmitter, stmt: StmtOf<"CallDynamicStmt">): Expr[] {
  const { m, layout } = e;
  const candidates = [...layout.funcs.values()].filter(
    ({ func }) => func.params.length === stmt.args.length && mayBe(e, func.path, stmt.path),
  );
  if (candidates.length === 0) return [e.fail()];
  const computed = stmt.path.flatMap((o, i) => (o.kind === "Local" ? [i] : []));
  const node = e.temporary();
  const steps = computed.map((i) =>
    e.failUnless(m.local.tee(node, e.call("dot", m.local.get(node, i32), e.operand(stmt.path[i] as Operand)), i32)),
  );
  const index = m.i32.load(NUMBER_INT, 4, m.local.get(node, i32));
  const args = stmt.args.map((a) => e.read(a));
  const params = args.map((): typeof i32 => i32);
  return [
    ...e.failIfUndefined(...stmt.args.slice(2).map((a) => local(a))),
    m.local.set(node, m.i32.const(layout.data.value(tree(e, candidates, computed)))),
    ...steps,
    e.write(stmt.result, m.call_indirect(index, args, params, i32)),
    m.if(m.i32.eqz(e.read(stmt.result)), m.block(null, e.leave(UNDEFINED_LEAVES))),
  ];
}

function mayBe(e: FunctionEmitter, path: readonly string[], operands: readonly Operand[]): boolean {
  return (
    path.length === operands.length &&
    operands.every((o, i) => o.kind === "Local" || (o.kind === "String" && e.layout.text(o.index) === path[i]))
  );
}

function tree(e: FunctionEmitter, candidates: readonly FuncTarget[], computed: readonly number[]): Value {
  const [at, ...deeper] = computed;
  if (at === undefined) {
    return { kind: "number", text: String(e.layout.tableIndex((candidates[0] as FuncTarget).internal)) };
  }
  const groups = new Map<string, FuncTarget[]>();
  for (const c of candidates) {
    const key = c.func.path[at] as string;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [c]);
    else group.push(c);
  }
  return {
    kind: "object",
    entries: [...groups].map(([key, group]) => [{ kind: "string", value: key }, tree(e, group, deeper)]),
  };
}
