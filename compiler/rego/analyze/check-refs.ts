/** References into known types: no key that cannot be there, nothing below a scalar, no function as a value. */

import { type Diagnostic, didYouMean } from "../diagnostics/index.ts";
import { type Body, type Expr, eachTerm, isConstant, isScalar, isTerm, type Ref, type Term } from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { refText, termText } from "./text.ts";
import { childAt, extentOf, type TypeEnv, type TypeNode } from "./type-env.ts";
import { typeText } from "./type-text.ts";
import { ANY, isEmptyCollection, keysOf, STRING, selectKey, type Type, type Unknown, valuesOf } from "./types.ts";
import { unifies, unifyTerm } from "./unify-types.ts";
import { scopesOf } from "./walk.ts";

/** What can stand at a place, for the message: property names, or a type. */
interface Wanted {
  readonly names: () => readonly string[];
  readonly type: Type | Unknown;
}

export class RefChecker {
  private readonly env: TypeEnv;
  private readonly found: Diagnostic[] = [];

  constructor(env: TypeEnv) {
    this.env = env;
  }

  /** The findings in the references of a statement, those of comprehensions left out. */
  check(expr: Expr): Diagnostic[] {
    this.statement(expr);
    return this.found;
  }

  private statement(expr: Expr): void {
    // The values of `with` have been evaluated before.
    if (isTerm(expr.body)) this.term(expr.body);
    else eachTerm(expr.body, this.term);
    for (const scope of scopesOf(expr.body)) this.body(scope.body);
  }

  private body(body: Body): void {
    for (const expr of body) this.statement(expr);
  }

  private readonly term = (term: Term): void => {
    if (term.kind === "Ref") this.ref(term);
    eachTerm(term, this.term);
  };

  private ref(ref: Ref): void {
    if (ref.head.kind !== "Var") return;
    const root = ref.head.name;
    const whole = this.env.typeOfRef(root, ref.args);
    if (whole?.kind === "function") {
      this.unsupported(ref, ref.args.length - 1, whole);
      return;
    }
    for (let env: TypeEnv | undefined = this.env; env; env = env.next) {
      const local = env.vars.get(root);
      if (local) return this.leaf(ref, local, 0);
      const node = env.roots.get(root);
      if (node && this.node(ref, node)) return;
    }
    // What is looked into may be anything.
    if (root !== "input" && root !== "data") this.env.vars.set(root, ANY);
    this.leaf(ref, ANY, 0);
  }

  /** Follows a reference through a tree of documents; false when the tree says nothing about it. */
  private node(ref: Ref, start: TypeNode): boolean {
    let node = start;
    for (let i = 0; ; i++) {
      const arg = ref.args[i];
      if (arg === undefined) return true;
      // Packages and rules have names: `data[1]` and `data.pkg[1]` cannot be. OPA says so of a part of the input, too, where a
      // member of it is replaced or has a schema.
      if (i < 2 && !node.type && arg.kind !== "Var" && arg.kind !== "String") {
        this.invalid(ref, i, `have ${typeText(this.env.typeOf(arg))}`, {
          names: () => [...node.children.values()].map(nodeName),
          type: STRING,
        });
        return true;
      }
      const child = isConstant(arg) ? childAt(node, arg) : undefined;
      if (child) {
        // A document of rules at this place, and other rules below it, whose types it has taken in.
        if (child.type) {
          this.leaf(ref, child.type, i + 1);
          return true;
        }
        node = child;
        continue;
      }
      if (node.type) {
        this.leaf(ref, node.type, i);
        return true;
      }
      if (isConstant(arg)) return false;
      this.dynamic(ref, node, i);
      return true;
    }
  }

  /** A part that is not known when the policy is compiled, among documents that are. */
  private dynamic(ref: Ref, node: TypeNode, i: number): void {
    const arg = ref.args[i] as Term;
    const extent = extentOf(node);
    if (arg.kind === "Var")
      this.key(ref, i, arg, { names: () => [...node.children.values()].map(nodeName), type: keysOf(extent) });
    // The types below depend on which document it is, and that is not known.
    this.leaf(ref, ANY, i + 1);
  }

  /** A variable as a key: of a type that the keys have. */
  private key(ref: Ref, i: number, arg: Extract<Term, { kind: "Var" }>, wanted: Wanted): boolean {
    const known = this.env.varType(arg.name);
    if (known === undefined) {
      if (wanted.type) this.env.vars.set(arg.name, wanted.type);
      return true;
    }
    if (unifies(known, wanted.type)) return true;
    this.invalid(ref, i, `have ${typeText(known)}`, wanted);
    return false;
  }

  /** Follows the rest of a reference through a type. */
  private leaf(ref: Ref, start: Type | Unknown, from: number): void {
    let type = start;
    for (let i = from; i < ref.args.length; i++) {
      const arg = ref.args[i] as Term;
      if (type === undefined) return i === from ? undefined : this.unsupported(ref, i - 1, type);
      if (isEmptyCollection(type)) return this.emptyLeaf(ref, i, type);
      const keys = keysOf(type);
      if (keys === undefined) return this.unsupported(ref, i - 1, type);
      const within: Type = type;
      const wanted = { names: () => namesOf(within), type: keys };
      if (arg.kind === "Var") {
        if (!this.key(ref, i, arg, wanted)) return;
        type = valuesOf(type);
      } else if (arg.kind === "Array" || arg.kind === "Object" || arg.kind === "Set") {
        if (!unifyTerm(this.env, arg, keys)) return this.invalid(ref, i, `have ${termText(arg)}`, wanted);
        type = valuesOf(type);
      } else {
        const selected: Type | Unknown = selectKey(type, arg);
        if (selected === undefined) {
          if (isUntypedProperty(type, arg)) return this.untyped(ref, i);
          return this.invalid(ref, i, `have ${termText(arg)}`, wanted);
        }
        type = selected;
      }
    }
  }

  /** A known key finds nothing where nothing is; going over it is fine, and gives nothing. */
  private emptyLeaf(ref: Ref, i: number, type: Type): void {
    const arg = ref.args[i] as Term;
    if (isScalar(arg)) return this.invalid(ref, i, `have ${termText(arg)}`, { names: () => [], type: undefined });
    if (arg.kind !== "Var") return;
    const known = this.env.varType(arg.name);
    const keys = keysOf(type);
    if (known === undefined) this.env.vars.set(arg.name, ANY);
    else if (keys !== undefined && !unifies(known, keys)) {
      this.invalid(ref, i, `have ${typeText(known)}`, { names: () => [], type: keys });
    }
  }

  /** OPA refuses it, too: a value without a type cannot be looked into. */
  private untyped(ref: Ref, i: number): void {
    const upTo = refText({ ...ref, args: ref.args.slice(0, i + 1) });
    const problem = `\`${upTo}\` is the value of a call whose type is not known`;
    this.found.push(analyzeDiagnostic("analyze/undefined-ref", { ref: refText(ref), problem }, ref.head.span));
  }

  private unsupported(ref: Ref, i: number, type: Type | Unknown): void {
    if (type?.kind === "function") {
      this.found.push(analyzeDiagnostic("analyze/function-as-value", { ref: refText(ref) }, ref.head.span));
      return;
    }
    const upTo = refText({ ...ref, args: ref.args.slice(0, i + 1) });
    const problem = `\`${upTo}\` is ${type === undefined ? "nothing that can be looked into" : typeText(type)}`;
    this.found.push(analyzeDiagnostic("analyze/undefined-ref", { ref: refText(ref), problem }, ref.head.span));
  }

  private invalid(ref: Ref, i: number, have: string, wanted: Wanted): void {
    const known = wanted.names();
    const names = known.length > 12 ? [...known.slice(0, 12), "…"] : known;
    const want =
      names.length > 0
        ? `want one of ${names.map((n) => JSON.stringify(n)).join(", ")}`
        : `want ${typeText(wanted.type)}`;
    const arg = ref.args[i] as Term;
    const help = arg.kind === "String" ? didYouMean(arg.value, known) : {};
    const problem = `${have}, ${want}`;
    this.found.push(analyzeDiagnostic("analyze/undefined-ref", { ref: refText(ref), problem }, ref.head.span, help));
  }
}

/** A property that is there, but of whose type nothing is known: the value of a call of no known function. */
function isUntypedProperty(type: Type, arg: Term): boolean {
  return type.kind === "object" && arg.kind === "String" && type.properties.has(JSON.stringify(arg.value));
}

function nodeName(node: TypeNode): string {
  return node.key?.kind === "String" ? node.key.value : "";
}

/** The names of the properties of a type, of all its alternatives. */
function namesOf(type: Type): string[] {
  if (type.kind === "object") return [...type.properties.values()].map((p) => p.name);
  if (type.kind === "any") return [...new Set(type.of.flatMap(namesOf))].sort();
  return [];
}
