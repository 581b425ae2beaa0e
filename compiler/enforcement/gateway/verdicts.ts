/** What the policy says of a server's tools: which may be seen, and whether a call may go on. */

import {
  type CallContext,
  type CallDecider,
  type CallDecision,
  type CallRecord,
  FAULTS,
  type FactHost,
  GATES,
  guardTool,
  type HistoryStore,
  lookAlike,
  lookAlikeAmong,
  overruled,
  type PolicyLimits,
  type Replaceable,
  type Reservation,
  type ToolOutcome,
} from "@portcullis/runtime";
import { countSuccess } from "../state/index.ts";
import type { Caller } from "./caller.ts";
import { quoted } from "./outside-names.ts";
import type { MappedTool, ToolNames } from "./tool-map.ts";
import { within } from "./within.ts";

/** For a store that does not answer. What it keeps reserved lets no more through. */
const RELEASE_MS = 2000;

export class Verdicts {
  private readonly policy: Replaceable<CallDecider>;
  private readonly caller: Caller;
  private readonly tools: ToolNames;
  private readonly record: (record: CallRecord, name: string) => void;
  private readonly host: FactHost;

  /**
   * `record` is called before an allowed call goes on; the call does not go on when it throws. `host` says where files lie that
   * arguments name, and what came before: without it no such argument is resolved, and no call is counted.
   */
  constructor(
    policy: Replaceable<CallDecider>,
    caller: Caller,
    tools: ToolNames,
    record: (record: CallRecord, name: string) => void,
    host: FactHost = {},
  ) {
    this.policy = policy;
    this.caller = caller;
    this.tools = tools;
    this.record = record;
    this.host = host;
  }

  /** Whether a tool of the server, by its own name, may be called by somebody here, with whatever arguments. Reserves nothing. */
  async visible(name: string): Promise<boolean> {
    const context = this.contextOf(name, undefined);
    const { decision } = await guardTool(listing(this.policy), context, this.idOf(name), () => undefined)(undefined);
    return decision.allowed === true || !isOfRegistry(decision);
  }

  /**
   * Decides one call, and hands the arguments that were decided on to `forward` after an allow: what is not `true`, awaited, is no
   * success of the tool. Rejects with what `forward` or the record throws. The call is not made then, and uses up nothing.
   */
  async call(name: string, args: unknown, forward: (args: unknown) => unknown): Promise<ToolOutcome<unknown>> {
    let unrecorded: unknown;
    const record = (written: CallRecord): void => {
      try {
        this.record(written, name);
      } catch (error) {
        unrecorded = error ?? new Error("no record");
      }
    };
    let problem: string | undefined;
    const context = (copied: unknown): CallContext => {
      problem = this.scopeProblem(name, copied);
      if (problem !== undefined) throw new Error(problem);
      return this.contextOf(name, copied);
    };
    const taken: Reservation[] = [];
    const execute = (copied: unknown): unknown => {
      if (unrecorded !== undefined) return undone(taken, unrecorded);
      try {
        return forward(copied);
      } catch (error) {
        return undone(taken, error);
      }
    };
    const { history } = this.host;
    const noted = history === undefined ? {} : { history: noting(history, taken) };
    const options = { ...this.host, ...noted, record, succeeded: isTrue };
    const outcome = await guardTool(this.policy, context, this.idOf(name), execute, options)(args);
    if (outcome.allowed === true || problem === undefined) return outcome;
    const decision: object = { ...outcome.decision, problem };
    return { ...outcome, decision: decision as typeof outcome.decision };
  }

  /**
   * The answer to a call that lacks only a person's approval, as if it had one: gates of authors are asked behind it. No limit may
   * have to do with the call, as nothing is counted. A denial is recorded; rejects where that fails.
   */
  async approved(name: string, args: unknown): Promise<CallDecision> {
    const record = (written: CallRecord): void => {
      if (written.disposition === "DENY") this.record(written, name);
    };
    const { paths } = this.host;
    const asking = new Verdicts(approving(this.policy), this.caller, this.tools, record, { paths });
    return (await asking.call(name, args, () => {})).decision;
  }

  /**
   * The tool has succeeded, by a call that was decided before, somewhere else: limits that wait for it know. Rejects where they cannot
   * be told.
   */
  async succeeded(name: string): Promise<void> {
    const policy = "current" in this.policy ? this.policy.current : this.policy;
    await countSuccess(policy, { ...this.contextOf(name, undefined), tool: this.idOf(name) }, this.host);
  }

  /** Whether some limit may have to do with calls of the tool, by any caller, anywhere. */
  isLimited(name: string): boolean {
    const limits = limitsOf(this.policy);
    const anyTool = Object.values(limits).some(({ calls }) => calls?.tools === undefined);
    return anyTool || isNamed(limits, this.idOf(name));
  }

  private idOf(name: string): string {
    return this.tools.get(name)?.tool ?? name;
  }

  /**
   * Why the tool would act on what was not decided: an argument says otherwise than the host, or says nothing, and the tool
   * would choose for itself.
   */
  private scopeProblem(name: string, args: unknown): string | undefined {
    const { scope } = this.caller;
    const mapped = this.tools.get(name);
    const twin = twinOf(mapped, args);
    if (twin !== undefined) return `${quoted(twin)} could be read as another argument`;
    const given = fromArguments(mapped, args);
    for (const [key, argument] of mapped?.scope ?? []) {
      if (!Object.hasOwn(scope, key)) continue;
      if (!Object.hasOwn(given, key))
        return `the argument ${quoted(argument)} is absent, and the host demands ${quoted(scope[key] ?? "")} of it`;
      if (stringOf(given[key]) !== scope[key])
        return `the argument ${quoted(argument)} gives another ${quoted(key)} than the host`;
    }
    return undefined;
  }

  private contextOf(name: string, args: unknown): CallContext {
    const { role, lane, lineage, flags, scope } = this.caller;
    const mapped = this.tools.get(name);
    // INVARIANT: what limits count by is never an argument: a caller that chooses it would have a fresh budget each time.
    const counted = countedKeys(this.policy);
    const given = Object.entries(fromArguments(mapped, args)).filter(([key]) => !counted.has(key));
    return {
      role,
      lane,
      ...(lineage === undefined ? {} : { lineage }),
      scope: { ...Object.fromEntries(given), ...scope },
      flags: [...flags, ...(mapped?.flags ?? [])],
      ...(mapped === undefined || mapped.writes.length === 0 ? {} : { writes: mapped.writes }),
    };
  }
}

/** The store, which notes what is reserved in it. At once where it answers at once: what a client says next comes after the call. */
function noting(history: HistoryStore, taken: Reservation[]): HistoryStore {
  const noted = (made: Reservation): Reservation => {
    taken.push(made);
    return made;
  };
  return {
    reserve: (asked) => {
      const made = history.reserve(asked);
      return made instanceof Promise ? made.then(noted) : noted(made);
    },
  };
}

/** Rejects with the problem of a call that is not made for it, when what it took is given back. */
async function undone(taken: readonly Reservation[], problem: unknown): Promise<never> {
  await within(RELEASE_MS, Promise.allSettled(taken.map(async (one) => one.release())));
  throw problem;
}

function isTrue(value: unknown): boolean {
  return value === true;
}

/** The limits that the policy has now. */
export function limitsOf(policy: Replaceable<CallDecider>): PolicyLimits {
  const { limits = {} } = "current" in policy ? policy.current : policy;
  return limits;
}

/** Whether a limit names the tool: as one whose calls it is about, or as one of its order. */
export function isNamed(limits: PolicyLimits, tool: string): boolean {
  return Object.values(limits).some(({ calls, only_after, never_after }) =>
    [calls, only_after, never_after].some((part) => Object.hasOwn(part?.tools ?? {}, tool)),
  );
}

/** Keys of the scope that limits count by. */
function countedKeys(policy: Replaceable<CallDecider>): ReadonlySet<string> {
  const members = Object.values(limitsOf(policy)).flatMap(({ per = [] }) => per);
  return new Set(members.filter((m) => m.startsWith("scope.")).map((m) => m.slice("scope.".length)));
}

/** The policy without its limits: a list of tools counts nothing, asks no store, and no meter hears of it. */
function listing(policy: Replaceable<CallDecider>): CallDecider {
  const decider = "current" in policy ? policy.current : policy;
  return { call: (request) => overruled(decider, undefined, () => decider.call(request), []) as CallDecision };
}

/** The person at the host, whose name is not known. */
const SOMEBODY = { ref: "asked at the host", by: "somebody at the host" } as const;

/** The policy, with every call approved by somebody. */
function approving(policy: Replaceable<CallDecider>): CallDecider {
  const decider = "current" in policy ? policy.current : policy;
  const { limits, pathArguments } = decider;
  return { limits, pathArguments, call: (request) => decider.call({ ...request, approval: SOMEBODY }) };
}

/**
 * Whether what role, lane, chain and tool are denies, with whatever arguments. A fault counts as that. What depends on one call hides
 * no tool, and neither does a gate of the authors on tools and calls: a list has no arguments that it could read.
 */
function isOfRegistry({ gate }: CallDecision): boolean {
  const described = GATES.call.find((one) => one.gate === gate);
  return described === undefined ? gate === FAULTS.call.gate : described.depends === "data";
}

/** An argument that could be read as one of the scope's, or as another of the call's: the tool may not see what was decided. */
function twinOf(mapped: MappedTool | undefined, args: unknown): string | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const ofScope = mapped === undefined ? undefined : lookAlike(args, [...mapped.scope.values()]);
  return ofScope ?? lookAlikeAmong(args);
}

function fromArguments(mapped: MappedTool | undefined, args: unknown): Record<string, unknown> {
  if (mapped === undefined || typeof args !== "object" || args === null) return {};
  const found = [...mapped.scope].filter(([, argument]) => Object.hasOwn(args, argument));
  return Object.fromEntries(found.map(([key, argument]) => [key, (args as Record<string, unknown>)[argument]]));
}

/** A host's words are texts. */
function stringOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
