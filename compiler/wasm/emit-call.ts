/** Calls: of the policy's functions, of builtins in the module, of builtins of the host, and by a computed path. */

import {
  FALSE_VALUE,
  NUMBER_INT,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
  TRUE_VALUE,
  VALUE_TAG,
} from "@portcullis/runtime/abi";
import { assert } from "../base/assert.ts";
import type { Value } from "../base/value.ts";
import { local, type Operand, type StmtOf } from "../plan/ir.ts";
import { binaryen, type Expr } from "./binaryen.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import type { FuncTarget } from "./layout.ts";

const { i32 } = binaryen;

const TYPE_TESTS: Readonly<Record<string, number | undefined>> = {
  is_array: TAG_ARRAY,
  is_boolean: TAG_BOOLEAN,
  is_null: TAG_NULL,
  is_number: TAG_NUMBER,
  is_object: TAG_OBJECT,
  is_set: TAG_SET,
  is_string: TAG_STRING,
};

/** Comparisons, and the instructions that make them for two integers. */
const ORDERS: Readonly<Record<string, "ge_s" | "gt_s" | "le_s" | "lt_s" | undefined>> = {
  gt: "gt_s",
  gte: "ge_s",
  lt: "lt_s",
  lte: "le_s",
};

/** As the index of a BreakStmt. */
const UNDEFINED_LEAVES = 3;

/** Fails when the result is undefined, or an argument other than the input and data that every rule is passed. */
export function emitCall(e: FunctionEmitter, stmt: StmtOf<"CallStmt">): Expr[] {
  const args = stmt.args.map((a) => e.operand(a));
  const target = e.layout.funcs.get(stmt.func);
  if (target !== undefined) {
    return [
      ...e.failIfUndefined(...stmt.args.slice(2)),
      e.writeOrFail(stmt.result, e.m.call(target.internal, args, i32)),
    ];
  }
  const inline = inlineBuiltin(e, stmt);
  if (inline !== undefined) return [...e.failIfUndefined(...stmt.args), e.write(stmt.result, inline)];
  const builtin = e.layout.builtins.get(stmt.func);
  assert(builtin !== undefined, `call of an unknown function ${stmt.func}`);
  assert(builtin.arity === args.length, `${stmt.func} takes ${builtin.arity} arguments`);
  const result =
    builtin.kind === "Native"
      ? e.m.call(builtin.internal, args, i32)
      : e.call(`opaBuiltin${args.length}`, e.m.i32.const(builtin.id), e.m.i32.const(0), ...args);
  return [...e.failIfUndefined(...stmt.args), e.writeOrFail(stmt.result, result)];
}

/** Builtins that are a few instructions; their results are never undefined. */
function inlineBuiltin(e: FunctionEmitter, stmt: StmtOf<"CallStmt">): Expr | undefined {
  const { m } = e;
  const [a, b] = stmt.args;
  const boolean = (condition: Expr): Expr => m.select(condition, m.i32.const(TRUE_VALUE), m.i32.const(FALSE_VALUE));
  const tag = TYPE_TESTS[stmt.func];
  if (tag !== undefined && a !== undefined && b === undefined) {
    return boolean(m.i32.eq(m.i32.load8_u(VALUE_TAG, 1, e.operand(a)), m.i32.const(tag)));
  }
  const order = ORDERS[stmt.func];
  if (order !== undefined && a !== undefined && b !== undefined) {
    const int = (o: Operand): Expr => m.i64.load(NUMBER_INT, 8, e.operand(o));
    // Numbers without flags are integers of 64 bits.
    const isInt = (o: Operand): Expr => m.i32.eq(m.i32.load16_u(VALUE_TAG, 2, e.operand(o)), m.i32.const(TAG_NUMBER));
    const builtin = e.layout.builtins.get(stmt.func);
    if (builtin?.kind !== "Native") return undefined;
    return m.if(
      m.i32.and(isInt(a), isInt(b)),
      boolean(m.i64[order](int(a), int(b))),
      e.m.call(builtin.internal, [e.operand(a), e.operand(b)], i32),
    );
  }
  if (stmt.func === "internal.member_2" && a !== undefined && b !== undefined) {
    if (e.layout.constantOf(b)?.kind !== "set") return undefined;
    return boolean(e.call("constantMember", e.operand(b), e.operand(a)));
  }
  return undefined;
}

/**
 * The functions whose paths the operands may spell, as nested constant objects from the computed parts of the path to
 * places in the table: a look-up for each computed part, then an indirect call. Finding no function fails; a function that
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
  const place = m.i32.load(NUMBER_INT, 4, m.local.get(node, i32));
  const args = stmt.args.map((a) => e.read(a));
  const params = binaryen.createType(args.map(() => i32));
  return [
    ...e.failIfUndefined(...stmt.args.slice(2).map((a) => local(a))),
    m.local.set(node, m.i32.const(layout.data.value(tree(e, candidates, computed)))),
    ...steps,
    e.write(stmt.result, m.call_indirect("table", place, args, params, i32)),
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
