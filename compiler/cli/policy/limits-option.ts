/** `--limits steps=N,memory=N,input=N`: what an evaluation may take. */

import type { LoadOptions } from "@portcullis/runtime";
import { InvalidArgumentError } from "commander";

type Limits = NonNullable<LoadOptions["limits"]>;

const NAMES: readonly (keyof Limits)[] = ["steps", "memory", "input"];
const UNITS: { readonly [unit: string]: number | undefined } = { "": 1, KiB: 1 << 10, MiB: 1 << 20, GiB: 1 << 30 };
/** What the module counts with. */
const MOST = 0x7fffffff;

/** `defaults`: of the command. */
export function limitsOption(defaults: string) {
  return [
    "--limits <list>",
    `what an evaluation may take, such as \`steps=200000000,memory=256MiB,input=32MiB\` (default: ${defaults})`,
    readLimits,
  ] as const;
}

function readLimits(text: string): Limits {
  const limits: { -readonly [Name in keyof Limits]: number } = {};
  for (const part of text.split(",")) {
    const [, word, digits, unit = ""] = /^(\w+)=(\d+)([KMG]iB)?$/.exec(part) ?? [];
    const name = NAMES.find((known) => known === word);
    const value = Number(digits) * (UNITS[unit] as number);
    if (name === undefined || (name === "steps" && unit !== ""))
      throw new InvalidArgumentError(`\`${part}\`: steps=N, memory=NMiB or input=NMiB is needed.`);
    if (!(value > 0 && value <= MOST)) throw new InvalidArgumentError(`\`${part}\`: ${name} is 1 to ${MOST}.`);
    limits[name] = value;
  }
  return limits;
}
