/**
 * From text to syntax tree. `parseModule` reads a policy file, `parseQuery` what `opa eval` takes; both report every
 * statement that is not Rego, and a tree comes only with a text without errors.
 */

import { type Diagnostic, hasErrors, type RegoVersion, SourceFile, span } from "../diagnostics/index.ts";
import { readAnnotations, type Statement } from "./annotations.ts";
import { type Body, isTerm, type Module, type PartialModule, type Term } from "./ast.ts";
import { syntaxDiagnostic } from "./codes.ts";
import { lexRego } from "./lexer.ts";
import { importsVersion, RegoParser, type Statements } from "./parse-module.ts";
import { partialModule, spanOf } from "./recovered.ts";
import { endOf, type Token } from "./token.ts";

export interface ParsedModule {
  /** `undefined` where there are errors. */
  readonly module: Module | undefined;
  /** What could be read of a text with errors; `unknown` where not even its package could. */
  readonly rest: PartialModule | "unknown" | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What can be analysed of modules: all of those without errors, the rest of the others. */
export function readParts(parsed: readonly ParsedModule[]): { modules: Module[]; unknownModules: boolean } {
  const parts = parsed.flatMap(({ module, rest }) => module ?? rest ?? []);
  const modules = parts.filter((part) => part !== "unknown");
  return { modules, unknownModules: modules.length < parts.length };
}

let parser: RegoParser | undefined;

/** Made on first use, and used for one text after the other. */
function regoParser(): RegoParser {
  parser ??= new RegoParser();
  return parser;
}

/**
 * Whether METADATA blocks are read, or are comments like any other: what is only formatted is not asked whether they mean
 * something, as with OPA.
 */
export type Metadata = "read" | "comments";

/** Each text is read once: every compilation of a process needs the library's, and several stages ask for an author's. */
const known = new WeakMap<SourceFile, ParsedModule>();

/** The tree of a module, of the version that its bundle says; v0 is refused, where the module does not import a later one. */
export function parseModule(file: SourceFile, metadata: Metadata = "read"): ParsedModule {
  if (metadata === "comments") return readModule(file, metadata);
  let parsed = known.get(file);
  if (parsed === undefined) known.set(file, (parsed = readModule(file, metadata)));
  return parsed;
}

function readModule(file: SourceFile, metadata: Metadata): ParsedModule {
  if (file.regoVersion !== 0) return parseAs(file, file.regoVersion, metadata);
  const { tokens } = lexRego(file);
  if (importsVersion(tokens)) return parseAs(file, 1, metadata);
  const help = `\`portcullis fmt --write --v0-v1 ${file.name}\` rewrites it for both versions`;
  const [first] = tokens;
  const at = first ? span(file, first.startOffset, endOf(first)) : span(file, 0, 0);
  const diagnostics = [syntaxDiagnostic("rego/version-0", { path: file.name }, at, { help })];
  return { module: undefined, rest: packageAlone(parseAs(file, 0)), diagnostics };
}

/** The tree of a module that is read as `version`. One of v0 has the tree of what v1 writes for it. */
export function parseAs(file: SourceFile, version: RegoVersion, metadata: Metadata = "read"): ParsedModule {
  const lexed = lexRego(file);
  const { result, found } = regoParser().readModule(file, lexed, version);
  if (lexed.tokens.length === 0) found.push(syntaxDiagnostic("rego/empty-module", {}, span(file, 0, file.text.length)));
  const combined = combine(lexed.diagnostics, [...(result ? checkPackage(result) : []), ...found]);
  const syntax = version === 0 ? combined : namingOldVersion(file, combined);
  const first = result?.packages[0];
  // A text without a word defines nothing.
  if (!result || !first)
    return { module: undefined, rest: lexed.tokens.length === 0 ? undefined : "unknown", diagnostics: syntax };
  const statements = (): Statement[] => inOrder(file, lexed.tokens, result);
  const blocks = metadata === "read" ? lexed.comments : [];
  const { annotations, diagnostics } = readAnnotations(file, blocks, statements, readTerm);
  const { imports, rules } = result;
  const whole = span(file, 0, file.text.length);
  const module: Module = {
    kind: "Module",
    span: whole,
    package: first,
    imports,
    rules,
    comments: lexed.comments,
    annotations,
  };
  if (!hasErrors(syntax) && !hasErrors(diagnostics)) return { module, rest: undefined, diagnostics: syntax };
  const rest = partialModule(file, module, lexed.tokens, result);
  return { module: undefined, rest, diagnostics: [...syntax, ...diagnostics] };
}

/** The package of a module that is not read at all: any rule may be defined in it. */
function packageAlone({ module, rest }: ParsedModule): PartialModule | "unknown" {
  const known = module ?? rest;
  if (known === undefined || known === "unknown") return "unknown";
  const unread = { names: new Set<string>(), anyRule: true, anyImport: true };
  return { ...known, imports: [], rules: [], annotations: [], unread };
}

const OF_V0: ReadonlySet<string> = new Set(["rego/missing-if", "rego/missing-contains"]);

/** Reports once that a module is Rego v0 and not v1: there is a command that rewrites it as a whole. */
function namingOldVersion(file: SourceFile, syntax: readonly Diagnostic[]): readonly Diagnostic[] {
  const [first, ...others] = syntax;
  if (first === undefined || !hasErrors(syntax) || parseAs(file, 0).module === undefined) return syntax;
  const whole = "the module seems to be Rego v0: `portcullis fmt --write --v0-v1` rewrites it";
  const follow = ({ causedBy = [], ...other }: Diagnostic): Diagnostic => ({
    ...other,
    causedBy: [...causedBy, { code: first.code, by: "file" }],
  });
  return [
    { ...first, help: first.help === undefined ? whole : `${first.help}; ${whole}` },
    ...others.map((d) => (OF_V0.has(first.code) && OF_V0.has(d.code) ? follow(d) : d)),
  ];
}

function inOrder(file: SourceFile, tokens: readonly Token[], statements: Statements): Statement[] {
  const { packages, imports, rules, broken } = statements;
  const all: Statement[] = [
    ...packages.map((node): Statement => ({ span: node.span, target: { kind: "Package" } })),
    ...imports.map((node): Statement => ({ span: node.span, target: { kind: "Import" } })),
    ...broken.map((range): Statement => ({ span: spanOf(file, tokens, range), target: { kind: "Broken" } })),
    ...rules.map((node, index): Statement => ({ span: node.span, target: { kind: "Rule", index } })),
  ];
  return all.sort((a, b) => a.span.start - b.span.start);
}

/** A single term, without the places of its parts. */
function readTerm(text: string): Term | undefined {
  const [expr, ...more] = parseQuery(new SourceFile("", text)).body ?? [];
  if (!expr || more.length > 0 || expr.negated || expr.with.length > 0) return undefined;
  return isTerm(expr.body) ? expr.body : undefined;
}

export interface ParsedQuery {
  readonly body: Body | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export function parseQuery(file: SourceFile): ParsedQuery {
  const lexed = lexRego(file);
  const { result, found } = regoParser().readQuery(file, lexed.tokens);
  const diagnostics = combine(lexed.diagnostics, found);
  return { body: hasErrors(diagnostics) ? undefined : result, diagnostics };
}

/** A module has one package, and begins with it. */
function checkPackage({ misplaced, packages }: Statements): Diagnostic[] {
  if (misplaced) return [syntaxDiagnostic("rego/package-expected", {}, misplaced)];
  const [first, ...more] = packages;
  if (!first) return [];
  const related = [{ message: "the package of this module", span: first.span }];
  return more.map((other) => syntaxDiagnostic("rego/unexpected-package", {}, other.span, { related }));
}

/** In the order of the text; where a word itself is wrong, the grammar's findings on it are left out. */
function combine(lexical: readonly Diagnostic[], grammatical: readonly Diagnostic[]): readonly Diagnostic[] {
  if (lexical.length === 0 && grammatical.length === 0) return [];
  const kept: Diagnostic[] = [];
  const seen = new Set<number>();
  for (const diagnostic of lexical) {
    const start = diagnostic.span?.start ?? -1;
    if (!seen.has(start)) kept.push(diagnostic);
    seen.add(start);
  }
  const covered = (at: number) =>
    lexical.some(({ span: word }) => word !== undefined && word.start <= at && at <= word.end);
  const said = new Set<string>();
  for (const diagnostic of grammatical) {
    const start = diagnostic.span?.start ?? -1;
    const key = `${start} ${diagnostic.code}`;
    if (covered(start) || said.has(key)) continue;
    said.add(key);
    kept.push(diagnostic);
  }
  return kept.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
}
