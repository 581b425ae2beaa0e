/** Texts that a pattern (RE2) seems to match: only something to try, since the policy is asked about each. */

const MOST = 8;
/** What a class of characters may stand for, if it says what it is not. */
const ORDINARY = ["a", "A", "1", "-", ".", "/", "@", " ", "_"];
const ESCAPED: { readonly [letter: string]: string } = {
  d: "1",
  w: "a",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
  n: "\n",
  t: "\t",
};

/** A few texts, one for each alternative of the pattern at least up to eight; none where it cannot be read. */
export function textsLike(pattern: string): string[] {
  const reader = new PatternReader(pattern);
  const texts = reader.alternatives();
  return reader.isAtEnd() ? [...new Set(texts)].slice(0, MOST) : [];
}

class PatternReader {
  private at = 0;

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  alternatives(): string[] {
    const found = this.sequence();
    while (this.take("|")) found.push(...this.sequence());
    return found;
  }

  /** One text for each alternative of a part, the other parts as short as they may be. */
  private sequence(): string[] {
    let texts = [""];
    while (!this.isAtEnd() && !/[|)]/.test(this.text[this.at] as string)) {
      const parts = this.repeated(this.atom());
      texts = texts.flatMap((before) => parts.map((part) => before + part)).slice(0, MOST);
    }
    return texts;
  }

  private atom(): string[] {
    if (this.take("(")) {
      this.match(/^\?(?:P?<\w+>|[a-zA-Z-]*:)/);
      const inner = this.alternatives();
      this.take(")");
      return inner;
    }
    const set = this.match(/^\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]/);
    if (set !== undefined) return [memberOf(set)];
    const escaped = this.match(/^\\./s);
    if (escaped !== undefined) return [/[bBAzZ]/.test(escaped[1] as string) ? "" : charOf(escaped)];
    const [character = ""] = [...this.text.slice(this.at)];
    this.at += character.length;
    if (character === "^" || character === "$") return [""];
    return [character === "." ? "a" : character];
  }

  private repeated(parts: readonly string[]): readonly string[] {
    const counted = this.match(/^\{(\d+)(?:,\d*)?\}/);
    const sign = counted ?? this.match(/^[*+?]/);
    if (sign === undefined) return parts;
    this.take("?");
    const least = counted === undefined ? (sign === "+" ? 1 : 0) : Number(/\d+/.exec(counted)?.[0]);
    return least === 0 ? ["", ...parts] : parts.map((part) => part.repeat(Math.min(least, 1000)));
  }

  private take(character: string): boolean {
    const isThere = this.text[this.at] === character;
    if (isThere) this.at++;
    return isThere;
  }

  private match(form: RegExp): string | undefined {
    const [found] = form.exec(this.text.slice(this.at)) ?? [];
    this.at += found?.length ?? 0;
    return found;
  }
}

function charOf(escaped: string): string {
  return ESCAPED[escaped[1] as string] ?? (escaped[1] as string);
}

/** A character of a class `[…]`. */
function memberOf(set: string): string {
  const inner = set.slice(1, -1);
  if (inner.startsWith("^")) return ORDINARY.find((one) => !inner.includes(one)) ?? "~";
  if (inner.startsWith("[:")) return /digit/.test(inner) ? "1" : /space|blank/.test(inner) ? " " : "a";
  return inner.startsWith("\\") ? charOf(inner) : ([...inner][0] ?? "");
}
