/** Why a decision came out as it did. */

import { didYouMean, failure, type Result, success } from "@portcullis/rego/diagnostics";
import { type Ask, NotKnown, type PlannedAnswers } from "@portcullis/rego/optimize";
import { isJsonEqual, isJsonObject, type JsonObject, valueOfJson } from "@portcullis/rego/value";
import { DECISION_KINDS, denialSentence, type Policy } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { wordsOfApproval, wordsOfArgument, wordsOfLimit } from "../lower/index.ts";
import { exactData, exactValue, merge, writtenData, writtenInput } from "./bundle-data.ts";
import { answerOf } from "./decision-space.ts";
import { changesToAllowed } from "./explain/allowed-request.ts";
import { approvalAdvice } from "./explain/approval-advice.ts";
import type { State } from "./explain/candidates.ts";
import { type Edit, edited, textsIn, valueAt } from "./explain/edit.ts";
import { Explainer, planProbes, type Step, type Told } from "./explain/explainer.ts";
import { asHostsFind, forgesApproval } from "./explain/host-facts.ts";
import { Places } from "./explain/places.ts";
import { Probes } from "./explain/probes.ts";
import { reachedFiles } from "./explain/reached-files.ts";
import { regoAnswers } from "./explain/rego-evaluator.ts";
import { RegoIndex } from "./explain/rego-index.ts";
import { type Asked, remediesOf } from "./explain/remedies.ts";
import { type Remedy, remedyOf } from "./explain/remedy-words.ts";
import { hostDataPolicy, type RegoProblem, regoOf, schemasByName } from "./host-data-policy.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { policyTables } from "./policy-ids.ts";
import { requestsTo } from "./search/questions.ts";

/** The question whose answer is to be explained. */
export interface ExplainRequest {
  /** `pkg/rule`, one of the policy's. */
  readonly entrypoint: string;
  /** The input as JSON. Absent: the decision gets no input. */
  readonly inputJson?: string | undefined;
  /** Host data, outside the bundle's roots; the policy is set to it. */
  readonly hostData?: JsonObject | undefined;
}

const REQUEST: TableOf<ExplainRequest> = { entrypoint: "string", inputJson: "string?", hostData: "object?" };

/** An answer with its reasons: the branches that were tried, what they read, and what would allow. */
export interface Explanation extends Told {
  /** The entrypoint's answer; `undefined` when it has no value. */
  readonly decision: unknown;
  /** What would allow: found where it was asked for, and the decision denies. */
  readonly remedies: Remedies;
  /** What the gates read of the policy, in the author's words and at the author's place. */
  readonly places: Places;
  /** The bundle's data with the host's. */
  readonly data: JsonObject;
}

/** The smallest changes that were found, each tried: of the request alone, and of the policy alone. */
export interface Remedies {
  readonly request: readonly Remedy[];
  readonly policy: readonly Remedy[];
  /** For a call that needs a bound approval, or has one that does not hold: what to do, in sentences without a period. */
  readonly approval: readonly string[];
}

/** Remedies of each kind that are shown. */
const MOST_REMEDIES = 3;
const NONE: Remedies = { request: [], policy: [], approval: [] };

/** Explains answers of one entrypoint. Rejects with SyntaxError for text that is not JSON. */
export type ExplainInput = (
  inputJson?: string,
  options?: { readonly remedies?: boolean },
) => Promise<Result<Explanation, RegoProblem | "evaluation-failed" | "module-differs">>;

/** Why nothing can be explained. */
export type ExplainProblem = RegoProblem | "no-entrypoint" | "evaluation-failed" | "module-differs";

/**
 * Asks the Rego of a bundle condition by condition which branch of which rule gave an answer, and why those before it did not.
 * That the Rego answers as the bundle's module does is checked first.
 *
 * Cost: plans the rules that the entrypoint reaches, with a few rules for every condition; a tenth of a second. Only where
 * they ask over a network are they compiled to a module, which takes ten times longer. To explain many inputs, prepare once. Rejects with SyntaxError for an `inputJson` that is not JSON, and with TypeError for an option that is unknown or of another
 * type.
 */
export async function explain(
  opened: OpenedPolicy,
  request: ExplainRequest,
): Promise<Result<Explanation, ExplainProblem>> {
  holdOptions(request, REQUEST);
  const { entrypoint, inputJson, hostData } = request;
  const prepared = await prepareExplain(opened, entrypoint, hostData);
  return prepared.ok ? prepared.value(inputJson, { remedies: true }) : prepared;
}

/** Prepares the probes of one entrypoint, to explain any number of its answers. */
export async function prepareExplain(
  opened: OpenedPolicy,
  entrypoint: string,
  hostData?: JsonObject,
): Promise<Result<ExplainInput, RegoProblem | "no-entrypoint">> {
  const { policy } = opened;
  if (!policy.entrypoints.includes(entrypoint)) {
    const known = policy.entrypoints.map((e) => `\`${e}\``).join(", ");
    const help = didYouMean(entrypoint, policy.entrypoints).help ?? `it has ${known}`;
    return failure("no-entrypoint", `no entrypoint \`${entrypoint}\` in \`${opened.name}\``, help);
  }
  if (hostData !== undefined) policy.setData(hostData);
  const sources = regoOf(opened);
  if (!sources.ok) return sources;
  const index = new RegoIndex(reachedFiles(sources.value, entrypoint));
  const probes = new Probes(sources.value);
  const plan = planProbes(index, entrypoint, probes);
  // The bundle's data wins over the host's.
  const data = merge(hostData ?? {}, opened.data);
  const ensure = [entrypoint, ...probes.files.map((f) => f.name), ...plan.rules];
  const answers = await regoAnswers(opened, [...index.modules, ...probes.modules], ensure);
  const dataValue = exactData({ data, files: opened.files });
  let compiled: Promise<Result<Policy, RegoProblem>> | undefined;

  const places = new Places(opened.files);
  const kind = /^portcullis\/(\w+)\/decision$/.exec(entrypoint)?.[1] ?? "";
  const schema = schemasByName().get(kind);
  const isDenied = (decision: unknown): boolean => isJsonObject(decision) && decision["allowed"] === false;
  /** By evaluation of the same Rego under other documents; requests alone by the module itself. */
  const remedies = (asking: PlannedAnswers, start: State, steps: readonly Step[], decision: unknown): Remedies => {
    const about = (state: State): Asked | undefined =>
      unlessNotKnown(() => {
        const input = asHostsFind(start.input, state.input);
        const other = state.data === data ? data : asOtherPolicy(state.data);
        const ask = asking.under(valueOfJson(input), other === data ? dataValue : valueOfJson(other));
        const found = other === data ? policy.evaluate(entrypoint, input) : ask(entrypoint);
        const documents = { input, data: other };
        const answer: Ask = (name) => (asking.entrypoints.has(name) ? ask(name) : undefined);
        const isAsked = (name: string): boolean => asking.entrypoints.has(name);
        return {
          decision: found,
          steps: () => new Explainer(index, { ...plan, isAsked }, answer, documents).explain(entrypoint).steps,
        };
      });
    const of = (document: Edit["document"], most?: number): Edit[][] =>
      unlessNotKnown(() => remediesOf(start, { decision, steps: () => steps }, about, document, schema, most)) ?? [];
    const told = (found: readonly Edit[][]): Remedy[] =>
      found
        .filter((edits) => !edits.some((edit) => forgesApproval(edit, start.input)))
        .slice(0, MOST_REMEDIES)
        .map((edits) => remedyOf(edits, start, places));
    const lacking = fromAllowed(start.input);
    const request = lacking.length === 0 ? of("input") : of("input", lacking.length);
    return {
      request: told(request.length > 0 || lacking.length === 0 ? request : [lacking]),
      policy: told(of("data")),
      approval: approvalAdvice(
        decision,
        start.input,
        policyTables(data) ?? {},
        (asked) => policy.evaluate(entrypoint, asked),
        Date.now(),
      ),
    };
  };
  /** What the request lacks of one that is allowed: a bound for the search, and the answer where much is missing. */
  const fromAllowed = (input: unknown): Edit[] => {
    const tables = policyTables(data);
    if (tables === undefined) return [];
    const isAllowed = (request: unknown): boolean =>
      answerOf(policy.evaluate(entrypoint, asHostsFind(input, request))).allowed;
    const candidates = requestsTo(kind, tables, new Set(textsIn(input)), isAllowed);
    return changesToAllowed(input, candidates, isAllowed);
  };

  return success(async (inputJson, options = {}) => {
    const input: unknown = inputJson === undefined ? undefined : JSON.parse(inputJson);
    const decision = evaluate(policy, entrypoint, inputJson);
    if (policy.lastFault !== undefined) {
      const why = policy.lastFault.message;
      return failure("evaluation-failed", `the evaluation failed, which no rule decided: ${why}`);
    }
    const told = (ask: Ask, known: ReadonlySet<string>): Told | undefined => {
      const isAsked = (name: string): boolean => known.has(name);
      const answer: Ask = (name) => (isAsked(name) ? ask(name) : undefined);
      if (!isJsonEqual(answer(entrypoint), decision)) return undefined;
      const { decidedBy, steps } = new Explainer(index, { ...plan, isAsked }, answer, { input, data }).explain(
        entrypoint,
      );
      return {
        decidedBy,
        steps: steps.map((step) => withSentence(step, kind, decision, input, { data, files: opened.files })),
      };
    };
    const evaluator = answers?.();
    const planned =
      evaluator &&
      unlessNotKnown(() =>
        told(
          evaluator.under(inputJson === undefined ? undefined : exactValue(writtenInput(inputJson)), dataValue),
          evaluator.entrypoints,
        ),
      );
    if (planned !== undefined && evaluator !== undefined) {
      const asked = options.remedies === true && isDenied(decision);
      const found = asked ? remedies(evaluator, { input: input ?? {}, data }, planned.steps, decision) : NONE;
      return success({ decision, ...planned, remedies: found, places, data });
    }
    compiled ??= hostDataPolicy(opened, { extra: probes.files, ensure, data });
    const asking = await compiled;
    if (!asking.ok) return asking;
    const found = told((name) => evaluate(asking.value, name, inputJson), new Set(asking.value.entrypoints));
    if (found !== undefined) return success({ decision, ...found, remedies: NONE, places, data });
    return failure(
      "module-differs",
      `the module in \`${opened.name}\` does not answer as the Rego beside it, so that explains nothing`,
      "build the bundle again; `portcullis verify` tells whether a signed one was changed",
    );
  });
}

/** The data that decides, and the bundle's files, which have every digit of it. */
type Decided = Pick<OpenedPolicy, "data" | "files">;

/** `asked`: the decision that is explained. A module that it asks for a part of its answer speaks of its gates. */
function withSentence(step: Step, asked: string, decision: unknown, input: unknown, { data, files }: Decided): Step {
  const { rule, isGate, status, gate, reason } = step;
  const kind =
    DECISION_KINDS.find((name) => rule.startsWith(`data.portcullis.${name}.`)) ??
    (rule.startsWith("data.portcullis.") ? DECISION_KINDS.find((name) => name === asked) : undefined);
  if (!isGate || status !== "failed" || kind === undefined || gate === undefined || reason === undefined) return step;
  const says = denialSentence(kind, { gate, reason }, decision, input);
  if (says === undefined) return step;
  const may =
    argumentOf(decision, input, { data, files }) ?? limitOf(decision, data) ?? approvalOf(decision, input, data);
  return { ...step, says: may === undefined ? says : `${says}; ${may}` };
}

/** What the argument may be that a denial names. */
function argumentOf(decision: unknown, input: unknown, { data, files }: Decided): string | undefined {
  const [{ argument }, { tool }] = [decision, input].map((of) => (isJsonObject(of) ? of : {})) as [
    JsonObject,
    JsonObject,
  ];
  if (typeof argument !== "string" || typeof tool !== "string") return undefined;
  return wordsOfArgument(policyTables(writtenData({ data, files })), tool, argument);
}

/** What the limit says that a denial names. */
function limitOf(decision: unknown, data: JsonObject): string | undefined {
  const limit = isJsonObject(decision) ? decision["limit"] : undefined;
  return typeof limit === "string" ? wordsOfLimit(policyTables(data), limit) : undefined;
}

/** Which approval the tool needs, where a denial asks for one. */
function approvalOf(decision: unknown, input: unknown, data: JsonObject): string | undefined {
  const [asked, tool] = [valueAt(decision, ["approval"]), valueAt(input, ["tool"])];
  return asked === undefined || typeof tool !== "string" ? undefined : wordsOfApproval(policyTables(data), tool);
}

/** A policy that says something else is another one: approvals that were given under this do not hold. */
function asOtherPolicy(data: unknown): unknown {
  const path = ["portcullis", "policy", "approval_revision"];
  return valueAt(data, path) === undefined ? data : edited(data, path, "another");
}

function unlessNotKnown<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}

function evaluate(policy: Policy, entrypoint: string, inputJson: string | undefined): unknown {
  return inputJson === undefined ? policy.evaluate(entrypoint, undefined) : policy.evaluateJson(entrypoint, inputJson);
}
