/** A build of the guards, answers of policies, clocks and functions that fail, for questions to guards. */

export interface Guards {
  readonly guardTool: (...args: unknown[]) => (...args: unknown[]) => Promise<Record<string, unknown>>;
  readonly guardTools: (...args: unknown[]) => Record<string, (...args: unknown[]) => Promise<Record<string, unknown>>>;
  readonly guardTurn: (...args: unknown[]) => Record<string, unknown>;
  readonly overruled: (policy: unknown, found: unknown, question: () => unknown, counts?: (() => void)[]) => unknown;
}

export const ALLOW = { allowed: true, gate: "ALLOW", reason: "call_allowed" };
export const DENY = { allowed: false, gate: "FLAGS", reason: "flag_prohibited", flags: ["x"] };
export const fails = (): never => {
  throw new Error("no");
};

export function noting<Answer>(list: unknown[], given: unknown, answer: Answer): Answer {
  list.push(given);
  return answer;
}

export type Answer = readonly [what: string, found: unknown, expected: unknown];

export function clockOf(...readings: unknown[]): () => unknown {
  return () => readings.shift();
}
