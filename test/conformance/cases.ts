/** OPA's compliance cases: reading a folder of them (JSON or YAML), and comparing a result with what a case wants. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";

/** https://github.com/open-policy-agent/opa/tree/main/v1/test/cases */
export interface Case {
  readonly note: string;
  readonly query: string;
  readonly modules?: readonly string[] | null;
  readonly data?: unknown;
  readonly input?: unknown;
  /** A Rego term, for inputs that JSON cannot say. */
  readonly input_term?: string;
  readonly want_result?: readonly unknown[];
  readonly want_error?: string;
  readonly want_error_code?: string;
  readonly strict_error?: boolean;
  readonly sort_bindings?: boolean;
  /** OPA's plan of the case, as plan JSON. */
  readonly plan?: unknown;
}

/** Category (the first folder below `dir`) and case, in the order of file names. */
export interface NamedCase {
  readonly category: string;
  readonly case: Case;
}

export function readCases(dir: string): NamedCase[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && /\.(json|ya?ml)$/.test(e.name))
    .map((e) => join(e.parentPath, e.name))
    .sort();
  return files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const { cases } = (file.endsWith(".json") ? JSON.parse(text) : parseYaml(text, { maxAliasCount: -1 })) as {
      cases: Case[];
    };
    return cases.map((c) => ({ category: c.note.split("/")[0] as string, case: c }));
  });
}

/** What an evaluation gave: solutions, or the code of the error that ended it. */
export type Outcome =
  | { readonly kind: "solutions"; readonly solutions: readonly unknown[] }
  | { readonly kind: "error"; readonly code: string; readonly message: string };

/** `undefined` when the outcome is what the case wants; otherwise what is different. */
export function difference(c: Case, outcome: Outcome): string | undefined {
  if (c.want_error_code !== undefined || c.want_error !== undefined) {
    if (outcome.kind === "error") {
      return c.want_error_code === undefined || outcome.code === c.want_error_code || c.strict_error === true
        ? undefined
        : `error ${outcome.code}, wanted ${c.want_error_code}`;
    }
    // As in OPA's own runner for wasm: builtin errors are undefined there.
    if (c.strict_error === true && outcome.solutions.length === 0) return undefined;
    return `${JSON.stringify(outcome.solutions)}, wanted error ${c.want_error_code ?? c.want_error}`;
  }
  if (c.want_result === undefined) return "the case wants neither a result nor an error";
  if (outcome.kind === "error") return `error ${outcome.code}: ${outcome.message}`;
  const got = canonical(outcome.solutions, c.sort_bindings === true);
  const want = canonical(c.want_result, c.sort_bindings === true);
  return got === want ? undefined : `got ${got}, wanted ${want}`;
}

/** The set of solutions has no order; arrays in bindings only where the case says that they stand for sets. */
function canonical(solutions: readonly unknown[], sortArrays: boolean): string {
  const texts = solutions.map((s) => text(s, sortArrays));
  return `[${texts.sort().join(",")}]`;
}

function text(value: unknown, sortArrays: boolean): string {
  if (Array.isArray(value)) {
    const items = value.map((v) => text(v, sortArrays));
    return `[${(sortArrays ? items.sort() : items).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((k) => `${JSON.stringify(k)}:${text((value as Record<string, unknown>)[k], sortArrays)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
