/** An answer that is made once: what a careful person does with one that holds nothing of the request. */
export function constant<T extends object>(answer: T): T {
  return Object.freeze(answer);
}

/** A decision as code without our types would write it. */
export interface Answer {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
  readonly [member: string]: unknown;
}
