/** `test`: the `test_` rules of modules, run. */

import { type LoadOptions, load } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { type Diagnostic, hasErrors } from "./diagnostics/index.ts";
import { analyzeModules, nondeterministicBuiltins } from "./pipeline/index.ts";
import { reportTestCases, TEST_CASE } from "./plan/index.ts";
import { moduleSources, SOURCES, type Sources } from "./sources.ts";
import {
  emitTests,
  evaluationHost,
  explainFailures,
  hasFailed,
  notRun,
  runRuleTest,
  TEST_LIMITS,
  type TestResult,
  testEntrypoints,
} from "./testing/index.ts";

/** Modules with their tests, which tests to run, and what their host supplies. */
export interface TestOptions extends Sources {
  /** Tells by its name, as `data.authz_test.test_owner`, whether a test is wanted. Default: all are. */
  readonly only?: (name: string) => boolean;
  /** How the module of tests is loaded: builtins, sources, limits. Yours win over those of the runner. */
  readonly load?: LoadOptions;
}

const TEST_OPTIONS: TableOf<TestOptions> = { ...SOURCES, only: "function?", load: "object?" };

/** The outcome of every test, or the findings that stand in their way. */
export interface TestReport {
  /** There are no errors and no test failed. Also where there is no test: look at `results`. */
  readonly ok: boolean;
  /** In the order of modules and rules; empty when there are errors. */
  readonly results: readonly TestResult[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles modules and runs their `test_` rules, with the names and verdicts of `opa test`: a test passes that is true, or whose
 * cases all are; `todo_test_` rules are skipped. What tests print is in their results. `time.now_ns` is the real time, chance is
 * seeded, and there is no network: a call of `http.send` without `with` is undefined. A failed test says which expression failed,
 * with its values: for that, those that failed are compiled and run once more.
 *
 * Errors: faults of the modules are diagnostics. Throws as `compile` does, for wrong options, and rejects with the
 * runtime's LoadError where a test calls a builtin that only a host has, and `load.builtins` lacks it. Cost: one compilation, and
 * one evaluation a test.
 */
export async function test(options: TestOptions): Promise<TestReport> {
  holdOptions(options, TEST_OPTIONS);
  const sources = moduleSources(options);
  const { policy, tests, diagnostics } = analyzeModules({
    ...sources,
    allowBuiltins: [TEST_CASE, ...nondeterministicBuiltins(), ...(options.allowBuiltins ?? [])],
    tests: true,
    heard: true,
  });
  if (policy === undefined || hasErrors(diagnostics)) return { ok: false, results: [], diagnostics };
  const { only = () => true } = options;
  const wanted = tests.filter(({ ref }) => only(ref));
  const entrypoints = testEntrypoints(wanted);
  if (entrypoints.length === 0) {
    const results = wanted.flatMap((rule) => notRun(rule) ?? []);
    return { ok: !results.some(hasFailed), results, diagnostics };
  }
  const reporting = reportTestCases(
    policy,
    wanted.map(({ path }) => path),
  );
  const emitted = await emitTests(reporting, entrypoints, sources.data, false);
  if (emitted.wasm === undefined)
    return { ok: false, results: [], diagnostics: [...diagnostics, ...emitted.diagnostics] };
  const limits = { ...TEST_LIMITS, ...options.load?.limits };
  const host = evaluationHost({ ...options.load, limits });
  const loaded = await load(emitted.wasm, host.load);
  const plain = wanted.map((rule) => notRun(rule) ?? runRuleTest(loaded, rule, host.take));
  const tested = { policy: reporting, rules: wanted, data: sources.data };
  const results = await explainFailures(plain, tested, { ...options.load, limits });
  return { ok: !results.some(hasFailed), results, diagnostics };
}
