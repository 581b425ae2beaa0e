/**
 * The edge of the module: its start function, the exports of the OPA ABI 1.3, our own exports, and the functions that
 * choose a plan by entrypoint number.
 */

import {
  CTX_DATA,
  CTX_ENTRYPOINT,
  CTX_INPUT,
  CTX_RESULT,
  HEADER_FILLED,
  HEADER_HEAP_BASE,
  HEADER_INTERN_MASK,
  HEADER_INTERN_TABLE,
  HEADER_MEMO_FRAME,
  HEADER_MEMO_SIZE,
  HEADER_PATTERNS,
  HEADER_RECLAIM,
  HEADER_STATIC_END,
} from "@portcullis/runtime/abi";
import { decideName } from "../optimize/index.ts";
import type { Value } from "../value/index.ts";
import { type Chunk, type StartData, startData } from "./chunks.ts";
import { MEMO_SLOT_SIZE } from "./emit-func.ts";
import type { PolicyLayout } from "./layout.ts";
import { type Expr, i32, code as m, none, type Type, type ValueType } from "./module/code.ts";
import { PIECE_WORDS } from "./pack.ts";
import { layOutPatterns } from "./patterns.ts";
import { rulePlaces } from "./rule-places.ts";
import type { SealedData } from "./static-data.ts";

/** Exports that rtlib implements by itself. */
const RTLIB_EXPORTS = [
  "opa_eval_ctx_get_result",
  "opa_eval_ctx_new",
  "opa_eval_ctx_set_data",
  "opa_eval_ctx_set_entrypoint",
  "opa_eval_ctx_set_input",
  "opa_free",
  "opa_heap_blocks_restore",
  "opa_heap_blocks_stash",
  "opa_heap_ptr_get",
  "opa_heap_ptr_set",
  "opa_heap_stash_clear",
  "opa_json_dump",
  "opa_json_parse",
  "opa_malloc",
  "opa_value_add_path",
  "opa_value_dump",
  "opa_value_free",
  "opa_value_parse",
  "opa_value_remove_path",
] as const;

/** Ours, under names that no SDK looks for. */
const OWN_EXPORTS = {
  portcullis_set_budget: "setBudget",
  portcullis_spent: "spent",
  portcullis_set_ceiling: "setCeiling",
  portcullis_sort_set: "sortSet",
  portcullis_index: "portcullis_index",
} as const;

/** A page of memory has 2 ^ 16 bytes. */
const PAGE_SHIFT = 16;

export interface Edge {
  readonly sealed: SealedData;
  readonly heapBase: number;
  /** By plan, the table index of its decide function. */
  readonly decide: readonly (number | undefined)[];
  /** By plan, the table indexes of the rules behind that function. */
  readonly rules: readonly (readonly number[])[];
}

export function addEntry(layout: PolicyLayout, plans: readonly string[], reclaimFrom: number): Edge {
  const { module } = layout.rtlib;
  addVersion(layout);
  addConstant(layout, "builtins", hostBuiltinIds(layout));
  addConstant(layout, "entrypoints", entrypointIds(layout));
  addEval(layout, plans);
  addDecide(layout);
  addDecideText(layout);
  const decide = decideIndexes(layout);
  const rules = rulePlaces(layout);
  for (const name of RTLIB_EXPORTS) module.exportFunc(layout.rtlib.call(name), name);
  for (const [name, internal] of Object.entries(OWN_EXPORTS)) module.exportFunc(layout.rtlib.call(internal), name);
  module.table = layout.table.map((internal) => module.func(internal));

  const patterns = layOutPatterns(layout);
  const sealed = layout.data.seal();
  const memoFrame = align(sealed.end);
  const memoSize = layout.memoSlots * MEMO_SLOT_SIZE;
  const heapBase = align(memoFrame + memoSize);
  const header = [
    [HEADER_INTERN_TABLE, sealed.internTable],
    [HEADER_INTERN_MASK, sealed.internMask],
    [HEADER_STATIC_END, sealed.end],
    [HEADER_HEAP_BASE, heapBase],
    [HEADER_MEMO_FRAME, memoFrame],
    [HEADER_MEMO_SIZE, memoSize],
    [HEADER_PATTERNS, patterns],
    [HEADER_RECLAIM, reclaimFrom],
  ] as const;
  addStart(layout, startData(sealed.bytes, layout.rtlib.data.length, header));
  return { sealed, heapBase, decide, rules };
}

function align(address: number): number {
  return (address + 7) & ~7;
}

function addVersion(layout: PolicyLayout): void {
  layout.rtlib.module.addConstant("opa_wasm_abi_version", 1);
  layout.rtlib.module.addConstant("opa_wasm_abi_minor_version", 3);
}

/** An exported function that returns a constant. */
function addConstant(layout: PolicyLayout, name: string, value: Value): void {
  addExport(layout, name, [], [], m.i32.const(layout.data.value(value)));
}

function numbered(names: readonly (readonly [name: string, id: number])[]): Value {
  return {
    kind: "object",
    entries: names.map(([value, id]) => [
      { kind: "string", value },
      { kind: "number", text: String(id) },
    ]),
  };
}

function hostBuiltinIds(layout: PolicyLayout): Value {
  return numbered(layout.hostBuiltins().map(({ name, id }) => [name, id]));
}

function entrypointIds(layout: PolicyLayout): Value {
  return numbered(layout.policy.plans.map((p, id) => [p.name, id]));
}

/** By plan, the table index of the function that decides it, where there is one. */
function decideIndexes(layout: PolicyLayout): (number | undefined)[] {
  return layout.policy.plans.map(({ name }) => {
    const target = layout.funcs.get(decideName(name));
    return target === undefined ? undefined : layout.tableIndex(target.internal);
  });
}

/** portcullis_decide(index, input, data, heap): one function of the table, evaluated on a heap that begins at `heap`. */
function addDecide(layout: PolicyLayout): void {
  const arg = (n: number): Expr => m.local.get(n, i32);
  const body = [
    m.call(layout.rtlib.call("beginAt"), [arg(3)], none),
    m.call_indirect(arg(0), [arg(1), arg(2)], [i32, i32], i32),
  ];
  addExport(layout, "portcullis_decide", [i32, i32, i32, i32], [], m.block(null, body, i32));
}

/** portcullis_decide_text(index, text, length, data, heap): the same for a JSON text below the heap; 1 if it is malformed. */
function addDecideText(layout: PolicyLayout): void {
  const arg = (n: number): Expr => m.local.get(n, i32);
  const body = [
    m.local.set(5, m.call(layout.rtlib.call("readInput"), [arg(1), arg(2), arg(4)], i32)),
    m.if(m.i32.eq(arg(5), m.i32.const(0)), m.return(m.i32.const(1))),
    m.call(layout.rtlib.call("begin"), [], none),
    m.call_indirect(arg(0), [arg(5), arg(3)], [i32, i32], i32),
  ];
  addExport(layout, "portcullis_decide_text", [i32, i32, i32, i32, i32], [i32], m.block(null, body, i32));
}

/** eval(ctx) and opa_eval(reserved, entrypoint, data, input, length, heap, format). */
function addEval(layout: PolicyLayout, plans: readonly string[]): void {
  const call = (name: string, args: readonly Expr[], type: Type): Expr => m.call(layout.rtlib.call(name), args, type);
  const ctx = (): Expr => m.local.get(0, i32);
  const field = (offset: number): Expr => m.i32.load(offset, 4, ctx());
  const result = (): Expr => m.local.get(1, i32);
  const first = plans.map((internal) => layout.tableIndex(internal))[0] ?? 0;
  // Plans were the first to ask for indexes in the table after the functions, so theirs are consecutive.
  const index = m.i32.add(field(CTX_ENTRYPOINT), m.i32.const(first));
  const body = [
    call("begin", [], none),
    m.if(
      m.i32.ge_u(field(CTX_ENTRYPOINT), m.i32.const(plans.length)),
      m.block(null, [call("illegalEntrypoint", [], none), m.unreachable()]),
    ),
    m.local.set(1, call("newSet", [m.i32.const(1)], i32)),
    m.call_indirect(index, [field(CTX_INPUT), field(CTX_DATA), result()], [i32, i32, i32], none),
    m.i32.store(CTX_RESULT, 4, ctx(), result()),
    m.i32.const(0),
  ];
  addExport(layout, "eval", [i32], [i32], m.block(null, body, i32));

  const arg = (i: number): Expr => m.local.get(i, i32);
  const open = call("openEval", [arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)], i32);
  const whole = [m.drop(m.call("eval", [open], i32)), call("closeEval", [arg(6)], i32)];
  addExport(layout, "opa_eval", [i32, i32, i32, i32, i32, i32, i32], [], m.block(null, whole, i32));
}

/** A function of that name, inside and outside. */
function addExport(
  layout: PolicyLayout,
  name: string,
  params: readonly ValueType[],
  locals: readonly ValueType[],
  body: Expr,
): void {
  const { module } = layout.rtlib;
  module.addFunc(name, params, i32, locals, body);
  module.exportFunc(name, name);
}

/**
 * The start function: fills memory, unless the host has filled it, and readies the runtime library. Calls nothing of the host.
 *
 * INVARIANT: neither it nor any other code depends on the policy's data, but for what they are like; all of that stands in the
 * one segment, and is found by the header. So hosts share code between policies (runtime/load/code.ts).
 */
function addStart(layout: PolicyLayout, { bytes, rtlib, header, policy, room }: StartData): void {
  const { module } = layout.rtlib;
  const segment = module.addData("data", bytes);
  const word = (address: number): Expr => m.i32.load(0, 4, m.i32.const(address));
  const copy = ({ from, address, length }: Chunk): Expr =>
    m.memory.init(segment, m.i32.const(address), m.i32.const(from), m.i32.const(length));
  const end = m.i32.add(word(HEADER_HEAP_BASE), m.i32.const(room));
  const pages = m.i32.add(m.i32.shr_u(end, m.i32.const(PAGE_SHIFT)), m.i32.const(1));
  const missing = m.local.tee(0, m.i32.sub(pages, m.memory.size()), i32);
  const length = m.i32.sub(word(HEADER_STATIC_END), m.i32.const(policy.address));
  const fill = [
    copy(header),
    m.if(
      m.i32.gt_s(missing, m.i32.const(0)),
      m.if(m.i32.eq(m.memory.grow(m.local.get(0, i32)), m.i32.const(-1)), m.unreachable()),
    ),
    ...rtlib.map(copy),
    ...(policy.isPacked
      ? unpack(layout, segment, policy, room)
      : [m.memory.init(segment, m.i32.const(policy.address), m.i32.const(policy.from), length)]),
    m.data.drop(segment),
  ];
  const body = [
    m.if(m.i32.eqz(word(HEADER_FILLED)), m.block(null, fill, none)),
    // For this instance alone: the next one in this memory may be another policy's.
    m.i32.store(0, 4, m.i32.const(HEADER_FILLED), m.i32.const(0)),
    m.call(layout.rtlib.call("initialize"), [], none),
  ];
  module.addFunc("_initialize", [], none, [i32, i32, i32], m.block(null, body, none));
  module.start = module.func("_initialize");
}

/** Each piece is copied to the first bytes of the heap and unpacked from there; these are zeros again in the end. */
function unpack(layout: PolicyLayout, segment: number, policy: StartData["policy"], room: number): Expr[] {
  const [from, to, size] = [0, 1, 2];
  const get = (local: number): Expr => m.local.get(local, i32);
  const heap = (): Expr => m.i32.load(0, 4, m.i32.const(HEADER_HEAP_BASE));
  const left = m.i32.shr_u(m.i32.sub(m.i32.load(0, 4, m.i32.const(HEADER_STATIC_END)), get(to)), m.i32.const(2));
  const words = m.if(
    m.i32.lt_u(m.local.tee(size, left, i32), m.i32.const(PIECE_WORDS)),
    get(size),
    m.i32.const(PIECE_WORDS),
  );
  const turn = [
    m.memory.init(segment, heap(), get(from), m.i32.const(4)),
    m.local.set(size, m.i32.load(0, 4, heap())),
    m.local.set(from, m.i32.add(get(from), m.i32.const(4))),
    m.memory.init(segment, heap(), get(from), get(size)),
    m.local.set(from, m.i32.add(get(from), get(size))),
    m.call(layout.rtlib.call("unpack"), [get(to), heap(), words], none),
    m.local.set(to, m.i32.add(get(to), m.i32.const(PIECE_WORDS << 2))),
    m.br("next", m.i32.lt_u(get(to), m.i32.load(0, 4, m.i32.const(HEADER_STATIC_END)))),
  ];
  return [
    m.local.set(from, m.i32.const(policy.from)),
    m.local.set(to, m.i32.const(policy.address)),
    m.loop("next", m.block(null, turn, none)),
    m.memory.fill(heap(), m.i32.const(0), m.i32.const(room)),
  ];
}
