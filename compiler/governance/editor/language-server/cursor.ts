/**
 * Where a cursor stands in YAML or TOML, from the text alone: while somebody types, there often is no tree. It reads lines and
 * brackets, not the whole grammar; in what it does not understand (block scalars, anchors) it may offer what does not fit.
 */

export interface Cursor {
  /** Keys from the root, `*` for an element of a list. */
  readonly path: readonly string[];
  /** A key may stand here: no key has been written for the place yet. */
  readonly mayBeKey: boolean;
  /** Keys that the mapping has already, as far as lines show. */
  readonly siblings: readonly string[];
  /** Where the word begins that is being typed. */
  readonly wordStart: number;
  /** Whether the place is inside brackets or braces. */
  readonly flow: boolean;
}

const WORD = /[^\s,:[\]{}"'=]*$/;
const KEY = /^\s*["']?([\w.-]+)["']?\s*:(?:\s|$)/;
const LINE = /^(\s*)((?:-(?:\s+|$))*)(?:["']?([\w.-]+)["']?\s*:(?=\s|$))?/;
/** How far back an open bracket is looked for. */
const REACH = 20_000;

export function yamlCursor(text: string, offset: number): Cursor {
  const wordStart = offset - (WORD.exec(text.slice(Math.max(0, offset - 200), offset))?.[0].length ?? 0);
  const before = /["']/.test(text[wordStart - 1] ?? "") ? wordStart - 1 : wordStart;
  return { ...at(text, before), wordStart };
}

type Place = Omit<Cursor, "wordStart">;

function at(text: string, offset: number): Place {
  const open = openBracket(text, offset);
  return open === undefined ? blockPlace(text, offset) : flowPlace(text, offset, open);
}

/** The innermost bracket or brace that is open at an offset. */
function openBracket(text: string, offset: number): number | undefined {
  let depth = 0;
  for (let i = offset - 1; i >= Math.max(0, offset - REACH); i--) {
    const c = text[i];
    if (c === "]" || c === "}") depth++;
    else if (c === "[" || c === "{") {
      if (depth === 0) return i;
      depth--;
    }
  }
  return undefined;
}

function flowPlace(text: string, offset: number, open: number): Place {
  const parent = at(text, open);
  const inside = text.slice(open + 1, offset);
  let start = 0;
  let depth = 0;
  for (let i = 0; i < inside.length; i++) {
    const c = inside[i] as string;
    if ("[{".includes(c)) depth++;
    else if ("]}".includes(c)) depth--;
    else if (c === "," && depth === 0) start = i + 1;
  }
  const key = KEY.exec(inside.slice(start))?.[1];
  if (text[open] === "[") return { path: [...parent.path, "*"], mayBeKey: false, siblings: [], flow: true };
  if (key !== undefined) return { path: [...parent.path, key], mayBeKey: false, siblings: [], flow: true };
  const siblings = [...inside.matchAll(/(?:^|,)\s*["']?([\w.-]+)["']?\s*:/g)].map((m) => m[1] as string);
  return { path: parent.path, mayBeKey: true, siblings, flow: true };
}

function blockPlace(text: string, offset: number): Place {
  const lines = text.split(/\r\n|\n|\r/);
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  const row = before.length - 1;
  const line = before[row] as string;
  const [, indent = "", dashes = "", key] = LINE.exec(line) ?? [];
  const own: string[] = [...dashes.replace(/[^-]/g, "")].map(() => "*");
  const parents = pathAbove(lines, row, indent.length, dashes !== "");
  if (key !== undefined) return { path: [...parents, ...own, key], mayBeKey: false, siblings: [], flow: false };
  const column = indent.length + dashes.length;
  return {
    path: [...parents, ...own],
    mayBeKey: true,
    siblings: siblingsAt(lines, row, column, dashes !== ""),
    flow: false,
  };
}

/** The keys and dashes that a line at a column lies below. */
function pathAbove(lines: readonly string[], row: number, column: number, isItem: boolean): string[] {
  const path: string[] = [];
  let limit = column;
  let fromItem = isItem;
  for (let i = row - 1; i >= 0 && (limit > 0 || fromItem); i--) {
    const line = lines[i] as string;
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [whole = "", indent = "", dashes = "", key] = LINE.exec(line) ?? [];
    const keyColumn = indent.length + dashes.length;
    const isOpen = /^\s*(?:#.*)?$/.test(line.slice(whole.length));
    if (key !== undefined && (keyColumn < limit || (fromItem && keyColumn === limit && isOpen && dashes === ""))) {
      path.unshift(key);
      limit = keyColumn;
      fromItem = false;
    }
    for (let c = dashes.length - 1; c >= 0; c--) {
      const at = indent.length + c;
      if (dashes[c] !== "-" || at >= limit) continue;
      path.unshift("*");
      limit = at;
      fromItem = true;
    }
  }
  return path;
}

/** Keys at the same column around a line, as far as nothing stands further left. */
function siblingsAt(lines: readonly string[], row: number, column: number, isItem: boolean): string[] {
  const keys: string[] = [];
  const look = (i: number): boolean => {
    const line = lines[i] as string;
    if (/^\s*(?:#|$)/.test(line)) return true;
    const [, indent = "", dashes = "", key] = LINE.exec(line) ?? [];
    const at = indent.length + dashes.length;
    if (at === column && key !== undefined) keys.push(key);
    return dashes === "" && at >= column;
  };
  if (!isItem) for (let i = row - 1; i >= 0 && look(i); i--);
  for (let i = row + 1; i < lines.length; i++) {
    const [, indent = "", dashes = ""] = LINE.exec(lines[i] as string) ?? [];
    if (dashes !== "" && indent.length < column) break;
    if (!look(i)) break;
  }
  return keys;
}

/** TOML manifests have one level: `key = value`, lists over several lines. */
export function tomlCursor(text: string, offset: number): Cursor {
  const wordStart = offset - (WORD.exec(text.slice(Math.max(0, offset - 200), offset))?.[0].length ?? 0);
  const siblings = [...text.matchAll(/^\s*([\w-]+)\s*=/gm)].map((m) => m[1] as string);
  const open = openBracket(text, wordStart);
  const until = open ?? wordStart;
  const line = text.slice(text.lastIndexOf("\n", until - 1) + 1, until);
  const key = /^\s*([\w-]+)\s*=/.exec(line)?.[1];
  if (key === undefined) return { path: [], mayBeKey: true, siblings, wordStart, flow: false };
  return {
    path: open === undefined ? [key] : [key, "*"],
    mayBeKey: false,
    siblings: [],
    wordStart,
    flow: open !== undefined,
  };
}
