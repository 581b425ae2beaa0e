// Writes compiler/governance/lower/folds.ts: which letters each character of a name stands for. People read names, so letters
// that look alike are one, in any case and form, and other characters than letters and digits are dropped.
//
//   node compiler/build/fold-names.mjs confusables.txt
//
// The file is that of UTS 39, https://www.unicode.org/Public/security/latest/confusables.txt. All else is of the Unicode of this
// Node; the result names both versions. A name is folded character by character, so the table is all that an engine needs.
//
// INVARIANT: a character folds as its other case does, and as its decompositions do. So letters of which one case looks alike
// are one in both: `ν` looks like `v` and `Ν` like `N`, so `n` and `v` are one. A test holds the committed table to it.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Characters apart: a name that holds one is no person's. Each would make letters one that people tell apart well, such as `f`
 * and `s`, and hardly any name of today is written with it: the long s, the lunate sigma, Coptic shima, a `т` of old prints,
 * and three letters of Warang Citi. Hangul that is not composed is apart, too: composed, it stands for itself.
 */
const APART = [..."ſϲϹϬϭ\u1c84\u{118a6}\u{118b5}\u{118bc}\u{118c6}\u{118d5}\u{118dc}"];
const isJamo = (character) => /^[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]$/u.test(character) && !isUnseen(character);
const isSyllable = (character) => /^[\uac00-\ud7a3]$/u.test(character);

/** What fonts draw as nothing: fillers count as letters in Unicode, as do the blanks among hieroglyphs. */
const isUnseen = (character) => /^[\p{Default_Ignorable_Code_Point}\u{13441}\u{13442}]$/u.test(character);
const isKept = (character) => /^[\p{L}\p{Nd}]$/u.test(character) && !isUnseen(character);

/** White on black, and flags: letters and digits that Unicode does not decompose. The first of each row, and its text. */
const ENCLOSED = [
  ["\u{1f150}", "abcdefghijklmnopqrstuvwxyz"],
  ["\u{1f170}", "abcdefghijklmnopqrstuvwxyz"],
  ["\u{1f1e6}", "abcdefghijklmnopqrstuvwxyz"],
  ["\u2776", "123456789"],
  ["\u2780", "123456789"],
  ["\u278a", "123456789"],
  ["\u24f5", "123456789"],
  ["\u24ff", "0"],
  ["\u{1f10b}", "00"],
];

/** What UTS 39 leaves out: letters without decomposition that are one of ASCII with a stroke or a hook, or in small capitals. */
const ALSO = {
  a: "ⱥᶏ",
  b: "ᵬᶀꞗ",
  c: "ɕꞔ\u{1df1d}",
  d: "ȡᵭᶁᶑꝺꟈ\u{1f1a5}",
  e: "ᶒⱸꬴ",
  f: "ᶂꜰꝼ",
  g: "ʛᵹꞡꬶ",
  h: "ꞕ",
  i: "ᶖ\u{1df1a}",
  k: "ᶄꝃꝅꞣ",
  l: "ȴɬᴌᶅⱡꝇꝉꞎꬷꬸꬹ\u{1df04}\u{1df11}\u{1df13}",
  m: "ɱᵯᶆꬺ",
  n: "ȵᶇꞑꞥꬻ",
  o: "ⱺꝍ\u{1df1b}",
  p: "ᵱᶈꝑꝓꝕ",
  q: "ɋꝗꝙꞯ",
  r: "ɾᵳᶉꞃꞧꭆꭉꭋꭌ\u{1df16}",
  s: "ȿᶊꞅꞩꟊ\u{1df1e}",
  t: "ȶꞇ\u{1df09}",
  u: "ᶙꞹ",
  v: "ⱱⱴꝟ",
  w: "ⱳ",
  x: "ᶍꭖꭗꭘꭙ",
  z: "ɀʑᶎ",
};

/** A text decomposed and in one case. */
function spelledOut(text) {
  let letters = text;
  for (let before = ""; before !== letters; ) {
    before = letters;
    letters = [...letters.normalize("NFKD")].map((c) => c.toUpperCase().toLowerCase().replace("ς", "σ")).join("");
  }
  return [...letters];
}

/** The letters and digits of a text, decomposed and in one case. */
const spelled = (text) => spelledOut(text).filter(isKept);

function isApart(character) {
  if (isSyllable(character)) return false;
  return [...character, ...character.normalize("NFD"), ...character.normalize("NFKD")].some(
    (one) => APART.includes(one) || isJamo(one),
  );
}

/** Pairs of a character and the text that it looks like. */
function looksOf(text) {
  const rows = text.split("\n").map((line) =>
    line
      .replace(/#.*/, "")
      .split(";")
      .map((part) => part.trim()),
  );
  const known = rows.filter(([from, to]) => from && to).map((row) => row.slice(0, 2).map(charactersOf));
  const enclosed = ENCLOSED.flatMap(([first, all]) =>
    [...all].map((letter, i) => [String.fromCodePoint(first.codePointAt(0) + i), letter]),
  );
  const also = Object.entries(ALSO).flatMap(([letter, all]) => [...all].map((one) => [one, letter]));
  // `ß` is `ss`, and looks like `β`: letters that look like it are one with `β`. What looks like one letter and is two has a
  // second reading.
  return [...known.map(([from, to]) => [from, to === "ß" ? "β" : to]), ...enclosed, ...also];
}

function charactersOf(codes) {
  return String.fromCodePoint(...codes.split(/\s+/).map((code) => Number.parseInt(code, 16)));
}

/** Letters that are one, and the one that stands for all. `""` stands for a sign: a letter that looks like one is dropped. */
class Classes {
  #parents = new Map();

  of(letter) {
    let root = letter;
    while (this.#parents.has(root)) root = this.#parents.get(root);
    return root;
  }

  join(a, b) {
    const [first, second] = [this.of(a), this.of(b)].sort((x, y) => rank(x) - rank(y));
    if (first !== second) this.#parents.set(second, first);
  }
}

/** Signs stand for all, then letters of ASCII, except that `i` stands for `1` and `l`. */
function rank(letter) {
  if (letter === "") return -1;
  const code = letter.codePointAt(0);
  return /[0-9]/.test(letter) ? code + 128 : code;
}

/** Makes letters one that look alike. A letter that looks like several, as `m` does like `rn`, stays as it is. */
function classesOf(looks) {
  const classes = new Classes();
  for (const [from, to] of looks) {
    const [source, target] = [spelled(from), spelled(to)];
    if (isApart(from) || [...to].some(isApart)) continue;
    if (source.length !== 1 || /^\p{M}/u.test(from)) continue;
    if (target.length === 1) classes.join(source[0], target[0]);
    if (/^[\p{P}\p{Sk}\p{M}]+$/u.test(to) && from.normalize("NFKD") === from) classes.join(source[0], "");
  }
  return classes;
}

/** Signs that look like one letter. Marks that change place when a text is decomposed are left out. */
function signsOf(looks, classes) {
  const signs = new Map();
  for (const [from, to] of looks) {
    const target = [...to.normalize("NFKD")].filter((c) => !/\p{M}/u.test(c));
    const letters = spelled(to);
    if (spelled(from).length > 0 || target.length !== 1 || letters.length !== 1) continue;
    const moves =
      `\u0345${from}`.normalize("NFD") !== `\u0345${from}` || `${from}\u0345`.normalize("NFD") !== `${from}\u0345`;
    if (!moves && !isUnseen(from)) signs.set(from, isApart(letters[0]) ? letters[0] : classes.of(letters[0]));
  }
  return signs;
}

/** Each character's letters; `undefined` for one that is apart. */
function reader(text) {
  const looks = looksOf(text);
  const classes = classesOf(looks);
  const signs = signsOf(looks, classes);
  return (character) => {
    if (isSyllable(character)) return character;
    const parts = spelledOut(character);
    if (isApart(character) || parts.some((part) => isApart(signs.get(part) ?? ""))) return undefined;
    return parts.map((part) => (isKept(part) ? classes.of(part) : (signs.get(part) ?? ""))).join("");
  };
}

/** A set of characters as a class of RE2, without the brackets. Code points have to come in order. */
function rangesOf(codes) {
  const ranges = [];
  for (const code of codes) {
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const hex = (code) => `\\x{${code.toString(16)}}`;
  return ranges.map(([from, to]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`)).join("");
}

export function folds(text) {
  const read = reader(text);
  const table = {};
  const [letters, apart] = [[], []];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const fold = read(character);
    if (fold !== "") letters.push(code);
    if (fold === undefined) apart.push(code);
    else if (fold !== "" && fold !== character) table[fold] = (table[fold] ?? "") + character;
  }
  return {
    unicode: process.versions.unicode,
    confusables: /Version:\s*([\d.]+)/.exec(text)?.[1] ?? "unknown",
    folds: Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1))),
    others: `[^${rangesOf(letters)}]+`,
    apart: `[${rangesOf(apart)}]`,
    second: { ß: read("β"), ẞ: read("β") },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = folds(readFileSync(process.argv[2], "utf8"));
  writeFileSync(
    fileURLToPath(new URL("../governance/lower/folds.ts", import.meta.url)),
    `// Made by compiler/build/fold-names.mjs of Unicode ${made.unicode} and the confusables of UTS 39 ${made.confusables}; do not edit.
// Unicode's data, https://www.unicode.org/license.txt: Copyright 1991-2026 Unicode, Inc.

/** The version of Unicode that the table knows. */
export const UNICODE = ${JSON.stringify(made.unicode)};

/** JSON: letters, and all characters that stand for them. */
export const FOLDS = ${JSON.stringify(JSON.stringify(made.folds))};

/** RE2: characters that stand for nothing. */
export const OTHERS = String.raw\`${made.others}\`;

/** RE2: a character that no person's name has. */
export const APART = String.raw\`${made.apart}\`;

/** What several letters stand for, and looks like one: the letter for the second reading. */
export const SECOND: Readonly<Record<string, string>> = ${JSON.stringify(made.second)};
`,
  );
}
