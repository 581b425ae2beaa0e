/** The bytes of an index, taken apart and put together again: what git itself would not write. */

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

export interface RawEntry {
  readonly mode: number;
  readonly hash: string;
  readonly flags: number;
  /** The second flags, of version 3. */
  readonly extended: number;
  readonly name: string;
}

export interface RawIndex {
  readonly version: number;
  readonly entries: readonly RawEntry[];
  readonly extensions: readonly { readonly signature: string; readonly body: Buffer }[];
}

/** Versions 2 and 3, with SHA-1. Names have one character a byte. */
export function readIndex(file: string): RawIndex {
  const bytes = readFileSync(file);
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  const entries: RawEntry[] = [];
  let at = 12;
  for (let i = 0; i < count; i++) {
    const flags = bytes.readUInt16BE(at + 60);
    const isExtended = (flags & 0x4000) !== 0;
    const from = at + (isExtended ? 64 : 62);
    const end = bytes.indexOf(0, from);
    const extended = isExtended ? bytes.readUInt16BE(at + 62) : 0;
    const hash = bytes.toString("hex", at + 40, at + 60);
    entries.push({
      mode: bytes.readUInt32BE(at + 24),
      hash,
      flags,
      extended,
      name: bytes.toString("latin1", from, end),
    });
    at += (end - at + 8) & ~7;
  }
  const extensions: { signature: string; body: Buffer }[] = [];
  while (at < bytes.length - 20) {
    const size = bytes.readUInt32BE(at + 4);
    extensions.push({ signature: bytes.toString("latin1", at, at + 4), body: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size;
  }
  return { version, entries, extensions };
}

export function writeIndex(file: string, { version, entries, extensions }: RawIndex): void {
  const head = Buffer.alloc(12);
  head.write("DIRC");
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(entries.length, 8);
  const parts = [head, ...entries.map(bytesOf)];
  for (const { signature, body } of extensions) {
    const title = Buffer.alloc(8);
    title.write(signature, "latin1");
    title.writeUInt32BE(body.length, 4);
    parts.push(title, body);
  }
  writeFileSync(file, sealed(Buffer.concat(parts)));
}

/** With the hash that an index ends with. */
export function sealed(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, createHash("sha1").update(bytes).digest()]);
}

function bytesOf({ mode, hash, flags, extended, name }: RawEntry): Buffer {
  const isExtended = (flags & 0x4000) !== 0;
  const length = 62 + (isExtended ? 2 : 0) + name.length;
  const made = Buffer.alloc((length + 8) & ~7);
  made.writeUInt32BE(mode, 24);
  made.write(hash, 40, "hex");
  made.writeUInt16BE((flags & 0xf000) | Math.min(name.length, 0xfff), 60);
  if (isExtended) made.writeUInt16BE(extended, 62);
  made.write(name, isExtended ? 64 : 62, "latin1");
  return made;
}

/** A node of the extension TREE. */
export interface CacheNode {
  readonly name: string;
  readonly count: number;
  readonly hash: string;
  readonly children?: readonly CacheNode[];
}

export function cacheTree({ name, count, hash, children = [] }: CacheNode): Buffer {
  const title = Buffer.from(`${name}\0${count} ${children.length}\n`, "latin1");
  return Buffer.concat([title, Buffer.from(count < 0 ? "" : hash, "hex"), ...children.map(cacheTree)]);
}
