/**
 * Large static data, packed for the module: tables of records repeat one another word for word, or but for addresses that
 * move with them. A loader that has 25 MB to copy has 6 MB to fetch and to check. rtlib/unpack.ts is the other half.
 *
 * Words go in blocks of BLOCK_WORDS: a byte `d`, the distance in words of the word that each is compared with (0: with the
 * number 0), two bits for each word (OP_), then what the words of the block need besides. The last block ends with zeros.
 */

import { BLOCK_WORDS, MAX_DISTANCE, OP_ADDED, OP_LITERAL, OP_MOVED } from "@portcullis/runtime/abi";

/** A packed piece of the data, with its number of words. */
export interface PackedPiece {
  readonly words: number;
  readonly bytes: Uint8Array;
}

/** Words of a piece, the last one apart: they are unpacked one after the other from the same room. */
export const PIECE_WORDS = 1 << 16;
/** More than a piece has. */
export const MOST_PIECE_BYTES = PIECE_WORDS * 6;
/** A block that needs no more bytes than this besides its head is good enough. */
const GOOD = 20;
/** Distances that blocks before had are tried first. */
const RECENT = 6;

/** The bytes, whose number is divisible by 4, in pieces. Words of earlier pieces stand in memory before those of later ones. */
export function pack(data: Uint8Array): PackedPiece[] {
  const words = new Uint32Array(data.slice().buffer);
  const packer = new Packer(words);
  const pieces: PackedPiece[] = [];
  for (let start = 0; start < words.length; start += PIECE_WORDS) {
    const end = Math.min(words.length, start + PIECE_WORDS);
    pieces.push({ words: end - start, bytes: packer.piece(start, end) });
  }
  return pieces;
}

class Packer {
  private readonly words: Uint32Array;
  private recent: number[] = [0];
  private out = new Uint8Array(MOST_PIECE_BYTES);
  private used = 0;

  constructor(words: Uint32Array) {
    this.words = words;
  }

  piece(start: number, end: number): Uint8Array {
    this.used = 0;
    for (let at = start; at < end; at += BLOCK_WORDS) {
      const until = Math.min(end, at + BLOCK_WORDS);
      this.block(at, until, this.distance(at, until));
    }
    return this.out.slice(0, this.used);
  }

  /** A distance with which a block gets short. */
  private distance(start: number, end: number): number {
    let best = 0;
    let least = this.cost(start, end, 0, Number.POSITIVE_INFINITY);
    const consider = (d: number): void => {
      const cost = d > start ? least : this.cost(start, end, d, least);
      if (cost < least) [best, least] = [d, cost];
    };
    this.recent.forEach(consider);
    if (least > GOOD) for (let d = 1; d <= MAX_DISTANCE; d++) consider(d);
    if (this.recent[0] !== best) this.recent = [best, ...this.recent.filter((d) => d !== best)].slice(0, RECENT);
    return best;
  }

  /** The bytes of a block with this distance, or `limit` when they are no fewer. */
  private cost(start: number, end: number, d: number, limit: number): number {
    const { words } = this;
    let cost = 0;
    for (let i = start; i < end && cost < limit; i++) {
      const difference = ((words[i] as number) - (d === 0 ? 0 : (words[i - d] as number))) | 0;
      if (difference !== 0 && difference !== d * 4) cost += Math.min(4, lengthOf(difference));
    }
    return Math.min(cost, limit);
  }

  private block(start: number, end: number, d: number): void {
    const { words, out } = this;
    const ops = this.used + 1;
    out[this.used] = d;
    this.used = ops + BLOCK_WORDS / 4;
    out.fill(0, ops, this.used);
    for (let i = start; i < end; i++) {
      const word = words[i] as number;
      const difference = (word - (d === 0 ? 0 : (words[i - d] as number))) | 0;
      if (difference === 0) continue;
      const op = difference === d * 4 ? OP_MOVED : lengthOf(difference) < 4 ? OP_ADDED : OP_LITERAL;
      const place = i - start;
      (out[ops + (place >> 2)] as number) |= op << ((place & 3) * 2);
      if (op === OP_ADDED) this.varint(zigzag(difference));
      else if (op === OP_LITERAL) for (let shift = 0; shift < 32; shift += 8) out[this.used++] = word >>> shift;
    }
  }

  private varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.out[this.used++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.out[this.used++] = rest;
  }
}

/** Small for small numbers of either sign. */
function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

/** Bytes of a difference as a varint. */
function lengthOf(difference: number): number {
  const value = zigzag(difference);
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : 4;
}
