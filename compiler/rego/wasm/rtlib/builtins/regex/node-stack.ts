// The stack of a parser: the expressions that were read, with `(` and `|` between, until they are joined.

import { alloc, blockCapacity, extend } from "../../memory";
import { ALTERNATE, appendChild, CONCAT, EMPTY, kindOf, newNode, Node, OPEN, sizeOf } from "./node";

/** Instructions of a program, as many as Go allows. */
export const MAX_SIZE: u32 = (128 << 20) / 40;

let stack: usize = 0;
export let depth: u32 = 0;

export function beginStack(): void {
  stack = alloc(124);
  depth = 0;
}

export function push(node: Node): void {
  const size = (depth + 1) << 2;
  if (size > <u32>blockCapacity(stack) && !extend(stack, size << 1)) {
    const larger = alloc(size << 1);
    memory.copy(larger, stack, depth << 2);
    stack = larger;
  }
  store<u32>(stack + (depth << 2), <u32>node);
  depth++;
}

export function onStack(i: u32): Node {
  return load<u32>(stack + (i << 2));
}

/** Takes the last ones away. */
export function drop(count: u32): void {
  depth -= count;
}

/** Puts a node where the last one is. */
export function replaceTop(node: Node): void {
  store<u32>(stack + ((depth - 1) << 2), <u32>node);
}

/** Joins the expressions on the stack above the last `(` or `|`. */
export function closeConcat(): void {
  let first = depth;
  while (first > 0 && kindOf(onStack(first - 1)) < OPEN) first--;
  const n = depth - first;
  if (n == 1) return;
  const node = newNode(n == 0 ? EMPTY : CONCAT);
  let size: u64 = 1;
  for (let i = first; i < depth; i++) {
    size += sizeOf(onStack(i));
    appendChild(node, onStack(i));
  }
  store<u32>(node, <u32>min<u64>(size, <u64>MAX_SIZE + 1), 36);
  depth = first;
  push(node);
}

/** The same for the alternatives above the last `(`. */
export function closeAlternatives(): void {
  closeConcat();
  let first = depth;
  while (first > 0 && kindOf(onStack(first - 1)) != OPEN) first--;
  if (depth - first == 1) return;
  const node = newNode(ALTERNATE);
  let size: u64 = 0;
  // Alternatives and bars in turn.
  for (let i = first; i < depth; i += 2) {
    size += <u64>sizeOf(onStack(i)) + 1;
    appendChild(node, onStack(i));
  }
  store<u32>(node, <u32>min<u64>(size, <u64>MAX_SIZE + 1), 36);
  depth = first;
  push(node);
}
