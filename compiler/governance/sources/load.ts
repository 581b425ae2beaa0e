/** Folders → source set: lists, recognises, decodes, parses and checks the shape of every file, and reports all faults. */

import {
  decodeSource,
  type Host,
  hiddenCharacter,
  mergeConflict,
  parseJson,
  parseToml,
  parseYaml,
  type SourceNode,
  splitFrontMatter,
} from "@portcullis/documents";
import {
  type Diagnostic,
  hasErrors,
  type RegoVersion,
  SourceFile,
  span,
  unreachable,
} from "@portcullis/rego/diagnostics";
import { readAgentHeader } from "./agent-header.ts";
import { sourcesDiagnostic } from "./codes.ts";
import { listFiles, problemOf } from "./list-files.ts";
import type { Listed } from "./listed.ts";
import type { Recognised, SourceKind } from "./recognise.ts";
import { type GlobMatch, type RegoVersions, readRegoVersions } from "./rego-versions.ts";
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

export interface LoadResult {
  readonly set: SourceSet;
  readonly diagnostics: readonly Diagnostic[];
  readonly notes: readonly Note[];
}

export interface LoadOptions {
  readonly cache?: SourceCache;
  /** Whether what a build wrote into this folder is about to be written anew: then it may differ from the set. */
  readonly isReplaced?: (folder: string) => boolean;
  /** For the patterns of a `.manifest`; without it one that has any is refused. */
  readonly matchesGlob?: GlobMatch;
}

/** Loads all of a policy set. Never throws over a host or a file; faults are in `diagnostics`. */
export function loadSources(host: Host, dirs: readonly string[], options: LoadOptions = {}): LoadResult {
  const diagnostics: Diagnostic[] = [];
  const notes: Note[] = [];
  const parts = new Parts();
  const files = listFiles(host, dirs, diagnostics, notes, options.isReplaced);
  const versions = versionsOf(host, files, options.matchesGlob ?? (() => undefined), diagnostics);
  parts.regoVersion = versions.general;
  for (const { listed, recognised } of files) {
    if (recognised.kind === "bundle") continue;
    const version = versions.files.get(listed.name) ?? 1;
    const read = readListed(host, listed, recognised, version, options.cache);
    read.addTo(parts);
    diagnostics.push(...read.diagnostics);
    if (hasErrors(read.diagnostics)) parts.broken.add(recognised.kind);
  }
  return { set: parts, diagnostics, notes };
}

interface FileToRead {
  readonly listed: Listed;
  readonly recognised: Recognised;
}

/** What the manifests of the named folders say of the modules below; of folders in one another, the inner one's is asked. */
function versionsOf(
  host: Host,
  files: readonly FileToRead[],
  matches: GlobMatch,
  diagnostics: Diagnostic[],
): { readonly general: RegoVersion; readonly files: ReadonlyMap<string, RegoVersion> } {
  const manifests = files.filter(({ recognised }) => recognised.kind === "bundle");
  const modules = files.filter(({ recognised }) => recognised.kind === "rego").map(({ listed }) => listed.name);
  const found = new Map<string, RegoVersion>();
  const folders = new Set<RegoVersion>();
  for (const { listed } of manifests.toSorted((a, b) => a.listed.name.length - b.listed.name.length)) {
    const folder = listed.name.slice(0, -listed.path.length);
    const paths = modules
      .filter((name) => name.startsWith(folder))
      .map((name) => name.slice(folder.length))
      .filter(isBelow);
    const read = readVersions(host, listed, paths, matches);
    diagnostics.push(...read.diagnostics);
    for (const [path, version] of read.files) found.set(folder + path, version);
    folders.add(read.version);
  }
  const [only, ...more] = folders;
  const isOne = only !== undefined && more.length === 0 && modules.every((name) => found.has(name));
  return { general: isOne ? only : 1, files: found };
}

/** The folder `.` is no part of its files' names, which then begin like those of files elsewhere. */
function isBelow(path: string): boolean {
  return !path.startsWith("../") && !path.startsWith("/") && !/^[A-Za-z]:\//.test(path);
}

function readVersions(
  host: Host,
  { dir, path, name }: Listed,
  paths: readonly string[],
  matches: GlobMatch,
): RegoVersions {
  const failed = (diagnostics: readonly Diagnostic[]): RegoVersions => ({ version: 1, files: new Map(), diagnostics });
  try {
    if (path.endsWith(".pb")) {
      const problem = "OPA reads this one, and it is read as JSON only: write a `.manifest`";
      return failed([sourcesDiagnostic("sources/bundle-manifest", { problem }, span(new SourceFile(name, ""), 0, 0))]);
    }
    const { file, diagnostics } = decodeSource(name, host.readFile(dir, path));
    return diagnostics.length > 0 ? failed(diagnostics) : readRegoVersions(file, paths, matches);
  } catch (error) {
    const params = { path: name, problem: problemOf(error) };
    return failed([sourcesDiagnostic("sources/unreadable-file", params, span(new SourceFile(name, ""), 0, 0))]);
  }
}

/** One file, read: the same for the same name, bytes and version, whatever the other files are. */
export interface ReadSource extends Recognised {
  readonly file: SourceFile;
  /** The tree, also where it has not the shape of its schema; of an instruction file, the front matter. */
  readonly root: SourceNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly addTo: (parts: Parts) => void;
}

/** Caches each file's last parsed version by name, for callers that reload a set often. */
export type SourceCache = Map<
  string,
  { readonly bytes: Uint8Array; readonly path: string; readonly version: RegoVersion; readonly read: ReadSource }
>;

/** INVARIANT: a cached file has the very bytes that the host gave, so that a host that gives a new array is always read. */
function readListed(
  host: Host,
  listed: Listed,
  recognised: Recognised,
  version: RegoVersion,
  cache: SourceCache | undefined,
): ReadSource {
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(listed.dir, listed.path);
  } catch (error) {
    cache?.delete(listed.name);
    const file = new SourceFile(listed.name, "");
    const params = { path: listed.name, problem: problemOf(error) };
    return nothing(file, recognised, [sourcesDiagnostic("sources/unreadable-file", params, span(file, 0, 0))]);
  }
  const known = cache?.get(listed.name);
  if (known !== undefined && known.bytes === bytes && known.path === listed.path && known.version === version)
    return known.read;
  const read = readSource(listed, recognised, bytes, version);
  cache?.set(listed.name, { bytes, path: listed.path, version, read });
  return read;
}

function nothing(file: SourceFile, recognised: Recognised, diagnostics: readonly Diagnostic[]): ReadSource {
  return { ...recognised, file, root: undefined, diagnostics, addTo: () => {} };
}

function readSource(
  { dir, path, name }: Listed,
  recognised: Recognised,
  bytes: Uint8Array,
  version: RegoVersion,
): ReadSource {
  const { kind, format } = recognised;
  const { file, diagnostics } = decodeSource(name, bytes, version);
  if (diagnostics.length > 0) return nothing(file, recognised, diagnostics);
  // JSON has no comments, and programs write it with any character; what instructions say beside front matter decides nothing.
  const read = format === "json" ? 0 : format === "markdown" ? splitFrontMatter(file).bodyStart : file.text.length;
  const fault = mergeConflict(file) ?? hiddenCharacter(file, read);
  if (fault !== undefined) return nothing(file, recognised, [fault]);
  const origin: Origin = { file, dir, path };
  switch (format) {
    case "rego": {
      const source: RegoSource = { ...origin, test: path.endsWith("_test.rego") };
      return { ...nothing(file, recognised, []), addTo: (parts) => void parts.rego.push(source) };
    }
    case "markdown":
      return readAgent(origin, recognised);
    case "yaml":
      return readDocument(origin, kind, recognised, parseYaml(file));
    case "toml":
      return readDocument(origin, kind, recognised, parseToml(file));
    case "json":
      return readDocument(origin, kind, recognised, parseJson(file));
    default:
      return unreachable(format);
  }
}

function readAgent(origin: Origin, recognised: Recognised): ReadSource {
  const { root, bodyStart, diagnostics } = splitFrontMatter(origin.file);
  const name = origin.path
    .slice(origin.path.lastIndexOf("/") + 1)
    .replace(/^AGENT_/, "")
    .replace(/\.md$/, "");
  const header = readAgentHeader(origin.file, bodyStart);
  const agent: AgentSource = { ...origin, name, frontMatter: root, bodyStart, header };
  return { ...recognised, file: origin.file, root, diagnostics, addTo: (parts) => void parts.agents.push(agent) };
}

function readDocument(
  origin: Origin,
  kind: SourceKind,
  recognised: Recognised,
  parsed: { readonly root: SourceNode | undefined; readonly diagnostics: readonly Diagnostic[] },
): ReadSource {
  const schema = SCHEMAS[kind];
  if (parsed.root === undefined) return nothing(origin.file, recognised, parsed.diagnostics);
  // An empty governance file is an empty mapping: its required keys are then reported as missing.
  const root: SourceNode =
    schema !== undefined && parsed.root.kind === "Null"
      ? { kind: "Mapping", entries: [], span: parsed.root.span }
      : parsed.root;
  const shape = schema === undefined ? [] : checkSchema(schema, root);
  const diagnostics = [...parsed.diagnostics, ...shape];
  const isUsable = !hasErrors(diagnostics);
  return {
    ...recognised,
    file: origin.file,
    root,
    diagnostics,
    addTo: (parts) => {
      if (isUsable) parts.add(kind, { ...origin, root });
    },
  };
}

const SCHEMAS: { readonly [K in SourceKind]: SchemaName | undefined } = {
  settings: "settings",
  roles: "roles",
  lanes: "lanes",
  tool_registry: "tool_registry",
  approvers: "approvers",
  manifest: "manifest",
  handoff: "handoff",
  exec: "exec",
  limits: "limits",
  tests: "tests",
  agent: undefined,
  rego: undefined,
  data: undefined,
  bundle: undefined,
  sample: undefined,
};

class Parts implements SourceSet {
  readonly settings: SourceDocument[] = [];
  readonly roles: SourceDocument[] = [];
  readonly lanes: SourceDocument[] = [];
  readonly tools: SourceDocument[] = [];
  readonly approvers: SourceDocument[] = [];
  readonly agents: AgentSource[] = [];
  readonly manifests: SourceDocument[] = [];
  readonly handoff: SourceDocument[] = [];
  readonly exec: SourceDocument[] = [];
  readonly limits: SourceDocument[] = [];
  readonly rego: RegoSource[] = [];
  readonly data: DataSource[] = [];
  readonly tests: SourceDocument[] = [];
  readonly samples: SampleSource[] = [];
  regoVersion: RegoVersion = 1;
  readonly broken = new Set<SourceKind>();

  add(kind: SourceKind, document: SourceDocument): void {
    switch (kind) {
      case "settings":
      case "roles":
      case "lanes":
      case "approvers":
      case "handoff":
      case "exec":
      case "limits":
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
      case "bundle":
        return;
      default:
        unreachable(kind);
    }
  }
}
