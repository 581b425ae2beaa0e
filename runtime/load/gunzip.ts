/**
 * Inflates a bundle. Node, Bun and Deno hand out their zlib without an import, which inflates a large bundle three times as
 * fast as their DecompressionStream does; browsers and workers have the stream alone. Both check the length and the
 * checksum that end a gzip stream, so that what is truncated or damaged anywhere is refused.
 */

import { LoadError } from "../errors.ts";

/** OPA's own limit for a bundle, unpacked. */
const MAX_UNPACKED = 1 << 30;
/** Deflate cannot do better: a stream that promises more lies. */
const MAX_RATIO = 1032;
/** Beyond the promised size, so that the end is met before the space is used up. */
const MARGIN = 64;

/** The part of `node:zlib` that is used. */
interface Zlib {
  gunzip(
    bytes: Uint8Array,
    options: { readonly chunkSize: number; readonly maxOutputLength: number },
    done: (error: (Error & { readonly code?: string }) | null, unpacked: Uint8Array) => void,
  ): void;
}

/** Throws LoadError for bytes that are no whole gzip stream, or unpack to more than `limit` bytes. */
export async function gunzip(bytes: Uint8Array, limit = MAX_UNPACKED): Promise<Uint8Array> {
  const zlib = platformZlib();
  return zlib === undefined ? gunzipStream(bytes, limit) : gunzipWith(zlib, bytes, limit);
}

function platformZlib(): Zlib | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  const zlib = process?.getBuiltinModule?.("node:zlib") as Partial<Zlib> | undefined;
  return typeof zlib?.gunzip === "function" ? (zlib as Zlib) : undefined;
}

/** Off the main thread, and straight into one buffer of the size that the stream's last four bytes promise. */
function gunzipWith(zlib: Zlib, bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const promised =
    bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4).getUint32(0, true);
  const chunkSize = Math.min(promised, bytes.length * MAX_RATIO, limit) + MARGIN;
  return new Promise((resolve, reject) => {
    zlib.gunzip(bytes, { chunkSize, maxOutputLength: limit }, (error, unpacked) => {
      if (error === null) resolve(unpacked);
      else reject(error.code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(limit) : corrupt());
    });
  });
}

async function gunzipStream(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
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
    throw error instanceof LoadError ? error : corrupt();
  }
  const out = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

function tooLarge(limit: number): LoadError {
  return new LoadError("bundle-too-large", `the bundle unpacks to more than ${limit} bytes`);
}

function corrupt(): LoadError {
  return new LoadError("bundle-corrupt", "the bundle is not a complete gzip stream: it is truncated or damaged");
}
