/**
 * `@portcullis/agents/claude`: sessions of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`). Its tools run in a process of
 * their own, and the SDK asks hooks before each, in every permission mode (`canUseTool` is not asked for what a mode or
 * `allowedTools` lets pass). Tools that run in this process get arguments that their schema has completed: they are held there.
 *
 *   PreToolUse ──▶ a tool of this process, that is held? ──yes──▶ remembered ──▶ its handler asks with whole arguments
 *                      │ no
 *                      ▼ asks ──▶ allowed: PostToolUse tells that it has succeeded
 */

import {
  type CallContext,
  type CallDecider,
  chainWith,
  type Delegation,
  decideSpawn,
  lookAlikeAmong,
  type PolicyIds,
  type Replaceable,
  type SpawnDecider,
  type SpawnRequest,
} from "@portcullis/runtime";
import {
  type Admission,
  type Admit,
  type AgentContext,
  type AgentOptions,
  admitting,
  changed,
  ToolDenied,
} from "./admission.ts";
import { isErrorResult, run } from "./running.ts";

/** What the SDK tells a hook of a call. It has more members. */
export interface ClaudeCall {
  readonly session_id: string;
  readonly cwd: string;
  /** As Claude names it: `Bash`, or `mcp__server__tool`. */
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly permission_mode?: string | undefined;
  /** The sub-agent that calls; absent for the session's own agent. */
  readonly agent_id?: string | undefined;
  readonly agent_type?: string | undefined;
  readonly mcp_server?: { readonly name: string; readonly source: string } | undefined;
}

/** A tool that runs in this process, as the SDK's `tool` makes it. */
export interface ClaudeTool {
  readonly name: string;
  handler(args: never, extra: unknown): Promise<unknown>;
}

/** What a hook answers: nothing, or why not, or the arguments that were decided on. */
export interface ClaudeAnswer {
  hookSpecificOutput?: {
    hookEventName: "PreToolUse";
    permissionDecision?: "deny";
    permissionDecisionReason?: string;
    updatedInput?: Record<string, unknown>;
  };
}

/** The answer to a command of a skill's text. */
export interface ClaudeSkillAnswer {
  hookSpecificOutput?: {
    hookEventName: "PreSkillShellCommand";
    permissionDecision: "deny";
    permissionDecisionReason: string;
  };
}

/** Hooks of one event. */
export interface ClaudeHooks<Answer> {
  hooks: ((input: unknown) => Promise<Answer>)[];
  /** A hook that fails lets the call pass otherwise. */
  onFailure: "block";
}

/** What a session asks: calls, and the start of sub-agents. A Policy answers all of it. */
export type ClaudeDecider<Ids extends PolicyIds = PolicyIds> = CallDecider<Ids> & Partial<SpawnDecider>;

/** As for other SDKs, and who approved that sub-agents start: without it none does. */
export interface ClaudeOptions<Call> extends AgentOptions<Call> {
  readonly delegation?: Delegation;
}

/** What holds a session. */
export interface ClaudeGuard {
  /** For `options.hooks` of `query`, all of them. */
  readonly hooks: {
    PreToolUse: ClaudeHooks<ClaudeAnswer>[];
    PostToolUse: ClaudeHooks<object>[];
    PostToolUseFailure: ClaudeHooks<object>[];
    PreSkillShellCommand: ClaudeHooks<ClaudeSkillAnswer>[];
  };
  /** Tools of `createSdkMcpServer` with this name, each of which asks first, with arguments that its schema has completed. */
  tools<Given extends readonly ClaudeTool[]>(server: string, tools: Given): Given;
}

/**
 * Hooks for `query`, and what holds tools of this process. A sub-agent's type stands at the end of the lineage, also of one that a
 * function in place of `context` gives: it has not its parent's rights. Without a lineage it is denied, and it starts no other
 * sub-agent, since the SDK does not say whose that would be. A start has to be allowed three times: by the subagent and the lineage
 * decision (`options.delegation`), and as a call of the tool. A skill, a workflow or settings start sub-agents without such a call:
 * what they call is denied where those two decisions deny their start. The session is the SDK's, unless `options.session` names one. Throws
 * TypeError for options that `guardTool` refuses.
 */
export function guardSession<Call extends ClaudeCall = ClaudeCall, Ids extends PolicyIds = PolicyIds>(
  policy: Replaceable<ClaudeDecider<Ids>>,
  context: AgentContext<Call, Ids>,
  { delegation, ...options }: ClaudeOptions<Call> = {},
): ClaudeGuard {
  // What is wrong with the context or the options shows before the first call.
  admitting(policy, context, "", options);
  const told = (args: unknown, call: Call): CallContext<Ids> => {
    const isElsewhere = call.mcp_server?.source !== "sdk";
    if (isElsewhere && typeof args === "object" && args !== null && lookAlikeAmong(args) !== undefined)
      throw new Error("an argument could be read as another one");
    const parent = typeof context === "function" ? context(args, call) : context;
    const isStart = SPAWNS.includes(call.tool_name);
    if ((call.agent_id ?? call.agent_type ?? undefined) === undefined) {
      if (isStart) spawned(policy, parent, startedBy(args), delegation);
      return parent;
    }
    if (isStart) throw new Error("a sub-agent starts no other one: the SDK does not say whose it is");
    // Skills, workflows and settings (`agent`) start sub-agents without a call that names their types.
    return { ...parent, lineage: spawned(policy, parent, call.agent_type, delegation) } as typeof parent;
  };
  const ofSession = { session: ({ session_id }: Call) => session_id, ...options };
  const session = new Session((name) => admitting(policy, told, name, ofSession) as Admit<ClaudeCall>);
  return {
    hooks: {
      PreToolUse: [{ hooks: [(input) => session.before(input)], onFailure: "block" }],
      PostToolUse: [{ hooks: [(input) => session.after(input)], onFailure: "block" }],
      PostToolUseFailure: [{ hooks: [(input) => session.after(input)], onFailure: "block" }],
      PreSkillShellCommand: [{ hooks: [(input) => session.beforeSkill(input)], onFailure: "block" }],
    },
    tools: (server, tools) => tools.map((tool) => session.hold(server, tool)) as readonly ClaudeTool[] as typeof tools,
  };
}

/** Calls that are remembered until they end. One that is forgotten has used up its call; one of this process is denied. */
const MOST_CALLS = 10_000;

type Members = Readonly<Record<string, unknown>>;

class Session {
  readonly #admitting: (name: string) => Admit<ClaudeCall>;
  /** Calls that run in Claude's process, by id. */
  readonly #running = new Map<string, Admission>();
  /** Calls of tools of this process that the hook has heard of, by id. */
  readonly #heard = new Map<string, ClaudeCall>();
  /** By server and name: the SDK has one name for tools of servers such as `a.b` and `a_b`, of which only one may be held. */
  readonly #held = new Set<string>();

  constructor(admittingOf: (name: string) => Admit<ClaudeCall>) {
    this.#admitting = admittingOf;
  }

  async before(input: unknown): Promise<ClaudeAnswer> {
    const { call, args } = callOf(input);
    const { tool_name: name, tool_use_id: id } = call;
    if (call.mcp_server?.source === "sdk" && this.#held.has(placeOf(call.mcp_server.name, name))) {
      remember(this.#heard, id, call);
      return {};
    }
    const asked = await this.#ask(name, args, call);
    if (asked instanceof ToolDenied) return { hookSpecificOutput: { hookEventName: "PreToolUse", ...denial(asked) } };
    remember(this.#running, id, asked);
    // The last hook to answer with arguments wins: what an earlier one has written was not decided on.
    const updatedInput = asked.args as Record<string, unknown>;
    return { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } };
  }

  async beforeSkill(input: unknown): Promise<ClaudeSkillAnswer> {
    const { call, args } = callOf(input);
    const asked = await this.#ask(call.tool_name, args, call);
    if (asked instanceof ToolDenied)
      return { hookSpecificOutput: { hookEventName: "PreSkillShellCommand", ...denial(asked) } };
    // The SDK never tells what became of the command: it has not succeeded.
    await asked.failed(undefined);
    return {};
  }

  async after(input: unknown): Promise<object> {
    const { tool_use_id, tool_name, tool_response, error } = input as Members;
    const admission = this.#running.get(tool_use_id as string);
    this.#running.delete(tool_use_id as string);
    const isTold = error === undefined && tool_response !== undefined;
    const hasSucceeded = isTold && tool_name !== "Monitor" && !isUnfinished(tool_response);
    await (hasSucceeded ? admission?.done(tool_response) : admission?.failed(error));
    return {};
  }

  hold(server: string, tool: ClaudeTool): ClaudeTool {
    const name = `mcp__${plain(server)}__${plain(tool.name)}`;
    this.#held.add(placeOf(server, name));
    const handler = async (args: unknown, extra: unknown): Promise<unknown> => {
      const id = callIdOf(extra);
      const call = this.#heard.get(id);
      this.#heard.delete(id);
      if (call?.tool_name !== name) return failure(`The policy was not asked about ${JSON.stringify(name)}: denied`);
      const asked = await this.#ask(name, args, call);
      if (asked instanceof ToolDenied) return failure(asked.message);
      return run(asked, (judged) => tool.handler(judged as never, extra), { isFailure: isErrorResult });
    };
    return changed(tool, { handler });
  }

  #ask(name: string, args: unknown, call: ClaudeCall): Promise<Admission | ToolDenied> {
    return this.#admitting(name)(args, call);
  }
}

/** Throws for what is not a call: the SDK then blocks it. */
function callOf(input: unknown): { readonly call: ClaudeCall; readonly args: unknown } {
  const { tool_input: args, ...call } = input as ClaudeCall & { readonly tool_input: unknown };
  if (typeof call.tool_name !== "string" || typeof call.tool_use_id !== "string")
    throw new TypeError("not a tool call");
  return { call, args };
}

/** Tools that start a sub-agent. */
const SPAWNS: readonly string[] = ["Agent", "Task"];

function startedBy(args: unknown): unknown {
  return (Object(args) as { readonly subagent_type?: unknown }).subagent_type;
}

/** The chain with the sub-agent at its end. Throws where it may not start, which is a denial. */
function spawned(
  policy: Replaceable<Partial<SpawnDecider>>,
  { lineage }: { readonly lineage?: unknown },
  type: unknown,
  delegation: Delegation | undefined,
): SpawnRequest["lineage"] {
  if (delegation === undefined) throw new Error("no `delegation` approves that sub-agents start");
  if (typeof type !== "string") throw new Error("the sub-agent has no type");
  if (!Array.isArray(lineage)) throw new Error("there is no lineage that says whose sub-agent it is");
  const asked = "current" in policy ? policy.current : policy;
  if (asked.subagent === undefined || asked.lineage === undefined)
    throw new Error("the policy has no subagent and no lineage decision");
  const { allowed, gate, reason } = decideSpawn(asked as SpawnDecider, { ...delegation, lineage, type });
  if (allowed !== true) throw new Error(`the sub-agent may not start: ${gate}, ${reason}`);
  return chainWith({ lineage, type });
}

function remember<Value>(calls: Map<string, Value>, id: string, value: Value): void {
  calls.set(id, value);
  const [oldest] = calls.keys();
  if (calls.size > MOST_CALLS) calls.delete(oldest as string);
}

function denial({ message }: ToolDenied): { permissionDecision: "deny"; permissionDecisionReason: string } {
  return { permissionDecision: "deny", permissionDecisionReason: message };
}

/**
 * Whether the answer is an error, or a command or a sub-agent runs on, in the background or elsewhere, or was interrupted. The answer of
 * `Monitor`, whose command always runs on, does not say so.
 */
function isUnfinished(response: unknown): boolean {
  const { status, backgroundTaskId, interrupted, error, success } = Object(response) as Members;
  const runsOn = /_launched$/.test(String(status)) || (backgroundTaskId ?? interrupted ?? false) !== false;
  return runsOn || isErrorResult(response) || success === false || (error ?? undefined) !== undefined;
}

function failure(text: string): object {
  return { isError: true, content: [{ type: "text", text }] };
}

function placeOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

/** Claude's name for a server or a tool. */
function plain(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_");
}

function callIdOf(extra: unknown): string {
  const { _meta: meta } = Object(extra) as { readonly _meta?: unknown };
  return String((Object(meta) as Members)["claudecode/toolUseId"]);
}
