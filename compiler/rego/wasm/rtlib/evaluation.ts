// The frame around compiled rules: the context that hosts pass, the memo of rule results, and the steps of opa_eval
// before and after the rules run.

import {
  CTX_DATA,
  CTX_ENTRYPOINT,
  CTX_INPUT,
  CTX_RESULT,
  CTX_SIZE,
  HEADER_MEMO_FRAME,
  HEADER_MEMO_SIZE,
} from "../../../../runtime/abi/layout";
import { resetBudget } from "./budget";
import { opa_json_dump, opa_value_dump } from "./dump";
import { abortWith } from "./host";
import { forgetCompiled } from "./memo";
import { alloc, initHeap, beginTurns, opa_heap_ptr_set, opa_malloc, setReclaiming } from "./memory";
import { initSmallInts } from "./number";
import { parseText } from "./parse";
import { initSingletons } from "./value";

/**
 * For each memoised rule two words: the evaluation that wrote its result, and the result. Compiled code reads and writes
 * them; a result of another evaluation does not count, so that nothing has to be cleared between evaluations.
 */
export let memoFrame: usize = 0;

/** The number of the evaluation, never 0. */
export let memoEpoch: u32 = 0;

/** Called once, by the start function, when memory and the header are in place. */
export function initialize(): void {
  initSingletons();
  initSmallInts();
  initHeap();
}

/** Called at the start of every evaluation, which may follow one that was aborted half way. */
export function begin(): void {
  // An abort of the host's may have left it on.
  setReclaiming(false);
  resetBudget();
  forgetCompiled();
  beginTurns();
  memoFrame = load<u32>(HEADER_MEMO_FRAME);
  if (++memoEpoch == 0) {
    memory.fill(memoFrame, 0, load<u32>(HEADER_MEMO_SIZE));
    memoEpoch = 1;
  }
}

/** Called instead of `begin` for an evaluation whose heap begins at `heap`. */
export function beginAt(heap: usize): void {
  opa_heap_ptr_set(heap);
  begin();
}

/** The value of a JSON text, or 0. The text lies below `heap`, where the heap begins, and stays until the evaluation ends. */
export function readInput(text: usize, length: u32, heap: usize): usize {
  opa_heap_ptr_set(heap);
  // An abort of the host's may have left it on.
  setReclaiming(false);
  resetBudget();
  return parseText(text, length, true, false);
}

/** Rules under a `with` have results of their own: a fresh frame. The caller puts the old one back. */
export function pushMemo(): void {
  const size = load<u32>(HEADER_MEMO_SIZE);
  memoFrame = alloc(size);
  memory.fill(memoFrame, 0, size);
}

// The context of opa_eval, which owns no block of the heap.
const context = memory.data(CTX_SIZE);

/** Readies an opa_eval: the context that the rules read. */
export function openEval(reserved: i32, entrypoint: i32, data: usize, input: usize, length: u32, heap: usize): usize {
  if (reserved != 0) abortWith("invalid reserved argument");
  opa_heap_ptr_set(heap);
  setReclaiming(false);
  // Reading an input may cost steps too.
  resetBudget();
  store<u32>(context, length == 0 ? 0 : parseText(input, length, true, true), CTX_INPUT);
  store<u32>(context, data, CTX_DATA);
  store<u32>(context, 0, CTX_RESULT);
  store<i32>(context, entrypoint, CTX_ENTRYPOINT);
  return context;
}

/** The result of an opa_eval as text (format 0: JSON, 1: value text). */
export function closeEval(format: i32): usize {
  const result: usize = load<u32>(context, CTX_RESULT);
  return format == 0 ? opa_json_dump(result) : opa_value_dump(result);
}

export function illegalEntrypoint(): void {
  abortWith("internal: illegal entrypoint id");
}

// OPA ABI ------------------------------------------------------------------------------------------------------------

export function opa_eval_ctx_new(): usize {
  const ctx = opa_malloc(CTX_SIZE);
  memory.fill(ctx, 0, CTX_SIZE);
  return ctx;
}

export function opa_eval_ctx_set_input(ctx: usize, input: usize): void {
  store<u32>(ctx, input, CTX_INPUT);
}

export function opa_eval_ctx_set_data(ctx: usize, data: usize): void {
  store<u32>(ctx, data, CTX_DATA);
}

export function opa_eval_ctx_set_entrypoint(ctx: usize, entrypoint: i32): void {
  store<i32>(ctx, entrypoint, CTX_ENTRYPOINT);
}

export function opa_eval_ctx_get_result(ctx: usize): usize {
  return load<u32>(ctx, CTX_RESULT);
}
