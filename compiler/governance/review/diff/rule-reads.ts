/** What rules read of `data`: each reference as far as it is written out. Whatever is asked for beyond that may be anything below. */

import { children, type Module, type Node, type Rule } from "@portcullis/rego/syntax";

interface Reader {
  /** Path of the rule, without `data`. */
  readonly parts: readonly string[];
  readonly module: Module;
  readonly rule: Rule;
}

/**
 * Whether a path may be read by one of the readers, or by a rule of `all` that they read, and so on. A local variable is taken for
 * the rule of its name: that says too much at most.
 */
export function readersOf(readers: readonly Reader[], all: readonly Reader[]): (path: readonly string[]) => boolean {
  const reads = new Map<string, readonly string[]>();
  const waiting = [...readers];
  const left = new Set(all.filter((one) => !readers.includes(one)));
  for (let reader = waiting.pop(); reader !== undefined; reader = waiting.pop()) {
    for (const read of readsOf(reader)) {
      const key = JSON.stringify(read);
      if (reads.has(key)) continue;
      reads.set(key, read);
      for (const other of left) if (meet(other.parts, read) && left.delete(other)) waiting.push(other);
    }
  }
  return (path) => [...reads.values()].some((read) => meet(path, read));
}

/** Whether one path leads to the other, or is the same. */
function meet(a: readonly string[], b: readonly string[]): boolean {
  return a.slice(0, b.length).every((part, i) => part === b[i]);
}

function readsOf({ module, rule }: Reader): (readonly string[])[] {
  const within = textsOf(module.package.path.args);
  const imported = new Map<string, readonly string[]>();
  for (const { path, alias } of module.imports) {
    const parts = textsOf(path.args);
    const name = alias?.name ?? parts.at(-1);
    if (path.head.kind === "Var" && path.head.name === "data" && name !== undefined) imported.set(name, parts);
  }
  const found: (readonly string[])[] = [];
  const read = (name: string, args: readonly Node[]): void => {
    const from = name === "data" ? [] : (imported.get(name) ?? [...within, name]);
    found.push([...from, ...textsOf(args)]);
  };
  const visit = (node: Node): void => {
    if (node.kind === "Call") visit(node.operator);
    if (node.kind === "Var") read(node.name, []);
    else if (node.kind === "Ref" && node.head.kind === "Var") {
      read(node.head.name, node.args);
      for (const arg of node.args) visit(arg);
    } else if (node.kind === "Head") {
      // Its own name is not read; keys in it may be.
      for (const part of [...node.ref.args, ...(node.args ?? []), node.key, node.value])
        if (part !== undefined) visit(part);
    } else for (const child of children(node)) visit(child);
  };
  visit(rule);
  return found;
}

/** The texts at the beginning. */
function textsOf(args: readonly Node[]): string[] {
  const end = args.findIndex(({ kind }) => kind !== "String");
  return args.slice(0, end < 0 ? args.length : end).flatMap((arg) => (arg.kind === "String" ? [arg.value] : []));
}
