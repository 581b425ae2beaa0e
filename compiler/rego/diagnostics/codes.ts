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

/**
 * What a finding may only follow from. Where there is a finding of `code` that belongs to it, that one is the fault and is told
 * alone. They belong together where they are
 * - `names`: about one id, as both were written or as one was meant;
 * - `meant`: in one file, and the cause means what a parameter of the finding says;
 * - `parameters`: about one id, which is a parameter of each;
 * - `entry`: the cause says that a part has no entry of that kind;
 * - `absent`: the cause says that a part has no such file;
 * - `file`, `line`, `place`: in one file, one line of it, or at one place; `line`: the cause comes first;
 * - `related`: the cause is in a file that the finding points to;
 * - `unread`: the cause is an error, of any code of the stage, in a file of that name;
 * - `any`: anywhere in the set.
 */
export type CauseRule =
  | { readonly code: string; readonly by: "names" | "file" | "line" | "place" | "related" | "any" }
  | { readonly code: string; readonly by: "meant"; readonly parameter: string }
  | { readonly code: string; readonly by: "parameters"; readonly cause: string; readonly finding: string }
  | { readonly code: string; readonly by: "entry"; readonly entry: string }
  | { readonly code: string; readonly by: "absent"; readonly file: string }
  | { readonly code?: undefined; readonly by: "unread"; readonly stage?: string; readonly file: RegExp };

/** What a diagnostic code says: its severity, its message and its explanation. */
export interface CodeEntry {
  readonly severity: Severity;
  /** `{name}` marks a parameter. Lower case, no final period, user input in backticks. */
  readonly message: string;
  /** Its meaning and its remedy, for `--explain`; plain text, at least one full sentence. */
  readonly explain: string;
  readonly opa?: OpaCode;
  /** What it may only follow from. */
  readonly causedBy?: readonly CauseRule[];
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
