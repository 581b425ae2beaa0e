/**
 * One call of a tool that an agent host asks about before it makes it, or says the end of. What cannot be read is denied, as is what
 * the policy denies.
 */

import type {
  ApprovalSource,
  CallDecider,
  CallDecision,
  CallRecord,
  HistoryStore,
  Policy,
  Replaceable,
  SpawnAnswer,
} from "@portcullis/runtime";
import { denialText, FAULTS } from "@portcullis/runtime";
import { type AskedCall, type HookFormat, type Host, readCall } from "./asked-call.ts";
import type { Caller } from "./caller.ts";
import { denial, question, shortened, undecided } from "./denial.ts";
import { digestOf } from "./digest.ts";
import { pathsAtHost } from "./host-paths.ts";
import { cut, quoted } from "./outside-names.ts";
import { decideStart, decideStarted, type Spawns, startsAgent } from "./spawn.ts";
import { type ToolMap, toolsAtHost } from "./tool-map.ts";
import { isNamed, limitsOf, Verdicts } from "./verdicts.ts";

export interface HookOptions {
  readonly format: HookFormat;
  /**
   * A call that lacks only a person's approval is one for the host to ask about, where the host honours that. What a limit has to do
   * with is denied: the limit is not asked before there is an approval, and nothing would count the call. So is a call
   * that authors' gates deny with the approval of a person whom they do not know.
   */
  readonly ask: boolean;
}

export interface HookHost {
  readonly policy: Replaceable<CallDecider & Pick<Policy, "lane" | "tool">>;
  readonly caller: Caller;
  readonly tools: ToolMap;
  /** What starts of sub-agents are decided by; without it each is denied. */
  readonly spawns?: Spawns | undefined;
  /** The project's folder; without it no path of an argument can be resolved. */
  readonly root?: string | undefined;
  /** What came before, for limits; without it a call that a limit counts is denied. */
  readonly history?: HistoryStore | undefined;
  /** Approvals of calls that need one of their own; without it they are denied. */
  readonly approvals?: ApprovalSource | undefined;
  /** Is called before an allow is given. If it throws, the call is denied. */
  readonly record: (record: CallRecord, name: string, asked: AskedBy) => void;
}

/** Who asked: the host as it was recognised, its session and call, and the sub-agent where the host names one. */
export interface AskedBy {
  readonly host: Host;
  readonly session?: string | undefined;
  readonly call?: string | undefined;
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  /** SHA-256 of the arguments as canonical JSON, in hex; absent without arguments. */
  readonly argsSha256?: string | undefined;
}

export interface HookAnswer {
  readonly verdict: "allow" | "ask" | "deny";
  /** For the host, as JSON; absent for an allow, which some hosts take for a fault when it prints anything. */
  readonly output?: object;
  /** For the model, on denial. */
  readonly message: string;
}

/** Hosts that ask a person. Codex counts the question as a failed hook, and the command runs. */
const ASKING: ReadonlySet<Host> = new Set(["claude-code", "copilot"]);

/** Never rejects. Cost: linear in the text. */
export async function answerHook(text: string, given: HookHost, options: HookOptions): Promise<HookAnswer> {
  let call: AskedCall | undefined;
  try {
    const read = readCall(text, options.format);
    if (!read.ok) return refusal(read.problem.message);
    call = read.value;
    return await (call.succeeded === undefined ? decided(call, given, options) : ended(call, given));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (call === undefined) return refusal(problem);
    if (call.succeeded !== undefined) return uncounted(call, problem);
    noteUndecided(call, given, problem);
    return refusal(problem);
  }
}

/** Whether the registry says something of the tool. Where that cannot be told, it does: the call is then denied. */
function isRegistered({ policy, caller: { role, lane } }: HookHost, tool: string): boolean {
  const decider = "current" in policy ? policy.current : policy;
  const gateOf = (asked: unknown): string => decider.tool({ role, lane, tool: asked as string }).gate;
  // Where the role may work in the lane, the first gate that follows is the registry's: no registry has `null`.
  return decider.lane({ role, lane }).allowed !== true || gateOf(tool) !== gateOf(null);
}

/** Rejects where the call cannot be decided, or its decision not be recorded. */
async function decided(call: AskedCall, given: HookHost, options: HookOptions): Promise<HookAnswer> {
  const asked = askedBy(call);
  const caller = callerOfCall(given.caller, call);
  if (startsAgent(call)) {
    const { answer, record } = decideStart(call, caller, given.spawns);
    given.record(record, call.name, asked);
    // A tool that is mapped as well is a call as well, and so is one that a limit names, which counts it, or the registry has.
    const isMapped = given.tools.has(call.name) || isNamed(limitsOf(given.policy), call.name);
    const isCall = isMapped || isRegistered(given, call.name);
    if (answer.allowed !== true || !isCall) return answerOf(call, answer, false);
  }
  if (call.agent !== undefined) {
    const { answer, record } = decideStarted(call, given.caller, given.spawns);
    if (answer.allowed !== true) {
      given.record(record, call.name, asked);
      return answerOf(call, answer, false);
    }
  }
  const paths = given.root === undefined ? undefined : pathsAtHost(given.root, call);
  const record = (written: CallRecord, name: string): void => given.record(written, name, asked);
  const facts = { paths, history: given.history, session: call.session, approvals: given.approvals };
  const verdicts = new Verdicts(given.policy, caller, toolsAtHost(given.tools), record, facts);
  // The host makes the call afterwards: it has not succeeded before the host says so.
  const { decision } = await verdicts.call(call.name, call.args, () => false);
  const ask = options.ask && ASKING.has(call.host) && isApprovable(decision) && !verdicts.isLimited(call.name);
  if (!ask) return answerOf(call, decision, false);
  const approved = await verdicts.approved(call.name, call.args);
  return approved.allowed === true ? answerOf(call, decision, true) : answerOf(call, approved, false);
}

/** Counts a success. Rejects where that cannot be done. */
async function ended(call: AskedCall, given: HookHost): Promise<HookAnswer> {
  if (call.succeeded === true) {
    const facts = { history: given.history, session: call.session };
    const caller = callerOfCall(given.caller, call);
    await new Verdicts(given.policy, caller, toolsAtHost(given.tools), () => {}, facts).succeeded(call.name);
  }
  return { verdict: "allow", message: "" };
}

/** The call was made; what may come only after its success is denied. */
function uncounted({ name, event }: AskedCall, problem: string): HookAnswer {
  const message = shortened(`The success of ${quoted(name)} is not counted: ${problem}`);
  return { verdict: "deny", output: denial(message, event), message };
}

/** Writes down the denial of a call that could not be decided. It is denied, whether that succeeds or not. */
function noteUndecided(call: AskedCall, { caller, record }: HookHost, problem: string): void {
  const { role, lane, lineage } = caller;
  const { gate, reason } = FAULTS.call;
  try {
    record(
      {
        ...{ disposition: "DENY", role, lane, tool: call.name, gate, reason, evaluation_ms: 0 },
        ...(lineage === undefined ? {} : { lineage: lineage.map(({ agent_type }) => agent_type) }),
        details: { problem },
      },
      call.name,
      askedBy(call),
    );
  } catch {
    // The log is full, or gone.
  }
}

/** The answer where there is no decision: a denial. */
export function refusal(problem: string): HookAnswer {
  const message = shortened(undecided(problem));
  return { verdict: "deny", output: denial(message), message };
}

/** A sub-agent stands at the end of the lineage. Throws where the host's options do not say whose it is. */
function callerOfCall(caller: Caller, { agent }: AskedCall): Caller {
  if (agent === undefined) return caller;
  const { lineage } = caller;
  if (lineage === undefined)
    throw new Error(`the sub-agent ${JSON.stringify(agent.type)} calls, and \`--lineage\` does not say whose it is`);
  return { ...caller, lineage: [...lineage, { agent_type: agent.type, spawn_depth: lineage.length }] };
}

function askedBy({ host, session, id, agent, args }: AskedCall): AskedBy {
  return {
    host,
    session,
    call: id,
    agentType: agent?.type,
    agentId: agent?.id,
    argsSha256: args === undefined ? undefined : digestOf(args),
  };
}

function answerOf({ event, name }: AskedCall, decision: CallDecision | SpawnAnswer, ask: boolean): HookAnswer {
  if (decision.allowed === true) return { verdict: "allow", message: "" };
  const message = shortened(denialText(cut(name), decision));
  if (ask) return { verdict: "ask", output: question(message, event), message };
  return { verdict: "deny", output: denial(message, event), message };
}

/** Who approves need not sign: who sits at the host is not known. */
function isApprovable(decision: CallDecision | SpawnAnswer): boolean {
  return "approval" in decision && decision.approval === "required";
}
