/** What differs between two policies, for the page: all that `diff` says, of long lists their beginning and how long they are. */

import type { FoundChange } from "../diff/beyond.ts";
import { type ContentChange, compareContents } from "../diff/contents.ts";
import { CHANGE_KINDS, type Change, type ChangeKind } from "../diff/decisions.ts";
import { DiffPlaces } from "../diff/places.ts";
import { compareRuleWords, type RuleChange } from "../diff/rule-words.ts";
import type { Unseen } from "../diff/unseen.ts";
import { diffPolicies } from "../diff.ts";
import type { OpenedPolicy } from "../opened-policy.ts";

/** The beginning of a list, and its length. */
export interface Some<T> {
  readonly total: number;
  readonly shown: readonly T[];
}

export interface ExploreChanges {
  /** By what became of them, decisions on ids that are not the same. */
  readonly decisions: Readonly<Record<ChangeKind, Some<Change>>>;
  /** Requests beyond ids that are not answered the same. */
  readonly found: Some<FoundChange>;
  /** What may allow more, and no request shows it. */
  readonly unseen: Some<Unseen>;
  readonly rules: Some<RuleChange>;
  readonly contents: Some<ContentChange>;
  /** There is too much to ask: `decisions`, `found` and `unseen` are not known. */
  readonly tooMany: boolean;
}

/** A comparison that asks more would keep its reader waiting: the page's tables ask by themselves. */
const MOST_QUESTIONS = 5_000_000;
/** A list that is longer is for `portcullis diff --all`. */
const MOST_SHOWN = 1_000;

export async function changesOf(before: OpenedPolicy, now: OpenedPolicy): Promise<ExploreChanges> {
  const diff = await diffPolicies(before, now, { limit: MOST_QUESTIONS });
  const places = new DiffPlaces(before, now);
  const { changes, found, unseen, rules, contents } = diff.ok
    ? diff.value
    : {
        changes: [],
        found: [],
        unseen: [],
        rules: compareRuleWords(before, now, places),
        contents: compareContents(before, now),
      };
  const decisions = Object.fromEntries(
    CHANGE_KINDS.map((kind) => [kind, some(changes.filter((change) => change.kind === kind))]),
  ) as Record<ChangeKind, Some<Change>>;
  return {
    decisions,
    found: some(found),
    unseen: some(unseen),
    rules: some(rules),
    contents: some(contents),
    tooMany: !diff.ok,
  };
}

function some<T>(list: readonly T[]): Some<T> {
  return { total: list.length, shown: list.slice(0, MOST_SHOWN) };
}
