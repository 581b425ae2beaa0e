/** Denials that say nothing of a call, since it could not be found out who has approved it. */

import type { CallFacts } from "../facts/index.ts";
import { own } from "../host/own.ts";
import { GATES } from "./gates.ts";

/** Why such a denial was given; `undefined` for every other decision. */
export function unknownApproval(found: CallFacts | undefined, decision: object): string | undefined {
  const why = found?.unapproved;
  if (why === undefined) return undefined;
  const gate = own(decision, "gate");
  return GATES.call.some((one) => one.gate === gate && one.judges === "approval") ? why : undefined;
}
