// net.cidr_merge: the fewest networks that cover the same addresses.

import { arrayGet } from "../array";
import { bufferString, newBuffer } from "../buffer";
import { abortWith } from "../host";
import { alloc } from "../memory";
import { newSet, setAdd, setAt, sortSet } from "../set";
import { bytesOf, lengthOf } from "../string";
import { countOf, isArray, isSet, isString } from "../value";
import { addressHigh, addressLow, highMask, isV4, lastOf, lowMask, putNetwork, readAddress, readNetwork, writtenAsV4 } from "./net/address";

// A range: first address (0, 8), last address (16, 24), the network's own address (32, 40), its prefix length at 48 or,
// for ranges that were merged, -1.
const RANGE: usize = 56;

let ranges: usize = 0;

/** Whether a network of IPv6 lies among the IPv4-mapped addresses or beside them: OPA panics, or does not merge them. */
let mapped = false;

function rangeAt(i: u32): usize {
  return ranges + i * RANGE;
}

export function builtin_net_cidr_merge(networks: usize): usize {
  const array = isArray(networks);
  if (!array && !isSet(networks)) return 0;
  if (!array) sortSet(networks);
  const n = countOf(networks);
  ranges = alloc((<usize>n + 1) * RANGE);
  mapped = false;
  for (let i: u32 = 0; i < n; i++) {
    const text = array ? arrayGet(networks, i) : setAt(networks, i);
    if (!isString(text) || !readRange(text, rangeAt(i))) return 0;
  }
  if (n > 1 && mapped) abortWith("net.cidr_merge of IPv4-mapped IPv6 networks beside others");
  sort(n);
  const result = newSet(n);
  if (n == 0) return result;
  // From the last one down: a range that begins within or right behind the one before it joins it.
  let current = n - 1;
  for (let i = n - 1; i > 0; i--) {
    const before = rangeAt(i - 1);
    const range = rangeAt(current);
    if (reaches(before, range)) {
      if (comparePairs(range, before) < 0) copyPair(before, range);
      copyPair(before + 16, range + 16);
      store<i32>(before, -1, 48);
    } else {
      addRange(result, range);
    }
    current = i - 1;
  }
  addRange(result, rangeAt(current));
  return result;
}

/** A network; or an IPv4 address, which OPA takes for the network of its class, unmasked where it is printed. */
function readRange(text: usize, range: usize): bool {
  const at = bytesOf(text);
  const end = at + lengthOf(text);
  if (readAddress(at, end)) {
    if (!isV4(addressHigh, addressLow)) return false;
    const top = <u32>(addressLow >> 24) & 255;
    const prefix = 96 + (top < 128 ? 8 : top < 192 ? 16 : 24);
    store<u64>(range, addressHigh, 32);
    store<u64>(range, addressLow, 40);
    store<i32>(range, prefix, 48);
    store<u64>(range, addressHigh & highMask(prefix));
    store<u64>(range, addressLow & lowMask(prefix), 8);
    store<u64>(range, addressHigh | ~highMask(prefix), 16);
    store<u64>(range, addressLow | ~lowMask(prefix), 24);
    return true;
  }
  const network = alloc(24);
  if (!readNetwork(at, end, network)) return false;
  if (!writtenAsV4 && load<u64>(network) == 0 && load<u32>(network, 12) - 0xfffe <= 2) mapped = true;
  store<u64>(range, load<u64>(network), 32);
  store<u64>(range, load<u64>(network, 8), 40);
  store<i32>(range, load<i32>(network, 16), 48);
  copyPair(range, network);
  lastOf(network);
  store<u64>(range, addressHigh, 16);
  store<u64>(range, addressLow, 24);
  return true;
}

function copyPair(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u64>(to, load<u64>(from, 8), 8);
}

function comparePairs(a: usize, b: usize): i32 {
  const x = load<u64>(a);
  const y = load<u64>(b);
  if (x != y) return x < y ? -1 : 1;
  const p = load<u64>(a, 8);
  const q = load<u64>(b, 8);
  return p == q ? 0 : p < q ? -1 : 1;
}

/** Order by last address, then by first. */
function compareRanges(a: usize, b: usize): i32 {
  const order = comparePairs(a + 16, b + 16);
  return order != 0 ? order : comparePairs(a, b);
}

/** Whether the address before the range's first is not behind the last of the other. */
function reaches(before: usize, range: usize): bool {
  let high = load<u64>(range);
  let low = load<u64>(range, 8);
  // Nothing stands before the lowest address of either kind.
  if (!(isV4(high, low) && <u32>low == 0) && (high | low) != 0) {
    if (low == 0) high--;
    low--;
  }
  const lastHigh = load<u64>(before, 16);
  return high != lastHigh ? high < lastHigh : low <= load<u64>(before, 24);
}

function addRange(result: usize, range: usize): void {
  const prefix = load<i32>(range, 48);
  if (prefix >= 0) {
    add(result, load<u64>(range, 32), load<u64>(range, 40), prefix);
    return;
  }
  // The largest network that begins at the first address and does not go beyond the last one, again and again.
  let high = load<u64>(range);
  let low = load<u64>(range, 8);
  const lastHigh = load<u64>(range, 16);
  const lastLow = load<u64>(range, 24);
  const shortest = isV4(high, low) ? 96 : 0;
  while (true) {
    let bits = 128;
    while (bits > shortest) {
      const shorter = bits - 1;
      const fits = (high & ~highMask(shorter)) == 0 && (low & ~lowMask(shorter)) == 0;
      const endHigh = high | ~highMask(shorter);
      const endLow = low | ~lowMask(shorter);
      if (!fits || (endHigh != lastHigh ? endHigh > lastHigh : endLow > lastLow)) break;
      bits = shorter;
    }
    add(result, high, low, bits);
    const endHigh = high | ~highMask(bits);
    const endLow = low | ~lowMask(bits);
    if (endHigh == lastHigh && endLow == lastLow) return;
    low = endLow + 1;
    high = low == 0 ? endHigh + 1 : endHigh;
  }
}

function add(result: usize, high: u64, low: u64, prefix: i32): void {
  const b = newBuffer(50);
  putNetwork(b, high, low, prefix);
  setAdd(result, bufferString(b));
}

// Heap sort: in place, and never quadratic. ---------------------------------------------------------------------------

function sort(n: u32): void {
  for (let i = n >> 1; i > 0; i--) sift(i - 1, n);
  for (let end = n; end > 1; end--) {
    swap(0, end - 1);
    sift(0, end - 1);
  }
}

function swap(i: u32, j: u32): void {
  for (let offset: usize = 0; offset < RANGE; offset += 8) {
    const a = load<u64>(rangeAt(i) + offset);
    store<u64>(rangeAt(i) + offset, load<u64>(rangeAt(j) + offset));
    store<u64>(rangeAt(j) + offset, a);
  }
}

function sift(root: u32, end: u32): void {
  while (true) {
    let child: u32 = 2 * root + 1;
    if (child >= end) return;
    if (child + 1 < end && compareRanges(rangeAt(child), rangeAt(child + 1)) < 0) child++;
    if (compareRanges(rangeAt(root), rangeAt(child)) >= 0) return;
    swap(root, child);
    root = child;
  }
}
