// Trees of the prefixes that a policy's guards ask for: made by the compiler (compiler/rego/wasm/prefix-tree.ts), static. One way
// down finds the longest prefix of a text, whatever their number and lengths.
//
// A node:
//
//   +0  address of its value, 0 where no prefix ends here     +4  bytes of its edge: what leads here, behind the byte
//                                                                 that chose the node
//   +8  lowest byte that goes on                              +12 number of children: that byte's, the next one's, …
//   +16 children, as offsets from the tree; 0 for none        then the bytes of the edge

import { bytesOf, lengthOf, sameBytes } from "./string";
import { isString } from "./value";

const CHILDREN: usize = 16;

/** The value of the longest prefix of the text; 0 where it has none, or is no text. */
export function longestPrefix(tree: usize, text: usize): usize {
  if (!isString(text)) return 0;
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  let found: usize = 0;
  let node = tree;
  while (true) {
    const length = load<u32>(node, 4);
    const count = load<u32>(node, 12);
    if (length != 0) {
      if (<u32>(end - at) < length || !sameBytes(at, node + CHILDREN + (<usize>count << 2), length)) return found;
      at += length;
    }
    const value: usize = load<u32>(node);
    if (value != 0) found = value;
    if (at == end) return found;
    const next = <u32>load<u8>(at) - load<u32>(node, 8);
    if (next >= count) return found;
    const child: usize = load<u32>(node + CHILDREN + (<usize>next << 2));
    if (child == 0) return found;
    node = tree + child;
    at++;
  }
}
