/**
 * The tests of a policy set, compiled: decision tests, records of handoffs and all `test_` rules in one module. Where decisions are asked,
 * the passes of the optimiser run, so that what is tested is the code that ships; for Rego tests alone they would take longer
 * than the tests.
 */

import type { Host } from "@portcullis/documents";
import { type CheckedPolicy, chooseEntrypoints, type TestRule } from "@portcullis/rego/analyze";
import { type Diagnostic, hasErrors, type SourceFile, type Span } from "@portcullis/rego/diagnostics";
import { analyzeModules, nondeterministicBuiltins } from "@portcullis/rego/pipeline";
import {
  COVERED,
  coverRules,
  markExpressions,
  planPolicy,
  REACHED,
  reportTestCases,
  TEST_CASE,
} from "@portcullis/rego/plan";
import type { Builtins, Language } from "@portcullis/rego/syntax";
import { type EmittedTests, emitTests, explainFailures, testEntrypoints } from "@portcullis/rego/testing";
import type { LoadOptions } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import {
  applyWaivers,
  authoredFacts,
  causesOf,
  checkAuthoredRules,
  expectedAnswers,
  namingOtherDenials,
  reservedPackages,
  testIds,
  testInputs,
} from "../checks/index.ts";
import { boundApprovals } from "../lower/index.ts";
import { buildTests, type DecisionTest, vocabulariesOf } from "../model/index.ts";
import { knownFacts, readPolicySet } from "../policy-set.ts";
import type { TestResult } from "./test-result.ts";

/** Options of `compileTests`: the policy set, which of its tests, and what its host supplies. */
export interface CompileTestsOptions {
  /** The only way to the files. */
  readonly host: Host;
  /** Folders of one policy set, or files. */
  readonly dirs: readonly string[];
  /** Tells by its name whether a test is wanted: `data.app_test.test_x`, or `lane: name of the case`. Default: all are. */
  readonly only?: (name: string) => boolean;
  /** As for `compile`. */
  readonly schemas?: ReadonlyMap<string, unknown> | undefined;
  /** Builtins that the tests' host supplies, beside those that it always has. */
  readonly allowBuiltins?: readonly string[];
  /** As for `compile`. Calling a builtin that is not supplied is an error of the test. */
  readonly builtins?: Builtins | undefined;
  readonly language?: Language | undefined;
  /**
   * Makes a second module that reports which rules succeed, tests' own rules aside. `only`: it is the one module, and stands for
   * the tested one too, for half the time.
   */
  readonly coverage?: boolean | "only";
  /** As in `CompileOptions`. */
  readonly today?: string;
  /** Ends before code is generated: all findings of the policy set and its tests, and nothing compiled. */
  readonly checkOnly?: boolean;
  /** Called with the next step, in words for a person. */
  readonly onStage?: ((stage: string) => void) | undefined;
}

const COMPILE_TESTS_OPTIONS: TableOf<CompileTestsOptions> = {
  host: "object",
  dirs: "array",
  only: "function?",
  schemas: "object?",
  allowBuiltins: "array?",
  builtins: "object?",
  language: "object?",
  coverage: [true, false, "only"],
  today: "string",
  checkOnly: "boolean",
  onStage: "function?",
};

/** Tests in one module, to be run by `runTests`. */
export interface CompiledTests {
  /** `undefined` where there is no test. */
  readonly wasm: Uint8Array | undefined;
  readonly decisions: readonly DecisionTest[];
  readonly rules: readonly TestRule[];
  /** Records that the handoff decision must accept, or refuse: who runs them collects their evidence. */
  readonly samples: readonly HandoffSample[];
  /** What `coverage` asked for. */
  readonly covering: CoveringModule | undefined;
  /** Gives failed `test_` rules their causes. Cost: where one failed, one more compilation. Absent: no causes. */
  readonly explain?: (results: readonly TestResult[], load: LoadOptions) => Promise<readonly TestResult[]>;
}

/** A record of `handoff-samples`, in `positive` or in `negative`. */
export interface HandoffSample {
  /** The folder of the policy set, and the path in it. */
  readonly dir: string;
  readonly path: string;
  readonly text: string;
  readonly positive: boolean;
}

/** A module that calls a builtin with the index of a rule in `rules` whenever that rule's body succeeds. */
export interface CoveringModule {
  readonly wasm: Uint8Array;
  /** Its name; the host supplies it, and answers `true`. */
  readonly builtin: string;
  readonly rules: readonly Span[];
  /** A builtin that is called with the index of one of these, whenever it is evaluated. */
  readonly reached: string;
  readonly expressions: readonly Span[];
  /** Tells the author's files from the decision library's. */
  readonly isAuthored: (file: SourceFile) => boolean;
}

/** The tests, or the findings that stand in their way. */
export interface CompileTestsResult {
  /** `undefined` when there are errors, and with `checkOnly`. */
  readonly compiled: CompiledTests | undefined;
  /** All findings of the run. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The name under which a decision test is chosen and reported. */
export function decisionTestName({ decision, name }: DecisionTest): string {
  return `${decision}: ${name}`;
}

/** The same of a record in `handoff-samples`. */
export function sampleName({ path }: HandoffSample): string {
  return `handoff: ${path}`;
}

/**
 * Compiles the tests of a policy set. Faults of sources are diagnostics. Rejects with a TypeError for an option that is unknown or of
 * another type.
 */
export async function compileTests(options: CompileTestsOptions): Promise<CompileTestsResult> {
  holdOptions(options, COMPILE_TESTS_OPTIONS);
  options.onStage?.("reading sources");
  const policySet = readPolicySet(options.host, options.dirs);
  const { set, model, lowered, library, schemas, diagnostics: reading } = policySet;
  const facts = knownFacts(policySet);
  const ofTests = new Set(set.rego.filter((r) => r.test).map((r) => r.file));
  const built = buildTests(set.tests, model, { revision: boundApprovals(model, lowered.data)?.revision });
  const only = options.only ?? (() => true);
  const isAuthored = (file: SourceFile): boolean => !library.includes(file);
  const analyzed = analyzeModules({
    modules: [...library, ...set.rego.map((r) => r.file)],
    schemas: new Map([...schemas, ...(options.schemas ?? [])]),
    requireSchemas: options.schemas !== undefined,
    data: lowered.data,
    allowBuiltins: [
      TEST_CASE,
      ...nondeterministicBuiltins(),
      ...(options.allowBuiltins ?? []),
      ...model.settings.rego.allowBuiltins.map((b) => b.name),
    ],
    reword: namingOtherDenials,
    checkWritten: (modules) => reservedPackages(modules, (file) => isAuthored(file) && !ofTests.has(file)),
    check: (policy) =>
      checkAuthoredRules(policy, ({ span: { file } }) => isAuthored(file) && !ofTests.has(file), facts),
    bugs: options.checkOnly === true ? isAuthored : undefined,
    tests: true,
    heard: true,
    builtins: options.builtins,
    language: options.language,
    onStage: options.onStage,
  });
  const expected =
    options.checkOnly === true && analyzed.policy !== undefined
      ? expectedAnswers(
          set.tests,
          analyzed.modules,
          authoredFacts(analyzed.modules.filter((m) => isAuthored(m.span.file) && !ofTests.has(m.span.file))),
        )
      : [];
  const asked = options.checkOnly === true ? testInputs(set.tests, schemas) : [];
  // Where the model is broken, an id may be missing because of that.
  if (options.checkOnly === true && !hasErrors(reading))
    asked.push(...testIds(set.tests, schemas, vocabulariesOf(model)));
  const found = causesOf([...reading, ...built.diagnostics, ...asked, ...analyzed.diagnostics, ...expected]);
  const { diagnostics } = applyWaivers(found, model.settings.waive, options.today);
  if (analyzed.policy === undefined || hasErrors(diagnostics)) return { compiled: undefined, diagnostics };

  const decisions = built.tests.filter((test) => only(decisionTestName(test)));
  const rules = analyzed.tests.filter((test) => only(test.ref));
  const explaining =
    (checked: CheckedPolicy): NonNullable<CompiledTests["explain"]> =>
    (results, load) =>
      explainFailures(results, { policy: checked, rules, data: lowered.data }, load);
  const samples = set.samples
    .map(({ dir, path, file, positive }): HandoffSample => ({ dir, path, text: file.text, positive }))
    .filter((sample) => only(sampleName(sample)));
  const decides = decisions.length + samples.length > 0;
  const entrypoints = [
    ...(decides || options.checkOnly === true ? chooseEntrypoints(analyzed.policy, [], []).entrypoints : []),
    ...testEntrypoints(rules),
  ];
  if (options.checkOnly === true) {
    const { diagnostics: planning } = planPolicy(analyzed.policy, entrypoints);
    return { compiled: undefined, diagnostics: [...diagnostics, ...planning] };
  }
  if (entrypoints.length === 0)
    return {
      compiled: { wasm: undefined, decisions, rules, samples, covering: undefined },
      diagnostics,
    };
  const policy = reportTestCases(
    analyzed.policy,
    rules.map((r) => r.path),
  );
  options.onStage?.("generating code");
  const emit = (checked: CheckedPolicy): Promise<EmittedTests> =>
    emitTests(checked, entrypoints, lowered.data, decides && options.coverage !== "only");
  const module = options.coverage === "only" ? undefined : await emit(policy);
  if (module?.diagnostics !== undefined)
    return { compiled: undefined, diagnostics: [...diagnostics, ...module.diagnostics] };
  if (module !== undefined && options.coverage !== true)
    return {
      compiled: { wasm: module.wasm, decisions, rules, samples, covering: undefined, explain: explaining(policy) },
      diagnostics,
    };
  const testSpans = new Set(analyzed.tests.map((t) => t.span));
  const isCounted = ({ span }: { readonly span: Span }): boolean => !ofTests.has(span.file) && !testSpans.has(span);
  const covered = coverRules(policy, isCounted);
  const marked = markExpressions(covered.policy, (rule) => isCounted(rule) && isAuthored(rule.span.file));
  const covering = await emit(marked.policy);
  if (covering.wasm === undefined)
    return { compiled: undefined, diagnostics: [...diagnostics, ...covering.diagnostics] };
  const reports: CoveringModule = {
    ...{ wasm: covering.wasm, builtin: COVERED, rules: covered.rules },
    ...{ reached: REACHED, expressions: marked.places, isAuthored },
  };
  const { wasm } = module ?? covering;
  return { compiled: { wasm, decisions, rules, samples, covering: reports, explain: explaining(policy) }, diagnostics };
}
