// Globs: `*` any characters but separators, `**` any at all, `?` one that is not a separator, [abc] [!a-z] one of a class,
// {a,b} alternatives, \ takes the meaning from the next character. They become trees of the regular expression machine.

import { arrayGet, arrayPush, newArray } from "../array";
import { bufferString, newBuffer, putByte } from "../buffer";
import { abortWith } from "../host";
import { recall, remember } from "../memo";
import { heapMark } from "../memory";
import { badByte, bytesOf, codePointAt, codePointCount, lengthOf, widthAt } from "../string";
import { countOf, isArray, isNull, isString, newBoolean } from "../value";
import { addRange, beginClass, classNode } from "./regex/class";
import { compileProgram } from "./regex/compile-program";
import { knownProgram } from "./regex/known";
import { runRegex } from "./regex/machine";
import {
  ALTERNATE,
  ANY,
  appendChild,
  ASSERT,
  CONCAT,
  EMPTY,
  LITERAL,
  newNode,
  Node,
  STAR,
} from "./regex/node";
import { BEGIN_TEXT, END_TEXT, keepProgram } from "./regex/program";

const INVALID: usize = 1;
/** Alternatives nested deeper than this are refused. */
const MAX_BRACE_DEPTH = 200;

let at: usize = 0;
let end: usize = 0;
let separators: usize = 0;
let depth = 0;
let failed = false;

/** Separators: null for none, a list of characters, and an empty list for the dot. */
export function builtin_glob_match(pattern: usize, delimiters: usize, text: usize): usize {
  if (!isString(pattern) || !isString(text)) return 0;
  if (!isNull(delimiters)) {
    if (!isArray(delimiters)) return 0;
    for (let i: u32 = 0; i < countOf(delimiters); i++) {
      const character = arrayGet(delimiters, i);
      if (!isString(character) || codePointCount(character) != 1) return 0;
    }
  }
  const program = globOf(pattern, delimiters);
  return program == 0 ? 0 : newBoolean(runRegex(program, bytesOf(text), lengthOf(text), 0, 0, 0));
}

function globOf(pattern: usize, delimiters: usize): usize {
  let program = knownProgram(pattern, delimiters);
  if (program != 0) return program;
  const key = newArray(2);
  arrayPush(key, pattern);
  arrayPush(key, delimiters);
  program = recall(key);
  if (program == 0) {
    program = build_glob(pattern, delimiters);
    if (program == 0) program = INVALID;
    remember(key, program);
  }
  return program == INVALID ? 0 : program;
}

/** A new program of a pattern, or 0. Also called by the compiler, for the patterns of a policy. */
export function build_glob(pattern: usize, delimiters: usize): usize {
  const mark = heapMark();
  at = bytesOf(pattern);
  end = at + lengthOf(pattern);
  if (badByte(at, end) != end) return 0;
  separators = delimiters;
  depth = 0;
  failed = false;
  const root = newNode(CONCAT);
  appendChild(root, assertion(BEGIN_TEXT));
  appendChild(root, parseSequence());
  appendChild(root, assertion(END_TEXT));
  return failed ? 0 : keepProgram(compileProgram(root, 0, 0), mark);
}

function assertion(condition: u32): Node {
  const node = newNode(ASSERT);
  store<u32>(node, condition, 20);
  return node;
}

/** One character that is not a separator. */
function single(): Node {
  if (isNull(separators)) return newNode(ANY);
  beginClass();
  const n = countOf(separators);
  for (let i: u32 = 0; i < n; i++) {
    const code = codePointAt(bytesOf(arrayGet(separators, i)), bytesOf(arrayGet(separators, i)) + lengthOf(arrayGet(separators, i)));
    addRange(code, code);
  }
  if (n == 0) addRange(46, 46);
  return classNode(true);
}

function star(child: Node): Node {
  const node = newNode(STAR);
  appendChild(node, child);
  store<i32>(node, -1, 16);
  return node;
}

/** Up to the end, or in alternatives up to `,` or `}`, which are left. */
function parseSequence(): Node {
  const sequence = newNode(CONCAT);
  appendChild(sequence, newNode(EMPTY));
  while (at < end && !failed) {
    const c: u32 = load<u8>(at);
    if (depth > 0 && (c == 44 || c == 125)) break;
    if (c == 42) {
      at++;
      if (at < end && load<u8>(at) == 42) {
        at++;
        appendChild(sequence, star(newNode(ANY)));
      } else {
        appendChild(sequence, star(single()));
      }
    } else if (c == 63) {
      at++;
      appendChild(sequence, single());
    } else if (c == 91) {
      appendChild(sequence, parseRange());
    } else if (c == 123) {
      appendChild(sequence, parseAlternatives());
    } else {
      if (c == 92) at++;
      if (at >= end) {
        // A backslash at the very end takes the meaning from nothing.
        failed = true;
      } else {
        const node = newNode(LITERAL);
        store<u32>(node, take(), 20);
        appendChild(sequence, node);
      }
    }
  }
  return sequence;
}

function take(): u32 {
  const code = codePointAt(at, end);
  at += widthAt(at, end);
  return code;
}

/** At `{`. */
function parseAlternatives(): Node {
  at++;
  if (++depth > MAX_BRACE_DEPTH) abortWith("a glob nests too deep");
  const node = newNode(ALTERNATE);
  appendChild(node, parseSequence());
  while (at < end && load<u8>(at) == 44 && !failed) {
    at++;
    appendChild(node, parseSequence());
  }
  if (at >= end) failed = true;
  at++;
  depth--;
  return node;
}

/** At `[`: a range lo-hi, or a list of characters. */
function parseRange(): Node {
  at++;
  const negated = at < end && load<u8>(at) == 33;
  if (negated) at++;
  beginClass();
  if (at >= end) {
    failed = true;
    return newNode(EMPTY);
  }
  const second = at + widthAt(at, end);
  if (second < end && load<u8>(second) == 45) {
    const low = take();
    at++;
    const high = at < end ? take() : 0;
    if (high < low) failed = true;
    else addRange(low, high);
  } else {
    if (load<u8>(at) == 93) failed = true;
    while (at < end && load<u8>(at) != 93) {
      if (load<u8>(at) == 92) at++;
      if (at >= end) break;
      const code = take();
      addRange(code, code);
    }
  }
  if (at >= end || load<u8>(at) != 93) failed = true;
  at++;
  return classNode(negated);
}

/** The text with a backslash before everything that means something in a glob. */
export function builtin_glob_quote_meta(text: usize): usize {
  if (!isString(text)) return 0;
  const b = newBuffer(lengthOf(text));
  const from = bytesOf(text);
  const stop = from + lengthOf(text);
  for (let p = from; p < stop; p++) {
    const c: u32 = load<u8>(p);
    if (c == 42 || c == 63 || c == 92 || c == 91 || c == 93 || c == 123 || c == 125) putByte(b, 92);
    putByte(b, c);
  }
  return bufferString(b);
}
