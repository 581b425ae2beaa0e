/**
 * Rules that differ between two policies, by their syntax: comments, layout and order count for nothing. A change that can
 * only deny more is told apart: a further `deny` rule of an extension and the rules of a further gate of its `must`, unless rules
 * of the house read those, and rules that nothing asked before.
 */

import { type Module, type ParsedModule, parseModule, type Rule } from "@portcullis/rego/syntax";
import { bundleModules } from "../bundle-modules.ts";
import type { Place } from "../explain/places.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { segment } from "./contents.ts";
import { readersOf } from "./rule-reads.ts";

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

type Bundled = Pick<OpenedPolicy, "files">;

interface Placed {
  readonly key: string;
  readonly path: string;
  /** The path by its parts, without `data`. */
  readonly parts: readonly string[];
  readonly module: Module;
  readonly rule: Rule;
  readonly place: Place;
}

/** What only layout needs. */
const LAYOUT = new Set(["span", "parenthesized", "raw", "braces", "leftBraces", "rightBraces"]);

/** Every rule that one policy has and the other has not. */
export function regoChanges(before: Bundled, after: Bundled): RegoChange[] {
  const [old, fresh] = [rulesOf(before), rulesOf(after)];
  const removed = without(old, fresh);
  const added = without(fresh, old);
  const known = new Set(old.map(({ path }) => path));
  const isRead = readersOf(old, old);
  // The library reads `deny` and `must` as denials. What else depends on them may allow more then.
  const isReadByHouse = readersOf(old.filter(isOfHouse), old);
  const required = new Set(old.flatMap((placed) => requirementOf(placed) ?? []));
  const isHarmless = (placed: Placed): boolean => {
    const requirement = requirementOf(placed);
    // A further rule of a gate is a further way to meet it.
    if (requirement !== undefined) return !required.has(requirement) && !isReadByHouse(placed.parts);
    if (isDenial(placed)) return !isReadByHouse(placed.parts);
    return !known.has(placed.path) && !isRead(placed.parts);
  };
  return [
    ...removed.map(({ path, rule, place }): RegoChange => ({ path, kind: "removed", rule, place, isHarmless: false })),
    ...added.map((placed): RegoChange => {
      const { path, rule, place } = placed;
      return { path, kind: "added", rule, place, isHarmless: isHarmless(placed) };
    }),
  ];
}

/** Whether rules of the house may read a path of the data, by themselves or by what they ask the library. */
export function readByHouse(opened: Bundled): (path: readonly string[]) => boolean {
  const all = rulesOf(opened);
  return readersOf(all.filter(isOfHouse), all);
}

function rulesOf(opened: Bundled): Placed[] {
  const modules = bundleModules(opened).map((file): ParsedModule => parseModule(file));
  return modules.flatMap(({ module }) => (module === undefined ? [] : placedRules(module)));
}

function placedRules(module: Module): Placed[] {
  const within = module.package.path.args.map((arg) => (arg.kind === "String" ? arg.value : ""));
  // The same text means another rule under other imports.
  const imports = [...module.imports.map((i) => canonical([i.path, i.alias]))].sort().join();
  return module.rules.map((rule) => {
    const head = rule.head.ref.head;
    const parts = [...within, head.kind === "Var" ? head.name : ""];
    const path = parts.reduce((whole, part) => `${whole}${segment(part)}`, "data");
    const { line, column } = rule.span.file.positionAt(rule.span.start);
    const place = { file: rule.span.file.name.replace(/^\//, ""), line, column };
    return { key: `${path} ${imports} ${canonical(rule)}`, path, parts, module, rule, place };
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

/** Whether authors wrote it: the library's packages are `portcullis` and those below, without `ext`. */
function isOfHouse({ parts: [root, ext] }: Placed): boolean {
  return root !== "portcullis" || ext === "ext";
}
