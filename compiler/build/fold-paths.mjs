// Writes compiler/governance/lower/path-fold-table.ts: how paths are folded, so that two names of one file in some file system are
// one text. A character stands for its canonical decomposition (NFD) in full case folding, to a fixed point, without marks and
// format characters.
//
//   node compiler/build/fold-paths.mjs
//
// All is of the Unicode of this Node, which the result names. Syllables of Hangul, which are composed by a rule, are left out.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const isHangul = (code) => code >= 0xac00 && code <= 0xd7a3;

/** Case folding of one character: what differs from it in case alone gives the same. */
function caseFolded(character) {
  const lower = [...character.toUpperCase()].map((upper) => upper.toLowerCase()).join("");
  // A single letter whose case is its own matter, as the dotless i, stays.
  const isOne = [...lower].length === 1 && [...character.toLowerCase()].length === 1;
  if (!isOne) return character.toLowerCase() === character ? lower : character.toLowerCase();
  const pattern = `^\\u{${character.codePointAt(0).toString(16)}}$`;
  return new RegExp(pattern, "iu").test(lower) ? lower : character;
}

/** The text of a character, to a fixed point. */
function foldOf(character) {
  let fold = character;
  for (let again = ""; again !== fold; ) {
    again = fold;
    fold = [...fold.normalize("NFD")].map(caseFolded).join("");
  }
  return fold.replace(/[\p{M}\p{Cf}]/gu, "");
}

export function pathFolds() {
  const table = {};
  const nothing = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if ((code >= 0xd800 && code <= 0xdfff) || isHangul(code)) continue;
    const character = String.fromCodePoint(code);
    const fold = foldOf(character);
    if (fold === character) continue;
    if (fold !== "") table[fold] = (table[fold] ?? "") + character;
    else if (nothing.at(-1)?.[1] === code - 1) nothing.at(-1)[1] = code;
    else nothing.push([code, code]);
  }
  const sorted = Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { unicode: process.versions.unicode, table: sorted, nothing };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { unicode, table, nothing } = pathFolds();
  const ranges = nothing.map(([from, to]) =>
    from === to ? from.toString(16) : `${from.toString(16)}-${to.toString(16)}`,
  );
  writeFileSync(
    fileURLToPath(new URL("../governance/lower/path-fold-table.ts", import.meta.url)),
    `// Made by compiler/build/fold-paths.mjs of Unicode ${unicode}; do not edit.
// Unicode's data, https://www.unicode.org/license.txt: Copyright 1991-2026 Unicode, Inc.

/** JSON: texts, and all characters that stand for each. */
export const PATH_FOLDS = ${JSON.stringify(JSON.stringify(table))};

/** Code points and ranges of them that stand for nothing. */
export const NOTHING = "${ranges.join(" ")}";
`,
  );
}
