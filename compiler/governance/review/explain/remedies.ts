/**
 * What would allow: the smallest changes of the request, and of the policy, that turn a denial. Found by trying: a change is
 * kept where it leads to a later gate, until the decision allows; then whatever can be taken back is. Nothing is guessed about
 * what gates mean, and every answer is that of the Rego itself.
 */

import { didYouMean } from "@portcullis/rego/diagnostics";
import { isJsonObject } from "@portcullis/rego/value";
import { policyEdits, requestEdits, type State } from "./candidates.ts";
import { type Edit, edited, valueAt } from "./edit.ts";
import type { Step } from "./explainer.ts";

export interface Asked {
  readonly decision: unknown;
  steps(): readonly Step[];
}

/** Asks about another request or another policy; `undefined` where the answer is not known. */
export type AskAbout = (state: State) => Asked | undefined;

/** Gates that one remedy may have to pass, and states that are followed at once. */
const MOST_GATES = 24;
const BEAM = 3;
/** Evaluations that one search may take. */
const MOST_TRIES = { input: 3000, data: 2000 };

interface Node extends State {
  readonly edits: readonly Edit[];
  readonly asked: Asked;
}

/** Remedies of the same size, of at most `most` changes; empty if the search found nothing. `schema` is the request's. */
export function remediesOf(
  start: State,
  asked: Asked,
  ask: AskAbout,
  document: Edit["document"],
  schema: unknown,
  most = MOST_GATES,
): Edit[][] {
  let tries = 0;
  let nodes: Node[] = [{ ...start, edits: [], asked }];
  const seen = new Set([rankText(asked)]);
  for (let round = 0; round < most && nodes.length > 0; round++) {
    const next: { readonly node: Node; readonly rank: readonly number[] }[] = [];
    const allowed: Edit[][] = [];
    for (const node of nodes) {
      const steps = node.asked.steps();
      const failed = steps.filter((s) => s.isGate && s.status === "failed");
      const edits =
        document === "input" ? requestEdits(failed, node, node.asked.decision, schema) : policyEdits(failed, node);
      for (const edit of edits) {
        if (tries++ > MOST_TRIES[document]) break;
        const state = apply(node, edit);
        const found = ask(state);
        if (found === undefined) continue;
        const all = [...node.edits, edit];
        if (isAllowed(found.decision)) allowed.push(all);
        else if (!seen.has(rankText(found)))
          next.push({ node: { ...state, edits: all, asked: found }, rank: rankOf(found, steps) });
      }
    }
    if (allowed.length > 0)
      return smallest(
        withoutReplaced(
          start,
          allowed.map((edits) => withoutNeedless(start, edits, ask)),
        ),
      );
    next.sort((a, b) => compareRanks(b.rank, a.rank) || a.node.edits.length - b.node.edits.length);
    nodes = [];
    for (const { node } of next) {
      if (nodes.length === BEAM) break;
      if (seen.has(rankText(node.asked))) continue;
      seen.add(rankText(node.asked));
      nodes.push(node);
    }
  }
  return [];
}

export function apply({ input, data }: State, { document, path, to }: Edit): State {
  return document === "input" ? { input: edited(input, path, to), data } : { input, data: edited(data, path, to) };
}

function isAllowed(decision: unknown): boolean {
  return isJsonObject(decision) ? decision["allowed"] === true : decision === true;
}

function withoutNeedless(start: State, edits: readonly Edit[], ask: AskAbout): Edit[] {
  let kept = [...edits];
  for (const edit of edits) {
    const fewer = kept.filter((e) => e !== edit);
    const state = fewer.reduce(apply, start);
    if (fewer.length > 0 && isAllowed(ask(state)?.decision)) kept = fewer;
  }
  return kept;
}

/**
 * An element of a list that may as well go is not said to become another one, unless it is misspelt: `flags: [SECRET]` is not
 * mended by the name of a lane.
 */
function withoutReplaced(start: State, remedies: readonly Edit[][]): Edit[][] {
  const key = (edits: readonly Edit[]): string =>
    JSON.stringify(edits.map(({ document, path, to }) => [document, path, to ?? "absent"]));
  const known = new Set(remedies.map(key));
  return remedies.filter((edits) => {
    const may = (edit: Edit): boolean => {
      const isRemovable = known.has(key(edits.map((e) => (e === edit ? { ...e, to: undefined } : e))));
      return edit.to === undefined || typeof edit.path.at(-1) !== "number" || !isRemovable || isMisspelt(start, edit);
    };
    return edits.every(may);
  });
}

function isMisspelt(start: State, { document, path, to }: Edit): boolean {
  const before = valueAt(start[document], path);
  return typeof before === "string" && typeof to === "string" && didYouMean(before, [to]).meant !== undefined;
}

/** Those with the fewest changes: of the smallest parts first, and then in the order in which they were found. */
function smallest(remedies: readonly Edit[][]): Edit[][] {
  const least = Math.min(...remedies.map((r) => r.length));
  const texts = new Set<string>();
  const fewest = remedies.filter((r) => {
    const text = JSON.stringify(r);
    const isNew = r.length === least && !texts.has(text);
    texts.add(text);
    return isNew;
  });
  const depth = (edits: readonly Edit[]): number => edits.reduce((sum, { path }) => sum + path.length, 0);
  return fewest.sort((a, b) => depth(b) - depth(a));
}

/** The whole answer tells states apart: a list of violations may get shorter under one and the same gate. */
function rankText({ decision }: Asked): string {
  return JSON.stringify(decision) ?? "undefined";
}

/** Later gates are better, then fewer violations. */
function rankOf({ decision }: Asked, steps: readonly Step[]): readonly number[] {
  if (!isJsonObject(decision)) return [-1, 0, 0];
  const at = steps.findIndex((s) => s.gate === decision["gate"] && s.reason === decision["reason"]);
  const near = at >= 0 ? at : steps.findIndex((s) => s.gate === decision["gate"]);
  const index = typeof decision["index"] === "number" ? decision["index"] : 0;
  const listed = Object.values(decision).reduce<number>((n, v) => n + (Array.isArray(v) ? v.length : 0), 0);
  return Array.isArray(decision["violations"]) ? [-listed, near, index] : [near, index, -listed];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((n, i) => n !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}
