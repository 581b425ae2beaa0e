/** What the literals of Rego say: strings with JSON's escapes, the text of template strings, JSON's numbers. */

const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

export type Decoded = { readonly value: string; readonly problem: string | undefined };

/** Undoes the escapes of `text` (without its quotes). `extra` are characters that may be escaped to themselves. */
function undoEscapes(text: string, extra: string): Decoded {
  let problem: string | undefined;
  if (!text.includes("\\")) return { value: wellFormed(text), problem };
  const value = text.replace(
    /\\(?:u([0-9a-fA-F]{4})|([\s\S]?))/g,
    (all: string, hex: string | undefined, char: string | undefined) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      const simple = simpleEscapes[char ?? ""] ?? (char && extra.includes(char) ? char : undefined);
      if (simple !== undefined) return simple;
      problem ??= char === "u" ? "`\\u` needs four hexadecimal digits" : `illegal escape sequence \`${all}\``;
      return "";
    },
  );
  return { value: wellFormed(value), problem };
}

/** Lone surrogates are no text: as in Go's JSON they become U+FFFD. */
function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text;
}

/** The value of a `"…"` literal as the lexer cut it. */
export function decodeString(image: string): Decoded {
  const mayBeClosed = image.length > 1 && image.endsWith('"');
  const closed = mayBeClosed && !(image.endsWith('\\"') && /(?:^|[^\\])(?:\\\\)*\\"$/.test(image.slice(1)));
  if (!closed) return { value: "", problem: "non-terminated string" };
  return undoEscapes(image.slice(1, -1), "");
}

/** The value of a `` `…` `` literal. Carriage returns stay, as they do in OPA. */
export function decodeRawString(image: string): Decoded {
  if (image.length < 2 || !image.endsWith("`")) return { value: "", problem: "non-terminated string" };
  return { value: wellFormed(image.slice(1, -1)), problem: undefined };
}

/** The text between the interpolations of `$"…"`: as in strings, and `\{` for a brace. */
export function decodeTemplateText(image: string): Decoded {
  return undoEscapes(image, "{");
}

/** The text between the interpolations of `` $`…` ``: only `\{` is an escape. */
export function decodeRawTemplateText(image: string): Decoded {
  return { value: wellFormed(image.replaceAll("\\{", "{")), problem: undefined };
}

/** As OPA: more than 100,000 bits on either side of the point would make arithmetic the price of a denial of service. */
const maxExponentBits = 100_000;

/** What is wrong with an unsigned number as the lexer cut it. */
export function checkNumber(image: string): string | undefined {
  if (/^(?:0|[1-9][0-9]{0,30})$/.test(image)) return undefined;
  const parts = /^([0-9]+)(\.[0-9]*)?(?:[eE]([+-]?[0-9]*))?(.*)$/s.exec(image);
  if (!parts) return "illegal number format";
  const [, whole = "", fraction, exponent, rest] = parts;
  if (fraction === ".") return "expected fraction";
  if (exponent !== undefined && !/[0-9]$/.test(exponent)) return "expected exponent";
  if (rest !== "") return "illegal number format";
  if (whole.length > 1 && whole.startsWith("0")) return "expected number without leading zero";
  const mantissa = (whole + (fraction ?? "").slice(1)).replace(/^0+/, "");
  if (mantissa === "") return undefined;
  // value = 0.mantissa × 10^scale
  const leading = /^0*/.exec(whole + (fraction ?? "").slice(1))?.[0].length ?? 0;
  const scale = whole.length - leading + Number(exponent ?? 0);
  const bits = (scale + Math.log10(Number(`0.${mantissa.slice(0, 15)}`))) * Math.log2(10);
  return Math.abs(bits) <= maxExponentBits ? undefined : "number too big";
}
