/**
 * Small policies, each about one thing that planning may get wrong, and what `data.t` is under them. The wants were written
 * down from the language's documentation and confirmed by OPA (`programs.test.ts` asks it again where it is installed).
 */

export interface Program {
  readonly name: string;
  readonly modules: readonly string[];
  readonly data?: unknown;
  readonly input?: unknown;
  /** Uses what the installed OPA may not know yet. */
  readonly newerThanOpa?: boolean;
  /** The document `data.t`, sets as sorted arrays; "conflict" for an evaluation that ends in one. */
  readonly want: unknown;
}

/** A module of package `t`. */
export const t = (body: string): string => `package t\n\n${body}`;
