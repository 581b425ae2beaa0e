/**
 * Syntax trees as texts, for modules that are part of the program: reading one takes a tenth of the time of parsing its
 * module. A packed tree is JSON in which `null` stands for what is absent and 0 for the file; no tree has either.
 */

import { assert, SourceFile } from "../diagnostics/index.ts";
import type { Module } from "./ast.ts";

export function packTree(module: Module): string {
  return JSON.stringify(module, (_key, value: unknown) => {
    assert(value !== null, "a syntax tree has no null");
    if (value instanceof SourceFile) return 0;
    return value === undefined ? null : value;
  });
}

/** The tree that was packed, of this file: its text must be the one that was parsed. */
export function unpackTree(packed: string, file: SourceFile): Module {
  const module = JSON.parse(packed) as Module;
  restore(module as unknown as Record<string, unknown>, file);
  return module;
}

function restore(node: Record<string, unknown>, file: SourceFile): void {
  for (const key in node) {
    const value = node[key];
    if (key === "file") node[key] = file;
    else if (value === null) node[key] = undefined;
    else if (typeof value === "object") restore(value as Record<string, unknown>, file);
  }
}
