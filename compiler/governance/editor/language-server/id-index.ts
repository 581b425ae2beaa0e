/** All ids of a policy set with their places, put together from those of each file. */

import type { SourceFile } from "@portcullis/rego/diagnostics";
import { parseModule } from "@portcullis/rego/syntax";
import type { ReadSource, SourceNode } from "../../sources/index.ts";
import type { FormatName } from "../schemas.ts";
import { type Occurrence, symbolKey } from "./ids.ts";
import { constantIds, type Demand, type PathUse, type RegoIds, regoIds, termsBelow, textSpan } from "./rego-ids.ts";
import { idsBelow, treeIds } from "./tree-ids.ts";

/** A file of the set, as it was last read. */
export interface SetFile {
  readonly read: ReadSource;
  /** Below the policy folder. */
  readonly path: string;
  readonly format: FormatName | "data" | "sample" | "rego";
}

const treeIdsOf = new WeakMap<ReadSource, readonly Occurrence[]>();
const regoIdsOf = new WeakMap<SourceFile, RegoIds>();

export class IdIndex {
  /** By kind and name. */
  private readonly symbols = new Map<string, Occurrence[]>();
  private readonly byFile = new Map<SourceFile, Occurrence[]>();
  /** Ids that are there already: several rules may compare with one constant, and an alias of YAML repeats a place. */
  private readonly seen = new Set<string>();
  /** What data files define, each below its folder's names. */
  private readonly data: { readonly prefix: readonly string[]; readonly root: SourceNode }[] = [];

  constructor(files: Iterable<SetFile>) {
    const modules: RegoIds[] = [];
    for (const file of files) {
      if (file.format === "rego") {
        const ids = idsOfModule(file.read.file);
        if (ids !== undefined) modules.push(ids);
      } else {
        for (const occurrence of idsOfTree(file, file.format)) this.addOnce(occurrence);
        if (file.format === "data" && file.read.root !== undefined)
          this.data.push({ prefix: file.path.split("/").slice(0, -1), root: file.read.root });
      }
    }
    this.addModules(modules);
  }

  /** The id whose text covers an offset. A key of data that names a role is the role: what refers to the key follows it. */
  at(file: SourceFile, offset: number): Occurrence | undefined {
    const found = this.byFile.get(file)?.filter(({ span, role }) => {
      const text = textSpan(span);
      return role !== "file name" && text.start <= offset && offset <= text.end;
    });
    return found?.find(({ kind }) => kind !== "document") ?? found?.[0];
  }

  /** Every place of an id, definitions first. */
  placesOf(symbol: { readonly kind: Occurrence["kind"]; readonly name: string }): readonly Occurrence[] {
    const all = this.symbols.get(symbolKey(symbol)) ?? [];
    return [...all.filter((o) => o.role !== "reference"), ...all.filter((o) => o.role === "reference")];
  }

  definitionsOf(symbol: { readonly kind: Occurrence["kind"]; readonly name: string }): readonly Occurrence[] {
    return this.placesOf(symbol).filter((o) => o.role !== "reference");
  }

  /** Another document whose key is written where this one's is: an alias of YAML repeats it. */
  alsoWrittenAt(document: Occurrence): Occurrence | undefined {
    const written = this.definitionsOf(document).flatMap(({ span }) =>
      (this.byFile.get(span.file) ?? []).filter((o) => o.role === "definition" && o.span.start === span.start),
    );
    return written.find(({ kind, name }) => kind === "document" && name !== document.name);
  }

  /** The names of a kind, in order: those that are defined, or of kinds that nothing defines, all that are used. */
  names(kind: Occurrence["kind"]): string[] {
    const lists = [...this.symbols.values()].filter(([first]) => first?.kind === kind);
    const defined = lists.filter((list) => list.some((o) => o.role !== "reference"));
    return (defined.length > 0 ? defined : lists).map(([first]) => (first as Occurrence).name).sort();
  }

  private addOnce(occurrence: Occurrence): void {
    const key = symbolKey(occurrence);
    const { file, start } = occurrence.span;
    const place = `${file.name}\0${start}\0${occurrence.role === "file name"}\0${key}`;
    if (this.seen.has(place)) return;
    this.seen.add(place);
    const known = this.symbols.get(key);
    if (known === undefined) this.symbols.set(key, [occurrence]);
    else known.push(occurrence);
    const there = this.byFile.get(file);
    if (there === undefined) this.byFile.set(file, [occurrence]);
    else there.push(occurrence);
  }

  /** Definitions of every module first: only they tell which part of a path names something. */
  private addModules(modules: readonly RegoIds[]): void {
    const constants = new Map<string, RegoIds["constants"] extends ReadonlyMap<string, infer V> ? V : never>();
    for (const ids of modules) {
      for (const occurrence of ids.occurrences) this.addOnce(occurrence);
      for (const [name, terms] of ids.constants) constants.set([...ids.package, name].join("."), terms);
    }
    for (const ids of modules) {
      for (const demand of ids.demands) {
        const terms = constants.get(demand.path.join(".")) ?? [];
        for (const term of terms.flatMap((constant) => termsBelow(constant, demand.below)))
          for (const occurrence of constantIds(term, demand.kind, demand.part)) this.addOnce(occurrence);
        for (const occurrence of this.demandedData(demand)) this.addOnce(occurrence);
      }
    }
    for (const ids of modules) for (const use of ids.uses) this.addUse(use);
    this.addNamedKeys();
  }

  /** Where a key of data is an id, a path through the key refers to the id: `data.limits.WRITER`. */
  private addNamedKeys(): void {
    for (const all of this.data.map(({ root }) => this.byFile.get(root.span.file) ?? [])) {
      const keys = new Map(all.flatMap((o) => (o.kind === "document" ? [[o.span.start, o] as const] : [])));
      for (const { kind, name, span } of all) {
        const key = kind === "document" ? undefined : keys.get(span.start);
        for (const use of key === undefined ? [] : this.placesOf(key))
          if (use.role === "reference") this.addOnce({ kind, name, span: use.span, role: "reference" });
      }
    }
  }

  private demandedData({ path, below, kind, part }: Demand): Occurrence[] {
    return this.data.flatMap(({ prefix, root }) => {
      const isThere = prefix.length <= path.length && prefix.every((name, i) => path[i] === name);
      return isThere ? idsBelow(root, [...path.slice(prefix.length), ...below], kind, part) : [];
    });
  }

  /** Each part of the path that names a package or a document is a reference to it. */
  private addUse({ segments, spans }: PathUse): void {
    for (let length = segments.length; length > 0; length--) {
      const span = spans[length - 1];
      if (span === undefined) continue;
      const name = segments.slice(0, length).join(".");
      const kind = (["document", "package"] as const).find((k) => this.definitionsOf({ kind: k, name }).length > 0);
      if (kind !== undefined) this.addOnce({ kind, name, span, role: "reference" });
    }
  }
}

function idsOfTree(file: SetFile, format: Exclude<SetFile["format"], "rego">): readonly Occurrence[] {
  const known = treeIdsOf.get(file.read);
  if (known !== undefined) return known;
  const ids = treeIds(file.read, format, file.path);
  treeIdsOf.set(file.read, ids);
  return ids;
}

function idsOfModule(file: SourceFile): RegoIds | undefined {
  const known = regoIdsOf.get(file);
  if (known !== undefined) return known;
  const { module } = parseModule(file);
  if (module === undefined) return undefined;
  const ids = regoIds(module);
  regoIdsOf.set(file, ids);
  return ids;
}
