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
import { type Listed, listFiles, problemOf } from "./list-files.ts";
import type { Recognised, SourceKind } from "./recognise.ts";
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

/** Loads all of a policy set. Never throws over a host or a file; faults are in `diagnostics`. */
export function loadSources(host: Host, dirs: readonly string[]): LoadResult {
  const diagnostics: Diagnostic[] = [];
  const notes: Note[] = [];
  const parts = new Parts();
  for (const { listed, recognised } of listFiles(host, dirs, diagnostics, notes)) {
    const found = loadFile(host, listed, recognised, parts);
    diagnostics.push(...found);
    if (hasErrors(found)) parts.broken.add(recognised.kind);
  }
  return { set: parts, diagnostics, notes };
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
  // An empty governance file is an empty mapping: its required keys are then reported as missing.
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
