/** Reads a bundle: gunzip, then the few fields of tar that a bundle uses. */

import { LoadError } from "../errors.ts";
import { gunzip } from "./gunzip.ts";

/** Path (without a leading `/`) → bytes, of every regular file. Throws LoadError for anything malformed. */
export async function readBundle(gzipped: Uint8Array): Promise<Map<string, Uint8Array>> {
  return readTar(await gunzip(gzipped));
}

const BLOCK = 512;

function readTar(tar: Uint8Array): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const text = new TextDecoder();
  const field = (from: number, length: number): string => {
    const raw = tar.subarray(from, from + length);
    const end = raw.indexOf(0);
    return text.decode(end < 0 ? raw : raw.subarray(0, end));
  };
  let at = 0;
  let longName: string | undefined;
  let terminated = false;
  while (at + BLOCK <= tar.length) {
    if (isZero(tar, at)) {
      terminated = true;
      break;
    }
    if (!checksumHolds(tar, at))
      throw new LoadError("bundle-corrupt", `the bundle's tar header at byte ${at} is damaged`);
    const size = Number.parseInt(field(at + 124, 12).trim() || "0", 8);
    const start = at + BLOCK;
    if (!Number.isSafeInteger(size) || size < 0 || start + size > tar.length) {
      throw new LoadError("bundle-corrupt", "the bundle's tar archive is truncated");
    }
    const type = String.fromCharCode(tar[at + 156] as number);
    const body = tar.subarray(start, start + size);
    if (type === "L") longName = text.decode(body).replace(/\0+$/, "");
    else if (type === "x") longName = paxPath(text.decode(body)) ?? longName;
    else {
      const prefix = field(at + 345, 155);
      const name = longName ?? (prefix === "" ? field(at, 100) : `${prefix}/${field(at, 100)}`);
      longName = undefined;
      if (type === "0" || type === "\0") {
        const path = name.replace(/^\.?\/+/, "");
        if (files.has(path)) throw new LoadError("bundle-corrupt", `the bundle holds \`${path}\` twice`);
        files.set(path, body);
      }
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (!terminated) throw new LoadError("bundle-corrupt", "the bundle's tar archive has no end: it is truncated");
  return files;
}

function isZero(tar: Uint8Array, at: number): boolean {
  for (let i = 0; i < BLOCK; i++) if (tar[at + i] !== 0) return false;
  return true;
}

/** The sum of the header's bytes with the checksum field read as spaces. */
function checksumHolds(tar: Uint8Array, at: number): boolean {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : (tar[at + i] as number);
  const written = new TextDecoder().decode(tar.subarray(at + 148, at + 156)).replace(/[\0 ]+$/, "");
  return Number.parseInt(written, 8) === sum;
}

/** `path` of a pax header: records `LENGTH key=value\n`. */
function paxPath(text: string): string | undefined {
  return /^\d+ path=(.*)$/m.exec(text)?.[1];
}
