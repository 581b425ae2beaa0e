/**
 * `generated/types.ts`: the ids of one policy set as union types, and with them the request and decision of every
 * entrypoint. An id that the policy does not know is then a type error in the program that asks.
 */

/** The parts of a model that the text needs; a Model has this shape. */
export interface PolicyNames {
  readonly roles: Ids;
  readonly lanes: Ids;
  readonly tools: Ids;
  readonly agents: ReadonlyMap<string, AgentNames>;
  readonly manifests: Ids;
  readonly exec: { readonly modes: readonly { readonly name: string }[] } | undefined;
}

interface AgentNames {
  readonly name: { readonly name: string };
  readonly type: 0 | 1 | 2 | undefined;
  readonly allowlist: readonly { readonly name: string }[];
}

type Ids = ReadonlyMap<string, unknown>;

/** Longer unions go one member a line. */
const LINE = 100;

/** The text of the file; the same names give the same bytes, whatever their order. */
export function generateTypes(policy: PolicyNames): string {
  const agents = [...policy.agents.values()];
  const personas = agents.filter((a) => a.type !== 2).map((a) => a.name.name);
  const subagents = agents.filter((a) => a.type === 2).map((a) => a.name.name);
  // A decision spells delegates as the allowlist does, which may differ from the file's name in `-` and `_`.
  const keys = new Set(subagents.map(key));
  const delegates = agents.flatMap((a) => a.allowlist.map((n) => n.name)).filter((n) => keys.has(key(n)));
  const unions = [
    union("Role", "Roles of roles.yaml.", policy.roles.keys()),
    union("Lane", "Lanes of lanes.yaml.", policy.lanes.keys()),
    union("Tool", "Tools of tool_registry.yaml.", policy.tools.keys()),
    union("Persona", "Agents that a turn can be asked for: those that are not TYPE 2.", personas),
    union("Subagent", "Agents that a persona may delegate to: those that are TYPE 2.", [...subagents, ...delegates]),
    union("AgentType", "Agent types of the spawn manifests.", policy.manifests.keys()),
    union(
      "Mode",
      "Modes of exec.yaml.",
      (policy.exec?.modes ?? []).map((m) => m.name),
    ),
  ];
  return `${HEADER}\n${unions.join("\n")}\n${ENTRYPOINTS}`;
}

function key(name: string): string {
  return name.replace(/-/g, "_");
}

function union(name: string, comment: string, ids: Iterable<string>): string {
  const members = [...new Set(ids)].sort().map((id) => JSON.stringify(id));
  const line = `export type ${name} = ${members.length === 0 ? "never" : members.join(" | ")};`;
  const text = line.length <= LINE ? line : `export type ${name} =${members.map((m) => `\n  | ${m}`).join("")};`;
  return `/** ${comment} */\n${text}\n`;
}

/** The package that the generated file imports; this one does not. */
const RUNTIME = "@portcullis/runtime";

const HEADER = `// Made by \`portcullis build\` from the policy set; do not edit.

import type {
  CallDecision,
  CallRequest as AnyCallRequest,
  CloseDecision,
  CloseRequest,
  ExecDecision,
  ExecRequest as AnyExecRequest,
  HandoffDecision,
  HandoffRequest,
  LaneDecision as AnyLaneDecision,
  LaneRequest as AnyLaneRequest,
  LineageDecision as AnyLineageDecision,
  LineageRequest as AnyLineageRequest,
  SubagentDecision as AnySubagentDecision,
  SubagentRequest as AnySubagentRequest,
  ToolDecision as AnyToolDecision,
  ToolRequest as AnyToolRequest,
} from ${JSON.stringify(RUNTIME)};

export type { CallDecision, CloseDecision, CloseRequest, ExecDecision, HandoffDecision, HandoffRequest };
`;

const ENTRYPOINTS = `export type LaneRequest = AnyLaneRequest<Role, Lane>;
export type LaneDecision = AnyLaneDecision;

export type ToolRequest = AnyToolRequest<Role, Lane, Tool>;
export type ToolDecision = AnyToolDecision;

export type SubagentRequest = AnySubagentRequest<Persona>;
/** An allowlist may name agents without a file, when the policy drops such candidates; delegates always have one. */
export type SubagentDecision = AnySubagentDecision & { readonly delegatedSubagents: readonly Subagent[] };

export type LineageRequest = AnyLineageRequest<AgentType>;
export type LineageDecision = AnyLineageDecision;

export type CallRequest = AnyCallRequest<Role, Lane, Tool, AgentType>;

/** The mode of contract and packet comes from outside; only the mode that is asked for is held to the policy. */
export type ExecRequest = AnyExecRequest & { readonly mode: Mode };

/** Request and decision of every entrypoint, by its path. */
export interface Entrypoints {
  "portcullis/lane/decision": { readonly request: LaneRequest; readonly decision: LaneDecision };
  "portcullis/tool/decision": { readonly request: ToolRequest; readonly decision: ToolDecision };
  "portcullis/subagent/decision": { readonly request: SubagentRequest; readonly decision: SubagentDecision };
  "portcullis/lineage/decision": { readonly request: LineageRequest; readonly decision: LineageDecision };
  "portcullis/handoff/decision": { readonly request: HandoffRequest; readonly decision: HandoffDecision };
  "portcullis/exec/decision": { readonly request: ExecRequest; readonly decision: ExecDecision };
  "portcullis/close/decision": { readonly request: CloseRequest; readonly decision: CloseDecision };
  "portcullis/call/decision": { readonly request: CallRequest; readonly decision: CallDecision };
}
`;
