/**
 * The locations of the keys and values of a TOML text. The `smol-toml` package parses a text without locations;
 * this walk over the same text finds them. It accepts or refuses nothing, for it runs only on text that already parsed.
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

interface Key {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BARE_VALUE = /[^\s,#\]}]+(?: \d[^\s,#\]}]*)?/y;

/** `keyOf` decodes a quoted key. */
export function locateToml(text: string, keyOf: (quoted: string) => string): Located {
  const root = located({ name: "", start: 0, end: 0 }, 0, 0);
  let table = root;
  let at = 0;

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
    return text.slice(start, at);
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
      for (blank(); at < text.length && text[at] !== "}"; blank()) {
        assignment(node);
        blank();
        if (text[at] === ",") at++;
      }
      at++;
    } else if (string() === "" && match(BARE_VALUE) === "") {
      at++;
    }
    node.end = Math.min(at, text.length);
  };

  for (blank(); at < text.length; blank()) {
    if (text[at] === "[") header();
    else assignment(table);
  }
  root.end = text.length;
  return root;
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
