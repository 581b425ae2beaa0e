/** Findings as values: the fault, its location and its remedy. Stages return them; only the command line prints. */

import type { CauseRule, CodeEntry, CodeTable, OpaCode, ParamsOf, Severity } from "./codes.ts";
import { type Fix, renaming } from "./fix.ts";
import type { Span } from "./span.ts";

/** One finding about a source: what is wrong, where, and what to do next. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  /** `undefined` must be said: the finding has no location in a text (an empty folder, say). */
  readonly span: Span | undefined;
  /** The next step, for people: no code reads it. */
  readonly help?: string;
  readonly opa?: OpaCode;
  /** What the message's parameters are, by name. */
  readonly params?: { readonly [name: string]: string | number };
  /** Other locations that explain the finding (the first definition of a duplicate). */
  readonly related?: readonly { readonly message: string; readonly span: Span }[];
  /** Names that were probably meant: they stand in the policy, or in its formats. */
  readonly meant?: readonly string[];
  /** Ways to mend it. */
  readonly fixes?: readonly Fix[];
  /** What it may only follow from. */
  readonly causedBy?: readonly CauseRule[];
}

type Params<M extends string> = [ParamsOf<M>] extends [never]
  ? Record<string, never>
  : { [K in ParamsOf<M>]: string | number };

/** What only some findings of a code have. Where one name was meant and the finding marks the misspelt one, its fix follows from it. */
export type Extra = Pick<Diagnostic, "help" | "related" | "meant" | "fixes" | "causedBy">;

/**
 * Binds a table of codes: `const sourcesDiagnostic = diagnosticsOf(codes); sourcesDiagnostic("sources/unknown-key", { key }, span)`.
 * A code that the table lacks, or a parameter that its message lacks or needs, does not type-check.
 */
export function diagnosticsOf<const T extends CodeTable>(table: T) {
  return <C extends keyof T & string>(
    code: C,
    params: Params<T[C]["message"]>,
    span: Span | undefined,
    extra: Extra = {},
  ): Diagnostic => {
    const entry = table[code] as CodeEntry;
    const message = entry.message.replace(/\{(\w+)\}/g, (_, name: string) =>
      String((params as Record<string, unknown>)[name]),
    );
    const opa = entry.opa ? { opa: entry.opa } : {};
    const causedBy = [...(entry.causedBy ?? []), ...(extra.causedBy ?? [])];
    const fixes = extra.fixes ?? renaming(span, extra.meant);
    return {
      ...{ code, severity: entry.severity, message, span, params, ...opa, ...extra },
      ...(causedBy.length === 0 ? {} : { causedBy }),
      ...(fixes.length === 0 ? {} : { fixes }),
    };
  };
}

/** Whether a stage found anything that stops the build; warnings do not. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === "error");
}

/** By file name, then location, then code: the order in which reports are printed, whatever order stages ran in. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const key = (d: Diagnostic): [string, number, number, string] => [
    d.span?.file.name ?? "",
    d.span?.start ?? -1,
    d.span?.end ?? -1,
    d.code,
  ];
  return [...diagnostics].sort((a, b) => {
    const x = key(a);
    const y = key(b);
    for (let i = 0; i < 4; i++) {
      if ((x[i] as string | number) < (y[i] as string | number)) return -1;
      if ((x[i] as string | number) > (y[i] as string | number)) return 1;
    }
    return 0;
  });
}
