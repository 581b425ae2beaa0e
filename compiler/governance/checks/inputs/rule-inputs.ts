/** One rule of an author against the inputs that it may see: members that no request has, and texts that are not ids. */

import { type CheckedPolicy, isCallOf, refText } from "@portcullis/rego/analyze";
import { type Diagnostic, didYouMean, type Span } from "@portcullis/rego/diagnostics";
import type { Call, Ref, Rule, Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { pipelineDiagnostic } from "../codes.ts";
import { checkConditions, type PatternMatch } from "./check-conditions.ts";
import { checkRanges } from "./check-ranges.ts";
import type { Constants, Text } from "./constants.ts";
import { callsOf, dataPath, eachStatement, eachTermDeep, type Locals, originsOf, pathsOf } from "./flow.ts";
import { type Found, type InputPath, joined } from "./input-schema.ts";
import type { Vocabularies, Vocabulary } from "./vocabulary.ts";

export interface KnownInputs {
  /** The input schema of a decision, by its name. */
  readonly schemas: ReadonlyMap<string, unknown>;
  readonly vocabularies: Vocabularies;
  /** The bundle's data at a path. */
  readonly data: (path: readonly string[]) => Value | undefined;
  /** Where the author wrote the texts of the collection at a path of the data: its elements, or its keys. */
  readonly places: (path: readonly string[], keys: boolean) => ReadonlyMap<string, Span>;
  readonly matches: PatternMatch;
  /** The keys of a scope that lanes or tools require or prohibit. */
  readonly scopeKeys: ReadonlySet<string>;
  /** Every name that is an agent's. */
  readonly agents: ReadonlySet<string>;
}

export class RuleChecker {
  private readonly policy: CheckedPolicy;
  private readonly constants: Constants;
  private readonly locals: Locals;
  private readonly find: (path: InputPath) => readonly Found[];
  private readonly known: KnownInputs;
  /** Locals that are the whole input. */
  private inputs: ReadonlySet<string> = new Set();
  private origins: ReadonlyMap<string, Term> = new Map();
  private readonly found = new Map<string, Diagnostic>();

  constructor(
    policy: CheckedPolicy,
    constants: Constants,
    locals: Locals,
    find: (path: InputPath) => readonly Found[],
    known: KnownInputs,
  ) {
    this.policy = policy;
    this.constants = constants;
    this.locals = locals;
    this.find = find;
    this.known = known;
  }

  check(rule: Rule, members: boolean, kinds: readonly string[]): Diagnostic[] {
    this.origins = originsOf(rule);
    this.inputs = inputsOf(rule);
    eachTermDeep(rule, (term) => {
      if (term.kind !== "Ref") return;
      if (members) this.member(term, kinds);
      this.scopeKey(term);
      this.lookup(term);
    });
    eachStatement(rule, ({ body }) => {
      if (body.kind === "Call") this.comparison(body);
    });
    for (const call of callsOf(rule)) {
      this.readMember(call, members, kinds);
      this.membership(call);
      this.patterns(call);
    }
    const known = { idsOf: this.idsOf.bind(this), matches: this.known.matches };
    for (const finding of [...checkConditions(rule, known), ...checkRanges(rule)]) this.add(finding);
    return [...this.found.values()];
  }

  /** A member that no request to any of the decisions has. */
  private member(ref: Ref, kinds: readonly string[]): void {
    const paths = pathsOf(ref, this.locals);
    const all = paths.flatMap((path) => this.find(path).map((found) => ({ found, path })));
    const absent = all.flatMap(({ found, path }) => (found.kind === "Absent" ? [{ found, path }] : []));
    const [first] = absent;
    if (first === undefined || absent.length < all.length) return;
    const name = first.path[first.found.index];
    if (name === undefined) return;
    // What is there at the same place: other decisions may not come as far.
    const names = [...new Set(absent.flatMap(({ found: f }) => (f.index === first.found.index ? f.names : [])))];
    const near = didYouMean(name, names);
    // Point at the wrong part of the reference. If a local stands for its first parts, the wrong part is in what follows.
    const arg = ref.args[first.found.index - (first.path.length - ref.args.length)];
    const list = names.length > 0 ? `a request has ${names.map((n) => `\`${n}\``).join(", ")}; ` : "";
    this.add(
      pipelineDiagnostic(
        "pipeline/unknown-input",
        { path: refText(ref), decision: kinds.join(", ") },
        arg === undefined || arg.span.start === arg.span.end ? ref.span : arg.span,
        near.meant === undefined
          ? { help: `${list}another member is described by a \`schemas\` annotation of the package` }
          : near,
      ),
    );
  }

  /** `object.get(input, "tol", "")`: the member by its name. */
  private readMember({ operator, args: [base, key] }: Call, members: boolean, kinds: readonly string[]): void {
    if (operator.kind !== "Var" || operator.name !== "object.get" || base === undefined || key === undefined) return;
    const keys = key.kind === "Array" ? key.items : [key];
    const from = this.origin(base);
    const isInput = from.kind === "Var" && this.inputs.has(from.name);
    const whole: Ref = {
      kind: "Ref",
      span: from.span,
      head: { kind: "Var", span: from.span, name: "input" },
      args: [],
    };
    const head = from.kind === "Ref" ? from : isInput ? whole : undefined;
    if (head === undefined) return;
    const read: Ref = { ...head, args: [...head.args, ...keys] };
    if (members) this.member(read, kinds);
    this.scopeKey(read);
  }

  /** A key of the scope that looks like one which lanes or tools require. */
  private scopeKey(given: Ref): void {
    const ref: Ref = { ...given, args: given.args.map((arg) => this.origin(arg)) };
    for (const [member, key] of pathsOf(ref, this.locals)) {
      if (member !== "scope" || key === undefined || this.known.scopeKeys.has(key)) continue;
      const near = didYouMean(key, this.known.scopeKeys);
      const arg = ref.args.find((part) => part.kind === "String" && part.value === key);
      if (near.meant === undefined || arg === undefined) continue;
      this.add(pipelineDiagnostic("pipeline/misspelt-scope-key", { key }, arg.span, near));
    }
  }

  /** People approve: no call that needs an approval comes with one in the name of an agent. */
  private approver(term: Term, texts: readonly Text[]): void {
    if (
      !pathsOf(term, this.locals).some(
        ([member, by, ...rest]) => member === "approval" && by === "by" && rest.length === 0,
      )
    )
      return;
    for (const { value, span } of texts)
      if (this.known.agents.has(value))
        this.add(
          pipelineDiagnostic(
            "pipeline/approver-is-agent",
            { path: termName(term, this.locals), text: JSON.stringify(value) },
            span,
          ),
        );
  }

  private comparison({ operator, args }: Call): void {
    const name = operator.kind === "Var" ? operator.name : "";
    if (!["eq", "equal", "neq"].includes(name) || args.length !== 2) return;
    const [a, b] = args as readonly [Term, Term];
    for (const [term, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const texts = other.kind === "String" ? [{ value: other.value, span: other.span }] : this.iterated(other);
      if (texts !== undefined) this.compare(term, texts);
      else if (["Array", "Object", "Set", "Number", "Boolean"].includes(other.kind))
        this.neverText(term, other, "write `in` to ask whether it is one of several");
    }
  }

  /** Reports an id that is compared with a value other than a text. */
  private neverText(term: Term, other: Term, help: string, word = ""): void {
    const ids = this.idsOf(term);
    if (ids === undefined || ids.isOpen) return;
    const { file, start, end } = other.span;
    const params = { path: termName(term, this.locals), text: word + file.text.slice(start, end), noun: ids.noun };
    this.add(pipelineDiagnostic("pipeline/impossible-comparison", params, other.span, { help }));
  }

  /** `c[_]` of a constant collection: its elements. */
  private iterated(given: Term): readonly Text[] | undefined {
    const term = this.origin(given);
    if (term.kind !== "Ref" || term.args.at(-1)?.kind !== "Var") return undefined;
    if (term.args.length > 1) return this.constants.elements({ ...term, args: term.args.slice(0, -1) });
    return this.constants.elements(this.origin(term.head));
  }

  private origin(term: Term): Term {
    return (term.kind === "Var" ? this.origins.get(term.name) : undefined) ?? term;
  }

  private membership({ operator, args }: Call): void {
    if (operator.kind !== "Var" || operator.name !== "internal.member_2") return;
    const [term, within] = args as readonly [Term, Term];
    const collection = this.origin(within);
    const texts = this.constants.elements(collection);
    if (texts !== undefined) this.compare(term, texts);
    // A text that is looked for among the ids of a request.
    else if (
      term.kind === "String" &&
      (collection.kind === "ArrayComprehension" || collection.kind === "SetComprehension")
    )
      this.compare(collection.term, [{ value: term.value, span: term.span }]);
    else if (within.kind === "String")
      this.neverText(term, within, "`in` looks into a set or a list: `{…}`, `[…]`", "in ");
  }

  /** A table that is asked by an id: its keys are ids. */
  private lookup(ref: Ref): void {
    for (const [i, arg] of ref.args.entries()) {
      if (arg.kind !== "Var" || this.idsOf(arg) === undefined) continue;
      const table = i === 0 ? this.origin(ref.head) : { ...ref, args: ref.args.slice(0, i) };
      const keys = this.constants.keys(table) ?? this.keysOfRules(table);
      const ids = this.idsOf(arg)?.ids;
      // A table none of whose keys is an id is keyed by something else.
      if (keys?.some((k) => ids?.has(k.value))) this.compare(arg, keys);
      return;
    }
  }

  /** `limits["dose.release"] := 3`: the keys of a partial object. */
  private keysOfRules(table: Term): readonly Text[] | undefined {
    const path = dataPath(table);
    if (path === undefined) return undefined;
    const below = this.policy.groups.filter((g) => path.every((part, i) => g.path[i] === part));
    return below.flatMap(({ path: full, definitions }) =>
      definitions.flatMap(({ rule, keys }) => {
        const name = full.length > path.length ? full[path.length] : undefined;
        const key =
          name === undefined ? keys[0] : rule.head.ref.args.find((a) => a.kind === "String" && a.value === name);
        return key?.kind === "String" ? { value: key.value, span: key.span } : [];
      }),
    );
  }

  /** `limit("dose.release") := 3`: the constant arguments of a function. */
  private patterns(call: Call): void {
    const path = dataPath(call.operator)?.join("\0");
    const group = path === undefined ? undefined : this.policy.groups.find((g) => g.path.join("\0") === path);
    if (group?.kind !== "function") return;
    for (const { rule } of group.definitions) {
      for (const [i, arg] of (rule.head.args ?? []).entries()) {
        if (arg.kind === "String" && call.args[i] !== undefined)
          this.compare(call.args[i] as Term, [{ value: arg.value, span: arg.span }]);
      }
    }
  }

  private idsOf(term: Term): Vocabulary | undefined {
    const found = pathsOf(term, this.locals).flatMap((path) => this.find(path));
    const lists = found.flatMap((f) => (f.kind === "Texts" ? [f.vocabulary] : []));
    const isKnown = lists.length > 0 && found.every((f) => f.kind !== "Any");
    return isKnown ? joined(lists) : undefined;
  }

  private compare(term: Term, texts: readonly Text[]): void {
    this.approver(term, texts);
    const ids = this.idsOf(term);
    if (ids === undefined) return;
    for (const { value, span } of texts) {
      if (ids.ids.has(value)) continue;
      const elsewhere =
        span.file === term.span.file ? {} : { related: [{ message: "compared here", span: term.span }] };
      const near = didYouMean(value, ids.ids);
      const [path, text] = [termName(term, this.locals), JSON.stringify(value)];
      this.add(
        ids.isOpen && near.meant === undefined
          ? pipelineDiagnostic("pipeline/unnamed-agent-type", { path, text }, span, elsewhere)
          : pipelineDiagnostic("pipeline/impossible-comparison", { path, text, noun: ids.noun }, span, {
              ...near,
              ...elsewhere,
            }),
      );
    }
  }

  private add(finding: Diagnostic): void {
    const { file, start } = finding.span as Span;
    const key = `${finding.code} ${file.name} ${start} ${finding.message}`;
    if (!this.found.has(key)) this.found.set(key, finding);
  }
}

function inputsOf(rule: Rule): Set<string> {
  const found = new Set(["input"]);
  eachStatement(rule, ({ body }) => {
    if (!isCallOf(body, "eq")) return;
    const names = body.args.flatMap((arg) => (arg.kind === "Var" ? arg.name : []));
    if (names.length === 2 && names.includes("input")) for (const name of names) found.add(name);
  });
  return found;
}

function termName(term: Term, locals: Locals): string {
  if (term.kind === "Ref") return refText(term);
  const [path] = pathsOf(term, locals);
  return `input${(path ?? []).map((part) => (part === undefined ? "[_]" : `.${part}`)).join("")}`;
}
