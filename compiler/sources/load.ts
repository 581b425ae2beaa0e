/** Folders → source set: lists, recognises, decodes, parses and checks the shape of every file, and reports all faults. */

import { unreachable } from "../base/assert.ts";
import { type Diagnostic, hasErrors } from "../base/diagnostic.ts";
import type { Host } from "../base/host.ts";
import { SourceFile } from "../base/source-file.ts";
import { span } from "../base/span.ts";
import { readAgentHeader } from "./agent-header.ts";
import { report } from "./codes.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { parseJson } from "./json.ts";
import { nearMiss, type Recognised, recognise, type SourceKind } from "./recognise.ts";
import { checkSchema, type SchemaName } from "./schema-check.ts";
import type {
  AgentSource,
  DataSource,
  Note,
  Origin,
  RegoSource,
  SampleSource,
  SourceDocument,
  SourceSet,
} from "./source-set.ts";
import { parseToml } from "./toml.ts";
import type { SourceNode } from "./tree.ts";
import { decodeSource } from "./utf8.ts";
import { parseYaml } from "./yaml.ts";

export interface LoadResult {
  readonly set: SourceSet;
  readonly diagnostics: readonly Diagnostic[];
  readonly notes: readonly Note[];
}

interface Listed {
  readonly dir: string;
  readonly path: string;
  /** `dir` and `path` together: the file's name in every message, and what decides the order. */
  readonly name: string;
}

/** Loads all of a policy set. Never throws for what the host or a file holds; faults are in `diagnostics`. */
export function loadSources(host: Host, dirs: readonly string[]): LoadResult {
  const diagnostics: Diagnostic[] = [];
  const notes: Note[] = [];
  const parts = new Parts();
  for (const { listed, recognised } of listAll(host, dirs, diagnostics, notes)) {
    const found = loadFile(host, listed, recognised, parts);
    diagnostics.push(...found);
    if (hasErrors(found)) parts.broken.add(recognised.kind);
  }
  return { set: parts, diagnostics, notes };
}

/** Every recognised file of every folder, in the order of their names; a file reached through two folders counts once. */
function listAll(
  host: Host,
  dirs: readonly string[],
  diagnostics: Diagnostic[],
  notes: Note[],
): { listed: Listed; recognised: Recognised }[] {
  const byName = new Map<string, { listed: Listed; recognised: Recognised }>();
  // The outermost folder first: it decides what a file's path, and so its kind, is.
  for (const dir of [...new Set(dirs.map(tidyDir))].sort(compare)) {
    const files = listFolder(host, dir, diagnostics);
    let known = 0;
    for (const listed of files ?? []) {
      const recognised = recognise(listed.path);
      if (recognised === undefined) {
        notes.push({ path: listed.name, message: nearMiss(listed.path) ?? "not a policy source" });
        continue;
      }
      known++;
      if (!byName.has(listed.name)) byName.set(listed.name, { listed, recognised });
    }
    if (files !== undefined && known === 0) diagnostics.push(report("sources/empty-folder", { path: dir }, undefined));
  }
  notes.sort((a, b) => compare(a.path, b.path));
  return [...byName.values()].sort((a, b) => compare(a.listed.name, b.listed.name));
}

/** The files of a folder; a path that names one file stands for that file alone. */
function listFolder(host: Host, dir: string, diagnostics: Diagnostic[]): readonly Listed[] | undefined {
  try {
    return host
      .listFiles(dir)
      .map((path) => ({ dir, path, name: dir === "." ? path : dir.endsWith("/") ? dir + path : `${dir}/${path}` }));
  } catch (error) {
    const slash = dir.lastIndexOf("/");
    const parent = slash < 0 ? "." : slash === 0 ? "/" : dir.slice(0, slash);
    const path = dir.slice(slash + 1);
    try {
      host.readFile(parent, path);
      return [{ dir: parent, path, name: dir }];
    } catch {
      diagnostics.push(report("sources/unreadable-folder", { path: dir, problem: problemOf(error) }, undefined));
      return undefined;
    }
  }
}

function loadFile(
  host: Host,
  { dir, path, name }: Listed,
  { kind, format }: Recognised,
  parts: Parts,
): readonly Diagnostic[] {
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(dir, path);
  } catch (error) {
    return [
      report(
        "sources/unreadable-file",
        { path: name, problem: problemOf(error) },
        span(new SourceFile(name, ""), 0, 0),
      ),
    ];
  }
  const { file, diagnostics } = decodeSource(name, bytes);
  if (diagnostics.length > 0) return diagnostics;
  const origin: Origin = { file, dir, path };
  switch (format) {
    case "rego":
      parts.rego.push({ ...origin, test: path.endsWith("_test.rego") });
      return [];
    case "markdown":
      return loadAgent(origin, parts);
    case "yaml":
      return addDocument(origin, kind, parseYaml(file), parts);
    case "toml":
      return addDocument(origin, kind, parseToml(file), parts);
    case "json":
      return addDocument(origin, kind, parseJson(file), parts);
    default:
      return unreachable(format);
  }
}

function loadAgent(origin: Origin, parts: Parts): readonly Diagnostic[] {
  const { root, bodyStart, diagnostics } = splitFrontMatter(origin.file);
  const name = origin.path
    .slice(origin.path.lastIndexOf("/") + 1)
    .replace(/^AGENT_/, "")
    .replace(/\.md$/, "");
  parts.agents.push({ ...origin, name, frontMatter: root, bodyStart, header: readAgentHeader(origin.file, bodyStart) });
  return diagnostics;
}

function addDocument(
  origin: Origin,
  kind: SourceKind,
  parsed: { readonly root: SourceNode | undefined; readonly diagnostics: readonly Diagnostic[] },
  parts: Parts,
): readonly Diagnostic[] {
  const schema = SCHEMAS[kind];
  if (parsed.root === undefined) return parsed.diagnostics;
  // An empty governance file is an empty mapping: what it must hold is then reported as missing.
  const root: SourceNode =
    schema !== undefined && parsed.root.kind === "Null"
      ? { kind: "Mapping", entries: [], span: parsed.root.span }
      : parsed.root;
  const shape = schema === undefined ? [] : checkSchema(schema, root);
  const diagnostics = [...parsed.diagnostics, ...shape];
  if (!hasErrors(diagnostics)) parts.add(kind, { ...origin, root });
  return diagnostics;
}

const SCHEMAS: { readonly [K in SourceKind]: SchemaName | undefined } = {
  settings: "settings",
  roles: "roles",
  lanes: "lanes",
  tool_registry: "tool_registry",
  manifest: "manifest",
  handoff: "handoff",
  exec: "exec",
  tests: "tests",
  agent: undefined,
  rego: undefined,
  data: undefined,
  sample: undefined,
};

class Parts implements SourceSet {
  readonly settings: SourceDocument[] = [];
  readonly roles: SourceDocument[] = [];
  readonly lanes: SourceDocument[] = [];
  readonly tools: SourceDocument[] = [];
  readonly agents: AgentSource[] = [];
  readonly manifests: SourceDocument[] = [];
  readonly handoff: SourceDocument[] = [];
  readonly exec: SourceDocument[] = [];
  readonly rego: RegoSource[] = [];
  readonly data: DataSource[] = [];
  readonly tests: SourceDocument[] = [];
  readonly samples: SampleSource[] = [];
  readonly broken = new Set<SourceKind>();

  add(kind: SourceKind, document: SourceDocument): void {
    switch (kind) {
      case "settings":
      case "roles":
      case "lanes":
      case "handoff":
      case "exec":
      case "tests":
        this[kind].push(document);
        return;
      case "tool_registry":
        this.tools.push(document);
        return;
      case "manifest":
        this.manifests.push(document);
        return;
      case "data":
        this.data.push({ ...document, prefix: document.path.split("/").slice(0, -1) });
        return;
      case "sample":
        this.samples.push({ ...document, positive: document.path.split("/").at(-2) === "positive" });
        return;
      case "agent":
      case "rego":
        return;
      default:
        unreachable(kind);
    }
  }
}

/** `./a//b/` and `a/b` are one folder. */
function tidyDir(dir: string): string {
  const tidy = dir
    .replace(/\/{2,}/g, "/")
    .replace(/(?:^|(?<=\/))(?:\.\/)+/g, "")
    .replace(/(?<=.)\/\.?$/, "");
  return tidy === "" ? "." : tidy;
}

/** By UTF-16 units: the same on every machine, unlike any locale's order. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function problemOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ENOENT") return "no such file or folder";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
