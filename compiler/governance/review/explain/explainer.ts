/**
 * Why a decision came out as it did, found by asking the Rego of the bundle itself: which branch of which rule gave the answer,
 * and of every branch before it, which of its conditions did not hold. A branch whose value is a denial with a `gate` is a gate:
 * it fails when the branch gives the answer, and holds when the branch was passed by. A rule of an author's `must` is a gate the
 * other way round: it holds where one of the rules of its name gives.
 */

import type { Node, Term } from "@portcullis/rego/syntax";
import { compareDenials, decisionIn, elementIn, isSameDenial, type Label, writtenLabel } from "./labels.ts";
import type { Branch, Probes } from "./probes.ts";
import { type Read, ReadFinder } from "./reads.ts";
import { type IndexedRule, type RegoIndex, type RuleGroup, referencesIn } from "./rego-index.ts";
import { isRequirement, requirementsOf } from "./requirements.ts";

/** What became of a branch or of one of its conditions. */
export type StepStatus = "held" | "failed" | "not reached";

/** One branch of a rule that was, or could have been, tried. */
export interface Step {
  /** `data.portcullis.tool.verdict` */
  readonly rule: string;
  readonly location: string;
  /** The branch's value as written, in one line. */
  readonly text: string;
  /** Whether the branch denies. */
  readonly isGate: boolean;
  /** Its denial, if that is certain. */
  readonly gate?: string;
  readonly reason?: string | undefined;
  /** What the denial means, in words, where the step is a gate of the library that failed. */
  readonly says?: string;
  /** For a gate: whether it held. For any other branch, `held` means that it gave a value and `failed` that it did not. */
  readonly status: StepStatus;
  readonly conditions: readonly { readonly text: string; readonly status: StepStatus }[];
  /** Empty where the branch was not reached. */
  readonly reads: readonly Read[];
  /** What the reads may be compared with. */
  readonly constants: readonly (string | number | boolean)[];
}

/** The rule that gave an answer. */
export interface Decider {
  readonly rule: string;
  readonly location: string;
  /** No branch had a value, and the default holds. */
  readonly isDefault?: true;
}

/** The way to an answer. */
export interface Told {
  /** Rule and place that gave the answer; `undefined` when nothing did. */
  readonly decidedBy: Decider | undefined;
  /** In the order in which they are tried. */
  readonly steps: readonly Step[];
}

/** Evaluates an entrypoint of the probing module; `undefined` without a value. */
export type Evaluate = (entrypoint: string) => unknown;

/** The probes that an explanation needs, compiled once. */
export interface ProbePlan {
  readonly probes: Probes;
  readonly branches: ReadonlyMap<string, readonly (readonly Branch[])[]>;
  /** Rules whose values are shown. */
  readonly rules: readonly string[];
  /** Whether a probe could be compiled. */
  isAsked(probe: string): boolean;
}

/** The rules that an entrypoint reaches, and probes for those with branches that tell something. */
export function planProbes(index: RegoIndex, entrypoint: string, probes: Probes): ProbePlan {
  const reached = new Map<string, RuleGroup>();
  const work = [index.groups.get(entrypoint)];
  for (let group = work.pop(); group !== undefined || work.length > 0; group = work.pop()) {
    if (group === undefined || reached.has(group.name)) continue;
    reached.set(group.name, group);
    for (const rule of group.rules) {
      for (const reference of referencesIn(index, rule, [rule.rule])) work.push(index.groupAt(reference));
    }
  }
  const branches = new Map<string, readonly (readonly Branch[])[]>();
  for (const group of reached.values()) {
    if (group.kind === "function" || (group.name !== entrypoint && isPlainTest(group))) continue;
    branches.set(
      group.name,
      group.rules.map((rule) => probes.branchesOf(rule)),
    );
  }
  const rules = [...reached.values()].filter((g) => g.kind !== "function").map((g) => g.name);
  return { probes, branches, rules, isAsked: () => true };
}

/** The denials of an author's for one decision. */
const DENIALS = /^portcullis\/ext\/\w+\/deny$/;

/** A rule that is true or undefined: a condition with a name, read through. */
function isPlainTest({ kind, rules }: RuleGroup): boolean {
  return kind === "complete" && rules.every(({ rule }) => rule.head.value === undefined && rule.else === undefined);
}

export class Explainer {
  private readonly index: RegoIndex;
  private readonly plan: ProbePlan;
  private readonly evaluate: Evaluate;
  private readonly reader: ReadFinder;
  private readonly data: unknown;
  private readonly steps: Step[] = [];
  private readonly visited = new Set<string>();
  /** Rules behind a condition that does not hold. Another branch may ask them all the same. */
  private readonly unasked: string[] = [];

  constructor(index: RegoIndex, plan: ProbePlan, evaluate: Evaluate, documents: { input: unknown; data: unknown }) {
    this.index = index;
    this.plan = plan;
    this.evaluate = evaluate;
    this.data = documents.data;
    this.reader = new ReadFinder(index, { ...documents, rule: evaluate });
  }

  explain(entrypoint: string): Told {
    this.group(entrypoint, true);
    for (const name of this.unasked) this.group(name, false);
    return { decidedBy: this.decidedBy(entrypoint, this.evaluate(entrypoint)), steps: this.steps };
  }

  /** A rule's branches, each after the rules with gates that its conditions ask. */
  private group(name: string, reached: boolean): void {
    const group = this.index.groups.get(name);
    if (group === undefined || this.visited.has(name)) return;
    this.visited.add(name);
    if (isRequirement(name)) {
      this.steps.push(...this.requirements(group, reached));
      return;
    }
    const before = this.steps.length;
    for (const branches of this.plan.branches.get(name) ?? []) {
      let open = reached;
      for (const branch of branches) {
        branch.rule.body.forEach((condition, i) => {
          const asked = this.gateRules(branch, [condition]);
          if (open && this.isCutOff(branch, i)) this.unasked.push(...asked);
          else for (const inner of asked) this.group(inner, open);
        });
        const met = branch.rule.body.length === 0 || this.holds(branch, branch.rule.body.length - 1);
        const gives = open && this.gives(branch);
        const values = branch.rule.head.key ?? branch.rule.head.value;
        const after = values === undefined ? [] : this.gateRules(branch, [values]);
        for (const inner of after.filter((n) => this.isPartial(n))) this.group(inner, open && met);
        const isTold = this.isToldByOthers(branch, after, gives) || this.handsOn(branch);
        if (!isTold) this.steps.push(this.step(group, branch, open, gives));
        for (const inner of after) if (gives || this.target(branch) === undefined) this.group(inner, gives);
        if (gives && group.kind === "complete") open = false;
      }
    }
    if (DENIALS.test(name)) this.inOrder(before, `data.${name.replaceAll("/", ".")}`);
  }

  /** The first denial of an extension decides, by gate and reason. */
  private inOrder(from: number, rule: string): void {
    const added = this.steps.splice(from);
    const own = added.filter((step) => step.rule === rule).sort(compareDenials);
    this.steps.push(...added.filter((step) => step.rule !== rule), ...own);
  }

  /** By name, the rules that meet a gate; where none does, all of them, as each is a way to meet it. */
  private requirements(group: RuleGroup, open: boolean): Step[] {
    return requirementsOf(group.name, (this.plan.branches.get(group.name) ?? []).flat(), this.data).flatMap(
      ({ gate, reason, branches }) => {
        const meeting = open ? branches.filter((b) => this.gives(b)) : branches.slice(0, 1);
        const status: StepStatus = !open ? "not reached" : meeting.length > 0 ? "held" : "failed";
        return (meeting.length > 0 ? meeting : branches).map(
          (branch): Step => ({
            ...this.step(group, branch, open, false),
            ...{ isGate: true, gate, status },
            reason,
          }),
        );
      },
    );
  }

  /** A branch that hands on other rules' answers is shown by their steps, unless its own condition failed. */
  private isToldByOthers(branch: Branch, after: readonly string[], gives: boolean): boolean {
    if (after.some((name) => this.isPartial(name))) return true;
    return this.target(branch) !== undefined && (gives || branch.rule.body.length === 0);
  }

  /** `violations[place] := found if some place, found in other.violations`: elements of another rule, with no condition. */
  private handsOn(branch: Branch): boolean {
    const { body, head } = branch.rule;
    if (body.length !== 1 || (head.value ?? head.key)?.kind !== "Var") return false;
    const others = this.gateRules(branch, body);
    return others.length > 0 && others.every((name) => this.isPartial(name));
  }

  private step(group: RuleGroup, branch: Branch, open: boolean, gives: boolean): Step {
    const label = this.labelOf(branch);
    // An element whose gate depends on its variables is one of a set of denials all the same.
    const isGate =
      label === undefined
        ? this.followsToDenial(branch) || (group.kind === "partial" && this.isGateRule(group.name))
        : label.allowed !== true;
    const conditions = branch.rule.body.map((expr, i) => {
      const before = i === 0 || this.holds(branch, i - 1);
      const status: StepStatus = !open || !before ? "not reached" : this.holds(branch, i) ? "held" : "failed";
      return { text: oneLine(branch.of.module.file.text.slice(expr.span.start, expr.span.end)), status };
    });
    const opaque = (inner: RuleGroup): boolean => inner.kind !== "function" && this.isGateRule(inner.name);
    return {
      rule: `data.${group.name.replaceAll("/", ".")}`,
      location: branch.location,
      text: oneLine(branch.text),
      isGate,
      ...(isGate && label !== undefined ? { gate: label.gate } : {}),
      ...(isGate && label?.reason !== undefined ? { reason: label.reason } : {}),
      status: !open ? "not reached" : gives === isGate ? "failed" : "held",
      conditions,
      ...(open ? this.reader.reads(branch.of, readBy(branch), opaque) : { reads: [], constants: [] }),
    };
  }

  /** Whether a condition and those before it hold. Where one needs a later one to be asked at all, they are asked together. */
  private holds(branch: Branch, condition: number): boolean {
    const asked = branch.conditions.slice(condition).find((name) => name !== undefined && this.plan.isAsked(name));
    return asked !== undefined && this.evaluate(asked) === true;
  }

  /** Whether those before a condition are known not to hold. */
  private isCutOff(branch: Branch, condition: number): boolean {
    const before = branch.conditions[condition - 1];
    return before !== undefined && this.plan.isAsked(before) && this.evaluate(before) !== true;
  }

  /** Whether a branch has a value: an element, for one that adds to a set. */
  private gives(branch: Branch): boolean {
    const value = this.evaluate(branch.value);
    return branch.rule.head.key === undefined ? value !== undefined : Array.isArray(value) && value.length > 0;
  }

  /** Rules with gates that some nodes refer to, in their order. What is asked `with` other documents says nothing of these. */
  private gateRules(branch: Branch, nodes: Parameters<typeof referencesIn>[2]): string[] {
    const isOther = (node: Node): boolean => node.kind === "Expr" && node.with.length > 0;
    const names = referencesIn(this.index, branch.of, nodes, isOther).flatMap((r) => this.index.groupAt(r)?.name ?? []);
    return [...new Set(names.map((name) => this.required(name) ?? name))].filter((name) => this.isGateRule(name));
  }

  /** The `must` whose gates a rule asks for one by one: `unmet`. */
  private required(name: string): string | undefined {
    const [only, ...others] = this.index.groups.get(name)?.rules ?? [];
    if (only === undefined || others.length > 0 || only.rule.head.value?.kind !== "ArrayComprehension")
      return undefined;
    const inside = referencesIn(this.index, only, [only.rule.head.value]);
    return inside.flatMap((r) => this.index.groupAt(r)?.name ?? []).find(isRequirement);
  }

  private isGateRule(name: string): boolean {
    if (isRequirement(name)) return true;
    const all = (this.plan.branches.get(name) ?? []).flat();
    return all.some((b) => this.labelOf(b) !== undefined || this.followsToGate(b));
  }

  private followsToDenial(branch: Branch): boolean {
    const target = this.target(branch);
    const all = target === undefined ? [] : (this.plan.branches.get(target) ?? []).flat();
    return all.some((b) => (this.labelOf(b)?.allowed ?? true) !== true);
  }

  private followsToGate(branch: Branch): boolean {
    const target = this.target(branch);
    return target !== undefined && this.isDirectGate(target);
  }

  private isDirectGate(name: string): boolean {
    return (this.plan.branches.get(name) ?? []).flat().some((b) => this.labelOf(b) !== undefined);
  }

  private isPartial(name: string): boolean {
    return this.index.groups.get(name)?.kind === "partial";
  }

  /** The rule that a branch hands the question on to: `else := verdict`. */
  private target({ of, rule }: Branch): string | undefined {
    const { value } = rule.head;
    if (value?.kind !== "Ref" && value?.kind !== "Var") return undefined;
    const resolved = this.index.resolve(of, value);
    const group = resolved && this.index.groupAt(resolved);
    if (resolved === undefined || group?.kind !== "complete" || resolved.rest.length > 0) return undefined;
    return group.name === resolved.fixed.join("/") ? group.name : undefined;
  }

  /** Gate and reason of a branch's answer, given or not; `undefined` for a branch that is not a decision. */
  private labelOf(branch: Branch): Label | undefined {
    const { key, value } = branch.rule.head;
    const answer = this.evaluate(branch.value);
    const alone = branch.label === undefined ? undefined : this.evaluate(branch.label);
    // An element may stand in a list with its sort key.
    const found =
      key === undefined ? (decisionIn(answer) ?? decisionIn(alone)) : (elementIn(answer) ?? elementIn(alone));
    return found ?? writtenLabel(key ?? value) ?? this.calledLabel(branch, key ?? value);
  }

  /** `violation("AGENTS", "unknown_agent", path)`: the gate in the answer of the function, with the arguments as they are written. */
  private calledLabel({ of }: Branch, term: Term | undefined): Label | undefined {
    const resolved = term?.kind === "Call" ? this.index.resolve(of, term.operator) : undefined;
    const group = resolved && this.index.groupAt(resolved);
    const head = group?.kind === "function" && group.rules.length === 1 ? group.rules[0]?.rule.head : undefined;
    if (term?.kind !== "Call" || head === undefined) return undefined;
    const given = (head.args ?? []).flatMap((arg, i) => {
      const value = term.args[i];
      return arg.kind === "Var" && value !== undefined ? [[arg.name, value] as const] : [];
    });
    return writtenLabel(head.value, new Map(given));
  }

  private decidedBy(name: string, decision: unknown): Told["decidedBy"] {
    const group = this.index.groups.get(name);
    if (group === undefined || decision === undefined) return undefined;
    const at = (location: string): Told["decidedBy"] => ({
      rule: `data.${name.replaceAll("/", ".")}`,
      location,
    });
    for (const branches of this.plan.branches.get(name) ?? []) {
      const chosen = branches.find((b) => this.gives(b));
      if (chosen === undefined) continue;
      const target = this.target(chosen);
      if (target !== undefined) return this.decidedBy(target, decision) ?? at(chosen.location);
      return this.extension(chosen, decision) ?? at(chosen.location);
    }
    const [fallback] = group.defaults;
    return fallback && { rule: `data.${name.replaceAll("/", ".")}`, location: locationOf(fallback), isDefault: true };
  }

  /** The author's rule whose denial became the decision. */
  private extension(branch: Branch, decision: unknown): Told["decidedBy"] {
    const { body, head } = branch.rule;
    const asked = head.value === undefined ? [] : this.gateRules(branch, [head.value, ...body]);
    for (const name of asked.filter((n) => this.isPartial(n))) {
      const all = (this.plan.branches.get(name) ?? []).flat();
      const unmet = requirementsOf(name, all, this.data).find((label) => isSameDenial(label, decision));
      const found = unmet?.branches[0] ?? all.find((b) => this.gives(b) && isSameDenial(this.labelOf(b), decision));
      if (found !== undefined) return { rule: `data.${name.replaceAll("/", ".")}`, location: found.location };
    }
    return undefined;
  }
}

function locationOf({ module, rule }: IndexedRule): string {
  return `${module.file.name}:${module.file.positionAt(rule.span.start).line}`;
}

/** The branch's conditions or, without any, the parts of its answer. */
function readBy({ rule: { body, head } }: Branch): readonly Node[] {
  return body.length > 0 || head.value === undefined ? body : [head.value];
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 100 ? line : `${line.slice(0, 97)}...`;
}
