/**
 * Inflates a bundle. Node, Bun and Deno hand out their zlib without an import, which inflates a large bundle three times as
 * fast as their DecompressionStream does; browsers and workers have the stream alone. Both stop at the limit, and check the
 * length and the checksum that end a gzip stream, so that what is truncated or damaged anywhere is refused.
 */

import { LoadError } from "../errors.ts";

/** Deflate cannot do better: a stream that promises more lies. */
const MAX_RATIO = 1032;
/** Beyond the promised size, so that the end is met before the space is used up. */
const MARGIN = 64;
/** Codes of zlib for bytes that are not a gzip stream. Anything else is the host's own trouble. */
const BAD_BYTES = ["Z_DATA_ERROR", "Z_BUF_ERROR", "Z_NEED_DICT"];

/** The part of `node:zlib` that is used. */
interface Zlib {
  gunzip(
    bytes: Uint8Array,
    options: { readonly chunkSize: number; readonly maxOutputLength: number; readonly info: true },
    done: (error: (Error & { readonly code?: string }) | null, unpacked: Unpacked) => void,
  ): void;
}

/** What `info` asks for: `bytesWritten` are the bytes that were read. A zlib that does not know it has no `engine`. */
interface Unpacked {
  readonly buffer: Uint8Array;
  readonly engine?: { readonly bytesWritten: number };
}

/** Throws LoadError for bytes that are not a whole gzip stream, or unpack to more than `limit` bytes. */
export async function gunzip(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  // NaN would limit nothing.
  if (!(limit > 0)) throw tooLarge(limit);
  const zlib = platformZlib();
  const unpacked = (zlib && (await gunzipWith(zlib, bytes, limit))) ?? (await gunzipStream(bytes, limit));
  // Some readers go on after the end with a second stream, some leave it out: there is one.
  if (unpacked.length !== promisedSize(bytes)) throw corrupt();
  return unpacked;
}

function platformZlib(): Zlib | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  const zlib = process?.getBuiltinModule?.("node:zlib") as Partial<Zlib> | undefined;
  return typeof zlib?.gunzip === "function" ? (zlib as Zlib) : undefined;
}

/** The last four bytes of a gzip stream. */
function promisedSize(bytes: Uint8Array): number {
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4).getUint32(0, true);
}

/**
 * Off the main thread, and straight into one buffer of the size that the stream promises. `undefined` when this zlib will
 * not do it: Workers have one with limits of its own.
 */
function gunzipWith(zlib: Zlib, bytes: Uint8Array, limit: number): Promise<Uint8Array | undefined> {
  const chunkSize = Math.min(promisedSize(bytes), bytes.length * MAX_RATIO, limit) + MARGIN;
  return new Promise((resolve, reject) => {
    try {
      zlib.gunzip(bytes, { chunkSize, maxOutputLength: limit, info: true }, (error, unpacked) => {
        // Behind a NUL zlib reads no further, and says nothing.
        if (error === null && unpacked.engine !== undefined && unpacked.engine.bytesWritten < bytes.length)
          reject(corrupt());
        else if (error === null) resolve(unpacked.engine && unpacked.buffer);
        else if (error.code === "ERR_BUFFER_TOO_LARGE") reject(tooLarge(limit));
        else if (BAD_BYTES.includes(error.code ?? "")) reject(corrupt());
        else resolve(undefined);
      });
    } catch {
      resolve(undefined);
    }
  });
}

async function gunzipStream(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      total += value.length;
      if (total > limit) throw tooLarge(limit);
      chunks.push(value);
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    if (error instanceof LoadError) throw error;
    // The standard has a TypeError for bytes that are not such a stream, Node and Bun have zlib's.
    if (error instanceof TypeError || BAD_BYTES.includes((error as { code?: string })?.code ?? "")) throw corrupt();
    throw new LoadError("bundle-too-large", `the bundle cannot be unpacked here: ${String(error)}`);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function tooLarge(limit: number): LoadError {
  return new LoadError(
    "bundle-too-large",
    `the bundle unpacks to more than ${limit} bytes (\`bundleLimits.unpacked\`)`,
  );
}

function corrupt(): LoadError {
  return new LoadError("bundle-corrupt", "the bundle is not one complete gzip stream");
}
