/**
 * The call decision around a tool: the tool runs only after an allow, with the very arguments that were decided on. A denial
 * is a value; errors of the tool itself go through.
 */

import { frozenCopy, type WithHandles } from "../encode/index.ts";
import { type CallFacts, callFacts, type FactHost, type FactPolicy } from "../facts/index.ts";
import { own } from "../host/own.ts";
import { holdMembers, holdOptions, type OptionTable } from "../options.ts";
import { FAULTS } from "./answers.ts";
import { type CallRecord, callLine, callRecord } from "./call-audit.ts";
import type { Allowed, CallDecision, Decision } from "./decision.ts";
import { clock, inUse, quietly, type Replaceable } from "./guarding.ts";
import { overruled } from "./overruled.ts";
import type { DecisionOf, Id, KnownAs, PolicyIds, RequestOf } from "./policy-ids.ts";
import type { CallRequest } from "./requests.ts";

/** A call request as policies take it: any text may be a handle. */
export type AnyCall = WithHandles<CallRequest>;

/** The parts of a policy that guardTool needs. */
export interface CallDecider<Ids extends PolicyIds = PolicyIds> extends KnownAs<Ids>, FactPolicy {
  /** As `Policy.call`. */
  call(request: RequestOf<Ids, "call">): DecisionOf<Ids, "call">;
  /** As `Policy.revision`. */
  readonly revision?: string | undefined;
}

/** Who calls, where, and on whose behalf: all of a call request but the tool, its arguments, and what the guard finds out. */
export type CallContext<Ids extends PolicyIds = PolicyIds> = Omit<RequestOf<Ids, "call">, "tool" | "args" | "facts">;

/** The denial of a call that could not be decided. */
export type CallFault = typeof FAULTS.call;

/** Where audit lines and records of guarded calls go. */
export interface ToolGuardOptions extends FactHost {
  /** Receives the audit line; a throwing sink is ignored. */
  readonly log?: (line: string) => void;
  /** Receives the same as a structured record. */
  readonly record?: (record: CallRecord) => void;
  /** Milliseconds, monotonic; default `performance.now`. */
  readonly now?: () => number;
  /**
   * Whether what the tool returned, awaited, is a success: limits with `only_after` count those. Default: every value is, and what
   * throws is not. One that throws is no success.
   */
  readonly succeeded?: (value: unknown) => boolean;
}

const GUARD_TOOL_OPTIONS: OptionTable = {
  log: "function",
  record: "function",
  now: "function",
  succeeded: "function",
  paths: "function?",
  history: "object?",
  session: "string?",
  approvals: "object?",
  historyTimeout: "number?",
};

/** A call that was denied: the tool did not run. */
export interface ToolDenial<Answer extends Decision = CallDecision> {
  readonly allowed: false;
  /** Why: gate and reason. */
  readonly decision: Exclude<Answer, Allowed> | CallFault;
  readonly record: CallRecord;
}

/** A call that was allowed, and what the tool returned. */
export interface ToolRun<Value, Answer extends Decision = CallDecision> {
  readonly allowed: true;
  /** What the tool returned. */
  readonly value: Value;
  readonly decision: Extract<Answer, Allowed>;
  readonly record: CallRecord;
}

/** What became of a guarded call. Ask `allowed === true`. */
export type ToolOutcome<Value, Answer extends Decision = CallDecision> = ToolRun<Value, Answer> | ToolDenial<Answer>;

/** `Host` stands for what the host itself passes along (a signal, a session): it goes through unread and undecided. */
export type Tool<Args, Host extends readonly unknown[], Value> = (args: Args, ...host: Host) => Value;

/** A tool that asks first. The promise rejects with what the tool itself throws, and for nothing else. */
export type GuardedTool<Args, Host extends readonly unknown[], Value, Answer extends Decision = CallDecision> = (
  args: Args,
  ...host: Host
) => Promise<ToolOutcome<Awaited<Value>, Answer>>;

/** Members of the context that the request takes. Another one would be passed over: a flag that is not raised prohibits nothing. */
const CONTEXT: { readonly [Name in keyof CallContext]-?: "any?" } = {
  role: "any?",
  lane: "any?",
  scope: "any?",
  flags: "any?",
  writes: "any?",
  lineage: "any?",
  approval: "any?",
};

/**
 * A tool that asks first. Each call is decided once, before anything else happens, and leaves one audit record. `execute`
 * gets a frozen copy of the arguments, and the policy decides on that copy: nothing can change between the two. Arguments
 * that are not data are a denial. What the host finds out (`facts`) is made here: a context that has it changes nothing.
 *
 * `context` may be a function of the copied arguments, where the scope or the approval differs from call to call; it is asked
 * once a call, and one that throws is a denial, as is one that gives a member that no call has. A policy that can be replaced is
 * read once a call.
 *
 * The promise rejects with what `execute` throws, and for nothing else. Throws TypeError for a tool that is not a function,
 * for an option that is unknown or of another type, and for a member of `context` that no call has.
 */
export function guardTool<Args, Host extends readonly unknown[], Value, Ids extends PolicyIds = PolicyIds>(
  policy: Replaceable<CallDecider<Ids>>,
  context: CallContext<Ids> | ((args: Args) => CallContext<Ids>),
  tool: Id<Ids, "tools">,
  execute: Tool<Args, Host, Value>,
  options: ToolGuardOptions = {},
): GuardedTool<Args, Host, Value, DecisionOf<Ids, "call">> {
  type Answer = DecisionOf<Ids, "call">;
  holdOptions(options, GUARD_TOOL_OPTIONS);
  holdMembers(context, "context", CONTEXT);
  if (typeof execute !== "function") throw new TypeError(`the tool \`${tool}\` is not a function`);
  return async (args, ...host) => {
    const asked = ask(policy as Replaceable<AnyDecider>, context, tool, args, options);
    const found = asked.found instanceof Promise ? await asked.found.catch(() => undefined) : asked.found;
    const { decision, record } = decide(asked, found, options);
    if (decision.allowed !== true) {
      await found?.release();
      if (needsApproval(decision)) await found?.ask?.();
      return { allowed: false, decision: decision as ToolDenial<Answer>["decision"], record };
    }
    // What it reserved stays used up where the tool throws.
    const value = await execute(found?.args as Args, ...host);
    if (hasSucceeded(value, options)) await found?.commit();
    return { allowed: true, value, decision: decision as Extract<Answer, Allowed>, record };
  };
}

/** Functions of whatever parameters, by their ids in the registry. */
export type Tools = Readonly<Record<string, (args: never, ...host: never[]) => unknown>>;

/** The tools of `guardTools` under their names, each guarded. */
export type GuardedTools<Given extends Tools, Answer extends Decision = CallDecision> = {
  readonly [Id in keyof Given]: Given[Id] extends (args: infer Args, ...host: infer Host) => infer Value
    ? GuardedTool<Args, Host, Value, Answer>
    : never;
};

/** Lets only tools of the policy set through as keys, where the set is known. */
export type KnownTools<Given extends Tools, Ids extends PolicyIds> = {
  readonly [Name in keyof Given]: Name extends Id<Ids, "tools"> ? unknown : never;
};

/** `guardTool` for each member of a record: its keys are the tools' ids in the registry. */
export function guardTools<Given extends Tools, Ids extends PolicyIds = PolicyIds>(
  policy: Replaceable<CallDecider<Ids>>,
  context: CallContext<Ids> | ((args: unknown) => CallContext<Ids>),
  tools: Given & KnownTools<Given, Ids>,
  options: ToolGuardOptions = {},
): GuardedTools<Given, DecisionOf<Ids, "call">> {
  const guarded = Object.entries<Tools[string]>(tools).map(([id, tool]) => [
    id,
    guardTool(policy, context, id, tool as Tool<unknown, unknown[], unknown>, options),
  ]);
  // No prototype: a tool name chosen by the model (`constructor`) must not find an inherited function.
  return Object.freeze(Object.setPrototypeOf(Object.fromEntries(guarded), null)) as GuardedTools<
    Given,
    DecisionOf<Ids, "call">
  >;
}

/** Whatever the policy takes and answers: what is decided on is made here, and the answer is looked at. */
interface AnyDecider extends FactPolicy {
  call(request: AnyCall): Decision;
  readonly revision?: string | undefined;
}

/** One call before it is decided. Without `found` it cannot be. */
interface Asked {
  readonly started: number;
  readonly decider: AnyDecider | undefined;
  readonly request: Record<string, unknown>;
  readonly found?: CallFacts | Promise<CallFacts>;
}

/** Copies what is decided on, and finds out the facts. */
function ask<Args>(
  policy: Replaceable<AnyDecider>,
  context: object | ((args: Args) => object),
  tool: string,
  args: Args,
  options: ToolGuardOptions,
): Asked {
  const started = clock(options.now);
  let request: Record<string, unknown> = { tool };
  let decider: AnyDecider | undefined;
  try {
    decider = inUse(policy, "call");
    const copied = args === undefined ? undefined : frozenCopy(args);
    const given = typeof context === "function" ? context(copied as Args) : context;
    request = requestOf(given, tool, copied);
    return { started, decider, request, found: callFacts(decider, request, options) };
  } catch {
    return { started, request, decider };
  }
}

/** Decides on the facts, and records it. Without facts the denial of a fault stands. */
function decide(
  { started, decider, request }: Asked,
  found: CallFacts | undefined,
  options: ToolGuardOptions,
): { readonly decision: Decision; readonly record: CallRecord } {
  let decision: Decision = FAULTS.call;
  try {
    for (const name of ["facts", "approval"]) {
      const made = own(found, name);
      if (made !== undefined) request[name] = made;
    }
    const answer = found && overruled(decider, found, () => decider?.call(request as unknown as AnyCall));
    if (isDecision(answer)) decision = explained(answer, found, own(request, "facts"));
  } catch {
    // The denial of a fault stands.
  }
  const record = callRecord(decision, request, revisionOf(decider), Math.max(0, clock(options.now) - started));
  quietly(() => options.log?.(callLine(record)));
  quietly(() => options.record?.(record));
  return { decision, record };
}

/** Whether nothing is wrong with the call but that a person has not signed for it. */
function needsApproval(decision: Decision): boolean {
  return own(decision, "approval") === "bound";
}

/** Where the history cannot be told, why. Of a limit that was reached, the policy's own denial says why. */
function explained(answer: Decision, found: CallFacts | undefined, facts: unknown): Decision {
  const problem = found?.fault;
  const isTold = problem === undefined || own(facts, "history") !== undefined;
  return isTold ? answer : Object.assign({ problem }, answer);
}

function revisionOf(decider: AnyDecider | undefined): string | undefined {
  try {
    return decider?.revision;
  } catch {
    return undefined;
  }
}

function hasSucceeded(value: unknown, { succeeded }: ToolGuardOptions): boolean {
  try {
    return succeeded === undefined || succeeded(value) === true;
  } catch {
    return false;
  }
}

/** The context's own members, copied: they stay what they are while they are decided on and recorded. */
function requestOf(context: object, tool: string, args: unknown): Record<string, unknown> {
  holdMembers(context, "context", CONTEXT);
  const request: Record<string, unknown> = { tool };
  for (const key of Object.keys(CONTEXT)) {
    const value = own(context, key);
    if (value !== undefined) request[key] = frozenCopy(value);
  }
  if (args !== undefined) request["args"] = args;
  return request;
}

function isDecision(answer: unknown): answer is Decision {
  return (
    typeof own(answer, "allowed") === "boolean" &&
    typeof own(answer, "gate") === "string" &&
    typeof own(answer, "reason") === "string"
  );
}
