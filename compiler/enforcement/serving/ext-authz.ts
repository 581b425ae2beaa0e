/**
 * Envoy's external authorization: what a check asks the policy, in the form of OPA's plugin for Envoy, and what Envoy is told.
 * INVARIANT: Envoy hears "allowed" for a decision that allows, and for nothing else; any other answer is a denial to it.
 */

import { isJsonObject } from "@portcullis/documents";
import { FAULTS, type Fault, type Policy, strictJson } from "@portcullis/runtime";
import type { Answer } from "./answer.ts";
import type { Calls } from "./call-history.ts";

/** The library's adapter, which `adapters.envoy` of `portcullis.yaml` maps. */
const ENTRYPOINT = "portcullis/envoy/authz";
/** Stands for what was not UTF-8: what is behind Envoy would read something else. */
const REPLACED = "\uFFFD";
/** A byte order mark: some readers of JSON pass over it, and others refuse it. */
const MARK = "\uFEFF";
const VERSION = { encoding: "protojson", ext_authz: "v3" };

/** The request that Envoy holds back. */
export interface CheckedRequest {
  /** `attributes.request.http` of the check, with what else it has. */
  readonly http: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: { readonly [name: string]: string };
    readonly protocol?: string;
  };
  /** What else Envoy says, beside `request`. */
  readonly attributes?: object;
  /** The body, where Envoy sends it; `undefined` for one that is not UTF-8. */
  readonly body: string | undefined;
}

/** An answer of status 200 lets the request pass. */
export interface CheckAnswer extends Answer {
  /** For Envoy's own logs and filters. */
  readonly metadata?: { readonly [name: string]: string };
}

/** Decides one check. */
export async function answerCheck(policy: Policy, calls: Calls, checked: CheckedRequest): Promise<CheckAnswer> {
  const input = inputOf(checked);
  const { value, fault } = await calls.decide(policy, ENTRYPOINT, input);
  const verdict = isJsonObject(value) ? value : {};
  const told = verdict["dynamic_metadata"];
  const metadata = isJsonObject(told) ? textsOf(told) : {};
  if (fault === undefined && verdict["allowed"] === true) return { status: 200, body: "", metadata };
  if (verdict["allowed"] !== false) return denialOf(fault);
  const { http_status: status, headers, body } = verdict;
  return {
    status:
      Number.isInteger(status) && (status as number) >= 400 && (status as number) < 600 ? (status as number) : 403,
    body: typeof body === "string" ? body : "",
    headers: isJsonObject(headers) ? textsOf(headers) : {},
    metadata,
  };
}

/** Where the policy has no such entrypoint, or failed to answer. */
function denialOf(fault: Fault | undefined): CheckAnswer {
  const isStale = fault?.code === "stale";
  const metadata = { gate: FAULTS.lane.gate, reason: isStale ? "stale" : "no_decision" };
  return { status: isStale ? 503 : 403, body: JSON.stringify(metadata), metadata };
}

function inputOf({ http, attributes, body }: CheckedRequest): string {
  const { headers = {}, path = "" } = http;
  const isWhole = !isCut(headers, body);
  const text = JSON.stringify({
    attributes: { ...attributes, request: { http: body === "" ? http : { ...http, body } } },
    ...targetOf(path),
    truncated_body: !isWhole,
    version: VERSION,
  });
  const parsed = body !== undefined && isWhole && isOneJson(headers, body) ? `,"parsed_body":${body}` : "";
  return `${text.slice(0, -1)}${parsed}}`;
}

/** Whether there is more of the body: Envoy says so, or its length does. */
function isCut(headers: { readonly [name: string]: string }, body = ""): boolean {
  const { "x-envoy-auth-partial-body": partial, "content-length": length } = headers;
  return (
    (partial ?? "false") !== "false" ||
    (body !== "" && length !== undefined && !(Number(length) <= Buffer.byteLength(body)))
  );
}

/** Path and query as the plugin splits them; neither for what cannot be decoded. */
function targetOf(path: string): { readonly parsed_path?: readonly string[]; readonly parsed_query?: object } {
  const at = path.indexOf("?");
  try {
    const plain = decodeURIComponent(at < 0 ? path : path.slice(0, at));
    const query = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(at < 0 ? "" : path.slice(at)))
      query.set(name, [...(query.get(name) ?? []), value]);
    return { parsed_path: plain.replace(/^\/+/, "").split("/"), parsed_query: Object.fromEntries(query) };
  } catch {
    return {};
  }
}

/** One type, in the encoding that was read: another would be another text for what is behind Envoy. Other parameters change no text. */
const JSON_TYPE = /^application\/json\s*(?:;\s*(?:charset\s*=\s*(?:utf-8|"utf-8")|(?!charset)[\w.-]+=[\w.-]+)\s*)*$/i;

/** Whether all readers of this body find the same in it: JSON, not packed, without a name that stands twice. */
function isOneJson(headers: { readonly [name: string]: string }, body: string): boolean {
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = headers;
  if (!JSON_TYPE.test(type) || encoding !== "identity" || body.includes(REPLACED) || body.startsWith(MARK))
    return false;
  try {
    strictJson(body);
    return true;
  } catch {
    return false;
  }
}

function textsOf(value: Readonly<Record<string, unknown>>): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
