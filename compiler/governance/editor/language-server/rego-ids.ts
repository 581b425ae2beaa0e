/**
 * The ids in a Rego module. A text is an id where the rule holds it against a member of the request that names one
 * (`input.role == "WRITER"`), directly or through variables, sets, tables and rules of constants; or where it is that member
 * of an object (`{"tool": "files.write"}`, as tests write requests).
 */

import { type Span, span } from "@portcullis/rego/diagnostics";
import { type Call, children, type Module, type Node, type Ref, type Rule, type Term } from "@portcullis/rego/syntax";
import { canonical, type IdKind, kindOfKey, type Occurrence } from "./ids.ts";

/** A path below `data` as it is written: `segments[i]` stands at `spans[i]`; before `first` it is an import's. */
export interface PathUse {
  readonly segments: readonly string[];
  readonly spans: readonly (Span | undefined)[];
}

/** Which part of a table names ids. The elements of a set are both. */
export type Part = "keys" | "values";

/** Constants below `data`: a rule's or a data file's at `path`, and what lies below them by keys, `null` for any. */
export interface Place {
  readonly path: readonly string[];
  readonly below: readonly (string | null)[];
}

/** Constants whose texts are ids, as another place shows. */
export interface Demand extends Place {
  readonly kind: IdKind;
  readonly part: Part;
}

export interface RegoIds {
  /** `data` left out. */
  readonly package: readonly string[];
  readonly occurrences: readonly Occurrence[];
  readonly uses: readonly PathUse[];
  readonly demands: readonly Demand[];
  /** The values of rules without a body, by their names. */
  readonly constants: ReadonlyMap<string, readonly Term[]>;
}

export function regoIds(module: Module): RegoIds {
  return new Collector(module).collect();
}

/** The occurrences of ids in a constant: its elements or its keys. */
export function constantIds(term: Term, kind: IdKind, part: Part): Occurrence[] {
  if (term.kind === "String") {
    if (term.value.trim() === "") return [];
    return [{ kind, name: canonical(kind, term.value), span: term.span, role: "reference" }];
  }
  if (term.kind === "Set") return term.items.flatMap((item) => constantIds(item, kind, "values"));
  if (term.kind === "Array" && part === "values") return term.items.flatMap((item) => constantIds(item, kind, part));
  if (term.kind !== "Object") return [];
  return term.entries.flatMap(([key, value]) => constantIds(part === "keys" ? key : value, kind, "values"));
}

/** What lies in a constant below keys, `null` for any. */
export function termsBelow(term: Term, below: readonly (string | null)[]): readonly Term[] {
  const [key, ...rest] = below;
  if (key === undefined) return [term];
  if (term.kind === "Array") return term.items.flatMap((item) => termsBelow(item, rest));
  if (term.kind !== "Object") return [];
  const isAsked = (k: Term): boolean => key === null || (k.kind === "String" && k.value === key);
  return term.entries.flatMap(([k, value]) => (isAsked(k) ? termsBelow(value, rest) : []));
}

/** Static parts of a reference: `data.a.b[x]` gives `a`, `b`. */
function staticPath(ref: Ref): { readonly names: string[]; readonly spans: Span[] } {
  const names: string[] = [];
  const spans: Span[] = [];
  for (const arg of ref.args) {
    if (arg.kind !== "String") break;
    names.push(arg.value);
    spans.push(arg.span);
  }
  return { names, spans };
}

const COMPARISONS = new Set(["equal", "neq", "eq", "assign"]);

class Collector {
  private readonly found: Occurrence[] = [];
  private readonly uses: PathUse[] = [];
  private readonly demands: Demand[] = [];
  private readonly constants = new Map<string, Term[]>();
  private readonly imports = new Map<string, readonly string[]>();
  private readonly path: readonly string[];
  private readonly module: Module;
  /** The variables of the rule that is read, and the kinds of ids that they hold. */
  private locals = new Set<string>();
  private kinds = new Map<string, IdKind>();
  /** Which constants they hold. */
  private origins = new Map<string, Place>();

  constructor(module: Module) {
    this.module = module;
    this.path = staticPath(module.package.path).names;
  }

  collect(): RegoIds {
    const { module } = this;
    const { spans } = staticPath(module.package.path);
    const last = spans.at(-1) ?? module.package.span;
    this.found.push({ kind: "package", name: this.path.join("."), span: last, role: "definition" });
    for (const { path, alias } of module.imports) {
      if (path.head.kind !== "Var" || path.head.name !== "data") continue;
      const { names, spans: at } = staticPath(path);
      this.uses.push({ segments: names, spans: at });
      const name = alias?.name ?? names.at(-1);
      if (name !== undefined) this.imports.set(name, names);
    }
    for (const rule of module.rules) this.rule(rule);
    const { path, found: occurrences, uses, demands, constants } = this;
    return { package: path, occurrences, uses, demands, constants };
  }

  private rule(rule: Rule): void {
    const { head } = rule.head.ref;
    if (head.kind === "Var") {
      this.found.push({
        kind: "document",
        name: [...this.path, head.name].join("."),
        span: head.span,
        role: "definition",
      });
      if (!rule.hasBody && rule.head.value !== undefined) {
        const values = this.constants.get(head.name) ?? [];
        this.constants.set(head.name, [...values, rule.head.value]);
      }
    }
    const { key } = rule.head;
    const isAsked = this.path[0] === "portcullis" && this.path[1] === "ext" && this.path.length === 3;
    if (isAsked && head.kind === "Var" && head.name === "must" && key?.kind === "String")
      this.found.push({ kind: "gate", name: key.value, span: key.span, role: "definition" });
    this.locals = new Set();
    this.kinds = new Map();
    this.origins = new Map();
    this.declare(rule, true);
    // A variable may be compared before its value is known: one pass learns, one reports.
    const mark = [this.found.length, this.uses.length, this.demands.length] as const;
    for (let round = 0; round < 2; round++) {
      this.found.length = mark[0];
      this.uses.length = mark[1];
      this.demands.length = mark[2];
      this.parts(rule);
    }
  }

  private parts(rule: Rule): void {
    const { ref, args, key, value } = rule.head;
    for (const node of [...ref.args, ...(args ?? []), ...(key ? [key] : []), ...(value ? [value] : [])])
      this.node(node);
    for (const expr of rule.body) this.node(expr);
    if (rule.else !== undefined) this.parts(rule.else);
  }

  /** The names that the rule itself gives values. */
  private declare(node: Node, top = false): void {
    const names = (term: Node | undefined): void => {
      if (term === undefined) return;
      if (term.kind === "Var") this.locals.add(term.name);
      else if (term.kind === "Array" || term.kind === "Object") children(term).forEach(names);
    };
    if (node.kind === "Rule") {
      (node.head.args ?? []).forEach(names);
      if (top) for (const arg of node.head.ref.args) names(arg);
    } else if (node.kind === "Call" && operatorName(node) === "assign") names(node.args[0]);
    else if (node.kind === "SomeDecl") [...node.vars, node.key, node.value].forEach(names);
    else if (node.kind === "Every") [node.key, node.value].forEach(names);
    for (const child of children(node)) this.declare(child);
  }

  private node(node: Node): void {
    if (node.kind === "Var") return this.variable(node.name, node.span, []);
    if (node.kind === "Ref") return this.reference(node);
    if (node.kind === "Call") this.call(node);
    else if (node.kind === "SomeDecl" && node.domain !== undefined) this.each(node.key, node.value, node.domain);
    else if (node.kind === "Every") this.each(node.key, node.value, node.domain);
    else if (node.kind === "Object") for (const [key, value] of node.entries) this.entry(key, value);
    else if (node.kind === "With") {
      const kind = this.kindOf(node.target);
      if (kind !== undefined) this.mark(node.value, kind, "values");
    }
    for (const child of children(node)) this.node(child);
  }

  /** A member of a request that is written as an object; the gate of a denial. */
  private entry(key: Term, value: Term): void {
    if (key.kind !== "String") return;
    if (key.value === "gate" && value.kind === "String")
      this.found.push({ kind: "gate", name: value.value, span: value.span, role: "definition" });
    const kind = kindOfKey(key.value);
    if (kind !== undefined) this.mark(value, kind, "values");
  }

  private call(call: Call): void {
    const name = operatorName(call);
    const [a, b, c] = call.args;
    if (call.operator.kind === "Var") this.variable(call.operator.name, call.operator.span, []);
    else this.reference(call.operator);
    if (a === undefined || b === undefined) return;
    if (name === "internal.member_2") this.member(a, b, "values");
    else if (name === "internal.member_3" && c !== undefined) {
      this.member(a, c, "keys");
      this.member(b, c, "values");
    } else if (name !== undefined && COMPARISONS.has(name)) {
      this.equal(a, b);
      this.equal(b, a);
    }
  }

  /** Keys and values of a collection, one after the other. */
  private each(key: Term | undefined, value: Term | undefined, domain: Term): void {
    if (key !== undefined) this.member(key, domain, "keys");
    if (value === undefined) return;
    this.member(value, domain, "values");
    const from = this.placeOf(domain);
    if (from !== undefined) this.holds(value, { ...from, below: [...from.below, null] });
  }

  private holds(variable: Term, place: Place): void {
    if (variable.kind === "Var" && this.locals.has(variable.name)) this.origins.set(variable.name, place);
  }

  /** What is equal to a member of the request is an id of its kind. */
  private equal(known: Term, other: Term): void {
    const from = this.placeOf(other);
    if (from !== undefined) this.holds(known, from);
    const kind = this.kindOf(known);
    if (kind === undefined) return;
    if (other.kind === "Var" && this.locals.has(other.name)) this.kinds.set(other.name, kind);
    else if (this.kindOf(other) === undefined) this.mark(other, kind, "values");
  }

  private member(element: Term, collection: Term, part: Part): void {
    const kind = this.kindOf(element);
    if (kind !== undefined) this.mark(collection, kind, part);
  }

  private kindOf(term: Term): IdKind | undefined {
    if (term.kind === "Var") return this.kinds.get(term.name);
    if (term.kind !== "Ref" || term.head.kind !== "Var") return undefined;
    const last = term.args.at(-1);
    const isValue = term.head.name === "input" || this.locals.has(term.head.name);
    return isValue && last?.kind === "String" ? kindOfKey(last.value) : undefined;
  }

  /** The texts of a term are ids of a kind. Of a rule, its constants are, here or in another module. */
  private mark(term: Term, kind: IdKind, part: Part): void {
    const place = this.placeOf(term);
    if (place !== undefined) this.demands.push({ ...place, kind, part });
    else this.found.push(...constantIds(term, kind, part));
  }

  /** The constants that a term stands for; `undefined` for other terms than references to `data`. */
  private placeOf(term: Term): Place | undefined {
    if (term.kind === "Var") {
      const path = this.pathOf(term.name, []);
      return path === undefined ? this.origins.get(term.name) : { path, below: [] };
    }
    if (term.kind !== "Ref" || term.head.kind !== "Var") return undefined;
    const { names } = staticPath(term);
    const keys = term.args.map((arg) => (arg.kind === "String" ? arg.value : null));
    const path = this.pathOf(term.head.name, names);
    if (path !== undefined) return { path, below: keys.slice(names.length) };
    const from = this.origins.get(term.head.name);
    return from && { ...from, below: [...from.below, ...keys] };
  }

  /** The path below `data` that a name and what follows it stand for. */
  private pathOf(name: string, rest: readonly string[]): readonly string[] | undefined {
    if (this.locals.has(name) || name === "input") return undefined;
    if (name === "data") return rest;
    return [...(this.imports.get(name) ?? [...this.path, name]), ...rest];
  }

  private variable(name: string, at: Span, rest: readonly { name: string; span: Span }[]): void {
    const path = this.pathOf(
      name,
      rest.map((r) => r.name),
    );
    if (path === undefined || name === "data") {
      if (name === "data" && path !== undefined) this.uses.push({ segments: path, spans: rest.map((r) => r.span) });
      return;
    }
    const before: (Span | undefined)[] = Array(path.length - rest.length - 1).fill(undefined);
    this.uses.push({ segments: path, spans: [...before, at, ...rest.map((r) => r.span)] });
  }

  private reference(ref: Ref): void {
    const { names, spans } = staticPath(ref);
    if (ref.head.kind === "Var")
      this.variable(
        ref.head.name,
        ref.head.span,
        names.map((name, i) => ({ name, span: spans[i] as Span })),
      );
    else this.node(ref.head);
    // A table that is asked for an id has ids as its keys.
    for (const [i, index] of ref.args.entries()) {
      const kind = index.kind === "String" ? undefined : this.kindOf(index);
      if (kind !== undefined) this.mark(i === 0 ? ref.head : { ...ref, args: ref.args.slice(0, i) }, kind, "keys");
    }
    for (const arg of ref.args) if (arg.kind !== "String") this.node(arg);
  }
}

/** The operator's name, for builtins: `equal`, `internal.member_2`. */
function operatorName({ operator }: Call): string | undefined {
  if (operator.kind === "Var") return operator.name;
  return operator.head.kind === "Var" ? [operator.head.name, ...staticPath(operator).names].join(".") : undefined;
}

/** Where a string of any of the languages has its text: between its quotes, if it has any. */
export function textSpan(at: Span): Span {
  const text = at.file.text.slice(at.start, at.end);
  const quote = text[0];
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'" || quote === "`") && text.endsWith(quote);
  return isQuoted ? span(at.file, at.start + 1, at.end - 1) : at;
}
