/** Formulas as SMT-LIB 2 text, one check each. The text is all that a solver gets. */

import type { Value } from "@portcullis/rego/value";
import { saidOfResult } from "./arithmetic.ts";
import { scalarOf, valueOfScalar } from "./cases.ts";
import { type Atom, type Formula, KINDS, type Kind, type Scalar, type TextTest } from "./formula.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

/** A question for a solver, and how to read its answer. */
export interface SmtQuery {
  readonly text: string;
  /** The names of what is asked for, where there is a model. */
  readonly unknowns: readonly Unknown[];
  /** Texts by their number in the query. */
  readonly texts: readonly string[];
  /** Whether parts of texts are tested. */
  readonly hasParts: boolean;
}

/**
 * How much a solver does for one question, in its own units: about a minute. Work and not time is bounded, so that a slow machine
 * proves what a fast one does. `MOST_TIME`, in milliseconds, ends what the units do not count.
 */
const MOST_WORK = 30_000_000;
const MOST_TIME = 600_000;
/** More consequences of builtins are not spelt out: fewer leave more open. */
const MOST_CONSEQUENCES = 100_000;
/** The search itself. What `check-sat` simplifies before it takes nine tenths of the time, and finds little. */
const CHECK = "(check-sat-using smt)";
const FREE_TEXTS = ["x-1", "Ada", " "];

/**
 * What texts may be. `known`: those that the policy names, and a few others, of which it is known what builtins say; numbers that
 * are added are whole then. `any`: others, too, and a test of a part (`startswith`) may say anything of those: there are more
 * answers than requests, so that only "unsat" tells. `exact`: any, and solvers reason about their characters, which costs most.
 */
export type Texts = "known" | "any" | "exact";

/** Whether all formulas can hold together, with what is always true of the unknowns in them. */
export function smtQuery(unknowns: Unknowns, asserted: readonly Formula[], texts: Texts): SmtQuery {
  return new SmtWriter(unknowns, texts).write(asserted);
}

class SmtWriter {
  private readonly unknowns: Unknowns;
  private readonly isOf: Texts;
  private readonly lines: string[] = [];
  private readonly declared = new Set<string>();
  private readonly defined = new Map<number, string>();
  private readonly texts = new Map<string, number>();
  private readonly atoms = new Map<string, Atom>();
  private readonly scalars = new Map<number, Map<string, Scalar>>();
  /** Axioms that are written. */
  private readonly chosen = new Set<number>();
  /** Results whose consequences are, by their scalars. */
  private readonly done = new Set<string>();
  private readonly frees = new Map<string, string>();
  private readonly tests = new Map<string, string>();
  /** Unknowns whose texts are compared by more than equality. */
  private readonly texty = new Set<number>();

  constructor(unknowns: Unknowns, isOf: Texts) {
    this.unknowns = unknowns;
    this.isOf = isOf;
  }

  write(asserted: readonly Formula[]): SmtQuery {
    const { formulas } = this.unknowns;
    const bounds = [...this.unknowns.bounded.values()].map((of) =>
      formulas.not(this.unknowns.isLong(of, this.unknowns.bound + 1)),
    );
    const seen = new Set<number>();
    for (const formula of [...asserted, ...bounds]) this.collect(formula, seen);
    const more: Formula[] = [];
    // Consequences speak of others, and axioms of those.
    for (let before = -1; before < more.length; ) {
      before = more.length;
      more.push(...this.relevantAxioms(seen), ...this.consequences(seen));
    }
    const all = [...asserted, ...bounds, ...more];
    if (this.isOf === "exact") this.findTexty();
    else this.numberTexts();
    const asserts = all.map((formula) => `(assert ${this.term(formula)})`);
    const used = this.unknowns.all.filter(({ id }) => this.declared.has(`k${id}`));
    for (const { id } of used) asserts.push(`(assert (and (<= 0 k${id}) (<= k${id} ${KINDS.length - 1})))`);
    if (this.isOf === "known") {
      for (const { id } of used)
        if (this.declared.has(`s${id}`))
          asserts.push(`(assert (or (not (= k${id} ${kindNumber("string")})) (< s${id} ${this.texts.size})))`);
      for (const atom of this.atoms.values())
        for (const from of atom.says === "arithmetic" ? atom.from : [])
          if (typeof from === "number") asserts.push(`(assert (is_int ${this.of("n", from)}))`);
    }
    for (const { id } of used)
      if (this.declared.has(`s${id}`) && !this.texty.has(id)) asserts.push(`(assert (<= 0 s${id}))`);
    const wanted = used
      .flatMap(({ id }) => ["k", "s", "n", "b", "l"].map((of) => `${of}${id}`))
      .filter((name) => this.declared.has(name));
    const head = [
      "(set-option :produce-models true)",
      `(set-option :rlimit ${MOST_WORK})`,
      `(set-option :timeout ${MOST_TIME})`,
    ];
    const tail = [CHECK, ...(wanted.length > 0 ? [`(get-value (${wanted.join(" ")}))`] : [])];
    const text = `${[...head, ...this.lines, ...asserts, ...tail].join("\n")}\n`;
    const hasParts = [...this.atoms.values()].some(({ says }) => says === "text");
    return { text, unknowns: used, texts: [...this.texts.keys()], hasParts };
  }

  /** The atoms of a formula, each once. */
  private collect(formula: Formula, seen: Set<number>): void {
    const work = [formula];
    for (let one = work.pop(); one !== undefined; one = work.pop()) {
      if (seen.has(one.id)) continue;
      seen.add(one.id);
      if (one.op === "atom") this.note(one.key, one.atom);
      else if (one.op === "not") work.push(one.of);
      else if (one.op === "and" || one.op === "or") work.push(...one.of);
    }
  }

  private note(key: string, atom: Atom): void {
    this.atoms.set(key, atom);
    if (atom.says !== "is") return;
    const scalars = this.scalars.get(atom.of) ?? new Map<string, Scalar>();
    scalars.set(JSON.stringify(atom.scalar), atom.scalar);
    this.scalars.set(atom.of, scalars);
  }

  private mentioned(): Set<number> {
    const found = new Set<number>();
    for (const atom of this.atoms.values()) {
      if ("of" in atom) found.add(atom.of);
      if (atom.says === "less") found.add(atom.than);
      if (atom.says === "same") found.add(atom.as);
      if (atom.says === "arithmetic") for (const one of atom.from) if (typeof one === "number") found.add(one);
    }
    return found;
  }

  /** Axioms about what is mentioned, and about what they mention in turn. */
  private relevantAxioms(seen: Set<number>): Formula[] {
    const left = new Set(this.unknowns.axioms.filter((axiom) => !this.chosen.has(axiom.id)));
    const chosen: Formula[] = [];
    for (let grew = true; grew; ) {
      grew = false;
      const mentioned = this.mentioned();
      for (const axiom of left) {
        if (!about(axiom).some((id) => mentioned.has(id))) continue;
        left.delete(axiom);
        this.chosen.add(axiom.id);
        chosen.push(axiom);
        this.collect(axiom, seen);
        grew = true;
      }
    }
    return chosen;
  }

  /** What builtins give for the scalars that their arguments are compared with. */
  private consequences(seen: Set<number>): Formula[] {
    const { formulas, all } = this.unknowns;
    const found: Formula[] = [];
    // What one gives may be the argument of another that was made later.
    for (const unknown of all) {
      const { of } = unknown;
      if (of === undefined || !this.mentioned().has(unknown.id)) continue;
      const scalars = [...(this.scalars.get(of.base.id)?.values() ?? []), ...FREE_TEXTS, ""];
      for (const scalar of scalars) {
        const key = `${unknown.id} ${JSON.stringify(scalar)}`;
        if (this.done.has(key) || found.length > MOST_CONSEQUENCES) continue;
        this.done.add(key);
        const isBase = formulas.atom({ says: "is", of: of.base.id, scalar });
        const says = formulas.or(formulas.not(isBase), this.given(unknown, of.give(valueOfScalar(scalar))));
        this.collect(says, seen);
        found.push(says);
      }
    }
    return found;
  }

  private given(unknown: Unknown, value: Value | "unknown" | undefined): Formula {
    const { formulas } = this.unknowns;
    if (value === "unknown") return formulas.true;
    if (value === undefined) return formulas.not(this.unknowns.isDefined(unknown));
    const scalar = scalarOf(value);
    if (scalar !== undefined) return formulas.atom({ says: "is", of: unknown.id, scalar });
    return this.unknowns.is(unknown, value.kind as Kind);
  }

  /** Texts that are the same as those of which parts are looked for are written as texts, too. */
  private findTexty(): void {
    for (const atom of this.atoms.values()) if (atom.says === "text") this.texty.add(atom.of);
    for (let grew = true; grew; ) {
      grew = false;
      for (const atom of this.atoms.values()) {
        if (atom.says !== "same" || this.texty.has(atom.of) === this.texty.has(atom.as)) continue;
        this.texty.add(atom.of).add(atom.as);
        grew = true;
      }
    }
  }

  private term(formula: Formula): string {
    if (formula.op === "true" || formula.op === "false") return formula.op;
    const known = this.defined.get(formula.id);
    if (known !== undefined) return known;
    // Formulas are deep: what is below is defined first.
    const work: Formula[] = [formula];
    while (work.length > 0) {
      const one = work[work.length - 1] as Formula;
      const below = one.op === "not" ? [one.of] : one.op === "and" || one.op === "or" ? one.of : [];
      const missing = below.filter((part) => !this.defined.has(part.id));
      if (missing.length > 0) work.push(...missing);
      else {
        work.pop();
        this.define(one);
      }
    }
    return this.defined.get(formula.id) as string;
  }

  private define(formula: Formula): void {
    if (this.defined.has(formula.id)) return;
    const name = (of: Formula): string => this.defined.get(of.id) as string;
    switch (formula.op) {
      case "true":
      case "false":
        this.defined.set(formula.id, formula.op);
        return;
      case "not":
        this.defined.set(formula.id, `(not ${name(formula.of)})`);
        return;
      case "atom":
      case "and":
      case "or": {
        const body =
          formula.op === "atom" ? this.atom(formula.atom) : `(${formula.op} ${formula.of.map(name).join(" ")})`;
        this.lines.push(`(define-fun f${formula.id} () Bool ${body})`);
        this.defined.set(formula.id, `f${formula.id}`);
        return;
      }
    }
  }

  private atom(atom: Atom): string {
    switch (atom.says) {
      case "kind":
        return `(= ${this.of("k", atom.of)} ${kindNumber(atom.kind)})`;
      case "is":
        return this.isScalar(atom.of, atom.scalar);
      case "below":
        return this.number(atom.of, `(${atom.orEqual ? "<=" : "<"} ${this.of("n", atom.of)} ${real(atom.limit)})`);
      case "less": {
        const less = `(${atom.orEqual ? "<=" : "<"} ${this.of("n", atom.of)} ${this.of("n", atom.than)})`;
        return this.number(atom.of, this.number(atom.than, less));
      }
      case "same":
        return this.same(atom.of, atom.as);
      case "long":
        return `(>= ${this.of("l", atom.of)} ${atom.least})`;
      case "text":
        return this.textTest(atom.of, atom.how, atom.part);
      case "arithmetic":
        return this.arithmetic(atom);
      case "free":
        return this.free(atom.name);
    }
  }

  private arithmetic({ of, how, from }: Extract<Atom, { says: "arithmetic" }>): string {
    const result = this.of("n", of);
    const terms = from.map((one) => (typeof one === "number" ? this.of("n", one) : real(one.number)));
    return saidOfResult(how, result, terms);
  }

  private isScalar(of: number, scalar: Scalar): string {
    const isKind = (kind: Kind): string => `(= ${this.of("k", of)} ${kindNumber(kind)})`;
    if (scalar === null) return isKind("null");
    if (typeof scalar === "boolean")
      return `(and ${isKind("boolean")} ${scalar ? this.of("b", of) : `(not ${this.of("b", of)})`})`;
    if (typeof scalar === "object") return this.number(of, `(= ${this.of("n", of)} ${real(scalar.number)})`);
    return `(and ${isKind("string")} (= ${this.of("s", of)} ${this.texty.has(of) ? quoted(scalar) : this.textNumber(scalar)}))`;
  }

  private number(of: number, says: string): string {
    return `(and (= ${this.of("k", of)} ${kindNumber("number")}) ${says})`;
  }

  private same(a: number, b: number): string {
    const [k, m] = [this.of("k", a), this.of("k", b)];
    const isKind = (kind: Kind): string => `(= ${k} ${kindNumber(kind)})`;
    const fields = (["b", "n", "s"] as const).map((field) => `(= ${this.of(field, a)} ${this.of(field, b)})`);
    const [booleans, numbers, texts] = fields;
    const collections = this.free(`u${a} = u${b}`);
    return `(and (= ${k} ${m}) (or ${isKind("null")} (and ${isKind("boolean")} ${booleans}) (and ${isKind("number")} ${numbers}) (and ${isKind("string")} ${texts}) (and (> ${k} ${kindNumber("string")}) ${collections})))`;
  }

  private textTest(of: number, how: TextTest, part: string): string {
    const s = this.of("s", of);
    const isText = `(= ${this.of("k", of)} ${kindNumber("string")})`;
    if (this.isOf === "exact") {
      const says = how === "contains" ? `(str.contains ${s} ${quoted(part)})` : `(str.${how}of ${quoted(part)} ${s})`;
      return `(and ${isText} ${says})`;
    }
    const known = [...this.texts]
      .filter(([text]) => hasPart(text, how, part))
      .map(([, number]) => `(= ${s} ${number})`);
    return `(and ${isText} (or ${known.join(" ")} (and (>= ${s} ${this.texts.size}) (${this.test(how, part)} ${s}))))`;
  }

  /** What a test says of texts that the policy does not name: the same of the same text. */
  private test(how: TextTest, part: string): string {
    const key = `${how} ${part}`;
    const known = this.tests.get(key) ?? `test${this.tests.size}`;
    if (!this.tests.has(key)) this.lines.push(`(declare-fun ${known} (Int) Bool)`);
    this.tests.set(key, known);
    return known;
  }

  /** All texts get their numbers before any test says which it holds of. */
  private numberTexts(): void {
    for (const text of FREE_TEXTS) this.textNumber(text);
    for (const atom of this.atoms.values()) {
      if (atom.says === "text") this.textNumber(atom.part);
      if (atom.says === "is" && typeof atom.scalar === "string") this.textNumber(atom.scalar);
    }
  }

  private free(name: string): string {
    const known = this.frees.get(name) ?? `free${this.frees.size}`;
    if (!this.frees.has(name)) this.lines.push(`(declare-fun ${known} () Bool)`);
    this.frees.set(name, known);
    return known;
  }

  private of(field: "k" | "s" | "n" | "b" | "l", id: number): string {
    const name = `${field}${id}`;
    if (this.declared.has(name)) return name;
    this.declared.add(name);
    const sort = { k: "Int", s: this.texty.has(id) ? "String" : "Int", n: "Real", b: "Bool", l: "Int" }[field];
    this.lines.push(`(declare-fun ${name} () ${sort})`);
    if (field === "l") this.lines.push(`(assert (>= ${name} 0))`);
    return name;
  }

  private textNumber(text: string): number {
    const known = this.texts.get(text) ?? this.texts.size;
    this.texts.set(text, known);
    return known;
  }
}

function hasPart(text: string, how: TextTest, part: string): boolean {
  return how === "contains" ? text.includes(part) : how === "prefix" ? text.startsWith(part) : text.endsWith(part);
}

function about(axiom: Formula): number[] {
  const found: number[] = [];
  const visit = (formula: Formula): void => {
    if (formula.op === "atom") {
      if ("of" in formula.atom) found.push(formula.atom.of);
    } else if (formula.op === "not") visit(formula.of);
    else if (formula.op === "and" || formula.op === "or") formula.of.forEach(visit);
  };
  visit(axiom);
  return found;
}

const kindNumber = (kind: Kind): number => KINDS.indexOf(kind);

function real(text: string): string {
  const plain = text.replace(/^-/, "");
  const decimal = plain.includes(".") ? plain : `${plain}.0`;
  return text.startsWith("-") ? `(- ${decimal})` : decimal;
}

/** A text of SMT-LIB 2.6: what is not plain ASCII is written by its code point. */
function quoted(text: string): string {
  const escaped = [...text].map((c) => {
    const code = c.codePointAt(0) as number;
    if (c === '"') return '""';
    return code >= 0x20 && code < 0x7f && c !== "\\" ? c : `\\u{${code.toString(16)}}`;
  });
  return `"${escaped.join("")}"`;
}
