/**
 * One policy set as the editor has it: files from the disk, open documents in their place, and what was read of each. A change
 * of one file parses that file alone.
 */

import type { Host } from "@portcullis/documents";
import { type Diagnostic, SourceFile } from "@portcullis/rego/diagnostics";
import { parseModule } from "@portcullis/rego/syntax";
import { globMatches } from "@portcullis/rego/wasm";
import { type LoadResult, loadSources, parseYaml, recognise, type SourceCache } from "../../sources/index.ts";
import { type Findings, findingsOf, type RegoMemo } from "./findings.ts";
import { IdIndex, type SetFile } from "./id-index.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** What `init` calls the file of claims for `prove`. */
const CLAIMS = /(?:^|\/)claims\.ya?ml$/;

export class PolicySet implements Host {
  /** The folder, absolute. */
  readonly dir: string;
  private readonly disk: Host;
  private readonly cache: SourceCache = new Map();
  private readonly bytes = new Map<string, Uint8Array>();
  private readonly open = new Map<string, Uint8Array>();
  private listing: readonly string[] | undefined;
  private readonly claims = new Map<string, SetFile>();
  private loaded: LoadResult | undefined;
  private index: IdIndex | undefined;
  private memo: RegoMemo | undefined;
  /** The last version of each file that could be read, for ids while a text is being typed. */
  private readonly lastGood = new Map<string, SetFile>();

  constructor(dir: string, disk: Host) {
    this.dir = dir;
    this.disk = disk;
  }

  listFiles(): readonly string[] {
    if (this.listing === undefined) {
      try {
        this.listing = this.disk.listFiles(this.dir);
      } catch {
        // The folder is gone; open documents are all that there is.
        this.listing = [];
      }
    }
    const unsaved = [...this.open.keys()].filter((path) => !this.listing?.includes(path));
    return [...this.listing, ...unsaved];
  }

  readFile(_dir: string, path: string): Uint8Array {
    const open = this.open.get(path) ?? this.bytes.get(path);
    if (open !== undefined) return open;
    const bytes = this.disk.readFile(this.dir, path);
    this.bytes.set(path, bytes);
    return bytes;
  }

  /** The text of an open document; `undefined` when it was closed. */
  setText(path: string, text: string | undefined): void {
    if (text === undefined) this.open.delete(path);
    else this.open.set(path, encoder.encode(text));
    this.changed();
  }

  /** Files on the disk changed. */
  forgetDisk(): void {
    this.listing = undefined;
    this.bytes.clear();
    this.changed();
  }

  private changed(): void {
    this.loaded = undefined;
    this.index = undefined;
  }

  load(): LoadResult {
    if (this.loaded !== undefined) return this.loaded;
    this.loaded = this.loadOnce();
    // A file that is listed and cannot be read has been removed: the list is stale.
    if (this.loaded.diagnostics.some((d) => d.code === "sources/unreadable-file")) {
      this.listing = undefined;
      this.loaded = this.loadOnce();
    }
    return this.loaded;
  }

  private loadOnce(): LoadResult {
    const listed = new Set(this.listFiles());
    for (const [name, { path }] of this.cache) if (!listed.has(path)) this.cache.delete(name);
    for (const path of this.bytes.keys()) if (!listed.has(path)) this.bytes.delete(path);
    return loadSources(this, [this.dir], { cache: this.cache, matchesGlob: globMatches });
  }

  /** Every recognised file, by its path below the folder. */
  files(): ReadonlyMap<string, SetFile> {
    this.load();
    const files = new Map<string, SetFile>();
    for (const { path, read } of this.cache.values()) {
      const format = formatOf(path);
      if (format !== undefined) files.set(path, { read, path, format });
    }
    for (const path of this.listFiles()) if (CLAIMS.test(path)) files.set(path, this.readClaims(path));
    return files;
  }

  /** Claims are no part of what is compiled; their ids are those of the set. */
  private readClaims(path: string): SetFile {
    let text = "";
    try {
      text = decoder.decode(this.readFile(this.dir, path));
    } catch {
      // Removed since it was listed: it has no ids.
    }
    const known = this.claims.get(path);
    if (known?.read.file.text === text) return known;
    const file = new SourceFile(`${this.dir}/${path}`, text);
    const read = { kind: "tests", format: "yaml", file, ...parseYaml(file), addTo: () => {} } as const;
    const claims: SetFile = { read, path, format: "claims" };
    this.claims.set(path, claims);
    return claims;
  }

  file(path: string): SetFile | undefined {
    return this.files().get(path);
  }

  ids(): IdIndex {
    if (this.index !== undefined) return this.index;
    const files = this.files();
    for (const path of this.lastGood.keys()) if (!files.has(path)) this.lastGood.delete(path);
    for (const [path, file] of files) if (!isBroken(file)) this.lastGood.set(path, file);
    this.index = new IdIndex(this.lastGood.values());
    return this.index;
  }

  /** A file whose ids are those of an earlier text, because this one cannot be read. */
  broken(): SetFile | undefined {
    return [...this.files().values()].find(isBroken);
  }

  findings(): Findings {
    const findings = findingsOf(this.load(), this.memo);
    this.memo = findings.memo;
    return findings;
  }

  /** Whether a finding is about a text that is still there. */
  isCurrent({ span }: Diagnostic): boolean {
    return span === undefined || this.currentFile(span.file.name)?.text === span.file.text;
  }

  private currentFile(name: string): SourceFile | undefined {
    return this.cache.get(name)?.read.file;
  }

  /** Below the folder; `undefined` for paths elsewhere. */
  pathOf(name: string): string | undefined {
    const prefix = this.dir.endsWith("/") ? this.dir : `${this.dir}/`;
    return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  }
}

function isBroken({ read, format }: SetFile): boolean {
  if (format === "rego") return parseModule(read.file).module === undefined;
  return read.root === undefined && (format !== "agent" || read.diagnostics.length > 0);
}

/** The format of a file by its path in the folder. */
export function formatOf(path: string): SetFile["format"] | undefined {
  const kind = recognise(path)?.kind;
  if (kind === "bundle") return undefined;
  return kind ?? (CLAIMS.test(path) ? "claims" : undefined);
}
