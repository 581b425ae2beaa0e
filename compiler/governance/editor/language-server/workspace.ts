/** The folders of an editor: which policy sets they hold, and which of them a document belongs to. */

import type { Host } from "@portcullis/documents";
import type { Diagnostic as Finding } from "@portcullis/rego/diagnostics";
import { recognise } from "../../sources/index.ts";
import { formatOf, PolicySet } from "./policy-set.ts";

/** What the server needs of the machine. */
export interface Machine {
  readonly host: Host;
  toPath(uri: string): string | undefined;
  toUri(path: string): string;
  /** All that `check` finds in folders of one policy set. */
  check(sources: { readonly host: Host; readonly dirs: readonly string[] }): Promise<{
    readonly diagnostics: readonly Finding[];
  }>;
}

/** A document of a policy set. */
export interface Document {
  readonly set: PolicySet;
  /** Below the set's folder. */
  readonly path: string;
}

/** Kinds of files that say that a folder is a policy set. */
const MARKS = new Set(["settings", "roles", "lanes", "tool_registry"]);

export class Workspace {
  readonly machine: Machine;
  private roots: string[] = [];
  private readonly sets = new Map<string, PolicySet>();
  /** Texts of open documents by path, in whatever set they lie. */
  private readonly texts = new Map<string, string>();
  /** How the client spells the URI of a path. */
  private readonly uris = new Map<string, string>();

  constructor(machine: Machine) {
    this.machine = machine;
  }

  setRoots(uris: readonly string[]): void {
    this.roots = uris.flatMap((uri) => this.machine.toPath(uri)?.replace(/(?<=.)\/$/, "") ?? []);
    this.discover();
  }

  /** Looks for policy sets again. Sets that are still there keep what they have read. */
  discover(): void {
    const found = new Set(this.roots.flatMap((root) => this.setsBelow(root)));
    for (const path of this.texts.keys())
      if (formatOf(path) !== undefined && ![...found].some((dir) => isBelow(path, dir))) found.add(folderOf(path));
    const outermost = [...found].filter((dir) => ![...found].some((other) => other !== dir && isBelow(dir, other)));
    for (const dir of this.sets.keys()) if (!outermost.includes(dir)) this.sets.delete(dir);
    for (const dir of outermost) {
      if (this.sets.has(dir)) continue;
      const set = new PolicySet(dir, this.machine.host);
      this.sets.set(dir, set);
      for (const [path, text] of this.texts) if (isBelow(path, dir)) set.setText(path.slice(dir.length + 1), text);
    }
  }

  /** The outermost folders with a governance file; a root without any is a set where it has Rego at its top. */
  private setsBelow(root: string): string[] {
    let paths: readonly string[];
    try {
      paths = this.machine.host.listFiles(root);
    } catch {
      return [];
    }
    const marked = new Set(
      paths
        .filter((path) => MARKS.has(recognise(path)?.kind ?? ""))
        .map((path) => (path.includes("/") ? `${root}/${folderOf(path)}` : root)),
    );
    if (marked.size === 0 && paths.some((path) => !path.includes("/") && path.endsWith(".rego"))) marked.add(root);
    return [...marked];
  }

  all(): readonly PolicySet[] {
    return [...this.sets.values()];
  }

  setText(uri: string, text: string | undefined): void {
    const path = this.machine.toPath(uri);
    if (path === undefined) return;
    const isNew = !this.texts.has(path);
    if (text === undefined) {
      this.texts.delete(path);
      this.uris.delete(path);
    } else {
      this.texts.set(path, text);
      this.uris.set(path, uri);
    }
    const there = this.locate(path);
    if (there !== undefined) there.set.setText(there.path, text);
    if (text === undefined) this.discover();
    else if (isNew && there === undefined) this.discover();
  }

  /** Files on the disk have changed, come or gone. */
  refresh(): void {
    for (const set of this.sets.values()) set.forgetDisk();
    this.discover();
  }

  document(uri: string): Document | undefined {
    const path = this.machine.toPath(uri);
    return path === undefined ? undefined : this.locate(path);
  }

  private locate(path: string): Document | undefined {
    for (const set of this.sets.values())
      if (isBelow(path, set.dir)) return { set, path: path.slice(set.dir.length + 1) };
    return undefined;
  }

  /** The URI of a file by its name in findings and spans. */
  uriOf(name: string): string {
    return this.uris.get(name) ?? this.machine.toUri(name);
  }
}

function isBelow(path: string, dir: string): boolean {
  return path.startsWith(`${dir}/`);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
