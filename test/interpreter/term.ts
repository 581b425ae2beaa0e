/** Reads JSON with exact numbers, and Rego's ground terms: JSON, and sets, and any value as a key. */

import { Num } from "./number.ts";
import { Arr, Obj, SetVal, type Val } from "./value.ts";

export function parseJson(text: string): Val {
  return new TermTextReader(text, false).document();
}

export function parseTerm(text: string): Val {
  return new TermTextReader(text, true).document();
}

class TermTextReader {
  private readonly text: string;
  private readonly rego: boolean;
  private at = 0;

  constructor(text: string, rego: boolean) {
    this.text = text;
    this.rego = rego;
  }

  document(): Val {
    const v = this.value();
    this.skip();
    if (this.at !== this.text.length) this.fail();
    return v;
  }

  private fail(): never {
    throw new SyntaxError(`unexpected text at ${this.at}: ${this.text.slice(this.at, this.at + 20)}`);
  }

  private skip(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? "")) this.at++;
  }

  private next(s: string): boolean {
    this.skip();
    if (!this.text.startsWith(s, this.at)) return false;
    this.at += s.length;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    this.skip();
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private value(): Val {
    if (this.next("[")) return new Arr(this.list("]", () => this.value()));
    if (this.next("{")) return this.braces();
    if (this.rego && this.next("set(")) return this.next(")") ? new SetVal() : this.fail();
    const string = this.match(/"(?:[^"\\]|\\.)*"/);
    if (string !== undefined) return JSON.parse(string) as string;
    const number = this.match(/-?\d[\d.eE+-]*/);
    if (number !== undefined) return Num.parse(number);
    const word = this.match(/[a-z]+/);
    if (word === "null") return null;
    if (word === "true") return true;
    if (word === "false") return false;
    return this.fail();
  }

  private braces(): Val {
    if (this.next("}")) return new Obj();
    const first = this.value();
    if (!this.next(":")) {
      if (!this.rego) this.fail();
      const rest = this.next("}") ? [] : this.next(",") ? this.list("}", () => this.value()) : this.fail();
      return SetVal.of([first, ...rest]);
    }
    const entries: [Val, Val][] = [[first, this.value()]];
    if (!this.next("}")) {
      if (!this.next(",")) this.fail();
      entries.push(
        ...this.list("}", (): [Val, Val] => {
          const key = this.value();
          if (!this.next(":")) this.fail();
          return [key, this.value()];
        }),
      );
    }
    if (!this.rego && entries.some(([k]) => typeof k !== "string")) this.fail();
    return Obj.of(entries);
  }

  private list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    if (this.next(close)) return items;
    for (;;) {
      items.push(item());
      if (this.next(close)) return items;
      if (!this.next(",")) this.fail();
      if (this.rego && this.next(close)) return items;
    }
  }
}
