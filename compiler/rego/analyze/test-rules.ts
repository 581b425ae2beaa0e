/**
 * Which rules are tests, as `opa test` says: those of which a part of the name begins with `test_`, or with `todo_test_` for
 * tests to be skipped. Several rules of one name are several tests: from the second on, each gets a number, `test_x#01`.
 */

import type { Span } from "../diagnostics/index.ts";
import type { Module, Ref, Rule, Term } from "../syntax/index.ts";
import { pathText } from "./text.ts";

/** A rule that `opa test` would run, by OPA's own rules for names. */
export interface TestRule {
  /** `data.app_test`. */
  readonly package: string;
  /** The rule's name up to the part that makes it a test: `test_x`, `test_x#01`, `group.test_x`. */
  readonly name: string;
  /** Both, as a ref: what `--run` is matched with, and the entrypoint of the test. */
  readonly ref: string;
  /** The same below `data`. */
  readonly path: readonly string[];
  readonly span: Span;
  readonly isSkipped: boolean;
  /** `test_x[name] if …`: each value of `name` is a case of the test. `test_x.name := …` has one, as OPA has it. */
  readonly hasCases: boolean;
  readonly isFunction: boolean;
}

export interface NamedTests {
  /** The modules, with one name a test. */
  readonly modules: readonly Module[];
  /** In the order of modules and rules. */
  readonly tests: readonly TestRule[];
}

const PREFIX = /^(?:todo_)?test_/;

export function nameTests(modules: readonly Module[]): NamedTests {
  const tests: TestRule[] = [];
  const seen = new Map<string, number>();
  const named = modules.map((module) => {
    const packageParts = module.package.path.args.map((a) => (a.kind === "String" ? a.value : ""));
    let changed = false;
    const rules = module.rules.map((rule) => {
      const parts = testParts(rule.head.ref);
      if (parts === undefined) return rule;
      const key = pathText("data", [...packageParts, ...parts]);
      const isSkipped = (parts.at(-1) as string).startsWith("todo_");
      const count = isSkipped ? 0 : (seen.get(key) ?? 0);
      seen.set(key, count + 1);
      const own = count === 0 ? parts : [...parts.slice(0, -1), `${parts.at(-1)}#${String(count).padStart(2, "0")}`];
      tests.push(testRule(rule, packageParts, own, isSkipped));
      if (count === 0) return rule;
      changed = true;
      return { ...rule, head: { ...rule.head, ref: renamed(rule.head.ref, own) } };
    });
    return changed ? { ...module, rules } : module;
  });
  return { modules: named, tests };
}

/** The parts of a rule's name up to the first that makes it a test. */
function testParts(ref: Ref): string[] | undefined {
  const parts: string[] = [];
  for (const part of [ref.head, ...ref.args]) {
    if (part.kind !== "Var" && part.kind !== "String") return undefined;
    // A variable stands for a name only where it begins the ref.
    if (part.kind === "Var" && part !== ref.head) return undefined;
    parts.push(part.kind === "Var" ? part.name : part.value);
    if (PREFIX.test(parts.at(-1) as string)) return parts;
  }
  return undefined;
}

function testRule(rule: Rule, packageParts: readonly string[], parts: readonly string[], isSkipped: boolean): TestRule {
  const { ref, args, key } = rule.head;
  const isVariable = (term: Term): boolean => term.kind === "Var" || term.kind === "Ref" || term.kind === "Call";
  return {
    package: pathText("data", packageParts),
    name: pathText(parts[0] as string, parts.slice(1)),
    ref: pathText("data", [...packageParts, ...parts]),
    path: [...packageParts, ...parts],
    span: rule.span,
    isSkipped,
    hasCases:
      args === undefined &&
      key === undefined &&
      (ref.args.some(isVariable) || (ref.args.length === 1 && !rule.hasBody)),
    isFunction: args !== undefined,
  };
}

/** The ref with other names for its first parts. */
function renamed(ref: Ref, parts: readonly string[]): Ref {
  const [head, ...rest] = parts;
  return {
    ...ref,
    head: { kind: "Var", span: ref.head.span, name: head as string },
    args: ref.args.map((arg, i) => {
      const value = rest[i];
      return value === undefined || arg.kind !== "String" ? arg : { ...arg, value };
    }),
  };
}
