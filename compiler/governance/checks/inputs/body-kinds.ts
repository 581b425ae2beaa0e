/**
 * Which kinds of values a term of a rule may have: what is written out, what the bundle's data holds, what builtins give, what the
 * schema of the decision's input says, and what the rule itself has asked with `is_number` and the like. Nothing is guessed: where
 * none of these tells, a term may have any kind.
 */

import { type CheckedPolicy, eachClosure, isCallOf, type RuleGroup } from "@portcullis/rego/analyze";
import type { Call, Expr, Ref, Rule, Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { closedArguments } from "./argument-schemas.ts";
import { groupsOf, valuesBelow } from "./data-paths.ts";
import { dataPath } from "./flow.ts";
import type { InputPath } from "./input-schema.ts";
import { isOnly, type Kind, type Kinds, kindsOfType, resultOf, scalarKind, textsAmong, union } from "./kinds.ts";
import { Origins } from "./origins.ts";
import { type Asked, isRequired, kindsAt } from "./schema-kinds.ts";

/** Builtins that hold for one kind of values. */
const TESTS: { readonly [name: string]: Kind } = {
  is_number: "number",
  is_string: "string",
  is_boolean: "boolean",
  is_null: "null",
  is_array: "array",
  is_object: "object",
  is_set: "set",
};
/** Operators whose result is a number where they have one; `-` is the difference of sets, too. */
const ARITHMETIC: ReadonlySet<string> = new Set(["plus", "mul", "div", "rem"]);
/** Builtins that give one of the elements that they are given. */
const CHOICES: ReadonlySet<string> = new Set(["max", "min"]);
/** Rules that lead to rules. */
const MOST_DEPTH = 6;

export interface KnownKinds {
  /** The bundle's data at a path. */
  readonly data: (path: readonly string[]) => Value | undefined;
  /** The inputs that a rule may see; empty where they may be anything. */
  readonly inputs: readonly KnownInput[];
  readonly asked: Asked;
}

/** The input of a decision. */
export interface KnownInput {
  readonly schema: unknown;
  /** What a tool says of the input's arguments, as a schema of the input, where a gate of the decision has looked at them. */
  readonly argumentsOf?: ((tool: string) => unknown) | undefined;
}

/** The kinds of the terms in one body, with the bodies around it. */
export class BodyKinds {
  private readonly policy: CheckedPolicy;
  private readonly known: KnownKinds;
  private readonly bodies: readonly (readonly Expr[])[];
  private readonly depth: number;
  private readonly origins: Origins;
  /** By a term's canonical text, the kinds that the body asks of it. */
  private readonly asked: Map<string, ReadonlySet<Kind>>;
  /** The tools that the body is about; `undefined` where it names none. */
  private tools: ReadonlySet<string> | undefined;

  /** `bodies`: the body, and those that it stands in. */
  constructor(policy: CheckedPolicy, known: KnownKinds, bodies: readonly (readonly Expr[])[], depth = 0) {
    this.policy = policy;
    this.known = known;
    this.bodies = bodies;
    this.depth = depth;
    this.origins = new Origins(bodies);
    this.asked = new Map(this.origins.elements);
    for (const expr of bodies.flat()) this.ask(expr);
  }

  /** The kinds of a term where the body holds. */
  of(term: Term, depth = 0): Kinds {
    const asked = this.asked.get(this.origins.shownText(term));
    const found = depth > MOST_DEPTH ? undefined : this.given(term, depth);
    if (asked === undefined) return found;
    return found === undefined ? asked : new Set([...found].filter((kind) => asked.has(kind)));
  }

  /** The term that a local was given; the term itself for any other. */
  origin(term: Term): Term {
    return this.origins.of(term);
  }

  /** The place that a term reads, in words: a local stands for what it was given. */
  shownText(term: Term): string {
    return this.origins.shownText(term);
  }

  /** What a statement asks where it holds. */
  private ask({ body, negated, with: replaced }: Expr): void {
    if (negated || replaced.length > 0 || body.kind !== "Call") return;
    const name = body.operator.kind === "Var" ? body.operator.name : "";
    const [first, second] = body.args;
    if (Object.hasOwn(TESTS, name) && first !== undefined) this.narrow(first, new Set([TESTS[name] as Kind]));
    if (name === "internal.member_2" && first !== undefined && second !== undefined) {
      const kinds = this.elements(second, 0);
      if (kinds !== undefined) this.narrow(first, kinds);
      const texts = textsAmong(this.origins.of(second));
      if (texts !== undefined) this.about(first, texts);
    }
    if (name !== "eq" || first === undefined || second === undefined) return;
    for (const [term, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const kind = scalarKind(other);
      if (kind !== undefined) this.narrow(term, new Set([kind]));
      if (other.kind === "String") this.about(term, [other.value]);
      const named = this.origins.of(term);
      // type_name(x) == "number"
      if (other.kind === "String" && named.kind === "Call" && isCallOf(named, "type_name"))
        this.narrow(named.args[0] as Term, new Set([other.value as Kind]));
    }
  }

  /** What the body says of the tool, it says of its arguments. */
  private about(term: Term, texts: readonly string[]): void {
    if (this.origins.shownText(term) !== "input.tool") return;
    this.tools = new Set(texts.filter((text) => this.tools?.has(text) !== false));
  }

  private narrow(term: Term, kinds: ReadonlySet<Kind>): void {
    const text = this.origins.shownText(term);
    const before = this.asked.get(text);
    this.asked.set(text, before === undefined ? kinds : new Set([...before].filter((kind) => kinds.has(kind))));
  }

  /** The kinds of a term whatever the body asks of it. */
  given(term: Term, depth = 0): Kinds {
    const at = this.origins.of(term);
    const scalar = scalarKind(at);
    if (scalar !== undefined) return new Set([scalar]);
    switch (at.kind) {
      case "Constant":
        return new Set([at.value.kind]);
      case "Array":
      case "ArrayComprehension":
        return new Set<Kind>(["array"]);
      case "Set":
      case "SetComprehension":
        return new Set<Kind>(["set"]);
      case "Object":
      case "ObjectComprehension":
        return new Set<Kind>(["object"]);
      case "TemplateString":
        return new Set<Kind>(["string"]);
      case "Call":
        return this.ofCall(at, depth);
      case "Ref":
        return this.ofRef(at, depth);
      case "Null":
      case "Boolean":
      case "Number":
      case "String":
      case "Var":
        return undefined;
    }
  }

  private ofCall(call: Call, depth: number): Kinds {
    const { operator } = call;
    if (operator.kind === "Var") {
      if (ARITHMETIC.has(operator.name)) return new Set<Kind>(["number"]);
      if (operator.name === "minus") {
        const isNumber = call.args.some((arg) => isOnly(this.of(arg, depth + 1), "number"));
        return isNumber ? new Set<Kind>(["number"]) : undefined;
      }
      const [first] = call.args;
      if (CHOICES.has(operator.name) && first !== undefined) return this.elements(first, depth + 1);
      return kindsOfType(resultOf(call));
    }
    const path = dataPath(operator);
    return path === undefined ? undefined : this.ofRules(path, [], depth);
  }

  private ofRef(ref: Ref, depth: number): Kinds {
    const { head, args } = ref;
    if (head.kind !== "Var" || depth > MOST_DEPTH) return undefined;
    if (head.name === "input") {
      const path = pathOf(args);
      const { inputs, asked } = this.known;
      if (inputs.length === 0) return undefined;
      return union(
        inputs.flatMap((input) => this.schemasOf(input, path).map((schema) => kindsAt(schema, path, asked))),
      );
    }
    if (head.name === "data") return this.ofData(args, depth);
    const from = this.origins.of(head);
    if (from.kind === "Ref") return this.ofRef({ ...from, args: [...from.args, ...args] }, depth + 1);
    return args.length === 1 ? this.elements(from, depth + 1, args[0]) : undefined;
  }

  /** Whether every request that the rule sees has something at a path of the input. */
  isGiven(path: InputPath): boolean {
    const schemas = this.known.inputs.flatMap((input) => this.schemasOf(input, path));
    return schemas.length > 0 && schemas.every((schema) => isRequired(schema, path));
  }

  /** The arguments that there are, where none of the tools that the body is about takes the one that a reference reads. */
  otherArguments(ref: Ref): readonly string[] | undefined {
    const [member, name] = this.inputPath(ref) ?? [];
    const { inputs } = this.known;
    if (member !== "args" || name === undefined || inputs.length === 0 || !this.tools?.size) return undefined;
    const names = inputs.flatMap(({ argumentsOf }) =>
      [...(this.tools ?? [])].map((tool) => argumentsOf && closedArguments(argumentsOf(tool))),
    );
    const known = new Set(names.flatMap((some) => some ?? []));
    return names.includes(undefined) || known.has(name) ? undefined : [...known];
  }

  private inputPath({ head, args }: Ref, depth = 0): InputPath | undefined {
    if (head.kind !== "Var" || depth > MOST_DEPTH) return undefined;
    if (head.name === "input") return pathOf(args);
    const from = this.origins.of(head);
    const before = from.kind === "Ref" ? this.inputPath(from, depth + 1) : undefined;
    return before && [...before, ...pathOf(args)];
  }

  /** What says how an input is at a path: of arguments, a schema for each tool that the body is about. */
  private schemasOf({ schema, argumentsOf }: KnownInput, [member]: InputPath): readonly unknown[] {
    if (member !== "args" || argumentsOf === undefined || this.tools === undefined) return [schema];
    return [...this.tools].map(argumentsOf);
  }

  /** What a reference into `data` may have: of a part that only an evaluation tells, every one. */
  private ofData(args: readonly Term[], depth: number): Kinds {
    const fixed: string[] = [];
    for (const arg of args) {
      if (arg.kind !== "String") break;
      fixed.push(arg.value);
    }
    for (let length = fixed.length; length > 0; length--) {
      const path = fixed.slice(0, length);
      const rest = args.slice(length);
      if (this.groupAt(path) !== undefined) return this.ofRules(path, rest, depth);
    }
    const values = valuesBelow(this.known.data([]), args);
    // Rules of a table with keys that are written out: `limits["a"] := 1`.
    const below = groupsOf(this.policy).below.get(fixed.join("\0")) ?? [];
    if (below.some((g) => g.path.length !== args.length)) return undefined;
    if (values === undefined && below.length === 0) return undefined;
    return union([new Set(values?.map(({ kind }) => kind)), ...below.map((g) => this.ofRules(g.path, [], depth + 1))]);
  }

  private groupAt(path: readonly string[]): RuleGroup | undefined {
    return groupsOf(this.policy).at.get(path.join("\0"));
  }

  /** `rest`: what a reference asks of the rule's value. */
  private ofRules(path: readonly string[], rest: readonly Term[], depth: number): Kinds {
    const group = this.groupAt(path);
    if (group === undefined || this.depth + depth > MOST_DEPTH) return undefined;
    if (group.kind === "partial-set")
      return rest.length === 0 ? new Set<Kind>(["set"]) : this.ofSet(group, rest, depth);
    if (rest.length > 1) return undefined;
    const isTable = group.kind === "partial-object";
    if (isTable && (rest.length === 0 || group.definitions.some((d) => d.keys.length !== 1 || d.addsToSet)))
      return undefined;
    const rules = [
      ...group.definitions.map((d) => d.rule),
      ...(group.defaultRule === undefined ? [] : [group.defaultRule]),
    ];
    const found: Kinds[] = [];
    for (const rule of rules) {
      for (let branch: Rule | undefined = rule; branch; branch = branch.else) {
        const inside = new BodyKinds(this.policy, this.known, [branch.body], this.depth + depth + 1);
        const { value } = branch.head;
        if (value === undefined) return undefined;
        found.push(rest.length === 0 || isTable ? inside.of(value) : inside.elements(value, 0, rest[0]));
      }
    }
    return union(found);
  }

  /** The kinds of the elements that the rules of a set give. */
  private ofSet({ definitions }: RuleGroup, rest: readonly Term[], depth: number): Kinds {
    if (rest.length > 1) return undefined;
    return union(
      definitions.map(({ rule, keys }) => {
        const [key] = keys;
        const inside = new BodyKinds(this.policy, this.known, [rule.body], this.depth + depth + 1);
        return key === undefined ? undefined : inside.of(key);
      }),
    );
  }

  /** The kinds of a collection's elements; of an object's values. `key`: the one that is asked for. */
  elements(term: Term, depth: number, key?: Term): Kinds {
    const at = this.origins.of(term);
    switch (at.kind) {
      case "Array":
      case "Set":
        return union(at.items.map((item) => this.of(item, depth + 1)));
      case "Object":
        return union(at.entries.map(([, value]) => this.of(value, depth + 1)));
      case "Constant": {
        const { value } = at;
        if (value.kind === "array" || value.kind === "set") return new Set(value.items.map(({ kind }) => kind));
        return value.kind === "object" ? new Set(value.entries.map(([, v]) => v.kind)) : undefined;
      }
      case "Call": {
        if (isCallOf(at, "sort")) return this.elements(at.args[0] as Term, depth + 1);
        const type = resultOf(at);
        if (type?.kind === "set") return kindsOfType(type.of);
        return type?.kind === "array"
          ? union([...type.items, type.rest].flatMap((t) => (t ? [kindsOfType(t)] : [])))
          : undefined;
      }
      case "Ref":
        return this.ofRef({ ...at, args: [...at.args, key ?? { kind: "Var", span: at.span, name: "_" }] }, depth);
      case "Null":
      case "Boolean":
      case "Number":
      case "String":
      case "Var":
      case "TemplateString":
        return undefined;
      case "ArrayComprehension":
      case "SetComprehension":
        return this.within(at.body, at.term);
      case "ObjectComprehension":
        return this.within(at.body, at.value);
    }
  }

  /** The kinds of a term where a body in this one holds. */
  private within(body: readonly Expr[], term: Term): Kinds {
    if (this.depth > MOST_DEPTH) return undefined;
    return new BodyKinds(this.policy, this.known, [body, ...this.bodies], this.depth + 1).of(term);
  }
}

function pathOf(args: readonly Term[]): InputPath {
  return args.map((arg) => (arg.kind === "String" ? arg.value : undefined));
}

/** Every body of a rule, with those that it stands in: the innermost first. */
export function bodiesOf(rule: Rule): (readonly (readonly Expr[])[])[] {
  const found: (readonly (readonly Expr[])[])[] = [];
  const visit = (body: readonly Expr[], around: readonly (readonly Expr[])[]): void => {
    const bodies = [body, ...around];
    found.push(bodies);
    for (const expr of body) eachClosure(expr, (closure) => visit(closure.body, bodies));
  };
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) visit(branch.body, []);
  return found;
}
