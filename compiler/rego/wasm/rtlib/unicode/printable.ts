// Which code points Go's %q shows as they are: letters, marks, numbers, punctuation, symbols, and the ASCII space.
// The table is the lengths of runs, unprintable ones first and in turn, as varints.

import { PRINTABLE_RUNS } from "./printable-data";

export function isPrintable(code: u32): bool {
  if (code < 127) return code >= 32;
  let at = PRINTABLE_RUNS;
  let end: u32 = 0;
  let printable = true;
  do {
    printable = !printable;
    let shift = 0;
    let length: u32 = 0;
    let byte: u32;
    do {
      byte = load<u8>(at++);
      length |= (byte & 127) << shift;
      shift += 7;
    } while (byte >= 128);
    end += length;
  } while (code >= end && end < 0x110000);
  return code < end && printable;
}
