/** An evaluator around an evaluator: what looks at decisions overrides the three ways to one, and changes no answer. */

import type { Fault } from "../errors.ts";
import type { Answers } from "../host/builtin.ts";
import type { Evaluator } from "../policy.ts";

export class DelegatingEvaluator implements Evaluator {
  protected readonly inner: Evaluator;

  constructor(inner: Evaluator) {
    this.inner = inner;
  }

  decide(id: number, input: unknown): unknown {
    return this.inner.decide(id, input);
  }

  evaluate(entrypoint: string, input: unknown): unknown {
    return this.inner.evaluate(entrypoint, input);
  }

  evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    return this.inner.evaluateJson(entrypoint, json, recorded);
  }

  allowedTexts(ids: readonly number[], input: Record<string, unknown>, member: string): string[] {
    return this.inner.allowedTexts(ids, input, member);
  }

  get answers(): Answers | undefined {
    return this.inner.answers;
  }

  readsOf(entrypoint: string): ReturnType<Evaluator["readsOf"]> {
    return this.inner.readsOf(entrypoint);
  }

  denialOf(entrypoint: string): unknown {
    return this.inner.denialOf(entrypoint);
  }

  get entrypoints(): readonly string[] {
    return this.inner.entrypoints;
  }

  get lastFault(): Fault | undefined {
    return this.inner.lastFault;
  }

  get missingData(): readonly string[] {
    return this.inner.missingData ?? [];
  }

  get faults(): number {
    return this.inner.faults;
  }

  get memoryBytes(): number {
    return this.inner.memoryBytes;
  }

  intern(text: string): ReturnType<Evaluator["intern"]> {
    return this.inner.intern(text);
  }

  setData(data: unknown): void {
    this.inner.setData(data);
  }
}
