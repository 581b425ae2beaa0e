/**
 * Differences of content whose effect no question showed. A difference of data is put into the older policy alone: it is seen
 * when some question is then answered differently, and none is newly allowed. Of a difference in rules only a denial more is
 * seen without a question, and of what rules of the house read nothing is. Whatever is left may have opened a gate.
 */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import { merge } from "../bundle-data.ts";
import { type Answer, DECISION_OF, isLater, spacesOf } from "../decision-space.ts";
import { hostDataLoader } from "../host-data-policy.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { policyIds, policyTables } from "../policy-ids.ts";
import { houseReads, meetingHouse } from "../search/house-questions.ts";
import { questionsBeyond } from "../search/questions.ts";
import type { ReadInputs } from "../search/rego-inputs.ts";
import type { Question } from "../search/templates.ts";
import { type Asked, answer, compareQuestions, type FoundChange } from "./beyond.ts";
import { pathText } from "./contents.ts";
import { type Change, compareDecisions, unionOf } from "./decisions.ts";
import { digitChanges } from "./digits.ts";
import { type BothPlaces, bothPlaces, DiffPlaces } from "./places.ts";
import { type RegoChange, readByHouse } from "./rego-changes.ts";
import { effectOfRule, informsOnly, type Leaf, toolsAbout } from "./tightening.ts";

/** A difference that no question shows the effect of: somebody has to read it. */
export interface Unseen {
  readonly part: "data" | "rego" | "manifest" | "module";
  /** `data.newsroom.payouts.limit`, a rule's path, a member of what hosts are told, or the module's file. */
  readonly path: string;
  readonly why: string;
  /** Where an author wrote it. */
  readonly places?: BothPlaces;
}

/** More leaves than this are not looked at one by one: what is left is unseen. */
const MAX_LEAVES = 400;

const DIGITS = "its numbers differ in digits that no question has";

export async function unseenChanges(
  before: OpenedPolicy,
  after: OpenedPolicy,
  rules: readonly RegoChange[],
): Promise<Unseen[]> {
  const unseen: Unseen[] = [];
  for (const { path, kind, isHarmless, place } of rules) {
    const both = kind === "removed" ? bothPlaces(place, undefined) : bothPlaces(undefined, place);
    if (!isHarmless) unseen.push({ part: "rego", path, why: `a rule was ${kind}`, ...both });
  }
  const places = new DiffPlaces(before, after);
  for (const { path } of digitChanges(before, after))
    unseen.push({ part: "data", path: pathText("data", path), why: DIGITS, ...places.placesOf(path) });
  const readers = [before, after].map(readByHouse);
  const isHouses = ({ path }: Leaf): boolean => readers.some((reads) => reads(path));
  const leaves = leavesOf([], before.data, after.data).filter((leaf) => !informsOnly(leaf.path) || isHouses(leaf));
  if (leaves.length === 0) return unique(unseen);
  const loading = await hostDataLoader(before);
  const pair = loading.ok ? [await loading.value(), await loading.value()] : undefined;
  const [asking, other] = pair ?? [];
  const read = houseReads([before, after]);
  const fresh = after.data;
  const whyOf = (leaf: Leaf, i: number): string | undefined => {
    if (asking === undefined || other === undefined) return "the policy's Rego does not compile";
    return i < MAX_LEAVES
      ? effectOf(leaf, { data: before.data, fresh, asking, other, read, isHouses })
      : "too many differences to look at each";
  };
  for (const [i, leaf] of leaves.entries()) {
    const why = whyOf(leaf, i);
    if (why === undefined) continue;
    unseen.push({ part: "data", path: pathText("data", leaf.path), why, ...places.placesOf(leaf.path) });
  }
  return unique(unseen);
}

function unique(unseen: readonly Unseen[]): Unseen[] {
  return [...new Map(unseen.map((u) => [`${u.part} ${u.path} ${u.why}`, u])).values()];
}

function leavesOf(path: readonly string[], before: unknown, after: unknown): Leaf[] {
  const isInner = (x: unknown): x is JsonObject => isJsonObject(x) && Object.keys(x).length > 0;
  if (isInner(before) && isInner(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
    return [...names].sort().flatMap((key) => leavesOf([...path, key], own(before, key), own(after, key)));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

/** Where a difference is looked at: the older policy twice, with data of its own, and what rules of the house read. */
interface Looked {
  readonly data: JsonObject;
  /** The newer policy's. */
  readonly fresh: JsonObject;
  readonly asking: Policy;
  readonly other: Policy;
  readonly read: ReadInputs;
  /** Whether rules of the house may read what differs: then what any table means is theirs to say. */
  readonly isHouses: (leaf: Leaf) => boolean;
}

/** Why the effect of one difference is not seen; `undefined` when it is, and allows nothing. */
function effectOf(leaf: Leaf, looked: Looked): string | undefined {
  const { data, fresh, asking, other } = looked;
  const known = effectOfRule(leaf, data, fresh);
  const isHouses = looked.isHouses(leaf);
  // A letter more that reads as another is in the way of paths, of all tools: nothing to ask each of them about.
  if (known?.kind === "tightens" && leaf.path[2] === "path_folds" && !isHouses) return undefined;
  const changed = withLeaf(data, leaf.path, leaf.after);
  asking.setData(data);
  other.setData(changed);
  const tables = [data, changed].map((d) => policyTables(d) ?? {});
  const changes = changesBy(leaf, tables, looked);
  const isShown = changes.some(({ kind }) => kind === "newly-allowed");
  const more = known?.kind === "opens" ? known.more : undefined;
  if (isShown || more !== undefined)
    return `by itself it ${isShown || more?.isSure ? "allows" : "may allow"} more${more === undefined ? "" : `: ${more.what}`}`;
  // What they make of it may allow one request and deny another.
  if (isHouses) return "rules of yours read it, and no question shows all that it does";
  if (known?.kind === "tightens") return undefined;
  // What one question denies, another may allow: of these rules only what is known to tighten is seen.
  if (known === undefined && changes.some(isFurther))
    return "by itself it opens a gate, and what was asked is denied by a later one";
  const isSeen = known === undefined && changes.some(({ kind }) => kind === "newly-denied");
  return isSeen ? undefined : "no question shows what it does";
}

/** Whether a denial comes of a later gate than before: one of another request may not come. */
function isFurther(change: Change | FoundChange): boolean {
  const decision = "space" in change ? DECISION_OF[change.space] : change.decision;
  return change.kind === "changed-reason" && isLater(change.after, change.before, decision);
}

/** What becomes of the questions about one difference. */
function changesBy(
  leaf: Leaf,
  tables: readonly JsonObject[],
  { asking, other, read }: Looked,
): (Change | FoundChange)[] {
  const focus = new Set([...leaf.path.slice(3), ...toolsAbout(leaf.path, tables)]);
  const [a, b] = tables.map(policyIds) as [ReturnType<typeof policyIds>, ReturnType<typeof policyIds>];
  const narrow = (ids: readonly string[]): readonly string[] => {
    const wanted = ids.filter((id) => focus.has(id));
    return wanted.length > 0 ? wanted : ids;
  };
  const ids = unionOf(a, b);
  const narrowed = {
    ...ids,
    roles: narrow(ids.roles),
    lanes: narrow(ids.lanes),
    tools: narrow(ids.tools),
    agents: narrow(ids.agents),
    types: ids.types,
  };
  const inSpaces = spacesOf(narrowed).flatMap((space): Change[] => compareDecisions(space, asking, other, () => {}));
  const asked = [asking, other].map((policy, i): Asked => ({ policy, tables: tables[i] })) as [Asked, Asked];
  const isAllowed = (question: Question): boolean => asked.some((one) => answer(one, question).allowed);
  const answersTo = (question: Question): Answer[] => asked.map((one) => answer(one, question));
  const meeting = meetingHouse(read, answersTo);
  const beyond = compareQuestions(questionsBeyond({ tables, focus, isAllowed, meeting }), ...asked);
  return [...inSpaces, ...beyond];
}

/** The data with one leaf as the other policy has it. */
function withLeaf(data: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [key = "", ...rest] = path;
  const inner = Object.hasOwn(data, key) ? data[key] : undefined;
  const changed = rest.length === 0 ? value : withLeaf(isJsonObject(inner) ? inner : {}, rest, value);
  if (changed !== undefined) {
    const { [key]: _, ...others } = data;
    return merge(others, { [key]: changed });
  }
  const { [key]: _, ...others } = data;
  return others;
}
