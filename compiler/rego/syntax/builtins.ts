/**
 * The catalogue of OPA's builtin functions: what each takes and gives, in the notation of `builtin-types.ts`. The facts are
 * those of `opa capabilities` of OPA 1.22; a test compares the two wherever an `opa` is installed. Whether and how a builtin can be evaluated is not told here:
 * the linker finds that out from the runtime library and the runtime.
 *
 * Flags: `infix S` (written with the sign S), `relation` (gives many results, one at a time), `nondeterministic`,
 * `deprecated` (Rego v1 refuses calls).
 */

import { type BuiltinType, type Declaration, parseDeclaration } from "./builtin-types.ts";

/** A builtin that policies may call. */
export interface Builtin extends Omit<Declaration, "flags"> {
  /** The sign with which it is written, of operators. */
  readonly infix: string | undefined;
  readonly relation: boolean;
  readonly nondeterministic: boolean;
  readonly deprecated: boolean;
  readonly result: BuiltinType | undefined;
}

const declarations = `
abs(x: number) -> number
all(array[any] | set[any]) -> boolean; deprecated
and(x: set[any], y: set[any]) -> set[any]; infix &
any(array[any] | set[any]) -> boolean; deprecated
array.concat(x: array[any], y: array[any]) -> array[any]
array.flatten(arr: array[any]) -> array[any]
array.reverse(arr: array[any]) -> array[any]
array.slice(arr: array[any], start: number, stop: number) -> array[any]
assign(any, any) -> boolean; infix :=
base64.decode(x: string) -> string
base64.encode(x: string) -> string
base64.is_valid(x: string) -> boolean
base64url.decode(x: string) -> string
base64url.encode(x: string) -> string
base64url.encode_no_pad(x: string) -> string
bits.and(x: number, y: number) -> number
bits.lsh(x: number, s: number) -> number
bits.negate(x: number) -> number
bits.or(x: number, y: number) -> number
bits.rsh(x: number, s: number) -> number
bits.xor(x: number, y: number) -> number
cast_array(any) -> array[any]; deprecated
cast_boolean(any) -> boolean; deprecated
cast_null(any) -> null; deprecated
cast_object(any) -> object[any: any]; deprecated
cast_set(any) -> set[any]; deprecated
cast_string(any) -> string; deprecated
ceil(x: number) -> number
concat(delimiter: string, collection: array[string] | set[string]) -> string
contains(haystack: string, needle: string) -> boolean
count(collection: string | array[any] | object[any: any] | set[any]) -> number
crypto.hmac.equal(mac1: string, mac2: string) -> boolean
crypto.hmac.md5(x: string, key: string) -> string
crypto.hmac.sha1(x: string, key: string) -> string
crypto.hmac.sha256(x: string, key: string) -> string
crypto.hmac.sha512(x: string, key: string) -> string
crypto.md5(x: string) -> string
crypto.parse_private_keys(keys: string) -> array[object[string: any]]
crypto.sha1(x: string) -> string
crypto.sha256(x: string) -> string
crypto.x509.parse_and_verify_certificates(certs: string) -> array<boolean, array[object[string: any]]>
crypto.x509.parse_and_verify_certificates_with_options(certs: string, options: object[string: any]) -> array<boolean, array[object[string: any]]>
crypto.x509.parse_certificate_request(csr: string) -> object[string: any]
crypto.x509.parse_certificates(certs: string) -> array[object[string: any]]
crypto.x509.parse_keypair(cert: string, pem: string) -> object[string: any]
crypto.x509.parse_rsa_private_key(pem: string) -> object[string: any]
div(x: number, y: number) -> number; infix /
endswith(search: string, base: string) -> boolean
eq(any, any) -> boolean; infix =
equal(x: any, y: any) -> boolean; infix ==
floor(x: number) -> number
format_int(number: number, base: number) -> string
glob.match(pattern: string, delimiters: null | array[string], match: string) -> boolean
glob.quote_meta(pattern: string) -> string
graph.reachable(graph: object[any: array[any] | set[any]], initial: array[any] | set[any]) -> set[any]
graph.reachable_paths(graph: object[any: array[any] | set[any]], initial: array[any] | set[any]) -> set[array[any]]
graphql.is_valid(query: string | object[any: any], schema: string | object[any: any]) -> boolean
graphql.parse(query: string | object[any: any], schema: string | object[any: any]) -> array<object[any: any], object[any: any]>
graphql.parse_and_verify(query: string | object[any: any], schema: string | object[any: any]) -> array<boolean, object[any: any], object[any: any]>
graphql.parse_query(query: string) -> object[any: any]
graphql.parse_schema(schema: string) -> object[any: any]
graphql.schema_is_valid(schema: string | object[any: any]) -> boolean
gt(x: any, y: any) -> boolean; infix >
gte(x: any, y: any) -> boolean; infix >=
hex.decode(x: string) -> string
hex.encode(x: string) -> string
http.send(request: object[string: any]) -> object[any: any]; nondeterministic
indexof(haystack: string, needle: string) -> number
indexof_n(haystack: string, needle: string) -> array[number]
internal.member_2(any, any) -> boolean; infix in
internal.member_3(any, any, any) -> boolean; infix in
internal.print(array[set[any]])
internal.template_string(array[any]) -> string
internal.test_case(array[any])
intersection(xs: set[set[any]]) -> set[any]
io.jwt.decode(jwt: string) -> array<object[any: any], object[any: any], string>
io.jwt.decode_verify(jwt: string, constraints: object[string: any]) -> array<boolean, object[any: any], object[any: any]>; nondeterministic
io.jwt.encode_sign(headers: object[string: any], payload: object[string: any], key: object[string: any]) -> string; nondeterministic
io.jwt.encode_sign_raw(headers: string, payload: string, key: string) -> string; nondeterministic
io.jwt.verify_eddsa(jwt: string, certificate: string) -> boolean
io.jwt.verify_es256(jwt: string, certificate: string) -> boolean
io.jwt.verify_es384(jwt: string, certificate: string) -> boolean
io.jwt.verify_es512(jwt: string, certificate: string) -> boolean
io.jwt.verify_hs256(jwt: string, secret: string) -> boolean
io.jwt.verify_hs384(jwt: string, secret: string) -> boolean
io.jwt.verify_hs512(jwt: string, secret: string) -> boolean
io.jwt.verify_ps256(jwt: string, certificate: string) -> boolean
io.jwt.verify_ps384(jwt: string, certificate: string) -> boolean
io.jwt.verify_ps512(jwt: string, certificate: string) -> boolean
io.jwt.verify_rs256(jwt: string, certificate: string) -> boolean
io.jwt.verify_rs384(jwt: string, certificate: string) -> boolean
io.jwt.verify_rs512(jwt: string, certificate: string) -> boolean
is_array(x: any) -> boolean
is_boolean(x: any) -> boolean
is_null(x: any) -> boolean
is_number(x: any) -> boolean
is_object(x: any) -> boolean
is_set(x: any) -> boolean
is_string(x: any) -> boolean
json.filter(object: object[any: any], paths: array[string | array[any]] | set[string | array[any]]) -> object[any: any]
json.is_valid(x: string) -> boolean
json.marshal(x: any) -> string
json.marshal_with_options(x: any, opts: object<indent: string, prefix: string, pretty: boolean, string: any>) -> string
json.match_schema(document: string | object[any: any], schema: string | object[any: any]) -> array<boolean, array[object<desc: string, error: string, field: string, type: string>]>
json.patch(target: any, patches: array[object<op: string, path: any, any: any>]) -> any
json.remove(object: object[any: any], paths: array[string | array[any]] | set[string | array[any]]) -> object[any: any]
json.unmarshal(x: string) -> any
json.verify_schema(schema: string | object[any: any]) -> array<boolean, null | string>
lower(x: string) -> string
lt(x: any, y: any) -> boolean; infix <
lte(x: any, y: any) -> boolean; infix <=
max(collection: array[any] | set[any]) -> any
min(collection: array[any] | set[any]) -> any
minus(x: number | set[any], y: number | set[any]) -> number | set[any]; infix -
mul(x: number, y: number) -> number; infix *
neq(x: any, y: any) -> boolean; infix !=
net.cidr_contains(cidr: string, cidr_or_ip: string) -> boolean
net.cidr_contains_matches(cidrs: string | array[string | array[any]] | object[string: string | array[any]] | set[string | array[any]], cidrs_or_ips: string | array[string | array[any]] | object[string: string | array[any]] | set[string | array[any]]) -> set[array<any, any>]
net.cidr_expand(cidr: string) -> set[string]
net.cidr_intersects(cidr1: string, cidr2: string) -> boolean
net.cidr_is_valid(cidr: string) -> boolean
net.cidr_merge(addrs: array[string] | set[string]) -> set[string]
net.cidr_overlap(string, string) -> boolean; deprecated
net.lookup_ip_addr(name: string) -> set[string]; nondeterministic
numbers.range(a: number, b: number) -> array[number]
numbers.range_step(a: number, b: number, step: number) -> array[number]
object.filter(object: object[any: any], keys: array[any] | object[any: any] | set[any]) -> object[any: any]
object.get(object: object[any: any], key: any, default: any) -> any
object.keys(object: object[any: any]) -> set[any]
object.remove(object: object[any: any], keys: array[any] | object[any: any] | set[any]) -> object[any: any]
object.subset(super: array[any] | object[any: any] | set[any], sub: array[any] | object[any: any] | set[any]) -> boolean
object.union(a: object[any: any], b: object[any: any]) -> object[any: any]
object.union_n(objects: array[object[any: any]]) -> object[any: any]
opa.runtime() -> object[string: any]; nondeterministic
or(x: set[any], y: set[any]) -> set[any]; infix |
plus(x: number, y: number) -> number; infix +
print(...any)
product(collection: array[number] | set[number]) -> number
providers.aws.sign_req(request: object[string: any], aws_config: object[string: any], time_ns: number) -> object[any: any]
rand.intn(str: string, n: number) -> number; nondeterministic
re_match(string, string) -> boolean; deprecated
regex.find_all_string_submatch_n(pattern: string, value: string, number: number) -> array[array[string]]
regex.find_n(pattern: string, value: string, number: number) -> array[string]
regex.globs_match(glob1: string, glob2: string) -> boolean
regex.is_valid(pattern: string) -> boolean
regex.match(pattern: string, value: string) -> boolean
regex.replace(s: string, pattern: string, value: string) -> string
regex.split(pattern: string, value: string) -> array[string]
regex.template_match(template: string, value: string, delimiter_start: string, delimiter_end: string) -> boolean
rego.metadata.chain() -> array[any]
rego.metadata.rule() -> any
rego.parse_module(filename: string, rego: string) -> object[string: any]
rem(x: number, y: number) -> number; infix %
replace(x: string, old: string, new: string) -> string
round(x: number) -> number
semver.compare(a: string, b: string) -> number
semver.is_valid(vsn: any) -> boolean
set_diff(set[any], set[any]) -> set[any]; deprecated
sort(collection: array[any] | set[any]) -> array[any]
split(x: string, delimiter: string) -> array[string]
sprintf(format: string, values: array[any]) -> string
startswith(search: string, base: string) -> boolean
strings.any_prefix_match(search: string | array[string] | set[string], base: string | array[string] | set[string]) -> boolean
strings.any_suffix_match(search: string | array[string] | set[string], base: string | array[string] | set[string]) -> boolean
strings.count(search: string, substring: string) -> number
strings.render_template(value: string, vars: object[string: any]) -> string
strings.replace_n(patterns: object[string: string], value: string) -> string
strings.reverse(x: string) -> string
strings.split_n(x: string, delimiter: string, n: number) -> array[string]
substring(value: string, offset: number, length: number) -> string
sum(collection: array[number] | set[number]) -> number
time.add_date(ns: number, years: number, months: number, days: number) -> number
time.clock(x: number | array<number, string>) -> array<number, number, number>
time.date(x: number | array<number, string>) -> array<number, number, number>
time.diff(ns1: number | array<number, string>, ns2: number | array<number, string>) -> array<number, number, number, number, number, number>
time.format(x: number | array<number, string> | array<number, string, string>) -> string
time.now_ns() -> number; nondeterministic
time.parse_duration_ns(duration: string) -> number
time.parse_ns(layout: string, value: string) -> number
time.parse_rfc3339_ns(value: string) -> number
time.weekday(x: number | array<number, string>) -> string
to_number(value: null | boolean | number | string) -> number
trace(note: string) -> boolean
trim(value: string, cutset: string) -> string
trim_left(value: string, cutset: string) -> string
trim_prefix(value: string, prefix: string) -> string
trim_right(value: string, cutset: string) -> string
trim_space(value: string) -> string
trim_suffix(value: string, suffix: string) -> string
type_name(x: any) -> string
union(xs: set[set[any]]) -> set[any]
units.parse(x: string) -> number
units.parse_bytes(x: string) -> number
upper(x: string) -> string
uri.is_valid(uri: string) -> boolean
uri.parse(uri: string) -> object[string: string]
urlquery.decode(x: string) -> string
urlquery.decode_object(x: string) -> object[string: array[string]]
urlquery.encode(x: string) -> string
urlquery.encode_object(object: object[string: string | array[string] | set[string]]) -> string
uuid.parse(uuid: string) -> object[string: any]
uuid.rfc4122(k: string) -> string; nondeterministic
walk(x: any) -> array<array[any], any>; relation
yaml.is_valid(x: string) -> boolean
yaml.marshal(x: any) -> string
yaml.unmarshal(x: string) -> any
`;

/** Builtins by name: OPA's, or those that a capabilities file lists. */
export type Builtins = ReadonlyMap<string, Builtin>;

let catalogue: Builtins | undefined;

/** All builtins by name, in the order of their names. Read on first use. */
export function builtins(): Builtins {
  catalogue ??= new Map(
    declarations
      .trim()
      .split("\n")
      .map((line): [string, Builtin] => {
        const { flags, ...declaration } = parseDeclaration(line);
        const infix = flags.find((flag) => flag.startsWith("infix "))?.slice("infix ".length);
        const has = (flag: string) => flags.includes(flag);
        const relation = has("relation");
        const nondeterministic = has("nondeterministic");
        return [declaration.name, { ...declaration, infix, relation, nondeterministic, deprecated: has("deprecated") }];
      }),
  );
  return catalogue;
}

export function builtin(name: string): Builtin | undefined {
  return builtins().get(name);
}
