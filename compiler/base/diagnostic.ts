/** Findings as values: the fault, its location and its remedy. Stages return them; only the command line prints. */

import type { CodeEntry, CodeTable, OpaCode, ParamsOf, Severity } from "./codes.ts";
import type { Span } from "./span.ts";

/** One finding about a source: what is wrong, where, and what to do next. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  /** `undefined` must be said: the finding has no location in a text (an empty folder, say). */
  readonly span: Span | undefined;
  /** The next step; "did you mean" goes here. */
  readonly help?: string;
  readonly opa?: OpaCode;
  /** What the message's parameters are, by name. */
  readonly params?: { readonly [name: string]: string | number };
  /** Other locations that explain the finding (the first definition of a duplicate). */
  readonly related?: readonly { readonly message: string; readonly span: Span }[];
}

type Params<M extends string> = [ParamsOf<M>] extends [never]
  ? Record<string, never>
  : { [K in ParamsOf<M>]: string | number };

export interface Extra {
  readonly help?: string;
  readonly related?: readonly { readonly message: string; readonly span: Span }[];
}

/**
 * Binds a table of codes: `const report = diagnosticsOf(codes); report("sources/unknown-key", { key }, span)`.
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
    return { code, severity: entry.severity, message, span, params, ...opa, ...extra };
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
