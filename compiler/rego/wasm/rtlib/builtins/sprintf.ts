// sprintf, with the directives, flags and complaints of Go's fmt. To it, an argument is an int (an integer of 64 bits), a
// *big.Int (a larger one), a float64 (any other number in its range), or a string (everything else, as OPA prints it).

import { arrayGet } from "../array";
import { Buffer, bufferBytes, bufferLength, bufferString, newBuffer, putByte, putBytes, putCode, putLiteral, putString } from "../buffer";
import { intOf, isInt, numberTextLength, numberTextOf, putNumber } from "../number";
import { readDouble } from "../number/double";
import { MAX_DIGITS } from "../number/float";
import { natFromDigits } from "../number/nat";
import { bytesOf, codePointAt, lengthOf, widthAt } from "../string";
import { countOf, isArray, isNumber, isString } from "../value";
import { putFloat } from "./format/float";
import { putBigInteger, putHexBytes, putInteger } from "./format/integer";
import {
  clearFlags,
  hasPrecision,
  hasWidth,
  moveFlagsForV,
  plus,
  precision,
  putPadded,
  setPrecision,
  setWidth,
  setWidthArgument,
  sharp,
  sharpV,
  takeFlag,
} from "./format/state";
import { putGoQuoted, putTerm } from "./quote";

const INT = 0;
const BIG = 1;
const FLOAT = 2;
const TEXT = 3;

function kindOf(v: usize): i32 {
  if (!isNumber(v)) return TEXT;
  if (isInt(v)) return INT;
  const at = numberTextOf(v);
  const stop = at + numberTextLength(v);
  let digits = load<u8>(at) == 45 ? at + 1 : at;
  while (digits < stop && <u32>load<u8>(digits) - 48 <= 9) digits++;
  if (digits == stop) return isMinusZero(v) ? INT : numberTextLength(v) <= <u32>MAX_DIGITS ? BIG : TEXT;
  return readDouble(at, stop) ? FLOAT : TEXT;
}

/** `-0`, the one integer of 64 bits that is kept as text. */
function isMinusZero(v: usize): bool {
  return numberTextLength(v) == 2 && load<u16>(numberTextOf(v)) == 0x302d;
}

/** The value of an argument that is an INT. */
function intArgument(v: usize): i64 {
  return isInt(v) ? intOf(v) : 0;
}

let format: usize = 0;
let end: usize = 0;
let args: usize = 0;
let count: i32 = 0;
let argument: i32 = 0;
let reordered = false;
let goodArgument = false;
let afterIndex = false;
let out: Buffer = 0;

export function builtin_sprintf(text: usize, values: usize): usize {
  if (!isString(text) || !isArray(values)) return 0;
  format = bytesOf(text);
  end = format + lengthOf(text);
  args = values;
  count = <i32>countOf(values);
  argument = 0;
  reordered = false;
  afterIndex = false;
  out = newBuffer(lengthOf(text) + 32);
  while (format < end) {
    let at = format;
    while (at < end && load<u8>(at) != 37) at++;
    putBytes(out, format, <u32>(at - format));
    format = at;
    if (format < end) {
      format++;
      if (!directive()) break;
    }
  }
  if (!reordered && argument < count) putExtra();
  return bufferString(out);
}

/** Behind the %. False at the end of the text, where nothing more can come. */
function directive(): bool {
  goodArgument = true;
  clearFlags();
  while (format < end && takeFlag(load<u8>(format))) format++;
  if (format < end && <u32>load<u8>(format) - 97 < 26 && argument < count) {
    // The plain case: flags and a lower case letter.
    const letter: u32 = load<u8>(format++);
    if (letter == 118 || letter == 119) moveFlagsForV();
    putArgument(out, arrayGet(args, argument++), letter);
    return true;
  }
  takeIndex();
  takeWidth();
  takePrecision();
  if (!afterIndex) takeIndex();
  if (format >= end) {
    putLiteral(out, "%!(NOVERB)");
    return false;
  }
  const verb = codePointAt(format, end);
  format += widthAt(format, end);
  if (verb == 37) {
    putByte(out, 37);
  } else if (!goodArgument) {
    complain(verb, true);
  } else if (argument >= count) {
    complain(verb, false);
  } else {
    if (verb == 118 || verb == 119) moveFlagsForV();
    putArgument(out, arrayGet(args, argument++), verb);
  }
  return true;
}

function complain(verb: u32, index: bool): void {
  putLiteral(out, "%!");
  putCode(out, verb);
  if (index) putLiteral(out, "(BADINDEX)");
  else putLiteral(out, "(MISSING)");
}

/** Reads digits; -1 without any. If they are far too many, the rest of the text is dropped with them, as in Go. */
function takeNumber(stop: usize): i32 {
  let value = 0;
  let any = false;
  for (; format < stop && <u32>load<u8>(format) - 48 <= 9; format++) {
    if (value > 1000000) {
      format = stop;
      return -1;
    }
    value = value * 10 + (<i32>load<u8>(format) - 48);
    any = true;
  }
  return any ? value : -1;
}

/** [3]: the argument to go on with, counted from 1. */
function takeIndex(): void {
  afterIndex = false;
  if (format >= end || load<u8>(format) != 91) return;
  reordered = true;
  let close = format + 1;
  while (close < end && load<u8>(close) != 93) close++;
  if (close >= end) {
    format++;
    goodArgument = false;
    return;
  }
  format++;
  const index = takeNumber(close);
  const valid = index >= 0 && format == close;
  format = close + 1;
  if (valid && index >= 1 && index <= count) {
    argument = index - 1;
    afterIndex = true;
    return;
  }
  goodArgument = false;
  afterIndex = valid;
}

let argumentGiven = false;

/** An int argument for * ; Go refuses more than a million. */
function takeIntArgument(): i32 {
  argumentGiven = false;
  if (argument >= count) return 0;
  const v = arrayGet(args, argument++);
  if (kindOf(v) != INT || intArgument(v) > 1000000 || intArgument(v) < -1000000) return 0;
  argumentGiven = true;
  return <i32>intArgument(v);
}

function takeWidth(): void {
  if (format < end && load<u8>(format) == 42) {
    format++;
    const value = takeIntArgument();
    setWidthArgument(value, argumentGiven);
    if (!argumentGiven) putLiteral(out, "%!(BADWIDTH)");
    afterIndex = false;
    return;
  }
  const value = takeNumber(end);
  setWidth(max(value, 0), value >= 0);
  if (afterIndex && hasWidth) goodArgument = false;
}

function takePrecision(): void {
  if (end - format < 2 || format >= end || load<u8>(format) != 46) return;
  format++;
  if (afterIndex) goodArgument = false;
  takeIndex();
  if (format < end && load<u8>(format) == 42) {
    format++;
    const value = takeIntArgument();
    const present = argumentGiven && value >= 0;
    setPrecision(max(value, 0), present);
    if (!present) putLiteral(out, "%!(BADPREC)");
    afterIndex = false;
    return;
  }
  setPrecision(max(takeNumber(end), 0), true);
}

function putTypeName(b: Buffer, kind: i32): void {
  if (kind == INT) putLiteral(b, "int64");
  else if (kind == BIG) putLiteral(b, "*big.Int");
  else if (kind == FLOAT) putLiteral(b, "float64");
  else putLiteral(b, "string");
}

/** An argument that is a string to Go, as its bytes: strings as they are, everything else as OPA prints it. */
function textOfArgument(v: usize): Buffer {
  const b = newBuffer();
  if (isString(v)) putString(b, v);
  else if (isNumber(v)) putNumber(b, v);
  else putTerm(b, v);
  return b;
}

function putArgument(b: Buffer, v: usize, verb: u32): void {
  const kind = kindOf(v);
  if (verb == 84) {
    const name = newBuffer();
    putTypeName(name, kind);
    putText(b, bufferBytes(name), bufferLength(name));
    return;
  }
  let done = false;
  if (verb != 112) {
    if (kind == INT) {
      done = putInteger(b, intArgument(v), verb);
    } else if (kind == BIG) {
      const at = numberTextOf(v);
      putBigInteger(b, load<u8>(at) == 45, natFromDigits(at, at + numberTextLength(v)), verb);
      done = true;
    } else if (kind == FLOAT) {
      done = putFloat(b, verb);
    } else {
      done = putStringVerb(b, v, verb);
    }
  }
  if (done) return;
  // %!d(string=hi); the value is printed with the flags that are there.
  putLiteral(b, "%!");
  putCode(b, verb);
  putByte(b, 40);
  putTypeName(b, kind);
  putByte(b, 61);
  putArgument(b, v, 118);
  putByte(b, 41);
}

/** Text cut to the precision, in code points, and padded. */
function putText(b: Buffer, at: usize, length: u32): void {
  putPadded(b, at, cut(at, length));
}

function cut(at: usize, length: u32): u32 {
  if (!hasPrecision) return length;
  let size: u32 = 0;
  for (let left = precision; left > 0 && size < length; left--) size += widthAt(at + size, at + length);
  return size;
}

function putStringVerb(b: Buffer, v: usize, verb: u32): bool {
  if (verb != 118 && verb != 115 && verb != 113 && verb != 120 && verb != 88) return false;
  const text = textOfArgument(v);
  const at = bufferBytes(text);
  const length = bufferLength(text);
  if (verb == 120 || verb == 88) {
    putHexBytes(b, at, length, verb == 88);
  } else if (verb == 113 || (verb == 118 && sharpV)) {
    putQuotedText(b, at, cut(at, length));
  } else {
    putText(b, at, length);
  }
  return true;
}

/** "text", or `text` with # where that is possible. */
function putQuotedText(b: Buffer, at: usize, length: u32): void {
  const quoted = newBuffer();
  if (sharp && canBackquote(at, length)) {
    putByte(quoted, 96);
    putBytes(quoted, at, length);
    putByte(quoted, 96);
  } else {
    putGoQuoted(quoted, at, length, plus);
  }
  putPadded(b, bufferBytes(quoted), bufferLength(quoted));
}

function canBackquote(at: usize, length: u32): bool {
  const stop = at + length;
  while (at < stop) {
    const code = codePointAt(at, stop);
    const width = widthAt(at, stop);
    if (width == 1 && load<u8>(at) >= 128) return false;
    if ((code < 32 && code != 9) || code == 96 || code == 127 || code == 0xfeff) return false;
    at += width;
  }
  return true;
}

/** Arguments that no directive took. */
function putExtra(): void {
  clearFlags();
  putLiteral(out, "%!(EXTRA ");
  for (let i = argument; i < count; i++) {
    if (i > argument) putLiteral(out, ", ");
    const v = arrayGet(args, i);
    putTypeName(out, kindOf(v));
    putByte(out, 61);
    putArgument(out, v, 118);
  }
  putByte(out, 41);
}
