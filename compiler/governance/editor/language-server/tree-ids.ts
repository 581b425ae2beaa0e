/** The ids in a YAML, TOML or JSON file and in front matter. */

import { type Span, span } from "@portcullis/rego/diagnostics";
import type { ReadSource, SourceNode } from "../../sources/index.ts";
import type { FormatName } from "../schemas.ts";
import { canonical, type IdKind, kindOfKey, type Occurrence } from "./ids.ts";
import { placeOf } from "./places.ts";

/** The occurrences in a file other than Rego. `path` is that below the policy folder. */
export function treeIds(read: ReadSource, format: FormatName | "data" | "sample", path: string): Occurrence[] {
  const found: Occurrence[] = [];
  const start = span(read.file, 0, 0);
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (format === "agent") {
    const name = canonical("agent", file.replace(/^AGENT_/, "").replace(/\.md$/, ""));
    found.push({ kind: "agent", name, span: start, role: "file name" });
  }
  const { root } = read;
  if (format === "manifest" && !(root?.kind === "Mapping" && root.entries.some((e) => e.key === "agent_type"))) {
    const name = file.replace(/\.[^.]+$/, "").replace(/(?<=.)\.manifest$/, "");
    found.push({ kind: "agent type", name, span: start, role: "file name" });
  }
  if (root === undefined) return found;
  if (format === "data") dataIds(root, path.split("/").slice(0, -1), found);
  else if (format === "tests" || format === "claims" || format === "sample") requestIds(root, undefined, found);
  else placedIds(root, format, [], found);
  return found;
}

function add(kind: IdKind, name: string, at: Span, role: Occurrence["role"], found: Occurrence[]): void {
  if (name.trim() !== "") found.push({ kind, name: canonical(kind, name), span: at, role });
}

/** Ids at the places that a format has for them. */
function placedIds(node: SourceNode, format: FormatName, path: readonly string[], found: Occurrence[]): void {
  if (node.kind === "Mapping") {
    for (const e of node.entries) placedIds(e.value, format, [...path, e.key], found);
  } else if (node.kind === "Sequence") {
    const below = [...path, "*"];
    for (const item of node.items) placedIds(item, format, below, found);
  } else if (node.kind === "String") {
    const place = placeOf(format, path);
    if (place === undefined) return;
    if (place.kind === "agent" && node.value.includes(",")) {
      for (const part of splitNames(node.value, node.span)) add("agent", part.name, part.span, "reference", found);
    } else {
      add(place.kind, node.value, node.span, place.defines === true ? "definition" : "reference", found);
    }
  }
}

/** `A, B` in one text: each name with its own span, where it is written plainly. */
function splitNames(text: string, at: Span): { readonly name: string; readonly span: Span }[] {
  let from = at.start;
  return text.split(",").flatMap((part) => {
    const name = part.trim();
    const start = at.file.text.indexOf(name, from);
    if (name === "" || start < 0 || start + name.length > at.end) return [];
    from = start + name.length;
    return [{ name, span: span(at.file, start, from) }];
  });
}

/**
 * Ids in requests and in what is expected of decisions: by the key above them, through lists and the `also` of an axis. Of
 * `expect`, the gate.
 */
function requestIds(node: SourceNode, kind: IdKind | undefined, found: Occurrence[]): void {
  if (node.kind === "Sequence") {
    for (const item of node.items) requestIds(item, kind, found);
  } else if (node.kind === "String") {
    if (kind !== undefined) add(kind, node.value, node.span, "reference", found);
  } else if (node.kind === "Mapping") {
    const isWrite = node.entries.some((e) => e.key === "table");
    for (const { key, value } of node.entries) {
      if (key === "every") continue;
      const of = key === "also" ? kind : key === "mode" ? (isWrite ? "write mode" : "mode") : kindOfKey(key);
      requestIds(value, key === "gate" ? "gate" : of, found);
    }
  }
}

/** The ids in what data has below keys, `null` for any: its elements, or the keys of its tables. */
export function idsBelow(
  node: SourceNode,
  below: readonly (string | null)[],
  kind: IdKind,
  part: "keys" | "values",
): Occurrence[] {
  const [key, ...rest] = below;
  if (key !== undefined) {
    if (node.kind === "Sequence") return node.items.flatMap((item) => idsBelow(item, rest, kind, part));
    if (node.kind !== "Mapping") return [];
    const asked = node.entries.filter((e) => key === null || e.key === key);
    return asked.flatMap(({ value }) => idsBelow(value, rest, kind, part));
  }
  const found: Occurrence[] = [];
  if (node.kind === "String") add(kind, node.value, node.span, "reference", found);
  if (node.kind === "Mapping" && part === "keys")
    for (const entry of node.entries) add(kind, entry.key, entry.keySpan, "reference", found);
  if (node.kind === "Mapping" && part === "values")
    found.push(...node.entries.flatMap(({ value }) => idsBelow(value, [], kind, part)));
  if (node.kind === "Sequence" && part === "values")
    found.push(...node.items.flatMap((item) => idsBelow(item, [], kind, part)));
  return found;
}

/** How deep the keys of data are names that rules refer to. */
const DATA_DEPTH = 4;

/** The keys of a data file define documents. */
function dataIds(node: SourceNode, prefix: readonly string[], found: Occurrence[]): void {
  if (node.kind !== "Mapping" || prefix.length > DATA_DEPTH) return;
  for (const { key, keySpan, value } of node.entries) {
    const path = [...prefix, key];
    add("document", path.join("."), keySpan, "definition", found);
    dataIds(value, path, found);
  }
}
