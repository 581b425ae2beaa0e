/**
 * What differs between two policies, by asking both: every request of a small space that is aimed at the place that was mutated.
 * It knows nothing of how `diff` searches, and nothing of the tables.
 */

import { answerOf } from "../../../../compiler/governance/review/decision-space.ts";
import type { OpenedPolicy } from "../../../../compiler/governance/review/index.ts";
import type { Documents, Place } from "./edits.ts";

type Json = { readonly [key: string]: unknown };
export type Request = readonly [decision: string, input: unknown];

/** A policy set, its mutators, and the space of requests that it is asked. */
export interface World {
  readonly documents: Documents;
  readonly places: readonly Place[];
  readonly roles: readonly string[];
  readonly lanes: readonly string[];
  readonly tools: readonly string[];
  /** What a call says with which nothing is wrong, as a rule. */
  readonly call: Json;
  /** By member, which may be one of an object's: what else it may be. `{ without }` takes a member of it away. */
  readonly others: Readonly<Record<string, readonly unknown[]>>;
  /** What calls of one tool say besides, and what else that may be. */
  readonly byTool: Readonly<Record<string, { readonly call: Json; readonly others: World["others"] }>>;
  readonly types: readonly string[];
  /** The longest chain. */
  readonly chains: number;
  readonly personas: readonly string[];
  readonly more: readonly Request[];
  /** Whether requests about one row differ in two things at a time: not where ids are many. */
  readonly pairs: boolean;
}

/** An approval says this where it was given under the policy that is asked. */
export const OWN = "own";

/** A request that the policies answer differently; of a subagent's turn, one of the subagents that it is handed. */
export interface Differs {
  readonly kind: "newly-allowed" | "newly-denied" | "changed-reason";
  readonly decision: string;
  readonly input: unknown;
}

/**
 * `rows`: what the requests are aimed at. `isOpen`: whether either policy lets a role into a lane at all: elsewhere nothing else that a
 * request says is varied.
 */
function* requestsOf(
  world: World,
  rows: readonly string[],
  isOpen: (role: string, lane: string) => boolean,
): Generator<Request> {
  const narrow = (ids: readonly string[]): readonly string[] => {
    const wanted = ids.filter((id) => rows.includes(id));
    return wanted.length > 0 ? wanted : ids;
  };
  const isAimed = [...world.lanes, ...world.tools].some((id) => rows.includes(id));
  for (const role of world.roles)
    for (const lane of world.lanes) {
      yield ["lane", { role, lane }];
      for (const tool of world.tools) yield ["tool", { role, lane, tool }];
    }
  for (const role of world.roles)
    for (const lane of narrow(world.lanes))
      for (const tool of narrow(world.tools)) {
        const own = world.byTool[tool];
        const base = { ...world.call, ...own?.call, role, lane, tool };
        const others = Object.entries({ ...world.others, ...own?.others }).flatMap(([at, values]) =>
          values.map((value) => [at, value] as const),
        );
        if (!isOpen(role, lane)) {
          yield ["call", base];
          continue;
        }
        for (const [i, first] of [undefined, ...others].entries()) {
          const one = first === undefined ? base : changed(base, ...first);
          yield ["call", one];
          yield ["tool", one];
          if (tool === world.tools[0]) yield ["lane", one];
          if (!isAimed || !world.pairs || first === undefined) continue;
          for (const second of others.slice(i)) if (second[0] !== first[0]) yield ["call", changed(one, ...second)];
        }
      }
  yield* chainRequests(world);
  yield* turns(world);
  yield* world.more;
}

/** With another value of a member; at no member, with the members that are the value. */
function changed(input: Json, at: string, value: unknown): Json {
  if (at === "") return { ...input, ...(value as Json) };
  const [key = "", ...rest] = at.split(".");
  const inner = (input[key] ?? {}) as Json;
  if (rest.length > 0) return { ...input, [key]: changed(inner, rest.join("."), value) };
  const without = (value as { without?: string } | null)?.without;
  if (without === undefined) return { ...input, [key]: value };
  const { [without]: _, ...left } = inner;
  return { ...input, [key]: left };
}

/** Every chain up to a length, each agent at its place; and each at the root, as some report. */
function* chainRequests({ types, chains }: World): Generator<Request> {
  for (const lineage of [undefined, null, [], "x"]) yield ["lineage", { lineage }];
  let all: string[][] = [[]];
  for (let length = 1; length <= chains; length++) {
    all = all.flatMap((chain) => types.map((type) => [...chain, type]));
    for (const chain of all)
      for (const place of [1, 0])
        yield ["lineage", { lineage: chain.map((agent_type, i) => ({ agent_type, spawn_depth: i * place })) }];
  }
}

function* turns({ personas }: World): Generator<Request> {
  const governance = { contextSealed: true, pipelineRunApproved: true, approvalRef: "A-1" };
  for (const persona of personas)
    for (const env of [{ CHIRALITY_ENABLE_SUBAGENTS: "true" }, {}])
      for (const approvedBy of [undefined, "ann", "mallory", "eve", ...personas])
        yield ["subagent", { persona, env, governance: { ...governance, approvedBy } }];
}

/** What a policy allows: the decision as a whole, or each subagent that a turn is handed. */
type Said = { readonly allowed: ReadonlySet<string>; readonly reason: string };

function ask({ policy, data }: OpenedPolicy, [decision, input]: Request): Said {
  const answer: unknown = policy.evaluate(`portcullis/${decision}/decision`, under(input, data));
  const { allowed, gate, reason } = answerOf(answer);
  const handed = decision === "subagent" ? (answer as { delegatedSubagents?: unknown }).delegatedSubagents : undefined;
  const names = Array.isArray(handed) ? handed.map(String) : ["allowed"];
  return { allowed: new Set(allowed ? names : []), reason: `${gate} ${reason}` };
}

/** The request with an approval that was given under the policy whose data it is. */
export function under(input: unknown, data: unknown): unknown {
  const { approval } = input as { approval?: Json | null };
  if (approval?.["policy_revision"] !== OWN) return input;
  const { portcullis } = data as { portcullis: { policy: { approval_revision?: string } } };
  return { ...(input as Json), approval: { ...approval, policy_revision: portcullis.policy.approval_revision ?? "" } };
}

/** Everything that differs; and how many requests were asked. */
export function differences(
  before: OpenedPolicy,
  after: OpenedPolicy,
  world: World,
  rows: readonly string[],
): { readonly asked: number; readonly differs: readonly Differs[] } {
  const isOpen = (role: string, lane: string): boolean =>
    [before, after].some(({ policy }) => policy.lane({ ...world.call, role, lane }).allowed);
  const differs: Differs[] = [];
  let asked = 0;
  for (const request of requestsOf(world, rows, isOpen)) {
    asked++;
    const [a, b] = [ask(before, request), ask(after, request)];
    const [decision, input] = request;
    const kinds = [
      [...b.allowed].some((one) => !a.allowed.has(one)) ? "newly-allowed" : undefined,
      [...a.allowed].some((one) => !b.allowed.has(one)) ? "newly-denied" : undefined,
    ].flatMap((kind) => kind ?? []) as Differs["kind"][];
    if (kinds.length === 0 && a.reason !== b.reason) kinds.push("changed-reason");
    for (const kind of kinds) differs.push({ kind, decision, input });
  }
  return { asked, differs };
}
