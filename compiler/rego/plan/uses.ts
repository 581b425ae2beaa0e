/** The references of a group's rules: paths of `data`, and builtins. */

import { eachClosureOfTerm, eachExprDeep, type RuleGroup } from "../analyze/index.ts";
import { type Body, eachTerm, type Rule, type Term } from "../syntax/index.ts";

export interface Uses {
  /** The known beginnings of references into `data`; `[]` for one that may look anywhere. */
  readonly paths: readonly (readonly string[])[];
  readonly builtins: ReadonlySet<string>;
}

export function usesOf(group: RuleGroup): Uses {
  const collector = new Collector();
  for (const d of group.definitions) {
    collector.rule(d.rule);
    for (const key of d.keys) collector.term(key);
  }
  if (group.defaultRule !== undefined) collector.rule(group.defaultRule);
  return { paths: [...collector.paths.values()], builtins: collector.builtins };
}

class Collector {
  readonly paths = new Map<string, readonly string[]>();
  readonly builtins = new Set<string>();

  rule(rule: Rule): void {
    for (let branch: Rule | undefined = rule; branch !== undefined; branch = branch.else) {
      for (const arg of branch.head.args ?? []) this.term(arg);
      if (branch.head.value !== undefined) this.term(branch.head.value);
      this.body(branch.body);
    }
  }

  private body(body: Body): void {
    eachExprDeep(body, (expr) => {
      eachTerm(expr, (t) => this.own(t));
      for (const w of expr.with) {
        this.own(w.target);
        this.own(w.value);
      }
    });
  }

  /** A term with the bodies of comprehensions in it. */
  term(term: Term): void {
    this.own(term);
    eachClosureOfTerm(term, (closure) => this.body(closure.body));
  }

  /** A term without them. */
  private own(term: Term): void {
    if (term.kind === "Call") {
      if (term.operator.kind === "Var") this.builtins.add(term.operator.name);
      else this.own(term.operator);
    }
    if (term.kind === "Var" && term.name === "data") this.add([]);
    if (term.kind === "Ref" && term.head.kind === "Var") {
      if (term.head.name === "data") this.add(knownPrefix(term.args));
      else if (term.args.length === 0) this.builtins.add(term.head.name);
      for (const arg of term.args) this.own(arg);
    } else eachTerm(term, (part) => this.own(part));
  }

  private add(path: readonly string[]): void {
    this.paths.set(JSON.stringify(path), path);
  }
}

function knownPrefix(args: readonly Term[]): string[] {
  const path: string[] = [];
  for (const arg of args) {
    if (arg.kind !== "String") break;
    path.push(arg.value);
  }
  return path;
}
