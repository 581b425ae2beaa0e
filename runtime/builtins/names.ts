/**
 * The names of the builtins that the host supplies, without the builtins: what a compiler needs to choose between
 * native and host, and to refuse what nobody supplies. A test holds this list against the builtins themselves.
 */

/** Supplied always: their answers follow from their operands. */
export const hostBuiltinNames: ReadonlySet<string> = new Set([
  "crypto.hmac.equal",
  "crypto.hmac.md5",
  "crypto.hmac.sha1",
  "crypto.hmac.sha256",
  "crypto.hmac.sha512",
  "crypto.md5",
  "crypto.parse_private_keys",
  "crypto.sha1",
  "crypto.sha256",
  "crypto.x509.parse_and_verify_certificates",
  "crypto.x509.parse_and_verify_certificates_with_options",
  "crypto.x509.parse_certificate_request",
  "crypto.x509.parse_certificates",
  "crypto.x509.parse_keypair",
  "crypto.x509.parse_rsa_private_key",
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
  "json.match_schema",
  "json.verify_schema",
  "providers.aws.sign_req",
  "time.add_date",
  "time.clock",
  "time.date",
  "time.diff",
  "time.format",
  "time.parse_duration_ns",
  "time.parse_ns",
  "time.parse_rfc3339_ns",
  "time.weekday",
  "yaml.is_valid",
  "yaml.marshal",
  "yaml.unmarshal",
]);

/** Supplied only by a host that hands over their source (see HostSources), by that source's name. */
export const sourcedBuiltinNames: ReadonlyMap<string, "now" | "random" | "runtime"> = new Map([
  ["time.now_ns", "now"],
  ["rand.intn", "random"],
  ["uuid.rfc4122", "random"],
  ["opa.runtime", "runtime"],
]);
