/** Definitions that cannot stand together: kinds, paths below a value, defaults, packages and data. */

import type { Diagnostic } from "../diagnostics/index.ts";
import { isScalar } from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { isGroundName, type RuleTree, type TreeNode } from "./rule-tree.ts";
import { nameOfRule, pathText } from "./text.ts";
import type { Unit, WorkRule } from "./work.ts";

function related(rules: readonly WorkRule[]): { message: string; span: WorkRule["source"]["span"] }[] {
  return rules
    .slice(0, 10)
    .map((r) => ({ message: `${nameOfRule(r)} is defined here, too`, span: r.source.head.span }));
}

/** The rules strictly below a node that `counts` tells of, but no more than are of use in a message. */
function below(node: TreeNode, counts: (rule: WorkRule) => boolean): WorkRule[] {
  const found: WorkRule[] = [];
  const queue = [...node.children.values()];
  for (let n = queue.shift(); n && found.length < 10; n = queue.shift()) {
    found.push(...n.rules.filter(counts));
    queue.push(...n.children.values());
  }
  return found.slice(0, 10);
}

/** What may not stand below: anything below a value, and functions below an object whose keys are computed. */
function conflictsBelow(node: TreeNode): WorkRule[] {
  if (node.children.size === 0) return [];
  if (node.rules.some(isGroundName)) return below(node, () => true);
  return below(node, (rule) => rule.args !== undefined);
}

function markBroken(rules: readonly WorkRule[]): void {
  for (const rule of rules) rule.broken = true;
}

/** Complete rules, partial rules and functions of one path exclude each other. */
type Kind = "single" | "set" | "sets in an object" | "object" | `function of ${number}`;

function kindOf(rule: WorkRule): Kind {
  if (rule.args) return `function of ${rule.args.length}`;
  if (rule.key) return isGroundName(rule) ? "set" : "sets in an object";
  return isGroundName(rule) ? "single" : "object";
}

/** An `else` below an object whose keys are computed: OPA passes over it, or does not, as its rule index happens to have it. */
function checkElse(node: TreeNode, out: Diagnostic[]): void {
  const around = node.rules.find((rule) => !isGroundName(rule));
  if (!around) return;
  const others = nameOfRule(around);
  for (const rule of below(node, ({ branches }) => branches.length > 1)) {
    const name = nameOfRule(rule);
    out.push(
      analyzeDiagnostic("analyze/else-below-keys", { name, others }, rule.source.head.span, {
        related: related([around]),
      }),
    );
    rule.broken = true;
  }
}

function checkNode(node: TreeNode, out: Diagnostic[]): void {
  const [first, ...rest] = node.rules;
  if (!first) return;
  const others = conflictsBelow(node);
  if (others.length > 0) {
    const name = nameOfRule(first);
    const names = `[${[...new Set(others.map(nameOfRule))].sort().join(" ")}]`;
    out.push(
      analyzeDiagnostic("analyze/rule-conflict", { name, others: names }, first.source.span, {
        related: related(others),
      }),
    );
    markBroken(node.rules);
    return;
  }
  checkElse(node, out);
  if (rest.length === 0) return;
  const kinds = new Set(node.rules.map(kindOf));
  if (kinds.size > 1) {
    const name = nameOfRule(node.rules.at(-1) as WorkRule);
    out.push(analyzeDiagnostic("analyze/conflicting-rules", { name }, first.source.span, { related: related(rest) }));
    markBroken(node.rules);
    return;
  }
  const defaults = node.rules.filter((r) => r.isDefault);
  if (defaults.length > 1) {
    const at = defaults[0]?.unit.module.package.span;
    out.push(
      analyzeDiagnostic("analyze/multiple-defaults", { name: nameOfRule(first) }, at, { related: related(defaults) }),
    );
    markBroken(defaults);
  }
}

const SHORTEST = /^(?!-0$)-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

/** A name with `1.0` is not found by `1`, so both could be defined. Behind a variable, keys are compared as values. */
function checkNumbers(rules: readonly WorkRule[], out: Diagnostic[]): void {
  for (const rule of rules) {
    for (const key of rule.keys) {
      if (!isScalar(key)) break;
      if (key.kind !== "Number" || SHORTEST.test(key.text)) continue;
      out.push(analyzeDiagnostic("analyze/number-key", { text: key.text, name: nameOfRule(rule) }, key.span));
      rule.broken = true;
    }
  }
}

function checkPackages(tree: RuleTree, units: readonly Unit[], out: Diagnostic[]): void {
  for (const unit of units) {
    const node = tree.find(unit.path);
    for (const rule of node?.rules ?? []) {
      if (!isGroundName(rule) || rule.unit === unit) continue;
      const name = pathText("", unit.path).replace(/^\./, "");
      const params = { package: name, rule: nameOfRule(rule) };
      const where = [{ message: "the rule", span: rule.source.head.span }];
      out.push(
        analyzeDiagnostic("analyze/package-conflict", params, rule.unit.module.package.span, { related: where }),
      );
      rule.broken = true;
    }
  }
}

function checkData(tree: RuleTree, exists: (path: readonly string[]) => boolean, out: Diagnostic[]): void {
  for (const node of tree.nodes) {
    const rule = node.rules[0];
    if (!rule) continue;
    const path = tree.pathOfNode(node);
    if (exists(path)) out.push(analyzeDiagnostic("analyze/data-conflict", { path: path.join("/") }, rule.source.span));
  }
}

export function checkConflicts(
  tree: RuleTree,
  units: readonly Unit[],
  dataExists: ((path: readonly string[]) => boolean) | undefined,
  out: Diagnostic[],
): void {
  for (const node of tree.nodes) {
    checkNode(node, out);
    checkNumbers(node.rules, out);
  }
  checkPackages(tree, units, out);
  if (dataExists) checkData(tree, dataExists, out);
}
