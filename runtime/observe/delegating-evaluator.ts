/**
 * An evaluator around an evaluator: what looks at decisions overrides the three ways to one. It changes no answer, unless a host
 * overrules it: so that all who look hear of what is answered.
 */

import type { Fault } from "../errors.ts";
import type { Answers } from "../host/builtin.ts";
import type { Evaluator } from "../policy.ts";
import type { Host } from "./observe.ts";

export class DelegatingEvaluator implements Evaluator {
  declare protected readonly inner: Evaluator;
  declare readonly host: Host;
  /** Why the last answer is not that of the evaluator within. */
  declare protected why: Fault | undefined;

  constructor(inner: Evaluator) {
    this.inner = inner;
    this.host = inner.host ?? {};
  }

  decide(id: number, input: unknown): unknown {
    return this.answered(this.inner.decide(id, input));
  }

  evaluate(entrypoint: string, input: unknown): unknown {
    return this.answered(this.inner.evaluate(entrypoint, input));
  }

  evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    return this.answered(this.inner.evaluateJson(entrypoint, json, recorded));
  }

  /** What is overruled once stands: the next one finds nothing to overrule. */
  private answered(decided: unknown): unknown {
    const [answer, why] = this.host.overrule?.(decided) ?? [decided];
    this.why = why;
    return answer;
  }

  allowedTexts(ids: readonly number[], input: Record<string, unknown>, member: string): string[] {
    this.why = undefined;
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
    return this.why ?? this.inner.lastFault;
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
