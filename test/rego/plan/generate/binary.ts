/** Rules about strings that are not UTF-8. Their values are texts again: what has no text is a fault here, and U+FFFD in OPA. */

import type { Random } from "./random.ts";

/** Characters, parts of characters, and bytes that are in none. */
const PIECES = ["ff", "fe", "80", "c3", "a9", "c3a9", "efbfbd", "f09f", "f09f9280", "61", "62", "2e", "00", ""];

export interface Binary {
  readonly module: string;
  /** Encoded strings that the host supplies. */
  readonly data: Record<string, string>;
}

/** A module of the package `name`, whose rules also read the strings `data.<name>_bytes`. */
export function binary(random: Random, name: string): Binary {
  const data: Record<string, string> = {};
  for (const key of ["a", "b", "c", "d"]) data[key] = bytes(random).toString("base64");
  const rules = random.times(2 + random.int(4), (i) => rule(random, `raw${i}`, () => string(random, name, 2)));
  return { module: [`package ${name}`, ...rules, ""].join("\n\n"), data };
}

function bytes(random: Random): Buffer {
  return Buffer.from(random.times(random.int(4), () => random.pick(PIECES)).join(""), "hex");
}

/** A term whose value is a string, mostly not of text. */
function string(random: Random, name: string, depth: number): string {
  const inner = (): string => string(random, name, depth - 1);
  const more = depth > 0 ? 1 : 0;
  return random.oneOf(
    [3, () => `base64.decode(data.${name}_bytes.${random.pick(["a", "b", "c", "d"])})`],
    [2, () => `base64.decode("${bytes(random).toString("base64")}")`],
    [1, () => `hex.decode("${bytes(random).toString("hex")}")`],
    [1, () => random.pick(['"a"', '"é"', '"\ufffd"', '"a.b"'])],
    [more, () => `concat(${inner()}, [${inner()}, ${inner()}])`],
    [more, () => `replace(${inner()}, ${random.pick(['"a"', '"."', 'base64.decode("/w==")'])}, ${inner()})`],
    [more, () => `${random.pick(["trim_prefix", "trim_suffix"])}(${inner()}, ${inner()})`],
    [more, () => `substring(${inner()}, ${random.int(3)}, ${random.int(3)})`],
    [0.5 * more, () => `${random.pick(["lower", "upper", "json.marshal"])}(${inner()})`],
    [more, () => `[${inner()}, ${inner()}][${random.int(2)}]`],
  );
}

function rule(random: Random, name: string, term: () => string): string {
  const shown = (): string => `${random.pick(["hex.encode", "base64.encode", "base64url.encode_no_pad"])}(${term()})`;
  const both = (f: string): string => `${f}(${term()}, ${term()})`;
  return random.oneOf(
    [2, () => `${name} := ${shown()} if {\n\ttrue\n}`],
    [2, () => `${name} := ${random.pick([both("contains"), both("startswith"), both("endswith"), both("indexof")])}`],
    [2, () => `${name} := [${term()} ${random.pick(["==", "!=", "<", ">="])} ${term()}, count(${term()})]`],
    [1, () => `${name} := count({${term()}, ${term()}, ${term()}})`],
    [1, () => `${name} := [hex.encode(x) | some x in sort([${term()}, ${term()}, ${term()}])]`],
    [1, () => `${name} contains hex.encode(x) if {\n\tsome x in [${term()}, ${term()}]\n\tx != ${term()}\n}`],
    [1, () => `${name}[hex.encode(k)] := true if {\n\tsome k, _ in {y: 1 | some y in [${term()}, ${term()}]}\n}`],
    [1, () => `${name} := [hex.encode(x) | some x in split(${term()}, ${random.pick(['"a"', '"."', '""'])})]`],
    [1, () => `${name} if {\n\t${term()} in {${term()}, ${term()}}\n}`],
  );
}
