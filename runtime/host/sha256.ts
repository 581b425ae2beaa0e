/**
 * SHA-256, FIPS 180-4: https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 *
 * By hand, because runs are recorded and policies lowered synchronously, the platform's digest (`crypto.subtle`) is not, and the runtime has no
 * dependencies. It names contents; it keeps no secret.
 */

/** Bytes of a block. */
const BLOCK = 64;

/** The lower-case hex digest of a text in UTF-8. */
export function sha256(text: string): string {
  const { roundConstants, seed } = (constants ??= makeConstants());
  const state = seed.slice();
  const words = new Int32Array(64);
  const message = padded(new TextEncoder().encode(text));
  for (let at = 0; at < message.byteLength; at += BLOCK) compress(state, message, at, words, roundConstants);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** A one bit, zeros, and the length in bits, so that blocks are full. */
function padded(message: Uint8Array): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(message.length) * 8n);
  return view;
}

const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

function compress(state: Int32Array, message: DataView, at: number, w: Int32Array, k: Int32Array): void {
  for (let t = 0; t < 16; t++) w[t] = message.getInt32(at + t * 4);
  for (let t = 16; t < 64; t++) {
    const [w2, w15] = [w[t - 2] as number, w[t - 15] as number];
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    w[t] = ((w[t - 16] as number) + s0 + (w[t - 7] as number) + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (k[t] as number) + (w[t] as number)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [i, worked] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + worked;
}

interface Constants {
  readonly roundConstants: Int32Array;
  readonly seed: Int32Array;
}

let constants: Constants | undefined;

/** From their definition: the first 32 bits of the fractions of square and cube roots of the first primes. */
function makeConstants(): Constants {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  // A double keeps 48 bits of these fractions: an engine whose root is off by a few last bits has the same first 32.
  const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
  return {
    roundConstants: Int32Array.from(primes, (p) => fraction(Math.cbrt(p))),
    seed: Int32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p))),
  };
}
