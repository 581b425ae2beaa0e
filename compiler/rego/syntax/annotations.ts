/** Reads the `# METADATA` blocks of a module: finds them among the comments, parses their YAML, and attaches them. */

import { type Diagnostic, joinSpans, type SourceFile, type Span, span } from "../diagnostics/index.ts";
import type { Value } from "../value/index.ts";
import { type Entry, MetadataProblem, MetadataYaml, type YamlNode } from "./annotation-yaml.ts";
import type { Annotation, AnnotationBlock, AnnotationScope, Comment, SchemaAnnotation, Term } from "./ast.ts";
import { syntaxDiagnostic } from "./codes.ts";
import { normalizeUrl } from "./url.ts";

/** A statement that ends the reach of a block above it. */
export interface Statement {
  readonly span: Span;
  readonly target: Annotation["target"] | { readonly kind: "Import" | "Broken" };
}

/** Parses a term of a block, a reference to a document or schema. */
export type TermReader = (text: string) => Term | undefined;

export interface ReadAnnotations {
  readonly annotations: readonly AnnotationBlock[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `statements` in the order of the text; asked for only where there is a block. */
export function readAnnotations(
  file: SourceFile,
  comments: readonly Comment[],
  statements: () => readonly Statement[],
  readTerm: TermReader,
): ReadAnnotations {
  const annotations: AnnotationBlock[] = [];
  const diagnostics: Diagnostic[] = [];
  const blocks = findBlocks(file, comments);
  const below = blocks.length > 0 ? statements() : [];
  for (const block of blocks) {
    const statement = below.find((s) => file.positionAt(s.span.start).line > block.line);
    // A block in or above a broken statement may be about anything.
    if (statement?.target.kind === "Broken" || below.some((s) => isInside(block, s))) continue;
    try {
      const annotation = new BlockReader(block, readTerm).read(statement?.target);
      const whole = joinSpans(block.span, block.comments.at(-1)?.span ?? block.span);
      annotations.push({ kind: "AnnotationBlock", span: whole, text: block.text, annotation });
    } catch (problem) {
      if (!(problem instanceof MetadataProblem)) throw problem;
      diagnostics.push(
        syntaxDiagnostic("rego/illegal-metadata", { reason: problem.message }, block.place(problem.start, problem.end)),
      );
    }
  }
  return { annotations, diagnostics };
}

function isInside(block: Block, { span: { start, end }, target }: Statement): boolean {
  return target.kind === "Broken" && start <= block.span.start && block.span.start < end;
}

/** A block before it is understood: its comments below the first, and their YAML. */
class Block {
  readonly comments: Comment[] = [];
  text = "";
  private readonly lines: { readonly start: number; readonly source: number }[] = [];
  readonly span: Span;
  readonly line: number;

  constructor(span_: Span, line: number) {
    this.span = span_;
    this.line = line;
  }

  add(comment: Comment): void {
    const text = comment.text.replace(/^ /, "");
    this.lines.push({ start: this.text.length, source: comment.span.end - text.length });
    this.comments.push(comment);
    this.text += `${text}\n`;
  }

  /** The place in the source of a range of the YAML; the block's first line for none. */
  place(start: number, end: number): Span {
    const at = (offset: number): number | undefined => {
      const line = this.lines.findLast((candidate) => candidate.start <= offset);
      return line && line.source + offset - line.start;
    };
    const from = at(start);
    const limit = this.comments.at(-1)?.span.end ?? 0;
    if (from === undefined || (start === 0 && end === 0)) return this.span;
    const first = Math.min(from, limit);
    return span(this.span.file, first, Math.max(first, Math.min(at(end) ?? first, limit)));
  }
}

/**
 * A block begins with a comment in the first column whose text begins with METADATA, and takes in every comment of the lines
 * directly below that begins there, up to the next block.
 */
function findBlocks(file: SourceFile, comments: readonly Comment[]): Block[] {
  const blocks: Block[] = [];
  let current: Block | undefined;
  let line = 0;
  for (const comment of comments) {
    const place = file.positionAt(comment.span.start);
    const isFirst = place.column === 1;
    if (isFirst && comment.text.trim().startsWith("METADATA")) {
      current = new Block(comment.span, place.line);
      blocks.push(current);
    } else if (isFirst && place.line === line + 1) current?.add(comment);
    else current = undefined;
    line = place.line;
  }
  return blocks;
}

const scopes: readonly AnnotationScope[] = ["rule", "document", "package", "subpackages"];

class BlockReader {
  private readonly block: Block;
  private readonly readTerm: TermReader;
  private readonly yaml: MetadataYaml;

  constructor(block: Block, readTerm: TermReader) {
    this.block = block;
    this.readTerm = readTerm;
    if (block.text.trim() === "") throw new MetadataProblem("expected METADATA block, found whitespace", 0, 0);
    this.yaml = new MetadataYaml(block.text);
  }

  read(target: Statement["target"] | undefined): Annotation {
    const { yaml } = this;
    const fields = new Map(yaml.entries(yaml.root, "a METADATA block").map((entry) => [entry.key, entry]));
    const node = (name: string): YamlNode | null => fields.get(name)?.value ?? null;
    const text = (name: string) => yaml.text(node(name), name);
    const list = (name: string) => yaml.items(node(name), name);
    const entrypoint = yaml.boolean(node("entrypoint"), "entrypoint");
    const custom = yaml
      .entries(node("custom"), "custom")
      .map(({ key, value }): readonly [Value, Value] => [{ kind: "string", value: key }, yaml.value(value)]);
    return {
      ...this.attach(fields.get("scope"), entrypoint, target),
      title: text("title"),
      description: text("description"),
      entrypoint,
      organizations: list("organizations").map((item) => yaml.text(item, "an organization")),
      relatedResources: list("related_resources").map((item) => this.resource(item)),
      authors: list("authors").map((item) => this.author(item)),
      schemas: list("schemas").map((item) => this.schema(item)),
      custom: { kind: "object", entries: custom },
    };
  }

  private attach(
    written: Entry | undefined,
    entrypoint: boolean,
    target: Statement["target"] | undefined,
  ): Pick<Annotation, "scope" | "target"> {
    const fail = (message: string) => this.yaml.fail(written?.value, message);
    const natural = {
      Package: "package",
      Rule: entrypoint ? "document" : "rule",
      Import: "import",
      Broken: "",
      none: "",
    } as const;
    const scope = this.yaml.text(written?.value ?? null, "scope") || natural[target?.kind ?? "none"];
    const known = scopes.find((candidate) => candidate === scope);
    if (!known) {
      const where = target === undefined && scope === "" ? "no statement follows it; " : "";
      return fail(`${where}invalid annotation scope '${scope}', use one of ${scopes.join(", ")}`);
    }
    const wanted = known === "rule" || known === "document" ? "Rule" : "Package";
    if (target?.kind !== wanted) {
      const have = target ? ` (have ${target.kind.toLowerCase()})` : "";
      return fail(`annotation scope '${known}' must be applied to ${wanted.toLowerCase()}${have}`);
    }
    if (entrypoint && known !== "document" && known !== "package") {
      return fail(`annotation entrypoint applied to non-document or package scope '${known}'`);
    }
    return { scope: known, target };
  }

  private resource(node: YamlNode | null): Annotation["relatedResources"][number] {
    const { ref, description } = this.textOrFields(node, "related-resource", (text) => ({
      ref: text,
      description: "",
    }));
    if (!ref) return this.yaml.fail(node, "invalid related-resource definition: a `ref` is required");
    const url = normalizeUrl(ref);
    if (url === undefined) return this.yaml.fail(node, `invalid related-resource definition: \`${ref}\` is no URL`);
    return { ref: url, description: description ?? "" };
  }

  /** `Name <email>`, or a map of the two. */
  private author(node: YamlNode | null): Annotation["authors"][number] {
    const { name = "", email = "" } = this.textOrFields(node, "author", (text) => {
      const words = text.split(/\s+/).filter((word) => word !== "");
      const last = words.at(-1) ?? "";
      const mail = last.length >= 2 && last.startsWith("<") && last.endsWith(">") ? last.slice(1, -1) : undefined;
      return {
        name: words.slice(0, mail === undefined ? undefined : -1).join(" "),
        email: mail ?? "",
        any: text.trim(),
      };
    });
    const said = name || email || (node && this.yaml.value(node).kind === "string");
    if (!said) return this.yaml.fail(node, "invalid author definition: a `name` or `email` is required");
    return { name, email };
  }

  private textOrFields(
    node: YamlNode | null,
    what: string,
    fromText: (text: string) => Record<string, string>,
  ): Record<string, string> {
    const value = this.yaml.value(node);
    if (value.kind === "string" && value.value.trim() !== "") return fromText(value.value);
    if (value.kind === "string") return this.yaml.fail(node, `invalid ${what} definition: it is empty`);
    if (value.kind !== "object") return this.yaml.fail(node, `invalid ${what} definition: it must be a text or a map`);
    const fields: Record<string, string> = {};
    for (const [key, field] of value.entries) {
      if (key.kind === "string" && field.kind === "string") fields[key.value] = field.value.trim();
    }
    return fields;
  }

  private schema(node: YamlNode | null): SchemaAnnotation {
    const { yaml } = this;
    const [entry] = yaml.entries(node, "a schema");
    if (!entry) return yaml.fail(node, "invalid document reference");
    const path = this.path(entry.key) ?? yaml.fail(entry.keyNode, "invalid document reference");
    const [start, , end] = node?.range ?? [0, 0, 0];
    const base = { span: this.block.place(start, end), path };
    const value = yaml.value(entry.value);
    if (value.kind === "object") return { ...base, schema: undefined, definition: value };
    if (value.kind !== "string") {
      return yaml.fail(entry.value, `invalid schema declaration for path \`${entry.key}\``);
    }
    const schema = this.path(value.value);
    if (schema?.[0] !== "schema") return yaml.fail(entry.value, "invalid schema reference");
    return { ...base, schema, definition: undefined };
  }

  /** A reference without variables, as its names. */
  private path(text: string): readonly string[] | undefined {
    if (!knownPaths.has(text)) {
      if (knownPaths.size === MOST_KNOWN) knownPaths.clear();
      knownPaths.set(text, this.readPath(text));
    }
    return knownPaths.get(text);
  }

  private readPath(text: string): readonly string[] | undefined {
    const term = this.readTerm(text);
    if (term?.kind === "Var") return [term.name];
    if (term?.kind !== "Ref" || term.head.kind !== "Var") return undefined;
    const names = term.args.map((part) => (part.kind === "String" ? part.value : undefined));
    return names.includes(undefined) ? undefined : [term.head.name, ...(names as string[])];
  }
}

/** The modules of a policy name the same few schemas and documents. */
const knownPaths = new Map<string, readonly string[] | undefined>();
const MOST_KNOWN = 1_000;

/** An annotation in the shape of `rego.metadata.rule()` and `opa inspect`. */
export function annotationValue(annotation: Annotation): Value {
  const string = (value: string): Value => ({ kind: "string", value });
  const object = (fields: Record<string, Value | undefined>): Value => ({
    kind: "object",
    entries: Object.entries(fields).flatMap(([key, value]) => (value ? [[string(key), value] as const] : [])),
  });
  const array = (items: readonly Value[]): Value | undefined =>
    items.length > 0 ? { kind: "array", items } : undefined;
  const text = (value: string) => (value ? string(value) : undefined);
  const { scope, title, description, entrypoint, organizations, relatedResources, authors, schemas, custom } =
    annotation;
  return object({
    scope: string(scope),
    title: text(title),
    description: text(description),
    entrypoint: entrypoint ? { kind: "boolean", value: true } : undefined,
    organizations: array(organizations.map(string)),
    related_resources: array(
      relatedResources.map((r) => object({ ref: string(r.ref), description: text(r.description) })),
    ),
    authors: array(authors.map((a) => object({ name: text(a.name), email: text(a.email) }))),
    schemas: array(
      schemas.map(({ path, schema, definition }) =>
        object({ path: array(path.map(string)), schema: schema && array(schema.map(string)), definition }),
      ),
    ),
    custom: custom.entries.length > 0 ? custom : undefined,
  });
}
