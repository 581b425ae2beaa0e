/**
 * The registry of diagnostic codes: `stage/kebab-case`, its severity, OPA's own code where OPA has one, a message with
 * `{parameters}`, and the explanation that `portcullis --explain CODE` prints. One registry, put together from one file
 * a stage (`<stage>/codes.ts`), makes a wrong code or a missing parameter a type error.
 */

export type Severity = "error" | "warning";

/** OPA's error codes: https://www.openpolicyagent.org/docs/faq and ast/errors */
export type OpaCode =
  | "rego_parse_error"
  | "rego_compile_error"
  | "rego_type_error"
  | "rego_unsafe_var_error"
  | "rego_recursion_error";

/** What a diagnostic code says: its severity, its message and its explanation. */
export interface CodeEntry {
  readonly severity: Severity;
  /** `{name}` marks a parameter. Lower case, no final period, user input in backticks. */
  readonly message: string;
  /** Its meaning and its remedy, for `--explain`; plain text, at least one full sentence. */
  readonly explain: string;
  readonly opa?: OpaCode;
}

export type CodeTable = { readonly [code: string]: CodeEntry };

/** Keeps the literal types of a table, so that `message` parameters can be checked at the call. */
export function defineCodes<const T extends CodeTable>(table: T): T {
  return table;
}

/** The parameter names of a message: `"unknown key {key}"` → `"key"`. */
export type ParamsOf<M extends string> = M extends `${string}{${infer P}}${infer Rest}` ? P | ParamsOf<Rest> : never;

/** The anchor of a code's heading in generated/reference/diagnostics.md, as Markdown readers make it. */
export function anchorOf(code: string): string {
  return code.replace("/", "");
}
