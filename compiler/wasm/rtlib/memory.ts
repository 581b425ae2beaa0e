/**
 * The allocator: a bump pointer, and free lists for hosts that free what they allocated (data patches, JSON texts).
 * Evaluation itself never frees: the host sets the heap pointer back after each one.
 *
 * A block is 4 bytes of header (its capacity; lowest bit set while it is free), then the payload at an address divisible
 * by 8. Capacities are 8n + 4, so that headers and payloads tile the heap without gaps. The first word of a free
 * block links to the next of its list: lists 0 to 15 hold one capacity each (4, 12, .. 124), the others one power of two.
 *
 * INVARIANT: the heap pointer is exactly what the host set, aligned or not; only allocation rounds up.
 * INVARIANT: memory.size is asked again before any growth, since the host may have grown memory too.
 */

import { FREE_LISTS, FREE_LISTS_SIZE, FREE_LISTS_STASH, HEADER_HEAP_BASE } from "../../../runtime/abi/layout";
import { abortWith } from "./host";

const HEADER: usize = 4;
const EXACT_LISTS: u32 = 16;
const LAST_LIST: u32 = FREE_LISTS_SIZE / 4 - 1;
/** How far a list of mixed sizes is searched before a larger list is tried. */
const SEARCH_LIMIT = 32;
const MAX_PAGES: u32 = 65535;

let heapPointer: usize = 0;
/** End of the memory known to be usable: never beyond memory.size or the ceiling. */
let heapLimit: usize = 0;
let heapCeiling: usize = 0xffffffff;
/** Whether any free list holds a block. */
let someFree = false;

/** First address of the heap. */
// @ts-ignore: decorator
@inline
export function heapBase(): usize {
  return load<u32>(HEADER_HEAP_BASE);
}

export function initHeap(): void {
  heapPointer = heapBase();
  heapLimit = 0;
}

/** Sets the address beyond which allocation aborts; 0 for none but that of the machine. */
export function setCeiling(address: usize): void {
  heapCeiling = address == 0 ? 0xffffffff : address;
  heapLimit = 0;
}

// @ts-ignore: decorator
@inline
function capacityOf(size: usize): usize {
  return ((size + HEADER + 7) & ~7) - HEADER;
}

/** A block of at least `size` bytes, divisible by 8. Contents are undefined. Aborts when there is no memory. */
export function alloc(size: usize): usize {
  const capacity = capacityOf(size);
  if (someFree) {
    const reused = takeFree(capacity);
    if (reused != 0) return reused;
  }
  const payload = (heapPointer + HEADER + 7) & ~7;
  const end = payload + capacity;
  // The comparison with payload finds a sum beyond 4 GiB, the one with size a size that capacityOf could not round.
  if (end > heapLimit || end < payload || capacity < size) ensure(payload, capacity, size);
  heapPointer = end;
  store<u32>(payload - HEADER, capacity);
  return payload;
}

/** Makes the last block larger where it stands, when `block` is the last one; else returns false and changes nothing. */
export function extend(block: usize, size: usize): bool {
  const capacity = load<u32>(block - HEADER);
  if (block + capacity != heapPointer) return false;
  const wanted = capacityOf(size);
  if (wanted <= capacity) return true;
  const end = block + wanted;
  if (end > heapLimit || end < block || wanted < size) ensure(block, wanted, size);
  heapPointer = end;
  store<u32>(block - HEADER, wanted);
  return true;
}

/** The bytes that fit into the block. */
// @ts-ignore: decorator
@inline
export function blockCapacity(block: usize): usize {
  return load<u32>(block - HEADER) & ~1;
}

/** Gives a block back. Anything that is not a live block of the heap (0, static data, freed before) is left alone. */
export function free(block: usize): void {
  if ((block & 7) != 0 || block < heapBase() + HEADER || block >= heapPointer) return;
  const capacity = load<u32>(block - HEADER);
  if ((capacity & 7) != 4 || capacity > heapPointer - block) return;
  if (block + capacity == heapPointer) {
    heapPointer = block - HEADER;
    return;
  }
  putFree(block, capacity);
}

/** Where the next block may begin: what a host saves before an evaluation. */
// @ts-ignore: decorator
@inline
export function heapMark(): usize {
  return heapPointer;
}

/** Frees every block made since `heapMark` gave `mark`. Only for scratch space, whose blocks are all at the end. */
// @ts-ignore: decorator
@inline
export function heapRelease(mark: usize): void {
  heapPointer = mark;
}

// Free lists ---------------------------------------------------------------------------------------------------------

function listOf(capacity: u32): u32 {
  if (capacity < 128) return capacity >> 3;
  const list = EXACT_LISTS + 24 - clz(capacity);
  return list > LAST_LIST ? LAST_LIST : list;
}

function putFree(block: usize, capacity: usize): void {
  const head = FREE_LISTS + (listOf(capacity) << 2);
  store<u32>(block - HEADER, capacity | 1);
  store<u32>(block, load<u32>(head));
  store<u32>(head, block);
  someFree = true;
}

function takeFree(capacity: usize): usize {
  let list = listOf(capacity);
  if (list < EXACT_LISTS) {
    const head = FREE_LISTS + (list << 2);
    const block = load<u32>(head);
    if (block != 0) {
      store<u32>(head, load<u32>(block));
      store<u32>(block - HEADER, capacity);
      return block;
    }
    list = EXACT_LISTS;
  }
  for (; list <= LAST_LIST; list++) {
    let link: usize = FREE_LISTS + (list << 2);
    for (let i = 0; i < SEARCH_LIMIT; i++) {
      const block: usize = load<u32>(link);
      if (block == 0) break;
      const found: usize = load<u32>(block - HEADER) & ~1;
      if (found >= capacity) {
        store<u32>(link, load<u32>(block));
        store<u32>(block - HEADER, capacity);
        if (found > capacity) putFree(block + capacity + HEADER, found - capacity - HEADER);
        return block;
      }
      link = block;
    }
  }
  return 0;
}

/** Makes `size` more bytes usable from `payload` on: raises the limit to what there is, then grows memory. */
function ensure(payload: usize, capacity: usize, size: usize): void {
  const end = payload + capacity;
  if (capacity < size || end < payload) abortWith("opa_malloc: failed");
  if (end > heapCeiling) abortWith("memory limit exceeded");
  let pages: u32 = memory.size();
  const needed: u32 = ((end - 1) >> 16) + 1;
  if (needed > pages) {
    // A little more than asked, so that building something large asks rarely; exactly what is asked when that fails.
    let extra = pages >> 2;
    if (extra > 256) extra = 256;
    if (needed > MAX_PAGES) abortWith("opa_malloc: failed");
    if (memory.grow(needed - pages + extra) == -1 && memory.grow(needed - pages) == -1) abortWith("opa_malloc: failed");
    pages = memory.size();
  }
  if (pages > MAX_PAGES) pages = MAX_PAGES;
  heapLimit = pages << 16;
  if (heapLimit > heapCeiling) heapLimit = heapCeiling;
}

// OPA ABI ------------------------------------------------------------------------------------------------------------

/** One byte more than asked: hosts exist that write a terminating NUL after the bytes they asked for. */
export function opa_malloc(size: usize): usize {
  if (size > 0xfffffff0) abortWith("opa_malloc: failed");
  return alloc(size + 1);
}

export function opa_free(block: usize): void {
  free(block);
}

export function opa_heap_ptr_get(): usize {
  return heapPointer;
}

/** Also forgets every free block: those above the pointer are gone, and those below are the host's business no more. */
export function opa_heap_ptr_set(pointer: usize): void {
  heapPointer = pointer;
  if (someFree) {
    memory.fill(FREE_LISTS, 0, FREE_LISTS_SIZE);
    someFree = false;
  }
}

/** Puts the free lists aside, so that an evaluation does not allocate in holes of the data. */
export function opa_heap_blocks_stash(): void {
  memory.copy(FREE_LISTS_STASH, FREE_LISTS, FREE_LISTS_SIZE);
  memory.fill(FREE_LISTS, 0, FREE_LISTS_SIZE);
  someFree = false;
}

export function opa_heap_blocks_restore(): void {
  memory.copy(FREE_LISTS, FREE_LISTS_STASH, FREE_LISTS_SIZE);
  memory.fill(FREE_LISTS_STASH, 0, FREE_LISTS_SIZE);
  someFree = true;
}

export function opa_heap_stash_clear(): void {
  memory.fill(FREE_LISTS_STASH, 0, FREE_LISTS_SIZE);
}
