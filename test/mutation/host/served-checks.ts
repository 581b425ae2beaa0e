/** Checks that Envoy makes: what lets a request pass, what it is told, and what the policy is asked. */

import { Calls } from "../../../compiler/enforcement/serving/call-history.ts";
import { answerCheck, type CheckAnswer, type CheckedRequest } from "../../../compiler/enforcement/serving/ext-authz.ts";
import { type Check, same } from "./check.ts";
import { answering } from "./served-policy.ts";

export function envoyChecks(): readonly Check[] {
  return [
    { what: "what lets a request of Envoy pass", run: passes },
    { what: "what Envoy is told of a denial", run: denials },
    { what: "paths and queries of Envoy's requests", run: targets },
    { what: "bodies of Envoy's requests", run: bodies },
  ];
}

const ENTRYPOINT = "portcullis/envoy/authz";
const REQUEST: CheckedRequest = { http: { method: "GET", path: "/a", headers: { a: "b" } }, body: undefined };

async function told(value: unknown, fault?: { readonly code: string }): Promise<CheckAnswer> {
  const policy = answering({ [ENTRYPOINT]: () => value }, { fault });
  return answerCheck(policy, new Calls({}), REQUEST);
}

async function passes(): Promise<void> {
  const metadata = { gate: "ALLOW", reason: "r", more: 1, none: null };
  same("an allow", await told({ allowed: true, dynamic_metadata: metadata }), {
    ...{ status: 200, body: "", metadata: { gate: "ALLOW", reason: "r" } },
  });
  same("without metadata", await told({ allowed: true }), { status: 200, body: "", metadata: {} });
  const none = (reason: string): object => ({ gate: "INTERNAL_ERROR", reason });
  const refused = (status: number, reason: string): object => ({
    ...{ status, body: JSON.stringify(none(reason)), metadata: none(reason) },
  });
  for (const odd of [undefined, null, true, "allowed", [], ["allowed"], {}, { allowed: 1 }, { allowed: "true" }])
    same(`no answer: ${JSON.stringify(odd)}`, await told(odd), refused(403, "no_decision"));
  same("after a fault", await told({ allowed: true }, { code: "limit" }), refused(403, "no_decision"));
  same("a stale policy", await told(undefined, { code: "stale" }), refused(503, "stale"));
  same("one that says otherwise", await told({ allowed: true }, { code: "stale" }), refused(503, "stale"));
}

async function denials(): Promise<void> {
  for (const [http_status, status] of [
    ...[400, 401, 429, 599].map((one) => [one, one] as const),
    ...[200, 302, 399, 600, 400.5, "401", null, undefined].map((one) => [one, 403] as const),
  ])
    same(`status ${http_status}`, await told({ allowed: false, http_status }), {
      ...{ status, body: "", headers: {}, metadata: {} },
    });
  const whole = { allowed: false, headers: { a: "b", c: 1 }, body: "no", dynamic_metadata: { gate: "G", n: 1 } };
  const said = { status: 403, body: "no", headers: { a: "b" }, metadata: { gate: "G" } };
  same("what it says", await told(whole), said);
  same("after a fault", await told(whole, { code: "limit" }), said);
  same("of other types", await told({ allowed: false, headers: "a", body: 1, dynamic_metadata: [] }), {
    ...{ status: 403, body: "", headers: {}, metadata: {} },
  });
}

async function asked(checked: CheckedRequest): Promise<Readonly<Record<string, unknown>>> {
  const policy = answering({ [ENTRYPOINT]: () => ({ allowed: true }) });
  await answerCheck(policy, new Calls({}), checked);
  return policy.asked[0]?.input as Readonly<Record<string, unknown>>;
}

async function targets(): Promise<void> {
  const version = { encoding: "protojson", ext_authz: "v3" };
  const http = { method: "GET", path: "/a/b%20c?x=1&y=2&x=3", headers: { a: "b" } };
  same("whole", await asked({ http, attributes: { source: 1 }, body: undefined }), {
    ...{ attributes: { source: 1, request: { http } }, parsed_path: ["a", "b c"] },
    ...{ parsed_query: { x: ["1", "3"], y: ["2"] }, truncated_body: false, version },
  });
  for (const [path, parsed_path, parsed_query] of [
    ["/", [""], {}],
    ["", [""], {}],
    ["//a//b", ["a", "", "b"], {}],
    ["/?q", [""], { q: [""] }],
    ["?q=1", [""], { q: ["1"] }],
    ["a/b?x=1", ["a", "b"], { x: ["1"] }],
    ["/a?b?c", ["a"], { "b?c": [""] }],
    ["/%zz", undefined, undefined],
  ] as const) {
    const input = await asked({ http: { path }, body: undefined });
    same(path, [input["parsed_path"], input["parsed_query"]], [parsed_path, parsed_query]);
  }
  same("no path", (await asked({ http: {}, body: undefined }))["parsed_path"], [""]);
}

async function bodies(): Promise<void> {
  const parsed = async (body: string | undefined, headers: Record<string, string>): Promise<readonly unknown[]> => {
    const input = await asked({ http: { path: "/", headers }, body });
    const { attributes, parsed_body, truncated_body } = input as {
      readonly attributes: { readonly request: { readonly http: { readonly body?: string } } };
      readonly parsed_body?: unknown;
      readonly truncated_body: unknown;
    };
    return [attributes.request.http.body, parsed_body, truncated_body];
  };
  const type = "content-type";
  const json = { [type]: "application/json" };
  const text = '{"a":[1]}';
  const value = { a: [1] };
  for (const sent of ["application/json", "Application/JSON; charset=utf-8", "application/json ;a=b"])
    same(sent, await parsed(text, { [type]: sent }), [text, value, false]);
  for (const sent of ["application/jsonl", "text/json", "x application/json", ""])
    same(sent, await parsed(text, { [type]: sent }), [text, undefined, false]);
  same("no type", await parsed(text, {}), [text, undefined, false]);
  same("packed", await parsed(text, { ...json, "content-encoding": "gzip" }), [text, undefined, false]);
  same("as it is", await parsed(text, { ...json, "content-encoding": "identity" }), [text, value, false]);
  same("a part", await parsed(text, { ...json, "x-envoy-auth-partial-body": "true" }), [text, undefined, true]);
  same("all of it", await parsed(text, { ...json, "x-envoy-auth-partial-body": "false" }), [text, value, false]);
  for (const length of ["10", "1e3", "x"])
    same(`of ${length} bytes`, await parsed(text, { ...json, "content-length": length }), [text, undefined, true]);
  for (const length of ["9", "8", ""])
    same(`of ${length} bytes`, await parsed(text, { ...json, "content-length": length }), [text, value, false]);
  same("of letters that take two", await parsed('{"é":1}', { ...json, "content-length": "8" }), [
    '{"é":1}',
    { é: 1 },
    false,
  ]);
  same("held back", await parsed("", { ...json, "content-length": "9" }), [undefined, undefined, false]);
  for (const odd of ['{"a":1,"a":2}', "{", '{"a":1}x', '{"a":"\uFFFD"}'])
    same(odd, await parsed(odd, json), [odd, undefined, false]);
  same("an empty one", await parsed("", json), [undefined, undefined, false]);
  same("none", await parsed(undefined, json), [undefined, undefined, false]);
}
