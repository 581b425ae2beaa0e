/**
 * The source tree, one form for YAML, TOML, JSON and front matter. Every node and every key has its location,
 * so that every later finding, of the schema or of a rule, points at it.
 */

import { type Span, unreachable } from "@portcullis/rego/diagnostics";
import type { Value } from "@portcullis/rego/value";

export type SourceNode = NullNode | BooleanNode | NumberNode | StringNode | SequenceNode | MappingNode;

export interface NullNode {
  readonly kind: "Null";
  readonly span: Span;
}

export interface BooleanNode {
  readonly kind: "Boolean";
  readonly value: boolean;
  readonly span: Span;
}

export interface NumberNode {
  readonly kind: "Number";
  /** JSON number text; an integer is exact at any size. */
  readonly text: string;
  readonly span: Span;
}

export interface StringNode {
  readonly kind: "String";
  readonly value: string;
  readonly span: Span;
}

export interface SequenceNode {
  readonly kind: "Sequence";
  readonly items: readonly SourceNode[];
  readonly span: Span;
}

export interface MappingNode {
  readonly kind: "Mapping";
  /** INVARIANT: no two entries have the same key. */
  readonly entries: readonly MappingEntry[];
  readonly span: Span;
}

export interface MappingEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: SourceNode;
}

/** The entry of a key; linear, as the mappings of a policy are short. */
export function entryOf(node: SourceNode | undefined, key: string): MappingEntry | undefined {
  return node?.kind === "Mapping" ? node.entries.find((e) => e.key === key) : undefined;
}

/** The name of a node's kind, for messages. */
export function describeKind(node: SourceNode): string {
  switch (node.kind) {
    case "Null":
      return "nothing (null)";
    case "Boolean":
      return node.value ? "`true`" : "`false`";
    case "Number":
      return "a number";
    case "String":
      return "a string";
    case "Sequence":
      return "a list";
    case "Mapping":
      return "a mapping";
    default:
      return unreachable(node);
  }
}

/** Makes objects without a prototype's members. Engines keep them in less room than those of `Object.create(null)`. */
function Plain(): void {}
Plain.prototype = Object.create(null);

/** The tree as a JavaScript value, for JSON Schema. Objects have no prototype: `__proto__` is a key like any other. */
export function toPlain(node: SourceNode): unknown {
  switch (node.kind) {
    case "Null":
      return null;
    case "Boolean":
    case "String":
      return node.value;
    case "Number":
      return Number(node.text);
    case "Sequence":
      return node.items.map(toPlain);
    case "Mapping": {
      const object = new (Plain as unknown as new () => Record<string, unknown>)();
      for (const e of node.entries) object[e.key] = toPlain(e.value);
      return object;
    }
    default:
      return unreachable(node);
  }
}

/** The tree as a value of the policy language. */
export function toValue(node: SourceNode): Value {
  switch (node.kind) {
    case "Null":
      return { kind: "null" };
    case "Boolean":
      return { kind: "boolean", value: node.value };
    case "Number":
      return { kind: "number", text: node.text };
    case "String":
      return { kind: "string", value: node.value };
    case "Sequence":
      return { kind: "array", items: node.items.map(toValue) };
    case "Mapping":
      return { kind: "object", entries: node.entries.map((e) => [{ kind: "string", value: e.key }, toValue(e.value)]) };
    default:
      return unreachable(node);
  }
}

/** Whether text can be written as UTF-8: an escape such as `\ud800` can make text that cannot. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** JSON number text of a number as another format wrote it; `undefined` for infinities and NaN. */
export function jsonNumberText(source: string, value: number | bigint): string | undefined {
  if (typeof value === "bigint") return value.toString();
  if (JSON_NUMBER.test(source)) return source;
  return Number.isFinite(value) ? (Object.is(value, -0) ? "-0" : String(value)) : undefined;
}

/** Nesting beyond this is refused by every parser: no policy needs it, and stacks are finite. */
export const MAX_DOCUMENT_DEPTH = 200;

/** Nodes that all aliases of a file together may stand for. */
export const MAX_ALIAS_NODES = 10_000;
