/**
 * What a module of the library can answer, read from its rules: every pair of gate and reason that `verdict` can come to, in
 * the order in which its chain asks, with the condition as it is written. Nothing is evaluated: terms are followed to the
 * texts that they can be, through rules, functions and their arguments. What cannot be followed is shown as `…`; a part of
 * the language that the library does not use so far stops the generator.
 */

import type { Body, Call, Expr, Module, ObjectTerm, Rule, SomeDecl, Term } from "@portcullis/rego/syntax";
import { importedModules } from "./imported-modules.ts";

export interface DecisionAnswer {
  /** The decision whose answer this is, gate and reason: `tool` where a call that the tool decision denies is denied so. */
  readonly of?: string;
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
  /** What `detail` can say besides. */
  readonly details: readonly string[];
  /** Names of what the answer says beside `allowed`, gate and reason. */
  readonly members: readonly string[];
  /** Those of `members` that not every answer with this gate and reason has. */
  readonly optional: readonly string[];
  /** The decision whose members it may have, too: `lineage` where a call says what is wrong with its chain. */
  readonly within?: string | undefined;
  /** The condition in Rego, statements in their order; empty where nothing is asked. */
  readonly when: readonly string[];
}

/** What variables stand for where a term is written: arguments of the function, and terms that are known to be a text. */
interface Scope {
  readonly args: ReadonlyMap<string, { readonly term: Term; readonly scope: Scope }>;
  /** By a term as it is written. */
  readonly known: ReadonlyMap<string, string>;
  /** Where local variables are assigned. */
  readonly body: Body;
}

/** An element of a list, and who reads it: it may be written in an imported module. */
interface Element {
  readonly reader: AnswerReader;
  readonly term: Term;
  readonly scope: Scope;
  readonly when: readonly string[];
}

const OPEN = "…";

/** What every answer says. */
const HEAD = ["allowed", "gate", "reason"];
const outermost: Scope = { args: new Map(), known: new Map(), body: [] };

/** The answers of the chain of `verdict`. `library`: the modules that it may import rules of. Throws where there is no such rule. */
export function answersOf(module: Module, library: readonly Module[] = []): DecisionAnswer[] {
  return new AnswerReader(module, library).chain("verdict");
}

/** The answer of `default NAME := …`. */
export function defaultAnswer(module: Module, name: string): DecisionAnswer | undefined {
  const rule = module.rules.find((r) => r.isDefault && ruleName(r) === name);
  return rule?.head.value && new AnswerReader(module).answers(rule.head.value, { ...outermost, body: [] }, [])[0];
}

class AnswerReader {
  private readonly rules = new Map<string, Rule[]>();

  constructor(
    private readonly module: Module,
    private readonly library: readonly Module[] = [],
  ) {
    for (const rule of module.rules) {
      const name = ruleName(rule);
      if (!rule.isDefault) this.rules.set(name, [...(this.rules.get(name) ?? []), rule]);
    }
  }

  chain(name: string): DecisionAnswer[] {
    const found = this.linksOf(name).flatMap((rule) =>
      rule.head.value === undefined ? [] : this.answers(rule.head.value, scopeOf(rule), conditionsOf(rule)),
    );
    return merged(found);
  }

  /** The rules of a name, each `else` as one of its own; `module.name` is one of an imported module. */
  private linksOf(name: string): Rule[] {
    const rules = this.rules.get(name);
    const imported = rules === undefined ? this.importedRule(name) : undefined;
    if (imported !== undefined) return imported.reader.linksOf(imported.name);
    if (rules === undefined) throw new Error(`no rule \`${name}\``);
    const links: Rule[] = [];
    for (const rule of rules) for (let r: Rule | undefined = rule; r !== undefined; r = r.else) links.push(r);
    return links;
  }

  answers(term: Term, scope: Scope, when: readonly string[]): DecisionAnswer[] {
    if (term.kind === "Object") return this.answersOfObject(term, scope, when);
    if (term.kind === "Call") {
      // If both objects have a member, the later one wins.
      if (operatorOf(term) === "object.union") {
        const [first, second] = term.args as [Term, Term];
        const within = decisionOf(first);
        const added = first.kind === "Object" ? membersOf(first) : [];
        const answers = this.answers(second, scope, when);
        return answers.map((answer) => ({
          ...answer,
          members: unique([...added, ...answer.members]),
          within,
        }));
      }
      return this.intoFunction(term, scope, (value, inside) => this.answers(value, inside, when));
    }
    if (term.kind === "Var") {
      const assigned = this.rules.has(term.name) ? undefined : assignedIn(scope.body, term.name);
      if (assigned !== undefined) return this.answers(assigned, scope, []);
      return this.linksOf(term.name).flatMap((rule) =>
        rule.head.value === undefined
          ? []
          : this.answers(rule.head.value, scopeOf(rule), [...when, ...conditionsOf(rule)]),
      );
    }
    const list = firstElementOf(term);
    if (list !== undefined) {
      const elements = this.elements(list, scope);
      return elements.flatMap((e) => e.reader.answers(e.term, e.scope, [...when, ...e.when]));
    }
    const imported = this.importedRule(oneLine(term));
    if (imported !== undefined) return imported.reader.chain(imported.name);
    const of = decisionOf(term);
    if (of === undefined) throw new Error(`an answer is written as ${term.kind}: ${oneLine(term)}`);
    return [{ of, allowed: false, gate: OPEN, reason: OPEN, details: [], members: [], optional: [], when }];
  }

  private answersOfObject(object: ObjectTerm, scope: Scope, when: readonly string[]): DecisionAnswer[] {
    const field = (name: string) => object.entries.find(([k]) => k.kind === "String" && k.value === name)?.[1];
    // AuthZEN's answers say so in their context.
    const context = field("context");
    if (context?.kind === "Object") return this.answersOfObject(context, scope, when);
    const gate = field("gate");
    const reason = field("reason");
    if (gate === undefined || reason === undefined) throw new Error(`no gate and reason: ${oneLine(object)}`);
    const members = membersOf(object);
    const first = firstOfList(gate, scope);
    if (first !== undefined) {
      return this.elements(first.term, first.scope)
        .flatMap((e) => e.reader.answers(e.term, e.scope, e.when.length > 0 ? e.when : when))
        .map((answer) => ({ ...answer, members }));
    }
    const allowed = field("allowed");
    const detail = field("detail");
    return this.texts(gate, scope).flatMap((gateText) => {
      const told: Scope = { ...scope, known: new Map([...scope.known, [oneLine(gate), gateText]]) };
      const chosen = gate.kind === "Call" ? [`${oneLine(gate)} == ${JSON.stringify(gateText)}`] : [];
      return this.texts(reason, told).map((reasonText) => ({
        allowed: allowed?.kind === "Boolean" && allowed.value,
        gate: gateText,
        reason: reasonText,
        details: detail === undefined ? [] : this.texts(detail, told),
        members,
        optional: [],
        when: [...when, ...chosen],
      }));
    });
  }

  /** What can be in a list: an array as written, what a comprehension gives, the values of a partial object's rules. */
  private elements(term: Term, scope: Scope): Element[] {
    if (term.kind === "Array") return term.items.map((item) => ({ reader: this, term: item, scope, when: [] }));
    if (term.kind === "ArrayComprehension") {
      const inside: Scope = { ...scope, body: term.body };
      const name = term.term.kind === "Var" ? term.term.name : undefined;
      const source = someIn(term.body).find((s) => s.value?.kind === "Var" && s.value.name === name)?.domain;
      return source === undefined
        ? [{ reader: this, term: term.term, scope: inside, when: term.body.map(oneLine) }]
        : this.elements(source, scope);
    }
    if (term.kind === "Call") return this.intoFunction(term, scope, (value, inside) => this.elements(value, inside));
    if (term.kind === "Var") {
      return this.elementsOfRule(term.name);
    }
    throw new Error(`a list is written as ${term.kind}: ${oneLine(term)}`);
  }

  private elementsOfRule(name: string): Element[] {
    return this.linksOf(name).flatMap((rule) => {
      const { value, ref } = rule.head;
      if (value === undefined) return [];
      if (ref.args.length === 0) return this.elements(value, scopeOf(rule));
      // `some place, found in module.rules`: what they give, as it is.
      const taken = someIn(rule.body).find((s) => s.value !== undefined && oneLine(s.value) === oneLine(value))?.domain;
      const imported = taken && this.importedRule(oneLine(taken));
      if (imported !== undefined) return imported.reader.elementsOfRule(imported.name);
      return [{ reader: this, term: value, scope: scopeOf(rule), when: conditionsOf(rule) }];
    });
  }

  /** `module.rule`, where the module imports one of the library that has the rule, and is no decision. */
  private importedRule(written: string): { readonly reader: AnswerReader; readonly name: string } | undefined {
    const [, alias, name] = /^(\w+)\.(\w+)$/.exec(written) ?? [];
    if (alias === undefined || name === undefined || name === "decision") return undefined;
    const module = importedModules(this.module, this.library).get(alias);
    return module && { reader: new AnswerReader(module, this.library), name };
  }

  /** The texts that a term can be. */
  private texts(term: Term, scope: Scope): string[] {
    const known = scope.known.get(oneLine(term));
    if (known !== undefined) return [known];
    if (term.kind === "String") return [term.value];
    if (term.kind === "Var") {
      const argument = scope.args.get(term.name);
      if (argument !== undefined) return this.texts(argument.term, argument.scope);
      const assigned = assignedIn(scope.body, term.name);
      if (assigned !== undefined) return this.texts(assigned, scope);
      return this.rules.has(term.name) ? this.textsOfRule(term.name) : [OPEN];
    }
    if (term.kind === "Call") {
      if (operatorOf(term) === "concat") return [this.concatenated(term, scope)];
      if (!this.rules.has(operatorOf(term))) return [OPEN];
      return unique(this.intoFunction(term, scope, (value, inside) => this.texts(value, inside)));
    }
    if (term.kind === "Ref" && term.head.kind === "Var" && term.args.length === 1 && this.rules.has(term.head.name))
      return this.member(term.head.name, term.args[0] as Term, scope);
    return [OPEN];
  }

  private textsOfRule(name: string): string[] {
    const values = this.linksOf(name).flatMap((rule) =>
      rule.head.value === undefined ? [] : this.texts(rule.head.value, scopeOf(rule)),
    );
    return unique(values);
  }

  /** `table[key]` of a table that is written out. */
  private member(name: string, key: Term, scope: Scope): string[] {
    const keys = this.texts(key, scope);
    return this.linksOf(name).flatMap(({ head }) => {
      if (head.value?.kind !== "Object") return [OPEN];
      return head.value.entries.flatMap(([k, value]) =>
        k.kind === "String" && keys.includes(k.value) ? this.texts(value, scope) : [],
      );
    });
  }

  private concatenated(call: Call, scope: Scope): string {
    const [delimiter, list] = call.args;
    if (delimiter?.kind !== "String" || list?.kind !== "Array") return OPEN;
    return list.items.map((item) => this.texts(item, scope).join("|")).join(delimiter.value);
  }

  /** Goes on with the values of a function of the module, its parameters standing for the arguments. */
  private intoFunction<T>(call: Call, scope: Scope, go: (value: Term, inside: Scope) => T[]): T[] {
    return this.linksOf(operatorOf(call)).flatMap((rule) => {
      const parameters = rule.head.args ?? [];
      const args = new Map(
        parameters.flatMap((parameter, i) =>
          parameter.kind === "Var" ? [[parameter.name, { term: call.args[i] as Term, scope }] as const] : [],
        ),
      );
      return rule.head.value === undefined ? [] : go(rule.head.value, { args, known: new Map(), body: rule.body });
    });
  }
}

/** The names of what an object says beside its head. */
function membersOf({ entries }: ObjectTerm): string[] {
  return entries.flatMap(([k]) => (k.kind === "String" && !HEAD.includes(k.value) ? [k.value] : []));
}

/** `list` of `list[0]`, and `f(x)` of `f(x)[0]`. */
function firstElementOf(term: Term): Term | undefined {
  const [first, ...rest] = term.kind === "Ref" ? term.args : [];
  if (term.kind !== "Ref" || first?.kind !== "Number" || rest.length > 0) return undefined;
  return term.head;
}

/** `found` of `found[0].gate`, where that is an argument. */
function firstOfList(term: Term, scope: Scope): { readonly term: Term; readonly scope: Scope } | undefined {
  if (term.kind !== "Ref" || term.head.kind !== "Var" || term.args[0]?.kind !== "Number") return undefined;
  return scope.args.get(term.head.name);
}

/** `tool` for `tool.decision`. */
function decisionOf(term: Term): string | undefined {
  return /^(?:data\.portcullis\.)?(\w+)\.decision$/.exec(oneLine(term))?.[1];
}

function ruleName(rule: Rule): string {
  return rule.head.ref.head.kind === "Var" ? rule.head.ref.head.name : "";
}

/** `assign` for `:=`: an operator has a name besides its sign. */
function operatorOf({ operator }: Call): string {
  return operator.kind === "Var" ? operator.name : oneLine(operator);
}

function scopeOf(rule: Rule): Scope {
  return { ...outermost, body: rule.body };
}

function conditionsOf(rule: Rule): string[] {
  return rule.body.map(oneLine);
}

function someIn(body: Body): SomeDecl[] {
  return body.flatMap((expr) => (expr.body.kind === "SomeDecl" ? [expr.body] : []));
}

/** The term that `name := term` gives. */
function assignedIn(body: Body, name: string): Term | undefined {
  for (const { body: said } of body)
    if (said.kind === "Call" && operatorOf(said) === "assign" && said.args[0]?.kind === "Var")
      if (said.args[0].name === name) return said.args[1];
  return undefined;
}

/** As it is written, on one line. */
function oneLine({ span }: Term | Expr): string {
  return span.file.text.slice(span.start, span.end).replace(/\s+/g, " ");
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Merges answers that differ only in conditions and members: keeps the first, unconditional if any of them is. */
function merged(answers: readonly DecisionAnswer[]): DecisionAnswer[] {
  const found = new Map<string, DecisionAnswer>();
  for (const answer of answers) {
    const key = JSON.stringify([answer.of, answer.gate, answer.reason, answer.details]);
    const first = found.get(key);
    found.set(key, first === undefined ? answer : joined(first, answer));
  }
  return [...found.values()];
}

function joined(first: DecisionAnswer, second: DecisionAnswer): DecisionAnswer {
  const members = unique([...first.members, ...second.members]);
  return {
    ...first,
    when: second.when.length === 0 ? [] : first.when,
    members,
    optional: members.filter(
      (m) => first.optional.includes(m) || !first.members.includes(m) || !second.members.includes(m),
    ),
  };
}
