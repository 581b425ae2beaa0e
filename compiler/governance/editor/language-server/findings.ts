/**
 * What is wrong in a policy set, soon enough to be told while a person types: sources, model, and the Rego of the author. The
 * Rego is analysed again only when it or its data changed, and with those modules of the library that it uses. What the whole
 * compiler adds (plans, code) comes from `check`, after a pause.
 */

import { analyze, markingVariables } from "@portcullis/rego/analyze";
import { type Diagnostic, SourceFile } from "@portcullis/rego/diagnostics";
import { type Module, parseModule, readParts } from "@portcullis/rego/syntax";
import { causesOf, checkAuthoredRules, namingOtherDenials, reservedPackages } from "../../checks/index.ts";
import { adapterModules, libraryModules, librarySchemas } from "../../library/index.ts";
import { buildModel, buildTests, checkModel, type Model } from "../../model/index.ts";
import { entryOf, type LoadResult, type SourceNode } from "../../sources/index.ts";

export interface Findings {
  readonly diagnostics: readonly Diagnostic[];
  readonly model: Model;
  readonly memo: RegoMemo;
}

/** The last analysis of the Rego, and what it was of. */
export interface RegoMemo {
  readonly of: readonly unknown[];
  readonly diagnostics: readonly Diagnostic[];
}

const library: readonly SourceFile[] = [...libraryModules, ...adapterModules].map(
  ({ name, text }) => new SourceFile(`portcullis/${name}`, text),
);
const schemas = new Map(
  librarySchemas.map(({ name, text }) => [name.replace(/\.json$/, ""), JSON.parse(text) as unknown]),
);

export function findingsOf(loaded: LoadResult, memo: RegoMemo | undefined): Findings {
  const { set, diagnostics: loading } = loaded;
  const { model, diagnostics: building } = buildModel(set);
  const tests = buildTests(set.tests, model);
  const allowed = model.settings.rego.allowBuiltins.map((b) => b.name);
  const of = [...set.rego.map((r) => r.file), ...set.data.map((d) => d.root), ...allowed, model.governed];
  const isSame = memo !== undefined && memo.of.length === of.length && of.every((x, i) => x === memo.of[i]);
  const rego = isSame ? memo : { of, diagnostics: regoFindings(loaded, model, allowed) };
  const all = [...loading, ...building, ...checkModel(model), ...tests.diagnostics, ...rego.diagnostics];
  return { diagnostics: causesOf(all), model, memo: rego };
}

/** What the whole compiler found beyond the findings shown while typing. */
export function beyondOf(whole: readonly Diagnostic[], quick: readonly Diagnostic[]): Diagnostic[] {
  const known = new Set(quick.map(findingKey));
  return whole.filter((finding) => !known.has(findingKey(finding)));
}

/** Both: what was found while typing may only follow from what the whole compiler found. */
export function together(quick: readonly Diagnostic[], beyond: readonly Diagnostic[]): Diagnostic[] {
  return causesOf([...quick, ...beyond]);
}

function findingKey({ code, span, message }: Diagnostic): string {
  return JSON.stringify([code, span?.file.name, span?.start, message]);
}

function regoFindings({ set }: LoadResult, model: Model, allowed: readonly string[]): Diagnostic[] {
  const files = set.rego.map((r) => r.file);
  const own = files.map((file) => parseModule(file));
  const found: Diagnostic[] = own.flatMap((p) => p.diagnostics);
  const { modules, unknownModules } = readParts(own);
  if (modules.length === 0) return found;
  const used = model.governed ? usedLibrary(modules) : [];
  const { policy, diagnostics } = analyze([...used, ...modules], {
    allowNondeterministic: [...allowed, "io.jwt.decode_verify", "io.jwt.encode_sign", "io.jwt.encode_sign_raw"],
    dataExists: (path) => set.data.some(({ prefix, root }) => standsAt(path, prefix, root)),
    schemas,
    unknownModules,
  });
  found.push(...namingOtherDenials(markingVariables(diagnostics, modules), modules));
  found.push(...reservedPackages(modules, (file) => set.rego.some((r) => r.file === file && !r.test)));
  // What rules say of ids and data is held against the model by the whole compiler, after the pause.
  if (policy !== undefined)
    found.push(...checkAuthoredRules(policy, (rule) => files.includes(rule.span.file), undefined));
  return found;
}

/** The library's modules that some modules refer to, and those that these do. */
function usedLibrary(modules: readonly Module[]): Module[] {
  const used = new Set<SourceFile>();
  const open = modules.map((m) => m.span.file);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const [, name] of file.text.matchAll(/\bdata\s*\.\s*portcullis\s*\.\s*(\w+)/g)) {
      const module = library.find((l) => l.name === `portcullis/${name}.rego`);
      if (module === undefined || used.has(module)) continue;
      used.add(module);
      open.push(module);
    }
  }
  return [...used].flatMap((file) => parseModule(file).module ?? []);
}

/** Whether a data file has a value at a path below `data`. */
function standsAt(path: readonly string[], prefix: readonly string[], root: SourceNode): boolean {
  if (path.some((key, i) => i < prefix.length && prefix[i] !== key)) return false;
  let node: SourceNode | undefined = root;
  for (const key of path.slice(prefix.length)) node = entryOf(node, key)?.value;
  return node !== undefined;
}

/** Every module of the library. */
export function allLibraryModules(): Module[] {
  return library.flatMap((file) => parseModule(file).module ?? []);
}
