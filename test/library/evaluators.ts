/**
 * The evaluators that the suites run over: the product in the ways that it is used; or with `PORTCULLIS_OPA=1` the real `opa`
 * alone, which then has to be there. Both are held to the same statements, so neither needs the other's run.
 */
import type { Evaluator } from "./evaluator.ts";
import { opaEvaluator } from "./opa-evaluator.ts";
import { portcullisEvaluator } from "./portcullis-evaluator.ts";

function realOpa(): Evaluator {
  const opa = opaEvaluator();
  if (opa === undefined) throw new Error("PORTCULLIS_OPA is set, but there is no `opa` on the PATH");
  return opa;
}

export const evaluators: readonly Evaluator[] =
  process.env["PORTCULLIS_OPA"] === undefined
    ? [
        portcullisEvaluator({ caller: "typed", policyIs: "constant", policies: 20, requests: 500 }),
        portcullisEvaluator({ caller: "evaluate", policyIs: "data", policies: 100, requests: 100 }),
        portcullisEvaluator({ caller: "opa-wasm", policyIs: "constant", policies: 4, requests: 500 }),
      ]
    : [realOpa()];
