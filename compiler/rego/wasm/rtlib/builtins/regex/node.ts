// Syntax tree of a regular expression. Nodes are addresses of 40 bytes; children are linked.
//
//   +0   u8   kind                      +1  u8   flags
//   +4   u32  first child               +8  u32  next sibling
//   +12  i32  least repetitions, or the number of a group       +16  i32  most repetitions, -1 for no limit
//   +20  u32  code point of a literal, or address of the ranges of a class
//   +24  u32  count of ranges           +28 u32  last child; of a class, its address in the program that is made
//   +32  i32  height of the tree        +36 u32  size of its program, saturating

import { alloc } from "../../memory";

export type Node = usize;

export const EMPTY: u8 = 1;
export const LITERAL: u8 = 2;
export const CLASS: u8 = 3;
export const ANY: u8 = 4;
export const ANY_BUT_NEWLINE: u8 = 5;
/** Empty-width tests: see program.ts for their conditions. */
export const ASSERT: u8 = 6;
export const CAPTURE: u8 = 7;
export const STAR: u8 = 8;
export const PLUS: u8 = 9;
export const QUEST: u8 = 10;
export const REPEAT: u8 = 11;
export const CONCAT: u8 = 12;
export const ALTERNATE: u8 = 13;
/** Only on the parser's stack. */
export const OPEN: u8 = 14;
export const BAR: u8 = 15;

export const NODE_SIZE: usize = 40;
/** Node flag: prefers fewer repetitions. */
export const LAZY: u8 = 1;

export function newNode(kind: u8): Node {
  const node = alloc(NODE_SIZE);
  memory.fill(node, 0, NODE_SIZE);
  store<u8>(node, kind);
  store<i32>(node, 1, 32);
  store<u32>(node, 1, 36);
  return node;
}

export function kindOf(node: Node): u8 {
  return load<u8>(node);
}

export function isLazy(node: Node): bool {
  return (load<u8>(node, 1) & LAZY) != 0;
}

export function firstChild(node: Node): Node {
  return load<u32>(node, 4);
}

export function nextSibling(node: Node): Node {
  return load<u32>(node, 8);
}

export function leastOf(node: Node): i32 {
  return load<i32>(node, 12);
}

export function mostOf(node: Node): i32 {
  return load<i32>(node, 16);
}

/** Code point of a literal, condition of an assertion, ranges of a class. */
export function payloadOf(node: Node): u32 {
  return load<u32>(node, 20);
}

export function rangeCount(node: Node): u32 {
  return load<u32>(node, 24);
}

export function heightOf(node: Node): i32 {
  return load<i32>(node, 32);
}

export function sizeOf(node: Node): u32 {
  return load<u32>(node, 36);
}

/** Adds a child; the height grows as it must, and the size by the child's and one more. */
export function appendChild(node: Node, child: Node): void {
  const last: Node = load<u32>(node, 28);
  if (last == 0) store<u32>(node, <u32>child, 4);
  else store<u32>(last, <u32>child, 8);
  store<u32>(child, 0, 8);
  store<u32>(node, <u32>child, 28);
  if (heightOf(child) >= heightOf(node)) store<i32>(node, heightOf(child) + 1, 32);
  store<u32>(node, min(sizeOf(node) + sizeOf(child) + 1, <u32>1 << 30), 36);
}

/** Address of the class that was made for the node, 0 before. The word before it is its offset in the finished program. */
export function madeClass(node: Node): usize {
  return load<u32>(node, 28);
}

export function setMadeClass(node: Node, address: usize): void {
  store<u32>(node, <u32>address, 28);
}
