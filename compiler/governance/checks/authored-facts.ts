/**
 * What authors' Rego adds to requests and decisions, read from its text: the gates of its extensions, the members of scope
 * and arguments that it reads, and its own entrypoints. Nothing is resolved: where a text does not tell, anything is possible.
 */

import {
  children,
  type Module,
  type Node,
  type ObjectTerm,
  type Ref,
  type Rule,
  type Term,
} from "@portcullis/rego/syntax";
import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime/abi";
import { DEFAULT_REASON, requiringRules } from "../model/index.ts";

export interface AuthoredFacts {
  /** In the order of the text, each once. */
  readonly denials: ReadonlyMap<DecisionKind, readonly AuthoredAnswer[]>;
  readonly scope: ReadMembers;
  readonly args: ReadMembers;
  /** `pkg/rule` of the rules that are annotated so. */
  readonly entrypoints: readonly string[];
}

/** Gate and reason of a denial; `undefined` where only an evaluation tells. */
export interface AuthoredAnswer {
  readonly gate: string | undefined;
  readonly reason: string | undefined;
}

/** Names of members; `undefined` where rules may read any. */
export type ReadMembers = ReadonlySet<string> | undefined;

/** The facts of all modules that an author wrote, tests excepted. */
export function authoredFacts(modules: readonly Module[]): AuthoredFacts {
  return {
    denials: denialsByDecision(modules),
    scope: membersRead(modules, "scope"),
    args: membersRead(modules, "args"),
    entrypoints: [...new Set(modules.flatMap(entrypointsOf))].sort(),
  };
}

function denialsByDecision(modules: readonly Module[]): Map<DecisionKind, AuthoredAnswer[]> {
  const found = new Map<DecisionKind, Map<string, AuthoredAnswer>>();
  const add = (kind: DecisionKind, answer: AuthoredAnswer): void => {
    const answers = found.get(kind) ?? new Map<string, AuthoredAnswer>();
    answers.set(JSON.stringify([answer.gate, answer.reason]), answer);
    found.set(kind, answers);
  };
  const required = modules.flatMap(requiringRules);
  const told = new Set(required.flatMap((r) => (r.reasons.length > 0 ? [`${r.decision} ${r.gate}`] : [])));
  const requiring = new Set(required.map(({ rule }) => rule));
  for (const module of modules) {
    const kind = extendedDecision(module);
    if (kind !== undefined) for (const rule of module.rules) if (!requiring.has(rule)) add(kind, answerOf(rule));
  }
  // One of the rules of a gate may say the reason of them all.
  for (const { decision, gate, reasons } of required) {
    const reason = reasons.flatMap(({ value }) => (value.kind === "string" ? value.value : []))[0];
    if (reason !== undefined || !told.has(`${decision} ${gate}`))
      add(decision, { gate, reason: reason ?? DEFAULT_REASON });
  }
  return new Map([...found].map(([kind, answers]) => [kind, [...answers.values()]]));
}

/** The decision that a module extends; `undefined` for one that is not an extension. */
export function extendedDecision({ package: { path } }: Module): DecisionKind | undefined {
  const [portcullis, ext, decision, ...rest] = pathOf(path) ?? [];
  if (portcullis !== "portcullis" || ext !== "ext" || rest.length > 0) return undefined;
  return DECISION_KINDS.find((kind) => kind === decision);
}

function answerOf({ head }: Rule): AuthoredAnswer {
  const object = head.key?.kind === "Object" ? head.key : undefined;
  return { gate: object && stringMember(object, "gate"), reason: object && stringMember(object, "reason") };
}

function stringMember({ entries }: ObjectTerm, name: string): string | undefined {
  const value = entries.find(([key]) => key.kind === "String" && key.value === name)?.[1];
  return value?.kind === "String" ? value.value : undefined;
}

function membersRead(modules: readonly Module[], member: string): ReadMembers {
  const names = new Set<string>();
  let isOpen = false;
  const see = (path: readonly (string | undefined)[]): void => {
    if (path.length > 0 && path[0] !== undefined && path[0] !== member) return;
    const [first, name] = path;
    if (first === undefined || name === undefined) isOpen = true;
    else names.add(name);
  };
  const visit = (node: Node): void => {
    if (node.kind === "Ref" && isInput(node)) see(node.args.map(constantOf));
    else if (node.kind === "Var" && node.name === "input") see([]);
    for (const child of children(node))
      if (!(node.kind === "Ref" && isInput(node) && child === node.head)) visit(child);
  };
  for (const { imports, rules } of modules) {
    for (const { path } of imports) if (isInput(path)) see(path.args.map(constantOf));
    for (const rule of rules) visit(rule);
  }
  return isOpen ? undefined : names;
}

function isInput(ref: Ref): boolean {
  return ref.head.kind === "Var" && ref.head.name === "input";
}

function constantOf(term: Term): string | undefined {
  return term.kind === "String" ? term.value : undefined;
}

function entrypointsOf(module: Module): string[] {
  const inside = pathOf(module.package.path);
  if (inside === undefined) return [];
  return module.annotations.flatMap(({ annotation }) => {
    if (!annotation.entrypoint) return [];
    const { target } = annotation;
    if (target.kind === "Package") return [inside.join("/")];
    const head = target.kind === "Rule" ? module.rules[target.index]?.head : undefined;
    const rule = head && pathOf(head.ref);
    return rule === undefined ? [] : [[...inside, ...rule].join("/")];
  });
}

/** The names of a reference without its `data`; `undefined` where not all are known. */
function pathOf({ head, args }: Ref): string[] | undefined {
  const names = args.map(constantOf);
  if (names.includes(undefined)) return undefined;
  const first = head.kind === "Var" && head.name !== "data" ? [head.name] : [];
  return [...first, ...(names as string[])];
}
