/** The compiler for commands that may need it, loaded when it does. */

import type { CompileOptions, CompileResult, SetQueryOptions } from "@portcullis/governance";
import type { CompileTestsOptions, CompileTestsResult } from "@portcullis/governance/testing";
import type { CompiledQuery } from "@portcullis/rego/pipeline";
import type { Terminal } from "../terminal.ts";

/** From here on, a person sees which stage takes so long. */
const PATIENCE_MS = 500;

export async function compilePolicies(terminal: Terminal, options: CompileOptions): Promise<CompileResult> {
  const { compile } = await import("@portcullis/governance");
  return patiently(terminal, (onStage) => compile({ today: today(), ...options, ...onStage }));
}

/** As far as findings go: without a module, and with what the samples of handoffs show. */
export async function checkPolicies(terminal: Terminal, options: CompileOptions): Promise<CompileResult> {
  const { compileSet } = await import("@portcullis/governance");
  const { planned, ...result } = await patiently(terminal, (onStage) =>
    compileSet({ today: today(), ...options, ...onStage, checkOnly: true }),
  );
  if (planned === undefined || planned.samples.length === 0) return result;
  const { sampleFindings } = await import("./sample-findings.ts");
  return { ...result, diagnostics: [...result.diagnostics, ...sampleFindings(planned)] };
}

export async function compilePolicyTests(
  terminal: Terminal,
  options: CompileTestsOptions,
): Promise<CompileTestsResult> {
  const { compileTests } = await import("@portcullis/governance/testing");
  return patiently(terminal, (onStage) => compileTests({ today: today(), ...options, ...onStage }));
}

/** A query and what it asks. */
export async function compilePolicyQuery(terminal: Terminal, options: SetQueryOptions): Promise<CompiledQuery> {
  const { compileSetQuery } = await import("@portcullis/governance");
  return patiently(terminal, (onStage) => compileSetQuery({ today: today(), ...options, ...onStage }));
}

/** By the clock, in UTC. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}

type Stages = Pick<CompileOptions, "onStage">;

/** Draws the stage that takes long, where there is a person to see it. */
async function patiently<T>(terminal: Terminal, work: (stages: Stages) => Promise<T>): Promise<T> {
  const started = performance.now();
  let drawn = 0;
  const draw = (text: string): void => {
    terminal.draw(text.padEnd(drawn));
    terminal.draw(text);
    drawn = text.length;
  };
  const result = await work({
    onStage: (stage) => {
      if (terminal.interactive && performance.now() - started > PATIENCE_MS) draw(`${stage} …`);
    },
  });
  if (drawn > 0) draw("");
  return result;
}
