/**
 * Reads a bundle: gunzip, then tar. There is one reading: whatever the tar readers of other languages, OPA's above all,
 * could see differently is refused. What is left is what `portcullis build`, `opa build` and plain `tar` write: regular files and
 * folders, in ustar or GNU headers, long names in a pax record `path` or a GNU long name.
 */

import { LoadError } from "../errors.ts";
import { holdOptions } from "../options.ts";
import { gunzip } from "./gunzip.ts";
import { BUNDLE_LIMITS, type BundleLimits, DEFAULT_BUNDLE_LIMITS, holdLimit } from "./limits.ts";

/**
 * Path (without a leading `/`) → bytes, of every regular file. Throws LoadError for anything malformed, ambiguous, or beyond
 * a limit.
 */
export async function readBundle(
  gzipped: Uint8Array,
  limits: Partial<BundleLimits> = {},
): Promise<Map<string, Uint8Array>> {
  holdOptions(limits, BUNDLE_LIMITS);
  const entries = await readArchive(gzipped, { ...DEFAULT_BUNDLE_LIMITS, ...limits });
  return new Map([...entries].map(([path, { bytes }]) => [path, bytes]));
}

export interface Entry {
  readonly bytes: Uint8Array;
  /** The name as it stands in the archive: OPA finds modules by it. */
  readonly name: string;
}

/** The same with the names in the archive. */
export async function readArchive(gzipped: Uint8Array, limits: BundleLimits): Promise<Map<string, Entry>> {
  holdLimit(limits, "packed", gzipped.length, "the bundle has too many bytes");
  return readTar(await gunzip(gzipped, limits.unpacked), limits);
}

const BLOCK = 512;
/** What an entry that only names the next one may take: a name. */
const MAX_NAME = 8192;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Magic and version of the two dialects. */
const USTAR = "ustar\u000000";
const GNU = "ustar  \u0000";

function readTar(tar: Uint8Array, limits: BundleLimits): Map<string, Entry> {
  const files = new Map<string, Entry>();
  let longName: string | undefined;
  let entries = 0;
  let at = 0;
  while (!isZero(tar, at, at + BLOCK)) {
    holdLimit(limits, "entries", ++entries, "the bundle holds too many files");
    const header = tar.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw truncated();
    const { type, size, name: short } = readHeader(header, at);
    const start = at + BLOCK;
    if (start + size > tar.length) throw truncated();
    const body = tar.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "x" || type === "L") {
      if (longName !== undefined || size > MAX_NAME) throw ambiguous("a long name in more than one way");
      longName = type === "x" ? paxPath(body) : cString(body);
      if (longName === "") throw ambiguous("a name that is empty");
      continue;
    }
    const name = longName ?? short;
    longName = undefined;
    const isFolder = type === "5";
    const path = pathOf(name, isFolder);
    if (isFolder && size === 0) continue;
    if (type !== "0") throw ambiguous(`\`${path}\`, which is not a regular file`);
    if (files.has(path)) throw new LoadError("bundle-corrupt", `the bundle holds \`${path}\` twice`);
    holdLimit(limits, kindOf(path), size, `the bundle's ${path} has too many bytes`);
    files.set(path, { bytes: body, name });
  }
  // Two blocks of zeros are the end. Some readers look beyond it.
  if (longName !== undefined || at + 2 * BLOCK > tar.length) throw truncated();
  if (!isZero(tar, at, tar.length)) throw ambiguous("data behind the end of its archive");
  return files;
}

function kindOf(path: string): keyof BundleLimits {
  if (path === ".manifest" || path === ".signatures.json") return "manifest";
  return path === "policy.wasm" ? "module" : "file";
}

interface Header {
  readonly type: string;
  readonly size: number;
  readonly name: string;
}

function readHeader(header: Uint8Array, at: number): Header {
  const field = (from: number, length: number): Uint8Array => header.subarray(from, from + length);
  if (octal(field(148, 8)) !== checksum(header))
    throw new LoadError("bundle-corrupt", `the bundle's tar header at byte ${at} is damaged`);
  const magic = latin1(field(257, 8));
  const isUstar = magic === USTAR;
  // After the prefix, or for GNU instead of it, other dialects keep times, sparse files and names of their own.
  if (!(isUstar || magic === GNU) || !isZero(header, isUstar ? 500 : 345, BLOCK))
    throw ambiguous(`a header neither ustar nor plain GNU, at byte ${at}`);
  const size = octal(field(124, 12));
  const others = [field(100, 8), field(108, 8), field(116, 8), field(136, 12), field(329, 8), field(337, 8)];
  if (size === undefined || others.some((number) => !isNumber(number)))
    throw new LoadError("bundle-corrupt", `the bundle's tar header at byte ${at} is damaged`);
  const prefix = isUstar ? cString(field(345, 155)) : "";
  const name = cString(field(0, 100));
  return { type: latin1(field(156, 1)), size, name: prefix === "" ? name : `${prefix}/${name}` };
}

/** The sum of the header's bytes with the checksum field read as spaces. */
function checksum(header: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : (header[i] as number);
  return sum;
}

/** Octal digits, and nothing but spaces and NULs after them. */
function octal(field: Uint8Array): number | undefined {
  const [, digits] = /^([0-7]+)[ \0]*$/.exec(latin1(field)) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** Checks a number that this reader does not need: octal, absent, or, of owners with large numbers, in GNU's binary. */
function isNumber(field: Uint8Array): boolean {
  return octal(field) !== undefined || /^[ \0]*$/.test(latin1(field)) || (field.length === 8 && field[0] === 0x80);
}

/** `path` of a pax header that holds nothing else: one record `LENGTH path=value\n`. */
function paxPath(body: Uint8Array): string {
  const text = utf8(body);
  const [, length, name = ""] = /^([1-9]\d*) path=([^\n\0]*)\n$/.exec(text) ?? [];
  if (Number(length) !== body.length) throw ambiguous("a pax header with more than a path");
  return name;
}

/** The path of a name: below the bundle's root, and written in one way. */
function pathOf(name: string, isFolder: boolean): string {
  const rooted = name.startsWith("/") ? name.slice(1) : name;
  const path = isFolder ? rooted.replace(/\/$/, "") : rooted;
  const segments = path.split("/");
  if (path.includes("\\") || segments.some((s) => s === "" || s === "." || s === ".."))
    throw ambiguous(`the name \`${name}\`: it must be a path like \`/a/data.json\`, without \`.\`, \`..\` and \`\\\``);
  return path;
}

/** Up to the first NUL; behind it is nothing but NULs. */
function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  if (end < 0) return utf8(bytes);
  if (!isZero(bytes, end, bytes.length)) throw ambiguous("a name with bytes behind its end");
  return utf8(bytes.subarray(0, end));
}

function utf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw ambiguous("a name that is not UTF-8");
  }
}

/** A char a byte. */
function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  const end = Math.min(to, bytes.length);
  for (let i = from; i < end; i++) if (bytes[i] !== 0) return false;
  return true;
}

function truncated(): LoadError {
  return new LoadError("bundle-corrupt", "the bundle's tar archive has no end");
}

function ambiguous(what: string): LoadError {
  return new LoadError("bundle-corrupt", `the bundle holds ${what}; other readers could take it differently`);
}
