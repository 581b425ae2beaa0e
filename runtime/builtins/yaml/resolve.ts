/** The types of plain scalars, as Go's yaml package (version 3) has them: YAML 1.2, and 1.1 but for `yes`, `on` and the like. */

import { fromBase64, fromUtf8 } from "../bytes.ts";
import { giveUp, total } from "../family.ts";
import { parseInstant } from "../time/parse.ts";
import { bad } from "./node.ts";

/** Integers are bigints, floating-point numbers are numbers: they are written differently. */
export type YamlScalar = null | boolean | string | bigint | number;

const core = "tag:yaml.org,2002:";

const constants: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...["true", "True", "TRUE"].map((name): [string, boolean] => [name, true]),
  ...["false", "False", "FALSE"].map((name): [string, boolean] => [name, false]),
  ...["", "~", "null", "Null", "NULL"].map((name): [string, null] => [name, null]),
  ...[".nan", ".NaN", ".NAN"].map((name): [string, number] => [name, Number.NaN]),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((name): [string, number] => [name, Infinity]),
  ...["-.inf", "-.Inf", "-.INF"].map((name): [string, number] => [name, -Infinity]),
]);

const forms: readonly (readonly [RegExp, string])[] = [
  [/^[-+]?0[xX]([0-9a-fA-F]+)$/, "0x"],
  [/^[-+]?0[oO]([0-7]+)$/, "0o"],
  [/^[-+]?0[bB]([01]+)$/, "0b"],
  [/^[-+]?0([0-7]+)$/, "0o"],
  [/^[-+]?(0|[1-9][0-9]*)$/, ""],
];

/** An integer of 64 bits, signed, or unsigned when it has no sign. */
function integer(text: string): bigint | undefined {
  for (const [form, prefix] of forms) {
    const digits = form.exec(text)?.[1];
    if (digits === undefined) continue;
    const size = BigInt(prefix + digits);
    if (text.startsWith("-")) return size <= 2n ** 63n ? -size : undefined;
    return size < (text.startsWith("+") ? 2n ** 63n : 2n ** 64n) ? size : undefined;
  }
  return undefined;
}

const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

function finite(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function untagged(text: string): YamlScalar {
  const constant = constants.get(text);
  if (constant !== undefined) return constant;
  if (text.startsWith(".")) return float.test(text) ? (finite(text) ?? text) : text;
  if (!/^[-+0-9]/.test(text)) return text;
  const plain = text.replaceAll("_", "");
  return integer(plain) ?? (float.test(plain) ? finite(plain) : undefined) ?? text;
}

const timestamps = [
  "2006-1-2T15:4:5.999999999Z07:00",
  "2006-1-2t15:4:5.999999999Z07:00",
  "2006-1-2 15:4:5.999999999",
  "2006-1-2",
];

/** Whether a plain scalar would be a time. Reading leaves it a text; writing quotes it. */
export function isTimestamp(text: string): boolean {
  if (!/^[0-9]{4}-/.test(text)) return false;
  return timestamps.some((layout) => total(() => parseInstant(layout, text) !== undefined)([]) === true);
}

const kinds: ReadonlyMap<string, (value: YamlScalar) => boolean> = new Map<string, (value: YamlScalar) => boolean>([
  [`${core}null`, (value) => value === null],
  [`${core}bool`, (value) => typeof value === "boolean"],
  [`${core}int`, (value) => typeof value === "bigint"],
  [`${core}float`, (value) => typeof value === "number"],
  [`${core}timestamp`, (value) => typeof value === "string" && isTimestamp(value)],
]);

/** Texts that readers of YAML 1.1 take for booleans: writing quotes them. */
export const isOldBoolean = (text: string): boolean =>
  /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/.test(text);

/** The value of a scalar under its tag. Tags of other vocabularies leave the text as it is. */
export function resolveScalar(text: string, plain: boolean, tag: string): YamlScalar {
  if (tag === "" || tag === "!") return plain ? untagged(text) : text;
  if (tag === `${core}binary`)
    return fromUtf8(fromBase64(text.replace(/[\r\n]/g, "")) ?? bad("!!binary value is not base64"));
  const kind = kinds.get(tag);
  if (kind === undefined) return text;
  const value = untagged(text);
  if (tag === `${core}float` && typeof value === "bigint" && value < 2n ** 63n) return Number(value);
  if (!kind(value)) bad(`cannot decode as ${tag}`);
  // OPA writes the time anew, and takes none for a key.
  return tag === `${core}timestamp` ? giveUp("!!timestamp is not supported") : value;
}

export function isMerge(text: string, plain: boolean, tag: string): boolean {
  return text === "<<" && ((plain && tag === "") || tag === `${core}merge`);
}
