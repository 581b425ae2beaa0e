/**
 * What analysis promises and the planner relies on. Only `analyze/index.ts` makes a CheckedPolicy, so whoever holds one
 * knows that every check ran without an error.
 *
 * INVARIANT of every rule in a CheckedPolicy (heads, bodies, nested bodies, `else` rules, comprehensions, `every`):
 * 1. Names. Every variable is unique within its rule: a local has one Var name over all nested scopes, made as
 *    `<written>` or, where two scopes would clash, `<written>#<n>`; wildcards are `_#<n>`. `originalName` gives back what
 *    was written. No SomeDecl without a domain is left (its effect is in the names).
 * 2. Refs. Imports and package-relative names are resolved: a Ref's head is the Var `input`, the Var `data` (base or
 *    virtual document, full path), a local Var, or a non-Var term. A bare `input`/`data` is a Var of that name.
 * 3. Calls. `operator` of a builtin is its full OPA name (`plus`, `io.jwt.decode`) as a Var whose name holds the dots;
 *    of a user function a Ref `data.pkg.f`. `some x in xs`, `x in xs` and infix signs are Calls of OPA's builtins
 *    (`internal.member_2`, `internal.member_3`, `plus`, `eq`, …) except that `some … in` with unbound patterns is a
 *    SomeDecl with `domain` left for the planner, which iterates.
 * 4. Equality. `:=` and `=` are both Calls of `eq`; `:=` has been checked and its target renamed to a fresh local.
 *    `==` is a Call of `equal`.
 * 5. Order. Each body is ordered so that, read from the left, every variable an expression needs bound is bound before
 *    it; negated expressions and `every` bodies only read bound variables.
 * 6. Nesting. Calls, refs with unbound parts and comprehensions may be nested in terms; the planner plans from the inside
 *    out. A Call whose argument holds an unbound variable never occurs (such terms were hoisted into an `eq` before it),
 *    nor does a head term with a call in a place where the planner would have to iterate.
 * 7. Heads. Every rule's `path` is its full path below `data`. Function arguments may be any pattern.
 * 8. `rego.metadata.chain/rule` calls are Constants. Template strings stay TemplateString.
 */

import type { Brand } from "../base/brand.ts";
import type { Value } from "../base/value.ts";
import type { Module, Rule, Term } from "../rego/ast.ts";

/** How the definitions of one path behave together. */
export type RuleKind = "complete" | "function" | "partial-set" | "partial-object";

/**
 * All rules of one document. `path` is the ground prefix below `data` (package and ref head, `["pkg", "p"]`). For general
 * ref heads (`p.q[x].r := v`) `path` is the ground prefix (`pkg.p.q`), `kind` is `partial-object`, and each definition has
 * the remaining, possibly non-ground, key terms in `keys` (`[x, "r"]`).
 */
export interface RuleGroup {
  readonly path: readonly string[];
  readonly kind: RuleKind;
  /** Number of arguments, for functions. */
  readonly arity: number | undefined;
  readonly definitions: readonly RuleDefinition[];
  /** The value of `default p := …`; for functions the rule itself is kept (its value may not be constant-free of args). */
  readonly defaultRule: Rule | undefined;
}

export interface RuleDefinition {
  readonly rule: Rule;
  /** Key terms after `path`: `[]` for complete rules and functions, `[key]` for `p[key] := v` and `p contains key`. */
  readonly keys: readonly Term[];
  /** For `p.q contains x` under a non-ground ref (`p[x] contains y`): the definition adds to a set at `keys[..-1]`. */
  readonly addsToSet: boolean;
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
  readonly body: readonly import("../rego/ast.ts").Expr[];
  /** Written variables, in order of first appearance; wildcards and generated names are not among them. */
  readonly bindings: readonly { readonly name: string; readonly local: string }[];
}

export type CheckedPolicy = Brand<
  {
    readonly modules: readonly Module[];
    /** Sorted by path; callees before callers is not promised. */
    readonly groups: readonly RuleGroup[];
    readonly annotations: readonly PlacedAnnotation[];
    readonly queries: readonly CheckedQuery[];
    /** Builtins that are called anywhere, by full name, sorted. */
    readonly builtins: readonly string[];
  },
  "CheckedPolicy"
>;
