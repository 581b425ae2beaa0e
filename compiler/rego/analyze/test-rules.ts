/**
 * Which rules are tests, as `opa test` says: those of which a part of the name begins with `test_`, or with `todo_test_` for
 * tests to be skipped. Several rules of one name are several tests: from the second on, each gets a number, `test_x#01`.
 */

import type { Span } from "../diagnostics/index.ts";
import { isScalar, type Module, type Ref, type Rule, type Scalar, type Term } from "../syntax/index.ts";
import { keysText } from "./text.ts";

/** A rule that `opa test` would run, by OPA's own rules for names. */
export interface TestRule {
  /** `data.app_test`. */
  readonly package: string;
  /** The rule's name up to the part that makes it a test: `test_x`, `test_x#01`, `group.test_x`. */
  readonly name: string;
  /** Both, as a ref: what `--run` is matched with, and the entrypoint of the test. */
  readonly ref: string;
  /** The same below `data`: texts, and what else a key can be. */
  readonly path: readonly Scalar[];
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
    const packageParts = module.package.path.args.filter(isScalar);
    let changed = false;
    const rules = module.rules.map((rule) => {
      const parts = testParts(rule.head.ref);
      if (parts === undefined) return rule;
      const key = keysText([...packageParts, ...parts]);
      const last = textOf(parts.at(-1));
      const isSkipped = last.startsWith("todo_");
      const count = isSkipped ? 0 : (seen.get(key) ?? 0);
      seen.set(key, count + 1);
      const own =
        count === 0
          ? parts
          : [...parts.slice(0, -1), text(rule.head.span, `${last}#${String(count).padStart(2, "0")}`)];
      tests.push(testRule(rule, packageParts, own, isSkipped));
      if (count === 0) return rule;
      changed = true;
      return { ...rule, head: { ...rule.head, ref: renamed(rule.head.ref, own) } };
    });
    return changed ? { ...module, rules } : module;
  });
  return { modules: named, tests };
}

/** The parts of a rule's name up to the first that makes it a test; a key that is computed ends the search. */
function testParts(ref: Ref): Scalar[] | undefined {
  const parts: Scalar[] = [];
  for (const part of [named(ref.head), ...ref.args]) {
    if (!isScalar(part)) return undefined;
    parts.push(part);
    if (part.kind === "String" && PREFIX.test(part.value)) return parts;
  }
  return undefined;
}

/** A variable stands for a name where it begins the ref. */
function named(head: Term): Term {
  return head.kind === "Var" ? text(head.span, head.name) : head;
}

function text(span: Span, value: string): Scalar {
  return { kind: "String", span, value, raw: false };
}

function textOf(part: Scalar | undefined): string {
  return part?.kind === "String" ? part.value : "";
}

function testRule(rule: Rule, packageParts: readonly Scalar[], parts: readonly Scalar[], isSkipped: boolean): TestRule {
  const { ref, args, key } = rule.head;
  const isVariable = (term: Term): boolean => term.kind === "Var" || term.kind === "Ref" || term.kind === "Call";
  const path = [...packageParts, ...parts];
  return {
    package: `data${keysText(packageParts)}`,
    name: textOf(parts[0]) + keysText(parts.slice(1)),
    ref: `data${keysText(path)}`,
    path,
    span: rule.span,
    isSkipped,
    hasCases:
      args === undefined &&
      key === undefined &&
      (ref.args.some(isVariable) || (ref.args.length === 1 && !rule.hasBody)),
    isFunction: args !== undefined,
  };
}

/** The ref with another name for the last of its first parts. */
function renamed(ref: Ref, parts: readonly Scalar[]): Ref {
  const last = parts.length - 2;
  if (last < 0) return { ...ref, head: { kind: "Var", span: ref.head.span, name: textOf(parts[0]) } };
  return { ...ref, args: ref.args.map((arg, i) => (i === last ? (parts.at(-1) as Scalar) : arg)) };
}
