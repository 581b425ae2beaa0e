/** Decisions of a log, read so that a policy can be asked again: OPA's decision log events, and the lines of our ledgers. */

import { attempt } from "../host/attempt.ts";
import type { Answers } from "../host/builtin.ts";
import { fromJson } from "../host/text.ts";
import type { JsonLike } from "../host/value.ts";
import type { ExactJson, ExactObject } from "../json/index.ts";
import { exactText, isExactObject, parseLine } from "./event-text.ts";

/** One decision of a log. */
export interface LoggedDecision {
  /** `pkg/rule`. */
  readonly entrypoint: string;
  /** The request as JSON text, with every digit; `undefined` for a decision without one. */
  readonly input: string | undefined;
  /** What was answered; numbers are doubles. `undefined`: nothing. */
  readonly result: unknown;
  /** What clock and chance answered, for `evaluateJson`. */
  readonly answers: Answers;
  /** The revision of the policy that decided; `undefined` where the event names none. */
  readonly revision: string | undefined;
  /** As it stands in the event. */
  readonly timestamp: string | undefined;
}

/** A decision that cannot be asked again, or a line that holds none, and why. */
export interface UnaskableDecision {
  readonly problem: string;
  /** What was answered, where that is known. */
  readonly result?: unknown;
}

/** An event's parts as a policy is asked with them. */
export interface ExactDecision {
  readonly entrypoint: string;
  readonly input: ExactJson | undefined;
  readonly answers: Answers;
  readonly revision: string | undefined;
}

const NO_EVENT = "is no decision event";
const NOT_READ = "is not read: a key stands twice, half of a surrogate pair stands alone, or it nests too deep";
const NO_ANSWERS: Answers = new Map();

/**
 * The decisions of a line: one event, a list of them as OPA posts them, none for an empty line, a checkpoint, a line of
 * counts, and one of a decision that was not given. Never throws. Cost: linear in the line; about a third where no digit of
 * its request can be lost.
 */
export function loggedDecisions(line: string): readonly (LoggedDecision | UnaskableDecision)[] {
  if (line.trim() === "") return [];
  const parsed = attempt(() => JSON.parse(line) as unknown);
  // Written again it is the same text: nothing is lost, no key stands twice, and each event of a list is a line of its own.
  if (parsed !== undefined && attempt(() => JSON.stringify(parsed)) === line.trim()) {
    if (Array.isArray(parsed)) return parsed.flatMap(listed);
    const plain = plainDecision(parsed);
    if (plain !== undefined) return [plain];
  }
  const value = attempt(() => parseLine(line));
  if (value === undefined) return [{ problem: parsed === undefined ? "is no JSON" : NOT_READ }];
  const events = Array.isArray(value) ? (value as readonly ExactJson[]) : [value];
  const isDecision = (event: ExactJson): boolean =>
    !isExactObject(event) || !(event.has("checkpoint") || isCount(event));
  return events.filter(isDecision).map(loggedDecision);
}

/** An event of a list, as JavaScript's own reader has it. */
function listed(event: unknown): readonly (LoggedDecision | UnaskableDecision)[] {
  if (Array.isArray(event)) return [{ problem: NO_EVENT }];
  const plain = plainDecision(event);
  return plain === undefined ? loggedDecisions(JSON.stringify(event)) : [plain];
}

/** The usual event, of which JavaScript's own reader has lost nothing. Any other is read digit by digit. */
function plainDecision(event: unknown): LoggedDecision | undefined {
  if (typeof event !== "object" || event === null) return undefined;
  const members = event as { readonly [name: string]: unknown };
  if (["nd_builtin_cache", "erased", "masked", "error"].some((name) => Object.hasOwn(members, name))) return undefined;
  const { path, input, result, timestamp } = members;
  if (typeof path !== "string" || input === undefined) return undefined;
  const text = JSON.stringify(input);
  const revision = firstRevision(Object.values((members["bundles"] ?? {}) as object));
  const time = typeof timestamp === "string" ? timestamp : undefined;
  return { entrypoint: path, input: text, result, answers: NO_ANSWERS, revision, timestamp: time };
}

function firstRevision([first]: readonly unknown[]): string | undefined {
  const revision = (first as { readonly revision?: unknown } | null | undefined)?.revision;
  return typeof revision === "string" ? revision : undefined;
}

function loggedDecision(event: ExactJson): LoggedDecision | UnaskableDecision {
  if (!isExactObject(event)) return { problem: NO_EVENT };
  const result = plainValue(event.get("result"));
  if (!isWhole(event)) return { problem: "its request was erased or masked", result };
  const decision = exactDecision(event);
  if ("problem" in decision) return { ...decision, result };
  const { entrypoint, input, answers, revision } = decision;
  const timestamp = event.get("timestamp");
  return {
    ...{ entrypoint, answers, revision, result },
    input: input === undefined ? undefined : exactText(input),
    timestamp: typeof timestamp === "string" ? timestamp : undefined,
  };
}

function plainValue(value: ExactJson | undefined): unknown {
  return value === undefined ? undefined : JSON.parse(exactText(value));
}

/** Whether the event has all of its request that a gate can have read. */
export function isWhole(event: ExactObject): boolean {
  const erased = textsOf(event.get("erased"));
  const unrecorded = textsOf(event.get("unrecorded"));
  // No gate has read what cannot be written down, so that the rest is decided alike.
  const isErased = erased.length > 0 && (!event.has("input") || !erased.every((path) => unrecorded.includes(path)));
  return !isErased && !event.has("masked");
}

/** The parts of a whole event. */
export function exactDecision(event: ExactObject): ExactDecision | { readonly problem: string } {
  const entrypoint = event.get("path");
  const input = event.get("input");
  if (typeof entrypoint !== "string") return { problem: "names no entrypoint" };
  const answers = answersOf(event.get("nd_builtin_cache"));
  if (answers === undefined || (input === undefined && answers.size > 0))
    return { problem: "has answers of its sources that cannot be read" };
  return { entrypoint, input, answers, revision: revisionOf(event) };
}

const OF_DECISIONS = ["path", "input", "result"];
const OF_NONE = ["dropped", "refused", "error"];

/** Whether a line holds counts alone, as a log's last one does, or says of a decision that it was not given. */
export function isCount(line: ExactObject): boolean {
  return OF_DECISIONS.every((name) => !line.has(name)) && OF_NONE.some((name) => line.has(name));
}

/** The revision of the only bundle that an event names. */
export function revisionOf(event: ExactObject): string | undefined {
  const bundles = event.get("bundles");
  const [first] = isExactObject(bundles) ? bundles.values() : [];
  const revision = isExactObject(first) ? first.get("revision") : undefined;
  return typeof revision === "string" ? revision : undefined;
}

/** What sources answered, by call; `undefined` for any other record. */
function answersOf(cache: ExactJson | undefined): Answers | undefined {
  const answers = new Map<string, JsonLike>();
  if (cache === undefined) return answers;
  if (!isExactObject(cache)) return undefined;
  for (const [builtin, calls] of cache) {
    if (!isExactObject(calls)) return undefined;
    for (const [operands, answer] of calls) {
      const value = fromJson(exactText(answer));
      if (value === undefined) return undefined;
      answers.set(`${builtin} ${operands}`, value);
    }
  }
  return answers;
}

/** A list of an event's; none where there is something else. */
export function textsOf(value: ExactJson | undefined): readonly ExactJson[] {
  return Array.isArray(value) ? (value as readonly ExactJson[]) : [];
}
