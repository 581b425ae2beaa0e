/** Folders of one policy set, read: its model, its data, and the Rego beside them. What every verb of the pipeline begins with. */

import type { Host } from "@portcullis/documents";
import { type Diagnostic, SourceFile, type Span } from "@portcullis/rego/diagnostics";

import { valueAt } from "@portcullis/rego/value";
import { globMatches, patternMatches } from "@portcullis/rego/wasm";
import { denialsOfTests, type KnownFacts } from "./checks/index.ts";
import { adapterModules, libraryModules, librarySchemas } from "./library/index.ts";
import { agentNames, type LowerResult, lowerToData } from "./lower/index.ts";
import { buildModel, checkModel, type Model, vocabulariesOf } from "./model/index.ts";
import { entryOf, type LoadOptions, loadSources, type SourceNode, type SourceSet } from "./sources/index.ts";

export interface PolicySet {
  readonly set: SourceSet;
  readonly model: Model;
  readonly lowered: LowerResult;
  /** The decision library, under the paths that it has in the bundle; empty without governance sources. */
  readonly library: readonly SourceFile[];
  /** The schemas of the decisions' inputs, by decision: the names that annotations use. */
  readonly schemas: ReadonlyMap<string, unknown>;
  /** Findings of reading alone: where there are errors, what is missing may be missing because of them. */
  readonly loading: readonly Diagnostic[];
  /** Findings of reading, of the model and of its data. */
  readonly diagnostics: readonly Diagnostic[];
  /** Files that were ignored, and why. */
  readonly notes: readonly string[];
}

export function readPolicySet(host: Host, dirs: readonly string[], options: LoadOptions = {}): PolicySet {
  const { set, diagnostics: loading, notes } = loadSources(host, dirs, { ...options, matchesGlob: globMatches });
  const { model, diagnostics: building } = buildModel(set);
  const tests = set.rego.filter((r) => r.test).map((r) => r.file);
  const library = libraryOf(model);
  const modules = [
    ...library.map(({ name, text }) => ({ path: name, text })),
    ...set.rego.filter((r) => !r.test).map(({ path, file }) => ({ path, text: file.text })),
  ];
  const lowered = lowerToData(model, set.data, modules);
  return {
    set,
    model,
    lowered,
    library,
    schemas: new Map(
      librarySchemas.map(({ name, text }) => [name.replace(/\.json$/, ""), JSON.parse(text) as unknown]),
    ),
    loading,
    diagnostics: [...loading, ...building, ...checkModel(model), ...lowered.diagnostics, ...denialsOfTests(tests)],
    notes: notes.map((n) => `${n.path}: ${n.message}`),
  };
}

/** What a policy set knows of the requests that its decisions get; `undefined` without governance sources. */
export function knownFacts({ set, model, lowered, schemas }: PolicySet): KnownFacts | undefined {
  // Where a source of rules could not be read, nothing is said of what the others ask of it.
  if (!model.governed || set.broken.has("rego") || set.broken.has("data")) return undefined;
  return {
    schemas,
    vocabularies: vocabulariesOf(model),
    data: (path) => valueAt(lowered.data, path),
    places: (path, keys) => placesOf(set, path, keys),
    matches: patternMatches,
    scopeKeys: scopeKeysOf(model),
    agents: new Set(agentNames(model).map(({ name }) => name)),
    hostData: model.settings.rego.hostData.map((h) => h.name),
  };
}

/** What lanes and tools require of a scope, or prohibit in it. */
function scopeKeysOf({ lanes, tools }: Model): Set<string> {
  const ofLanes = [...lanes.values()].flatMap(({ requires, prohibits }) => [...requires, ...prohibits]);
  const ofTools = [...tools.values()].flatMap(({ scopeKeys, prohibitedFlags }) => [...scopeKeys, ...prohibitedFlags]);
  return new Set([...ofLanes, ...ofTools].map(({ name }) => name));
}

/** Where the texts of a collection stand in the author's data files: its elements, or its keys. */
function placesOf({ data }: SourceSet, path: readonly string[], keys: boolean): Map<string, Span> {
  const found = new Map<string, Span>();
  for (const { prefix, root } of data) {
    if (!prefix.every((folder, i) => path[i] === folder)) continue;
    const node = path
      .slice(prefix.length)
      .reduce<SourceNode | undefined>(
        (at, key) => entryOf(at, key)?.value,
        path.length < prefix.length ? undefined : root,
      );
    const items = node?.kind === "Sequence" && !keys ? node.items : [];
    for (const item of items) if (item.kind === "String") found.set(item.value, item.span);
    for (const { key, keySpan, value } of node?.kind === "Mapping" ? node.entries : []) {
      if (keys) found.set(key, keySpan);
      else if (value.kind === "String") found.set(value.value, value.span);
    }
  }
  return found;
}

/**
 * The decision library's modules under the path that they have in the bundle. Adapters of protocols that the set does not map
 * are left out: they cannot be asked, and cost nothing.
 */
function libraryOf({ governed, settings }: Model): SourceFile[] {
  if (!governed) return [];
  const { envoy, authzen, mcp } = settings.adapters;
  const mapped = { "envoy.rego": envoy, "authzen.rego": authzen, "mcp.rego": mcp, "offer.rego": settings.mcp };
  const wanted = Object.entries(mapped).flatMap(([name, adapter]) => (adapter === undefined ? [] : [name]));
  const adapters = adapterModules.filter(
    ({ name }) => wanted.includes(name) || (name === "adapter.rego" && wanted.length > 0),
  );
  return [...libraryModules, ...adapters].map(libraryFile);
}

/**
 * The library's own module that a bundle's is to the letter, path and version of Rego; `undefined` for any other, one of another
 * library too: nothing tells that from Rego that somebody put there.
 */
export function libraryFileOf({ name, text, regoVersion }: SourceFile): SourceFile | undefined {
  const path = name.replace(/^\//, "");
  const module = [...libraryModules, ...adapterModules].find((one) => path === `portcullis/${one.name}`);
  return module?.text === text && regoVersion === 1 ? libraryFile(module) : undefined;
}

const libraryFiles = new Map<string, SourceFile>();

/** A module of the library, as one file for the whole process: its tree is kept with it. */
function libraryFile({ name, text }: { readonly name: string; readonly text: string }): SourceFile {
  const known = libraryFiles.get(name);
  if (known !== undefined) return known;
  const made = new SourceFile(`portcullis/${name}`, text);
  libraryFiles.set(name, made);
  return made;
}
