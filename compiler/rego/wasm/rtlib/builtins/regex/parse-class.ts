// Classes of characters: in brackets, and by the names that escapes are.

import { widthAt } from "../../string";
import { addFoldedRange, addRange, beginClass, classNode } from "./class";
import { parseEscape } from "./escape";
import { addPerlClass, addPosixClass, addUnicodeClass } from "./named-class";
import { Node } from "./node";
import { at, end, fail, failed, moveTo, skip, takeCode } from "./reader";

/** Whether \d \s \w \p or one of their opposites stands here. */
export function isClassEscape(): bool {
  if (end - at < 2 || load<u8>(at) != 92) return false;
  const c = <u32>load<u8>(at, 1) | 32;
  return c == 100 || c == 115 || c == 119 || c == 112;
}

/** Adds it to the open class, and if that is folded, the characters that differ from it by case alone. */
export function parseClassEscape(fold: bool): void {
  const c: u32 = load<u8>(at, 1);
  skip(2);
  if ((c | 32) != 112) {
    addPerlClass(c, fold);
    return;
  }
  if (at >= end) {
    fail();
    return;
  }
  let name = at;
  if (load<u8>(at) != 123) {
    skip(widthAt(at, end));
  } else {
    name++;
    while (at < end && load<u8>(at) != 125) skip(1);
    if (at >= end) {
      fail();
      return;
    }
    skip(1);
  }
  const length = <u32>(at - name) - (load<u8>(name - 1) == 123 ? 1 : 0);
  if (!addUnicodeClass(name, length, c == 80, fold)) fail();
}

/** At `[`: its node, or 0. */
export function parseClass(fold: bool): Node {
  skip(1);
  beginClass();
  const negated = at < end && load<u8>(at) == 94;
  if (negated) skip(1);
  let first = true;
  while (true) {
    if (at >= end) {
      fail();
      return 0;
    }
    if (load<u8>(at) == 93 && !first) break;
    first = false;
    if (load<u8>(at) == 91 && end - at > 2 && load<u8>(at, 1) == 58 && parsePosix(fold)) {
      if (failed) return 0;
      continue;
    }
    if (isClassEscape()) {
      parseClassEscape(fold);
      if (failed) return 0;
      continue;
    }
    const from = classCharacter();
    let to = from;
    if (from >= 0 && end - at >= 2 && load<u8>(at) == 45 && load<u8>(at, 1) != 93) {
      skip(1);
      to = classCharacter();
    }
    if (from < 0 || to < from) {
      fail();
      return 0;
    }
    if (fold) addFoldedRange(from, to);
    else addRange(from, to);
  }
  skip(1);
  return classNode(negated);
}

function classCharacter(): i32 {
  if (at >= end) return -1;
  return load<u8>(at) == 92 ? parseEscape() : <i32>takeCode();
}

/** [:name:], taken if it is closed; an unknown name is an error. */
function parsePosix(fold: bool): bool {
  const name = at + 2;
  for (let stop = name; end - stop >= 2; stop++) {
    if (load<u8>(stop) != 58 || load<u8>(stop, 1) != 93) continue;
    if (!addPosixClass(name, <u32>(stop - name), fold)) fail();
    moveTo(stop + 2);
    return true;
  }
  return false;
}
