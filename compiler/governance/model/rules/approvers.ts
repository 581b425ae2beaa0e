/** Who may approve what: tools are there, keys are each one person's, and somebody may approve what needs it (gate APPROVAL). */

import { type Diagnostic, didYouMeanOf } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Approver, Model, Tool } from "../model.ts";

export function* approvers(model: Model): Iterable<Diagnostic> {
  yield* sharedKeys(model);
  const isKnown = model.complete.has("tool_registry");
  if (isKnown) yield* undefinedTools(model);
  const binding = [...model.tools.values()].filter(binds);
  const isWhole = model.complete.has("approvers") || !model.present.has("approvers");
  for (const { id } of isWhole ? binding : []) {
    if (![...model.approvers.values()].some((approver) => mayApprove(approver, id.name)))
      yield modelDiagnostic("model/tool-without-approver", { tool: id.name }, id.span);
  }
  for (const approver of isKnown ? model.approvers.values() : []) {
    const { name, span } = approver.id;
    if (!binding.some(({ id }) => mayApprove(approver, id.name)))
      yield modelDiagnostic("model/idle-approver", { name }, span);
  }
}

function mayApprove({ tools }: Approver, tool: string): boolean {
  return tools === undefined || tools.some(({ name }) => name === tool);
}

/** Whether some call of the tool needs a bound approval. */
function binds({ approval, arguments: said }: Tool): boolean {
  const rules = [...(said?.byName.values() ?? [])].flatMap((a) => (a.each === undefined ? [a] : [a, a.each]));
  return approval === "bound" || rules.some((rule) => rule.approval?.isBound === true);
}

function* sharedKeys(model: Model): Iterable<Diagnostic> {
  const owners = new Map<string, Approver["id"]>();
  for (const { id, key } of model.approvers.values()) {
    if (key === undefined) continue;
    const text = JSON.stringify(key);
    const owner = owners.get(text);
    if (owner === undefined) {
      owners.set(text, id);
      continue;
    }
    const related = [{ message: "the other approver", span: owner.span }];
    yield modelDiagnostic("model/approvers-share-key", { name: id.name, other: owner.name }, id.span, { related });
  }
}

function* undefinedTools({ approvers: all, tools: known }: Model): Iterable<Diagnostic> {
  for (const { id, tools } of all.values()) {
    for (const { name: tool, span } of tools ?? []) {
      if (known.has(tool)) continue;
      yield modelDiagnostic(
        "model/undefined-tool-of-approver",
        { name: id.name, tool },
        span,
        didYouMeanOf(tool, known),
      );
    }
  }
}
