/** A mailbox of RFC 5322 section 3.4, `Name <local@domain>` or `local@domain`, with comments. */

/** Atoms may hold what is not ASCII, RFC 6532. */
const atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+";
const dotAtom = new RegExp(`${atom}(?:\\.${atom})*`, "uy");
const word = new RegExp(`${atom}(?:\\.${atom})*\\.?`, "uy");
const quoted = /"(?:[^"\\\r\n]|\\.)*"/uy;
const literalDomain = /\[[!-Z^-~]*\]/uy;

class Mailbox {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private skip(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  /** Blanks and nested comments; false when a comment does not end. */
  private blanks(): boolean {
    for (let depth = 0; ; ) {
      const char = this.text[this.at];
      if (char === "(") depth++;
      else if (char === ")" && depth > 0) depth--;
      else if (depth > 0 && char === "\\") this.at++;
      else if (depth > 0 ? char === undefined : char !== " " && char !== "\t") return depth === 0;
      this.at++;
    }
  }

  private address(): boolean {
    if (!(this.take(quoted) || this.take(dotAtom)) || !this.blanks() || !this.skip("@") || !this.blanks()) return false;
    return this.take(literalDomain) || this.take(dotAtom);
  }

  private bare(): boolean {
    const start = this.at;
    if (this.address() && this.blanks() && this.at === this.text.length) return true;
    this.at = start;
    return false;
  }

  valid(): boolean {
    while (this.skip(" ") || this.skip("\t"));
    if (this.bare()) return true;
    while (this.take(quoted) || this.take(word)) if (!this.blanks()) return false;
    return (
      this.skip("<") &&
      this.blanks() &&
      this.address() &&
      this.blanks() &&
      this.skip(">") &&
      this.blanks() &&
      this.at === this.text.length
    );
  }
}

export function isMailbox(text: string): boolean {
  return new Mailbox(text).valid();
}
