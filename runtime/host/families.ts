/**
 * Which family of `@portcullis/builtins` supplies a builtin: the names alone, so that a compiler can choose between native
 * and host, and `load` can say what to import. A test holds this table against the families themselves.
 */

import type { HostSources } from "./builtin.ts";

/** Supplied always: their answers follow from their operands. */
const deterministic = {
  aws: ["providers.aws.sign_req"],
  crypto: [
    "crypto.hmac.equal",
    "crypto.hmac.md5",
    "crypto.hmac.sha1",
    "crypto.hmac.sha256",
    "crypto.hmac.sha512",
    "crypto.md5",
    "crypto.sha1",
    "crypto.sha256",
  ],
  graphql: [
    "graphql.is_valid",
    "graphql.parse",
    "graphql.parse_and_verify",
    "graphql.parse_query",
    "graphql.parse_schema",
    "graphql.schema_is_valid",
  ],
  jsonschema: ["json.match_schema", "json.verify_schema"],
  jwt: [
    "io.jwt.decode",
    "io.jwt.decode_verify",
    "io.jwt.encode_sign",
    "io.jwt.encode_sign_raw",
    "io.jwt.verify_eddsa",
    "io.jwt.verify_es256",
    "io.jwt.verify_es384",
    "io.jwt.verify_es512",
    "io.jwt.verify_hs256",
    "io.jwt.verify_hs384",
    "io.jwt.verify_hs512",
    "io.jwt.verify_ps256",
    "io.jwt.verify_ps384",
    "io.jwt.verify_ps512",
    "io.jwt.verify_rs256",
    "io.jwt.verify_rs384",
    "io.jwt.verify_rs512",
  ],
  template: ["strings.render_template"],
  time: [
    "time.add_date",
    "time.clock",
    "time.date",
    "time.diff",
    "time.format",
    "time.parse_duration_ns",
    "time.parse_ns",
    "time.parse_rfc3339_ns",
    "time.weekday",
  ],
  uri: ["uri.is_valid", "uri.parse"],
  x509: [
    "crypto.parse_private_keys",
    "crypto.x509.parse_and_verify_certificates",
    "crypto.x509.parse_and_verify_certificates_with_options",
    "crypto.x509.parse_certificate_request",
    "crypto.x509.parse_certificates",
    "crypto.x509.parse_keypair",
    "crypto.x509.parse_rsa_private_key",
  ],
  yaml: ["yaml.is_valid", "yaml.marshal", "yaml.unmarshal"],
} as const;

/** Supplied where the host hands over their source. */
const sourced = {
  "opa.runtime": { family: "opa", source: "runtime" },
  "rand.intn": { family: "random", source: "random" },
  "time.now_ns": { family: "time", source: "now" },
  "uuid.rfc4122": { family: "random", source: "random" },
} as const satisfies Record<string, { family: string; source: keyof HostSources }>;

/** Where a builtin comes from, for the message of one that is missing. */
export interface Supplier {
  /** `jwt` of `@portcullis/builtins/jwt`. */
  readonly family: string;
  /** Members of `sources` that `load` needs as well. */
  readonly source?: keyof HostSources;
}

/** By builtin. */
export const suppliers: ReadonlyMap<string, Supplier> = new Map<string, Supplier>([
  ...Object.entries(deterministic).flatMap(([family, names]) => names.map((name) => [name, { family }] as const)),
  ...Object.entries(sourced),
]);

/** Builtins that every host can supply, whatever its sources. */
export const hostBuiltinNames: ReadonlySet<string> = new Set(Object.values(deterministic).flat());
