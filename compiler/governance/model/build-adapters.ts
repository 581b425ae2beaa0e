/** `adapters` of portcullis.yaml → the mappings of other protocols' requests. */

import { entryOf, type SourceNode } from "../sources/index.ts";
import type {
  Adapters,
  AuthzenAdapter,
  EnvoyAdapter,
  MappedCall,
  McpAdapter,
  Route,
  ScopeSource,
  Segment,
} from "./adapters.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Named } from "./model.ts";
import type { TreeReader } from "./read.ts";

export function buildAdapters(section: SourceNode | undefined, reader: TreeReader): Adapters {
  const part = (key: string): SourceNode | undefined => {
    const value = entryOf(section, key)?.value;
    return value?.kind === "Mapping" ? value : undefined;
  };
  const [envoy, authzen, mcp] = [part("envoy"), part("authzen"), part("mcp")];
  return {
    envoy: envoy && envoyOf(envoy, reader),
    authzen: authzen && authzenOf(authzen, reader),
    mcp: mcp && mcpOf(mcp, reader),
  };
}

function envoyOf(node: SourceNode, reader: TreeReader): EnvoyAdapter {
  const headers = entryOf(node, "headers")?.value as SourceNode;
  const optional = (key: string): Named | undefined =>
    entryOf(headers, key) === undefined ? undefined : headerOf(headers, key, reader);
  return {
    headers: {
      role: headerOf(headers, "role", reader),
      lane: optional("lane"),
      lineage: optional("lineage"),
      approval: optional("approval"),
      scope: scopeOf(headers, reader, (item) => headerOf(item, "header", reader)),
    },
    routes: reader.items(node, "routes").map((route) => routeOf(route, reader)),
  };
}

/** Envoy gives names in lower case: one with a capital would never be there. */
function headerOf(node: SourceNode, key: string, reader: TreeReader): Named {
  const header = reader.id(node, key);
  if (!/^[a-z0-9_-]+$/.test(header.name))
    reader.diagnostics.push(modelDiagnostic("model/malformed-header", { name: header.name }, header.span));
  return header;
}

function routeOf(node: SourceNode, reader: TreeReader): Route {
  const path = reader.id(node, "path");
  return {
    ...callOf(node, reader),
    method: reader.id(node, "method"),
    path,
    segments: segmentsOf(path, reader),
    lane: entryOf(node, "lane") === undefined ? undefined : reader.id(node, "lane"),
    query: reader.names(node, "query") ?? [],
    body: reader.string(node, "body") === "json" ? "json" : "ignored",
  };
}

/** As plain as a request's path has to be: a route that could not fit any request is an error. */
function segmentsOf(path: Named, reader: TreeReader): Segment[] {
  const segments = path.name
    .slice(1)
    .split("/")
    .map((text): Segment => {
      const [, key] = /^\{([^{}]+)\}$/.exec(text) ?? [];
      return key === undefined ? { kind: "Literal", text } : { kind: "Parameter", key };
    });
  const isPlain = segments.every(
    (s) => s.kind === "Parameter" || (/^[\w.~:@-]+$/.test(s.text) && s.text !== "." && s.text !== ".."),
  );
  if (!path.name.startsWith("/") || !isPlain)
    reader.diagnostics.push(modelDiagnostic("model/malformed-route-path", { path: path.name }, path.span));
  return segments;
}

function authzenOf(node: SourceNode, reader: TreeReader): AuthzenAdapter {
  return {
    subjectType: reader.id(node, "subject_type"),
    resourceType: reader.id(node, "resource_type"),
    actions: reader
      .items(node, "actions")
      .map((action) => ({ name: reader.id(action, "name"), lane: reader.id(action, "lane") })),
    ignoredContext: reader.names(node, "ignored_context") ?? [],
  };
}

function mcpOf(node: SourceNode, reader: TreeReader): McpAdapter {
  return {
    tools: reader.items(node, "tools").map((tool) => ({ ...callOf(tool, reader), name: reader.id(tool, "name") })),
  };
}

function callOf(node: SourceNode, reader: TreeReader): MappedCall {
  return {
    tool: reader.id(node, "tool"),
    scope: scopeOf(node, reader, (item) => reader.id(item, "argument")),
    flags: reader.names(node, "flags") ?? [],
    writes: reader
      .items(node, "writes")
      .map((write) => ({ table: reader.id(write, "table"), mode: reader.id(write, "mode") })),
  };
}

function scopeOf(node: SourceNode, reader: TreeReader, from: (item: SourceNode) => Named): ScopeSource[] {
  return reader.items(node, "scope").map((item) => ({ key: reader.id(item, "key"), from: from(item) }));
}
