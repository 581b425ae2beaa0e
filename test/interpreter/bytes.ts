/** Strings that are not UTF-8, for the reference interpreter: a byte that begins no character is U+DC80 to U+DCFF. */

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function isText(s: string): boolean {
  return !/\p{Surrogate}/u.test(s);
}

export function toBytes(s: string): Buffer {
  if (isText(s)) return Buffer.from(s, "utf8");
  return Buffer.concat(
    [...s].map((c) => (isText(c) ? Buffer.from(c, "utf8") : Buffer.of((c.codePointAt(0) as number) & 0xff))),
  );
}

/** Character by character: the shortest run of bytes that is one, or else a byte. */
export function fromBytes(bytes: Uint8Array): string {
  let out = "";
  for (let at = 0; at < bytes.length; ) {
    const [length, c] = characterAt(bytes, at);
    out += c;
    at += length;
  }
  return out;
}

function characterAt(bytes: Uint8Array, at: number): [number, string] {
  for (let n = 1; n <= 4 && at + n <= bytes.length; n++) {
    try {
      return [n, strict.decode(bytes.subarray(at, at + n))];
    } catch {
      // Longer, or no character.
    }
  }
  return [1, String.fromCharCode(0xdc00 | (bytes[at] as number))];
}

/** One character for each byte, so that operations on texts are operations on bytes. */
export const latin = (s: string): string => toBytes(s).toString("latin1");
export const fromLatin = (s: string): string => fromBytes(Buffer.from(s, "latin1"));

/** What Go makes of `[]rune(s)`: each byte that is not a character is U+FFFD. */
export const runes = (s: string): string => s.replace(/\p{Surrogate}/gu, "\ufffd");
