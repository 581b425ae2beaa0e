/**
 * What analysis promises and the planner relies on. Only `analyze/index.ts` makes a CheckedPolicy, so holding one
 * means that every check ran without an error.
 *
 * INVARIANT of every rule in a CheckedPolicy (heads, bodies, nested bodies, `else` rules, comprehensions, `every`):
 * 1. Names. Every variable is unique within its rule, `else` rules included (which share the arguments): a local has one
 *    Var name over all nested scopes, made as `<written>` or, where two scopes would clash, `<written>#<n>`; wildcards are
 *    `_#<n>`; locals that rewriting made are `#<n>`. `originalName` of names.ts gives back what was written. No SomeDecl is
 *    left: `some x` has its effect in the names, `some k, v in xs` has become the statement `eq(v, xs[k])` (with a local
 *    for `xs` where it is not a Var or Ref).
 * 2. Refs. Imports and package-relative names are resolved: a Ref's head is the Var `input`, the Var `data` (base or
 *    virtual document, full path) or a local Var, never another term. A bare `input`/`data` is a Var of that name.
 * 3. Calls. `operator` of a builtin is its full OPA name (`plus`, `io.jwt.decode`) as a Var whose name holds the dots;
 *    of a user function a Ref `data.pkg.f`. `x in xs` and infix signs are Calls of OPA's builtins (`internal.member_2`,
 *    `internal.member_3`, `plus`, `eq`, …), or of the rule of that name that the module sees. A Call has exactly as many arguments as its function's arity: `f(x, out)`, with
 *    the result as an argument, has become `eq(out, f(x))`. Calls of `print` are gone.
 * 4. Equality. `:=` and `=` are both Calls of `eq`; `:=` has been checked and its target renamed to a fresh local.
 *    `==` is a Call of `equal` in queries; in rules it is a Call of `eq` too (both sides are bound there).
 * 5. Order. Each body is ordered so that, read from the left, every variable an expression needs bound is bound before
 *    it; negated expressions and `every` bodies only read bound variables.
 * 6. Flat. Whatever has to be evaluated was hoisted to a statement of its own, `eq(#n, …)`, before the statement that uses
 *    it — also out of a negated statement, hence `not f(input.x)` is undefined when `input.x` is; a hoisted statement has
 *    the `with` of the statement it came from. What is left:
 *    - *simple* terms: scalars, Constants, local Vars, and arrays, sets and objects of simple terms;
 *    - a Ref's arguments and a Call's arguments are simple;
 *    - a Call is a whole statement, or the second operand of an `eq` whose first operand is simple (of a negated `eq` only
 *      where the author wrote `not f(x, result)`: that call belongs inside of the negation);
 *    - a statement that is not a Call of `eq` is a Call, an Every, a Ref, or a simple term;
 *    - a bare `input` or `data` is not simple, it stands where a Ref may stand;
 *    - an operand of `eq` is simple, a Ref, a comprehension, a TemplateString, or a Call as just said;
 *    - a comprehension's term (key and value) is simple; an `every`'s domain is simple;
 *    - a `with` value is simple, or names a function.
 * 7. Heads. Every rule's `path` is its full path below `data`. Key terms are Vars, scalars, or (the element of a set)
 *    simple; the value is always present and simple (`true` where none was written; `contains` has no value).
 *    Function arguments may be any simple pattern. The value of a default rule may be bound in its body.
 * 8. `rego.metadata.chain/rule` calls are Constants. Template strings stay TemplateString, hoisted like Calls; each part is a
 *    string, or an Expr without `with` whose body is a scalar, a local Var, or a SetComprehension that yields the part's
 *    value (a set of the author's own is nested one deeper): empty is `<undefined>`, more than one element is an error at
 *    evaluation.
 * 9. `with`. A target is a Ref headed by `input` or `data` (without arguments for the whole document), or a function. A
 *    function, as target or as value, is a Ref: `data.pkg.f`, or for a builtin a Ref *without arguments* headed by the Var of
 *    its full dotted name. A value that is a Ref always names a function. A target's
 *    arguments are Strings.
 */

import type { Brand, Span } from "../diagnostics/index.ts";
import type { Expr, Module, Rule, Term } from "../syntax/index.ts";
import type { Value } from "../value/index.ts";

/** How the definitions of one path behave together. */
export type RuleKind = "complete" | "function" | "partial-set" | "partial-object";

/**
 * All rules of one document. `path` is the ground prefix below `data` (package and ref head, `["pkg", "p"]`), up to the first
 * part that is not a string. For general ref heads (`p.q[x].r := v`) `path` is the ground prefix (`pkg.p.q`), `kind` is
 * `partial-object`, and each definition has the remaining, possibly non-ground, key terms in `keys` (`[x, "r"]`).
 *
 * INVARIANT: no group but a `function` has a path that extends the path of a `partial-object` group. Rules below the
 * ground prefix of such a group (`p.q.s := 1`, `p.q.t contains y`, from any module) are definitions of that group.
 */
export interface RuleGroup {
  readonly path: readonly string[];
  readonly kind: RuleKind;
  /** Number of arguments, for functions. */
  readonly arity: number | undefined;
  readonly definitions: readonly RuleDefinition[];
  /**
   * The rule `default p := …` of a complete rule or function: its value holds when no definition gives one. Its body, if
   * any, only binds the variables of its value and cannot fail (comprehensions).
   */
  readonly defaultRule: Rule | undefined;
}

/** One definition of a rule, and what it gives the rule's document. */
export interface RuleDefinition {
  readonly rule: Rule;
  /** Key terms after `path`: `[]` for complete rules and functions, `[key]` for `p[key] := v` and `p contains key`. */
  readonly keys: readonly Term[];
  /** `contains`: the definition adds the last of `keys` to the set at `keys[..-1]`, for a partial set the whole document. */
  readonly addsToSet: boolean;
  /**
   * A `default p.q.r := v` inside a `partial-object` group: holds at `keys` (all scalars) when nothing else gives a value there.
   * Those in an object whose keys a rule computes are left out.
   */
  readonly isDefault: boolean;
}

/** One annotation of a rule, package or document, already placed. Value is OPA's JSON shape of an annotation. */
export interface PlacedAnnotation {
  readonly scope: "rule" | "document" | "package" | "subpackages";
  readonly path: readonly string[];
  readonly value: Value;
  /** `schemas` entries resolved to JSON Schema documents: `path` is `["input"]`, `["data", ...]`. */
  readonly schemas: readonly { readonly path: readonly string[]; readonly schema: unknown }[];
  readonly entrypoint: boolean;
}

/** A query compiled beside the modules (`opa eval QUERY`): its body, checked, and the variables it reports. */
export interface CheckedQuery {
  readonly name: string;
  readonly body: readonly Expr[];
  /** Written variables, in order of first appearance; wildcards and generated names are not among them. */
  readonly bindings: readonly { readonly name: string; readonly local: string }[];
  /** Where each expression stands, and the local of its value; without one, it is `true`. Only where values are captured. */
  readonly expressions: readonly { readonly span: Span; readonly local: string | undefined }[] | undefined;
}

/** Which rule refers to which, for dead-code removal. Rules are those of the definitions and defaults; `else` belongs to its rule. */
export interface RuleGraph {
  /** The rules that a rule may refer to directly; a reference with unknown parts refers to all it may reach. */
  references(rule: Rule): ReadonlySet<Rule>;
  /** The rules that evaluating `path` below `data` may reach, transitively. */
  reachableFrom(paths: readonly (readonly string[])[], queries?: readonly CheckedQuery[]): ReadonlySet<Rule>;
}

/** Modules in which every name is resolved, every variable safe and every call well-typed. Only `analyze` makes one. */
export type CheckedPolicy = Brand<
  {
    readonly modules: readonly Module[];
    /** Sorted by path; callees before callers is not promised. */
    readonly groups: readonly RuleGroup[];
    readonly annotations: readonly PlacedAnnotation[];
    readonly queries: readonly CheckedQuery[];
    /** Builtins that are called anywhere (`internal.template_string` for templates, without `eq`), by full name, sorted. */
    readonly builtins: readonly string[];
    readonly graph: RuleGraph;
  },
  "CheckedPolicy"
>;
