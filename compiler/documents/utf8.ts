/** Bytes → text. Sources are UTF-8; a byte order mark is accepted; anything else is refused with its location. */

import { type Diagnostic, type RegoVersion, SourceFile, span } from "@portcullis/rego/diagnostics";
import { documentsDiagnostic } from "./codes.ts";

/** The file with its text (replacement characters where bytes are wrong), and the finding if any are. */
export function decodeSource(
  name: string,
  bytes: Uint8Array,
  version: RegoVersion = 1,
): { file: SourceFile; diagnostics: Diagnostic[] } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { file: new SourceFile(name, text, version), diagnostics: [] };
  } catch {
    const file = new SourceFile(name, new TextDecoder("utf-8").decode(bytes));
    const bad = firstInvalidByte(bytes);
    const start = new TextDecoder("utf-8").decode(bytes.subarray(0, bad)).length;
    const hex = (bytes[bad] ?? 0).toString(16).padStart(2, "0");
    const help = looksLikeUtf16(bytes) ? "the file looks like UTF-16; save it as UTF-8" : "save the file as UTF-8";
    return {
      file,
      diagnostics: [
        documentsDiagnostic("sources/invalid-utf8", { byte: `0x${hex}` }, span(file, start, start + 1), { help }),
      ],
    };
  }
}

/** The offset of the first byte that does not belong to a well-formed sequence (Unicode, table 3-7). */
function firstInvalidByte(bytes: Uint8Array): number {
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length === 0) return i;
    i += length;
  }
  return bytes.length;
}

function sequenceLength(bytes: Uint8Array, at: number): 0 | 1 | 2 | 3 | 4 {
  const b = (offset: number): number => bytes[at + offset] ?? 0;
  const tail = (offset: number): boolean => b(offset) >= 0x80 && b(offset) <= 0xbf;
  const first = b(0);
  if (first <= 0x7f) return 1;
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const low = first === 0xe0 ? 0xa0 : 0x80;
    const high = first === 0xed ? 0x9f : 0xbf;
    return b(1) >= low && b(1) <= high && tail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const low = first === 0xf0 ? 0x90 : 0x80;
    const high = first === 0xf4 ? 0x8f : 0xbf;
    return b(1) >= low && b(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

function looksLikeUtf16(bytes: Uint8Array): boolean {
  const mark = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return mark || (bytes.length >= 2 && (bytes[0] === 0) !== (bytes[1] === 0));
}
