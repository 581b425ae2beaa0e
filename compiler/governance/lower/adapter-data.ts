/** Mappings of other protocols → `data.portcullis.policy.adapters`, which the adapters of the library read. */

import type { Adapters, EnvoyAdapter, MappedCall, Named, Route, ScopeSource } from "../model/index.ts";
import { type Names, names, type Table, table, texts } from "./tables.ts";

interface CallData {
  readonly tool: string;
  /** Key of the scope → argument. */
  readonly scope: Table<string>;
  readonly flags: readonly string[];
  readonly writes: readonly { readonly table: string; readonly mode: string }[];
}

interface EnvoyData {
  readonly headers: {
    readonly role: string;
    readonly lane?: string | undefined;
    readonly lineage?: string | undefined;
    readonly approval?: string | undefined;
    /** Key of the scope → header. */
    readonly scope: Table<string>;
  };
  readonly routes: readonly RouteData[];
}

interface RouteData extends CallData {
  readonly method: string;
  /** `null` stands for any segment. */
  readonly segments: readonly (string | null)[];
  /** Key of the scope → place of its segment. */
  readonly parameters: Table<number>;
  readonly query: Names;
  readonly body: "ignored" | "json";
  readonly lane?: string | undefined;
}

interface AuthzenData {
  readonly subject_type: string;
  readonly resource_type: string;
  readonly actions: Table<{ readonly lane: string }>;
  readonly ignored_context: Names;
}

/** An adapter that is not mapped is absent. */
export interface AdapterData {
  readonly envoy?: EnvoyData | undefined;
  readonly authzen?: AuthzenData | undefined;
  readonly mcp?: { readonly tools: Table<CallData> } | undefined;
}

/** `undefined` where the set maps no protocol. */
export function adapterData({ envoy, authzen, mcp }: Adapters): AdapterData | undefined {
  if (envoy === undefined && authzen === undefined && mcp === undefined) return undefined;
  return {
    envoy: envoy && envoyData(envoy),
    authzen: authzen && {
      subject_type: authzen.subjectType.name,
      resource_type: authzen.resourceType.name,
      actions: table(byName(authzen.actions), ({ lane }) => ({ lane: lane.name })),
      ignored_context: names(authzen.ignoredContext),
    },
    mcp: mcp && { tools: table(byName(mcp.tools), callData) },
  };
}

function envoyData({ headers, routes }: EnvoyAdapter): EnvoyData {
  const { role, lane, lineage, approval, scope } = headers;
  return {
    headers: {
      role: role.name,
      lane: lane?.name,
      lineage: lineage?.name,
      approval: approval?.name,
      scope: scopeData(scope),
    },
    routes: routes.map(routeData),
  };
}

function routeData(route: Route): RouteData {
  const { method, segments, query, body, lane } = route;
  const parameters = segments.flatMap((s, i) => (s.kind === "Parameter" ? [[s.key, i] as const] : []));
  return {
    ...callData(route),
    method: method.name,
    segments: segments.map((s) => (s.kind === "Literal" ? s.text : null)),
    parameters: table(new Map(parameters), (place) => place),
    query: names(query),
    body,
    lane: lane?.name,
  };
}

function callData({ tool, scope, flags, writes }: MappedCall): CallData {
  return {
    tool: tool.name,
    scope: scopeData(scope),
    flags: texts(flags),
    writes: writes.map((write) => ({ table: write.table.name, mode: write.mode.name })),
  };
}

function scopeData(sources: readonly ScopeSource[]): Table<string> {
  return table(new Map(sources.map(({ key, from }) => [key.name, from.name])), (name) => name);
}

function byName<T extends { readonly name: Named }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name.name, item]));
}
