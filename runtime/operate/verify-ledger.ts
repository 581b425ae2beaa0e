/** Checks a ledger: is its chain whole, do its signatures hold, and does the policy still decide so? */

import type { Fault } from "../errors.ts";
import { attempt as attemptNow } from "../host/attempt.ts";
import type { Answers } from "../host/builtin.ts";
import type { ExactJson, ExactNumber, ExactObject } from "../json/index.ts";
import { holdOptions, type OptionTable } from "../options.ts";
import { NO_LINE, sha256 } from "./audit-ledger.ts";
import { canonicalText, exactOf, exactText, isExactObject, parseLine } from "./event-text.ts";
import { exactDecision, isCount, isWhole, revisionOf, textsOf } from "./logged-decision.ts";

/** What `verifyLedger` has found, and counted. */
export interface LedgerVerification {
  readonly ok: boolean;
  readonly events: number;
  readonly checkpoints: number;
  /** Checkpoints whose signature was checked, and holds. */
  readonly signed: number;
  /** Whether the last line says that the ledger ends there. */
  readonly closed: boolean;
  /** Place and hash of the last line. */
  readonly sequence: number;
  readonly head: string;
  /** Events that were lost before they were written, as the ledger says. Each place where some were is a problem. */
  readonly dropped: number;
  /** Decisions that were denied because they could not be recorded, as the ledger says. */
  readonly refused: number;
  /** Events whose request has parts that cannot be written down. One that is not a denial is a problem. */
  readonly blanked: number;
  /** Events that were decided again, alike. */
  readonly decided: number;
  /** Events that cannot be decided again: their input or result was erased or replaced, or the evaluation had failed. */
  readonly undecidable: number;
  readonly problems: readonly LedgerProblem[];
}

/** One fault of a ledger, at its line. */
export interface LedgerProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** What `verifyLedger` checks beside the chain of hashes. */
export interface LedgerChecks {
  /** Checks a compact JWS. Without it signatures are not checked; with it, an unsigned checkpoint is a problem. */
  readonly signatureHolds?: (token: string) => boolean | Promise<boolean>;
  /** The policy of a revision (`undefined`: the event names none); with it, every event is decided again. */
  readonly policyOf?: (revision: string | undefined) => LedgerDecider | undefined;
  /** Hash of the last line, from somewhere that who writes the ledger cannot change. */
  readonly head?: string;
  /** For a decision log without a chain, such as OPA's own: its events are only decided again. */
  readonly chained?: boolean;
  /** Whether the ledger has to end in its last checkpoint. */
  readonly closed?: boolean;
}

const CHECKS: OptionTable = {
  signatureHolds: "function",
  policyOf: "function",
  head: "string",
  chained: "boolean",
  closed: "boolean",
};

/** What decides the events of a ledger again: a `Policy` is one. */
export interface LedgerDecider {
  evaluate(entrypoint: string, input: unknown): unknown;
  evaluateJson(entrypoint: string, json: string, recorded?: Answers): unknown;
  /** Why the last question has no answer of the policy. */
  readonly lastFault?: Fault | undefined;
}

/**
 * Never throws over the lines; empty ones are skipped, and `undefined` stands for one that cannot be read. Throws TypeError for a
 * check that there is not or of another type. Cost: linear in the text, and memory for one line.
 */
export async function verifyLedger(
  lines: Iterable<string | undefined> | AsyncIterable<string | undefined>,
  checks: LedgerChecks = {},
): Promise<LedgerVerification> {
  holdOptions(checks, CHECKS);
  const reader = new LedgerReader(checks);
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text === undefined || text.trim() !== "") await reader.read(text, line);
  }
  return reader.end(line);
}

const UNREADABLE = "cannot be read: it is too long, or not UTF-8";

class LedgerReader {
  private readonly problems: LedgerProblem[] = [];
  private counts = {
    events: 0,
    checkpoints: 0,
    signed: 0,
    dropped: 0,
    refused: 0,
    blanked: 0,
    decided: 0,
    undecidable: 0,
  };
  private sequence = 0;
  private head = NO_LINE;
  private closed = false;
  /** Events since the last checkpoint. */
  private uncovered = 0;
  private readonly checks: LedgerChecks;

  constructor(checks: LedgerChecks) {
    this.checks = checks;
  }

  async read(text: string | undefined, line: number): Promise<void> {
    if (this.checks.chained === false && text !== undefined) return this.unchained(text, line);
    const value = text === undefined ? undefined : parse(text);
    const place = value?.get("ledger");
    if (value === undefined || !isExactObject(place)) {
      this.report(line, text === undefined ? UNREADABLE : "is no line of a ledger");
      // What follows names a line that cannot be hashed.
      this.sequence++;
      this.head = "";
      return;
    }
    this.goOn(place, line);
    this.follow(place, line);
    this.countLost(value, line, count(place.get("dropped")), count(place.get("refused")));
    this.head = await sha256(canonicalText(value));
    if (value.has("checkpoint")) await this.checkpoint(value, line);
    else this.event(value, line);
  }

  /** A ledger goes on after its end alone: what stood after any other line may be missing. */
  private goOn(place: ExactObject, line: number): void {
    const isContinued = place.get("continued") === true;
    if (isContinued && !this.closed)
      this.report(line, "goes on with a ledger that was not closed: lines before it may be missing");
    else if (!isContinued && this.closed) this.report(line, "stands after the end of the ledger");
    this.closed = false;
  }

  /** What a line says of those before it, apart from what its place says. */
  private countLost(value: ExactObject, line: number, dropped: number, refused: number): void {
    const lost = dropped + count(value.get("dropped"));
    this.counts.dropped += lost;
    this.counts.refused += refused + count(value.get("refused"));
    if (lost > 0) this.report(line, `${lost} ${lost === 1 ? "event was" : "events were"} lost before it`);
  }

  /** An event, or a list of them, as OPA posts them. */
  private unchained(text: string, line: number): void {
    const value = attemptNow(() => parseLine(text));
    const events = Array.isArray(value) ? (value as readonly ExactJson[]) : [value];
    for (const event of events) {
      if (isExactObject(event)) {
        this.countLost(event, line, 0, 0);
        if (!isCount(event)) this.event(event, line);
      } else this.report(line, "is no decision event");
    }
  }

  /** Whether the line is the one that comes after the line before. */
  private follow(place: ExactObject, line: number): void {
    const sequence = count(place.get("sequence"));
    const expected = this.sequence + 1;
    if (sequence > expected)
      this.report(line, `is number ${sequence}, where ${expected} is expected: lines are missing, or out of order`);
    else if (sequence < expected)
      this.report(line, `is number ${sequence}, where ${expected} is expected: it was added, or is out of order`);
    else if (place.get("previous") !== this.head)
      this.report(line, "does not follow from the line before: one of the two was changed");
    this.sequence = sequence;
  }

  private async checkpoint(value: ExactObject, line: number): Promise<void> {
    this.counts.checkpoints++;
    this.uncovered = 0;
    const said = value.get("checkpoint");
    this.closed = isExactObject(said) && said.get("closed") === true;
    const { signatureHolds } = this.checks;
    if (signatureHolds === undefined) return;
    const token = value.get("signature");
    if (typeof token !== "string") return this.report(line, "is a checkpoint without a signature");
    const unsigned = new Map(value);
    unsigned.delete("signature");
    const holds = payloadOf(token) === canonicalText(unsigned) && (await attempt(() => signatureHolds(token)));
    if (holds === true) this.counts.signed++;
    else this.report(line, "is a checkpoint whose signature does not hold");
  }

  private event(value: ExactObject, line: number): void {
    this.counts.events++;
    this.uncovered++;
    const unrecorded = textsOf(value.get("unrecorded"));
    if (unrecorded.length > 0) {
      this.counts.blanked++;
      if (!isDenial(value)) this.report(line, `its request kept parts of it from the record: ${unrecorded.join(", ")}`);
    }
    const { policyOf } = this.checks;
    if (policyOf === undefined) return;
    if (!isWhole(value) || value.has("error")) {
      this.counts.undecidable++;
      return;
    }
    const revision = revisionOf(value);
    const policy = policyOf(revision);
    if (policy === undefined)
      return this.report(
        line,
        `was decided by the revision ${JSON.stringify(revision ?? null)}, which no given bundle has`,
      );
    const decision = exactDecision(value);
    if ("problem" in decision) return this.report(line, decision.problem);
    const { entrypoint, input, answers } = decision;
    const answer =
      input === undefined
        ? policy.evaluate(entrypoint, undefined)
        : policy.evaluateJson(entrypoint, exactText(input), answers);
    const again = answer === undefined ? undefined : canonicalText(numbersAlike(exactOf(answer)));
    const result = value.get("result");
    if (policy.lastFault !== undefined)
      return this.report(line, `cannot be decided again: ${policy.lastFault.message}`);
    if (again === (result === undefined ? undefined : canonicalText(numbersAlike(result)))) this.counts.decided++;
    else this.report(line, `is decided otherwise: the policy says ${again ?? "undefined"}`);
  }

  async end(line: number): Promise<LedgerVerification> {
    const { head, closed } = this.checks;
    if (this.counts.checkpoints + this.counts.events === 0) this.report(line, "the ledger is empty");
    else if (this.uncovered > 0 && this.checks.chained !== false)
      this.report(line, `the ledger is cut off: ${this.uncovered} events at its end have no checkpoint`);
    if (closed === true && !this.closed)
      this.report(line, "the ledger has no end: its last line is no closing checkpoint");
    if (head !== undefined && head !== this.head) this.report(line, "the last line is not the one that was expected");
    return {
      ok: this.problems.length === 0,
      ...this.counts,
      closed: this.closed,
      sequence: this.sequence,
      head: this.head,
      problems: this.problems,
    };
  }

  private report(line: number, message: string): void {
    this.problems.push({ line, message });
  }
}

function parse(text: string): ExactObject | undefined {
  const value = attemptNow(() => parseLine(text));
  return isExactObject(value) ? value : undefined;
}

/** An event whose answer is a denial, a fault, or nothing at all. */
function isDenial(event: ExactObject): boolean {
  const result = event.get("result");
  if (event.has("error") || result === undefined || result === false) return true;
  return isExactObject(result) && (result.get("allowed") ?? result.get("decision")) === false;
}

/** A whole number, or 0. */
function count(value: ExactJson | undefined): number {
  const text = (value as ExactNumber | null | undefined)?.number;
  return typeof text === "string" && /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}

/** The text under a signature; `undefined` if there is no token. */
function payloadOf(token: string): string | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  try {
    // The last character of base64 may have bits that say nothing: another character there would be another line.
    const binaries = parts.map((part) => atob(part.replace(/-/g, "+").replace(/_/g, "/")));
    const again = binaries.map((binary) => btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""));
    if (again.join(".") !== token) return undefined;
    const binary = binaries[1] as string;
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** A result has its numbers as doubles, or as another engine wrote them: 1.0 and 1 are the same answer. */
function numbersAlike(value: ExactJson): ExactJson {
  if (Array.isArray(value)) return value.map(numbersAlike);
  if (isExactObject(value)) return new Map([...value].map(([key, item]) => [key, numbersAlike(item)]));
  if (typeof value !== "object" || value === null) return value;
  return { number: String(Number((value as ExactNumber).number)) };
}

async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
