/**
 * The evaluators that the suites run over: the product in the ways that it is used, and with `PORTCULLIS_OPA=1` the real
 * `opa`, which then has to be there.
 */
import type { Evaluator } from "./evaluator.ts";
import { opaEvaluator } from "./opa-evaluator.ts";
import { portcullisEvaluator } from "./portcullis-evaluator.ts";

function wantedOpa(): Evaluator[] {
  if (process.env["PORTCULLIS_OPA"] === undefined) return [];
  const opa = opaEvaluator();
  if (opa === undefined) throw new Error("PORTCULLIS_OPA is set, but there is no `opa` on the PATH");
  return [opa];
}

export const evaluators: readonly Evaluator[] = [
  portcullisEvaluator({ caller: "typed", policyIs: "constant", policies: 20, requests: 500 }),
  portcullisEvaluator({ caller: "evaluate", policyIs: "data", policies: 100, requests: 100 }),
  portcullisEvaluator({ caller: "opa-wasm", policyIs: "constant", policies: 4, requests: 500 }),
  ...wantedOpa(),
];
