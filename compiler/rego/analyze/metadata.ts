/**
 * What the `# METADATA` blocks of all modules are about: rules, documents, packages and packages below them. Rules see their
 * own by `rego.metadata`, and the type checker sees the schemas.
 * https://www.openpolicyagent.org/docs/policy-language#annotations
 */

import { type Diagnostic, didYouMean } from "../diagnostics/index.ts";
import {
  type AnnotationBlock,
  annotationValue,
  type Constant,
  type Mapper,
  mapChildren,
  type SchemaAnnotation,
  type Term,
} from "../syntax/index.ts";
import { jsonOf, type Value } from "../value/index.ts";
import type { PlacedAnnotation } from "./checked.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { schemaType } from "./schema-types.ts";
import { pathText } from "./text.ts";
import type { Type } from "./types.ts";
import { builtinOf, isCallOf } from "./walk.ts";
import type { Unit, WorkRule } from "./work.ts";

/** JSON Schema documents by the path below `schema`, joined with `/`: `schema.acme.input` is `acme/input`, `schema` is ``. */
export type Schemas = ReadonlyMap<string, unknown>;

/** A schema of an annotation, found and read. */
interface KnownSchema {
  readonly path: readonly string[];
  readonly schema: unknown;
  readonly type: Type;
}

interface Placed {
  readonly block: AnnotationBlock;
  readonly path: readonly string[];
  readonly schemas: readonly KnownSchema[];
}

const key = (path: readonly string[]): string => path.join("\0");

export class AnnotationSet {
  private readonly byRule = new Map<WorkRule, Placed[]>();
  private readonly byPackage = new Map<string, Placed>();
  /** Annotations of documents and of subpackages: one of the two at each path. */
  private readonly byPath = new Map<string, Placed>();
  private readonly schemas: Schemas | undefined;
  private readonly requireSchemas: boolean;
  private readonly out: Diagnostic[];
  private hasSchemas = false;

  constructor(
    units: readonly Unit[],
    rules: ReadonlyMap<Unit, readonly WorkRule[]>,
    schemas: Schemas | undefined,
    requireSchemas: boolean,
    out: Diagnostic[],
  ) {
    this.schemas = schemas;
    this.requireSchemas = requireSchemas;
    this.out = out;
    for (const unit of units) {
      for (const block of unit.module.annotations) this.add(unit, block, rules.get(unit) ?? []);
    }
  }

  private add(unit: Unit, block: AnnotationBlock, rules: readonly WorkRule[]): void {
    const { scope, target } = block.annotation;
    const rule = target.kind === "Rule" ? rules[target.index] : undefined;
    const path = rule ? rule.path : unit.path;
    const placed = { block, path, schemas: block.annotation.schemas.flatMap((s) => this.resolve(s) ?? []) };
    this.hasSchemas ||= placed.schemas.length > 0;
    if (scope === "rule" && rule) this.byRule.set(rule, [...(this.byRule.get(rule) ?? []), placed]);
    else if (scope === "package") this.once(this.byPackage, placed);
    else this.once(this.byPath, placed);
  }

  private once(map: Map<string, Placed>, placed: Placed): void {
    const before = map.get(key(placed.path));
    if (before) {
      const related = [{ message: "declared first here", span: before.block.span }];
      this.out.push(
        analyzeDiagnostic(
          "analyze/annotation-redeclared",
          { scope: placed.block.annotation.scope },
          placed.block.span,
          {
            related,
          },
        ),
      );
    } else map.set(key(placed.path), placed);
  }

  private resolve(s: SchemaAnnotation): KnownSchema | undefined {
    const document = pathText(s.path[0] ?? "", s.path.slice(1));
    let schema: unknown;
    if (s.schema) {
      // Without schemas, annotations only document what is expected.
      if (!this.schemas) return undefined;
      const name = s.schema.slice(1).join("/");
      schema = this.schemas.get(name);
      if (schema === undefined) {
        if (!this.requireSchemas) return undefined;
        const near = didYouMean(name, this.schemas.keys());
        this.out.push(
          analyzeDiagnostic(
            "analyze/undefined-schema",
            { schema: pathText("schema", s.schema.slice(1)) },
            s.span,
            near,
          ),
        );
        return undefined;
      }
    } else schema = s.definition && jsonOf(s.definition);
    const result = schemaType(schema);
    if ("type" in result) return { path: s.path, schema, type: result.type };
    this.out.push(analyzeDiagnostic("analyze/invalid-schema", { path: document, problem: result.problem }, s.span));
    return undefined;
  }

  private document(path: readonly string[]): Placed[] {
    const found = this.byPath.get(key(path));
    return found ? [found] : [];
  }

  /** The annotations of every prefix of a package's path, outermost first. */
  private subpackages(path: readonly string[]): Placed[] {
    return path.flatMap((_, i) => this.document(path.slice(0, i + 1)));
  }

  private package(path: readonly string[]): Placed[] {
    const found = this.byPackage.get(key(path));
    return found ? [found] : [];
  }

  /** The annotations of a rule itself, nearest first. */
  private own(rule: WorkRule): Placed[] {
    return [...(this.byRule.get(rule) ?? [])].sort((a, b) => b.block.span.start - a.block.span.start);
  }

  /** The schemas that hold for a rule; later ones are nearer and say more. */
  schemasFor(rule: WorkRule): readonly { root: string; path: readonly Term[]; type: Type }[] {
    if (!this.hasSchemas) return [];
    const { span } = rule.source;
    const placed = [
      ...this.subpackages(rule.unit.path),
      ...this.package(rule.unit.path),
      ...this.document(rule.path),
      ...(this.byRule.get(rule) ?? []),
    ];
    return placed.flatMap((p) =>
      p.schemas.map(({ path, type }) => {
        const parts: Term[] = path.slice(1).map((value) => ({ kind: "String", span, value, raw: false }));
        return { root: path[0] ?? "", path: parts, type };
      }),
    );
  }

  /** What `rego.metadata.rule()` gives in a rule: of several annotations the farthest. An `else` has none. */
  ruleValue(rule: WorkRule, isElse: boolean): Value {
    const farthest = isElse ? undefined : this.own(rule).at(-1);
    return farthest ? annotationValue(farthest.block.annotation) : { kind: "object", entries: [] };
  }

  /** What `rego.metadata.chain()` gives in a rule: its own, then the document's, the package's, and those of packages above. */
  chainValue(rule: WorkRule, isElse: boolean): Value {
    const own = isElse ? [] : this.own(rule);
    const links = [
      ...(own.length > 0 ? own : [{ block: undefined, path: rule.path }]),
      ...this.document(rule.path),
      ...this.package(rule.unit.path),
      ...this.subpackages(rule.unit.path).reverse(),
    ];
    const string = (value: string): Value => ({ kind: "string", value });
    const items = links.map(({ block, path }): Value => {
      const entries: [Value, Value][] = [[string("path"), { kind: "array", items: path.map(string) }]];
      if (block) entries.unshift([string("annotations"), annotationValue(block.annotation)]);
      return { kind: "object", entries };
    });
    return { kind: "array", items };
  }

  placed(): PlacedAnnotation[] {
    const all = [...this.byPackage.values(), ...this.byPath.values(), ...[...this.byRule.values()].flat()];
    return all
      .map(({ block, path, schemas }) => ({
        scope: block.annotation.scope,
        path,
        value: annotationValue(block.annotation),
        schemas: schemas.map((s) => ({ path: s.path, schema: s.schema })),
        entrypoint: block.annotation.entrypoint,
      }))
      .sort((a, b) => (key(a.path) < key(b.path) ? -1 : key(a.path) > key(b.path) ? 1 : 0));
  }
}

/** Puts the values of `rego.metadata.rule()` and `rego.metadata.chain()` into the flat bodies of a rule. */
export function insertMetadata(rule: WorkRule, annotations: AnnotationSet): void {
  if (!rule.called.has("rego.metadata.rule") && !rule.called.has("rego.metadata.chain")) return;
  let isElse = false;
  const constant = (term: Term): Term => {
    if (term.kind !== "Call" || term.args.length > 0) return term;
    const name = builtinOf(term);
    if (name === "rego.metadata.rule")
      return { kind: "Constant", span: term.span, value: annotations.ruleValue(rule, isElse) } satisfies Constant;
    if (name === "rego.metadata.chain")
      return { kind: "Constant", span: term.span, value: annotations.chainValue(rule, isElse) };
    return term;
  };
  const mapper: Mapper = {
    term: (t) =>
      isCallOf(t, "eq") ? { ...t, args: t.args.map((a) => mapper.term(a)) } : constant(mapChildren(t, mapper)),
    body: (b) => b.map((e) => mapChildren(e, mapper)),
  };
  for (const branch of rule.branches) {
    branch.body = mapper.body(branch.body);
    isElse = true;
  }
}
