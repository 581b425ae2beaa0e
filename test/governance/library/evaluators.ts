/**
 * The evaluators that the suites run over: the product in the ways that it is used; with `PORTCULLIS_OPA=1` the real `opa`
 * alone, with `PORTCULLIS_OPA=too` both. An `opa` that is asked for has to be there. All are held to the same statements, so
 * none needs another's run.
 */
import type { Evaluator } from "./evaluator.ts";
import { opaEvaluator } from "./opa-evaluator.ts";
import { portcullisEvaluator } from "./portcullis-evaluator.ts";

function realOpa(): Evaluator {
  const opa = opaEvaluator();
  if (opa === undefined) throw new Error("PORTCULLIS_OPA is set, but there is no `opa` on the PATH");
  return opa;
}

const asked = process.env["PORTCULLIS_OPA"];

const ours = (): Evaluator[] => [
  portcullisEvaluator({ caller: "typed", policyIs: "constant", policies: 20, requests: 500 }),
  portcullisEvaluator({ caller: "evaluate", policyIs: "data", policies: 100, requests: 100 }),
  portcullisEvaluator({ caller: "opa-wasm", policyIs: "constant", policies: 4, requests: 500 }),
];

export const evaluators: readonly Evaluator[] = [
  ...(asked === undefined || asked === "too" ? ours() : []),
  ...(asked === undefined ? [] : [realOpa()]),
];
