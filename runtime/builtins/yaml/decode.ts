/** From a YAML tree to values: scalars resolved, aliases followed, merge keys merged. */

import { giveUp } from "../family.ts";
import { bad, type YamlNode } from "./node.ts";
import { isMerge, resolveScalar, type YamlScalar } from "./resolve.ts";

export type YamlValue = YamlScalar | readonly YamlValue[] | ReadonlyMap<string, YamlValue>;

/** A document may not become much larger by its aliases than it is. */
const maxNodes = 1_000_000;
const maxDepth = 900;

/** A float as Go shortens one to 32 bits, which is how it writes one as a key. */
function floatKey(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (Object.is(value, -0)) return "-0";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  for (let digits = 1; digits < 10; digits++) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return formatFloat(Number(text));
  }
  return formatFloat(single);
}

/** A float as Go's `%g` in its shortest form: with an exponent below 0.0001 and from a million on. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function keyText(key: YamlValue): string {
  switch (typeof key) {
    case "string":
      return key;
    case "bigint":
      return String(key);
    case "number":
      return floatKey(key);
    case "boolean":
      return String(key);
    default:
      return bad("invalid map key");
  }
}

class Decoder {
  private nodes = 0;
  private aliased = 0;
  private depth = 0;
  private inAlias = 0;

  decode(node: YamlNode): YamlValue {
    this.nodes++;
    if (this.inAlias > 0) this.aliased++;
    if (this.nodes > maxNodes) giveUp("document too long");
    if (this.aliased > 100 && this.nodes > 1000 && this.aliased / this.nodes > 0.99) {
      bad("document contains excessive aliasing");
    }
    if (++this.depth > maxDepth) giveUp("nested too deep");
    const value = this.value(node);
    this.depth--;
    return value;
  }

  private value(node: YamlNode): YamlValue {
    switch (node.kind) {
      case "Scalar":
        return resolveScalar(node.value, node.plain, node.tag);
      case "Sequence":
        return node.items.map((item) => this.decode(item));
      case "Mapping":
        return this.mapping(node, new Map());
      case "Alias": {
        this.inAlias++;
        const value = this.decode(node.target);
        this.inAlias--;
        return value;
      }
    }
  }

  private mapping(
    node: YamlNode & { readonly kind: "Mapping" },
    out: Map<string, YamlValue>,
    inherited = false,
  ): ReadonlyMap<string, YamlValue> {
    const merged: YamlNode[] = [];
    for (const [key, value] of node.entries) {
      if (key.kind === "Scalar" && isMerge(key.value, key.plain, key.tag)) merged.push(value);
      else {
        const name = keyText(this.decode(key));
        const decoded = this.decode(value);
        if (!inherited || !out.has(name)) out.set(name, decoded);
      }
    }
    for (const other of merged) this.merge(other, out);
    return out;
  }

  /** `<<`: what the mapping says itself counts most, wherever it stands; of several, the first. */
  private merge(node: YamlNode, out: Map<string, YamlValue>): void {
    const target = node.kind === "Alias" ? node.target : node;
    this.nodes++;
    if (target.kind === "Mapping") {
      this.inAlias += node.kind === "Alias" ? 1 : 0;
      if (++this.depth > maxDepth) giveUp("nested too deep");
      this.mapping(target, out, true);
      this.depth--;
      this.inAlias -= node.kind === "Alias" ? 1 : 0;
    } else if (node.kind === "Sequence") {
      for (const item of node.items) {
        const member = item.kind === "Alias" ? item.target : item;
        if (member.kind !== "Mapping") bad("map merge requires map or sequence of maps as the value");
        this.merge(item, out);
      }
    } else bad("map merge requires map or sequence of maps as the value");
  }
}

export function decodeYaml(node: YamlNode): YamlValue {
  return new Decoder().decode(node);
}
