/**
 * The locations of the keys and values of a TOML text. The `smol-toml` package parses a text without locations;
 * this walk over the same text finds them. It runs only on text that already parsed, and finds besides what only TOML 1.1
 * has, which the package takes and readers of TOML 1.0 refuse.
 */

/** Mirrors the shape of the parsed value; offsets into the text. */
export interface Located {
  /** Where the value stands; for a table written as `[a.b]`, its header. */
  start: number;
  end: number;
  keyStart: number;
  keyEnd: number;
  readonly members: Map<string, Located>;
  readonly items: Located[];
}

/** What TOML 1.0 refuses. */
export interface Newer {
  readonly what: string;
  readonly start: number;
  readonly end: number;
}

interface Key {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const MINUTES = /^(?:\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d(?!:)/;
const BARE_VALUE = /[^\s,#\]}]+(?: \d[^\s,#\]}]*)?/y;

/** `keyOf` decodes a quoted key. */
export function locateToml(
  text: string,
  keyOf: (quoted: string) => string,
): { root: Located; newer: readonly Newer[] } {
  const newer: Newer[] = [];
  const root = located({ name: "", start: 0, end: 0 }, 0, 0);
  let table = root;
  let at = text.startsWith("\ufeff") ? 1 : 0;

  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const blank = (): void => void match(BLANK);
  const string = (): string => {
    const start = at;
    at = stringEnd(text, at);
    const found = text.slice(start, at);
    if (found.startsWith('"'))
      for (const { 0: sign, index } of found.matchAll(/\\[\s\S]/g))
        if (sign === "\\e" || sign === "\\x")
          newer.push({ what: `the escape \`${sign}\``, start: start + index, end: start + index + 2 });
    return found;
  };
  /** Between the braces of a table: such a one ends where its line does. */
  const space = (): void => {
    const start = at;
    const line = match(BLANK).search(/[\n#]/);
    if (line >= 0)
      newer.push({ what: "a table in braces on several lines", start: start + line, end: start + line + 1 });
  };

  const dottedKey = (): Key[] => {
    const keys: Key[] = [];
    for (;;) {
      blank();
      const start = at;
      const quoted = string();
      const name = quoted !== "" ? keyOf(quoted) : match(BARE_KEY);
      if (at === start) at++;
      keys.push({ name, start, end: at });
      blank();
      if (text[at] !== ".") return keys;
      at++;
    }
  };

  const header = (): void => {
    const start = at;
    const many = text.startsWith("[[", at);
    at += many ? 2 : 1;
    const keys = dottedKey();
    at += many ? 2 : 1;
    const last = keys.pop() as Key;
    let parent = root;
    for (const key of keys) parent = current(member(parent, key, start, at));
    if (many) {
      const list = member(parent, last, start, at);
      table = located(last, start, at);
      list.items.push(table);
    } else {
      table = member(parent, last, start, at);
    }
  };

  const assignment = (target: Located): void => {
    const keys = dottedKey();
    at++;
    blank();
    const last = keys.pop() as Key;
    let parent = target;
    for (const key of keys) parent = member(parent, key, key.start, key.end);
    const node = member(parent, last, at, at);
    value(node);
  };

  const value = (node: Located): void => {
    node.start = at;
    if (text[at] === "[") {
      at++;
      for (blank(); at < text.length && text[at] !== "]"; blank()) {
        const item = located({ name: "", start: at, end: at }, at, at);
        value(item);
        node.items.push(item);
        blank();
        if (text[at] === ",") at++;
      }
      at++;
    } else if (text[at] === "{") {
      at++;
      let comma = -1;
      for (space(); at < text.length && text[at] !== "}"; space()) {
        assignment(node);
        space();
        comma = text[at] === "," ? at++ : -1;
      }
      if (comma >= 0)
        newer.push({ what: "a comma behind the last value of a table in braces", start: comma, end: comma + 1 });
      at++;
    } else if (string() === "") {
      const found = match(BARE_VALUE);
      if (MINUTES.test(found)) newer.push({ what: "a time without seconds", start: node.start, end: at });
      if (found === "") at++;
    }
    node.end = Math.min(at, text.length);
  };

  for (blank(); at < text.length; blank()) {
    if (text[at] === "[") header();
    else assignment(table);
  }
  root.end = text.length;
  return { root, newer };
}

/** The end of the string that begins at `start`, or `start` if none does. By hand: patterns overflow on very long strings. */
function stringEnd(text: string, start: number): number {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return start;
  const many = text.startsWith(quote.repeat(3), start);
  let at = start + (many ? 3 : 1);
  for (; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++;
    else if (text[at] === quote && (!many || text.startsWith(quote.repeat(3), at))) break;
  }
  at += many ? 3 : 1;
  // Two more quotes may belong to the text: `"""a"""""` ends with the last.
  for (let extra = 0; many && extra < 2 && text[at] === quote; extra++) at++;
  return Math.min(at, text.length);
}

function located(key: Key, start: number, end: number): Located {
  return { start, end, keyStart: key.start, keyEnd: key.end, members: new Map(), items: [] };
}

function member(parent: Located, key: Key, start: number, end: number): Located {
  let node = parent.members.get(key.name);
  if (node === undefined) {
    node = located(key, start, end);
    parent.members.set(key.name, node);
  }
  return node;
}

/** `[a.b]` below `[[a]]` belongs to the last `a`. */
function current(node: Located): Located {
  return node.items.at(-1) ?? node;
}
