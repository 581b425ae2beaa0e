/** The differences between two policies: of decisions first, of content second. */

import { failure, type Result, success } from "../base/result.ts";
import { questionCount, type Space, spacesOf } from "./decision-space.ts";
import { type ContentChange, compareContents } from "./diff/contents.ts";
import { type Change, compareDecisions, unionOf } from "./diff/decisions.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { policyIds, policyTables } from "./policy-ids.ts";
import { unwatched, type Watch } from "./watch.ts";

export interface DiffOptions {
  /** More questions than this are a problem. Default: all are asked. */
  readonly limit?: number;
  readonly watch?: Watch;
}

export interface PolicyDiff {
  /** The questions that both policies answered. */
  readonly spaces: readonly Space[];
  /** The decisions that are not the same. */
  readonly changes: readonly Change[];
  /** The differences in data, Rego and manifest. */
  readonly contents: readonly ContentChange[];
}

/**
 * Asks two policies every question that either can be asked: role x lane, role x lane x tool, persona x subagent, agent type x
 * agent type. A request holds these ids and nothing else.
 *
 * Cost: about two seconds for a million questions.
 */
export function diffPolicies(
  before: OpenedPolicy,
  after: OpenedPolicy,
  { limit = Number.POSITIVE_INFINITY, watch = unwatched }: DiffOptions = {},
): Result<PolicyDiff, "too-many-questions"> {
  const idsOf = (opened: OpenedPolicy) => policyIds(policyTables(opened.data) ?? {});
  const spaces = spacesOf(unionOf(idsOf(before), idsOf(after)));
  const total = questionCount(spaces);
  if (total > limit) {
    const questions = `${total.toLocaleString("en-US")} questions`;
    return failure("too-many-questions", `these policies have ${questions}, more than the limit of ${limit}`);
  }
  const step = watch(total);
  const changes = spaces.flatMap((space) => compareDecisions(space, before.policy, after.policy, step));
  return success({ spaces, changes, contents: compareContents(before, after) });
}
