/** Mappings of other protocols: do tools and lanes exist, and does each name and each request mean one thing? */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import type { MappedCall, Route } from "../adapters.ts";
import { modelDiagnostic } from "../codes.ts";
import type { Model, Named } from "../model.ts";

export function* adapterMappings(model: Model): Iterable<Diagnostic> {
  const { envoy, authzen, mcp } = model.settings.adapters;
  const calls: readonly MappedCall[] = [...(envoy?.routes ?? []), ...(mcp?.tools ?? [])];
  const lanes = [...(envoy?.routes ?? []), ...(authzen?.actions ?? [])].flatMap(({ lane }) => lane ?? []);
  if (model.complete.has("tool_registry"))
    for (const { tool } of calls)
      if (!model.tools.has(tool.name))
        yield modelDiagnostic(
          "model/undefined-mapped-tool",
          { tool: tool.name },
          tool.span,
          didYouMean(tool.name, model.tools.keys()),
        );
  if (model.complete.has("lanes"))
    for (const lane of lanes)
      if (!model.lanes.has(lane.name))
        yield modelDiagnostic(
          "model/undefined-mapped-lane",
          { lane: lane.name },
          lane.span,
          didYouMean(lane.name, model.lanes.keys()),
        );
  yield* repeated((authzen?.actions ?? []).map(({ name }) => name));
  yield* repeated((mcp?.tools ?? []).map(({ name }) => name));
  for (const { scope } of mcp?.tools ?? []) yield* repeated(scope.map(({ key }) => key));
  if (envoy === undefined) return;
  const headers = envoy.headers.scope.map(({ key }) => key);
  yield* repeated(headers);
  for (const route of envoy.routes) yield* repeated([...headers, ...scopeKeys(route)]);
  yield* overlaps(envoy.routes);
}

/** Every key of the scope that a route gives a value; those of its path stand where the path is written. */
function scopeKeys(route: Route): Named[] {
  const parameters = route.segments.flatMap((s) =>
    s.kind === "Parameter" ? [{ name: s.key, span: route.path.span }] : [],
  );
  return [...parameters, ...route.query, ...route.scope.map(({ key }) => key)];
}

function* repeated(names: readonly Named[]): Iterable<Diagnostic> {
  const seen = new Map<string, Named>();
  for (const named of names) {
    const first = seen.get(named.name);
    if (first === undefined) seen.set(named.name, named);
    else
      yield modelDiagnostic("model/mapped-twice", { name: named.name }, named.span, {
        related: [{ message: "first mapped here", span: first.span }],
      });
  }
}

/** Two routes that one request fits: it would be denied. */
function* overlaps(routes: readonly Route[]): Iterable<Diagnostic> {
  for (const [i, route] of routes.entries()) {
    const first = routes.slice(0, i).find((other) => meet(other, route));
    if (first !== undefined)
      yield modelDiagnostic(
        "model/overlapping-routes",
        { path: route.path.name, other: first.path.name },
        route.path.span,
        {
          related: [{ message: "the other route", span: first.path.span }],
        },
      );
  }
}

function meet(a: Route, b: Route): boolean {
  return (
    a.method.name === b.method.name &&
    a.segments.length === b.segments.length &&
    a.segments.every((one, i) => {
      const other = b.segments[i];
      return one.kind === "Parameter" || other?.kind === "Parameter" || one.text === other?.text;
    })
  );
}
