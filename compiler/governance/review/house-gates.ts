/** The gates that authors added to decisions, `must` and `deny` in `portcullis.ext.<decision>`, as the Rego in a bundle has them. */

import { parseModule, type Rule, type Term } from "@portcullis/rego/syntax";
import type { JsonObject } from "@portcullis/rego/value";
import { bundleModules } from "./bundle-modules.ts";
import type { Place } from "./explain/places.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { member, policyTables } from "./policy-ids.ts";

/** One gate of the house: all rules of one name. */
export interface HouseGate {
  /** The decision that asks it: `tool`. */
  readonly decision: string;
  /** `must`: denies where no rule holds. `deny`: denies where one does. */
  readonly form: "must" | "deny";
  /** `undefined` where the rule computes it. */
  readonly gate: string | undefined;
  readonly reason: string | undefined;
  /** What METADATA says of it. */
  readonly says: string | undefined;
  readonly rules: readonly { readonly text: string; readonly place: Place }[];
}

/** In the order in which the bundle's files have them. */
export function houseGates(opened: OpenedPolicy): HouseGate[] {
  const reasons = policyTables(opened.data)?.["gates"];
  const gates = new Map<string, HouseGate>();
  for (const file of bundleModules(opened)) {
    const { module } = parseModule(file);
    const [root, ext, decision, ...more] =
      module?.package.path.args.map((arg) => (arg.kind === "String" ? arg.value : "")) ?? [];
    if (module === undefined || root !== "portcullis" || ext !== "ext" || decision === undefined || more.length > 0)
      continue;
    for (const [index, rule] of module.rules.entries()) {
      const form = formOf(rule);
      if (form === undefined) continue;
      const { gate, reason } = namesOf(rule, form);
      const key = JSON.stringify([decision, form, gate, form === "deny" ? reason : ""]);
      const block = module.annotations.find(({ annotation: { target, scope } }) => {
        return target.kind === "Rule" && target.index === index && (scope === "rule" || scope === "document");
      });
      const { title = "", description = "" } = block?.annotation ?? {};
      const said = [title, description].filter((text) => text !== "").join(": ");
      const { line, column } = file.positionAt(rule.span.start);
      const text = file.text.slice(rule.span.start, rule.span.end);
      const known = gates.get(key);
      const known_reason = form === "must" ? textAt(reasons, decision, gate) : reason;
      gates.set(key, {
        decision,
        form,
        gate,
        reason: known_reason,
        says: known?.says ?? (said === "" ? undefined : said),
        rules: [...(known?.rules ?? []), { text, place: { file: file.name.replace(/^\//, ""), line, column } }],
      });
    }
  }
  return [...gates.values()];
}

function formOf({ head, isDefault }: Rule): HouseGate["form"] | undefined {
  const name = head.ref.head.kind === "Var" ? head.ref.head.name : "";
  return !isDefault && head.key !== undefined && (name === "must" || name === "deny") ? name : undefined;
}

function namesOf({ head: { key } }: Rule, form: HouseGate["form"]): { gate?: string; reason?: string } {
  if (key === undefined) return {};
  if (form === "must") return textOf("gate", key);
  if (key.kind !== "Object") return {};
  const entries = key.entries.flatMap(([name, value]) =>
    name.kind === "String" && (name.value === "gate" || name.value === "reason") ? [textOf(name.value, value)] : [],
  );
  return Object.assign({}, ...entries);
}

function textOf(name: "gate" | "reason", term: Term): { gate?: string; reason?: string } {
  return term.kind === "String" ? { [name]: term.value } : {};
}

function textAt(reasons: unknown, decision: string, gate: string | undefined): string | undefined {
  const text = gate === undefined ? undefined : member(member(reasons as JsonObject, decision), gate);
  return typeof text === "string" ? text : undefined;
}
