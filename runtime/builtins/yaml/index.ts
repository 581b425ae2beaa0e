/** yaml.marshal, yaml.unmarshal and yaml.is_valid. */

import { HostNumber, int, type JsonLike, toJson } from "@portcullis/runtime/host";
import { fail, family, need, text, total } from "../family.ts";
import { decodeYaml, type YamlValue } from "./decode.ts";
import { emitYaml } from "./emit.ts";
import { parseYaml } from "./stream.ts";

/** A value as it is in JSON, which has no infinity. */
function toValue(value: YamlValue): JsonLike {
  if (typeof value === "bigint") return int(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) fail("unsupported value");
    return new HostNumber(Object.is(value, -0) ? "-0" : String(value));
  }
  if (Array.isArray(value)) return (value as readonly YamlValue[]).map(toValue);
  if (value instanceof Map)
    return new Map([...(value as ReadonlyMap<string, YamlValue>)].map(([k, v]) => [k, toValue(v)] as const));
  return value as null | boolean | string;
}

const read = (source: string): JsonLike => toValue(decodeYaml(parseYaml(source)));

export const yaml = family(() => ({
  "yaml.unmarshal": (args) => read(text(args, 0)),
  "yaml.is_valid": (args) => total(() => read(text(args, 0)))([]) !== undefined,
  // OPA writes JSON, reads it as YAML, and writes that: numbers take the way that YAML has for them.
  "yaml.marshal": ([value]) =>
    emitYaml(decodeYaml(parseYaml(`${toJson(need(value, "operand missing"), { html: true })}\n`))),
}));
