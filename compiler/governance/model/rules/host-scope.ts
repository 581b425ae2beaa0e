/** Keys of a scope that the host sets itself, and that an adapter takes from what callers write (gate LIMITS). */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model, Named } from "../model.ts";

export function* hostScope({ settings }: Model): Iterable<Diagnostic> {
  const { envoy, mcp } = settings.adapters;
  const ofHost = new Set(settings.call.hostScope.map(({ name }) => name));
  const found = function* (keys: Iterable<Named>, from: string): Iterable<Diagnostic> {
    for (const { name: key, span } of keys)
      if (ofHost.has(key)) yield modelDiagnostic("model/host-scope-of-callers", { key, from }, span);
  };
  for (const { scope, query, path, segments } of envoy?.routes ?? []) {
    yield* found(
      segments.flatMap((part) => (part.kind === "Parameter" ? { name: part.key, span: path.span } : [])),
      "a route's path",
    );
    yield* found(query, "a query");
    yield* found(
      scope.map(({ key }) => key),
      "a request's body",
    );
  }
  for (const { scope } of mcp?.tools ?? [])
    yield* found(
      scope.map(({ key }) => key),
      "an argument",
    );
}
