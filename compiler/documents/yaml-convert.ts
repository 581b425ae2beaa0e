/**
 * Nodes of the `yaml` package → source tree. Refuses duplicate keys and tags, which make a policy ambiguous, and aliases that
 * expand beyond a bound, which make a text larger than it looks.
 */

import { type Diagnostic, type SourceFile, type Span, span } from "@portcullis/rego/diagnostics";
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import { documentsDiagnostic } from "./codes.ts";
import type { ParsedTree } from "./json.ts";
import { mergedInto } from "./merge-keys.ts";
import {
  isWellFormed,
  jsonNumberText,
  MAX_ALIAS_NODES,
  MAX_DOCUMENT_DEPTH,
  type MappingEntry,
  type SourceNode,
} from "./tree.ts";
import { isNumberElsewhere, keyElsewhere } from "./yaml-elsewhere.ts";

type Range = readonly [number, number, number] | null | undefined;

/** Properties that any node of the package may have; the package's own types split them over its classes. */
interface Marks {
  readonly range?: Range;
  readonly tag?: string;
  readonly anchor?: string;
}

/** `from` is where the parsed text begins in the file. */
export function convertYaml(contents: unknown, file: SourceFile, from: number): ParsedTree {
  const converter = new Converter(file, from);
  const root = converter.convert(contents, 0);
  return { root, diagnostics: converter.diagnostics };
}

export function shortTag(tag: string): string {
  return tag.replace(/^tag:yaml\.org,2002:/, "!!");
}

class Converter {
  readonly diagnostics: Diagnostic[] = [];
  private readonly file: SourceFile;
  private readonly from: number;
  private readonly anchors = new Map<string, { readonly node: SourceNode; readonly size: number }>();
  /** Nodes made so far; an alias counts as many as its target. */
  private size = 0;
  private aliased = 0;
  private tooDeep = false;

  constructor(file: SourceFile, from: number) {
    this.file = file;
    this.from = from;
  }

  convert(node: unknown, depth: number): SourceNode {
    if (isAlias(node)) return this.alias(node.source, this.locate(node.range));
    const before = this.size++;
    const result = this.fresh(node, depth);
    const anchor = (node as Marks | null)?.anchor;
    if (anchor !== undefined) this.anchors.set(anchor, { node: result, size: this.size - before });
    return result;
  }

  private fresh(node: unknown, depth: number): SourceNode {
    const { range, tag } = (node ?? {}) as Marks;
    const location = this.locate(range);
    if (depth > MAX_DOCUMENT_DEPTH) {
      if (!this.tooDeep)
        this.diagnostics.push(documentsDiagnostic("sources/too-deep", { limit: MAX_DOCUMENT_DEPTH }, location));
      this.tooDeep = true;
      return nothing(location);
    }
    if (tag !== undefined)
      this.diagnostics.push(documentsDiagnostic("sources/yaml-tag", { tag: shortTag(tag) }, location));
    if (isSeq(node)) {
      const items = node.items.map((i) => this.convert(i, depth + 1));
      return { kind: "Sequence", items, span: node.flow ? location : upTo(location, items.at(-1)?.span.end) };
    }
    if (isMap(node)) return this.mapping(node.items, depth, location, node.flow === true);
    if (isScalar(node)) return this.scalar(node.value, node.source ?? "", location, node.type === "PLAIN");
    return nothing(location);
  }

  private scalar(value: unknown, source: string, location: Span, isPlain: boolean): SourceNode {
    if (typeof value === "string") {
      if (isPlain && isNumberElsewhere(value)) this.elsewhere(value, "a number", location);
      if (!isWellFormed(value)) this.diagnostics.push(documentsDiagnostic("sources/lone-surrogate", {}, location));
      return { kind: "String", value, span: location };
    }
    if (typeof value === "boolean") return { kind: "Boolean", value, span: location };
    if (typeof value === "number" || typeof value === "bigint") {
      // YAML 1.1, and people, take it for an octal number, or for a text.
      if (/^[-+]?0[0-9]/.test(source)) {
        const read = String(value);
        this.diagnostics.push(documentsDiagnostic("sources/leading-zero", { text: source, value: read }, location));
      }
      const text = jsonNumberText(source, value);
      if (text !== undefined) return { kind: "Number", text, span: location };
      this.diagnostics.push(documentsDiagnostic("sources/number-not-finite", { text: source }, location));
    }
    return nothing(location);
  }

  private elsewhere(text: string, other: string, location: Span): void {
    const plain = text.replaceAll("_", "");
    const help = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(plain)
      ? { help: `write the number: \`${plain}\`, or quote the text` }
      : {};
    this.diagnostics.push(documentsDiagnostic("sources/text-to-others", { text, other }, location, help));
  }

  private mapping(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    depth: number,
    location: Span,
    flow: boolean,
  ): SourceNode {
    const entries: MappingEntry[] = [];
    const merged: MappingEntry[] = [];
    const seen = new Map<string, Span>();
    let end = location.start;
    for (const pair of pairs) {
      const keySpan = this.locate((pair.key as Marks | null)?.range, location);
      const key = this.key(pair.key, keySpan);
      // `key` alone (`? a` or `{a}`) has no value node at all.
      const value =
        pair.value === null || pair.value === undefined ? nothing(keySpan) : this.convert(pair.value, depth + 1);
      end = Math.max(end, keySpan.end, value.span.end);
      if (key === undefined) continue;
      const first = seen.get(key);
      if (first !== undefined) {
        this.diagnostics.push(
          documentsDiagnostic("sources/duplicate-key", { key }, keySpan, {
            related: [{ message: "first written here", span: first }],
          }),
        );
        continue;
      }
      seen.set(key, keySpan);
      if (key === "<<" && isScalar(pair.key) && pair.key.type === "PLAIN") merged.push(...this.merge(value));
      else entries.push({ key, keySpan, value });
    }
    return { kind: "Mapping", entries: mergedInto(entries, [merged]), span: flow ? location : upTo(location, end) };
  }

  private key(node: unknown, location: Span): string | undefined {
    if (isScalar(node)) {
      if (node.tag !== undefined)
        this.diagnostics.push(documentsDiagnostic("sources/yaml-tag", { tag: shortTag(node.tag) }, location));
      if (node.anchor !== undefined) this.convert(node, MAX_DOCUMENT_DEPTH);
      const text = typeof node.value === "string" ? node.value : (node.source ?? "");
      if (!isWellFormed(text)) this.diagnostics.push(documentsDiagnostic("sources/lone-surrogate", {}, location));
      const other = node.type === "PLAIN" && text !== "" ? keyElsewhere(text, node.value) : undefined;
      if (other !== undefined) this.elsewhere(text, other, location);
      if (typeof node.value === "string" || text !== "") return text;
    }
    this.diagnostics.push(documentsDiagnostic("sources/key-not-text", {}, location));
    return undefined;
  }

  private merge(value: SourceNode): readonly MappingEntry[] {
    const parts = value.kind === "Sequence" ? value.items : [value];
    const entries: MappingEntry[] = [];
    for (const part of parts) {
      if (part.kind === "Mapping") entries.push(...part.entries);
      else
        this.diagnostics.push(
          documentsDiagnostic(
            "sources/invalid-yaml",
            { problem: "a merge key `<<` takes a mapping, or a list of mappings" },
            part.span,
          ),
        );
    }
    return entries;
  }

  private alias(name: string, location: Span): SourceNode {
    // An anchor counts once its node is complete, so an alias inside its own anchor finds nothing.
    const target = this.anchors.get(name);
    if (target === undefined) {
      this.diagnostics.push(documentsDiagnostic("sources/unknown-alias", { alias: name }, location));
      return nothing(location);
    }
    const exceeded = this.aliased > MAX_ALIAS_NODES;
    this.aliased += target.size;
    if (this.aliased > MAX_ALIAS_NODES) {
      if (!exceeded)
        this.diagnostics.push(documentsDiagnostic("sources/alias-expansion", { limit: MAX_ALIAS_NODES }, location));
      return nothing(location);
    }
    this.size += target.size;
    return { ...target.node, span: location };
  }

  private locate(range: Range, fallback?: Span): Span {
    if (range === null || range === undefined) return fallback ?? span(this.file, this.from, this.from);
    const start = this.from + range[0];
    return span(this.file, start, trimEnd(this.file.text, start, this.from + range[1]));
  }
}

function nothing(location: Span): SourceNode {
  return { kind: "Null", span: location };
}

/** A block collection's range runs on over blanks and comments; a finding should end with the last thing in it. */
function upTo(location: Span, end: number | undefined): Span {
  return end === undefined ? location : { ...location, end: Math.max(location.start, end) };
}

/** A block scalar's range has the line's end in it. */
function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /[ \t\r\n]/.test(text[at - 1] as string)) at--;
  return at;
}
