// A pattern that is one character or class, repeated or not, with or without the text's start and end (`[^a-z]+`, `^\w{1,64}$`):
// its matches are runs of characters, which are found without the machine.

import { charge } from "../../budget";
import { codePointAt, widthAt } from "../../string";
import {
  ANY,
  ANY_BUT_NEWLINE,
  ASSERT,
  CLASS,
  CONCAT,
  EMPTY,
  firstChild,
  isLazy,
  kindOf,
  leastOf,
  LITERAL,
  madeClass,
  mostOf,
  nextSibling,
  Node,
  payloadOf,
  PLUS,
  QUEST,
  REPEAT,
  STAR,
} from "./node";
import {
  ANCHORED,
  ANY_BUT_LINE_END,
  ANY_CHARACTER,
  BEGIN_TEXT,
  classHolds,
  END_TEXT,
  ONE_CHARACTER,
  REPEATED,
  REPEATED_LEAST,
  REPEATED_MOST,
  REPEATED_TO_END,
} from "./program";

// What of the pattern was read: nothing, its start, what is repeated, its end.
const BEGINS = 1;
const REPEATS = 2;
const ENDS = 3;

let read = 0;
let repeated: Node = 0;
let least: i32 = 0;
let most: i32 = 0;
let lazy = false;

/** Notes in a finished program what its tree repeats, if it is such a pattern. */
export function noteRepetition(program: usize, root: Node): void {
  read = 0;
  if (!visit(root) || read < REPEATS) return;
  const toEnd = read == ENDS;
  const anchored = load<u32>(program, ANCHORED) != 0;
  // Without a start, where such a match begins depends on how much follows.
  if (toEnd && most >= 0 && !anchored) return;
  if (lazy && !toEnd) most = least;
  store<u32>(program, charactersOf(repeated), REPEATED);
  store<i32>(program, least, REPEATED_LEAST);
  store<i32>(program, most, REPEATED_MOST);
  store<u32>(program, toEnd ? 1 : 0, REPEATED_TO_END);
}

function visit(node: Node): bool {
  switch (kindOf(node)) {
    case EMPTY:
      return true;
    case CONCAT: {
      for (let child = firstChild(node); child != 0; child = nextSibling(child)) if (!visit(child)) return false;
      return true;
    }
    case ASSERT:
      if (payloadOf(node) == BEGIN_TEXT && read <= BEGINS) read = BEGINS;
      else if (payloadOf(node) == END_TEXT && read >= REPEATS) read = ENDS;
      else return false;
      return true;
    case STAR:
      return repeats(firstChild(node), 0, -1, isLazy(node));
    case PLUS:
      return repeats(firstChild(node), 1, -1, isLazy(node));
    case QUEST:
      return repeats(firstChild(node), 0, 1, isLazy(node));
    case REPEAT:
      return mostOf(node) != 0 && repeats(firstChild(node), leastOf(node), mostOf(node), isLazy(node));
    default:
      return repeats(node, 1, 1, false);
  }
}

function repeats(node: Node, from: i32, to: i32, fewer: bool): bool {
  const kind = kindOf(node);
  if (read >= REPEATS || (kind != CLASS && kind != LITERAL && kind != ANY && kind != ANY_BUT_NEWLINE)) return false;
  read = REPEATS;
  repeated = node;
  least = from;
  most = to;
  lazy = fewer;
  return true;
}

function charactersOf(node: Node): u32 {
  switch (kindOf(node)) {
    case CLASS:
      return load<u32>(madeClass(node) - 4);
    case LITERAL:
      return ONE_CHARACTER | payloadOf(node);
    case ANY:
      return ANY_CHARACTER;
    default:
      return ANY_BUT_LINE_END;
  }
}

/** As runRegex, for a program that notes a repetition. Nothing of the text before `from` can be part of a match. */
export function findRepetition(program: usize, begin: usize, length: u32, from: u32, wanted: u32, found: usize): bool {
  const characters = load<u32>(program, REPEATED);
  const fewest = load<u32>(program, REPEATED_LEAST);
  const limit = load<u32>(program, REPEATED_MOST);
  const toEnd = load<u32>(program, REPEATED_TO_END) != 0;
  const anchored = load<u32>(program, ANCHORED) != 0;
  const end = begin + length;
  let at = begin + from;
  let to = at;
  let matched = false;
  // INVARIANT: no match begins before `at`.
  while (true) {
    let count: u32 = 0;
    for (to = at; to < end && count < limit && isOneOf(program, characters, codePointAt(to, end)); to += widthAt(to, end)) count++;
    matched = count >= fewest && (!toEnd || to == end);
    if (matched || anchored || to == end) break;
    at = to + widthAt(to, end);
  }
  // Matches are many where each is short.
  charge(1 + <i32>((to - begin - from) >> 5));
  if (!matched) return false;
  if (wanted > 0) store<u32>(found, <u32>(at - begin));
  if (wanted > 1) store<u32>(found, <u32>(to - begin), 4);
  return true;
}

function isOneOf(program: usize, characters: u32, c: u32): bool {
  if ((characters & ONE_CHARACTER) != 0) return c == (characters & ~ONE_CHARACTER);
  if (characters > ANY_BUT_LINE_END) return classHolds(program + characters, c);
  return characters == ANY_CHARACTER || c != 10;
}
