/**
 * The allocator: a bump pointer, and free lists for hosts that free what they allocated (data patches, JSON texts).
 * The host sets the heap pointer back after each evaluation, and turns of loops do as far as nothing of them can be reached.
 *
 * A block is 4 bytes of header (its capacity; lowest bit set while it is free), then the payload at an address divisible
 * by 8, so that blocks tile the heap without gaps. Blocks come in classes of one size each: 8, 16, .. 128 bytes with the
 * header, then four steps to each power of two. A free block is used again for its own class only, never split or joined:
 * a host that patches its data for ever needs no more than the most it ever had of each class. The first word of a free
 * block links to the next of its class.
 *
 * INVARIANT: the heap pointer is exactly what the host set, aligned or not; only allocation rounds up.
 * INVARIANT: memory.size is asked again before any growth, since the host may have grown memory too.
 */

import { FAULT_MEMORY, FREE_LISTS, FREE_LISTS_SIZE, FREE_LISTS_STASH, HEADER_HEAP_BASE, HEADER_RECLAIM } from "../../../../runtime/abi/layout";
import { chargeBytes } from "./budget";
import { abortWith } from "./host";

const HEADER: usize = 4;
/** Largest block, with its header, of the classes that are 8 bytes apart. */
const SMALL: usize = 128;
const MAX_PAGES: u32 = 65535;

/** Read by compiled code as well. */
export let heapPointer: usize = 0;
/** What lies below stays until the evaluation ends: something that outlives all turns of loops points there. Compiled code raises it. */
export let heapFloor: usize = 0;
/**
 * Turns give nothing back before the heap is here: where most evaluations never come, so that a mistake about what a turn lets
 * out could reach none that had room without giving back.
 */
export let reclaimFrom: usize = 0;
/** Below it a small block is known to have room, before memory.size and the ceiling both. 0 where neither was asked yet. */
let heapLimit: usize = 0;
let heapCeiling: usize = 0xffffffff;
/** Whether any free list holds a block. */
let someFree = false;

/** First address of the heap. */
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

function capacityOf(size: usize): usize {
  const block = (size + HEADER + 7) & ~7;
  return (block <= SMALL ? block : roundUp(block)) - HEADER;
}

/** The size of the class of a large block: five to eight quarters of a power of two. */
function roundUp(block: usize): usize {
  const step: usize = 1 << (29 - clz(block - 1));
  return (block + step - 1) & ~(step - 1);
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

/** As `alloc`, without a call where the block is small and at the end of the heap. */
export function allocSmall(size: usize): usize {
  if (someFree || size > SMALL - HEADER || heapPointer >= heapLimit) return alloc(size);
  const payload = (heapPointer + HEADER + 7) & ~7;
  const capacity = ((size + HEADER + 7) & ~7) - HEADER;
  heapPointer = payload + capacity;
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
export function blockCapacity(block: usize): usize {
  return load<u32>(block - HEADER) & ~1;
}

/** Gives a block back. Anything that is not a live block of the heap (0, static data, freed before) is left alone. */
export function free(block: usize): void {
  if ((block & 7) != 0 || block < heapBase() + HEADER || block >= heapPointer) return;
  const capacity = load<u32>(block - HEADER);
  if ((capacity & 7) != 4 || capacity > heapPointer - block || capacity != capacityOf(capacity)) return;
  if (block + capacity == heapPointer) {
    heapPointer = block - HEADER;
    return;
  }
  putFree(block, capacity);
}

/** Whether blocks that values outgrow are given back: while a host builds data that it keeps, not in evaluations. */
let reclaiming = false;

export function setReclaiming(on: bool): void {
  reclaiming = on;
}

/** Gives back a block that was outgrown, where that is worth while. */
export function outgrow(block: usize): void {
  if (reclaiming) free(block);
}

/** Where the next block may begin: what a host saves before an evaluation. */
export function heapMark(): usize {
  return heapPointer;
}

/** Frees every block made since `heapMark` gave `mark`. Only for scratch space, whose blocks are all at the end. */
export function heapRelease(mark: usize): void {
  // What is given back counts against no ceiling, so the work that it took must.
  if (heapPointer > mark) chargeBytes(<u32>(heapPointer - mark) << 1);
  heapPointer = mark;
}

/** At the end of a turn of a loop: frees what was made since the heap pointer was `mark`, but for what is below the floor. */
export function releaseTurn(mark: usize): void {
  if (heapPointer <= reclaimFrom) return;
  if (mark < heapFloor) mark = heapFloor;
  if (mark >= heapPointer) return;
  // As in heapRelease; most of the work was paid for by builtins and turns.
  chargeBytes(<u32>(heapPointer - mark));
  heapPointer = mark;
}

/** Keeps everything that was made so far until the evaluation ends. */
export function keepAll(): void {
  heapFloor = heapPointer;
}

/** At the start of every evaluation: nothing is kept, and turns give back once half of the room is used, or what the header says. */
export function beginTurns(): void {
  heapFloor = 0;
  const half = (heapCeiling - heapPointer) >> 1;
  const most: usize = load<u32>(HEADER_RECLAIM);
  reclaimFrom = heapPointer + (half < most ? half : most);
}

// Free lists ---------------------------------------------------------------------------------------------------------

/** The list of a class, by the capacity that its blocks have. */
function listOf(capacity: usize): usize {
  const block = capacity + HEADER;
  if (block <= SMALL) return FREE_LISTS + (block >> 1) - 4;
  const power = 31 - clz(block - 1);
  return FREE_LISTS + ((16 + ((power - 7) << 2) + (block >> (power - 2)) - 5) << 2);
}

function putFree(block: usize, capacity: usize): void {
  const list = listOf(capacity);
  store<u32>(block - HEADER, capacity | 1);
  store<u32>(block, load<u32>(list));
  store<u32>(list, block);
  someFree = true;
}

function takeFree(capacity: usize): usize {
  const list = listOf(capacity);
  const block: usize = load<u32>(list);
  if (block != 0) {
    store<u32>(list, load<u32>(block));
    store<u32>(block - HEADER, capacity);
  }
  return block;
}

/** Makes `capacity` bytes usable from `payload` on, which hold `size`: grows memory where that is needed. */
function ensure(payload: usize, capacity: usize, size: usize): void {
  const end = payload + capacity;
  if (capacity < size || end < payload) abortWith("opa_malloc: failed", FAULT_MEMORY);
  if (end > heapCeiling) abortWith("memory limit exceeded", FAULT_MEMORY);
  let pages: u32 = memory.size();
  const needed: u32 = ((end - 1) >> 16) + 1;
  if (needed > pages) {
    // A little more than asked, so that building something large asks rarely; exactly what is asked when that fails.
    let extra = pages >> 2;
    if (extra > 256) extra = 256;
    if (needed > MAX_PAGES) abortWith("opa_malloc: failed", FAULT_MEMORY);
    if (memory.grow(needed - pages + extra) == -1 && memory.grow(needed - pages) == -1) abortWith("opa_malloc: failed", FAULT_MEMORY);
    pages = memory.size();
  }
  if (pages > MAX_PAGES) pages = MAX_PAGES;
  const limit = min<usize>(pages << 16, heapCeiling);
  heapLimit = limit < SMALL * 2 ? 0 : limit - SMALL * 2;
}

// OPA ABI ------------------------------------------------------------------------------------------------------------

/** One byte more than asked: hosts exist that write a terminating NUL after the bytes they asked for. */
export function opa_malloc(size: usize): usize {
  if (size > 0xfffffff0) abortWith("opa_malloc: failed", FAULT_MEMORY);
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
