/**
 * The call decision around a tool: the tool runs only after an allow, with the very arguments that were decided on. A denial
 * is a value; errors of the tool itself go through.
 */

import { type CallRecord, callLine, callRecord } from "./call-audit.ts";
import type { CallDecision, CallRequest } from "./decision.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { clock, inUse, own, quietly, type Replaceable } from "./guarding.ts";

/** The parts of a policy that guardTool needs. */
export interface CallDecider {
  call(request: CallRequest): CallDecision;
  readonly revision?: string | undefined;
}

/** Who calls, where, and on whose behalf: all of a call request but the tool and its arguments. */
export type CallContext = Omit<CallRequest, "tool" | "args">;

export interface ToolGuardOptions {
  /** Receives the audit line; a throwing sink is ignored. */
  readonly log?: (line: string) => void;
  /** Receives the same as a structured record. */
  readonly record?: (record: CallRecord) => void;
  /** Milliseconds, monotonic; default `performance.now`. */
  readonly now?: () => number;
}

export interface ToolDenial {
  readonly allowed: false;
  readonly decision: CallDecision;
  readonly record: CallRecord;
}

export interface ToolRun<Value> {
  readonly allowed: true;
  /** What the tool returned. */
  readonly value: Value;
  readonly decision: CallDecision;
  readonly record: CallRecord;
}

export type ToolOutcome<Value> = ToolRun<Value> | ToolDenial;

/** `Host` stands for what the host itself passes along (a signal, a session): it goes through unread and undecided. */
export type Tool<Args, Host extends readonly unknown[], Value> = (args: Args, ...host: Host) => Value;

export type GuardedTool<Args, Host extends readonly unknown[], Value> = (
  args: Args,
  ...host: Host
) => Promise<ToolOutcome<Awaited<Value>>>;

/** Members of the context that the request takes; what else is there does not count. */
const CONTEXT = ["role", "lane", "scope", "flags", "writes", "lineage", "approval"];

const FAULT: CallDecision = Object.freeze({ allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input" });

/**
 * A tool that asks first. Each call is decided once, before anything else happens, and leaves one audit record. `execute`
 * gets a frozen copy of the arguments, and the policy decides on that copy: nothing can change between the two. Arguments
 * that are no data are a denial.
 *
 * `context` may be a function of the copied arguments, where the scope or the approval differs from call to call; it is asked
 * once a call, and one that throws is a denial. A policy that can be replaced is read once a call.
 *
 * The promise rejects with what `execute` throws, and for nothing else.
 */
export function guardTool<Args, Host extends readonly unknown[], Value>(
  policy: Replaceable<CallDecider>,
  context: CallContext | ((args: Args) => CallContext),
  tool: string,
  execute: Tool<Args, Host, Value>,
  options: ToolGuardOptions = {},
): GuardedTool<Args, Host, Value> {
  if (typeof execute !== "function") throw new TypeError(`the tool \`${tool}\` is not a function`);
  return async (args, ...host) => {
    const { decision, record, copied } = decide(policy, context, tool, args, options);
    if (decision.allowed !== true) return { allowed: false, decision, record };
    return { allowed: true, value: await execute(copied as Args, ...host), decision, record };
  };
}

/** Functions of whatever parameters, by their ids in the registry. */
export type Tools = Readonly<Record<string, (args: never, ...host: never[]) => unknown>>;

export type GuardedTools<Given extends Tools> = {
  readonly [Id in keyof Given]: Given[Id] extends (args: infer Args, ...host: infer Host) => infer Value
    ? GuardedTool<Args, Host, Value>
    : never;
};

/** `guardTool` for each member of a record: its keys are the tools' ids in the registry. */
export function guardTools<Given extends Tools>(
  policy: Replaceable<CallDecider>,
  context: CallContext | ((args: unknown) => CallContext),
  tools: Given,
  options: ToolGuardOptions = {},
): GuardedTools<Given> {
  const guarded = Object.entries(tools).map(([id, tool]) => [
    id,
    guardTool(policy, context, id, tool as Tool<unknown, unknown[], unknown>, options),
  ]);
  return Object.freeze(Object.fromEntries(guarded)) as GuardedTools<Given>;
}

interface Decided {
  readonly decision: CallDecision;
  readonly record: CallRecord;
  /** The arguments that were decided on. */
  readonly copied: unknown;
}

function decide<Args>(
  policy: Replaceable<CallDecider>,
  context: CallContext | ((args: Args) => CallContext),
  tool: string,
  args: Args,
  options: ToolGuardOptions,
): Decided {
  const started = clock(options.now);
  let decision = FAULT;
  let request: Record<string, unknown> = { tool };
  let copied: unknown;
  let revision: string | undefined;
  try {
    const decider = inUse(policy, "call");
    revision = decider.revision;
    if (args !== undefined) copied = frozenCopy(args);
    const given = typeof context === "function" ? context(copied as Args) : context;
    request = requestOf(given, tool, copied);
    const answer: unknown = decider.call(request as unknown as CallRequest);
    if (isDecision(answer)) decision = answer;
  } catch {
    // The denial of a fault stands.
  }
  const record = callRecord(decision, request, revision, Math.max(0, clock(options.now) - started));
  quietly(() => options.log?.(callLine(record)));
  quietly(() => options.record?.(record));
  return { decision, record, copied };
}

/** The context's own members, copied: they stay what they are while they are decided on and recorded. */
function requestOf(context: CallContext, tool: string, args: unknown): Record<string, unknown> {
  const request: Record<string, unknown> = { tool };
  for (const key of CONTEXT) {
    const value = own(context, key);
    if (value !== undefined) request[key] = frozenCopy(value);
  }
  if (args !== undefined) request["args"] = args;
  return request;
}

function isDecision(answer: unknown): answer is CallDecision {
  return (
    typeof own(answer, "allowed") === "boolean" &&
    typeof own(answer, "gate") === "string" &&
    typeof own(answer, "reason") === "string"
  );
}
