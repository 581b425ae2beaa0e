// Classes that have names: \d, [:alpha:], \p{Greek}. Each adds its code points to the open class (class.ts).

import { beginCategories, categoryMask, nextRange, rangeHigh, rangeLow } from "../../unicode/category";
import { beginScript, nextScriptRange, scriptHigh, scriptLow } from "../../unicode/script";
import { addFoldedRange, addRange, beginPart, endPart, MAX_CODE } from "./class";

function add(from: u32, to: u32, fold: bool): void {
  if (fold) addFoldedRange(from, to);
  else addRange(from, to);
}

/** \d \s \w and their opposites: the letter decides. False for other letters. */
export function addPerlClass(letter: u32, fold: bool): bool {
  const lower = letter | 32;
  if (lower != 100 && lower != 115 && lower != 119) return false;
  beginPart();
  if (lower == 100) {
    add(48, 57, fold);
  } else if (lower == 115) {
    // Without vertical tab.
    add(9, 10, fold);
    add(12, 13, fold);
    add(32, 32, fold);
  } else {
    addWord(fold);
  }
  endPart(letter != lower);
  return true;
}

function addWord(fold: bool): void {
  add(48, 57, fold);
  add(65, 90, fold);
  add(95, 95, fold);
  add(97, 122, fold);
}

/** Whether the bytes are the literal. */
function is(name: usize, length: u32, text: string): bool {
  const at = changetype<usize>(text);
  if (length != <u32>text.length) return false;
  for (let i: u32 = 0; i < length; i++) if (load<u8>(name + i) != load<u16>(at + (i << 1))) return false;
  return true;
}

/** What stands between [: and :], with a leading ^ for the opposite. False for unknown names. */
export function addPosixClass(name: usize, length: u32, fold: bool): bool {
  const negated = length > 0 && load<u8>(name) == 94;
  if (negated) {
    name++;
    length--;
  }
  beginPart();
  const known = addPosix(name, length, fold);
  endPart(negated);
  return known;
}

function addPosix(name: usize, length: u32, fold: bool): bool {
  if (is(name, length, "alnum")) {
    add(48, 57, fold);
    add(65, 90, fold);
    add(97, 122, fold);
  } else if (is(name, length, "alpha")) {
    add(65, 90, fold);
    add(97, 122, fold);
  } else if (is(name, length, "ascii")) {
    add(0, 127, fold);
  } else if (is(name, length, "blank")) {
    add(9, 9, fold);
    add(32, 32, fold);
  } else if (is(name, length, "cntrl")) {
    add(0, 31, fold);
    add(127, 127, fold);
  } else if (is(name, length, "digit")) {
    add(48, 57, fold);
  } else if (is(name, length, "graph")) {
    add(33, 126, fold);
  } else if (is(name, length, "lower")) {
    add(97, 122, fold);
  } else if (is(name, length, "print")) {
    add(32, 126, fold);
  } else if (is(name, length, "punct")) {
    add(33, 47, fold);
    add(58, 64, fold);
    add(91, 96, fold);
    add(123, 126, fold);
  } else if (is(name, length, "space")) {
    add(9, 13, fold);
    add(32, 32, fold);
  } else if (is(name, length, "upper")) {
    add(65, 90, fold);
  } else if (is(name, length, "word")) {
    addWord(fold);
  } else if (is(name, length, "xdigit")) {
    add(48, 57, fold);
    add(65, 70, fold);
    add(97, 102, fold);
  } else {
    return false;
  }
  return true;
}

/** A category by its long name, written without separators; 0 for none. */
function longMask(name: usize, length: u32): u32 {
  // Each name stands before its short one.
  return (
    maskIn(name, length, "casedletter Lc closepunctuation Pe combiningmark M connectorpunctuation Pc control Cc cntrl Cc ") |
    maskIn(name, length, "currencysymbol Sc dashpunctuation Pd decimalnumber Nd digit Nd enclosingmark Me number N ") |
    maskIn(name, length, "finalpunctuation Pf format Cf initialpunctuation Pi letter L letternumber Nl mark M other C ") |
    maskIn(name, length, "lineseparator Zl lowercaseletter Ll mathsymbol Sm modifierletter Lm modifiersymbol Sk ") |
    maskIn(name, length, "nonspacingmark Mn openpunctuation Ps otherletter Lo othernumber No otherpunctuation Po ") |
    maskIn(name, length, "othersymbol So paragraphseparator Zp privateuse Co punctuation P punct P separator Z symbol S ") |
    maskIn(name, length, "spaceseparator Zs spacingmark Mc surrogate Cs titlecaseletter Lt unassigned Cn uppercaseletter Lu ")
  );
}

function maskIn(name: usize, length: u32, names: string): u32 {
  let at = changetype<usize>(names);
  const end = at + (<usize>names.length << 1);
  while (at < end) {
    let i: u32 = 0;
    while (i < length && (load<u8>(name + i) | 32) == load<u16>(at + (i << 1))) i++;
    const found = i == length && load<u16>(at + (i << 1)) == 32;
    while (load<u16>(at) != 32) at += 2;
    at += 2;
    const second: u32 = load<u16>(at, 2);
    store<u8>(SHORT, load<u8>(at));
    store<u8>(SHORT, second, 1);
    at += second == 32 ? 4 : 6;
    if (found) return categoryMask(SHORT, second == 32 ? 1 : 2);
  }
  return 0;
}

const SHORT: usize = memory.data(8);
/** A name in canonical form: first letter upper case, the others lower, no separators. */
const NAME: usize = memory.data(64);

/** What stands after \p or \P, without braces; `^` in front is for the opposite. False for unknown names. */
export function addUnicodeClass(name: usize, length: u32, negated: bool, fold: bool): bool {
  if (length > 0 && load<u8>(name) == 94) {
    negated = !negated;
    name++;
    length--;
  }
  if (length > 60) return false;
  let n: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    let byte: u32 = load<u8>(name + i);
    if (byte == 95 || byte == 45 || byte == 32) continue;
    if (n == 0 ? byte - 97 < 26 : byte - 65 < 26) byte ^= 32;
    store<u8>(NAME + n, byte);
    n++;
  }
  if (n == 0) return false;
  beginPart();
  const known = addNamed(n, fold);
  endPart(negated);
  return known;
}

function addNamed(n: u32, fold: bool): bool {
  if (is(NAME, n, "Any")) {
    addRange(0, MAX_CODE);
    return true;
  }
  if (is(NAME, n, "Ascii")) {
    add(0, 127, fold);
    return true;
  }
  // Assigned is every category but the unassigned one.
  let mask = is(NAME, n, "Assigned") ? 0x3ffffffe : categoryMask(NAME, n);
  if (mask == 0 && n > 2) mask = longMask(NAME, n);
  if (mask != 0) {
    beginCategories();
    while (nextRange(mask)) add(rangeLow, rangeHigh, fold);
    return true;
  }
  if (!beginScript(NAME, n)) return false;
  while (nextScriptRange()) add(scriptLow, scriptHigh, fold);
  return true;
}
