/** Variables that nothing declares. */

import { type Body, type Mapper, mapChildren, mapList, type Term } from "../syntax/index.ts";
import { isRootName } from "./root-names.ts";
import { addExprVars, addVars, isComprehension } from "./walk.ts";
import type { NameSupply, WorkQuery, WorkRule } from "./work.ts";

/** Gives variables that nothing declares to the outermost level that mentions them, so that closures beside each other differ. */
class Owner {
  private readonly names: NameSupply;
  private readonly taken = new Set<string>();
  private readonly levels: Map<string, string>[] = [];
  private readonly mapper: Mapper = { term: (t) => this.term(t), body: (b) => this.level(b, []).body };

  constructor(names: NameSupply) {
    this.names = names;
  }

  private find(name: string): string | undefined {
    for (let i = this.levels.length - 1; i >= 0; i--) {
      const local = this.levels[i]?.get(name);
      if (local !== undefined) return local;
    }
    return undefined;
  }

  /** A body and the terms that are evaluated with it. */
  level(body: Body, terms: readonly Term[]): { body: Body; terms: Term[] } {
    const mentioned = new Set<string>();
    for (const t of terms) addVars(t, mentioned, false);
    for (const e of body) addExprVars(e, mentioned, false);
    const own = new Map<string, string>();
    for (const name of mentioned) {
      if (name.includes("#") || isRootName(name) || this.find(name) !== undefined) continue;
      own.set(name, this.taken.has(name) ? this.names.fresh(name) : name);
      this.taken.add(name);
    }
    this.levels.push(own);
    const result = { body: mapList(body, (e) => mapChildren(e, this.mapper)), terms: terms.map((t) => this.term(t)) };
    this.levels.pop();
    return result;
  }

  private term(term: Term): Term {
    if (term.kind === "Var") {
      const name = this.find(term.name) ?? term.name;
      return name === term.name ? term : { ...term, name };
    }
    if (term.kind === "ObjectComprehension") {
      const { body, terms } = this.level(term.body, [term.key, term.value]);
      return { ...term, key: terms[0] as Term, value: terms[1] as Term, body };
    }
    if (isComprehension(term)) {
      const { body, terms } = this.level(term.body, [term.term]);
      return { ...term, term: terms[0] as Term, body };
    }
    return mapChildren(term, this.mapper);
  }
}

/** Declares the rule's variables that nothing else declares. */
export function ownVariables(rule: WorkRule): void {
  // In a single level no name is there twice.
  if (!rule.closures && rule.branches.length === 1) return;
  const owner = new Owner(rule.names);
  for (const [i, branch] of rule.branches.entries()) {
    // The first branch owns the variables of the head: arguments, parts of the name, the key of a set.
    const parts = i === 0 ? [rule.args ?? [], rule.keys, rule.key ? [rule.key] : []] : [[], [], []];
    const value = branch.value ? [branch.value] : [];
    const { body, terms } = owner.level(branch.body, [...value, ...parts.flat()]);
    branch.body = body;
    if (branch.value) branch.value = terms.shift();
    if (i > 0) continue;
    if (rule.args) rule.args = terms.splice(0, rule.args.length);
    rule.keys = terms.splice(0, rule.keys.length);
    if (rule.key) rule.key = terms.shift();
  }
}

export function ownQueryVariables(query: WorkQuery): void {
  query.body = new Owner(query.names).level(query.body, []).body;
}
