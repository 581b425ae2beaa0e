/** Indexes made by hand, a byte at a time where it matters, and the trees that git would write of them. */
import { createHash } from "node:crypto";

export type Hash = "sha1" | "sha256";

export interface IndexEntry {
  /** One character a byte. */
  readonly name: string;
  readonly mode?: number;
  readonly hash?: string;
  /** The upper four bits. */
  readonly flags?: number;
  /** What the lower twelve say of the name's length, where that is not so. */
  readonly length?: number;
  /** The second flags, with `0x4000` in the first. */
  readonly extended?: number;
  /** Version 4: how much of the last name to drop, where it is not what git would say; as bytes, where it is no such number. */
  readonly cut?: number | readonly number[];
}

export interface IndexText {
  readonly version?: number;
  readonly hash?: Hash;
  readonly entries?: readonly IndexEntry[];
  readonly count?: number;
  readonly extensions?: readonly (readonly [signature: string, body: Buffer, size?: number])[];
  /** Changes what is sealed. */
  readonly change?: (body: Buffer) => Buffer;
  /** Instead of the hash at the end. */
  readonly seal?: (hash: Buffer) => Buffer;
}

export const contentOf = (hash: Hash, name: string): string => createHash(hash).update(name, "latin1").digest("hex");

export function indexOf({ version = 2, hash = "sha1", entries = [], extensions = [], ...odd }: IndexText): Buffer {
  const head = Buffer.alloc(12);
  head.write("DIRC");
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(odd.count ?? entries.length, 8);
  const rows = entries.map((entry, i) => rowOf(entry, entries[i - 1]?.name ?? "", version, hash));
  const parts = extensions.map(([signature, body, size = body.length]) => {
    const title = Buffer.alloc(8);
    title.write(signature, "latin1");
    title.writeUInt32BE(size, 4);
    return Buffer.concat([title, body]);
  });
  const body = (odd.change ?? ((same) => same))(Buffer.concat([head, ...rows, ...parts]));
  const digest = createHash(hash).update(body).digest();
  return Buffer.concat([body, (odd.seal ?? ((same) => same))(digest)]);
}

function rowOf(entry: IndexEntry, last: string, version: number, hashName: Hash): Buffer {
  const { name, mode = 0o100644, hash = contentOf(hashName, name), flags = 0, extended } = entry;
  const fixed = Buffer.alloc(40);
  fixed.writeUInt32BE(mode, 24);
  // What git notes of the file on disk says nothing of the commit.
  for (const at of [0, 8, 28, 36]) fixed.writeUInt32BE(0x01010101, at);
  const marks = Buffer.alloc(extended === undefined ? 2 : 4);
  marks.writeUInt16BE(flags | (extended === undefined ? 0 : 0x4000) | (entry.length ?? Math.min(name.length, 0xfff)));
  if (extended !== undefined) marks.writeUInt16BE(extended, 2);
  const front = Buffer.concat([fixed, Buffer.from(hash, "hex"), marks]);
  if (version === 4) return Buffer.concat([front, shortened(entry, last), Buffer.of(0)]);
  const made = Buffer.alloc((front.length + name.length + 8) & ~7);
  front.copy(made);
  made.write(name, front.length, "latin1");
  return made;
}

function shortened({ name, cut }: IndexEntry, last: string): Buffer {
  let same = 0;
  while (same < last.length && last[same] === name[same]) same++;
  const dropped = typeof cut === "number" ? cut : last.length - same;
  const number = typeof cut === "object" ? Buffer.from(cut) : numberOf(dropped);
  return Buffer.concat([number, Buffer.from(name.slice(last.length - dropped), "latin1")]);
}

/** As packs have numbers: seven bits a byte, the highest first, each further byte counting from one. */
function numberOf(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift(0x80 | (--left & 0x7f));
  return Buffer.from(bytes);
}

export interface Tree {
  readonly hash: string;
  readonly count: number;
}

/** Each folder of the entries as git writes it, by its path with a slash at the end. */
export function treesOf(entries: readonly IndexEntry[], hashName: Hash): Map<string, Tree> {
  const found = new Map<string, Tree>();
  const write = (prefix: string): Tree => {
    const inside = entries.filter(({ name }) => name.startsWith(prefix));
    const names = new Set(inside.map(({ name }) => /^[^/]+\/?/.exec(name.slice(prefix.length))?.[0] as string));
    const rows = [...names].sort().map((name) => {
      const entry = inside.find((one) => one.name === prefix + name);
      const hash = entry === undefined ? write(prefix + name).hash : (entry.hash ?? contentOf(hashName, entry.name));
      const mode = entry === undefined ? 0o40000 : (entry.mode ?? 0o100644);
      const title = Buffer.from(`${mode.toString(8)} ${name.replace("/", "")}\0`, "latin1");
      return Buffer.concat([title, Buffer.from(hash, "hex")]);
    });
    const body = Buffer.concat(rows);
    const hash = createHash(hashName).update(`tree ${body.length}\0`).update(body).digest("hex");
    const tree = { hash, count: inside.length };
    found.set(prefix, tree);
    return tree;
  };
  write("");
  return found;
}
