/**
 * IR to a module: constants laid out, functions emitted, the runtime library linked, the exports of the OPA ABI and our
 * own, custom sections. Nothing here depends on anything but the policy: the same policy gives the same bytes.
 */

import { ABI_VERSION, RTLIB_BASE } from "@portcullis/runtime/abi";
import type { Diagnostic } from "../diagnostics/index.ts";
import { decideName, footprintOf } from "../optimize/index.ts";
import type { Policy } from "../plan/index.ts";
import { sizeOf } from "../value/index.ts";
import { emitFunc, emitPlan } from "./emit-func.ts";
import { addEntry } from "./entry.ts";
import { footprintNode, layOutSlots } from "./input-layout.ts";
import { PolicyLayout } from "./layout.ts";
import { checkLimits } from "./limits.ts";
import { readRtlib } from "./link.ts";
import { memoisedCalls } from "./memoised-calls.ts";
import { writeModule } from "./module/write.ts";
import { addPolicySection } from "./sections.ts";
import { StaticData } from "./static-data.ts";

export interface EmitOptions {
  /** The answer to a fault, by entrypoint: plain JSON objects with `allowed: false`. */
  readonly denials?: { readonly [entrypoint: string]: unknown | undefined };
  /** Bytes that an evaluation makes before turns of its loops give back what they made. Default: 8 MiB. */
  readonly reclaimFrom?: number | undefined;
}

/** Most evaluations make a few kilobytes. */
const RECLAIM_BYTES = 8 << 20;

/** Values of the constants of a large policy, whose module is kept small: browsers take none above 8 MiB while a page waits. */
const LARGE = 500_000;

export type EmitResult =
  | { readonly bytes: Uint8Array; readonly diagnostics?: undefined }
  | { readonly bytes?: undefined; readonly diagnostics: readonly Diagnostic[] };

/** The module without its digest section: `sealModule` (sections.ts) adds that. */
export function emitModule(policy: Policy, options: EmitOptions = {}): EmitResult {
  const diagnostics = checkLimits(policy);
  if (diagnostics.length > 0) return { diagnostics };
  const rtlib = readRtlib(policy.builtins.map((b) => b.name));
  const { module } = rtlib;
  const constants = sizeOf({ kind: "array", items: policy.constants }, LARGE);
  const data = new StaticData(RTLIB_BASE, rtlib.data, constants > LARGE);
  const memoised = memoisedCalls(policy);
  const decided = new Set(policy.funcs.map((f) => f.name));
  const footprints = policy.plans.map(({ name }) =>
    decided.has(decideName(name)) ? footprintOf(policy, decideName(name), memoised) : undefined,
  );
  const slots = layOutSlots(
    data,
    footprints.flatMap((f) => f ?? []),
  );
  const nodes = footprints.map((f) => f && footprintNode(data, f, { object: slots }));
  const layout = new PolicyLayout(policy, rtlib, data, slots, memoised);
  for (const func of policy.funcs) emitFunc(layout, func);
  const plans = policy.plans.map((plan) => {
    const internal = `plan/${plan.name}`;
    emitPlan(layout, plan, internal);
    return internal;
  });
  const { sealed, heapBase, decide, rules } = addEntry(layout, plans, options.reclaimFrom ?? RECLAIM_BYTES);
  module.exportMemory("memory");
  addPolicySection(module, {
    abi: ABI_VERSION,
    entrypoints: policy.plans.map((p) => p.name),
    builtins: layout.hostBuiltins().map(({ name, id, arity }) => ({ name, id, arity })),
    strings: sealed.strings,
    heapBase,
    decide: nodes.map((footprint, id) => {
      const place = decide[id];
      return place === undefined || footprint === undefined ? null : { place, footprint, rules: rules[id] ?? [] };
    }),
    denials: options.denials,
  });
  return { bytes: writeModule(module) };
}
