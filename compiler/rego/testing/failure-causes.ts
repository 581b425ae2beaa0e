/**
 * Why tests failed: those that did are compiled again, in a module that reports each step, and run once more. The cause is the
 * statement that failed last, with the values that it read.
 */

import { type LoadOptions, load } from "@portcullis/runtime";
import { HostNumber, isArray, type JsonLike } from "@portcullis/runtime/host";
import type { CheckedPolicy, TestRule } from "../analyze/index.ts";
import { reportSteps, STEP, type TestStep } from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import { emitTests, testEntrypoints } from "./emit-tests.ts";
import { type EvaluationHost, evaluationHost } from "./evaluation-host.ts";
import { testName } from "./rule-tests.ts";
import { termText } from "./term-text.ts";
import type { FailureCause, TestCase, TestResult } from "./test-result.ts";

/** What tests were compiled from, with their cases reported. */
export interface TestedPolicy {
  readonly policy: CheckedPolicy;
  readonly rules: readonly TestRule[];
  readonly data: Value;
}

/** The results, with a cause for each failure of a `test_` rule. Cost: where a test failed, one more compilation. */
export async function explainFailures<R extends TestResult>(
  results: readonly R[],
  { policy, rules, data }: TestedPolicy,
  options: LoadOptions,
): Promise<R[]> {
  const failed = new Set(results.filter((r) => r.outcome === "fail").map((r) => r.name));
  const failing = new Map(rules.map((rule) => [testName(rule), rule] as const).filter(([name]) => failed.has(name)));
  if (failing.size === 0) return [...results];
  const reported = reportSteps(
    policy,
    [...failing.values()].map(({ path }) => path),
  );
  const emitted = await emitTests(reported.policy, testEntrypoints([...failing.values()]), data, false);
  // A module that would be too large says nothing: the failures stand as they are.
  if (emitted.wasm === undefined) return [...results];
  const listener = new StepListener(reported.steps);
  const host = evaluationHost({ ...options, builtins: [...(options.builtins ?? []), () => listener.builtins] });
  listener.host = host;
  const loaded = await load(emitted.wasm, host.load);
  return results.map((result) => {
    const rule = failed.has(result.name) ? failing.get(result.name) : undefined;
    if (rule === undefined) return result;
    listener.begin();
    loaded.evaluate(rule.ref, undefined);
    return listener.explained(result);
  });
}

/** The last step of a test, and of each of its cases. */
class StepListener {
  host: EvaluationHost | undefined;
  private readonly steps: readonly TestStep[];
  private last = new Map<string, readonly JsonLike[]>();

  constructor(steps: readonly TestStep[]) {
    this.steps = steps;
  }

  readonly builtins = {
    [STEP]: ([report]: readonly JsonLike[]): JsonLike => {
      if (isArray(report)) this.last.set(this.currentCase(), report);
      return true;
    },
  };

  begin(): void {
    this.host?.take();
    this.last = new Map();
  }

  explained<R extends TestResult>(result: R): R {
    const cause = this.causeOf("");
    const { cases } = result;
    if (cases === undefined) return cause === undefined ? result : { ...result, cause };
    return { ...result, cases: cases.map((c) => this.explainedCase(c, [])) };
  }

  private explainedCase(test: TestCase, outer: readonly string[]): TestCase {
    const names = [...outer, test.name];
    if (test.cases !== undefined) return { ...test, cases: test.cases.map((c) => this.explainedCase(c, names)) };
    const cause = test.outcome === "fail" ? this.causeOf(JSON.stringify(names)) : undefined;
    return cause === undefined ? test : { ...test, cause };
  }

  /** The case that was announced last; empty before the first. */
  private currentCase(): string {
    const names = this.host?.currentCase();
    return names === undefined ? "" : JSON.stringify(names);
  }

  private causeOf(name: string): FailureCause | undefined {
    const [number, ...values] = this.last.get(name) ?? [];
    const step = number instanceof HostNumber ? this.steps[Number(number.text)] : undefined;
    return step && causeOf(step, values);
  }
}

function causeOf({ expression, evaluates, names }: TestStep, values: readonly JsonLike[]): FailureCause {
  const { file, start, end } = expression;
  const text = (from: number, to: number): string => file.text.slice(from, to).replace(/\s+/g, " ");
  return {
    location: `${file.name}:${file.positionAt(start).line}`,
    expression: text(start, end),
    values: [
      ...names.map((name, i) => ({ name, value: termText(values[i] ?? null) })),
      ...(evaluates === undefined ? [] : [{ name: text(evaluates.start, evaluates.end), value: undefined }]),
    ],
  };
}
