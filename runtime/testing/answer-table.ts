/**
 * A policy that answers from a table, for the unit tests of a service. It decides nothing: a question that is not in the
 * table is refused, as a denial, and kept. There is no row that stands for more than one question.
 */

import { frozenCopy, Interned } from "../encode/index.ts";
import type { Fault } from "../errors.ts";
import { type DecisionKind, type DecisionKinds, entrypointOf, type PolicyIds } from "../governance/index.ts";
import { type Evaluator, Policy } from "../policy.ts";

/** One question and its answer. */
export type AnswerRow<Ids extends PolicyIds = PolicyIds> = {
  [Kind in DecisionKind]: {
    /** The decision that is asked for. */
    readonly kind: Kind;
    /** The whole request, as the service asks it; the order of members does not count. */
    readonly request: DecisionKinds<Ids>[Kind]["request"];
    /** The whole decision, as the policy would give it. */
    readonly decision: DecisionKinds<Ids>[Kind]["decision"];
  };
}[DecisionKind];

/** A question that was asked. */
export interface AskedQuestion {
  /** `portcullis/tool/decision` */
  readonly entrypoint: string;
  /** A copy; `undefined` for a value that is not data. */
  readonly input: unknown;
}

/** A policy from a table, and what was asked of it. */
export interface AnswerTable<Ids extends PolicyIds = PolicyIds> {
  /** For the code under test. Its revision is `answer-table`, so that no log takes it for a real one. */
  readonly policy: Policy<Ids>;
  /** Questions that the table lacks: each was denied. A test expects none. */
  readonly refused: readonly AskedQuestion[];
  /** Rows that were not asked for so far. */
  unasked(): readonly AnswerRow<Ids>[];
}

/**
 * Makes the policy of a table. Throws TypeError for a row that is not a question with a decision, and for two rows with one
 * question: a table that could be read in two ways answers nothing. An empty table denies everything.
 */
export function answerTable<Ids extends PolicyIds = PolicyIds>(rows: readonly AnswerRow<Ids>[]): AnswerTable<Ids> {
  const answers = new Map<string, { readonly row: AnswerRow<Ids>; readonly decision: unknown }>();
  for (const row of rows) {
    const { kind, request, decision } = row;
    if (!isDecision(decision)) throw new TypeError(`the answer of a ${kind} row is no decision: ${shown(decision)}`);
    const key = questionKey(entrypointOf(kind), frozenCopy(request));
    if (answers.has(key)) throw new TypeError(`two rows answer the same question: ${kind} ${shown(request)}`);
    answers.set(key, { row, decision: frozenCopy(decision) });
  }
  const evaluator = new TableEvaluator(answers, new Set(rows.map(({ kind }) => entrypointOf(kind))));
  const policy = new Policy<Ids>(evaluator, { revision: "answer-table" });
  const unasked = (): readonly AnswerRow<Ids>[] =>
    [...answers].flatMap(([key, { row }]) => (evaluator.asked.has(key) ? [] : [row]));
  return { policy, refused: evaluator.refused, unasked };
}

interface TableRow {
  readonly row: Pick<AnswerRow, "request">;
  readonly decision: unknown;
}

class TableEvaluator implements Evaluator {
  readonly entrypoints: readonly string[];
  readonly memoryBytes = 0;
  readonly asked = new Set<string>();
  readonly refused: AskedQuestion[] = [];
  faults = 0;
  lastFault: Fault | undefined = undefined;
  private readonly table: ReadonlyMap<string, TableRow>;

  constructor(table: ReadonlyMap<string, TableRow>, entrypoints: ReadonlySet<string>) {
    this.table = table;
    this.entrypoints = [...entrypoints];
  }

  decide(id: number, input: unknown): unknown {
    return this.evaluate(this.entrypoints[id] ?? "", input);
  }

  evaluate(entrypoint: string, input: unknown): unknown {
    this.lastFault = undefined;
    const copy = copyOf(input);
    const key = questionKey(entrypoint, copy);
    const answer = this.table.get(key);
    if (answer === undefined) return this.refuse(entrypoint, copy);
    this.asked.add(key);
    return answer.decision;
  }

  /** Rows whose request is the searched one but for this member. A search that no row answers is refused like any question. */
  allowedTexts(ids: readonly number[], input: Record<string, unknown>, member: string): string[] {
    const entrypoint = this.entrypoints[ids.at(-1) ?? -1] ?? "";
    const texts = [...this.table.values()].flatMap(({ row }) => {
      const text = (row.request as { readonly [name: string]: unknown })[member];
      const key = typeof text === "string" ? questionKey(entrypoint, copyOf({ ...input, [member]: text })) : "";
      return this.table.has(key) ? [text as string] : [];
    });
    if (texts.length === 0) this.refuse(entrypoint, copyOf(input));
    const isAllowed = (text: string): boolean =>
      (this.evaluate(entrypoint, { ...input, [member]: text }) as { readonly allowed?: unknown }).allowed === true;
    return [...new Set(texts)].filter(isAllowed).sort();
  }

  evaluateJson(entrypoint: string, json: string | Uint8Array): unknown {
    const text = typeof json === "string" ? json : new TextDecoder().decode(json);
    return this.evaluate(entrypoint, JSON.parse(text));
  }

  readsOf(): true {
    return true;
  }

  denialOf(): undefined {
    return undefined;
  }

  intern(text: string): Interned {
    return new Interned(text, 0, undefined);
  }

  setData(): void {
    // A table reads no data.
  }

  private refuse(entrypoint: string, input: unknown): undefined {
    this.faults++;
    this.lastFault = { code: "internal", message: `the table has no answer for ${entrypoint} ${shown(input)}` };
    this.refused.push({ entrypoint, input });
    return undefined;
  }
}

/** `undefined` for a value that is not data: then there is no answer either. */
function copyOf(input: unknown): unknown {
  try {
    return frozenCopy(input);
  } catch {
    return undefined;
  }
}

/** The same for the same question, whatever the order of its members. A value that is not data has a key that no row has. */
function questionKey(entrypoint: string, input: unknown): string {
  return `${entrypoint} ${JSON.stringify(input, (_name, value: unknown) => ordered(value))}`;
}

function ordered(value: unknown): unknown {
  if (typeof value === "bigint") return { bigint: String(value) };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A denial never calls itself `ALLOW`, and an allow has no other gate. */
function isDecision(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { allowed, gate, reason } = value as { readonly [name: string]: unknown };
  const isAllow = allowed === true && gate === "ALLOW";
  const isDenial = allowed === false && typeof gate === "string" && gate !== "ALLOW";
  return (isAllow || isDenial) && typeof reason === "string";
}

function shown(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_name, member: unknown) => (typeof member === "bigint" ? String(member) : member)) ?? ""
    );
  } catch {
    return String(value);
  }
}
