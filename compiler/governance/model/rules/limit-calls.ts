/** Limits that name what is not defined, that are about no call, or that no call can keep (gate LIMITS). */

import { type Diagnostic, didYouMeanOf } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { CallLimit, LimitList } from "../limits.ts";
import type { Model, Named, Part, Tool } from "../model.ts";

const KINDS: { readonly [L in LimitList]: readonly [kind: string, part: Part] } = {
  tools: ["tool", "tool_registry"],
  roles: ["role", "roles"],
  lanes: ["lane", "lanes"],
};
const LISTS = Object.keys(KINDS) as LimitList[];

export function* limitCalls(model: Model): Iterable<Diagnostic> {
  for (const limit of model.limits.values()) {
    for (const list of LISTS) yield* undefinedNames(model, limit, list, limit.calls[list] ?? []);
    yield* undefinedNames(model, limit, "tools", limit.onlyAfter?.tools ?? []);
    yield* undefinedNames(model, limit, "tools", limit.neverAfter?.tools ?? []);
    yield* keysOfCallers(model, limit);
    if (LISTS.every((list) => model.complete.has(KINDS[list][1]))) yield* ofNoCall(model, limit);
    yield* neverBegins(limit);
    yield* addends(model, limit);
  }
}

function* undefinedNames(
  model: Model,
  limit: CallLimit,
  list: LimitList,
  names: readonly Named[],
): Iterable<Diagnostic> {
  const [kind, part] = KINDS[list];
  if (!model.complete.has(part)) return;
  for (const { name, span } of names) {
    if (model[list].has(name)) continue;
    const params = { list, limit: limit.id.name, kind, name };
    yield modelDiagnostic("model/limit-of-undefined", params, span, didYouMeanOf(name, model[list]));
  }
}

/** A key that an agent may choose would be a fresh budget. */
function* keysOfCallers({ settings }: Model, { id, per, maxSum, neverAfter }: CallLimit): Iterable<Diagnostic> {
  const limit = id.name;
  const ofHost = new Set(settings.call.hostScope.map(({ name }) => `scope.${name}`));
  for (const { name: text, span } of per) {
    if (!text.startsWith("scope.") || ofHost.has(text)) continue;
    yield modelDiagnostic("model/limit-key-of-callers", { limit, text }, span, didYouMeanOf(text, ofHost));
  }
  if (maxSum?.of.name.startsWith("scope.") && !ofHost.has(maxSum.of.name))
    yield modelDiagnostic("model/sum-of-callers", { limit, text: maxSum.of.name }, maxSum.of.span);
  if (neverAfter !== undefined && per.length === 0) yield modelDiagnostic("model/never-for-all", { limit }, id.span);
}

function* ofNoCall({ lanes }: Model, { id, calls }: CallLimit): Iterable<Diagnostic> {
  const isCalled = [...lanes.values()].some(
    (lane) =>
      (calls.lanes?.some(({ name }) => name === lane.id.name) ?? true) &&
      lane.tools.some((tool) => covers(calls.tools, tool)) &&
      lane.roles.some((role) => covers(calls.roles, role)),
  );
  if (!isCalled) yield modelDiagnostic("model/limit-of-no-call", { limit: id.name }, id.span);
}

function covers(list: readonly Named[] | undefined, { name }: Named): boolean {
  return list?.some((one) => one.name === name) ?? true;
}

function* neverBegins({ id, calls, onlyAfter }: CallLimit): Iterable<Diagnostic> {
  if (onlyAfter === undefined || onlyAfter.tools.length === 0) return;
  if (calls.roles !== undefined || calls.lanes !== undefined) return;
  if (onlyAfter.tools.every((tool) => covers(calls.tools, tool)))
    yield modelDiagnostic("model/limit-never-begins", { limit: id.name }, id.span);
}

/** Tools that say what their arguments may be, and have no whole number under the name that is added up. */
function* addends({ tools }: Model, { id, calls, maxSum }: CallLimit): Iterable<Diagnostic> {
  if (maxSum === undefined || !maxSum.of.name.startsWith("args.")) return;
  const { name: text, span } = maxSum.of;
  for (const tool of tools.values()) {
    const problem = covers(calls.tools, tool.id) ? problemOf(tool, text.slice("args.".length)) : undefined;
    if (problem !== undefined)
      yield modelDiagnostic("model/sum-of-nothing", { limit: id.name, text, tool: tool.id.name, problem }, span);
  }
}

function problemOf({ arguments: said }: Tool, name: string): string | undefined {
  if (said === undefined) return undefined;
  const argument = said.byName.get(name);
  if (argument === undefined) return said.others === "deny" ? "no such argument" : undefined;
  const { type, required } = argument;
  if (type !== "integer" && type !== "number" && type !== "any") return `it as a value of type \`${type}\``;
  return required ? undefined : "it as an argument that need not be there";
}
