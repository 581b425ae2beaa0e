/** Where a tool may be used: asked of the library's own tool decision, over the model as it is being edited. */

import { BUILTIN_LIMITS, NotKnown, PlannedAnswers } from "@portcullis/rego/optimize";
import { planModules } from "@portcullis/rego/pipeline";
import { valueOfJson } from "@portcullis/rego/value";
import { builtinCaller } from "@portcullis/rego/wasm";
import { denialSentence, type ToolDecision } from "@portcullis/runtime";
import { lowerToData } from "../../lower/index.ts";
import type { Model } from "../../model/index.ts";
import { allLibraryModules } from "./findings.ts";

const DECISION = "portcullis/tool/decision";

/** Lanes that are asked about. */
const MOST_LANES = 100;

export interface ToolAnswers {
  /** Lanes that list the tool and in which their first role may use it. */
  readonly allowed: readonly string[];
  /** Lanes that list the tool and in which it is denied, and why. */
  readonly denied: readonly { readonly lane: string; readonly why: string }[];
}

let planned: PlannedAnswers | undefined;

/** The library's answers; authors' rules read more than ids. Cost: the first plans a decision, each asks it once a lane. */
export function toolAnswers(model: Model, tool: string): ToolAnswers {
  planned ??= planDecision();
  const answers = planned;
  const { data } = lowerToData({ ...model, requiredGates: new Map() }, []);
  const lanes = [...model.lanes.values()].filter((l) => l.tools.some((t) => t.name === tool)).slice(0, MOST_LANES);
  const asked = lanes.flatMap(({ id: { name: lane }, roles: [role] }) => {
    if (role === undefined) return [];
    const request = { role: role.name, lane, tool };
    const answer = decide(answers, data, request);
    if (answer === undefined) return [];
    return [{ lane, answer, why: denialSentence("tool", answer, answer, request) ?? answer.gate }];
  });
  return {
    allowed: asked.flatMap(({ lane, answer }) => (answer.allowed === true ? lane : [])),
    denied: asked.flatMap(({ lane, answer, why }) => (answer.allowed === true ? [] : { lane, why })),
  };
}

function decide(
  answers: PlannedAnswers,
  data: ReturnType<typeof valueOfJson>,
  request: { readonly role: string; readonly lane: string; readonly tool: string },
): ToolDecision | undefined {
  try {
    return answers.under(valueOfJson(request), data)(DECISION) as ToolDecision | undefined;
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}

function planDecision(): PlannedAnswers {
  const { policy } = planModules({
    modules: [],
    parsed: allLibraryModules(),
    ensure: [DECISION],
    only: [DECISION],
    allowBuiltins: [],
    indexFrom: Number.POSITIVE_INFINITY,
  });
  if (policy === undefined) throw new Error("the library does not compile");
  return new PlannedAnswers(policy, builtinCaller(...BUILTIN_LIMITS));
}
