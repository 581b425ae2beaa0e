/**
 * The facts of one call: what the host finds out before the policy decides, where the call's files lie, what came before it, and
 * what time it is. One function makes them for guards, gateways and servers alike.
 *
 *   request ──▶ paths ──▶ its approval, and limits that have to do with it ──▶ store: reserve ──▶ facts ──▶ decision
 *                                     denied: release ◀──┤ allowed, and the tool succeeded: commit
 *
 * INVARIANT: a call whose history cannot be told or recorded is not allowed: `fault` says so where the facts alone do not.
 */

import type { PolicyApprovals } from "../abi/index.ts";
import type {
  HistoryRequest,
  HistoryStore,
  LimitUse,
  PolicyLimits,
  Reservation,
  ReservedFacts,
} from "../history/index.ts";
import { messageOf } from "../host/message-of.ts";
import { own } from "../host/own.ts";
import { type FoundApproval, findApproval } from "./approval-facts.ts";
import { limitUses } from "./limit-uses.ts";
import { type PathArguments, type PathResolver, resolvedArguments } from "./path-facts.ts";

/** What a policy tells its host about facts. */
export interface FactPolicy {
  /** As `Policy.pathArguments`. */
  readonly pathArguments?: PathArguments | undefined;
  /** As `Policy.limits`. */
  readonly limits?: PolicyLimits | undefined;
  /** As `Policy.historyName`. */
  readonly historyName?: string | undefined;
  /** As `Policy.approvals`. */
  readonly approvals?: PolicyApprovals | undefined;
}

/** Approvals that a host has; `approvalFolder` of `@portcullis/runtime/node` is one. */
export interface ApprovalSource {
  /** What people said of a call, by its digest. Each is verified; what cannot be is passed over. */
  find(callSha256: string): readonly unknown[] | Promise<readonly unknown[]>;
  /** Keeps a call that was denied for lack of an approval, for a person to look at. One that fails changes nothing. */
  ask?(callSha256: string, call: object): void | Promise<void>;
}

/** What the host has to find facts out with. */
export interface FactHost {
  /**
   * Where files lie that arguments name. Without it the host cannot tell, and a tool whose `paths` need it is denied. The tool gets
   * the absolute paths that were decided on. One that throws is a denial.
   */
  readonly paths?: PathResolver | undefined;
  /** What came before. Without it a call that a limit counts, or remembers, is denied. */
  readonly history?: HistoryStore | undefined;
  /** The session that calls: what limits by `session` count. Never a caller's own word. */
  readonly session?: string | undefined;
  /** Approvals that are bound to one call, for calls that come with none. A refusal among them wins over any. */
  readonly approvals?: ApprovalSource | undefined;
  /** Milliseconds that the store has for an answer; default 2,000. */
  readonly historyTimeout?: number | undefined;
}

/** The facts of one call, and what becomes of what it has reserved. */
export interface CallFacts {
  /** For the request; `undefined` where the policy asks for none. */
  readonly facts: Readonly<Record<string, unknown>> | undefined;
  /** The arguments with absolute paths in place of the texts. */
  readonly args: unknown;
  /** What stands in the request's place for an approval: one that the host has, or the verified copy of the call's own. */
  readonly approval?: unknown;
  /** Hands the call to the host's people, after a denial for lack of an approval. Never rejects. */
  ask?(): Promise<void>;
  /** Why the call must not be allowed, whatever the policy says: its history cannot be recorded. */
  readonly fault?: string;
  /** Why it is not known who has approved the call, or whether that counts: `overruled` says which denials it explains. */
  readonly unapproved?: string;
  /** Why the call must not be allowed, though the policy may ask for no more than the name of a person: no person has approved it. */
  readonly refused?: string;
  /** The tool has succeeded. Never rejects. */
  commit(): Promise<void>;
  /** The call was denied, and uses up nothing. Never rejects. */
  release(): Promise<void>;
}

const SETTLED = Promise.resolve();
const NOTHING = (): Promise<void> => SETTLED;
const HISTORY_MS = 2000;
/** Turns of the queue in which a store in memory has answered. */
const AT_ONCE = 4;

/**
 * Makes the facts of a call. `request` has no facts of its own but `paths` of a host that is trusted, and does not change meanwhile. At once where no store is asked:
 * a policy without limits costs nothing more. Throws what `host.paths` throws, and TypeError for limits of another form.
 */
export function callFacts(
  policy: FactPolicy,
  request: Readonly<Record<string, unknown>>,
  host: FactHost,
): CallFacts | Promise<CallFacts> {
  const tool = request["tool"] as string;
  let args = request["args"];
  let facts: Readonly<Record<string, unknown>> | undefined;
  const named = own(policy.pathArguments, tool);
  if (host.paths !== undefined && Array.isArray(named)) {
    const resolved = resolvedArguments(args, named, host.paths);
    facts = { paths: resolved.paths };
    args = resolved.args;
  }
  const { limits, approvals } = policy;
  if (approvals?.tools.includes(tool)) return approvalFacts({ ...policy, approvals }, request, host, { facts, args });
  if (limits === undefined) return { facts, args, commit: NOTHING, release: NOTHING };
  const { session } = host;
  const { uses, isLimited } = limitUses(limits, policy.historyName ?? "policy", request, session);
  if (!isLimited) return { facts, args, commit: NOTHING, release: NOTHING };
  const others = { ...facts, ...(session === undefined ? {} : { session }) };
  if (uses.length > 0) return historyFacts({ limits: uses }, host, others, args);
  return { facts: { ...others, now: Date.now() }, args, commit: NOTHING, release: NOTHING };
}

/** Facts of a call that may need an approval of its own. */
async function approvalFacts(
  { approvals, limits, historyName = "policy" }: FactPolicy & { readonly approvals: PolicyApprovals },
  request: Readonly<Record<string, unknown>>,
  host: FactHost,
  { facts, args }: { readonly facts: Readonly<Record<string, unknown>> | undefined; readonly args: unknown },
): Promise<CallFacts> {
  const { session, history } = host;
  const { uses } = limitUses(limits ?? {}, historyName, request, session);
  const find = host.approvals && ((digest: string) => host.approvals?.find(digest) ?? []);
  const paths = facts?.["paths"] ?? own(request["facts"], "paths") ?? undefined;
  const found = await findApproval(approvals, request, paths, Date.now(), find);
  const { callSha256, approval, signature, nonce } = found;
  // Without a store no approval is known to be unused: the policy denies it for that.
  const isUnkept = history === undefined && nonce?.isRefusal !== true;
  const others = {
    ...facts,
    ...(session === undefined ? {} : { session }),
    ...(callSha256 === undefined ? {} : { call_sha256: callSha256 }),
    ...(signature === undefined ? {} : { approval: isUnkept ? { ...signature, refused: false } : signature }),
  };
  const asked = { limits: uses, ...(nonce === undefined ? {} : { nonce }) };
  const isKept = uses.length > 0 || (nonce !== undefined && history !== undefined);
  const made: CallFacts = isKept
    ? await historyFacts(asked, host, others, args)
    : { facts: { ...others, now: Date.now() }, args, commit: NOTHING, release: NOTHING };
  // A store that answers says itself whether the approval was used.
  const isUntold = nonce !== undefined && own(made.facts, "history") === undefined;
  const unapproved = found.problem ?? (isUntold ? made.fault : undefined);
  const refused = refusalIn(request, found);
  const why = { ...(unapproved === undefined ? {} : { unapproved }), ...(refused === undefined ? {} : { refused }) };
  return { ...made, ...why, approval, ask: () => askPeople(host, found, { ...request, ...(facts && { facts }) }) };
}

/** What the host has is taken for an approval where it was verified, and for no other: a caller alone may name a person. */
function refusalIn(request: object, { approval, nonce }: FoundApproval): string | undefined {
  if (nonce?.isRefusal === true) return "an approver has refused the call";
  const isHosts = (own(request, "approval") ?? undefined) === undefined && approval !== undefined;
  return isHosts && nonce === undefined ? "the approval that the host has does not hold" : undefined;
}

async function askPeople({ approvals }: FactHost, { callSha256 }: FoundApproval, call: object): Promise<void> {
  try {
    if (callSha256 !== undefined) await approvals?.ask?.(callSha256, call);
  } catch {
    // The denial names the digest in any case.
  }
}

/** At once where the store answers at once, as one in memory does. */
function historyFacts(
  asked: HistoryRequest,
  host: FactHost,
  others: object,
  args: unknown,
): CallFacts | Promise<CallFacts> {
  const found = (reservation: Reservation): CallFacts => reservedFacts(reservation, asked, host, others, args);
  const failed = (error: unknown): CallFacts => {
    const fault = `the history of the call is not known: ${messageOf(error)}`;
    return { facts: { ...others, now: Date.now() }, args, fault, commit: NOTHING, release: NOTHING };
  };
  try {
    const reservation = reserved(host, asked);
    return reservation instanceof Promise ? reservation.then(found).catch(failed) : found(reservation);
  } catch (error) {
    return failed(error);
  }
}

function reservedFacts(
  reservation: Reservation,
  asked: HistoryRequest,
  host: FactHost,
  others: object,
  args: unknown,
): CallFacts {
  const { now, history, approvalUsed: used, approvalRefused: refused } = reservation.facts;
  const approval = own(others, "approval");
  return {
    facts: {
      ...others,
      now,
      history,
      ...(asked.nonce === undefined ? {} : { approval: { ...(approval as object), used, refused } }),
    },
    args,
    // The policy denies by the facts. Where it does not, the call would run and be counted by no limit.
    ...(reservation.isReserved === true ? {} : { fault: "the store has reserved nothing for it" }),
    commit: () => quietly(host, () => reservation.commit()),
    release: () => quietly(host, () => reservation.release()),
  };
}

/** Throws or rejects where there is no store, or it throws, answers late, or what it answers is no reservation. */
function reserved({ history, historyTimeout }: FactHost, asked: HistoryRequest): Reservation | Promise<Reservation> {
  if (history === undefined) throw new Error("the host keeps none");
  const answer = history.reserve(asked);
  const held = (reservation: Reservation): Reservation => {
    holdFacts(reservation.facts, asked);
    return reservation;
  };
  // What it may have reserved, or reserves late, is given back.
  const refuse = (error: unknown): never => {
    void Promise.resolve(answer)
      .then((late) => late.release())
      .catch(() => undefined);
    throw error;
  };
  if (isPromise(answer)) return inTime(answer, historyTimeout).then(held).catch(refuse);
  try {
    return held(answer);
  } catch (error) {
    return refuse(error);
  }
}

/** Also of another realm, and of a library. */
function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/** Throws for facts of another form, and where the store cannot tell of a limit that only remembers the call. */
function holdFacts(facts: ReservedFacts, { limits, nonce }: HistoryRequest): void {
  const isWrong =
    !isWhole(own(facts, "now")) ||
    typeof own(facts, "history") !== "object" ||
    limits.some((use) => !isLimitFacts(own(facts.history, use.id), counts(use))) ||
    (nonce !== undefined && (typeof facts.approvalUsed !== "boolean" || typeof facts.approvalRefused !== "boolean"));
  if (isWrong) throw new Error("the store answers in another form");
}

/** Whether the policy reads facts of the limit: where they are missing, it denies. */
function counts({ maxCalls, sum, after, never }: LimitUse): boolean {
  return maxCalls !== undefined || sum !== undefined || after.length + never.length > 0;
}

function isLimitFacts(value: unknown, mayMiss: boolean): boolean {
  if (value === undefined) return mayMiss;
  const last = own(value, "last_ms");
  const free = own(value, "free_at_ms");
  return (
    isWhole(own(value, "calls")) &&
    isWhole(own(value, "sum")) &&
    typeof last === "object" &&
    last !== null &&
    Object.values(last).every(isWhole) &&
    (free === undefined || isWhole(free))
  );
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A store that fails afterwards changes nothing: what was reserved stays used up, and nothing has succeeded. */
function quietly({ historyTimeout }: FactHost, work: () => void | Promise<void>): Promise<void> {
  try {
    const done = work();
    // Used up, and not succeeded.
    return isPromise(done) ? inTime(done, historyTimeout).catch(() => undefined) : SETTLED;
  } catch {
    return SETTLED;
  }
}

/** A timer is set where the answer is not there at once. */
async function inTime<T>(answer: Promise<T>, milliseconds = HISTORY_MS): Promise<T> {
  let isThere = false;
  const there = (): void => void (isThere = true);
  Promise.resolve(answer).then(there, there);
  for (let turn = 0; turn < AT_ONCE && !isThere; turn++) await undefined;
  if (isThere) return answer;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the store did not answer in ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
