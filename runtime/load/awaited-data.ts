/** A policy that needs data of its host denies until it has it: a rule that reads what is not there would deny nothing. */

import type { Fault } from "../errors.ts";
import type { Answers } from "../host/builtin.ts";
import { DelegatingEvaluator } from "../observe/index.ts";
import type { Evaluator } from "../policy.ts";

export class AwaitingEvaluator extends DelegatingEvaluator {
  /** Below `data`, with dots between their names. */
  private readonly paths: readonly string[];
  private missing: readonly string[];
  private failure: Fault | undefined = undefined;
  private failures = 0;

  constructor(inner: Evaluator, paths: readonly string[]) {
    super(inner);
    this.paths = paths;
    this.missing = paths;
  }

  override decide(id: number, input: unknown): unknown {
    return this.isReady() ? super.decide(id, input) : this.denialOf(this.entrypoints[id] ?? "");
  }

  override evaluate(entrypoint: string, input: unknown): unknown {
    return this.isReady() ? super.evaluate(entrypoint, input) : this.denialOf(entrypoint);
  }

  override evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    return this.isReady() ? super.evaluateJson(entrypoint, json, recorded) : this.denialOf(entrypoint);
  }

  override allowedTexts(ids: readonly number[], input: Record<string, unknown>, member: string): string[] {
    return this.isReady() ? super.allowedTexts(ids, input, member) : [];
  }

  override setData(data: unknown): void {
    super.setData(data);
    this.missing = this.paths.filter((path) => path.split(".").reduce(member, data) === undefined);
  }

  override get missingData(): readonly string[] {
    return this.missing;
  }

  override get lastFault(): Fault | undefined {
    return this.failure ?? super.lastFault;
  }

  override get faults(): number {
    return this.failures + super.faults;
  }

  private isReady(): boolean {
    this.failure = undefined;
    if (this.missing.length === 0) return true;
    const paths = this.missing.map((path) => `\`data.${path}\``).join(", ");
    this.failures++;
    this.failure = { code: "internal", message: `the host has not supplied ${paths}: call \`setData\`` };
    return false;
  }
}

function member(value: unknown, name: string): unknown {
  const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isThere ? (value as { readonly [name: string]: unknown })[name] : undefined;
}
