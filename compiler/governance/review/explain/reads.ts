/** The reads of a part of a rule: paths of input and data, its own and those of the rules that it calls, with their values. */

import { children, type Node, type Term } from "@portcullis/rego/syntax";
import { isJsonObject } from "@portcullis/rego/value";
import { segment } from "../diff/contents.ts";
import { agentKey } from "../policy-ids.ts";
import { type Path, textsIn } from "./edit.ts";
import { isTable } from "./places.ts";
import { type IndexedRule, type RegoIndex, type Resolved, type RuleGroup, referencesIn } from "./rego-index.ts";

/** A value that a condition read of a document. */
export interface Read {
  readonly document: "input" | "data";
  /** Below the document. */
  readonly keys: Path;
  /** `input.role`, `data.portcullis.policy.roles.WRITER` */
  readonly path: string;
  /** Absent when there is nothing at the path. */
  readonly value?: unknown;
}

export interface Found {
  readonly reads: readonly Read[];
  readonly constants: readonly (string | number | boolean)[];
}

/** Where values come from. */
export interface Documents {
  readonly input: unknown;
  readonly data: unknown;
  /** The value of a rule; `undefined` when it is undefined. */
  rule(name: string): unknown;
}

/** Rows of one table that are told. */
const MOST_ROWS = 6;

export class ReadFinder {
  private readonly index: RegoIndex;
  private readonly documents: Documents;
  /** What the request names, as rows are called. */
  private readonly names: readonly string[];

  constructor(index: RegoIndex, documents: Documents) {
    this.index = index;
    this.documents = documents;
    this.names = [...new Set(textsIn(documents.input).flatMap((text) => [text, agentKey(text)]))];
  }

  /**
   * Sorted by nothing but the order in which they are written; each path once. `opaque` rules are read, not entered. And the
   * texts, numbers and booleans that stand beside them.
   */
  reads(rule: IndexedRule, nodes: readonly Node[], opaque: (group: RuleGroup) => boolean): Found {
    const found = new Map<string, Read>();
    const constants = new Set<string | number | boolean>();
    const entered = new Set<string>();
    const collect = (of: IndexedRule, parts: readonly Node[]): void => {
      for (const part of parts) constantsIn(part, constants);
      for (const written of referencesIn(this.index, of, parts)) {
        const reference = this.index.throughNames(written);
        const group = this.index.groupAt(reference);
        if (group === undefined || opaque(group)) {
          for (const read of this.readsOf(of, reference)) found.set(read.path, read);
        } else if (!entered.has(group.name)) {
          entered.add(group.name);
          for (const inner of group.rules) collect(inner, [inner.rule]);
        }
      }
    };
    collect(rule, nodes);
    return { reads: [...found.values()], constants: [...constants] };
  }

  /**
   * As far as the path is known: a part that only a loop knows ends it. Of a table of the policy, where any row may be meant,
   * those that the request names, too. Nothing for a whole document of packages.
   */
  private readsOf(of: IndexedRule, { root, fixed, rest }: Resolved): Read[] {
    const keys = this.known(of, fixed, rest);
    if (root === "data" && keys.length === 0) return [];
    const read = this.read(root, keys);
    if (root === "input" || !isTable(keys) || !isJsonObject(read.value)) return [read];
    const table = read.value;
    const named = this.names.filter((id) => Object.hasOwn(table, id)).slice(0, MOST_ROWS);
    const below = rest.slice(keys.length - fixed.length + 1);
    return [read, ...named.map((id) => this.read(root, this.known(of, [...keys, id], below)))];
  }

  private known(of: IndexedRule, fixed: readonly (string | number)[], rest: readonly Term[]): (string | number)[] {
    const keys = [...fixed];
    for (const term of rest) {
      const key = this.keyOf(of, term);
      if (key === undefined) break;
      keys.push(key);
    }
    return keys;
  }

  private read(root: Read["document"], keys: Path): Read {
    const path = root + keys.map((key) => (typeof key === "number" ? `[${key}]` : segment(key))).join("");
    const value = this.valueAt(root, keys);
    return { document: root, keys, path, value };
  }

  private keyOf(of: IndexedRule, term: Term): string | number | undefined {
    const value = this.valueOf(of, term);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  }

  private valueOf(of: IndexedRule, term: Term): unknown {
    if (term.kind === "String") return term.value;
    if (term.kind === "Number") return Number(term.text);
    if (term.kind !== "Ref" && term.kind !== "Var") return undefined;
    const resolved = this.index.resolve(of, term);
    if (resolved === undefined) return undefined;
    const keys = resolved.rest.map((t) => this.keyOf(of, t));
    if (keys.includes(undefined)) return undefined;
    return this.valueAt(resolved.root, [...resolved.fixed, ...(keys as (string | number)[])]);
  }

  private valueAt(root: "data" | "input", keys: readonly (string | number)[]): unknown {
    if (root === "input") return keys.reduce(elementOf, this.documents.input);
    const names = keys.filter((key) => typeof key === "string");
    const group = this.index.groupAt({ root, fixed: names, rest: [] });
    if (group === undefined || group.kind === "function") return keys.reduce(elementOf, this.documents.data);
    const depth = group.name.split("/").length;
    return keys.slice(depth).reduce(elementOf, this.documents.rule(group.name));
  }
}

function elementOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
}

/** The names in a path are no values. */
function constantsIn(node: Node, into: Set<string | number | boolean>): void {
  if (node.kind === "String" || node.kind === "Boolean") into.add(node.value);
  else if (node.kind === "Number") into.add(Number(node.text));
  else
    for (const child of children(node)) {
      if (node.kind !== "Ref" || child.kind !== "String") constantsIn(child, into);
    }
}
