/**
 * Rules that differ between two policies, by their syntax: comments, layout and order count for nothing. A change that can
 * only deny more is told apart: a further `deny` rule of an extension, the rules of a further gate of its `must`, and rules that
 * nothing asked before.
 */

import { type Module, type ParsedModule, parseModule, type Rule } from "@portcullis/rego/syntax";
import { bundleModules } from "../bundle-modules.ts";
import type { Place } from "../explain/places.ts";
import type { OpenedPolicy } from "../opened-policy.ts";

export interface RegoChange {
  /** `data.portcullis.ext.tool.deny` */
  readonly path: string;
  readonly kind: "added" | "removed";
  readonly rule: Rule;
  /** Where it is written, in the policy that has it. */
  readonly place: Place;
  /** Whether it can only deny more. */
  readonly isHarmless: boolean;
}

interface Placed {
  readonly key: string;
  readonly path: string;
  readonly rule: Rule;
  readonly place: Place;
}

/** What only layout needs. */
const LAYOUT = new Set(["span", "parenthesized", "raw", "braces", "leftBraces", "rightBraces"]);

/** Every rule that one policy has and the other has not. */
export function regoChanges(before: OpenedPolicy, after: OpenedPolicy): RegoChange[] {
  const [old, fresh] = [rulesOf(before), rulesOf(after)];
  const removed = without(old, fresh);
  const added = without(fresh, old);
  const isNew = unasked(old, added);
  const required = new Set(old.flatMap((placed) => requirementOf(placed) ?? []));
  return [
    ...removed.map(({ path, rule, place }): RegoChange => ({ path, kind: "removed", rule, place, isHarmless: false })),
    ...added.map((placed): RegoChange => {
      const requirement = requirementOf(placed);
      // A further rule of a gate is a further way to meet it.
      const isHarmless = requirement === undefined ? isDenial(placed) || isNew(placed) : !required.has(requirement);
      const { path, rule, place } = placed;
      return { path, kind: "added", rule, place, isHarmless };
    }),
  ];
}

function rulesOf(opened: OpenedPolicy): Placed[] {
  const modules = bundleModules(opened).map((file): ParsedModule => parseModule(file));
  return modules.flatMap(({ module }) => (module === undefined ? [] : placedRules(module)));
}

function placedRules(module: Module): Placed[] {
  const name = module.package.path.args.map((arg) => (arg.kind === "String" ? arg.value : "")).join(".");
  // The same text means another rule under other imports.
  const imports = [...module.imports.map((i) => canonical([i.path, i.alias]))].sort().join();
  return module.rules.map((rule) => {
    const head = rule.head.ref.head;
    const path = `data.${name}.${head.kind === "Var" ? head.name : ""}`;
    const { line, column } = rule.span.file.positionAt(rule.span.start);
    const place = { file: rule.span.file.name.replace(/^\//, ""), line, column };
    return { key: `${name} ${imports} ${canonical(rule)}`, path, rule, place };
  });
}

function canonical(node: unknown): string {
  return JSON.stringify(node, (key, value: unknown) => (LAYOUT.has(key) ? undefined : value));
}

/** The rules that the first list has more often than the second. Both may repeat rules. */
function without(rules: readonly Placed[], others: readonly Placed[]): Placed[] {
  const left = new Map<string, number>();
  for (const { key } of others) left.set(key, (left.get(key) ?? 0) + 1);
  return rules.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
}

function isDenial({ path, rule }: Placed): boolean {
  return /^data\.portcullis\.ext\.\w+\.deny$/.test(path) && rule.head.key !== undefined && !rule.isDefault;
}

/** Path and gate of a rule of an extension's `must`. */
function requirementOf({ path, rule: { head } }: Placed): string | undefined {
  if (!/^data\.portcullis\.ext\.\w+\.must$/.test(path) || head.key === undefined) return undefined;
  return `${path} ${head.key.kind === "String" ? head.key.value : ""}`;
}

/** A rule of a name that the rules before neither define nor write: none of them can have asked for it. */
function unasked(old: readonly Placed[], added: readonly Placed[]): (placed: Placed) => boolean {
  const known = new Set(old.map((o) => o.path));
  const words = new Set(old.flatMap((o) => o.key.match(/\w+/g) ?? []));
  // A reference with a part that is not known until evaluation may reach any rule of its package.
  const packages = new Set(old.map((o) => o.path.split(".").slice(0, -1).join(".")));
  const names = new Set(added.map((a) => a.path));
  return ({ path }) => {
    const parts = path.split(".");
    const isShared = packages.has(parts.slice(0, -1).join("."));
    return (
      names.has(path) && !known.has(path) && !words.has(parts.at(-1) as string) && (!isShared || !isDynamic(old, path))
    );
  };
}

function isDynamic(old: readonly Placed[], path: string): boolean {
  const root = path.split(".")[1] as string;
  return old.some((o) => o.key.includes(`"value":"${root}"},{"kind":"Var"`));
}
