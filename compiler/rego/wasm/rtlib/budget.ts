// The step budget: how much an evaluation may do. Compiled code takes one step for a call of a function (a rule has its
// memo), for a turn of a loop and for a `with`; builtins charge what their arguments make them do. Hosts that set no budget
// get an unlimited one.

import { FAULT_STEPS } from "../../../../runtime/abi/layout";
import { abortWith } from "./host";

/** Steps left. Read and written by compiled code as well. */
export let stepsLeft: i32 = 0x7fffffff;
let limited = false;

/** 0 for no limit. Holds for every evaluation, each of which starts with the full budget. */
let budget: i32 = 0;

/** Takes `steps` from the budget; the evaluation ends when it is used up. */
export function charge(steps: i32): void {
  if (steps <= 0) return;
  stepsLeft -= steps;
  if (stepsLeft <= 0) exhausted();
}

/** For reading `bytes` bytes: a step for 64, so that short texts are free. */
export function chargeBytes(bytes: u32): void {
  if (bytes >= 64) charge(<i32>(bytes >> 6));
}

/** For looking into a collection of `count` values: a step, and one for 8 values. Small ones may hold one another without end. */
export function chargeValues(count: u32): void {
  charge(<i32>(count >> 3) + 1);
}

/** Called when no steps are left: without a limit the counter starts anew. */
export function exhausted(): void {
  if (limited) abortWith("step limit exceeded", FAULT_STEPS);
  stepsLeft = i32.MAX_VALUE;
}

export function setBudget(steps: i32): void {
  budget = steps;
  resetBudget();
}

/** Steps taken of the budget. */
export function spent(): i32 {
  return limited ? budget - stepsLeft : 0;
}

/** At the start of every evaluation. */
export function resetBudget(): void {
  limited = budget > 0;
  stepsLeft = limited ? budget : i32.MAX_VALUE;
}
