/**
 * The YAML of metadata blocks, with the values that OPA (Go's yaml.v3) reads from it: `010` is eight, `1_000` a number,
 * `yes` a text unless a boolean is asked for, and a date an instant in JSON's notation.
 */

import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { Value } from "../value/index.ts";

/** Something wrong with the text, at offsets of the YAML. */
export class MetadataProblem extends Error {
  readonly start: number;
  readonly end: number;
  constructor(message: string, start: number, end: number) {
    super(message);
    this.start = start;
    this.end = end;
  }
}

/** Where a node begins, where what it says ends, and where the next may begin. */
type Range = readonly [number, number, number];

/** A YAML node. Its items are the tree's own nodes. */
export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: "scalar";
  readonly value: string;
  /** Without quotes, and on one line. */
  readonly plain: boolean;
  readonly range: Range;
}

export interface YamlList {
  readonly kind: "list";
  readonly items: readonly unknown[];
  readonly range: Range;
}

export interface YamlMap {
  readonly kind: "map";
  readonly items: readonly { readonly key: unknown; readonly value: unknown }[];
  readonly range: Range;
}

const nowhere: Range = [0, 0, 0];

/** More than anybody writes, and little enough for aliases of aliases. */
const maxNodes = 10_000;

export interface Entry {
  readonly key: string;
  readonly keyNode: YamlScalar;
  readonly value: YamlNode | null;
}

export class MetadataYaml {
  readonly root: YamlNode | null;
  private readonly document: Document.Parsed;
  private nodes = 0;

  constructor(text: string) {
    // All plain words are texts to the parser; their types are decided here.
    const document = parseDocument(text, { schema: "failsafe", prettyErrors: false, logLevel: "silent" });
    this.document = document;
    const problem = document.errors[0];
    // The library's way of saying so is of its own stack.
    if (problem?.message.includes("call stack"))
      throw new MetadataProblem("yaml: nested too deeply", problem.pos[0], problem.pos[1]);
    if (problem) throw new MetadataProblem(`yaml: ${firstLine(problem.message)}`, problem.pos[0], problem.pos[1]);
    this.root = this.resolve(document.contents);
  }

  /** A node of the library as a YamlNode; for an alias, what it stands for. */
  private resolve(node: unknown): YamlNode | null {
    if (isAlias(node)) return this.resolve(node.resolve(this.document));
    if (isScalar(node)) {
      const plain = node.type === "PLAIN";
      return { kind: "scalar", value: String(node.value ?? ""), plain, range: node.range ?? nowhere };
    }
    if (isSeq(node)) return { kind: "list", items: node.items, range: node.range ?? nowhere };
    if (isMap(node)) return { kind: "map", items: node.items, range: node.range ?? nowhere };
    return null;
  }

  fail(node: YamlNode | null | undefined, message: string): never {
    const [start, end] = node?.range ?? nowhere;
    throw new MetadataProblem(message, start, end);
  }

  /** The entries of a mapping; nothing at all counts as an empty one. */
  entries(node: YamlNode | null, what: string): Entry[] {
    if (node === null || this.isNull(node)) return [];
    if (node.kind !== "map") return this.fail(node, `${what} must be a map`);
    return node.items.map((pair): Entry => {
      const keyNode = this.resolve(pair.key);
      if (keyNode?.kind !== "scalar") return this.fail(keyNode, `the keys of ${what} must be text`);
      return { key: keyNode.value, keyNode, value: this.resolve(pair.value) };
    });
  }

  items(node: YamlNode | null, what: string): (YamlNode | null)[] {
    if (node === null || this.isNull(node)) return [];
    if (node.kind !== "list") return this.fail(node, `${what} must be a list`);
    return node.items.map((item) => this.resolve(item));
  }

  /** A text; numbers and the like are taken as they are written. */
  text(node: YamlNode | null, what: string): string {
    if (node === null || this.isNull(node)) return "";
    if (node.kind !== "scalar") return this.fail(node, `${what} must be a text`);
    return node.value;
  }

  boolean(node: YamlNode | null, what: string): boolean {
    if (node === null || this.isNull(node)) return false;
    const word = node.kind === "scalar" ? node.value : "";
    if (/^(?:true|True|TRUE|y|Y|yes|on)$/.test(word)) return true;
    if (/^(?:false|False|FALSE|n|N|no|off)$/.test(word)) return false;
    return this.fail(node, `${what} must be true or false`);
  }

  private isNull(node: YamlNode): boolean {
    return node.kind === "scalar" && node.plain && /^(?:|~|null|Null|NULL)$/.test(node.value);
  }

  /** Any value. */
  value(node: YamlNode | null): Value {
    if (++this.nodes > maxNodes) this.fail(node, "too many values");
    if (node === null) return { kind: "null" };
    if (node.kind === "list") return { kind: "array", items: node.items.map((item) => this.value(this.resolve(item))) };
    if (node.kind === "map") {
      const entries = this.entries(node, "a map").map(({ key, keyNode, value }): readonly [Value, Value] => {
        if (this.scalar(keyNode).kind !== "string") this.fail(keyNode, "invalid map key type(s)");
        return [{ kind: "string", value: key }, this.value(value)];
      });
      return { kind: "object", entries };
    }
    return this.scalar(node);
  }

  private scalar(node: YamlScalar): Value {
    const { plain, value: text } = node;
    // What begins with a letter is a text, or one of few words.
    const isText = !plain || (/^[A-Za-z]/.test(text) && !/^(?:null|true|false)$/i.test(text));
    if (isText) return { kind: "string", value: text };
    if (/^(?:|~|null|Null|NULL)$/.test(text)) return { kind: "null" };
    if (/^(?:true|True|TRUE)$/.test(text)) return { kind: "boolean", value: true };
    if (/^(?:false|False|FALSE)$/.test(text)) return { kind: "boolean", value: false };
    if (/^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text)) this.fail(node, `${text} is no JSON value`);
    return instant(text) ?? number(text) ?? { kind: "string", value: text };
  }
}

function number(text: string): Value | undefined {
  const plain = text.replaceAll("_", "");
  const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/.exec(plain);
  if (integer) {
    const digits = (integer[2] as string).replace(/^0[oO]?(?=[0-7])/, "0o");
    const magnitude = BigInt(digits);
    if (magnitude < 2n ** 64n)
      return { kind: "number", text: (integer[1] === "-" ? -magnitude : magnitude).toString() };
  }
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? { kind: "number", text: JSON.stringify(value) } : undefined;
}

const instantPattern =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]| )([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,9}))?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/;

/** Dates and times, as Go writes instants in JSON. */
function instant(text: string): Value | undefined {
  const parts = instantPattern.exec(text);
  if (!parts) return undefined;
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone] = parts;
  const spaced = text.includes(" ");
  // With a space there is no zone, with a T there must be one.
  if (parts[4] !== undefined && (zone === undefined) !== spaced) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const valid = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!valid || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const two = (part: string) => part.padStart(2, "0");
  const rest = fraction.replace(/0+$/, "");
  const time = `${two(hour)}:${two(minute)}:${two(second)}${rest && `.${rest}`}`;
  return { kind: "string", value: `${year}-${two(month)}-${two(day)}T${time}${zone ?? "Z"}` };
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] as string;
}
