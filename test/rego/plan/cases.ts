/** The conformance cases beside the repository, where they are there. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseJson } from "../../interpreter/term.ts";
import type { Arr, Obj, Val } from "../../interpreter/value.ts";

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
  /** The case read with exact numbers. */
  readonly exact: () => Val;
}

const folder = fileURLToPath(new URL("../../../../shared/conformance/rego-v1", import.meta.url));

function at(file: Val, i: number): Val {
  return ((file as Obj).get("cases") as Arr).items[i] as Val;
}

export const hasCases = existsSync(folder);

export function readCases(): Case[] {
  if (!hasCases) return [];
  const cases: Case[] = [];
  for (const category of readdirSync(folder).sort()) {
    for (const name of readdirSync(`${folder}/${category}`).sort()) {
      const text = readFileSync(`${folder}/${category}/${name}`, "utf8");
      const file = JSON.parse(text) as { cases: Omit<Case, "category" | "exact">[] };
      let exact: Val | undefined;
      file.cases.forEach((c, i) => {
        cases.push({ ...c, category, exact: () => at((exact ??= parseJson(text)), i) });
      });
    }
  }
  return cases;
}
