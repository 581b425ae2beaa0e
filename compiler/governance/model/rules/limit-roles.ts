/**
 * Roles that have a row of their own in `min` or `max` of an argument: each must be defined, and none be named as the row of all
 * others is (gate ARGUMENTS). In `approval`, a table without a row for a role asks no person about it (gate APPROVAL).
 */

import { type Diagnostic, didYouMeanOf } from "@portcullis/rego/diagnostics";
import type { ArgumentRule, Limit, Members } from "../arguments.ts";
import { modelDiagnostic } from "../codes.ts";
import type { Model, Named } from "../model.ts";

export function* limitRoles(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("roles")) return;
  const users = usersOf(model);
  for (const { id, arguments: said } of model.tools.values()) {
    for (const [argument, { name, members, approval, each }] of said?.byName ?? []) {
      const approved = [approval, each?.approval].flatMap((a) => (a?.kind === "Matching" ? a.members : []));
      for (const of of [members, each?.members ?? members, ...approved].filter((m, i, all) => all.indexOf(m) === i))
        for (const [member, limit] of limitsOf(of)) yield* rows(argument, member, limit, model);
      for (const rule of [{ members, approval }, ...(each === undefined ? [] : [each])])
        yield* unasked(name, rule, users.get(id.name) ?? new Set());
    }
  }
}

/** By tool, the roles that may use it in some lane. */
function usersOf({ lanes }: Model): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const { roles, tools } of lanes.values())
    for (const { name } of tools) {
      const of = users.get(name) ?? new Set();
      users.set(name, of);
      for (const role of roles) of.add(role.name);
    }
  return users;
}

function* unasked(
  argument: Named,
  { members, approval }: Pick<ArgumentRule, "members" | "approval">,
  roles: ReadonlySet<string>,
): Iterable<Diagnostic> {
  if (approval?.kind !== "Matching") return;
  const asked = approval.members;
  // Where the argument has no such member itself, nothing is allowed without a person.
  if (
    Object.entries(asked).some(([name, value]) => value !== undefined && members[name as keyof Members] === undefined)
  )
    return;
  for (const role of roles) {
    if (limitsOf(members).some(([, limit]) => isWithoutRow(limit, role))) continue;
    const [member] = limitsOf(asked).find(([, limit]) => isWithoutRow(limit, role)) ?? [];
    if (member === undefined) continue;
    yield modelDiagnostic("model/approval-without-role", { role, argument: argument.name, member }, argument.span, {
      help: "add `default` to the table, for roles without a row",
    });
  }
}

function isWithoutRow(limit: Limit | undefined, role: string): boolean {
  return limit !== undefined && limit.otherwise === undefined && !limit.byRole.has(role);
}

function limitsOf({ min, max }: Members): ["min" | "max", Limit | undefined][] {
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
