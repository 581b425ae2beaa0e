/** The words of one line of the text form. */

export class PlanTextError extends Error {
  override readonly name = "PlanTextError";
}

export interface Line {
  readonly number: number;
  readonly depth: number;
  readonly text: string;
}

/** Reads words of one line from left to right. */
export class Scanner {
  private readonly line: Line;
  private at = 0;

  constructor(line: Line) {
    this.line = line;
  }

  fail(message: string): never {
    throw new PlanTextError(`line ${this.line.number}: ${message}: ${this.line.text}`);
  }

  private skip(): void {
    while (this.line.text[this.at] === " ") this.at++;
  }

  more(): boolean {
    this.skip();
    return this.at < this.line.text.length;
  }

  end(): void {
    if (this.more()) this.fail("unexpected text at the end");
  }

  next(prefix: string): boolean {
    this.skip();
    return this.line.text.startsWith(prefix, this.at);
  }

  nextLocal(): boolean {
    this.skip();
    return /^L\d/.test(this.line.text.slice(this.at));
  }

  expect(text: string): void {
    if (!this.next(text)) this.fail(`expected ${text}`);
    this.at += text.length;
  }

  take(pattern: RegExp): string {
    this.skip();
    const match = new RegExp(pattern.source, "y");
    match.lastIndex = this.at;
    const found = match.exec(this.line.text)?.[0];
    if (found === undefined) return this.fail(`expected ${pattern.source}`);
    this.at += found.length;
    return found;
  }

  int(): number {
    return Number(this.take(/-?\d+/));
  }

  local(): number {
    return Number(this.take(/L\d+/).slice(1));
  }

  string(): string {
    return JSON.parse(this.take(/"(?:[^"\\]|\\.)*"/)) as string;
  }

  word(): string {
    return this.next('"') ? this.string() : this.take(/[A-Za-z0-9_./~-]+/);
  }

  /** `path a/b` at the end of a function's line. */
  path(): string[] {
    this.expect("path");
    const segments = this.word().split("/");
    return segments.map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"));
  }

  list<T>(open: string, close: string, item: () => T): T[] {
    const items: T[] = [];
    this.expect(open);
    while (!this.next(close)) {
      if (items.length > 0) this.expect(",");
      items.push(item());
    }
    this.expect(close);
    return items;
  }
}
