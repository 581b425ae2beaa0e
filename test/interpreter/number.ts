/**
 * Exact decimal numbers: `c × 10^e`. What is not an exact decimal (a quotient) is rounded to 64 bits of mantissa and
 * then to the shortest decimal that names it, as Go's big.Float does for OPA.
 */

export class Num {
  readonly c: bigint;
  readonly e: number;
  /** Written with an exponent, or in over 19 characters: `1e0` equals 1, but is no index, as in OPA; `1.0` is one. */
  readonly isNoIndex: boolean;

  private constructor(c: bigint, e: number, isNoIndex: boolean) {
    this.c = c;
    this.e = e;
    this.isNoIndex = isNoIndex;
  }

  static make(c: bigint, e: number, isNoIndex = false): Num {
    if (c === 0n) return new Num(0n, 0, isNoIndex);
    while (c % 10n === 0n) {
      c /= 10n;
      e++;
    }
    return new Num(c, e, isNoIndex);
  }

  static of(n: number | bigint): Num {
    return typeof n === "bigint" || Number.isInteger(n) ? Num.make(BigInt(n), 0) : Num.parse(String(n));
  }

  /** `undefined` for text that is not a JSON number. */
  static tryParse(text: string): Num | undefined {
    const m = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
    if (m === null) return undefined;
    const fraction = m[3] ?? "";
    const c = BigInt(`${m[2]}${fraction}`);
    const isNoIndex = m[4] !== undefined || text.length - (m[1] as string).length > 19;
    return Num.make(m[1] === "-" ? -c : c, Number(m[4] ?? 0) - fraction.length, isNoIndex);
  }

  static parse(text: string): Num {
    const n = Num.tryParse(text);
    if (n === undefined) throw new Error(`not a number: ${text}`);
    return n;
  }

  get isInteger(): boolean {
    return this.e >= 0;
  }

  /** The integer it is; only for integers. */
  get int(): bigint {
    if (this.e < 0) throw new Error("not an integer");
    return this.c * 10n ** BigInt(this.e);
  }

  /** As a small index, or undefined. */
  get index(): number | undefined {
    if (this.isNoIndex || this.e < 0 || this.e > 9) return undefined;
    const n = Number(this.int);
    return Number.isSafeInteger(n) ? n : undefined;
  }

  toString(): string {
    if (this.e >= 0) {
      return this.e > 400 ? `${this.c}e${this.e}` : String(this.int);
    }
    const digits = String(this.c < 0n ? -this.c : this.c).padStart(1 - this.e, "0");
    const sign = this.c < 0n ? "-" : "";
    if (this.e < -400) return `${sign}${digits.replace(/^0+/, "")}e${this.e}`;
    return `${sign}${digits.slice(0, this.e)}.${digits.slice(this.e)}`;
  }
}

function scaled(a: Num, e: number): bigint {
  return a.c * 10n ** BigInt(a.e - e);
}

export function compareNum(a: Num, b: Num): number {
  const sa = a.c < 0n ? -1 : a.c > 0n ? 1 : 0;
  const sb = b.c < 0n ? -1 : b.c > 0n ? 1 : 0;
  if (sa !== sb) return sa < sb ? -1 : 1;
  if (sa === 0) return 0;
  // Powers of ten far apart decide alone; there is no need to compute 10^1000000.
  const da = String(a.c < 0n ? -a.c : a.c).length + a.e;
  const db = String(b.c < 0n ? -b.c : b.c).length + b.e;
  if (da !== db) return (da < db ? -1 : 1) * sa;
  const e = Math.min(a.e, b.e);
  const x = scaled(a, e);
  const y = scaled(b, e);
  return x < y ? -1 : x > y ? 1 : 0;
}

const abs = (n: bigint): bigint => (n < 0n ? -n : n);
const bits = (n: bigint): number => n.toString(2).length;

/** p/q rounded to a mantissa of 64 bits, half to even, as [mantissa, exponent of two]. */
function round64(p: bigint, q: bigint): [bigint, number] {
  let shift = 64 - (bits(p) - bits(q));
  for (;;) {
    const [num, den] = shift >= 0 ? [p << BigInt(shift), q] : [p, q << BigInt(-shift)];
    let m = num / den;
    const rest = num % den;
    if (bits(m) > 64) {
      shift--;
      continue;
    }
    if (bits(m) < 64) {
      shift++;
      continue;
    }
    if (rest * 2n > den || (rest * 2n === den && m % 2n === 1n)) m++;
    return bits(m) > 64 ? [m / 2n, 1 - shift] : [m, -shift];
  }
}

/** The shortest decimal that rounds to the same 64-bit value as p/q. */
function nearest(p: bigint, q: bigint): Num {
  if (p === 0n) return Num.of(0);
  const negative = p < 0n !== q < 0n;
  const [x, y] = [abs(p), abs(q)];
  const [m, e2] = round64(x, y);
  const [num, den] = e2 >= 0 ? [m << BigInt(e2), 1n] : [m, 1n << BigInt(-e2)];
  let exponent = String(num / den).length;
  if (num < den) exponent = 1 - String(den / num).length;
  for (let digits = 1; ; digits++) {
    const e = exponent - digits;
    const [n, d] = e >= 0 ? [num, den * 10n ** BigInt(e)] : [num * 10n ** BigInt(-e), den];
    const c = (n * 2n + d) / (d * 2n);
    const [p2, q2] = e >= 0 ? [c * 10n ** BigInt(e), 1n] : [c, 10n ** BigInt(-e)];
    if (c === 0n) continue;
    const [m2, e22] = round64(p2, q2);
    if (m2 === m && e22 === e2) return Num.make(negative ? -c : c, e);
  }
}

/** Integers stay exact; decimals are what 64 bits of mantissa hold. */
function fitted(n: Num): Num {
  if (n.isInteger) return n;
  return nearest(n.c, 10n ** BigInt(-n.e));
}

export function add(a: Num, b: Num): Num {
  const e = Math.min(a.e, b.e);
  return fitted(Num.make(scaled(a, e) + scaled(b, e), e));
}

export const neg = (a: Num): Num => Num.make(-a.c, a.e);
export const sub = (a: Num, b: Num): Num => add(a, neg(b));
export const mul = (a: Num, b: Num): Num => fitted(Num.make(a.c * b.c, a.e + b.e));

export function div(a: Num, b: Num): Num {
  const e = Math.min(a.e, b.e);
  const [x, y] = [scaled(a, e), scaled(b, e)];
  return x % y === 0n ? Num.make(x / y, 0) : nearest(x, y);
}

export function floor(a: Num): Num {
  if (a.isInteger) return a;
  const unit = 10n ** BigInt(-a.e);
  const q = a.c / unit;
  return Num.of(a.c < 0n ? q - 1n : q);
}

export const ceil = (a: Num): Num => neg(floor(neg(a)));

/** Half away from zero. */
export function round(a: Num): Num {
  const half = Num.parse("0.5");
  return a.c < 0n ? neg(floor(exactAdd(neg(a), half))) : floor(exactAdd(a, half));
}

function exactAdd(a: Num, b: Num): Num {
  const e = Math.min(a.e, b.e);
  return Num.make(scaled(a, e) + scaled(b, e), e);
}
