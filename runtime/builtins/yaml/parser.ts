/**
 * The first document of a YAML stream, as libyaml (https://pyyaml.org/wiki/LibYAML) reads YAML 1.1, which is what OPA
 * reads it with. Anchors are kept as references to the one node, so that no text can make a larger tree than itself.
 *
 * By hand, because a policy must not see another document than the Go service behind it. The package `yaml` 2.9 (YAML 1.2, with
 * its 1.1 schema) reads 28 of the 445 recorded texts otherwise: 14 that OPA refuses it takes, 3 it refuses, 11 mean something
 * else (block scalars at the end of a text, `?` in flow, the line breaks of 1.1).
 */

import { giveUp } from "../family.ts";
import { bad, emptyScalar, type YamlNode } from "./node.ts";
import { type Properties, PropertyReader } from "./properties.ts";
import { readBlockScalar, readPlain, readQuoted } from "./scalars.ts";
import type { Source } from "./source.ts";

const maxDepth = 500;
/** A key must be told by its `:` on the same line and within this many characters. */
const maxKey = 1024;

export class Parser {
  private readonly anchors = new Map<string, YamlNode>();
  private readonly properties: PropertyReader;
  private depth = 0;

  constructor(private readonly source: Source) {
    this.properties = new PropertyReader(source);
  }

  document(): YamlNode {
    const { source } = this;
    this.properties.directives();
    const inline = source.atMarker() && source.char === "-";
    if (inline) source.at += 3;
    const node = this.block(-1, !inline);
    source.skipToToken(true);
    // libyaml overlooks some texts that stand here; a document that goes on after its end is better refused.
    return source.atEnd || source.atMarker() ? node : bad("did not find expected <document start>");
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > maxDepth) giveUp("nested too deep");
    const value = read();
    this.depth--;
    return value;
  }

  /**
   * The node below a parent at column `parent`. Block collections may begin on the current line only where `fresh`;
   * `dashes`: a sequence may stand at the parent's own column, as below a key.
   */
  private block(parent: number, fresh: boolean, dashes = false): YamlNode {
    return this.nested(() => {
      const { source } = this;
      const line = source.lineStart;
      source.skipToToken(false);
      const newLine = fresh || source.lineStart !== line;
      if (source.char === "\t") bad("found character that cannot start any token");
      if (source.atEnd || source.atMarker()) return emptyScalar;
      const dash = source.char === "-" && source.isBlankOrEnd(source.peek(1));
      const deepEnough = source.column > parent || (dashes && dash && newLine && source.column === parent);
      if (!deepEnough) return emptyScalar;
      return this.content(parent, newLine, dashes);
    });
  }

  private content(parent: number, newLine: boolean, dashes: boolean): YamlNode {
    const { source } = this;
    const start = source.column;
    const { char } = source;
    if (char === "-" && source.isBlankOrEnd(source.peek(1))) {
      return newLine
        ? this.sequence(source.column, dashes && source.column === parent)
        : bad("block sequence entries are not allowed in this context");
    }
    if (char === "?" && source.isBlankOrEnd(source.peek(1))) {
      return newLine ? this.mapping(source.column, undefined) : bad("mapping keys are not allowed in this context");
    }
    if (char === ":" && source.isBlankOrEnd(source.peek(1))) {
      return newLine ? this.mapping(source.column, emptyScalar) : bad("mapping values are not allowed in this context");
    }
    const keyStart = source.at;
    const keyLine = source.lineStart;
    const properties = char === "&" || char === "!" ? this.properties.read() : undefined;
    if (properties !== undefined) {
      const afterLine = source.lineStart;
      const hold = source.at;
      source.skipToToken(true);
      if (source.lineStart !== afterLine || source.atEnd) {
        Object.assign(source, { at: hold, lineStart: afterLine });
        return this.named(properties, () => this.block(parent, false, dashes));
      }
      if (source.char === "-" && source.isBlankOrEnd(source.peek(1)))
        bad("block sequence entries are not allowed in this context");
    }
    if (source.char === "|" || source.char === ">") {
      return this.named(properties, () => this.scalar(readBlockScalar(source, parent), false));
    }
    const emptyKey = source.char === ":" && source.isBlankOrEnd(source.peek(1));
    const first = emptyKey ? emptyScalar : this.flowNode(parent, false);
    const sameLine = source.lineStart === keyLine;
    const hold = source.at;
    source.skipBlanks();
    const isKey = source.char === ":" && source.isBlankOrEnd(source.peek(1));
    if (!isKey) {
      source.at = hold;
      return this.named(properties, () => first);
    }
    if (!sameLine || !newLine || source.at - keyStart > maxKey) bad("mapping values are not allowed in this context");
    return this.mapping(
      start,
      this.named(properties, () => first),
    );
  }

  /** A node under its anchor and tag. An anchor names the node from its end on. */
  private named(properties: Properties | undefined, read: () => YamlNode): YamlNode {
    const node = read();
    if (properties === undefined) return node;
    if (node.kind === "Alias") bad("an alias has no properties");
    const tagged = properties.tag === "" ? node : ({ ...node, tag: properties.tag } as YamlNode);
    if (properties.anchor !== "") this.anchors.set(properties.anchor, tagged);
    return tagged;
  }

  private scalar(value: string, plain: boolean): YamlNode {
    return { kind: "Scalar", value, plain, tag: "" };
  }

  /** `below`: the sequence stands at the column of the key that it belongs to, where the next key ends it. */
  private sequence(column: number, below: boolean): YamlNode {
    const { source } = this;
    const items: YamlNode[] = [];
    while (this.atToken(column) && source.char === "-" && source.isBlankOrEnd(source.peek(1))) {
      source.at++;
      items.push(this.item(column));
      this.toNext(column);
    }
    if (!below && this.atToken(column)) bad("did not find expected '-' indicator");
    return { kind: "Sequence", items, tag: "" };
  }

  /** What follows a dash or a question mark; a collection may begin on the same line. */
  private item(column: number): YamlNode {
    const { source } = this;
    while (source.char === " ") source.at++;
    if (source.char === "\t") bad("found character that cannot start any token");
    const inline = !source.isBlankOrEnd(source.char) && source.char !== "#";
    return inline ? this.nested(() => this.content(column, true, false)) : this.block(column, false);
  }

  /** Passes to the next token, which must stand on a line of its own, and no deeper than this collection. */
  private toNext(column: number): void {
    const { source } = this;
    source.skipToToken(false);
    if (source.char === "\t") bad("found character that cannot start any token");
    if (source.atEnd || source.atMarker()) return;
    if (!source.inIndentation || source.column > column) bad("did not find expected token");
  }

  private mapping(column: number, firstKey: YamlNode | undefined): YamlNode {
    const { source } = this;
    const entries: (readonly [YamlNode, YamlNode])[] = [];
    let key = firstKey;
    for (;;) {
      const explicit = key === undefined;
      if (key === undefined) {
        source.at++;
        key = this.item(column);
        this.toNext(column);
        if (source.column !== column || source.char !== ":" || !source.isBlankOrEnd(source.peek(1))) {
          entries.push([key, emptyScalar]);
          if (!this.atToken(column)) break;
          key = this.nextKey(column);
          continue;
        }
      }
      // At the `:`.
      source.at++;
      entries.push([key, explicit ? this.item(column) : this.block(column, false, true)]);
      this.toNext(column);
      if (!this.atToken(column)) break;
      key = this.nextKey(column);
    }
    return { kind: "Mapping", entries, tag: "" };
  }

  private atToken(column: number): boolean {
    const { source } = this;
    return !source.atEnd && !source.atMarker() && source.column === column;
  }

  /** The next key, up to its `:`; undefined for one after `?`, which stands there still. */
  private nextKey(column: number): YamlNode | undefined {
    const { source } = this;
    if (source.char === "?" && source.isBlankOrEnd(source.peek(1))) return undefined;
    if (source.char === "-" && source.isBlankOrEnd(source.peek(1))) bad("did not find expected key");
    const start = source.at;
    const line = source.lineStart;
    const properties = source.char === "&" || source.char === "!" ? this.properties.read() : undefined;
    source.skipBlanks();
    if (source.char === "|" || source.char === ">") bad("did not find expected key");
    const emptyKey = source.char === ":" && source.isBlankOrEnd(source.peek(1));
    const key = this.named(properties, () => (emptyKey ? emptyScalar : this.flowNode(column, false)));
    if (source.lineStart !== line || source.at - start > maxKey) bad("could not find expected ':'");
    source.skipBlanks();
    if (source.char !== ":" || !source.isBlankOrEnd(source.peek(1))) bad("could not find expected ':'");
    return key;
  }

  /** A node without block structure: alias, flow collection, quoted or plain scalar. */
  private flowNode(indent: number, inFlow: boolean): YamlNode {
    const { source } = this;
    switch (source.char) {
      case "*": {
        const name = this.properties.name();
        return { kind: "Alias", name, target: this.anchors.get(name) ?? bad(`unknown anchor '${name}' referenced`) };
      }
      case "[":
        return this.nested(() => this.flowSequence());
      case "{":
        return this.nested(() => this.flowMapping());
      case '"':
      case "'":
        return this.scalar(readQuoted(source), false);
      default:
        return this.scalar(this.plain(indent, inFlow), true);
    }
  }

  private plain(indent: number, inFlow: boolean): string {
    const { source } = this;
    const { char } = source;
    const next = source.peek(1);
    if (char === "" || ",[]{}#&*!|>'\"%@`".includes(char)) bad("found character that cannot start any token");
    if ("-?:".includes(char) && (source.isBlankOrEnd(next) || (inFlow && (char === "?" || char === ":")))) {
      bad("found character that cannot start any token");
    }
    return readPlain(source, indent, inFlow);
  }

  private flowSequence(): YamlNode {
    const { source } = this;
    source.at++;
    const items: YamlNode[] = [];
    for (;;) {
      this.skipFlow();
      if (source.char === "]") break;
      if (source.char === ",") bad("did not find expected node content");
      items.push(this.flowItem());
      this.skipFlow();
      if (source.char === ",") source.at++;
      else if (source.char !== "]") bad("did not find expected ',' or ']'");
    }
    source.at++;
    return { kind: "Sequence", items, tag: "" };
  }

  /** A member of a flow sequence, which may be a single pair. */
  private flowItem(): YamlNode {
    const explicit = this.skipQuestion();
    const [key, paired] = this.flowKey(explicit);
    if (paired) return { kind: "Mapping", entries: [[key, this.flowValue()]], tag: "" };
    return explicit ? { kind: "Mapping", entries: [[key, emptyScalar]], tag: "" } : key;
  }

  /** A node, and whether a `:` follows; without a `?`, only on the same line and not too far away. */
  private flowKey(explicit: boolean): readonly [YamlNode, boolean] {
    const { source } = this;
    const [line, start] = [source.lineStart, source.at];
    const key = this.flowValue();
    this.skipFlow();
    if (source.char !== ":") return [key, false];
    if (!explicit && (source.lineStart !== line || source.at - start > maxKey))
      bad("did not find expected ',' or a bracket");
    source.at++;
    return [key, true];
  }

  /** In a flow collection, a question mark is always that of a key. */
  private skipQuestion(): boolean {
    const { source } = this;
    if (source.char !== "?") return false;
    source.at++;
    this.skipFlow();
    return true;
  }

  private flowMapping(): YamlNode {
    const { source } = this;
    source.at++;
    const entries: (readonly [YamlNode, YamlNode])[] = [];
    for (;;) {
      this.skipFlow();
      if (source.char === "}") break;
      const [key, paired] = this.flowKey(this.skipQuestion());
      entries.push([key, paired ? this.flowValue() : emptyScalar]);
      this.skipFlow();
      if (source.char === ",") source.at++;
      else if (source.char !== "}") bad("did not find expected ',' or '}'");
    }
    source.at++;
    return { kind: "Mapping", entries, tag: "" };
  }

  /** A node in a flow collection; nothing at all is an empty scalar. */
  private flowValue(): YamlNode {
    const { source } = this;
    this.skipFlow();
    const properties = source.char === "&" || source.char === "!" ? this.properties.read() : undefined;
    this.skipFlow();
    const empty = ",]}:".includes(source.char);
    return this.named(properties, () => (empty ? emptyScalar : this.flowNode(-1, true)));
  }

  private skipFlow(): void {
    const { source } = this;
    source.skipToToken(true);
    if (source.atEnd || source.atMarker()) bad("flow collection does not end");
  }
}
