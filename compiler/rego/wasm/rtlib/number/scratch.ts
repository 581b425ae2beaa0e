// Memory for intermediate results. The caller of a computation takes heapMark() before it and gives it all back with
// heapRelease() at its end, so that a policy that computes in a loop does not fill the heap.

import { alloc } from "../memory";

/** `size` bytes that live until the caller's caller releases them. */
export function scratch(size: usize): usize {
  return alloc(size);
}
