/**
 * Characters that look like others: letters of other alphabets, typographic quotes, dashes and spaces. Those that people
 * meet when they copy from a document or type with another keyboard; after Unicode's list of confusables (UTS 39).
 */

const LETTERS: readonly (readonly [name: string, from: number, ascii: string])[] = [
  ["CYRILLIC", 0x0405, "S"],
  ["CYRILLIC", 0x0406, "I"],
  ["CYRILLIC", 0x0408, "J"],
  ["CYRILLIC", 0x0410, "A"],
  ["CYRILLIC", 0x0412, "B"],
  ["CYRILLIC", 0x0415, "E"],
  ["CYRILLIC", 0x041a, "K"],
  ["CYRILLIC", 0x041c, "M"],
  ["CYRILLIC", 0x041d, "H"],
  ["CYRILLIC", 0x041e, "O"],
  ["CYRILLIC", 0x0420, "P"],
  ["CYRILLIC", 0x0421, "C"],
  ["CYRILLIC", 0x0422, "T"],
  ["CYRILLIC", 0x0423, "Y"],
  ["CYRILLIC", 0x0425, "X"],
  ["CYRILLIC", 0x0430, "a"],
  ["CYRILLIC", 0x0435, "e"],
  ["CYRILLIC", 0x043e, "o"],
  ["CYRILLIC", 0x0440, "p"],
  ["CYRILLIC", 0x0441, "c"],
  ["CYRILLIC", 0x0443, "y"],
  ["CYRILLIC", 0x0445, "x"],
  ["CYRILLIC", 0x0455, "s"],
  ["CYRILLIC", 0x0456, "i"],
  ["CYRILLIC", 0x0458, "j"],
  ["GREEK", 0x0391, "A"],
  ["GREEK", 0x0392, "B"],
  ["GREEK", 0x0395, "E"],
  ["GREEK", 0x0396, "Z"],
  ["GREEK", 0x0397, "H"],
  ["GREEK", 0x0399, "I"],
  ["GREEK", 0x039a, "K"],
  ["GREEK", 0x039c, "M"],
  ["GREEK", 0x039d, "N"],
  ["GREEK", 0x039f, "O"],
  ["GREEK", 0x03a1, "P"],
  ["GREEK", 0x03a4, "T"],
  ["GREEK", 0x03a5, "Y"],
  ["GREEK", 0x03a7, "X"],
  ["GREEK", 0x03bf, "o"],
  ["GREEK", 0x03bd, "v"],
];

const SIGNS: readonly (readonly [name: string, code: number, ascii: string])[] = [
  ["NO-BREAK SPACE", 0x00a0, " "],
  ["EN QUAD", 0x2000, " "],
  ["EN SPACE", 0x2002, " "],
  ["EM SPACE", 0x2003, " "],
  ["THIN SPACE", 0x2009, " "],
  ["NARROW NO-BREAK SPACE", 0x202f, " "],
  ["IDEOGRAPHIC SPACE", 0x3000, " "],
  ["HYPHEN", 0x2010, "-"],
  ["NON-BREAKING HYPHEN", 0x2011, "-"],
  ["EN DASH", 0x2013, "-"],
  ["EM DASH", 0x2014, "-"],
  ["MINUS SIGN", 0x2212, "-"],
  ["LEFT SINGLE QUOTATION MARK", 0x2018, "'"],
  ["RIGHT SINGLE QUOTATION MARK", 0x2019, "'"],
  ["LEFT DOUBLE QUOTATION MARK", 0x201c, '"'],
  ["RIGHT DOUBLE QUOTATION MARK", 0x201d, '"'],
  ["DOUBLE LOW-9 QUOTATION MARK", 0x201e, '"'],
  ["ONE DOT LEADER", 0x2024, "."],
  ["GREEK QUESTION MARK", 0x037e, ";"],
];

export interface Confusable {
  /** `CYRILLIC letter (U+0420)`. */
  readonly name: string;
  /** What it looks like. */
  readonly ascii: string;
}

const KNOWN: ReadonlyMap<string, Confusable> = new Map([
  ...LETTERS.map(([script, code, ascii]) => known(`${script} letter`, code, ascii)),
  ...SIGNS.map(([name, code, ascii]) => known(name, code, ascii)),
]);

function known(name: string, code: number, ascii: string): [string, Confusable] {
  const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return [String.fromCodePoint(code), { name: `${name} (${point})`, ascii }];
}

export function confusable(character: string): Confusable | undefined {
  const found = KNOWN.get(character);
  if (found !== undefined) return found;
  const code = character.codePointAt(0) ?? 0;
  // The full-width forms of ASCII.
  return code > 0xff00 && code < 0xff5f
    ? known("FULLWIDTH form", code, String.fromCharCode(code - 0xfee0))[1]
    : undefined;
}

/** The text with each such character as what it looks like. */
export function lookalike(text: string): string {
  return [...text].map((c) => confusable(c)?.ascii ?? c).join("");
}

/**
 * The first character of a name that looks like one of ASCII and stands beside letters of ASCII. A name all in another
 * alphabet is what it looks like.
 */
export function mixedAlphabet(name: string): Confusable | undefined {
  if (!/[A-Za-z]/.test(name)) return undefined;
  for (const c of name) {
    const found = confusable(c);
    if (found !== undefined) return found;
  }
  return undefined;
}
