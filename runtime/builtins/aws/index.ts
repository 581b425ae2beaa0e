/**
 * providers.aws.sign_req: Signature Version 4 of an HTTP request,
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 * By hand: AWS's own signers sign later, with WebCrypto, and other headers than OPA does.
 */

import { hmac } from "@noble/hashes/hmac.js";
import {
  compareStrings,
  type HostBuiltin,
  HostNumber,
  isObject,
  type JsonLike,
  type JsonObject,
  operandInt64,
  toJson,
} from "@portcullis/runtime/host";
import { hex, utf8 } from "../bytes.ts";
import { hashes } from "../crypto/hash.ts";
import { fail, family, need } from "../family.ts";
import { civilFromDays } from "../time/civil.ts";
import { type GoUrl, parseUrl } from "../url.ts";

/** Fields of a request: those that http.send knows. */
const requestFields = new Set<JsonLike>(
  (
    "method url body enable_redirect force_json_decode force_yaml_decode headers raw_body tls_use_system_certs " +
    "tls_ca_cert tls_ca_cert_file tls_ca_cert_env_variable tls_client_cert tls_client_cert_file " +
    "tls_client_cert_env_variable tls_client_key tls_client_key_file tls_client_key_env_variable " +
    "tls_insecure_skip_verify tls_server_name timeout cache force_cache force_cache_duration_seconds raise_error " +
    "caching_mode max_retry_attempts cache_ignored_headers"
  ).split(" "),
);

/** Headers that a proxy on the way may change. */
const unsignedHeaders = new Set(["authorization", "user-agent", "x-amzn-trace-id"]);

interface Scope {
  readonly service: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken: string;
  readonly signsPayload: boolean;
}

function requireObject(value: JsonLike | undefined): JsonObject {
  return isObject(value) ? value : fail("operand must be an object");
}

function requireText(from: JsonObject, name: string): string {
  const value = from.get(name);
  return typeof value === "string" ? value : fail(`${name} must be a string`);
}

function textOrEmpty(value: JsonLike | undefined): string {
  return typeof value === "string" ? value : "";
}

function readScope(config: JsonObject): Scope {
  const unsigned = config.get("disable_payload_signing");
  if (unsigned !== undefined && typeof unsigned !== "boolean") fail("disable_payload_signing must be a boolean");
  return {
    service: requireText(config, "aws_service"),
    region: requireText(config, "aws_region"),
    accessKey: requireText(config, "aws_access_key"),
    secretKey: requireText(config, "aws_secret_access_key"),
    sessionToken: textOrEmpty(config.get("aws_session_token")),
    signsPayload: unsigned !== true,
  };
}

/** `20150830T123600Z`. */
function timestamp(nanoseconds: bigint): string {
  const second = 1_000_000_000n;
  const fraction = ((nanoseconds % second) + second) % second;
  const seconds = Number((nanoseconds - fraction) / second);
  const days = Math.floor(seconds / 86400);
  const { year, month, day } = civilFromDays(days);
  const rest = seconds - days * 86400;
  const two = (n: number): string => String(n).padStart(2, "0");
  const clock = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60].map(two).join("");
  return `${String(year).padStart(4, "0")}${two(month)}${two(day)}T${clock}Z`;
}

function body(request: JsonObject): Uint8Array {
  const raw = request.get("raw_body");
  if (raw !== undefined) return utf8(textOrEmpty(raw));
  const value = request.get("body");
  return utf8(value === undefined ? "" : toJson(value, { html: true }));
}

const sha256 = (bytes: Uint8Array): string => hex(hashes.sha256(bytes));
const mac = (key: Uint8Array, message: string): Uint8Array => hmac(hashes.sha256, key, utf8(message));

interface Signed {
  readonly authorization: string;
  readonly headers: ReadonlyMap<string, string>;
}

function signV4(
  method: string,
  url: GoUrl,
  headers: ReadonlyMap<string, string>,
  payload: string,
  scope: Scope,
  now: string,
): Signed {
  const date = now.slice(0, 8);
  const added = new Map([
    ["host", url.host],
    ["x-amz-date", now],
  ]);
  if (scope.service === "s3" || scope.service === "glacier") added.set("x-amz-content-sha256", payload);
  if (scope.sessionToken !== "") added.set("x-amz-security-token", scope.sessionToken);
  const toSign = new Map(added);
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (!unsignedHeaders.has(lower)) toSign.set(lower, value);
  }
  const names = [...toSign.keys()].sort(compareStrings);
  const canonical = [
    method,
    url.escapedPath,
    url.rawQuery,
    ...names.map((name) => `${name}:${toSign.get(name)}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
  const path = `${date}/${scope.region}/${scope.service}/aws4_request`;
  const statement = ["AWS4-HMAC-SHA256", now, path, sha256(utf8(canonical))].join("\n");
  const signature = hex(mac(signingKey(scope, date), statement));
  const credential = `Credential=${scope.accessKey}/${path}`;
  return {
    authorization: `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names.join(";")},Signature=${signature}`,
    headers: added,
  };
}

function signingKey(scope: Scope, date: string): Uint8Array {
  return [date, scope.region, scope.service, "aws4_request"].reduce(mac, utf8(`AWS4${scope.secretKey}`));
}

const signRequest: HostBuiltin = ([requestValue, configValue, time]) => {
  const request = requireObject(requestValue);
  const scope = readScope(requireObject(configValue));
  const at = need(time instanceof HostNumber ? operandInt64(time.text) : undefined, "time must be an integer");
  for (const name of request.keys()) if (!requestFields.has(name)) fail("unknown field in a request");
  const url = need(parseUrl(requireText(request, "url")), "malformed URL");
  const method = requireText(request, "method");
  const given = request.has("headers") ? requireObject(request.get("headers")) : new Map<JsonLike, JsonLike>();
  const headers = new Map([...given].map(([name, value]) => [textOrEmpty(name), textOrEmpty(value)]));
  const payload = scope.signsPayload ? sha256(body(request)) : "UNSIGNED-PAYLOAD";
  const signed = signV4(method, url, headers, payload, scope, timestamp(at));
  const all = new Map<JsonLike, JsonLike>([...headers, ["Authorization", signed.authorization], ...signed.headers]);
  return new Map<JsonLike, JsonLike>([...request, ["headers", all]]);
};

export const aws = family(() => ({ "providers.aws.sign_req": signRequest }));
