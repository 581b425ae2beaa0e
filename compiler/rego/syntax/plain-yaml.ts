/**
 * The YAML that metadata blocks are nearly always written in: mappings and lists by indentation, of texts on one line, in
 * plain quotes or none, and literal texts. It is read here, line by line, in a tenth of the time that the library takes.
 *
 * INVARIANT: the nodes say what those that the library reads say, ranges included. What is not surely in this part of YAML is not read.
 */

/** Where a node begins, where what it says ends, and where the next may begin. */
type Range = readonly [number, number, number];

/** A node of YAML: with its items as they are in the tree that it is of. */
export type YamlNode = YamlScalar | YamlList | YamlMap;
export interface YamlScalar {
  readonly kind: "scalar";
  readonly value: string;
  /** Without quotes, and on one line. */
  readonly plain: boolean;
  readonly range: Range;
}
export interface YamlList {
  readonly kind: "list";
  readonly items: readonly unknown[];
  readonly range: Range;
}
export interface YamlMap {
  readonly kind: "map";
  readonly items: readonly { readonly key: unknown; readonly value: unknown }[];
  readonly range: Range;
}

/** A line, or what stands behind the dash of a list. */
interface Line {
  /** The offset of its first character that is no space. */
  readonly start: number;
  readonly indent: number;
  /** Without the spaces before it. Nothing, for an empty line. */
  readonly content: string;
}

/** Characters without a meaning of their own in any encoding, version of YAML, or notion of a line. */
const PRINTABLE = /^[\n\x20-\x7e\u00a1-\u167f\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff]*$/;
/** A line of nothing else. */
const SPACES = /^ +$/m;
const KEY = /^([A-Za-z0-9_][A-Za-z0-9_.-]*):(?: +([^ ].*))?$/;
const DASH = /^- +([^ ].*)$/;
const PLAIN = /^[A-Za-z0-9_/(](?:[^:#]|:(?=[^ ])|(?<=[^ ])#)*$/;
const QUOTED = /^"[^"\\]*"$/;
const APOSTROPHES = /^'[^']*'$/;

/** The library takes shorter ones only. */
const LONGEST_KEY = 100;
const DEEPEST = 30;

/** The mapping that `text` is; `undefined` for whatever it takes a whole parser to read, or to refuse. */
export function readPlainYaml(text: string): YamlNode | undefined {
  if (!text.endsWith("\n") || !PRINTABLE.test(text) || SPACES.test(text)) return undefined;
  const reader = new Reader(text);
  const root = reader.mapping(reader.indent, 0);
  return reader.isDone ? root : undefined;
}

class Reader {
  private readonly lines: Line[] = [];
  /** The line to be read next. INVARIANT: it is no empty one. */
  private next = 0;

  constructor(text: string) {
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf("\n", start);
      const end = newline < 0 ? text.length : newline;
      let first = start;
      while (text[first] === " ") first++;
      this.lines.push({
        start: first,
        indent: first - start,
        content: text.slice(first, end),
      });
      start = end + 1;
    }
    this.skipEmpty();
  }

  get isDone(): boolean {
    return this.next === this.lines.length;
  }

  /** Of the line to be read next; none is less than any. */
  get indent(): number {
    return this.lines[this.next]?.indent ?? -1;
  }

  private skipEmpty(): void {
    while (this.lines[this.next]?.content === "") this.next++;
  }

  private take(): void {
    this.next++;
    this.skipEmpty();
  }

  mapping(indent: number, depth: number): YamlMap | undefined {
    const items: { key: YamlScalar; value: YamlNode }[] = [];
    const start = this.lines[this.next]?.start ?? 0;
    const keys = new Set<string>();
    let end = start;
    for (;;) {
      const line = this.lines[this.next];
      if (line?.indent !== indent) break;
      const [, key, rest] = KEY.exec(line.content) ?? [];
      if (key === undefined || key.length > LONGEST_KEY || keys.has(key)) return undefined;
      keys.add(key);
      const value = rest === undefined ? this.below(indent, depth) : this.beside(line, rest, indent);
      if (value === undefined) return undefined;
      const at = line.start + key.length;
      items.push({ key: scalar(key, true, [line.start, at, at]), value });
      end = value.range[2];
    }
    return items.length === 0 || this.indent > indent ? undefined : { kind: "map", items, range: [start, end, end] };
  }

  /** What a key has in the lines below it. */
  private below(indent: number, depth: number): YamlNode | undefined {
    this.take();
    const line = this.lines[this.next];
    if (line === undefined || depth === DEEPEST) return undefined;
    if (DASH.test(line.content)) return line.indent < indent ? undefined : this.list(line.indent, depth + 1);
    return line.indent > indent ? this.mapping(line.indent, depth + 1) : undefined;
  }

  private list(indent: number, depth: number): YamlList | undefined {
    const items: YamlNode[] = [];
    const start = this.lines[this.next]?.start ?? 0;
    let end = start;
    for (;;) {
      const line = this.lines[this.next];
      const content = line?.indent === indent ? DASH.exec(line.content)?.[1] : undefined;
      if (line === undefined || content === undefined) break;
      const skipped = line.content.length - content.length;
      const inner = {
        start: line.start + skipped,
        indent: indent + skipped,
        content,
      };
      let item: YamlNode | undefined;
      if (KEY.test(content)) {
        this.lines[this.next] = inner;
        item = depth === DEEPEST ? undefined : this.mapping(inner.indent, depth + 1);
      } else item = this.beside(inner, content, indent);
      if (item === undefined) return undefined;
      items.push(item);
      end = item.range[2];
    }
    return this.indent > indent ? undefined : { kind: "list", items, range: [start, end, end] };
  }

  /** A text that begins in the line of its key or dash, which stands at `indent`. */
  private beside(line: Line, written: string, indent: number): YamlNode | undefined {
    const start = line.start + line.content.length - written.length;
    if (written === "|" || written === "|-") return this.literal(start, written, indent);
    const end = start + written.length;
    const range = [start, end, end + 1] as const;
    this.take();
    // The lines below would go on with it.
    if (this.indent > indent || written.endsWith(" ")) return undefined;
    if (PLAIN.test(written) && !written.endsWith(":")) return scalar(written, true, range);
    if (QUOTED.test(written)) return scalar(written.slice(1, -1), false, range);
    return APOSTROPHES.test(written) ? scalar(written.slice(1, -1), false, range) : undefined;
  }

  /** The deeper lines below `|`, as they stand. */
  private literal(start: number, header: string, indent: number): YamlNode | undefined {
    let next = this.next + 1;
    const margin = this.lines[next]?.indent ?? 0;
    if (margin <= indent || this.lines[next]?.content === "") return undefined;
    const texts: string[] = [];
    let [last, end] = [0, start];
    for (; next < this.lines.length; next++) {
      const line = this.lines[next] as Line;
      if (line.content === "") {
        texts.push("");
        continue;
      }
      if (line.indent < margin) break;
      texts.push(" ".repeat(line.indent - margin) + line.content);
      last = texts.length;
      end = line.start + line.content.length + 1;
    }
    this.next = next;
    if (this.indent > indent) return undefined;
    const value = texts.slice(0, last).join("\n") + (header === "|" ? "\n" : "");
    return scalar(value, false, [start, end, end]);
  }
}

function scalar(value: string, plain: boolean, range: Range): YamlScalar {
  return { kind: "scalar", value, plain, range };
}
