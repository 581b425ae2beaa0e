/** Arithmetic modulo a number, on bigints. None of it is constant-time: see the note in `rsa.ts`. */

export function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** `base ** exponent % modulus`, by squaring, from the exponent's highest bit. */
export function modPow(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus;
  const factor = mod(base, modulus);
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === "1") result = (result * factor) % modulus;
  }
  return result;
}

/** The inverse by Euclid's algorithm; undefined when there is none. */
export function modInverse(value: bigint, modulus: bigint): bigint | undefined {
  let [r, next] = [mod(value, modulus), modulus];
  let [x, nextX] = [1n, 0n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [x, nextX] = [nextX, x - quotient * nextX];
  }
  return r === 1n ? mod(x, modulus) : undefined;
}

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
