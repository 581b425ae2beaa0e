/**
 * Questions beyond ids: requests in which one thing at a time is as the tables make it matter - a scope key, a flag, a write,
 * an approval, a chain, a staged script, a field of a record. The tables only say what to try; the policies answer.
 */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import type { DecisionKind } from "@portcullis/runtime";
import { keys, member, policyIds, texts } from "../policy-ids.ts";
import { atApprovals, boundApprovals, mayAsk, mayBind, underOwnRevision } from "./approval-questions.ts";
import { atArguments, goodArguments, type SaidArguments } from "./argument-questions.ts";
import type { Meeting } from "./house-questions.ts";
import { atLimits, keepingLimits } from "./limit-questions.ts";
import { APPROVAL, CLOSE, chainOf, execScript, HANDOFF, type Question, subagentTurn } from "./templates.ts";

/** The tables that a search draws on: those of one policy, or of both that are compared. */
export interface Searched {
  readonly tables: readonly JsonObject[];
  /** Ids that matter: where a table has some of them, only these are asked. */
  readonly focus?: ReadonlySet<string>;
  /** Whether any of the policies allows a request: variations start from those. */
  readonly isAllowed: (question: Question) => boolean;
  /** Where rules of the house deny all that the tables seem to ask for. */
  readonly meeting?: Meeting;
}

const MAX_TYPES = 12;
const MAX_ROLES = 3;
const MAX_CHAIN = 6;
const MAX_CHAINS = 500;

export function* questionsBeyond(searched: Searched): Generator<Question> {
  for (const kind of ["call", "lineage", "exec", "handoff", "subagent", "close"] as const)
    yield* QUESTIONS[kind](searched);
}

/** Calls say role, lane and tool, which is what the decisions that they are composed of ask for. */
const QUESTIONS: { readonly [K in DecisionKind]: (searched: Searched) => Iterable<Question> } = {
  lane: callQuestions,
  tool: callQuestions,
  call: callQuestions,
  lineage: chainQuestions,
  exec: execQuestions,
  handoff: handoffQuestions,
  subagent: subagentQuestions,
  close: () => [{ kind: "close", input: CLOSE }],
};

/** Requests to one decision of one policy: about the ids that matter, and by agents that it knows. */
export function* requestsTo(
  kind: string,
  tables: JsonObject,
  focus: ReadonlySet<string>,
  isAllowed: (input: JsonObject) => boolean,
): Generator<JsonObject> {
  if (!Object.hasOwn(QUESTIONS, kind)) return;
  const types = new Set(keys(at(tables, "manifests")));
  const own = (input: JsonObject): JsonObject => underOwnRevision(input, tables);
  const searched = { tables: [tables], focus, isAllowed: ({ input }: Question) => isAllowed(own(input)) };
  for (const { input } of QUESTIONS[kind as DecisionKind](searched)) {
    const chain = Array.isArray(input["lineage"]) ? input["lineage"] : [];
    if (chain.every((agent) => types.has(String(member(agent, "agent_type"))))) yield own(input);
  }
}

/** The keys of a table in any of the policies, those that matter if there are some. */
function all({ tables, focus }: Searched, ...path: readonly string[]): string[] {
  const found = [...new Set(tables.flatMap((t) => keys(at(t, ...path))))];
  const wanted = focus === undefined ? [] : found.filter((key) => focus.has(key));
  return wanted.length > 0 ? wanted : found;
}

function at(tables: JsonObject, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => member(value, key), tables);
}

function* callQuestions(searched: Searched): Generator<Question> {
  for (const lane of all(searched, "lanes")) {
    for (const tool of all(searched, "lanes", lane, "tools")) {
      for (const role of all(searched, "lanes", lane, "roles").slice(0, MAX_ROLES)) {
        const plain = callStarts(searched, { role, lane, tool });
        const bound = mayBind(searched.tables, tool)
          ? plain.flatMap((input) =>
              boundApprovals(searched.tables, input, searched.focus).map((more): JsonObject => ({ ...input, ...more })),
            )
          : [];
        const ask = (input: JsonObject): Question => ({ kind: "call", input });
        yield* [...plain, ...bound].map(ask);
        const met: JsonObject[] = [];
        const good = [plain, bound].flatMap((starts): JsonObject[] => {
          const found = starts.find((input) => searched.isAllowed(ask(input)));
          if (found !== undefined) return [found];
          const meets = searched.meeting?.(starts.map(ask))?.input;
          if (meets === undefined) return [];
          // Which agent calls is another question.
          met.push(...starts.map(({ lineage }) => (lineage === undefined ? meets : { ...meets, lineage })));
          return [meets];
        });
        yield* met.map(ask);
        // Where a rule of the author's denies them all, what is before it may still differ: the first of each, and of those with a history.
        const starts = good.length > 0 ? good : [plain, bound].flatMap((some) => some.slice(0, 2));
        for (const start of starts) yield* variedCall(searched, start, lane, tool);
      }
    }
  }
}

/** Calls of a tool by each agent type, with what the tables seem to ask for. */
export function callStarts(
  searched: Searched,
  { role, lane, tool }: { readonly role: string; readonly lane: string; readonly tool: string },
): JsonObject[] {
  const { tables } = searched;
  const types = all(searched, "manifests").slice(0, MAX_TYPES);
  // A type without a manifest is unknown, unless a setting lets it call.
  const lineages = [{}, ...[...types, unlistedType(searched)].map((type) => ({ lineage: chainOf([type]) }))];
  const scopeKeys = [
    ...names(searched, ["lanes", lane, "requires"]),
    ...names(searched, ["tools", tool, "scope_keys"]),
  ];
  const scope = Object.fromEntries([...new Set(scopeKeys)].map((key) => [key, "x-1"]));
  const bare: JsonObject = { role, lane, tool, scope, approval: APPROVAL };
  const said = goodArguments(tables, tool, role);
  const calls = (said.length === 0 ? [undefined] : said).flatMap((one): JsonObject[] => {
    const call = one === undefined ? bare : withArguments(bare, one);
    return [call, ...[...keepingLimits(tables, tool, call)].map((more): JsonObject => ({ ...call, ...more }))];
  });
  return lineages.flatMap((lineage) => calls.map((call) => ({ ...call, ...lineage })));
}

function withArguments(input: JsonObject, { args, paths }: SaidArguments): JsonObject {
  if (Object.keys(paths).length === 0) return { ...input, args };
  const { facts } = input;
  return { ...input, args, facts: { ...(isJsonObject(facts) ? facts : {}), paths } };
}

function unlistedType({ tables }: Searched): string {
  let type = "unlisted";
  while (tables.some((t) => at(t, "manifests", type) !== undefined)) type += "_";
  return type;
}

function names({ tables }: Searched, path: readonly string[]): string[] {
  return [...new Set(tables.flatMap((t) => keys(at(t, ...path))))];
}

function* variedCall(searched: Searched, input: JsonObject, lane: string, tool: string): Generator<Question> {
  const ask = (changed: JsonObject): Question => ({ kind: "call", input: { ...input, ...changed } });
  const scope = input["scope"] as JsonObject;
  for (const changed of atLimits(searched.tables, tool, input)) yield ask(changed);
  for (const key of Object.keys(scope)) {
    const { [key]: _, ...without } = scope;
    yield ask({ scope: without });
    yield ask({ scope: { ...scope, [key]: " " } });
  }
  for (const flag of new Set([
    ...names(searched, ["lanes", lane, "prohibits"]),
    ...names(searched, ["tools", tool, "prohibited_flags"]),
  ])) {
    yield ask({ flags: [flag] });
    yield ask({ scope: { ...scope, [flag]: true } });
  }
  const modes = searched.tables.flatMap((t) =>
    keys(at(t, "lanes", lane, "writes")).flatMap((table) =>
      keys(at(t, "lanes", lane, "writes", table)).map((mode) => ({ table, mode })),
    ),
  );
  for (const table of names(searched, ["tools", tool, "write_targets"])) modes.push({ table, mode: "append" });
  for (const write of modes) yield ask({ writes: [write] });
  yield ask({ approval: null });
  const isAsked = mayAsk(searched.tables, tool);
  const args = isJsonObject(input["args"]) ? input["args"] : {};
  const paths = member(input["facts"], "paths");
  for (const said of atArguments(searched.tables, tool, String(input["role"]), {
    args,
    paths: isJsonObject(paths) ? paths : {},
  })) {
    const changed = withArguments(input, said);
    yield { kind: "call", input: changed };
    if (isAsked) yield { kind: "call", input: { ...changed, approval: null } };
  }
  if (!isAsked) return;
  for (const by of agentsOf(searched)) yield ask({ approval: { ...APPROVAL, by } });
  for (const changed of atApprovals(searched.tables, input)) yield ask(changed);
}

/** Every persona's turn, and one that is handed its subagents as if each agent in turn had approved it. */
function* subagentQuestions(searched: Searched): Generator<Question> {
  const turns = all(searched, "agents").map(
    (persona): Question => ({ kind: "subagent", input: subagentTurn(persona) }),
  );
  yield* turns;
  const turn = turns.find(searched.isAllowed)?.input;
  if (turn === undefined) return;
  for (const approvedBy of agentsOf(searched))
    yield { kind: "subagent", input: { ...turn, governance: { ...(turn["governance"] as JsonObject), approvedBy } } };
}

/** Every name of an agent: of roles, instruction files and types; those that matter if some do. */
function agentsOf({ tables, focus }: Searched): string[] {
  const ids = tables.map(policyIds);
  const agents = new Set(ids.flatMap((i) => [...i.roles, ...i.agents, ...i.types]));
  return [...agents].filter((name) => focus === undefined || focus.has(name));
}

/** Chains that the manifests of either policy list, from every type, and one that is not where it says. */
function* chainQuestions(searched: Searched): Generator<Question> {
  const ask = (lineage: unknown): Question => ({ kind: "lineage", input: { lineage } });
  yield ask(null);
  yield ask([]);
  const queue = all(searched, "manifests").map((type) => [type]);
  let asked = 0;
  for (const types of queue) {
    if (asked++ > MAX_CHAINS) return;
    yield ask(chainOf(types));
    const last = types.at(-1) as string;
    yield ask(chainOf(types).map((agent) => ({ ...agent, spawn_depth: 0 })));
    if (types.length >= MAX_CHAIN) continue;
    for (const next of names(searched, ["manifests", last, "can_spawn"])) queue.push([...types, next]);
  }
}

function* execQuestions({ tables }: Searched): Generator<Question> {
  const values = (name: string): unknown[] => tables.map((t) => at(t, "exec", name));
  const modes = new Set(
    tables.flatMap((t) => [...keys(at(t, "exec", "modes")), ...keys(at(t, "exec", "inline_modes"))]),
  );
  const roots = new Set(values("staging_root").filter((v) => typeof v === "string"));
  const extensions = new Set(values("script_extensions").flatMap(texts));
  const ages = new Set([
    0,
    ...values("hat_lifetime_seconds").flatMap((v) => (typeof v === "number" ? [v, v + 1] : [])),
  ]);
  ages.add(1_000_000_000);
  for (const mode of modes) {
    yield { kind: "exec", input: { mode, kind: "inline" } };
    for (const root of roots)
      for (const extension of extensions)
        for (const age of ages) yield { kind: "exec", input: execScript({ mode, root, extension, age }) };
  }
}

function* handoffQuestions({ tables }: Searched): Generator<Question> {
  const fields = tables.flatMap((t) => texts(at(t, "handoff", "required_fields")));
  const ask = (changed: JsonObject): Question => ({ kind: "handoff", input: { ...HANDOFF, record: changed } });
  const bare = { ...(HANDOFF["record"] as JsonObject), ...Object.fromEntries(fields.map((f) => [f, "x"])) };
  yield ask(bare);
  const record = { ...bare, ...(yield* handoffRoles(tables, bare)) };
  for (const field of new Set(fields)) {
    const { [field]: _, ...without } = record as JsonObject;
    yield ask(without);
  }
  for (const name of new Set(tables.flatMap((t) => keys(at(t, "handoff", "forbidden_mutations")))))
    yield ask({ ...record, attempted_mutations: [name] });
  const next = member(record, "next_action");
  for (const word of new Set(tables.flatMap((t) => keys(at(t, "handoff", "placeholders")))))
    yield ask({ ...record, next_action: { ...(isJsonObject(next) ? next : {}), action: `${word} it` } });
}

/** Every agent of the policies as the one that hands over, and as the one that is handed to. The members of a good record. */
function* handoffRoles(tables: readonly JsonObject[], record: JsonObject): Generator<Question, JsonObject> {
  const ask = (changed: JsonObject): Question => ({
    kind: "handoff",
    input: { ...HANDOFF, record: { ...record, ...changed } },
  });
  const agents = (role: string): string[] =>
    tables.flatMap((t) => keys(at(t, "handoff", "agents")).filter((name) => at(t, "handoff", "agents", name) === role));
  const [masters, subs] = [new Set(agents("master")), new Set(agents("sub"))];
  const [master, sub] = [[...masters][0], [...subs][0]];
  if (master === undefined || sub === undefined) return {};
  const delivered = { from_agent: sub, to_agent: master };
  for (const name of new Set([...masters, ...subs])) {
    yield ask({ ...delivered, from_agent: name });
    yield ask({ from_agent: master, to_agent: name });
    yield ask({ ...delivered, to_agent: name });
  }
  yield ask({ ...delivered, result: "FAIL", rulebook_update: { applied: false } });
  for (const path of new Set(tables.flatMap((t) => keys(at(t, "handoff", "forbidden_paths")))))
    yield ask({ ...delivered, attempted_mutations: [`${path}/x`] });
  return delivered;
}
