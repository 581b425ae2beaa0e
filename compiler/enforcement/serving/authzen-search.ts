/**
 * AuthZEN's search API and its metadata: https://openid.net/specs/authorization-api-1_0.html#name-search-apis. For which roles,
 * tools or actions an evaluation would be allowed; the library's mapping alone says which there are. A search permits nothing:
 * it uses nothing up, and no listener hears of it.
 */

import { createHash } from "node:crypto";
import { isJsonObject } from "@portcullis/documents";
import type { FactHost, Policy, PolicyIds, SearchRequest } from "@portcullis/runtime";
import { type Answer, problem } from "./answer.ts";
import { malformed, withoutEntrypoint } from "./authzen.ts";
import { AUTHZEN, aside, Calls } from "./call-history.ts";
import { GoMap, goJson } from "./go-json.ts";
import { forgedFacts } from "./host-facts.ts";
import { type Part, partsOf } from "./member-text.ts";

const [EVALUATION, ASKED] = AUTHZEN;
const ACTIONS = "portcullis/authzen/actions";
/** Evaluations of one page at most, and characters of their requests together: other clients wait meanwhile. */
const MOST_ASKED = 1000;
const MOST_CHARACTERS = 8 << 20;

/** What a search finds. */
export type Sought = "subject" | "resource" | "action";

/** The member that an entity is known by. */
const ID: { readonly [sought in Sought]: string } = { subject: "id", resource: "id", action: "name" };

export function isSought(name: string | undefined): name is Sought {
  return name !== undefined && Object.hasOwn(ID, name);
}

/** What answers searches. */
export interface Searching {
  readonly policy: Policy;
  readonly entrypoint: string;
  readonly facts: FactHost;
}

interface Search {
  readonly sought: Sought;
  /** The members of the evaluation but for what is sought, and those of that but for its id. */
  readonly others: readonly Part[];
  readonly own: readonly Part[];
  /** The sought entity's `type`; an action has none. */
  readonly type: unknown;
  /** What the page begins behind, and how many it may have. */
  readonly after: string;
  readonly limit: number;
  /** Stands for the request without its token. */
  readonly digest: string;
}

/** Which searches a policy answers, in the order of the metadata. */
function searchesOf({ policy: { entrypoints }, entrypoint }: Pick<Searching, "policy" | "entrypoint">): Sought[] {
  if (entrypoint !== EVALUATION || !entrypoints.includes(EVALUATION) || !entrypoints.includes(ASKED)) return [];
  return ["subject", "resource", ...(entrypoints.includes(ACTIONS) ? (["action"] as const) : [])];
}

/** `GET /.well-known/authzen-configuration`, of a server that the client knows by this base URL. */
export function answerConfiguration(by: Pick<Searching, "policy" | "entrypoint">, base: string): Answer {
  if (!by.policy.entrypoints.includes(by.entrypoint)) return withoutEntrypoint(by.entrypoint);
  const searches = searchesOf(by).map((s) => [`search_${s}_endpoint`, `${base}/access/v1/search/${s}`] as const);
  const metadata = {
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}/access/v1/evaluation`,
    access_evaluations_endpoint: `${base}/access/v1/evaluations`,
    ...Object.fromEntries(searches),
  };
  // It repeats the name that the client has asked by.
  return { status: 200, body: goJson(new GoMap(metadata)), headers: { "Cache-Control": "no-store" } };
}

/** `POST /access/v1/search/<sought>`. */
export async function answerSearch(by: Searching, sought: Sought, body: string): Promise<Answer> {
  const { policy, entrypoint, facts } = by;
  if (!policy.entrypoints.includes(entrypoint)) return withoutEntrypoint(entrypoint);
  if (!searchesOf(by).includes(sought))
    return problem(404, "resource_not_found", `which ${sought}s there are is known of \`${EVALUATION}\` alone`);
  const search = searchOf(policy, sought, body);
  if ("status" in search) return search;
  const results: object[] = [];
  let last = search.after;
  let left = Math.max(1, Math.min(MOST_ASKED, Math.floor(MOST_CHARACTERS / body.length)));
  for (const id of candidates(policy, search)) {
    if (id <= search.after) continue;
    if (results.length >= search.limit || left-- === 0) return pageOf(results, search, last);
    if (await isAllowed(policy, facts, evaluationOf(search, id)))
      results.push(new GoMap({ type: search.type, [ID[sought]]: id }));
    last = id;
  }
  return pageOf(results, search, undefined);
}

/** What a call reserves is given back before the next one is asked about: it would count against it. */
async function isAllowed(policy: Policy, facts: FactHost, evaluation: string): Promise<boolean> {
  const calls = new Calls(facts, { aside: true });
  try {
    const { value, fault } = await calls.decide(policy, EVALUATION, evaluation);
    return isJsonObject(value) && value["decision"] === true && fault === undefined;
  } finally {
    await calls.undone();
  }
}

/** Sorted. An evaluation is allowed only where the tool decision is; what has no such answer is asked for nothing. */
function candidates(policy: Policy, search: Search): readonly string[] {
  if (search.sought === "action") {
    const actions = aside(policy, () => policy.evaluateJson(ACTIONS, "{}"));
    return Array.isArray(actions) ? actions.filter((name) => typeof name === "string").sort() : [];
  }
  const call = aside(policy, () => policy.evaluateJson(ASKED, evaluationOf(search, "")));
  if (!isJsonObject(call)) return [];
  // The whole call is asked about: rules of authors may read any member when a tool is decided.
  return policy.allowed(call as SearchRequest<PolicyIds>, search.sought === "subject" ? "role" : "tool", "tool");
}

/** The evaluation that asks about one id. Parts stand as they were written, so that numbers keep every digit. */
function evaluationOf({ sought, others, own }: Search, id: string): string {
  const entity = [...own.map(({ whole }) => whole), `"${ID[sought]}":${JSON.stringify(id)}`].join(",");
  return `{${[...others.map(({ whole }) => whole), `"${sought}":{${entity}}`].join(",")}}`;
}

function pageOf(results: readonly object[], search: Search, last: string | undefined): Answer {
  const isWhole = last === undefined && search.after === "";
  const token = last === undefined ? "" : Buffer.from(`${search.digest} ${last}`).toString("base64url");
  const page = isWhole ? {} : { page: new GoMap({ next_token: token, count: results.length }) };
  return { status: 200, body: goJson(new GoMap({ ...page, results })) };
}

/** The search, or the refusal of a body that is not one. */
function searchOf(policy: Policy, sought: Sought, body: string): Search | Answer {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return malformed("the request is no JSON");
  }
  if (!isJsonObject(request)) return malformed("the request is a JSON object");
  const forged = forgedFacts(policy, body);
  if (forged !== undefined) return forged;
  const { [sought]: entity, page = {} } = request;
  const { type } = isJsonObject(entity) ? entity : {};
  const isEntity = sought === "action" ? entity === undefined || isJsonObject(entity) : typeof type === "string";
  if (!isEntity) return malformed(`\`${sought}\` is an object${sought === "action" ? "" : " with a `type`"}`);
  const { token = "", limit = MOST_ASKED } = isJsonObject(page) ? page : { limit: -1 };
  if (typeof token !== "string" || !Number.isSafeInteger(limit) || (limit as number) < 0)
    return malformed("`page` is an object, its `limit` a whole number of zero or more, its `token` a text");
  const members = partsOf(body);
  const others = members.filter(({ name }) => name !== sought && name !== "page");
  // The last of two members with one name counts.
  const text = members.findLast(({ name }) => name === sought)?.text ?? "{}";
  const own = partsOf(text).filter(({ name }) => name !== ID[sought]);
  const written = [sought, limit, ...[...others, ...own].map(({ whole }) => whole)];
  const digest = createHash("sha256").update(JSON.stringify(written)).digest("base64url").slice(0, 22);
  const after = token === "" ? "" : idIn(token, digest);
  if (after === undefined) return malformed("`page.token` belongs to another request");
  return { sought, others, own, type: sought === "action" ? undefined : type, after, limit: limit as number, digest };
}

/** The id that a page begins behind; `undefined` for the token of another request. */
function idIn(token: string, digest: string): string | undefined {
  const text = Buffer.from(token, "base64url").toString();
  return text.startsWith(`${digest} `) ? text.slice(digest.length + 1) : undefined;
}
