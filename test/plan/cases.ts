/** The conformance cases beside the repository, where they are there. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Case {
  readonly category: string;
  readonly note: string;
  readonly query: string;
  readonly modules?: readonly string[] | null;
  readonly data?: unknown;
  readonly input?: unknown;
  readonly input_term?: string;
  readonly want_result?: readonly Record<string, unknown>[];
  readonly want_error_code?: string;
  readonly want_error?: string;
  readonly strict_error?: boolean;
  readonly sort_bindings?: boolean;
  readonly plan: unknown;
  /** The case's own JSON text: numbers in `data`, `input` and `want_result` are exact only there. */
  readonly text: string;
}

const folder = fileURLToPath(new URL("../../../shared/conformance/rego-v1", import.meta.url));

export const hasCases = existsSync(folder);

export function readCases(): Case[] {
  if (!hasCases) return [];
  const cases: Case[] = [];
  for (const category of readdirSync(folder).sort()) {
    for (const name of readdirSync(`${folder}/${category}`).sort()) {
      const text = readFileSync(`${folder}/${category}/${name}`, "utf8");
      const file = JSON.parse(text) as { cases: Omit<Case, "category" | "text">[] };
      for (const c of file.cases) cases.push({ ...c, category, text });
    }
  }
  return cases;
}
