/** Model and authors' data → the one data document of the bundle, as a value and as canonical text. */

import { type Diagnostic, type Span, span } from "@portcullis/rego/diagnostics";
import { jsonText, sortedEntries, type Value } from "@portcullis/rego/value";
import { sha256 } from "@portcullis/runtime/host";
import type { Model, Named } from "../model/index.ts";
import { type DataSource, describeKind, type SourceNode, toValue } from "../sources/index.ts";
import { approverNames } from "./approver-names.ts";
import { lowerDiagnostic } from "./codes.ts";
import { namesApart } from "./name-folds.ts";
import { plainWords } from "./plain-words.ts";
import { agentNames, asksBoundApproval, comparesNames, dataValue, policyData } from "./policy-data.ts";

export interface LowerResult {
  /** An object; its keys, at every level, are sorted. */
  readonly data: Value;
  /** Canonical JSON of `data`, which is made when it is first asked for. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A document under construction: inner nodes can be merged into, leaves cannot. */
interface Branch {
  readonly kind: "Branch";
  readonly members: Map<string, Tree>;
  /** The location of the branch's first definition; none for a branch that the compiler makes. */
  readonly span: Span | undefined;
}

interface Leaf {
  readonly kind: "Leaf";
  readonly value: Value;
  readonly span: Span | undefined;
}

type Tree = Branch | Leaf;

/** The root of everything that the compiler puts into `data`. */
const RESERVED = "portcullis";

/** A module of Rego as the bundle has it. */
export interface LoweredModule {
  /** Without the folder that the policy set was read from. */
  readonly path: string;
  readonly text: string;
}

/**
 * A policy set without governance sources has no tables: its data is the author's alone. `modules` are those of the bundle: what
 * they say is a part of what approvals are bound to.
 */
export function lowerToData(
  model: Model,
  sources: readonly DataSource[],
  modules: readonly LoweredModule[] = [],
): LowerResult {
  const diagnostics: Diagnostic[] = [];
  const root: Branch = { kind: "Branch", members: new Map(), span: undefined };
  for (const source of sources) add(root, source, model.governed, diagnostics);
  const known = new Map<Value, Value>();
  if (model.governed) {
    const tables = policyData(model);
    const revision = asksBoundApproval(model) ? approvalRevision(root, dataValue(tables), modules) : undefined;
    const whole = revision === undefined ? tables : { ...tables, approval_revision: revision };
    const policy: Value = object([["policy", dataValue(whole)]]);
    root.members.set(RESERVED, { kind: "Leaf", value: policy, span: undefined });
    // It is sorted already, and there may be much of it.
    known.set(policy, policy);
  }
  if (model.governed && comparesNames(model)) diagnostics.push(...namesApart(agentNames(model)));
  if (model.governed) diagnostics.push(...approverNames(model, agentNames(model)));
  diagnostics.push(...ownedByBundle(root, model.settings.rego.hostData));
  const data = sorted(finish(root), known);
  let text: string | undefined;
  return {
    data,
    get text() {
      text ??= jsonText(data);
      return text;
    },
    diagnostics,
  };
}

/** A hash of all that decides; the tables are those without it. An approval under one policy does not hold under another. */
function approvalRevision(root: Branch, tables: Value, modules: readonly LoweredModule[]): string {
  const texts = modules.map(({ path, text }) => [path, sha256(text)]).sort();
  const data = [jsonText(sorted(finish(root), new Map())), jsonText(tables)].map(sha256);
  return sha256(JSON.stringify([...data, texts]));
}

/** Promises that the host could not keep: the bundle has data of that name. */
function ownedByBundle({ members }: Branch, promised: readonly Named[]): Diagnostic[] {
  return promised.flatMap(({ name, span: at }) => {
    const path = name.replace(/^data\./, "");
    const [root = ""] = path.split(".");
    const own = members.get(root);
    if (own === undefined) return [];
    const related =
      own.span === undefined ? [] : [{ message: "the bundle has data of this name here", span: own.span }];
    return [lowerDiagnostic("lower/host-data-in-bundle", { path, root }, at, { related })];
  });
}

function add(root: Branch, source: DataSource, governed: boolean, diagnostics: Diagnostic[]): void {
  const { root: node, prefix, file } = source;
  const isValue = node.kind !== "Mapping" && node.kind !== "Null";
  const name = prefix.at(-1);
  // Below the root a file may be any value, as in OPA: that of its folder.
  if (isValue && name === undefined) {
    diagnostics.push(lowerDiagnostic("lower/data-not-object", { found: describeKind(node) }, node.span));
    return;
  }
  const entries = node.kind === "Mapping" ? node.entries : [];
  if (/\.ya?ml$/.test(file.name)) diagnostics.push(...plainWords(node));
  if (governed && prefix.length > 0 && prefix[0] === RESERVED) {
    diagnostics.push(lowerDiagnostic("lower/data-reserved", { path: ["data", ...prefix].join(".") }, span(file, 0, 0)));
    return;
  }
  let branch = root;
  for (const [i, segment] of (isValue ? prefix.slice(0, -1) : prefix).entries()) {
    const next = branch.members.get(segment) ?? {
      kind: "Branch" as const,
      members: new Map<string, Tree>(),
      span: node.span,
    };
    if (next.kind === "Leaf") {
      conflict(["data", ...prefix.slice(0, i + 1)].join("."), span(file, 0, 0), next.span, diagnostics);
      return;
    }
    branch.members.set(segment, next);
    branch = next;
  }
  if (isValue && name !== undefined) merge(branch, name, node.span, node, ["data", ...prefix].join("."), diagnostics);
  for (const { key, keySpan, value } of entries) {
    if (governed && prefix.length === 0 && key === RESERVED)
      diagnostics.push(lowerDiagnostic("lower/data-reserved", { path: `data.${key}` }, keySpan));
    else merge(branch, key, keySpan, value, ["data", ...prefix, key].join("."), diagnostics);
  }
}

/** Objects merge, key by key; anything else may be given once. */
function merge(
  into: Branch,
  key: string,
  keySpan: Span,
  node: SourceNode,
  path: string,
  diagnostics: Diagnostic[],
): void {
  const present = into.members.get(key);
  if (present === undefined) {
    into.members.set(key, treeOf(node, keySpan));
  } else if (present.kind === "Branch" && node.kind === "Mapping") {
    for (const e of node.entries) merge(present, e.key, e.keySpan, e.value, `${path}.${e.key}`, diagnostics);
  } else {
    conflict(path, keySpan, present.span, diagnostics);
  }
}

function conflict(path: string, at: Span, first: Span | undefined, diagnostics: Diagnostic[]): void {
  const related = first === undefined ? [] : [{ message: "first given here", span: first }];
  diagnostics.push(lowerDiagnostic("lower/data-conflict", { path }, at, { related }));
}

function treeOf(node: SourceNode, at: Span): Tree {
  if (node.kind !== "Mapping") return { kind: "Leaf", value: toValue(node), span: at };
  return { kind: "Branch", members: new Map(node.entries.map((e) => [e.key, treeOf(e.value, e.keySpan)])), span: at };
}

function finish(tree: Tree): Value {
  if (tree.kind === "Leaf") return tree.value;
  return object([...tree.members].map(([key, member]) => [key, finish(member)]));
}

function object(entries: readonly (readonly [string, Value])[]): Value {
  return { kind: "object", entries: entries.map(([key, value]) => [{ kind: "string", value: key }, value]) };
}

/** The value itself where it is sorted. What is shared stays so: `known` has the sorted values of those that were met. */
function sorted(value: Value, known: Map<Value, Value>): Value {
  if (value.kind !== "object" && value.kind !== "array") return value;
  let result = known.get(value);
  if (result === undefined) {
    if (value.kind === "array") {
      const items = value.items.map((item) => sorted(item, known));
      result = items.every((item, i) => item === value.items[i]) ? value : { kind: "array", items };
    } else {
      const items = value.entries.map(([, item]) => sorted(item, known));
      const isSame = items.every((item, i) => item === value.entries[i]?.[1]);
      const entries = isSame ? value.entries : value.entries.map(([key], i) => [key, items[i] as Value] as const);
      const inOrder = sortedEntries(entries);
      result = inOrder === value.entries ? value : { kind: "object", entries: inOrder };
    }
    known.set(value, result);
  }
  return result;
}
