/** The differences between two policies: of decisions first, of content second. */

import { failure, type Result, success } from "@portcullis/rego/diagnostics";
import { isJsonEqual } from "@portcullis/rego/value";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { questionCount, type Space, spacesOf } from "./decision-space.ts";
import { type Asked, answer, compareQuestions, type FoundChange } from "./diff/beyond.ts";
import { type ContentChange, compareContents } from "./diff/contents.ts";
import { type Change, compareDecisions, unionOf } from "./diff/decisions.ts";
import { DiffPlaces } from "./diff/places.ts";
import { type RegoChange, regoChanges } from "./diff/rego-changes.ts";
import { compareRuleWords, type RuleChange } from "./diff/rule-words.ts";
import { hostChanges } from "./diff/told-to-hosts.ts";
import { type Unseen, unseenChanges } from "./diff/unseen.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { isOwnModule, NOT_OWN } from "./own-module.ts";
import { policyIds, policyTables } from "./policy-ids.ts";
import { houseReads, meetingHouse } from "./search/house-questions.ts";
import { questionsBeyond } from "./search/questions.ts";
import { readInputs, variedInputs } from "./search/rego-inputs.ts";
import type { Question } from "./search/templates.ts";
import { unwatched, type Watch } from "./watch.ts";

/** How many questions to ask, and who hears of progress. */
export interface DiffOptions {
  /** More questions than this are a problem. Default: all are asked. */
  readonly limit?: number;
  readonly watch?: Watch;
}

const DIFF_OPTIONS: TableOf<DiffOptions> = { limit: "limit", watch: "function?" };

/** What differs between two policies: answers, and what the sources of answers are. */
export interface PolicyDiff {
  /** The questions that both policies answered. */
  readonly spaces: readonly Space[];
  /** The decisions that are not the same. */
  readonly changes: readonly Change[];
  /** Requests beyond these questions that are not answered the same: an example for each pair of gates. */
  readonly found: readonly FoundChange[];
  /** Rules on approvals, arguments and limits that differ, in words. */
  readonly rules: readonly RuleChange[];
  /** The differences in data, Rego and manifest. */
  readonly contents: readonly ContentChange[];
  /** Differences in data and Rego of which no question shows what they do, or that by themselves allow more. */
  readonly unseen: readonly Unseen[];
}

/** Requests that are tried for changed rules. */
const MOST_TRIED = 20_000;
/** Requests from which those are varied. */
const MOST_STARTS = 24;

/**
 * Asks two policies every question that either can be asked: role x lane, role x lane x tool, persona x subagent, agent type x
 * agent type. Where their data or Rego differ, it asks further: requests in which one thing at a time is as the tables make
 * it matter, and those that the changed rules read. What no question shows is said to be unseen.
 *
 * Rejects with a TypeError for an option that is unknown or of another type. Cost: about two seconds for a million questions, and the newer Rego compiled once more where it was not built here; with differences in data, three times.
 */
export async function diffPolicies(
  before: OpenedPolicy,
  after: OpenedPolicy,
  options: DiffOptions = {},
): Promise<Result<PolicyDiff, "too-many-questions">> {
  holdOptions(options, DIFF_OPTIONS);
  const { limit = Number.POSITIVE_INFINITY, watch = unwatched } = options;
  const idsOf = (opened: OpenedPolicy) => policyIds(policyTables(opened.data) ?? {});
  const spaces = spacesOf(unionOf(idsOf(before), idsOf(after)));
  const total = questionCount(spaces);
  if (total > limit) {
    const questions = `${total.toLocaleString("en-US")} questions`;
    return failure("too-many-questions", `these policies have ${questions}, more than the limit of ${limit}`);
  }
  const step = watch(total);
  const changes = spaces.flatMap((space) => compareDecisions(space, before.policy, after.policy, step));
  const contents = compareContents(before, after);
  const told = [...hostChanges(before, after), ...(await foreignModule(after))];
  // A manifest alone may differ in the version of Rego, by which the same text says something else.
  if (contents.length === 0) return success({ spaces, changes, found: [], rules: [], contents, unseen: told });
  const rules = regoChanges(before, after);
  const found = compareQuestions(furtherQuestions(before, after, rules), askedOf(before), askedOf(after));
  const unseen = [...told, ...(await unseenChanges(before, after, rules))];
  const places = new DiffPlaces(before, after);
  const words = compareRuleWords(before, after, places);
  return success({ spaces, changes, found, rules: words, contents, unseen });
}

/** What else the newer module may allow, where its Rego and data do not say it. */
async function foreignModule(after: OpenedPolicy): Promise<Unseen[]> {
  return (await isOwnModule(after)) ? [] : [{ part: "module", path: "policy.wasm", why: NOT_OWN }];
}

function askedOf({ policy, data }: OpenedPolicy): Asked {
  return { policy, tables: policyTables(data) };
}

/** What the tables make matter; and from requests that either policy allows, what the changed rules read, or those with other data. */
function* furtherQuestions(
  before: OpenedPolicy,
  after: OpenedPolicy,
  rules: readonly RegoChange[],
): Generator<Question> {
  const tables = [before, after].map((opened) => policyTables(opened.data) ?? {});
  const isAllowed = (question: Question): boolean =>
    [before, after].some((opened) => answer(askedOf(opened), question).allowed);
  const ofHouse = houseReads([before, after]);
  const meeting = meetingHouse(ofHouse, (question) =>
    [before, after].map((opened) => answer(askedOf(opened), question)),
  );
  const authored = [before, after].map(({ data: { portcullis: _, ...own } }) => own);
  const changed = rules.map(({ rule }) => rule);
  const isOtherData = !isJsonEqual(authored[0], authored[1]);
  const read = changed.length > 0 ? readInputs(changed, authored) : isOtherData ? ofHouse : undefined;
  const starts = new Map<string, Question>();
  for (const question of questionsBeyond({ tables, isAllowed, meeting })) {
    yield question;
    const { kind, input } = question;
    const key = [kind, input["lane"], input["tool"], input["mode"], input["persona"]].join("\0");
    if (read !== undefined && !starts.has(key) && isAllowed(question)) starts.set(key, question);
  }
  if (read === undefined) return;
  const isNamed = ({ input }: Question): boolean => read.constants.includes(input["tool"] ?? input["mode"]);
  const all = [...starts.values()];
  const chosen = [...all.filter(isNamed), ...all.filter((q) => !isNamed(q))].slice(0, MOST_STARTS);
  // A rule on tools is asked by the tool decision too.
  const tools = chosen.flatMap((q): Question[] => (q.kind === "call" ? [{ ...q, kind: "tool" }] : []));
  yield* variedInputs([...chosen, ...tools], read, MOST_TRIED);
}
