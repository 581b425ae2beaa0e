/**
 * What arithmetic gives, as OPA's does. Whole numbers up to 2^53 are exact in it. Others are rounded to 64 bits before anything is made of
 * them: `floor` of 0.99… is 1 then. And `floor(-0.5)` is 0, and `ceil(-0.5)` is 1.
 *
 * INVARIANT: what is said holds of every number, however it is written.
 */

import type { Arithmetic } from "./formula.ts";

/** 2^53 */
const MOST_EXACT = "9007199254740992.0";
/** 2^58: rounding, several times, makes a smaller part of a number than one of these. */
const PARTS = "288230376151711744.0";

/** What is known of the result, in SMT-LIB, by the terms of all. */
export function saidOfResult(how: Arithmetic, result: string, terms: readonly string[]): string {
  const [a = "", b = ""] = terms;
  switch (how) {
    case "floor":
      return `(and (is_int ${result}) ${isExact(result, a, terms)} ${isNear(result, a, terms, "1.0")} ${isBetween(result, a, "1.0")})`;
    case "ceil":
      return `(and (is_int ${result}) ${isExact(result, a, terms)} ${isNear(result, a, terms, "2.0")} ${isBetween(result, a, "2.0")})`;
    case "abs": {
      const of = size(a);
      return `(and (>= ${result} 0.0) ${isExact(result, of, terms)} ${isNear(result, of, terms, "0.0")} ${isBetween(result, of, "1.0")})`;
    }
    case "plus":
    case "minus": {
      const sum = `(${how === "plus" ? "+" : "-"} ${a} ${b})`;
      return `(and ${isExact(result, sum, terms)} ${isNear(result, sum, terms, "0.0")})`;
    }
  }
}

function isExact(result: string, exact: string, terms: readonly string[]): string {
  const areSmall = terms.map((term) => `(is_int ${term}) (<= (- ${MOST_EXACT}) ${term} ${MOST_EXACT})`).join(" ");
  return `(=> (and ${areSmall}) (= ${result} ${exact}))`;
}

function isNear(result: string, exact: string, terms: readonly string[], besides: string): string {
  const rounding = `(+ ${besides} ${terms.map((term) => `(/ ${size(term)} ${PARTS})`).join(" ")})`;
  return `(<= (- ${exact} ${rounding}) ${result} (+ ${exact} ${rounding}))`;
}

/** Rounding passes no whole number that it does not change. */
function isBetween(result: string, exact: string, besides: string): string {
  const whole = `(to_real (to_int ${exact}))`;
  return `(=> (<= ${size(exact)} ${MOST_EXACT}) (<= ${whole} ${result} (+ ${whole} ${besides})))`;
}

function size(term: string): string {
  return `(ite (< ${term} 0.0) (- ${term}) ${term})`;
}
