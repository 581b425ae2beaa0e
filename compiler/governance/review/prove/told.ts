/**
 * What must hold of entrypoints that give no verdict. Hosts ask further questions by what these tell, so they may tell only what
 * the data has.
 */

import type { JsonObject } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import { TOLD } from "../../library/index.ts";
import { verdictOf } from "../decision-space.ts";
import { keys, member } from "../policy-ids.ts";

/** Why an answer to a request that asks for nothing is wrong; `undefined` if it is right. */
type Fault = (policy: Policy, tables: JsonObject, answer: unknown) => string | undefined;

/** Has an entry for every entrypoint that gives no verdict. `asked` says `{decision: false}` where no call is asked about. */
const FAULTS: { readonly [entrypoint in (typeof TOLD)[number]]: Fault } = {
  "portcullis/authzen/asked": noDenial,
  "portcullis/authzen/actions": actionsFault,
};

/** What an entrypoint may not answer to a request that asks for nothing: anything but a denial, where it gives verdicts. */
export function faultOfNothing(entrypoint: string): Fault {
  const told = TOLD.find((one) => one === entrypoint);
  return told === undefined ? noDenial : FAULTS[told];
}

function noDenial(_policy: Policy, _tables: JsonObject, answer: unknown): string | undefined {
  const isDenial = answer !== undefined && verdictOf(answer) === false;
  return isDenial ? undefined : `the answer is ${JSON.stringify(answer)}, and no denial`;
}

/** A search asks about the actions that are listed: all of them are mapped, and none is allowed for its name alone. */
function actionsFault(policy: Policy, tables: JsonObject, answer: unknown): string | undefined {
  if (!Array.isArray(answer)) return `the answer is ${JSON.stringify(answer)}, and no list`;
  const mapped = keys(member(member(tables["adapters"], "authzen"), "actions"));
  const strangers = answer.filter((name) => !mapped.includes(name));
  if (strangers.length > 0) return `the answer lists ${JSON.stringify(strangers[0])}, an action that is not mapped`;
  const evaluation = "portcullis/authzen/evaluation";
  if (!policy.entrypoints.includes(evaluation)) return undefined;
  const open = answer.find((name) => verdictOf(policy.evaluate(evaluation, { action: { name } })) !== false);
  return open === undefined ? undefined : `an evaluation of \`${String(open)}\` alone is no denial`;
}
