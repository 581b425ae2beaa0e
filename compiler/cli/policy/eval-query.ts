/** `portcullis eval [POLICY] QUERY`: a query of Rego, compiled with what it asks and evaluated once. */

import { SourceFile } from "@portcullis/rego/diagnostics";
import type { CompiledQuery } from "@portcullis/rego/pipeline";
import type { QueryAnswer } from "@portcullis/rego/testing";
import type { EvalFlags, Evaluated } from "../commands/eval.ts";
import { type Metrics, printJson, printMetrics, printProfile, printSolutions } from "../render/query-results.ts";
import { reportDiagnostics } from "../render/report.ts";
import type { Terminal } from "../terminal.ts";
import { compilePolicyQuery } from "./compile.ts";
import { withHostOptions } from "./host-options.ts";
import { readOwnBuiltins } from "./own-builtins.ts";
import { readQuerySources } from "./query-sources.ts";
import { refusing } from "./refusing.ts";
import { readSchemas } from "./schemas.ts";

export interface AskedQuery {
  /** Paths of Rego, bundles and data. */
  readonly sources: readonly string[];
  readonly query: string;
  /** JSON text. */
  readonly input: string | undefined;
  readonly flags: EvalFlags;
}

/** `undefined`: there are findings, and they are printed. Throws CliError. */
export async function evalQuery(terminal: Terminal, asked: AskedQuery): Promise<Evaluated | undefined> {
  const { flags } = asked;
  const began = performance.now();
  const { compiled, supplied, diagnostics } = await compileAsked(terminal, asked);
  const compiling = performance.now() - began;
  if (compiled === undefined) {
    reportDiagnostics(terminal, diagnostics, flags.format === "json" ? "json" : "human");
    return undefined;
  }
  const { askQuery } = await import("@portcullis/rego/testing");
  const answer = await refusing("the query", () =>
    withHostOptions(supplied, flags.limits, (options) => askQuery(compiled, asked.input, options)),
  );
  for (const line of answer.printed) terminal.err(`${line}\n`);
  for (const line of answer.notes) terminal.err(`note: ${line}\n`);
  const metrics = flags.metrics ? metricsOf(compiling, compiled.wasm, answer) : undefined;
  report(terminal, answer, metrics, flags.format);
  const { text } = answer;
  return { isDefined: text !== undefined && text !== "[]", denies: denies(text), failed: text === undefined };
}

async function compileAsked(
  terminal: Terminal,
  { sources, query, flags }: AskedQuery,
): Promise<CompiledQuery & { readonly supplied: Awaited<ReturnType<typeof readOwnBuiltins>>["supplied"] }> {
  const { declared, allowed, supplied } = await readOwnBuiltins(flags);
  const compiled = await compilePolicyQuery(terminal, {
    ...(await readQuerySources(terminal, sources)),
    query: new SourceFile("query", query),
    profile: flags.profile,
    ...readSchemas(flags.schema),
    ...declared,
    allowBuiltins: allowed,
  });
  return { ...compiled, supplied };
}

function metricsOf(compiling: number, wasm: Uint8Array, { timing }: QueryAnswer): Metrics {
  const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);
  return {
    timer_compile_ns: nanoseconds(compiling),
    timer_load_ns: nanoseconds(timing.load),
    timer_eval_ns: nanoseconds(timing.evaluate),
    module_bytes: wasm.length,
  };
}

function report(
  terminal: Terminal,
  answer: QueryAnswer,
  metrics: Metrics | undefined,
  format: EvalFlags["format"],
): void {
  const { text, fault, profile } = answer;
  if (format === "json") {
    const errors = fault === undefined ? undefined : [fault];
    printJson(terminal, text ?? "[]", { errors, metrics, profile });
    return;
  }
  if (text !== undefined) printSolutions(terminal, text, format);
  if (fault !== undefined) terminal.err(`${terminal.paint.red("error:")} ${fault.code}: ${fault.message}\n`);
  if (metrics !== undefined) printMetrics(terminal, metrics);
  if (profile !== undefined) printProfile(terminal, profile);
}

/** Undefined, or one expression that is false or a decision that denies. */
function denies(text: string | undefined): boolean {
  const solutions = JSON.parse(text ?? "[]") as readonly {
    readonly expressions: readonly { readonly value: unknown }[];
  }[];
  const [first] = solutions;
  if (first === undefined) return true;
  if (solutions.length > 1 || first.expressions.length > 1) return false;
  const value = first.expressions[0]?.value;
  if (typeof value === "object" && value !== null && "allowed" in value) return value.allowed !== true;
  return value === false;
}
