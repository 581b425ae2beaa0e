/** Texts that almost are another: other case, one character more or less, a prefix, white space, look-alikes of letters. */

/** Letters of other scripts that look the same. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "\u0430",
  c: "\u0441",
  e: "\u0435",
  o: "\u043e",
  p: "\u0440",
  x: "\u0445",
  y: "\u0443",
  i: "\u0456",
  A: "\u0410",
  B: "\u0412",
  C: "\u0421",
  E: "\u0415",
  R: "\u1587",
  L: "\u216c",
  "-": "\u2010",
  "/": "\u2215",
  ".": "\u2024",
  "1": "\u217c",
};

/** A letter of another script, or else as wide as an ideograph. */
function lookAlike(character: string): string {
  const code = character.codePointAt(0) as number;
  return LOOK_ALIKES[character] ?? (code > 0x20 && code < 0x7f ? String.fromCodePoint(code + 0xfee0) : character);
}

/** One more and one less: of a number, and of a list. */
export function neighbours(value: unknown): unknown[] {
  if (typeof value === "number") return [value - 1, value + 1];
  if (Array.isArray(value) && value.length > 0) return [value.slice(0, -1), [...value, value.at(-1)], [...value, "x"]];
  return [];
}

export function nearMisses(text: string): string[] {
  const near = [
    text.toUpperCase(),
    text.toLowerCase(),
    `${text} `,
    ` ${text}`,
    `${text}\n`,
    `${text}\u0000`,
    `${text}\u200b`,
    `\ufeff${text}`,
    text.slice(0, -1),
    text.slice(1),
    text.slice(0, Math.ceil(text.length / 2)),
    text + text.slice(-1),
    text.replaceAll("-", "_"),
    text.replaceAll("_", "-"),
    text.normalize("NFD"),
    text.normalize("NFKC"),
    [...text].map(lookAlike).join(""),
  ];
  return [...new Set(near)].filter((one) => one !== text);
}

/** Every character that is white space, U+FEFF, and some that only seem to be nothing. */
export const nothings = [...Array(0x3001).keys(), 0xfeff]
  .map((code) => String.fromCodePoint(code))
  .filter((one) => /[\p{White_Space}\uFEFF\u0000\u001c\u180e\u200b\u2060]/u.test(one));
