/** Rules and queries on their way through analysis. The stages replace their parts in order; nothing else sees these. */

import type { Body, Module, Rule, Term } from "../syntax/index.ts";

/** Makes the names of locals of one rule or query (names.ts); one counter, so no two are alike. */
export class NameSupply {
  private next = 1;

  /** A name for a variable that was written. */
  fresh(written: string): string {
    return `${written}#${this.next++}`;
  }

  /** A name for a local that rewriting needs. */
  generated(): string {
    return `#${this.next++}`;
  }
}

/** A module and its path below `data`. */
export interface Unit {
  readonly module: Module;
  readonly path: readonly string[];
}

/** A rule is one branch, and one more for every `else`. Branches share the head but for the value. */
export interface Branch {
  readonly source: Rule;
  value: Term | undefined;
  body: Body;
  /** `body` without `print`; the same where nothing is printed. */
  final: Body;
}

export interface WorkRule {
  readonly unit: Unit;
  readonly source: Rule;
  readonly names: NameSupply;
  readonly isDefault: boolean;
  /** The name's parts after the package up to the first that is not a string; at least one. */
  readonly name: readonly string[];
  /** The path of the rule's document below `data`: the package's path and `name`. */
  readonly path: readonly string[];
  /** The parts of the name after that: variables and scalars, once rewritten. */
  keys: Term[];
  args: Term[] | undefined;
  /** The key after `contains`. */
  key: Term | undefined;
  branches: Branch[];
  /** The names in front of its calls as written, `data.` functions aside: every builtin that it calls. */
  readonly called: ReadonlySet<string>;
  /** Whether there may be a closure in it (walk.ts). Most rules have none, and stages then look for none inside of terms. */
  closures: boolean;
  /** Something is printed in it. */
  prints: boolean;
  /** An error was found in it: later stages, which could only repeat or misread it, leave it out. */
  broken: boolean;
}

export interface WorkQuery {
  readonly name: string;
  readonly names: NameSupply;
  body: Body;
  /** `body` without `print`. */
  final: Body;
  broken: boolean;
}
