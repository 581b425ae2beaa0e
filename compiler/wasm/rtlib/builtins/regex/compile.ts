// Regular expressions by their text, compiled once an evaluation.

import { recall, remember } from "../../memo";
import { bytesOf, lengthOf } from "../../string";
import { groupCount, groupNames, parseRegex } from "./parser";
import { compileProgram } from "./program";

/** Remembered for texts that are no regular expression. */
const INVALID: usize = 1;

/** The program of a pattern (a string value), or 0 when it is not valid. */
export function regexOf(pattern: usize): usize {
  let program = recall(pattern);
  if (program == 0) {
    const root = parseRegex(bytesOf(pattern), lengthOf(pattern));
    program = root == 0 ? INVALID : compileProgram(root, groupCount, groupNames);
    remember(pattern, program);
  }
  return program == INVALID ? 0 : program;
}

/** Slots of its captures: two for the whole, two for each group. */
// @ts-ignore: decorator
@inline
export function slotCount(program: usize): u32 {
  return load<u32>(program, 12);
}

/** (address, length) of the name of each group, from group 1 on. */
// @ts-ignore: decorator
@inline
export function namesOf(program: usize): usize {
  return load<u32>(program, 16);
}
