/**
 * Roles that have a row of their own in `min` or `max` of an argument: each must be defined, and none be named as the row of all
 * others is (gate ARGUMENTS).
 */

import { type Diagnostic, didYouMeanOf } from "@portcullis/rego/diagnostics";
import type { Limit, Members } from "../arguments.ts";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* limitRoles(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("roles")) return;
  for (const { arguments: said } of model.tools.values()) {
    for (const [argument, { members, approval, each }] of said?.byName ?? []) {
      const approved = [approval, each?.approval].flatMap((a) => (a?.kind === "Matching" ? a.members : []));
      for (const of of [members, each?.members ?? members, ...approved].filter((m, i, all) => all.indexOf(m) === i))
        for (const [member, limit] of limitsOf(of)) yield* rows(argument, member, limit, model);
    }
  }
}

function limitsOf({ min, max }: Members): [string, Limit | undefined][] {
  return [
    ["min", min],
    ["max", max],
  ];
}

function* rows(argument: string, member: string, limit: Limit | undefined, { roles }: Model): Iterable<Diagnostic> {
  const taken = roles.get("default");
  if (limit?.row !== undefined && taken !== undefined)
    yield modelDiagnostic("model/role-named-default", { member, argument }, limit.row, {
      help: "give the role another id",
      related: [{ message: "the role", span: taken.id.span }],
    });
  for (const [role, { span }] of limit?.byRole ?? []) {
    if (roles.has(role)) continue;
    yield modelDiagnostic("model/undefined-role-of-limit", { member, argument, role }, span, didYouMeanOf(role, roles));
  }
}
