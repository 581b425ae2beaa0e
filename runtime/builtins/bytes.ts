/**
 * Bytes as text and back, as strict as Go's decoders: nothing is skipped but what they skip. By hand, because the decoders of
 * the platform (`atob`, `Buffer`) skip more.
 */

/**
 * Half of a surrogate pair. A string of Rego that is not UTF-8 has one for each byte that begins no character, U+DC80 to U+DCFF,
 * and nothing else has any (runtime/host/bytes.ts, which is not imported for the size of bundles).
 */
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes of a text; a string of Rego that is not UTF-8 has those that it was made of. */
export function utf8(text: string): Uint8Array {
  return text.search(HALF) >= 0 ? bytesOf(text) : encoder.encode(text);
}

function bytesOf(text: string): Uint8Array {
  const out = new Uint8Array(text.length * 3);
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (code >= 0xdc80 && code <= 0xdcff) out[at++] = code & 0xff;
    else at += encoder.encodeInto(character, out.subarray(at)).written;
  }
  return out.subarray(0, at);
}

/** The string of Rego that bytes are: the inverse of `utf8`, whatever the bytes. */
export function fromBytes(bytes: Uint8Array): string {
  const text = fromStrictUtf8(bytes);
  if (text !== undefined) return text;
  let out = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((n) => fromStrictUtf8(bytes.subarray(at, at + n)) !== undefined) ?? 0;
    out +=
      length === 0
        ? String.fromCharCode(0xdc00 + (bytes[at] as number))
        : decoder.decode(bytes.subarray(at, at + length));
    at += length || 1;
  }
  return out;
}

/** The text of UTF-8 bytes; each byte that begins no character becomes U+FFFD, as in Go. */
export function fromUtf8(bytes: Uint8Array): string {
  return fromBytes(bytes).replace(HALF, "\ufffd");
}

/** The text of UTF-8 bytes; undefined when they are not UTF-8. */
export function fromStrictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function hex(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += byte.toString(16).padStart(2, "0");
  return out;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Compares without a branch on the content; only the lengths show in the time it takes. */
export function equalSecret(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}

export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${hex(bytes)}`);
}

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** Big-endian bytes, padded to `length`; the value must fit. */
export function fromBigInt(value: bigint, length: number): Uint8Array {
  const out = new Uint8Array(length);
  const digits = value.toString(16).padStart(length * 2, "0");
  for (let i = 0; i < length; i++) out[i] = Number.parseInt(digits.slice(i * 2, i * 2 + 2), 16);
  return out;
}

const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const urlSafe = standard.replace("+/", "-_");

function encode64(bytes: Uint8Array, alphabet: string, padding: string): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const rest = bytes.length - i;
    const group = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    out += (alphabet[group >> 18] as string) + (alphabet[(group >> 12) & 63] as string);
    out += rest > 1 ? alphabet[(group >> 6) & 63] : padding;
    out += rest > 2 ? alphabet[group & 63] : padding;
  }
  return out;
}

export const base64 = (bytes: Uint8Array): string => encode64(bytes, standard, "=");
export const base64Url = (bytes: Uint8Array): string => encode64(bytes, urlSafe, "");

function decodeTable(alphabet: string): Int8Array {
  const table = new Int8Array(128).fill(-1);
  for (let i = 0; i < 64; i++) table[alphabet.charCodeAt(i)] = i;
  return table;
}

const standardTable = decodeTable(standard);
const urlTable = decodeTable(urlSafe);

/** Line breaks are skipped anywhere; padding must be exact. */
function decode64(text: string, table: Int8Array): Uint8Array | undefined {
  let body = text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]/g, "") : text;
  if (body.length % 4 !== 0) return undefined;
  if (body.endsWith("==")) body = body.slice(0, -2);
  else if (body.endsWith("=")) body = body.slice(0, -1);
  if (body.length % 4 === 1) return undefined;
  const out = new Uint8Array(Math.floor((body.length * 3) / 4));
  let at = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < body.length; i++) {
    const code = body.charCodeAt(i);
    const value = code < 128 ? (table[code] as number) : -1;
    if (value < 0) return undefined;
    bits = (bits << 6) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out[at++] = bits >> held;
      bits &= (1 << held) - 1;
    }
  }
  return out;
}

/** Standard base64 with padding. */
export const fromBase64 = (text: string): Uint8Array | undefined => decode64(text, standardTable);

/**
 * URL-safe base64. Padding is completed by the length of the whole text if it is missing, so that a line break, which
 * is skipped, can still make the text malformed: that is how OPA reads it.
 */
export function fromBase64Url(text: string): Uint8Array | undefined {
  const missing = text.endsWith("=") ? 0 : (4 - (text.length % 4)) % 4;
  return missing === 3 ? undefined : decode64(text + "=".repeat(missing), urlTable);
}
