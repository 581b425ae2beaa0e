/**
 * The side that keeps history and approvals, for the hooks and gateways of other users. They show a token; what they ask is held
 * against the policy of this side, so that one who has the token can use budgets up, and cannot widen them.
 */

import { randomBytes } from "node:crypto";
import { isJsonObject } from "@portcullis/documents";
import {
  type ApprovalSource,
  callDigest,
  type FactPolicy,
  type HistoryRequest,
  type HistoryStore,
  type LimitUse,
  type PolicyLimits,
  type Reservation,
  strictJson,
} from "@portcullis/runtime";
import { isDigest, policyDigest } from "./policy-digest.ts";

/** What is kept. What is missing is not answered for. */
export interface Kept {
  readonly history?: HistoryStore | undefined;
  readonly approvals?: ApprovalSource | undefined;
}

export interface StateAnswer {
  readonly status: 200 | 400 | 404 | 409 | 503;
  /** With a status other than 200, `message` says why. */
  readonly value: object;
}

/** Calls that are neither committed nor released at a time. With more, the oldest stays used up, and never succeeds. */
const MOST_OPEN = 10_000;
/** An approval is remembered for a day and some minutes at most. */
const LONGEST_NONCE_MS = 25 * 3_600_000;

type Members = Readonly<Record<string, unknown>>;

export class KeptState {
  private readonly kept: Kept;
  private readonly open = new Map<string, Reservation>();

  constructor(kept: Kept) {
    this.kept = kept;
  }

  /** The answer to `POST /v1/state/ACTION`, by the policy as it is now. Never rejects. */
  async answer(policy: FactPolicy, action: string, body: string): Promise<StateAnswer> {
    let asked: unknown;
    try {
      asked = strictJson(body);
    } catch {
      return refused(400, "the body is not JSON that all readers read alike");
    }
    if (!isJsonObject(asked)) return refused(400, "the body is no object");
    try {
      if (action === "reserve") return await this.reserve(policy, asked);
      if (action === "commit" || action === "release") return await this.end(action, asked["id"]);
      if (action === "approvals") return await this.find(asked["call_sha256"]);
      if (action === "ask") return await this.ask(asked["call_sha256"], asked["call"]);
    } catch (error) {
      return refused(503, error instanceof Error ? error.message : "the store does not answer");
    }
    return refused(404, `there is no \`${action}\``);
  }

  private async reserve(policy: FactPolicy, { policy: digest, limits, nonce }: Members): Promise<StateAnswer> {
    const { history } = this.kept;
    if (history === undefined) return refused(404, "no history is kept here");
    if (digest !== policyDigest(policy)) return refused(409, "another policy is served here");
    if (!isUses(limits, policy.limits ?? {})) return refused(400, "`limits` are not those of the policy");
    if (nonce !== undefined && !isNonce(nonce)) return refused(400, "`nonce` is no use of an approval");
    const reservation = await history.reserve({ limits, nonce });
    const { facts, isReserved } = reservation;
    if (!isReserved) return { status: 200, value: { isReserved, facts } };
    const id = randomBytes(16).toString("hex");
    this.open.set(id, reservation);
    if (this.open.size > MOST_OPEN) this.open.delete(this.open.keys().next().value as string);
    return { status: 200, value: { isReserved, facts, id } };
  }

  private async end(action: "commit" | "release", id: unknown): Promise<StateAnswer> {
    const reservation = this.open.get(id as string);
    if (reservation === undefined) return refused(404, "no open call has this `id`");
    this.open.delete(id as string);
    await reservation[action]();
    return { status: 200, value: {} };
  }

  private async find(digest: unknown): Promise<StateAnswer> {
    const { approvals } = this.kept;
    if (approvals === undefined) return refused(404, "no approvals are kept here");
    if (!isDigest(digest)) return refused(400, "`call_sha256` is no digest");
    return { status: 200, value: { approvals: await approvals.find(digest) } };
  }

  /** Keeps a call that waits, under its own digest alone: people look at what they sign. */
  private async ask(digest: unknown, call: unknown): Promise<StateAnswer> {
    const { approvals } = this.kept;
    if (approvals?.ask === undefined) return refused(404, "no approvals are kept here");
    if (!isJsonObject(call) || digestOf(call) !== digest)
      return refused(400, "`call_sha256` is not the digest of `call`");
    await approvals.ask(digest as string, call);
    return { status: 200, value: {} };
  }
}

function refused(status: Exclude<StateAnswer["status"], 200>, message: string): StateAnswer {
  return { status, value: { message } };
}

function digestOf(call: Members): unknown {
  const facts = call["facts"];
  return callDigest(call, isJsonObject(facts) ? facts["paths"] : undefined);
}

/** Whether each use is one that a call of the policy can have: its key and what it adds are the asking side's to say. */
function isUses(uses: unknown, limits: PolicyLimits): uses is HistoryRequest["limits"] {
  if (!Array.isArray(uses) || uses.length > Object.keys(limits).length) return false;
  const keys = new Set(uses.map((use: unknown) => (isJsonObject(use) ? use["key"] : undefined)));
  return keys.size === uses.length && uses.every((use) => isUse(use, limits));
}

function isUse(use: unknown, limits: PolicyLimits): boolean {
  if (!isJsonObject(use) || typeof use["id"] !== "string" || !Object.hasOwn(limits, use["id"])) return false;
  const limit = limits[use["id"]] ?? {};
  const {
    id: _,
    key,
    within,
    maxCalls,
    sum,
    begins,
    succeeds,
    remember,
    after,
    never,
    ...others
  } = use as Partial<LimitUse>;
  const [successes, calls] = [limit.only_after?.tools ?? {}, limit.never_after?.tools ?? {}];
  const isSubject = maxCalls !== undefined || sum !== undefined || hasAny(after) || hasAny(never);
  return (
    Object.keys(others).length === 0 &&
    isDigest(key) &&
    within === limit.within_ms &&
    remember === limit.only_after?.within_ms &&
    maxCalls === (isSubject ? limit.max_calls : undefined) &&
    isSum(sum, isSubject ? limit.max_sum?.at_most : undefined) &&
    isList(after, isSubject ? Object.keys(successes) : []) &&
    isList(never, isSubject ? Object.keys(calls) : []) &&
    isToolOf(begins, calls) &&
    isToolOf(succeeds, successes)
  );
}

function hasAny(tools: unknown): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

function isList(tools: unknown, wanted: readonly string[]): boolean {
  return Array.isArray(tools) && tools.length === wanted.length && wanted.every((tool, i) => tools[i] === tool);
}

function isSum(sum: unknown, atMost: number | undefined): boolean {
  if (atMost === undefined) return sum === undefined;
  return isJsonObject(sum) && sum["atMost"] === atMost && isWhole(sum["of"]) && Object.keys(sum).length === 2;
}

function isToolOf(tool: unknown, tools: object): boolean {
  return tool === undefined || (typeof tool === "string" && Object.hasOwn(tools, tool));
}

function isNonce(nonce: unknown): nonce is NonNullable<HistoryRequest["nonce"]> {
  if (!isJsonObject(nonce)) return false;
  const { digest, call, keepUntil, isRefusal, ...others } = nonce;
  return (
    Object.keys(others).length === 0 &&
    isDigest(digest) &&
    isDigest(call) &&
    isWhole(keepUntil) &&
    (keepUntil as number) <= Date.now() + LONGEST_NONCE_MS &&
    (isRefusal === undefined || typeof isRefusal === "boolean")
  );
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
