/**
 * What a policy set grants: roles by lane and tool, personas with their delegates, who may start whom. Every line is an
 * answer of the compiled policy to a question of the decision space.
 */

import { didYouMean, failure, type Result, success } from "@portcullis/rego/diagnostics";
import type { JsonObject } from "@portcullis/rego/value";
import { FAULTS } from "@portcullis/runtime";
import { approverWords, argumentWords, limitWords, wordsOfApproval } from "../lower/index.ts";
import { AgentChains } from "./agent-chains.ts";
import { writtenData } from "./bundle-data.ts";
import { Asker, DECIDED_BY_DATA, questions, type Space, type SpaceName, spacesOf } from "./decision-space.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { agentKey, keys, member, type PolicyIds, policyIds, policyTables } from "./policy-ids.ts";
import { unwatched, type Watch } from "./watch.ts";

export interface ListOptions {
  /** Only what is granted to this role. */
  readonly role?: string | undefined;
  /** Only lanes in which this tool is granted. */
  readonly tool?: string | undefined;
  /** Only what concerns this agent: a persona, a subagent, or an agent type. */
  readonly agent?: string | undefined;
  readonly watch?: Watch;
}

export interface GrantedTool {
  readonly tool: string;
  /** The gate that denies it where a request says nothing more: it may allow one that does. */
  readonly gate?: string;
}

/** A tool that agents of a type may be given, by chains of agents. */
export interface ReachedTool {
  readonly agent: string;
  readonly tool: string;
  /** Agent types from the root on, the shortest chain from each root. */
  readonly chains: readonly (readonly string[])[];
  /** Where, and to whom, lanes grant it. */
  readonly grants: readonly { readonly role: string; readonly lane: string }[];
}

/** A granted tool that says what its arguments may be. */
export interface ToolArgumentWords {
  readonly tool: string;
  /** A sentence for each argument. */
  readonly may: readonly string[];
}

export interface Grants {
  readonly lanes: readonly { readonly role: string; readonly lane: string; readonly tools: readonly GrantedTool[] }[];
  /** Asked for one tool or agent type: the tools that chains of agents come to. */
  readonly reached: readonly ReachedTool[];
  readonly arguments: readonly ToolArgumentWords[];
  /** Granted tools whose calls need an approval: which, and whose. */
  readonly approvals: readonly { readonly tool: string; readonly says: string }[];
  /** A sentence for each approver of these tools. */
  readonly approvers: readonly { readonly approver: string; readonly says: string }[];
  /** A sentence for each limit of the tools. */
  readonly limits: readonly { readonly limit: string; readonly says: string }[];
  /** In a turn that is enabled, sealed and approved. */
  readonly delegates: readonly { readonly persona: string; readonly subagents: readonly string[] }[];
  readonly spawns: readonly { readonly parent: string; readonly children: readonly string[] }[];
}

export type ListProblem = "no-policy-set" | "unknown-id";

/** Gates by whose denial there is no grant, whatever else a request says: the data decides them alone. And the fault's. */
export const DECIDED_WITHOUT_REQUEST: ReadonlySet<string> = new Set([...DECIDED_BY_DATA, FAULTS.tool.gate]);

/**
 * Lists the grants of a policy set. With a filter, only the parts that the filter is about.
 *
 * Cost: a question for every role in every lane, and for every tool in those that the role may use; and one for every
 * persona and pair of agent types.
 */
export function listGrants(opened: OpenedPolicy, options: ListOptions = {}): Result<Grants, ListProblem> {
  const tables = policyTables(opened.data);
  if (tables === undefined) return failure("no-policy-set", `\`${opened.name}\` holds no policy set`);
  const ids = policyIds(tables);
  const unknown = unknownId(ids, options);
  if (unknown !== undefined) return unknown;
  const { role, tool, agent, watch = unwatched } = options;
  const written = policyTables(writtenData(opened));
  const asker = new Asker(opened.policy);
  const spaces = new Map(spacesOf(ids).map((space) => [space.name, space]));
  const all = role === undefined && tool === undefined && agent === undefined;
  const [ofRoles, ofAgents] = [all || role !== undefined || tool !== undefined, all || agent !== undefined];
  const step = watch(Math.max(1, ids.roles.length * ids.lanes.length));

  const lanes = allowed(asker, ofRoles ? spaces.get("lane") : undefined, step)
    .filter(([granted]) => role === undefined || granted === role)
    .map(([granted = "", lane = ""]) => ({
      role: granted,
      lane,
      tools: toolsOf(asker, granted, lane, ids.tools, tool),
    }))
    .filter(({ tools }) => tool === undefined || tools.length > 0);
  const pairs = (space: SpaceName): Map<string, string[]> => {
    const found = new Map<string, string[]>();
    for (const [from = "", to = ""] of allowed(asker, ofAgents ? spaces.get(space) : undefined)) {
      if (agent === undefined || [from, to].some((id) => agentKey(id) === agentKey(agent)))
        found.set(from, [...(found.get(from) ?? []), to]);
    }
    return found;
  };
  const reached = reachedTools(opened, ids, options, asker);
  const granted = new Set([
    ...lanes.flatMap(({ tools }) => tools.map((one) => one.tool)),
    ...reached.map((one) => one.tool),
  ]);
  return success({
    lanes,
    reached,
    arguments: ids.tools.flatMap((one) => {
      const may = granted.has(one) ? argumentWords(written, one) : [];
      return may.length === 0 ? [] : [{ tool: one, may }];
    }),
    approvals: ids.tools.flatMap((one) => {
      const says = granted.has(one) ? wordsOfApproval(tables, one) : undefined;
      return says === undefined ? [] : [{ tool: one, says }];
    }),
    approvers: approverWords(tables).filter(({ approver }) =>
      [...granted].some(
        (one) => isBound(tables, one) && approverWords(tables, one).some((of) => of.approver === approver),
      ),
    ),
    limits: limitWords(tables).filter(({ limit }) => [...granted].some((one) => limitsOf(tables, one).includes(limit))),
    delegates: [...pairs("subagent")].map(([persona, subagents]) => ({ persona, subagents })),
    spawns: [...pairs("spawn")].map(([parent, children]) => ({ parent, children })),
  });
}

/** Which tools agents of a type may be given, or which types a tool; with both, whether one the other. */
function reachedTools(
  { policy, data }: OpenedPolicy,
  { roles, lanes, tools, types }: PolicyIds,
  { role, tool, agent }: ListOptions,
  asker: Asker,
): ReachedTool[] {
  const isType = agent !== undefined && types.includes(agent);
  if (tool === undefined && !isType) return [];
  const manifests = policyTables(data)?.["manifests"];
  const children = (type: string): string[] => keys(member(member(manifests, type), "can_spawn"));
  const edges = types.flatMap((from) => children(from).map((to) => ({ from, to })));
  const chains = new AgentChains({ policy, types, edges });
  const places = roles
    .filter((one) => role === undefined || one === role)
    .flatMap((one) => lanes.map((lane) => ({ role: one, lane })))
    .filter((place) => asker.ask({ name: "lane" }, [place.role, place.lane]).allowed);
  return tools
    .filter((one) => tool === undefined || one === tool)
    .flatMap((one) => {
      const grants = places.filter((place) => toolsOf(asker, place.role, place.lane, [one], undefined).length > 0);
      if (grants.length === 0) return [];
      const found = [...chains.to(one)].filter(([type]) => agent === undefined || type === agent);
      return found.map(([type, by]): ReachedTool => ({ agent: type, tool: one, chains: by, grants }));
    });
}

/** Whether some call of a tool needs a bound approval. */
function isBound(tables: JsonObject, tool: string): boolean {
  const row = member(tables["tools"], tool);
  return member(row, "approval") === "bound" || member(row, "bound_arguments") === true;
}

/** Ids of the limits that have to do with a tool. */
const limitsOf = (tables: unknown, tool: string): string[] => limitWords(tables, tool).map(({ limit }) => limit);

/** The questions of a space that are allowed. */
function allowed(asker: Asker, space: Space | undefined, step: () => void = () => {}): (readonly string[])[] {
  if (space === undefined) return [];
  return [...questions(space)].filter((ids) => {
    step();
    return asker.ask(space, ids).allowed;
  });
}

function toolsOf(
  asker: Asker,
  role: string,
  lane: string,
  tools: readonly string[],
  only: string | undefined,
): GrantedTool[] {
  return tools.flatMap((tool) => {
    if (only !== undefined && tool !== only) return [];
    const { allowed: isAllowed, gate } = asker.ask({ name: "tool" }, [role, lane, tool]);
    return isAllowed ? [{ tool }] : DECIDED_WITHOUT_REQUEST.has(gate) ? [] : [{ tool, gate }];
  });
}

/** A filter that names nothing would list nothing, and look like an answer. */
function unknownId(ids: PolicyIds, { role, tool, agent }: ListOptions): Result<never, ListProblem> | undefined {
  const agents = [...new Set([...ids.agents, ...ids.subagents, ...ids.types])];
  const unknown = (kind: string, id: string, known: readonly string[]): Result<never, ListProblem> =>
    failure("unknown-id", `the policy has no ${kind} \`${id}\``, didYouMean(id, known).help);
  if (role !== undefined && !ids.roles.includes(role)) return unknown("role", role, ids.roles);
  if (tool !== undefined && !ids.tools.includes(tool)) return unknown("tool", tool, ids.tools);
  if (agent !== undefined && !agents.some((id) => agentKey(id) === agentKey(agent)))
    return unknown("agent", agent, agents);
  return undefined;
}
