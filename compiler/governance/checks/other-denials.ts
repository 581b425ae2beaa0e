/**
 * `deny if …` or `deny := …` beside `deny contains …`, and the same of `must`: reports the rule that is not asked, and not that the
 * two conflict.
 */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { Module, Rule } from "@portcullis/rego/syntax";
import { extendedDecision } from "./authored-facts.ts";
import { notDeny } from "./codes.ts";

const CONFLICTS: ReadonlySet<string> = new Set(["analyze/conflicting-rules", "analyze/rule-conflict"]);

/** The findings of an analysis, those on rules of an extension in the author's words. */
export function namingOtherDenials(found: readonly Diagnostic[], modules: readonly Module[]): Diagnostic[] {
  const unasked = modules.flatMap((m) => otherRequirements(m));
  return found.flatMap((d) => {
    // What the library asks for can be no other kind of rule: the library is not at fault.
    if (unasked.length > 0 && d.span?.file.name.startsWith("portcullis/")) return unasked;
    const name = CONFLICTS.has(d.code)
      ? /^data\.portcullis\.ext\.(\w+)\.(must|deny)$/.exec(String(d.params?.["name"]))
      : null;
    if (name === null) return [d];
    const extending = modules.filter((m) => extendedDecision(m) === name[1]);
    const others = extending.flatMap((m) => m.rules).filter((rule) => isCalled(rule, name[2]) && !isPartial(rule));
    return others.length === 0
      ? [d]
      : others.map((rule) => notDeny(`portcullis.ext.${name[1]}.${name[2]}`, rule.head.span));
  });
}

/** `must if …` where no rule of that name is right. */
function otherRequirements(module: Module): Diagnostic[] {
  const kind = extendedDecision(module);
  if (kind === undefined) return [];
  const wrong = module.rules.filter((rule) => isCalled(rule, "must") && !isPartial(rule));
  return wrong.map((rule) => notDeny(`portcullis.ext.${kind}.must`, rule.head.span));
}

function isCalled({ head: { ref } }: Rule, name: string | undefined): boolean {
  return ref.head.kind === "Var" && ref.head.name === name;
}

function isPartial({ head, isDefault }: Rule): boolean {
  return head.key !== undefined && head.ref.args.length === 0 && !isDefault;
}
