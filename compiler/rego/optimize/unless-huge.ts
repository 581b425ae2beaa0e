/** Keeps a pass from functions for which it would take minutes: those that it would compare statement with statement. */

import { type Func, measure, type Plan, type Policy } from "../plan/index.ts";

/** Statements of a function that is huge. */
const HUGE = 2_000;

/** A pass that looks at each function alone; huge ones stay as they are. */
export function unlessHuge(pass: (policy: Policy) => Policy): (policy: Policy) => Policy {
  const isHuge = ({ blocks }: Plan | Func): boolean => measure(blocks).statements > HUGE;
  return (policy) => {
    const set = new Set<Plan | Func>([...policy.plans, ...policy.funcs].filter(isHuge));
    if (set.size === 0) return pass(policy);
    const done = pass({
      ...policy,
      plans: policy.plans.filter((p) => !set.has(p)),
      funcs: policy.funcs.filter((f) => !set.has(f)),
    });
    const plans = done.plans.values();
    const funcs = done.funcs.values();
    return {
      ...done,
      plans: policy.plans.map((p) => (set.has(p) ? p : (plans.next().value as Plan))),
      funcs: policy.funcs.map((f) => (set.has(f) ? f : (funcs.next().value as Func))),
    };
  };
}
