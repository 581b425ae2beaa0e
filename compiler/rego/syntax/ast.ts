/**
 * The syntax tree of a Rego v1 module, in OPA's words (Module, Rule, Head, Body, Expr, Term, Ref). Plain data: nodes are
 * told apart by `kind`, carry the span they were written at, and never point upwards.
 * Grammar: https://www.openpolicyagent.org/docs/policy-reference#grammar
 */

import type { Span } from "../diagnostics/index.ts";
import type { Value } from "../value/index.ts";

/** A Rego file as written: nothing is resolved or rewritten. */
export interface Module {
  readonly kind: "Module";
  readonly span: Span;
  readonly package: Package;
  readonly imports: readonly Import[];
  readonly rules: readonly Rule[];
  /** Every comment, in order, with the text after `#` as written. */
  readonly comments: readonly Comment[];
  /** `# METADATA` blocks, in order. */
  readonly annotations: readonly AnnotationBlock[];
}

/** A module as far as it could be read: the statements without a fault. It is analysed, and never compiled. */
export interface PartialModule extends Module {
  readonly unread: Unread;
}

/** What the statements that could not be read may define. */
export interface Unread {
  /** First parts of rule names. */
  readonly names: ReadonlySet<string>;
  /** A rule of any name of the package. */
  readonly anyRule: boolean;
  /** An import of any name. */
  readonly anyImport: boolean;
}

export interface Package {
  readonly kind: "Package";
  readonly span: Span;
  /** `data.a.b` for `package a.b`. */
  readonly path: Ref;
}

export interface Import {
  readonly kind: "Import";
  readonly span: Span;
  /** Head `data`, `input`, `rego` or `future`. */
  readonly path: Ref;
  readonly alias: Var | undefined;
}

export interface Comment {
  readonly kind: "Comment";
  readonly span: Span;
  readonly text: string;
}

/** A `# METADATA` comment block: its YAML text, what it says, and the span from its first to its last line. */
export interface AnnotationBlock {
  readonly kind: "AnnotationBlock";
  readonly span: Span;
  readonly text: string;
  readonly annotation: Annotation;
}

/**
 * What a metadata block says. Without `scope` in the block it is that of what stands below: `package`, `rule`, or
 * `document` for an entrypoint. Empty strings and lists stand for what the block leaves out.
 * https://www.openpolicyagent.org/docs/policy-language#annotations
 */
export interface Annotation {
  readonly scope: AnnotationScope;
  /** The statement below the block: the package, or a rule by its place in `Module.rules`. */
  readonly target: { readonly kind: "Package" } | { readonly kind: "Rule"; readonly index: number };
  readonly title: string;
  readonly description: string;
  readonly entrypoint: boolean;
  readonly organizations: readonly string[];
  readonly relatedResources: readonly { readonly ref: string; readonly description: string }[];
  readonly authors: readonly { readonly name: string; readonly email: string }[];
  readonly schemas: readonly SchemaAnnotation[];
  /** An object with string keys. */
  readonly custom: Value & { readonly kind: "object" };
}

export type AnnotationScope = "rule" | "document" | "package" | "subpackages";

/** `- input.user: schema.user` or `- input: {type: object}`: what is said of a document, and its schema by name or in full. */
export interface SchemaAnnotation {
  readonly span: Span;
  /** `["input", "user"]` */
  readonly path: readonly string[];
  /** `["schema", "user"]` */
  readonly schema: readonly string[] | undefined;
  readonly definition: Value | undefined;
}

/**
 * One rule. `a if { x } else := b if { y }` is a Rule whose `else` is a Rule with the same head name.
 * A body-less rule (`p := 1`) has `body: []` — the empty conjunction, true. Of several bodies (`p if {a} {b}`) each
 * makes a Rule of its own that shares the head of the first and spans its own braces.
 */
export interface Rule {
  readonly kind: "Rule";
  readonly span: Span;
  readonly isDefault: boolean;
  readonly head: Head;
  readonly body: Body;
  /** Whether a body was written: `fmt` and "if" checks need to know. */
  readonly hasBody: boolean;
  readonly else: Rule | undefined;
}

/**
 * `ref` is the name as written: `p`, `p.q[x]`, with head Var. Exactly one shape:
 * - complete rule / function: `value` is its value (`undefined` when none was written: true);
 * - `contains key`: partial set (`key` set, `value` undefined);
 * - partial object `p[k] := v`: a `ref` whose last part is a term, `value` set.
 * `p[x] if ...` without `contains` is, in v1, an object rule whose value is true.
 */
export interface Head {
  readonly kind: "Head";
  readonly span: Span;
  readonly ref: Ref;
  /** Present (possibly empty) for functions. */
  readonly args: readonly Term[] | undefined;
  readonly key: Term | undefined;
  readonly value: Term | undefined;
  /** `:=` or `=`, for the printer. */
  readonly operator: ":=" | "=" | undefined;
}

export type Body = readonly Expr[];

export interface With {
  readonly kind: "With";
  readonly span: Span;
  /** `input.x`, `data.y.z`, or the name of a function. */
  readonly target: Ref;
  readonly value: Term;
}

/** One statement of a body. */
export interface Expr {
  readonly kind: "Expr";
  readonly span: Span;
  readonly negated: boolean;
  readonly with: readonly With[];
  readonly body: ExprBody;
}

/**
 * What a statement says. A bare term (`input.x`, `f(x)`, `a == b`) is a Term: infix operators are Calls.
 * `x := y` is a Call of `assign`, `x = y` a Call of `eq`.
 */
export type ExprBody = Term | SomeDecl | Every | Not | Logical;

/** Whether a statement says a term, and is no declaration and no scope. */
export function isTerm(body: ExprBody): body is Term {
  return body.kind !== "SomeDecl" && body.kind !== "Every" && body.kind !== "Not" && body.kind !== "Logical";
}

/** `some x, y` declares; `some k, v in xs` declares and iterates (`domain` set; `key` only in the pair form). */
export interface SomeDecl {
  readonly kind: "SomeDecl";
  readonly span: Span;
  readonly vars: readonly Var[];
  readonly key: Term | undefined;
  readonly value: Term | undefined;
  readonly domain: Term | undefined;
}

export interface Every {
  readonly kind: "Every";
  readonly span: Span;
  readonly key: Var | undefined;
  readonly value: Var;
  readonly domain: Term;
  readonly body: Body;
}

/**
 * `not { … }`, and `not x` in a module that imports the keyword: a scope of its own, in which everything that the body
 * needs is evaluated, so that `not f(input.x)` holds when `input.x` is undefined. `braces`: where they were written.
 */
export interface Not {
  readonly kind: "Not";
  readonly span: Span;
  readonly body: Body;
  readonly braces: Span | undefined;
}

/**
 * `x and y`, `{ … } or y`: each operand is a scope of its own that binds nothing outside and holds once at most; the right
 * one is evaluated only when the left one leaves it open. `leftBraces`, `rightBraces`: where they were written; an operand
 * without has one statement.
 */
export interface Logical {
  readonly kind: "Logical";
  readonly span: Span;
  readonly operator: "and" | "or";
  readonly left: Body;
  readonly right: Body;
  readonly leftBraces: Span | undefined;
  readonly rightBraces: Span | undefined;
}

export type Term =
  | Scalar
  | Var
  | Ref
  | Call
  | ArrayTerm
  | ObjectTerm
  | SetTerm
  | ArrayComprehension
  | SetComprehension
  | ObjectComprehension
  | TemplateString
  | Constant;

export type Scalar = NullTerm | BooleanTerm | NumberTerm | StringTerm;

export interface NullTerm {
  readonly kind: "Null";
  readonly span: Span;
}
export interface BooleanTerm {
  readonly kind: "Boolean";
  readonly span: Span;
  readonly value: boolean;
}
export interface NumberTerm {
  readonly kind: "Number";
  readonly span: Span;
  /** Exact text as written, sign included when it is part of the literal; `.5` has its zero. */
  readonly text: string;
}
export interface StringTerm {
  readonly kind: "String";
  readonly span: Span;
  readonly value: string;
  /** Written between back-ticks. */
  readonly raw: boolean;
}

/** `_` is a Var with name `_`; the resolver gives every one a name of its own. */
export interface Var {
  readonly kind: "Var";
  readonly span: Span;
  readonly name: string;
}

/** `head.a["b"][c]`: head and at least one argument; `.a` and `["a"]` are both String terms. */
export interface Ref {
  readonly kind: "Ref";
  readonly span: Span;
  /** A Var almost always; in v1 also a Call, composite or comprehension: `f(x)[0]`, `[1,2][i]`. */
  readonly head: Term;
  readonly args: readonly Term[];
}

/** A function call or an infix operation. `operator` has head Var: `count`, `io.jwt.decode`, `plus`, `eq`, `assign`, `internal.member_2`. */
export interface Call {
  readonly kind: "Call";
  readonly span: Span;
  readonly operator: Ref | Var;
  readonly args: readonly Term[];
  /** The operator sign, when written infix: `+`, `==`, `in`, … */
  readonly infix: string | undefined;
  /** Written in parentheses (the printer keeps them). */
  readonly parenthesized: boolean;
}

export interface ArrayTerm {
  readonly kind: "Array";
  readonly span: Span;
  readonly items: readonly Term[];
}
/** No two keys are the same as written; of entries that were, the last has the value. */
export interface ObjectTerm {
  readonly kind: "Object";
  readonly span: Span;
  readonly entries: readonly (readonly [Term, Term])[];
}
/** `set()` is a SetTerm without items. No two items are the same as written. */
export interface SetTerm {
  readonly kind: "Set";
  readonly span: Span;
  readonly items: readonly Term[];
}
export interface ArrayComprehension {
  readonly kind: "ArrayComprehension";
  readonly span: Span;
  readonly term: Term;
  readonly body: Body;
}
export interface SetComprehension {
  readonly kind: "SetComprehension";
  readonly span: Span;
  readonly term: Term;
  readonly body: Body;
}
export interface ObjectComprehension {
  readonly kind: "ObjectComprehension";
  readonly span: Span;
  readonly key: Term;
  readonly value: Term;
  readonly body: Body;
}
/**
 * `$"a {x}"`: text and expressions in turn; no two texts are adjacent and none is empty. An expression is never negated,
 * its body is a Term (no assignment, unification, `some` or `every`), and it may have `with` (`$"{x with input as 1}"`).
 * https://www.openpolicyagent.org/docs/policy-language#string-interpolation
 */
export interface TemplateString {
  readonly kind: "TemplateString";
  readonly span: Span;
  readonly raw: boolean;
  readonly parts: readonly (string | Expr)[];
}
/** A whole value known at compile time; no syntax makes it, only rewriting does (metadata, folded constants). */
export interface Constant {
  readonly kind: "Constant";
  readonly span: Span;
  readonly value: Value;
}

export type Node =
  | Module
  | Package
  | Import
  | Comment
  | AnnotationBlock
  | Rule
  | Head
  | Expr
  | With
  | SomeDecl
  | Every
  | Not
  | Logical
  | Term;
