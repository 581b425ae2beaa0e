/** OPA's cases of what a compiler has to refuse, and with which code, message and place. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { analyze } from "../../compiler/rego/analyze/index.ts";
import type { Diagnostic } from "../../compiler/rego/diagnostics/diagnostic.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { parseModule } from "../../compiler/rego/syntax/index.ts";

/** https://github.com/open-policy-agent/opa/tree/main/v1/test/compilecases */
export interface CompileCase {
  readonly note: string;
  readonly modules: readonly string[];
  readonly strict?: boolean;
  /** Calls of `print` stay. */
  readonly print_statements?: boolean;
  readonly want_errors: readonly WantedError[];
  /** These errors, and no others. */
  readonly exhaustive?: boolean;
}

interface WantedError {
  readonly module?: string;
  readonly code: string;
  readonly row: number;
  readonly col?: number;
  readonly message: string;
}

export function readCompileCases(dir: string): CompileCase[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((name) => (parseYaml(readFileSync(join(dir, name), "utf8")) as { cases: CompileCase[] }).cases);
}

/** `undefined` where ours finds what the case wants; otherwise what is different. */
export function compileDifference(c: CompileCase): string | undefined {
  const parsed = c.modules.map((text, i) => parseModule(new SourceFile(`test-${i}.rego`, text)));
  const faults = parsed.flatMap((p) => p.diagnostics);
  const { diagnostics } =
    faults.length > 0
      ? { diagnostics: faults }
      : analyze(
          parsed.flatMap((p) => p.module ?? []),
          { strict: c.strict === true, keepPrints: c.print_statements === true },
        );
  const found = diagnostics.filter((d) => d.severity === "error").map(lineOf);
  const wanted = c.want_errors.map(
    (w) => `${w.module ?? "test-0.rego"}:${w.row}:${w.col ?? "*"}: ${w.code}: ${w.message}`,
  );
  const isFound = (line: string): boolean => found.some((f) => f === line || anyColumn(f) === line);
  const missing = wanted.filter((line) => !isFound(line));
  const more = c.exhaustive === true && found.length !== wanted.length;
  return missing.length > 0 || more ? `wanted ${wanted.join("; ")}; found ${found.join("; ") || "nothing"}` : undefined;
}

function lineOf(d: Diagnostic): string {
  const at = d.span?.file.positionAt(d.span.start);
  return `${d.span?.file.name}:${at?.line}:${at?.column}: ${d.opa}: ${d.message}`;
}

function anyColumn(line: string): string {
  return line.replace(/^([^:]*:\d+):\d+:/, "$1:*:");
}
