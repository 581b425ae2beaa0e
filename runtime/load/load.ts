/** From bytes to a policy: everything slow and everything that can be refused happens here. */

import type { PolicySection } from "../abi/index.ts";
import { LoadError } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits, ModuleEvaluator } from "../evaluate/index.ts";
import type { PolicyIds } from "../governance/index.ts";
import type {
  BuiltinFamily,
  EvaluationSources,
  HostBuiltin,
  HostSources,
  PlainBuiltins,
  SuppliedBuiltin,
} from "../host/builtin.ts";
import { openSession } from "../host/session.ts";
import type { ObserveOptions } from "../observe/index.ts";
import { holdOptions, limitsTable, type OptionTable } from "../options.ts";
import { Policy } from "../policy.ts";
import { codeOf } from "./code.ts";
import {
  type BundleFacts,
  type OpenedSource,
  openSource,
  type PolicySource,
  SOURCE_OPTIONS,
  type SourceOptions,
} from "./source.ts";
import { policySectionOf } from "./verify.ts";

/** Options of `load`. All are optional; without any, nothing is verified and no host builtin is there. */
export interface LoadOptions extends ObserveOptions, SourceOptions {
  /**
   * The host's data, outside of the bundle's roots. A policy that promises some (`rego.host_data`) answers denials until all of
   * it is there, here or by `setData`.
   */
  readonly data?: unknown;
  /**
   * Builtins that the module does not carry: families of `@portcullis/builtins`, and your own by name, which take and give
   * plain values. Of two with the same name the later one serves. A policy that needs one which is not there is refused, and
   * the error says what to import.
   */
  readonly builtins?: readonly (BuiltinFamily | PlainBuiltins)[];
  /** Where the host's time, chance and self-description come from; without a source the builtins that need it are missing. */
  readonly sources?: HostSources;
  /** Limits of one evaluation; beyond them it is a denial. */
  readonly limits?: Partial<Limits>;
  /**
   * `false` for a process that decides once or twice: no entrypoint is asked before the first decision. For a policy like the
   * example's, loading takes some 15 ms less of processor time, and the first call 3 to 8 ms in place of 0.3. Default: true.
   */
  readonly warmUp?: boolean;
}

export const LOAD_OPTIONS: OptionTable = {
  onDecision: "function|array?",
  sample: "number?",
  unrecorded: ["allow", "deny", undefined],
  shadow: "object?",
  labels: "object?",
  ...SOURCE_OPTIONS,
  data: "any?",
  builtins: "array",
  sources: { now: "function?", random: "function?", runtime: "object?" },
  limits: limitsTable(DEFAULT_LIMITS),
  warmUp: "boolean",
};

/**
 * Verifies, compiles and instantiates a policy. Accepts a `bundle.tar.gz`, the bytes of a `policy.wasm` (ours, or one that
 * OPA made: then `@open-policy-agent/opa-wasm` must be installed), or a compiled WebAssembly.Module.
 * Throws LoadError, whose message says what is wrong and whose `code` is stable, and TypeError for an option that there is
 * not or that has another type; nothing is loaded then.
 *
 * `load<typeof ids>(…)` holds requests and decisions to one policy set; `ids` is of the `types.ts` that `portcullis types`
 * writes. The types say what the policy set was when they were written: the policy decides by what it is.
 */
export async function load<Ids extends PolicyIds = PolicyIds>(
  source: PolicySource,
  options?: LoadOptions,
): Promise<Policy<Ids>>;
export async function load(source: PolicySource, options: LoadOptions = {}): Promise<Policy> {
  holdOptions(options, LOAD_OPTIONS);
  const opened = await openSource(source, options);
  holdSequence(opened.facts, options.verification?.minimumRevision);
  const section = policySectionOf(opened.module);
  if (section === undefined) {
    const { loadForeign } = await import("./interop.ts");
    return loadForeign(opened, options);
  }
  const evaluator = await evaluatorOf(opened, section, options);
  const declared =
    opened.manifest?.wasm?.map((w) => w.entrypoint).filter((e) => !section.entrypoints.includes(e)) ?? [];
  if (declared.length > 0)
    throw new LoadError(
      "bundle-mismatch",
      `the manifest names entrypoints that the module lacks: ${declared.join(", ")}`,
    );
  const awaited = opened.facts.hostData ?? [];
  const deciding =
    awaited.length === 0 ? evaluator : new (await import("./awaited-data.ts")).AwaitingEvaluator(evaluator, awaited);
  // Fetched where somebody listens.
  const isHeard = options.onDecision !== undefined || options.unrecorded !== undefined || options.shadow !== undefined;
  const policy = isHeard
    ? (await import("../observe/observe.ts")).observedPolicy(deciding, options, opened.facts)
    : new Policy(deciding, opened.facts);
  if (options.data !== undefined) policy.setData(options.data);
  return policy;
}

/** Throws LoadError for a builtin that is not supplied. */
export async function evaluatorOf(
  { module, wasmBytes }: Pick<OpenedSource, "module" | "wasmBytes">,
  section: PolicySection,
  { sources, builtins = [], limits, warmUp }: Pick<LoadOptions, "sources" | "builtins" | "limits" | "warmUp">,
): Promise<ModuleEvaluator> {
  const session = openSession(sources);
  const supplied = await builtinsOf(section, builtins, session.sources);
  const held = { ...DEFAULT_LIMITS, ...limits };
  return new ModuleEvaluator(
    module,
    section,
    supplied,
    held,
    sources && session,
    wasmBytes && (await codeOf(wasmBytes)),
    warmUp,
  );
}

/** The section's builtins, all of them, before anything runs. Throws LoadError naming every missing one. */
async function builtinsOf(
  section: PolicySection,
  given: NonNullable<LoadOptions["builtins"]>,
  sources: EvaluationSources,
): Promise<ReadonlyMap<number, SuppliedBuiltin>> {
  const supplied = new Map<string, HostBuiltin>();
  for (const item of given) {
    // Fetched only if the caller has builtins of its own.
    const table =
      typeof item === "function" ? item(sources) : (await import("../host/plain-value.ts")).exactBuiltins(item);
    for (const [name, call] of Object.entries(table)) supplied.set(name, call);
  }
  const missing = section.builtins.filter((b) => !supplied.has(b.name)).map((b) => b.name);
  if (missing.length > 0) throw (await import("./missing-builtins.ts")).missingBuiltins(missing);
  if (section.builtins.length === 0) return new Map();
  const { overTexts } = await import("../host/over-texts.ts");
  return new Map(section.builtins.map(({ id, name }) => [id, overTexts(name, supplied.get(name) as HostBuiltin)]));
}

/**
 * Against rollback: a bundle with a lower sequence than the least, or with none where one is expected, is refused. Throws
 * LoadError.
 */
export function holdSequence({ sequence }: Pick<BundleFacts, "sequence">, least: number | undefined): void {
  if (least === undefined || (sequence !== undefined && sequence >= least)) return;
  const has = sequence === undefined ? "no sequence" : `the sequence ${sequence}`;
  throw new LoadError("revision-rolled-back", `the bundle has ${has}, and ${least} is the least that is taken`);
}
