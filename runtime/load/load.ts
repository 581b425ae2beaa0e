/** From bytes to a policy: everything slow and everything that can be refused happens here. */

import { type HostBuiltin, type HostSources, hostBuiltins, openHostSession } from "../builtins/index.ts";
import { LoadError } from "../errors.ts";
import { ModuleEvaluator } from "../evaluate/evaluate.ts";
import { resolveBuiltins } from "../evaluate/imports.ts";
import { DEFAULT_LIMITS, type Limits } from "../evaluate/instance.ts";
import { Policy, type PolicyVersions } from "../policy.ts";
import { loadForeign } from "./interop.ts";
import { openSource, type PolicySource } from "./source.ts";
import { policySectionOf } from "./verify.ts";

export interface LoadOptions {
  /** The host's data, for what lies outside of the bundle's roots. */
  readonly data?: unknown;
  /** Builtins that the host adds or replaces, by name: clocks, randomness, network look-ups. */
  readonly builtins?: { readonly [name: string]: HostBuiltin };
  /** Where the host's time, chance and self-description come from; without a source the builtins that need it are missing. */
  readonly sources?: HostSources;
  /** Limits of one evaluation; beyond them it is a denial. */
  readonly limits?: Partial<Limits>;
  /**
   * Whether a question that was asked before, in which nothing is new to the policy, gets the answer that it got (the
   * default), or is evaluated each time. Either way the answers are the same: policies with builtins of the host's never remember.
   */
  readonly remember?: boolean;
}

/**
 * Verifies, compiles and instantiates a policy. Accepts a `bundle.tar.gz`, the bytes of a `policy.wasm` (ours, or one that
 * OPA made: then `@open-policy-agent/opa-wasm` must be installed), or a compiled WebAssembly.Module.
 * Throws LoadError, whose message says what is wrong and whose `code` is stable; nothing is loaded then.
 */
export async function load(source: PolicySource, options: LoadOptions = {}): Promise<Policy> {
  const opened = await openSource(source);
  const section = policySectionOf(opened.module);
  if (section === undefined) return loadForeign(opened, options);
  const session = options.sources === undefined ? undefined : openHostSession(options.sources);
  const supplied = new Map([...(session?.builtins ?? hostBuiltins), ...Object.entries(options.builtins ?? {})]);
  const evaluator = new ModuleEvaluator(
    opened.module,
    section,
    resolveBuiltins(section, supplied),
    {
      ...DEFAULT_LIMITS,
      ...options.limits,
    },
    options.remember ?? true,
    session?.beginEvaluation,
  );
  const declared =
    opened.manifest?.wasm?.map((w) => w.entrypoint).filter((e) => !section.entrypoints.includes(e)) ?? [];
  if (declared.length > 0)
    throw new LoadError(
      "bundle-mismatch",
      `the manifest names entrypoints that the module lacks: ${declared.join(", ")}`,
    );
  const policy = new Policy(evaluator, {
    revision: opened.manifest?.revision,
    versions: opened.manifest?.metadata?.["portcullis_versions"] as PolicyVersions | undefined,
  });
  if (options.data !== undefined) policy.setData(options.data);
  return policy;
}
