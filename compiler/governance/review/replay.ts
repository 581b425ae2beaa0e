/** What would have happened: every decision of a log, asked again of another policy. */

import { isJsonEqual } from "@portcullis/rego/value";
import { type LoggedDecision, loggedDecisions, type Policy } from "@portcullis/runtime";
import { fromJson } from "@portcullis/runtime/host";
import { askedBy, verdictOf } from "./replay/asked.ts";
import { type ReplayGroup, type ReplayKind, type ReplayTally, Tally } from "./replay/tally.ts";

/** Lines of a log, one after the other. */
export interface LogPart {
  /** The log's name in the report. */
  readonly file: string;
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** `undefined` stands for one that cannot be read: it was too long, or not UTF-8. */
  readonly lines: Iterable<string | undefined>;
}

/**
 * Decides every event of the lines again. Never throws: what cannot be decided is counted as unknown. Cost: linear in the lines;
 * one evaluation an event.
 */
export function replay(policy: Policy, { file, firstLine, lines }: LogPart): ReplayTally {
  const tally = new Tally();
  let line = firstLine - 1;
  const cannot = (why: string): void => tally.cannot({ why, count: 1, file, line });
  for (const text of lines) {
    line++;
    if (text === undefined) {
      cannot("cannot be read: it is too long, or not UTF-8");
      continue;
    }
    for (const decision of loggedDecisions(text)) {
      if ("problem" in decision) {
        cannot(decision.problem);
        continue;
      }
      const answer = decideAgain(policy, decision);
      if (policy.lastFault !== undefined) cannot(policy.lastFault.message);
      else {
        const kind = kindOf(decision.result, answer);
        if (kind === undefined) tally.same++;
        else tally.change(groupOf(kind, decision, answer, { file, line }));
      }
    }
  }
  return tally.facts;
}

function decideAgain(policy: Policy, decision: LoggedDecision): unknown {
  const { entrypoint, input, result } = decision;
  if (input === undefined) return policy.evaluate(entrypoint, undefined);
  const asked = verdictOf(result) === true ? approvedAnew(policy, input) : input;
  return policy.evaluateJson(entrypoint, asked, answersFor(decision));
}

/**
 * The person who approved an allowed call under the policy of its day would have been asked under this one: a bound approval
 * is held to be given for it. What else the policy asks of the approval is decided as ever.
 */
function approvedAnew({ approvals }: Policy, input: string): string {
  if (approvals === undefined || !input.includes('"policy_revision"')) return input;
  const request = JSON.parse(input) as { readonly approval?: { readonly policy_revision?: unknown } | null } | null;
  const approval = request?.approval;
  // A request that loses digits on the way is left as it is.
  if (typeof approval?.policy_revision !== "string" || JSON.stringify(request) !== input) return input;
  return JSON.stringify({ ...request, approval: { ...approval, policy_revision: approvals.revision } });
}

function groupOf(
  kind: ReplayKind,
  { entrypoint, input, result }: LoggedDecision,
  answer: unknown,
  place: { readonly file: string; readonly line: number },
): ReplayGroup {
  const asked = input === undefined ? {} : askedBy(input);
  const example = { ...place, input, before: result, after: answer };
  // Where both say the same, they may differ in whom a turn is handed.
  const tell = said(result) === said(answer) ? withDelegates : said;
  return { kind, entrypoint, ...asked, before: tell(result), after: tell(answer), count: 1, example };
}

/** A policy that reads the clock is asked at the event's time, where the record has no other. */
function answersFor({ answers, timestamp }: LoggedDecision): LoggedDecision["answers"] {
  const milliseconds = Date.parse(timestamp ?? "");
  if (answers.has(CLOCK) || !Number.isFinite(milliseconds)) return answers;
  return new Map([...answers, [CLOCK, fromJson(`${BigInt(milliseconds) * 1_000_000n}`)]]);
}
const CLOCK = "time.now_ns []";

function kindOf(before: unknown, after: unknown): ReplayKind | undefined {
  const [was, is] = [verdictOf(before), verdictOf(after)];
  if (was !== is) return is === true ? "newly-allowed" : was === true ? "newly-denied" : "changed-answer";
  if (isJsonEqual(before, after)) return undefined;
  const [had, has] = [delegatesOf(before), delegatesOf(after)];
  if (has.some((agent) => !had.includes(agent))) return "newly-allowed";
  if (had.some((agent) => !has.includes(agent))) return "newly-denied";
  return was !== undefined && said(before) !== said(after) ? "changed-reason" : "changed-answer";
}

/** Whom a persona's turn may delegate to: one more of them is allowed more, by an answer that allowed before. */
function delegatesOf(answer: unknown): readonly unknown[] {
  const { delegatedSubagents } = (answer ?? {}) as { readonly delegatedSubagents?: unknown };
  return Array.isArray(delegatedSubagents) ? delegatedSubagents : [];
}

function withDelegates(answer: unknown): string {
  const delegates = delegatesOf(answer);
  return delegates.length === 0 ? said(answer) : `${said(answer)}: ${delegates.join(", ")}`;
}

/** Gate and reason of an answer, or its JSON text, shortened. */
function said(answer: unknown): string {
  const { gate, reason } = ((answer as Said | null | undefined)?.context ?? answer ?? {}) as Said;
  if (typeof gate === "string" && typeof reason === "string") return `${gate} ${reason}`;
  const text = JSON.stringify(answer) ?? "undefined";
  return text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)}…` : text;
}
const MOST_SAID = 120;
interface Said {
  readonly gate?: unknown;
  readonly reason?: unknown;
  /** AuthZEN has both of them here. */
  readonly context?: Said;
}
