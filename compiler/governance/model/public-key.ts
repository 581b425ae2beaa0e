/**
 * A public key as text or JWK → the JWK of its members alone, which WebCrypto takes. Three kinds, as approvals are signed: ES256
 * (EC, P-256), EdDSA (OKP, Ed25519), RS256 (RSA, 2048 bits and more). Everything else is refused where the policy is compiled.
 */

/** INVARIANT: members are in base64url without padding, as short as their kind has them. */
export type PublicKey =
  | { readonly kty: "EC"; readonly crv: "P-256"; readonly x: string; readonly y: string }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string }
  | { readonly kty: "RSA"; readonly n: string; readonly e: string };

/** A key, or why it is refused: words behind "the key". */
export type KeyResult = PublicKey | { readonly problem: string };

const KINDS = "an ES256 (EC, P-256), EdDSA (OKP, Ed25519) or RS256 (RSA) key";
const FIELD_BYTES = 32;
const MIN_BITS = 2048;
/** What WebCrypto of every platform takes. */
const MAX_BITS = 16_384;

/** One block `PUBLIC KEY` of RFC 7468. */
export function keyOfPem(text: string): KeyResult {
  const [, label, content = ""] = /^\s*-----BEGIN ([A-Z0-9 ]+)-----([\w+/=\s]*)-----END \1-----\s*$/.exec(text) ?? [];
  if (label?.includes("PRIVATE KEY")) return PRIVATE;
  if (label !== "PUBLIC KEY") return { problem: "is no public key in PEM (`-----BEGIN PUBLIC KEY-----`), and no JWK" };
  const der = bytesOf(content.replace(/\s/g, "").replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"));
  const found = der && keyOfSpki(der);
  return found ?? { problem: `is not ${KINDS}` };
}

/** `members`: texts by name; others were refused before. */
export function keyOfJwk(members: ReadonlyMap<string, string>): KeyResult {
  const [kty, crv, alg, use] = ["kty", "crv", "alg", "use"].map((name) => members.get(name));
  if (members.has("d")) return PRIVATE;
  if (use !== undefined && use !== "sig")
    return { problem: `is for \`use: ${use}\`, and not for signatures (\`sig\`)` };
  const member = (name: string): Uint8Array => bytesOf(members.get(name) ?? "") ?? new Uint8Array();
  const named = (algorithm: string): boolean => alg === undefined || alg === algorithm;
  if (kty === "EC" && crv === "P-256" && named("ES256")) return curveKey(member("x"), member("y"));
  if (kty === "OKP" && crv === "Ed25519" && (named("EdDSA") || named("Ed25519"))) return edwardsKey(member("x"));
  if (kty === "RSA" && named("RS256")) return rsaKey(member("n"), member("e"));
  return { problem: `is not ${KINDS}` };
}

const PRIVATE: KeyResult = {
  problem: "is a private key, and a policy is read by many: replace the pair, and put the public key here",
};

/** SubjectPublicKeyInfo: https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.7 */
function keyOfSpki(der: Uint8Array): KeyResult | undefined {
  const [info, ...none] = elements(der) ?? [];
  const [algorithm, bits, ...more] = (info?.tag === SEQUENCE && elements(info.content)) || [];
  const isWhole = none.length === 0 && more.length === 0 && algorithm?.tag === SEQUENCE && bits?.tag === BIT_STRING;
  // A bit string begins with the number of bits that its last byte lacks.
  if (!isWhole || bits?.content[0] !== 0) return undefined;
  const key = bits.content.subarray(1);
  switch (hex(algorithm?.content ?? new Uint8Array())) {
    case EC_P256:
      return key[0] === 4 && key.length === 1 + 2 * FIELD_BYTES
        ? curveKey(key.subarray(1, 1 + FIELD_BYTES), key.subarray(1 + FIELD_BYTES))
        : undefined;
    case ED25519:
      return edwardsKey(key);
    case RSA: {
      const [sequence] = elements(key) ?? [];
      const [n, e, ...others] = (sequence?.tag === SEQUENCE && elements(sequence.content)) || [];
      if (n?.tag !== INTEGER || e?.tag !== INTEGER || others.length > 0) return undefined;
      return rsaKey(n.content, e.content);
    }
    default:
      return undefined;
  }
}

/** The content of an AlgorithmIdentifier, in hex: the object identifier, and its parameters. */
const EC_P256 = "06072a8648ce3d020106082a8648ce3d030107";
const ED25519 = "06032b6570";
const RSA = "06092a864886f70d0101010500";

const [SEQUENCE, INTEGER, BIT_STRING] = [0x30, 0x02, 0x03];

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The elements that DER bytes consist of; `undefined` where they do not. */
function elements(der: Uint8Array): Element[] | undefined {
  const found: Element[] = [];
  for (let at = 0; at < der.length; ) {
    const [tag = 0, first = 0] = der.subarray(at, at + 2);
    const more = first < 0x80 ? 0 : first - 0x80;
    if (more > 3) return undefined;
    const length = more === 0 ? first : der.subarray(at + 2, at + 2 + more).reduce((sum, b) => sum * 256 + b, 0);
    const start = at + 2 + more;
    at = start + length;
    if (at > der.length) return undefined;
    found.push({ tag, content: der.subarray(start, at) });
  }
  return found;
}

/** y² = x³ - 3x + b over the field of p: https://nvlpubs.nist.gov/nistpubs/SpecialPublications/NIST.SP.800-186.pdf, 3.2.1.3 */
function curveKey(x: Uint8Array, y: Uint8Array): KeyResult {
  const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
  const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
  const [px, py] = [number(x), number(y)];
  const isPoint = px < p && py < p && (py * py - (px * px * px - 3n * px + b)) % p === 0n;
  if (x.length !== FIELD_BYTES || y.length !== FIELD_BYTES || !isPoint) return { problem: "is no point of P-256" };
  return { kty: "EC", crv: "P-256", x: base64url(x), y: base64url(y) };
}

/** -x² + y² = 1 + d·x²·y² over the field of p: https://www.rfc-editor.org/rfc/rfc8032#section-5.1. Of x there is the sign alone. */
function edwardsKey(bytes: Uint8Array): KeyResult {
  if (bytes.length !== FIELD_BYTES) return { problem: "is no key of Ed25519, which has 32 bytes" };
  const p = 2n ** 255n - 19n;
  const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
  const y = number(Uint8Array.from(bytes).reverse()) % 2n ** 255n;
  const square = (y * y) % p;
  const isPoint = y < p && isSquare((square - 1n) * (d * square + 1n), p);
  // Three doublings make nothing of it: y is 0, 1 or -1, or that of its double is 0. Such a key verifies signatures without a secret behind them.
  const isSmall = square === 0n || square === 1n || (d * square * square + 2n * square - 1n) % p === 0n;
  if (!isPoint || isSmall) return { problem: "is no point of Ed25519, or one for which anybody can sign" };
  return { kty: "OKP", crv: "Ed25519", x: base64url(bytes) };
}

/** Euler's criterion, for an odd prime. */
function isSquare(value: bigint, prime: bigint): boolean {
  let [result, base] = [1n, value % prime];
  for (let left = (prime - 1n) / 2n; left > 0n; left >>= 1n, base = (base * base) % prime)
    if (left % 2n === 1n) result = (result * base) % prime;
  return result === 0n || result === 1n;
}

function rsaKey(n: Uint8Array, e: Uint8Array): KeyResult {
  const [modulus, exponent] = [number(n), number(e)];
  const bits = modulus.toString(2).length;
  if (bits < MIN_BITS) return { problem: `has ${modulus === 0n ? 0 : bits} bits, and ${MIN_BITS} are the least` };
  if (bits > MAX_BITS) return { problem: `has ${bits} bits, and ${MAX_BITS} are the most` };
  // An even modulus has a factor that everybody knows; with the exponent 1 every text signs itself.
  if (modulus % 2n === 0n || exponent % 2n === 0n || exponent < 3n) return { problem: "is no key of RSA" };
  return { kty: "RSA", n: base64url(bytesOfNumber(modulus)), e: base64url(bytesOfNumber(exponent)) };
}

function number(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${hex(bytes)}`);
}

function bytesOfNumber(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const even = digits.padStart(digits.length + (digits.length % 2), "0");
  return Uint8Array.from(even.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of base64url without padding; `undefined` for a text that is not exactly theirs. */
function bytesOf(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return base64url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
