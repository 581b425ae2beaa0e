// strings.split_n: some parts of a split text, the first ones or the last.

import { newInt, readInt, readInteger } from "../number";
import { countOf, isNumber } from "../value";
import { builtin_array_slice } from "./arrays";
import { builtin_split } from "./strings";

export function builtin_strings_split_n(text: usize, separator: usize, n: usize): usize {
  if (!isNumber(n) || !readInt(n)) return 0;
  const wanted = readInteger;
  const parts = builtin_split(text, separator);
  if (parts == 0) return 0;
  const count = <i64>countOf(parts);
  const from = wanted < 0 ? max<i64>(0, count + wanted) : 0;
  return builtin_array_slice(parts, newInt(from), newInt(wanted < 0 ? count : wanted));
}
