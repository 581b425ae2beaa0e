/**
 * One call of an SDK's tool: asked about by `guardTool`, run by the adapter of the SDK, and ended by what became of it. The
 * adapters differ in where a tool's arguments are whole, and in how an SDK takes a denial.
 *
 *   SDK ──▶ admit ──▶ guardTool: facts, decision, record
 *                        denied: ToolDenied ◀──┤ allowed: the tool runs ──▶ done: commit, or failed: used up, not succeeded
 *
 * INVARIANT: a tool runs with a copy of the very arguments that were decided on.
 */

import {
  type CallContext,
  type CallDecider,
  type CallFault,
  type CallRecord,
  type Decision,
  denialText,
  type GuardedTool,
  guardTool,
  type Id,
  type PolicyIds,
  type Replaceable,
  type ToolGuardOptions,
} from "@portcullis/runtime";

/**
 * Who calls, where, and on whose behalf. A function is asked once a call, with the arguments that are decided on and what the
 * SDK knows of the call; one that throws is a denial.
 */
export type AgentContext<Call, Ids extends PolicyIds = PolicyIds> =
  | CallContext<Ids>
  | ((args: unknown, call: Call) => CallContext<Ids>);

/** As for `guardTool`, and what an SDK adds. */
export interface AgentOptions<Call> extends Omit<ToolGuardOptions, "session"> {
  /** Ids of the registry by the names that tools have in the SDK. A name that is not here is the id itself. */
  readonly tools?: Readonly<Record<string, string>>;
  /** The session that calls, or a function that tells it from what the SDK knows. Never a model's own word. */
  readonly session?: string | ((call: Call) => string | undefined);
}

/** A denial, as an error, which is how SDKs tell a model that a tool failed: the message names gate and reason. */
export class ToolDenied extends Error {
  override readonly name = "ToolDenied";
  /** Why, with all that the decision says. */
  readonly decision: Decision | CallFault;
  readonly record: CallRecord;

  constructor(tool: string, decision: ToolDenied["decision"], record: CallRecord) {
    super(denialText(tool, decision));
    this.decision = decision;
    this.record = record;
  }
}

/** A call that was allowed. Of `done` and `failed` the first that is called counts. Neither rejects. */
export interface Admission {
  /** What the tool runs with: a copy that is its own to change. */
  readonly args: unknown;
  /** The tool has returned this. */
  done(value: unknown): Promise<void>;
  /** The tool threw, or was left before its end: what it reserved stays used up. */
  failed(error: unknown): Promise<void>;
}

/** Asks about one call of a tool. */
export type Admit<Call> = (args: unknown, call: Call) => Promise<Admission | ToolDenied>;

/** Makes what asks about calls of the tool with this name in the SDK. Throws TypeError for options that `guardTool` refuses. */
export function admitting<Call, Ids extends PolicyIds>(
  policy: Replaceable<CallDecider<Ids>>,
  context: AgentContext<Call, Ids>,
  name: string,
  { tools, session, ...options }: AgentOptions<Call>,
): Admit<Call> {
  const id = (tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : name) as Id<Ids, "tools">;
  const guard = (call: Call, execute: Execute): GuardedTool<unknown, [], unknown, Decision> => {
    const named = sessionOf(session, call);
    const told = (args: unknown): CallContext<Ids> => {
      if (named instanceof Error) throw named;
      return typeof context === "function" ? context(args, call) : context;
    };
    return guardTool(policy, told, id, execute, typeof named === "string" ? { ...options, session: named } : options);
  };
  // What is wrong with the context or the options shows before the first call.
  guardTool(policy, context as CallContext<Ids>, id, () => undefined, options);
  return (args, call) =>
    new Promise((resolve, reject) => {
      const execute = (judged: unknown): Promise<unknown> =>
        new Promise((finish, fail) => {
          const done = (value: unknown): Promise<void> => {
            finish(value);
            return ended;
          };
          const failed = (error: unknown): Promise<void> => {
            fail(error);
            return ended;
          };
          resolve({ args: structuredClone(judged), done, failed });
        });
      const ended: Promise<void> = guard(
        call,
        execute,
      )(args).then((outcome) => {
        if (!outcome.allowed) resolve(new ToolDenied(name, outcome.decision, outcome.record));
      }, reject);
    });
}

type Execute = (args: unknown) => Promise<unknown>;

/** An error stands for a session that cannot be told: a denial. */
function sessionOf<Call>(session: AgentOptions<Call>["session"], call: Call): string | undefined | Error {
  try {
    const named: unknown = typeof session === "function" ? session(call) : session;
    if (named === undefined || typeof named === "string") return named;
    return new TypeError("a session is a text");
  } catch (error) {
    return new Error("the session is not known", { cause: error });
  }
}

/** The tool with other members; what its class gives it stays, such as whether a person has to approve its calls. */
export function changed<Given extends object>(tool: Given, members: object): Given {
  return Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors({ ...tool, ...members }));
}
