/**
 * AuthZEN's evaluation API: https://openid.net/specs/authorization-api-1_0.html. What a request means is the policy's, in
 * Rego: an entrypoint, the library's adapter or an author's own rule, takes the request and gives `{decision, context?}`.
 */

import { isJsonObject } from "@portcullis/documents";
import type { Policy } from "@portcullis/runtime";
import { type Answer, problem } from "./answer.ts";
import type { Calls } from "./call-history.ts";
import { GoMap, goJson } from "./go-json.ts";
import { forgedFacts } from "./host-facts.ts";
import { type Part, partsOf } from "./member-text.ts";

const SEMANTICS: readonly unknown[] = ["execute_all", "deny_on_first_deny", "permit_on_first_permit"];
const MOST_EVALUATIONS = 1000;
/** Most characters of a list's requests as they are decided: each repeats what they share, and other clients wait meanwhile. */
const MOST_CHARACTERS = 8 << 20;

type JsonObject = { readonly [key: string]: unknown };

/** What answers evaluations, and the calls of this answer. */
export interface Evaluating {
  readonly policy: Policy;
  readonly entrypoint: string;
  readonly calls: Calls;
}

/** `POST /access/v1/evaluation`. */
export async function answerEvaluation(by: Evaluating, body: string): Promise<Answer> {
  const request = requestOf(by, body);
  if ("answer" in request) return request.answer;
  return { status: 200, body: goJson(new GoMap(await decide(by, body))) };
}

/** `POST /access/v1/evaluations`: a list, whose members say what differs from the request's own. */
export async function answerEvaluations(by: Evaluating, body: string): Promise<Answer> {
  const request = requestOf(by, body);
  if ("answer" in request) return request.answer;
  const { evaluations, options } = request.value;
  if (evaluations === undefined) return answerEvaluation(by, body);
  // As without a list (AuthZEN, 7.1). A client that asks whether all of no answers allow would find that they do.
  if (Array.isArray(evaluations) && evaluations.length === 0)
    return answerEvaluation(by, objectOf(sharedIn(partsOf(body))));
  if (!Array.isArray(evaluations) || evaluations.length > MOST_EVALUATIONS || !evaluations.every(isJsonObject))
    return malformed(`\`evaluations\` is a list of at most ${MOST_EVALUATIONS} objects`);
  const { evaluations_semantic: semantic = "execute_all" } = isJsonObject(options) ? options : {};
  if ((options !== undefined && !isJsonObject(options)) || !SEMANTICS.includes(semantic))
    return malformed(`\`options.evaluations_semantic\` is one of ${SEMANTICS.join(", ")}`);
  const requests = requestsIn(body);
  if (requests === undefined)
    return problem(413, "invalid_parameter", `the evaluations are longer than ${MOST_CHARACTERS} characters together`);
  // Before any is decided: what is not answered must not be counted.
  for (const text of requests) {
    const forged = forgedFacts(by.policy, text);
    if (forged !== undefined) return forged;
  }
  const decisions: JsonObject[] = [];
  for (const text of requests) {
    const decision = await decide(by, text);
    decisions.push(decision);
    const permitted = decision["decision"] === true;
    if (semantic === "deny_on_first_deny" && !permitted) break;
    if (semantic === "permit_on_first_permit" && permitted) break;
  }
  return { status: 200, body: goJson(new GoMap({ evaluations: decisions })) };
}

/**
 * The requests of a list as JSON text; `undefined` where they are too long together. A member of an evaluation stands in the place of
 * the one that all share: a text with both would be one that readers understand differently, which no approval is for.
 */
function requestsIn(body: string): readonly string[] | undefined {
  const members = partsOf(body);
  const shared = sharedIn(members);
  const list = members.filter(({ name }) => name === "evaluations").at(-1);
  const evaluations = partsOf(list?.text ?? "[]").map(({ text }) => partsOf(text));
  const length = (parts: typeof members): number => parts.reduce((sum, { whole }) => sum + whole.length + 1, 1);
  const ofShared = length(shared);
  if (evaluations.reduce((sum, own) => sum + ofShared + length(own), 0) > MOST_CHARACTERS) return undefined;
  return evaluations.map((own) => {
    const names = new Set(own.map(({ name }) => name));
    return objectOf([...shared.filter(({ name }) => !names.has(name)), ...own]);
  });
}

/** What a list's requests share. */
function sharedIn(members: readonly Part[]): Part[] {
  return members.filter(({ name }) => name !== "evaluations" && name !== "options");
}

function objectOf(members: readonly Part[]): string {
  return `{${members.map(({ whole }) => whole).join(",")}}`;
}

/** By its text: numbers keep every digit. Whatever is no answer in AuthZEN's form is a denial. */
async function decide({ policy, entrypoint, calls }: Evaluating, request: string): Promise<JsonObject> {
  const { value: answer, fault } = await calls.decide(policy, entrypoint, request);
  if (!isJsonObject(answer) || typeof answer["decision"] !== "boolean") return { decision: false };
  return fault === undefined ? answer : { ...answer, decision: false };
}

export function withoutEntrypoint(entrypoint: string): Answer {
  const way = "`adapters.authzen` of portcullis.yaml makes the library's, and `serve --authzen` names another";
  return problem(404, "resource_not_found", `the policy has no entrypoint \`${entrypoint}\`: ${way}`);
}

function requestOf(
  { policy, entrypoint }: Evaluating,
  body: string,
): { readonly value: JsonObject } | { readonly answer: Answer } {
  if (!policy.entrypoints.includes(entrypoint)) return { answer: withoutEntrypoint(entrypoint) };
  try {
    const value = JSON.parse(body) as unknown;
    // AuthZEN knows no such member, and its requests come from clients.
    const forged = forgedFacts(policy, body);
    if (forged !== undefined) return { answer: forged };
    return isJsonObject(value) ? { value } : { answer: malformed("the request is a JSON object") };
  } catch {
    return { answer: malformed("the request is no JSON") };
  }
}

export function malformed(message: string): Answer {
  return problem(400, "invalid_parameter", message);
}
