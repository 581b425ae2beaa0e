// Regular expressions by their text. Those that a policy names itself were compiled with it; others are compiled once an
// evaluation.

import { recall, remember } from "../../memo";
import { heapMark } from "../../memory";
import { badByte, bytesOf, lengthOf } from "../../string";
import { compileProgram } from "./compile-program";
import { groupCount, groupNames, parseRegex } from "./parser";
import { knownProgram } from "./known";
import { keepProgram } from "./program";

/** Remembered for texts that are not regular expressions. */
const INVALID: usize = 1;

/** The program of a pattern (a string value), or 0 when it is not valid. */
export function regexOf(pattern: usize): usize {
  let program = knownProgram(pattern, 0);
  if (program != 0) return program;
  program = recall(pattern);
  if (program == 0) {
    program = build_regex(pattern);
    if (program == 0) program = INVALID;
    remember(pattern, program);
  }
  return program == INVALID ? 0 : program;
}

/** A new program of a pattern, or 0. Also called by the compiler, for the patterns of a policy. */
export function build_regex(pattern: usize): usize {
  const mark = heapMark();
  const end = bytesOf(pattern) + lengthOf(pattern);
  if (badByte(bytesOf(pattern), end) != end) return 0;
  const root = parseRegex(bytesOf(pattern), lengthOf(pattern));
  return root == 0 ? 0 : keepProgram(compileProgram(root, groupCount, groupNames), mark);
}

/** Slots of its captures: two for the whole, two for each group. */
export function slotCount(program: usize): u32 {
  return load<u32>(program, 12);
}

function nameEntry(program: usize, group: u32): usize {
  return program + load<u32>(program, 16) + ((group - 1) << 3);
}

/** Address of the name of a group, from group 1 on. */
export function nameAt(program: usize, group: u32): usize {
  return program + load<u32>(nameEntry(program, group));
}

export function nameLength(program: usize, group: u32): u32 {
  return load<u32>(nameEntry(program, group), 4);
}
