/**
 * The fields of every node that hold other nodes, as one table, in the order of the text. Walkers go by it, but
 * for `eachTerm`, which a test holds to it.
 * INVARIANT: a new kind of node, or a new field that holds nodes, does not type-check until it stands here.
 */

import type { Body, Expr, ExprBody, Node, Ref, Term, Var } from "./ast.ts";

/**
 * How a field holds nodes, and where they are evaluated:
 * - `term`, `terms`, `entries`: where the node itself is evaluated
 * - `path`: a reference that names something; only its arguments are evaluated
 * - `statement`: a Term, or a statement with terms and bodies of its own
 * - `texts`: the parts of a template string, of which the statements are evaluated
 * - `body`, `result`: a body with variables of its own, and a term that is evaluated in that body
 * - `binding`, `bindings`: variables that begin here; `name`: a name that is never evaluated
 * - `node`, `nodes`: structure that holds evaluated parts further down
 * - `aside`: not a part of the node; no walker goes there
 */
export type Role =
  | "term"
  | "terms"
  | "entries"
  | "path"
  | "statement"
  | "texts"
  | "body"
  | "result"
  | "binding"
  | "bindings"
  | "name"
  | "node"
  | "nodes"
  | "aside";

/** The roles that a field of type `V` may have; `never` for a field that holds no nodes. */
type RolesOf<V> = [V] extends [string | number | boolean]
  ? never
  : [V] extends [Body]
    ? "body"
    : [V] extends [readonly Var[]]
      ? "bindings"
      : [V] extends [readonly Term[]]
        ? "terms"
        : [V] extends [readonly (readonly [Term, Term])[]]
          ? "entries"
          : [V] extends [readonly Node[]]
            ? "nodes" | "aside"
            : [V] extends [readonly (string | Expr)[]]
              ? "texts"
              : [V] extends [Var]
                ? "binding" | "name"
                : [V] extends [Ref | Var]
                  ? "path" | "name" | "aside"
                  : [V] extends [Term]
                    ? "term" | "result"
                    : [V] extends [ExprBody]
                      ? "statement"
                      : [V] extends [Node]
                        ? "node"
                        : never;

type Kind = Node["kind"];
type NodeOf<K extends Kind> = Extract<Node, { readonly kind: K }>;
type ChildFields<N> = {
  readonly [F in keyof N as [RolesOf<NonNullable<N[F]>>] extends [never] ? never : F]: RolesOf<NonNullable<N[F]>>;
};

const CHILD_FIELDS: { readonly [K in Kind]: ChildFields<NodeOf<K>> } = {
  Module: { package: "node", imports: "nodes", rules: "nodes", comments: "aside", annotations: "aside" },
  Package: { path: "name" },
  Import: { path: "name", alias: "name" },
  Comment: {},
  AnnotationBlock: {},
  Rule: { head: "node", body: "body", else: "node" },
  Head: { ref: "path", args: "terms", key: "term", value: "term" },
  Expr: { body: "statement", with: "nodes" },
  With: { target: "path", value: "term" },
  SomeDecl: { vars: "bindings", key: "term", value: "term", domain: "term" },
  Every: { key: "binding", value: "binding", domain: "term", body: "body" },
  Not: { body: "body" },
  Logical: { left: "body", right: "body" },
  Null: {},
  Boolean: {},
  Number: {},
  String: {},
  Var: {},
  Ref: { head: "term", args: "terms" },
  Call: { operator: "aside", args: "terms" },
  Array: { items: "terms" },
  Object: { entries: "entries" },
  Set: { items: "terms" },
  ArrayComprehension: { term: "result", body: "body" },
  SetComprehension: { term: "result", body: "body" },
  ObjectComprehension: { key: "result", value: "result", body: "body" },
  TemplateString: { parts: "texts" },
  Constant: {},
};

export interface ChildField {
  readonly name: string;
  readonly role: Role;
}

const fields = new Map<Kind, readonly ChildField[]>(
  Object.entries(CHILD_FIELDS).map(([kind, roles]) => [
    kind as Kind,
    Object.entries(roles as Record<string, Role>).map(([name, role]) => ({ name, role })),
  ]),
);

/** The fields of a kind that hold nodes, in the order of the text. */
export function childFieldsOf(kind: Kind): readonly ChildField[] {
  return fields.get(kind) as readonly ChildField[];
}
