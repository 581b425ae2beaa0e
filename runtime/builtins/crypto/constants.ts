/**
 * The constants of the SHA-2 family, from their definition: the first bits of the fractional parts of square and cube
 * roots of the first primes. Worked out on first use, so that importing costs nothing.
 */

function primes(count: number): bigint[] {
  const found: bigint[] = [];
  for (let n = 2n; found.length < count; n++) if (found.every((p) => n % p !== 0n)) found.push(n);
  return found;
}

/** The integer part of the `degree`th root, by bisection. */
function root(value: bigint, degree: bigint): bigint {
  let low = 0n;
  let high = 1n << (BigInt(value.toString(2).length) / degree + 1n);
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** The first `bits` bits of the fraction of a prime's root. */
function fraction(prime: bigint, degree: bigint, bits: bigint): bigint {
  return BigInt.asUintN(Number(bits), root(prime << (bits * degree), degree));
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const cubeRoots = once(() => primes(80).map((p) => fraction(p, 3n, 64n)));
const squareRoots = once(() => primes(16).map((p) => fraction(p, 2n, 64n)));

/** Upper halves first: word `2i` holds the high 32 bits of constant `i`. */
function halves(words: readonly bigint[]): Int32Array {
  return Int32Array.from(
    words.flatMap((word) => [Number(BigInt.asIntN(32, word >> 32n)), Number(BigInt.asIntN(32, word))]),
  );
}

/** K of SHA-256: the first 32 bits for the first 64 primes. */
export const roundConstants32 = once(() =>
  Int32Array.from(cubeRoots().slice(0, 64), (k) => Number(BigInt.asIntN(32, k >> 32n))),
);

/** K of SHA-512, in halves. */
export const roundConstants64 = once(() => halves(cubeRoots()));

/** The initial state of SHA-256. */
export const seed32 = (): Int32Array =>
  Int32Array.from(squareRoots().slice(0, 8), (h) => Number(BigInt.asIntN(32, h >> 32n)));

/** The initial state of SHA-512 (primes 1 to 8) or SHA-384 (primes 9 to 16), in halves. */
export const seed64 = (bits: 384 | 512): Int32Array =>
  halves(bits === 512 ? squareRoots().slice(0, 8) : squareRoots().slice(8));
