/**
 * Calls that a host denies whatever the policy answers: their history cannot be recorded, or it is not known who has approved them.
 * INVARIANT: listeners of the policy hear of the denial, and of nothing else.
 */

import type { CallFacts } from "../facts/index.ts";
import { own } from "../host/own.ts";
import type { DecisionEvents } from "../observe/index.ts";
import { FAULTS } from "./answers.ts";
import { GATES } from "./gates.ts";

/** The answer to the question, or the denial in its place, in the same form: of a decision, or of AuthZEN. */
export function overruled(policy: object | undefined, found: CallFacts | undefined, question: () => unknown): unknown {
  if (found?.fault === undefined && found?.unapproved === undefined) return question();
  const rule = (answer: unknown): { readonly answer: object; readonly problem: string } | undefined => {
    const problem = problemOf(found, answer);
    return problem === undefined ? undefined : { answer: denialFor(answer as object, problem), problem };
  };
  const events = own(policy, "events") as DecisionEvents | undefined;
  const answer = events?.overruled === undefined ? question() : events.overruled(question, rule);
  return rule(answer)?.answer ?? answer;
}

/** Why the answer must not stand; `undefined` for one that may. */
function problemOf({ fault, unapproved }: CallFacts, answer: unknown): string | undefined {
  if (own(answer, "allowed") === true || own(answer, "decision") === true) return fault;
  const gate = own(own(answer, "context") ?? answer, "gate");
  return GATES.call.some((one) => one.gate === gate && one.judges === "approval") ? unapproved : undefined;
}

function denialFor(answer: object, problem: string): object {
  const { allowed, ...why } = { ...FAULTS.call, problem };
  return "decision" in answer ? { decision: allowed, context: why } : { allowed, ...why };
}
