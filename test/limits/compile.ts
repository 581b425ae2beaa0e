/** Policies of unusual size through the whole Rego half of the pipeline, and what they answer in the runtime. */

import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import type { Value } from "../../compiler/rego/value/value.ts";
import { load, type Policy } from "../../runtime/index.ts";

/** `count` lines, or parts of one. */
export function many(count: number, line: (i: number) => string, between = "\n"): string {
  return Array.from({ length: count }, (_, i) => line(i)).join(between);
}

export interface Size {
  /** Begins with its package; `package t` is put in front of any other text. */
  readonly text: string;
  readonly data?: Value;
  readonly entrypoint?: string;
}

/** What was found, as `code@line:column`. */
export async function findings({ text, data, entrypoint = "t/p" }: Size): Promise<string[]> {
  const { diagnostics } = await compile({ text, ...(data === undefined ? {} : { data }), entrypoint });
  return diagnostics.map(({ code, span }) => {
    if (span === undefined) return code;
    const { line, column } = span.file.positionAt(span.start);
    return `${code}@${line}:${column}`;
  });
}

/** The policy, which must compile without a finding. */
export async function loaded(size: Size): Promise<Policy> {
  const { compiled, diagnostics } = await compile(size);
  if (compiled === undefined) throw new Error(diagnostics.map((d) => `${d.code}: ${d.message}`).join("; "));
  return load(compiled.wasm);
}

/** What the entrypoint answers to an input. */
export async function answer(size: Size, input: unknown): Promise<unknown> {
  return answerOf(await loaded(size), size, input);
}

/** The same of a policy that is loaded already: compiling it once more would say nothing new. */
export function answerOf(policy: Policy, size: Size, input: unknown): unknown {
  const result = policy.evaluate(size.entrypoint ?? "t/p", input);
  if (policy.lastFault !== undefined) throw new Error(`${policy.lastFault.code}: ${policy.lastFault.message}`);
  return result;
}

function compile({ text, data, entrypoint = "t/p" }: Size): ReturnType<typeof compileModules> {
  const whole = /^(#|package )/.test(text) ? text : `package t\n${text}`;
  return compileModules({
    modules: [new SourceFile("large.rego", whole)],
    ...(data === undefined ? {} : { data }),
    entrypoints: [entrypoint],
  });
}

export const string = (value: string): Value => ({ kind: "string", value });
export const number = (value: number): Value => ({ kind: "number", text: String(value) });
export const array = (items: readonly Value[]): Value => ({ kind: "array", items });
export const object = (entries: { readonly [key: string]: Value }): Value => ({
  kind: "object",
  entries: Object.keys(entries)
    .sort()
    .map((key) => [string(key), entries[key] as Value]),
});
