/** What has succeeded of the calls that a server has allowed. It does not hear it otherwise, and limits of the policy wait for it. */

import { isJson, isJsonObject } from "@portcullis/documents";
import { entrypointOf, type FactHost, type Policy } from "@portcullis/runtime";
import { countSuccess } from "../state/index.ts";
import { type Answer, problem } from "./answer.ts";
import { malformed } from "./authzen.ts";
import { inSession, requestOf } from "./call-history.ts";
import { inputOfBody } from "./data-api.ts";
import { forgedFacts } from "./host-facts.ts";

export interface Succeeding {
  readonly policy: Policy;
  /** What takes AuthZEN's requests. */
  readonly authzen: string;
  readonly trustFacts: boolean | undefined;
  readonly host: FactHost;
}

const CALL = entrypointOf("call");
const DATA = `v1/data/${CALL}`;
const AUTHZEN = "access/v1/evaluation";

/** `POST /succeeded/<path>`: the body is the one that was asked at the path, and was answered with an allow. */
export async function answerSuccess(by: Succeeding, path: string, body: string): Promise<Answer> {
  const { policy, authzen, trustFacts, host } = by;
  if (path !== DATA && path !== AUTHZEN)
    return problem(404, "resource_not_found", `behind \`/succeeded\` stands \`/${DATA}\` or \`/${AUTHZEN}\``);
  if (host.history === undefined)
    return problem(404, "resource_not_found", "no history is kept here: start the server with `--history`");
  const isData = path === DATA;
  const given = isData ? inputOfBody(body) : isJson(body) ? { input: body } : malformed("the request is no JSON");
  if ("status" in given) return given;
  const { input = "null" } = given;
  const forged = isData && trustFacts === true ? undefined : forgedFacts(policy, input);
  if (forged !== undefined) return forged;
  const { facts, ...request } = requestOf(policy, isData ? CALL : authzen, input) ?? {};
  if (request["tool"] === undefined) return malformed("the request is for no call that is counted");
  try {
    await countSuccess(policy, request, inSession(host, isJsonObject(facts) ? facts : {}));
  } catch (error) {
    return problem(503, "internal_error", (error as Error).message);
  }
  return { status: 200, body: "{}\n" };
}
