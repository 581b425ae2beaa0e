// Networks in CIDR notation.

import { FAULT_MEMORY } from "../../../../../runtime/abi/layout";
import { arrayGet, arrayPush, newArray } from "../array";
import { bufferString, newBuffer } from "../buffer";
import { charge } from "../budget";
import { abortWith } from "../host";
import { newInt } from "../number";
import { objectKeyAt, objectValueAt, sortObject } from "../object";
import { newSet, setAdd, setAt, sortSet } from "../set";
import { bytesOf, lengthOf } from "../string";
import { countOf, isArray, isObject, isSet, isString, newBoolean } from "../value";
import {
  addressHigh,
  addressLow,
  isV4,
  lastOf,
  NETWORK_SIZE,
  networkHolds,
  putAddress,
  readAddress,
  readNetwork,
} from "./net/address";

/** Larger networks are not expanded. */
const MAX_EXPANDED_BITS = 20;

const NETWORKS: usize = memory.data(48, 8);

function network(text: usize, place: usize): bool {
  return isString(text) && readNetwork(bytesOf(text), bytesOf(text) + lengthOf(text), NETWORKS + place * NETWORK_SIZE);
}

export function builtin_net_cidr_is_valid(text: usize): usize {
  return newBoolean(network(text, 0));
}

export function builtin_net_cidr_intersects(a: usize, b: usize): usize {
  if (!network(a, 0) || !network(b, 1)) return 0;
  const x = NETWORKS;
  const y = NETWORKS + NETWORK_SIZE;
  return newBoolean(
    networkHolds(x, load<u64>(y), load<u64>(y, 8)) || networkHolds(y, load<u64>(x), load<u64>(x, 8)),
  );
}

const INVALID = 0;
const NO = 1;
const YES = 2;

/** Whether a network holds an address, or another network. */
function holds(a: usize, b: usize): i32 {
  if (!network(a, 0) || !isString(b)) return INVALID;
  const at = bytesOf(b);
  if (readAddress(at, at + lengthOf(b))) return networkHolds(NETWORKS, addressHigh, addressLow) ? YES : NO;
  if (!network(b, 1)) return INVALID;
  const other = NETWORKS + NETWORK_SIZE;
  // Neither is of IPv4: then prefixes say all. The last address of a network of IPv6 may well look like one of IPv4.
  if (!isV4(load<u64>(NETWORKS), load<u64>(NETWORKS, 8)) && !isV4(load<u64>(other), load<u64>(other, 8))) {
    const holdsFirst = networkHolds(NETWORKS, load<u64>(other), load<u64>(other, 8));
    return holdsFirst && load<i32>(NETWORKS, 16) <= load<i32>(other, 16) ? YES : NO;
  }
  if (!networkHolds(NETWORKS, load<u64>(other), load<u64>(other, 8))) return NO;
  lastOf(other);
  return networkHolds(NETWORKS, addressHigh, addressLow) ? YES : NO;
}

export function builtin_net_cidr_contains(a: usize, b: usize): usize {
  const answer = holds(a, b);
  return answer == INVALID ? 0 : newBoolean(answer == YES);
}

export function builtin_net_cidr_overlap(a: usize, b: usize): usize {
  return builtin_net_cidr_contains(a, b);
}

/** How many networks an argument names; anything but strings and collections names none. */
function nameCount(v: usize): u32 {
  if (isString(v)) return 1;
  if (isSet(v)) sortSet(v);
  else if (isObject(v)) sortObject(v);
  else if (!isArray(v)) return 0;
  return countOf(v);
}

/** A network's text: a string, or the first element of an array; 0 for anything else. */
function nameAt(v: usize, i: u32): usize {
  if (isString(v)) return v;
  const element = isArray(v) ? arrayGet(v, i) : isSet(v) ? setAt(v, i) : objectValueAt(v, i);
  if (isString(element)) return element;
  return isArray(element) && countOf(element) > 0 ? arrayGet(element, 0) : 0;
}

/** What stands for it in the result. */
function indexAt(v: usize, i: u32): usize {
  if (isString(v)) return v;
  return isArray(v) ? newInt(i) : isSet(v) ? setAt(v, i) : objectKeyAt(v, i);
}

export function builtin_net_cidr_contains_matches(a: usize, b: usize): usize {
  const result = newSet(0);
  const n = nameCount(a);
  const m = nameCount(b);
  for (let i: u32 = 0; i < n; i++) {
    const left = nameAt(a, i);
    if (left == 0) return 0;
    charge(<i32>m);
    for (let j: u32 = 0; j < m; j++) {
      const right = nameAt(b, j);
      const answer = right == 0 ? INVALID : holds(left, right);
      if (answer == INVALID) return 0;
      if (answer == NO) continue;
      const pair = newArray(2);
      arrayPush(pair, indexAt(a, i));
      arrayPush(pair, indexAt(b, j));
      setAdd(result, pair);
    }
  }
  return result;
}

/** The set of all addresses of a network. */
export function builtin_net_cidr_expand(text: usize): usize {
  if (!network(text, 0)) return 0;
  const bits = 128 - load<i32>(NETWORKS, 16);
  if (bits > MAX_EXPANDED_BITS) abortWith("memory limit exceeded", FAULT_MEMORY);
  const count: u32 = 1 << bits;
  charge(<i32>count);
  const result = newSet(count);
  const high = load<u64>(NETWORKS);
  const low = load<u64>(NETWORKS, 8);
  for (let i: u32 = 0; i < count; i++) {
    const b = newBuffer(44);
    putAddress(b, high, low | <u64>i);
    setAdd(result, bufferString(b));
  }
  return result;
}
