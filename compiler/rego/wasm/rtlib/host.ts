/** What the module asks of its host: to end an evaluation, and to run a builtin. */

import { ABORT_TEXT, ABORT_TEXT_SIZE, FAULT_CONFLICT, FAULT_INTERNAL, HEADER_FAULT } from "../../../../runtime/abi/layout";

@external("env", "opa_abort")
declare function opaAbort(message: usize): void;

@external("env", "opa_builtin0")
export declare function opaBuiltin0(id: i32, ctx: i32): usize;
@external("env", "opa_builtin1")
export declare function opaBuiltin1(id: i32, ctx: i32, a: usize): usize;
@external("env", "opa_builtin2")
export declare function opaBuiltin2(id: i32, ctx: i32, a: usize, b: usize): usize;
@external("env", "opa_builtin3")
export declare function opaBuiltin3(id: i32, ctx: i32, a: usize, b: usize, c: usize): usize;
@external("env", "opa_builtin4")
export declare function opaBuiltin4(id: i32, ctx: i32, a: usize, b: usize, c: usize, d: usize): usize;

function abortAt(message: usize, fault: u32): void {
  store<u32>(HEADER_FAULT, fault);
  opaAbort(message);
  unreachable();
}

/** Ends the evaluation because of the policy: it has two values for one document. `message` is NUL-terminated. */
export function abortConflict(message: usize): void {
  abortAt(message, FAULT_CONFLICT);
}

/**
 * Ends the evaluation with a literal ASCII message. Written into a fixed place: memory may be exhausted here.
 * An AssemblyScript literal is UTF-16 in a data segment, its length in bytes 4 bytes before it.
 */
export function abortWith(message: string, fault: u32 = FAULT_INTERNAL): void {
  const text = changetype<usize>(message);
  let length = load<u32>(text - 4) >> 1;
  if (length >= <u32>ABORT_TEXT_SIZE) length = ABORT_TEXT_SIZE - 1;
  for (let i: u32 = 0; i < length; i++) store<u8>(ABORT_TEXT + i, load<u16>(text + (i << 1)));
  store<u8>(ABORT_TEXT + length, 0);
  abortAt(ABORT_TEXT, fault);
}
