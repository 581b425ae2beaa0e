// Writes compiler/governance/lower/folds.ts: which letters each character of a name stands for. People read names, so letters
// that look alike are one, in any case and form, and other characters than letters and digits are dropped.
//
//   node compiler/build/fold-names.mjs confusables.txt
//
// The file is that of UTS 39, https://www.unicode.org/Public/security/latest/confusables.txt. All else is of the Unicode of this
// Node; the result names both versions. A name is folded character by character, so the table is all that an engine needs.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The look of a character, where that is a letter or digit of ASCII. */
function asciiLooks(text) {
  const looks = new Map();
  for (const line of text.split("\n")) {
    const [from, to] = line
      .replace(/#.*/, "")
      .split(";")
      .map((part) => part.trim());
    if (from === undefined || from === "" || to === undefined) continue;
    const [source, target] = [from, to].map(charactersOf);
    // To one letter: that `m` looks like `rn` is left out.
    const letters = target.normalize("NFKD").replace(/\p{M}/gu, "");
    if (/^[A-Za-z0-9]$/.test(letters)) looks.set(source, oneOf(letters.toLowerCase()));
  }
  return looks;
}

/** Letters and digits of ASCII that look alike in one of their cases are one: this gives the one that stands for all. */
function oneOf(letter) {
  return { l: "i", 1: "i", 0: "o" }[letter] ?? letter;
}

function charactersOf(codes) {
  return String.fromCodePoint(...codes.split(/\s+/).map((code) => Number.parseInt(code, 16)));
}

const isKept = (character) => /^[\p{L}\p{Nd}]$/u.test(character);
const kept = (text) => [...text].filter(isKept).join("");

/** Full case folding: of what differs in case alone the same text. */
const caseFolded = (text) => text.toUpperCase().toLowerCase().replaceAll("ς", "σ");

/** The character's own look first, then that of the same letter in the other case: both cases of it are one. */
function foldOf(character, looks) {
  const look = (text) => looks.get(text);
  const plain = (text) => [...kept(text.normalize("NFKD"))];
  const parts = plain(character);
  if (parts.length === 0) return look(character) ?? "";
  const own = look(character);
  if (own !== undefined) return own;
  return parts
    .flatMap((part) => {
      const [lower, upper] = [caseFolded(part), part.toUpperCase()];
      const found = look(part) ?? look(lower) ?? look(upper);
      return found === undefined ? plain(lower).map(oneOf) : [found];
    })
    .join("");
}

/** Hangul syllables are composed by a rule, and stand for themselves: nothing looks like them. */
const isHangul = (code) => code >= 0xac00 && code <= 0xd7a3;

export function folds(text) {
  const looks = asciiLooks(text);
  const table = {};
  const letters = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    let fold = isHangul(code) ? character : foldOf(character, looks);
    // To a fixed point.
    for (let again = ""; again !== fold && !isHangul(fold.codePointAt(0) ?? 0); ) {
      again = fold;
      fold = [...fold].map((one) => foldOf(one, looks)).join("");
    }
    if (fold === "") continue;
    const last = letters.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else letters.push([code, code]);
    if (fold !== character) table[fold] = (table[fold] ?? "") + character;
  }
  const version = /Version:\s*([\d.]+)/.exec(text)?.[1] ?? "unknown";
  const sorted = Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
  const hex = (code) => `\\x{${code.toString(16)}}`;
  const ranges = letters.map(([from, to]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`)).join("");
  return { unicode: process.versions.unicode, confusables: version, folds: sorted, others: `[^${ranges}]+` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = folds(readFileSync(process.argv[2], "utf8"));
  const file = fileURLToPath(new URL("../governance/lower/folds.ts", import.meta.url));
  const { folds: table, others, unicode, confusables } = made;
  writeFileSync(
    file,
    `// Made by compiler/build/fold-names.mjs of Unicode ${unicode} and the confusables of UTS 39 ${confusables}; do not edit.
// Unicode's data, https://www.unicode.org/license.txt: Copyright 1991-2026 Unicode, Inc.

/** JSON: letters, and all characters that stand for them. */
export const FOLDS = ${JSON.stringify(JSON.stringify(table))};

/** RE2: characters that stand for nothing. */
export const OTHERS = String.raw\`${others}\`;
`,
  );
}
