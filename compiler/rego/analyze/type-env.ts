/**
 * What is known of the types of variables and documents. Layers: builtins and schemas for everybody, a tree of the rules'
 * documents, then one layer a body. A document's node may have a type and nodes below it, for rules below a dynamic one.
 */

import { unreachable } from "../diagnostics/index.ts";
import { type Builtins, builtins, type Call, isConstant, type Ref, type Term } from "../syntax/index.ts";
import { type Value, valueText } from "../value/index.ts";
import { signatureOf } from "./builtin-signatures.ts";
import {
  ANY,
  arrayOf,
  BOOLEAN,
  isEmptyCollection,
  NO_MEMBERS,
  NULL,
  NUMBER,
  type ObjectType,
  objectOf,
  type Property,
  propertyKey,
  propertyOf,
  STRING,
  selectKey,
  setOf,
  stringProperty,
  type Type,
  typeOfConstant,
  type Unknown,
  union,
  valuesOf,
} from "./types.ts";
import type { Comprehension } from "./walk.ts";

export interface TypeNode {
  type: Type | undefined;
  /** What `extentOf` found, until something below changes. */
  extent: Type | undefined;
  readonly key: Term | undefined;
  readonly children: Map<string, TypeNode>;
}

export function newNode(key?: Term): TypeNode {
  return { type: undefined, extent: undefined, key, children: new Map() };
}

export class TypeEnv {
  readonly next: TypeEnv | undefined;
  readonly vars: Map<string, Type>;
  /** Documents that this layer says something about: `input`, `data`. */
  readonly roots: Map<string, TypeNode>;
  /** The documents whose types a replaced document may change: all of any type. */
  readonly dependents: (replaced: Ref) => Map<string, TypeNode>;
  readonly builtins: Builtins;
  /** The environments of comprehension bodies that were checked; `undefined` for those with errors. */
  readonly closures: Map<Comprehension, TypeEnv | undefined>;

  constructor(next?: TypeEnv, parts: Partial<Pick<TypeEnv, "vars" | "roots" | "dependents" | "builtins">> = {}) {
    this.next = next;
    this.vars = parts.vars ?? new Map();
    this.roots = parts.roots ?? new Map();
    this.dependents = parts.dependents ?? next?.dependents ?? (() => new Map());
    this.builtins = parts.builtins ?? next?.builtins ?? builtins();
    this.closures = next ? next.closures : new Map();
  }

  varType(name: string): Type | Unknown {
    for (let env: TypeEnv | undefined = this; env; env = env.next) {
      const type = env.vars.get(name);
      if (type) return type;
    }
    return undefined;
  }

  // ---- terms ----

  typeOf(term: Term): Type | Unknown {
    switch (term.kind) {
      case "Null":
        return NULL;
      case "Boolean":
        return BOOLEAN;
      case "Number":
        return NUMBER;
      case "String":
      case "TemplateString":
        return STRING;
      case "Array":
        return arrayOf(
          term.items.map((i) => this.typeOf(i)),
          undefined,
        );
      case "Object":
        return this.typeOfObject(term.entries);
      case "Set": {
        const of = term.items.reduce<Type | Unknown>((sum, i) => union(sum, this.typeOf(i)), undefined);
        return setOf(of);
      }
      case "ArrayComprehension": {
        const inner = this.closures.get(term);
        return inner && arrayOf([], inner.typeOf(term.term));
      }
      case "SetComprehension": {
        const inner = this.closures.get(term);
        return inner && setOf(inner.typeOf(term.term));
      }
      case "ObjectComprehension": {
        const inner = this.closures.get(term);
        return inner && objectOf([], { key: inner.typeOf(term.key), value: inner.typeOf(term.value) });
      }
      case "Var":
        return (
          this.varType(term.name) ??
          (term.name === "input" || term.name === "data" ? this.typeOfRef(term.name, []) : undefined)
        );
      case "Ref":
        return term.head.kind === "Var" ? this.typeOfRef(term.head.name, term.args) : undefined;
      case "Constant":
        return typeOfValue(term.value);
      case "Call":
        return undefined;
      default:
        return unreachable(term);
    }
  }

  private typeOfObject(entries: readonly (readonly [Term, Term])[]): Type {
    const properties: (readonly [string, Property])[] = [];
    let rest: ObjectType["rest"];
    for (const [key, value] of entries) {
      const type = this.typeOf(value);
      const property = isConstant(key) ? propertyOf(key, type) : undefined;
      if (property) properties.push(property);
      else rest = { key: this.typeOf(key), value: type };
    }
    return objectOf(properties, rest);
  }

  typeOfRef(root: string, args: readonly Term[]): Type | Unknown {
    for (let env: TypeEnv | undefined = this; env; env = env.next) {
      const local = env.vars.get(root);
      if (local === NO_MEMBERS && args.length > 0) return undefined;
      if (local) return selectPath(local, args);
      const node = env.roots.get(root);
      const found = node && typeAt(node, args);
      if (found) return found.type;
    }
    return root === "input" || root === "data" ? ANY : undefined;
  }

  /** The type of the function a call names. */
  typeOfFunction(operator: Call["operator"]): Type | Unknown {
    if (operator.kind === "Var") {
      const builtin = this.builtins.get(operator.name);
      return builtin && signatureOf(builtin);
    }
    return this.typeOf(operator);
  }

  // ---- documents ----

  put(root: string, path: readonly Term[], type: Type): void {
    let node = this.rootNode(root);
    for (const key of path) {
      node.extent = undefined;
      node = childOf(node, key);
    }
    node.type = type;
  }

  private rootNode(root: string): TypeNode {
    const node = this.roots.get(root) ?? newNode();
    this.roots.set(root, node);
    return node;
  }

  /**
   * Adds a rule's type at its path. Where the path goes through an object of another rule, that object gets the type as
   * well; an object that comes to stand above other rules takes in theirs.
   */
  insert(path: readonly Term[], type: Type): void {
    let node = this.rootNode("data");
    for (const [i, key] of path.entries()) {
      const known = node.children.has(propertyKey(key) ?? "");
      node.extent = undefined;
      node = childOf(node, key);
      if (known && node.type?.kind === "object" && i + 1 < path.length) {
        node.type = insertIntoObject(node.type, path.slice(i + 1), type);
      }
    }
    node.type = mergeTypes(node.type, type);
    if (type.kind === "object" && node.type?.kind === "object") {
      for (const [rest, leaf] of leaves(node)) {
        if (node.type.kind === "object") node.type = insertIntoObject(node.type, rest, leaf);
      }
    }
  }
}

function childOf(node: TypeNode, key: Term): TypeNode {
  const text = propertyKey(key) ?? "";
  let child = node.children.get(text);
  if (!child) {
    child = newNode(key);
    node.children.set(text, child);
  }
  return child;
}

export function childAt(node: TypeNode, key: Term): TypeNode | undefined {
  const text = propertyKey(key);
  return text === undefined ? undefined : node.children.get(text);
}

function leaves(node: TypeNode): [Term[], Type][] {
  const found: [Term[], Type][] = [];
  for (const child of node.children.values()) {
    const key = child.key as Term;
    if (child.type) found.push([[key], child.type]);
    else for (const [rest, type] of leaves(child)) found.push([[key, ...rest], type]);
  }
  return found;
}

/** What a reference below a node is; nothing when the node says nothing about it. */
function typeAt(start: TypeNode, args: readonly Term[]): { readonly type: Type | Unknown } | undefined {
  let node = start;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as Term;
    const child = isConstant(arg) ? childAt(node, arg) : undefined;
    if (child) node = child;
    else if (node.type) return { type: selectPath(node.type, args.slice(i)) };
    else if (isConstant(arg)) return undefined;
    else return { type: selectPath(extentOf(node), args.slice(i)) };
  }
  return { type: extentOf(node) };
}

/** The type of a whole document: of rules as they are, of packages an object that may hold data beside the rules. */
export function extentOf(node: TypeNode): Type {
  if (node.type) return node.type;
  if (node.extent) return node.extent;
  const properties: (readonly [string, Property])[] = [];
  for (const child of node.children.values()) {
    const property = propertyOf(child.key as Term, extentOf(child));
    if (property) properties.push(property);
  }
  node.extent = objectOf(properties, { key: STRING, value: ANY });
  return node.extent;
}

function selectPath(type: Type | Unknown, args: readonly Term[]): Type | Unknown {
  let current = type;
  for (const arg of args) {
    if (current === undefined) return undefined;
    const composite = arg.kind === "Array" || arg.kind === "Object" || arg.kind === "Set";
    if (isConstant(arg) && !composite) current = selectKey(current, arg);
    // An empty collection has no elements, so any type is right for them.
    else if (isEmptyCollection(current)) return ANY;
    else current = valuesOf(current);
  }
  return current;
}

function insertIntoObject(object: ObjectType, path: readonly Term[], type: Type): ObjectType {
  const [first, ...others] = path;
  if (!first) return object;
  const value = others.length === 0 ? type : insertIntoObject(objectOf([], undefined), others, type);
  // The key type of a faulty rule is unknown.
  const key = isConstant(first) ? typeOfConstant(first) : undefined;
  const rest = object.rest
    ? { key: union(object.rest.key, key), value: union(object.rest.value, value) }
    : { key, value };
  return { ...object, rest };
}

/** The type of a document with one more definition. */
function mergeTypes(a: Type | undefined, b: Type): Type {
  if (a === undefined) return b;
  if (hasKeysOnly(a) && hasKeysOnly(b)) {
    // The other one says what is in the empty object, too.
    if (!a.rest || !b.rest) return a.rest ? a : b;
    const value =
      a.rest.value && b.rest.value ? mergeTypes(a.rest.value, b.rest.value) : union(a.rest.value, b.rest.value);
    return objectOf([], { key: union(a.rest.key, b.rest.key), value });
  }
  if (a.kind === "any" && b.kind !== "any") return mergeTypes(b, a);
  if (b.kind === "any" && hasKeysOnly(a) && a.rest) {
    // The first object by key of the union takes these keys and values in.
    const at = b.of.findIndex((t) => hasKeysOnly(t) && t.rest);
    const { rest } = (b.of[at] ?? objectOf([], undefined)) as ObjectType;
    const merged = objectOf([], { key: union(rest?.key, a.rest.key), value: union(rest?.value, a.rest.value) });
    if (rest) return b.of.reduce<Type | Unknown>((sum, t, i) => union(sum, i === at ? merged : t), undefined) ?? ANY;
  }
  if (a.kind === "set" && b.kind === "set") return setOf(union(a.of, b.of));
  return union(a, b) ?? ANY;
}

function hasKeysOnly(type: Type): type is ObjectType {
  return type.kind === "object" && type.properties.size === 0;
}

export function typeOfValue(value: Value): Type {
  switch (value.kind) {
    case "null":
      return NULL;
    case "boolean":
      return BOOLEAN;
    case "number":
      return NUMBER;
    case "string":
      return STRING;
    case "array":
      return arrayOf(value.items.map(typeOfValue), value.items.length === 0 ? ANY : undefined);
    case "set":
      return setOf(value.items.reduce<Type | Unknown>((sum, v) => union(sum, typeOfValue(v)), undefined) ?? ANY);
    case "object":
      return objectOf(
        value.entries.map(([key, member]) =>
          stringProperty(key.kind === "string" ? key.value : valueText(key), typeOfValue(member)),
        ),
        undefined,
      );
  }
}
