/** OPA's compliance modules, where they are at hand, and what tests of the front end ask of trees. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { parseModule } from "../../../compiler/rego/syntax/parser.ts";
import { readCases } from "../../conformance/cases.ts";

const folder = fileURLToPath(new URL("../../../../shared/conformance/rego-v1", import.meta.url));

export const hasCorpus = existsSync(folder);

/** Every different module and query of the cases. */
export function corpus(): { readonly modules: readonly string[]; readonly queries: readonly string[] } {
  const cases = readCases(folder).map((named) => named.case);
  return {
    modules: [...new Set(cases.flatMap((c) => c.modules ?? []))],
    queries: [...new Set(cases.map((c) => c.query))],
  };
}

/** `2:3 rego/code` for each finding. */
export function findings(text: string): readonly string[] {
  const file = new SourceFile("policy.rego", text);
  return parseModule(file).diagnostics.map(({ code, span }) => {
    if (!span) return code;
    const { line, column } = file.positionAt(span.start);
    return `${line}:${column} ${code}`;
  });
}

const layout: ReadonlySet<string> = new Set([
  "span",
  "raw",
  "parenthesized",
  "infix",
  "comments",
  "annotations",
  "hasBody",
  "braces",
  "leftBraces",
  "rightBraces",
]);

/**
 * A tree without places and notation, in which a rule that says `true` says so by leaving value and body out: what two
 * texts of one meaning have in common.
 */
export function meaning(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(meaning);
  if (typeof node !== "object" || node === null) return node;
  const { kind } = node as { kind?: string };
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (layout.has(key) || (key === "operator" && kind === "Head") || value === undefined) continue;
    plain[key] = meaning(value);
  }
  const isTrue = (value: unknown) => JSON.stringify(value) === '{"kind":"Boolean","value":true}';
  // Imports have no order.
  if (kind === "Module") plain["imports"] = (plain["imports"] as unknown[]).map((item) => JSON.stringify(item)).sort();
  if (kind === "Head" && isTrue(plain["value"])) delete plain["value"];
  // `f() := 1` is a rule like any other.
  if (kind === "Head" && (plain["args"] as unknown[] | undefined)?.length === 0) delete plain["args"];
  const [only, ...more] =
    kind === "Rule" ? (plain["body"] as { body: unknown; negated: boolean; with: unknown[] }[]) : [];
  if (only && more.length === 0 && !only.negated && only.with.length === 0 && isTrue(only.body)) plain["body"] = [];
  return plain;
}
