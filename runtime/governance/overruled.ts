/**
 * Calls that a host denies whatever the policy answers: their history cannot be recorded, or it is not known who has approved them.
 * INVARIANT: listeners of the policy, and its metrics, hear of the denial, and of nothing else.
 */

import type { CallFacts } from "../facts/index.ts";
import { own } from "../host/own.ts";
import type { Host, Overruling } from "../observe/index.ts";
import { FAULTS } from "./answers.ts";
import { GATES } from "./gates.ts";

/**
 * The answer to the question, or the denial in its place, in the same form: of a decision, or of AuthZEN. With `counts`, metrics count it
 * when these are called: when it is given.
 */
export function overruled(
  policy: object | undefined,
  found: CallFacts | undefined,
  question: () => unknown,
  counts?: (() => void)[],
): unknown {
  const isSure = found?.fault === undefined && found?.unapproved === undefined && found?.refused === undefined;
  if (isSure && counts === undefined) return question();
  const rule: Overruling = (answer) => {
    const message = found && problemOf(found, answer);
    return message === undefined ? undefined : [denialFor(answer as object, message), { code: "internal", message }];
  };
  const host = (own(own(policy, "evaluator"), "host") ?? {}) as Host;
  host.overrule = rule;
  host.counts = counts;
  try {
    const answer = question();
    return rule(answer)?.[0] ?? answer;
  } finally {
    host.overrule = undefined;
    host.counts = undefined;
  }
}

/** Why the answer must not stand; `undefined` for one that may. */
function problemOf({ fault, unapproved, refused }: CallFacts, answer: unknown): string | undefined {
  if (own(answer, "allowed") === true || own(answer, "decision") === true) return refused ?? fault;
  const gate = own(own(answer, "context") ?? answer, "gate");
  return GATES.call.some((one) => one.gate === gate && one.judges === "approval") ? unapproved : undefined;
}

function denialFor(answer: object, problem: string): object {
  const { allowed, ...why } = { ...FAULTS.call, problem };
  return "decision" in answer ? { decision: allowed, context: why } : { allowed, ...why };
}
