/** What requests of other protocols are, stated from the pages of the protocols and of `adapters` in portcullis.yaml. */
import { call } from "./call.ts";
import { lane } from "./lane.ts";
import { lineage } from "./lineage.ts";
import type { PolicyData } from "./policy.ts";
import { type Decision, entry, field, isObject, isWritten } from "./values.ts";

interface Mapped {
  readonly tool: string;
  readonly scope: { readonly [key: string]: string };
  readonly flags: readonly string[];
  readonly writes: readonly object[];
}

export interface AdapterTables {
  readonly envoy: {
    readonly headers: {
      readonly role: string;
      readonly lane?: string;
      readonly lineage?: string;
      readonly approval?: string;
      readonly scope: { readonly [key: string]: string };
    };
    readonly routes: readonly (Mapped & {
      readonly method: string;
      readonly segments: readonly (string | null)[];
      readonly parameters: { readonly [key: string]: number };
      readonly query: { readonly [name: string]: true };
      readonly body: "ignored" | "json";
      readonly lane?: string;
    })[];
  };
  readonly authzen: {
    readonly subject_type: string;
    readonly resource_type: string;
    readonly actions: { readonly [name: string]: { readonly lane: string } };
    readonly ignored_context: { readonly [name: string]: true };
  };
  readonly mcp: { readonly tools: { readonly [name: string]: Mapped } };
}

type Offered =
  | { readonly open: true }
  | {
      readonly open: false;
      readonly lanes: {
        readonly [lane: string]: {
          readonly names: { readonly [name: string]: true };
          readonly prefixes: readonly string[];
        };
      };
    };

export type AdaptedPolicy = PolicyData & {
  readonly adapters: AdapterTables;
  readonly offers: { readonly [kind: string]: Offered };
};

const deny = (gate: string, reason: string): Decision => ({ allowed: false, gate, reason });

/** The call that a request is, or why it is not one. */
type Read = { readonly denial: Decision } | { readonly request: object };

const refused = (gate: string, reason: string): Read => ({ denial: deny(gate, reason) });

/** Absent, or an object; else `undefined`. */
function optionalObject(container: unknown, key: string): { readonly [key: string]: unknown } | undefined {
  const value = isObject(container) && Object.hasOwn(container, key) ? container[key] : {};
  return isObject(value) ? value : undefined;
}

function scopeFrom(mapped: Mapped, args: unknown): object {
  const found = Object.entries(mapped.scope).map(([key, name]) => [key, field(args, name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function mcp(policy: AdaptedPolicy, input: unknown): Read {
  const request = field(input, "request");
  const params = field(request, "params");
  const args = optionalObject(params, "arguments");
  const isCall = field(request, "jsonrpc") === "2.0" && field(request, "method") === "tools/call";
  if (!isCall || !isWritten(field(params, "name")) || !isObject(params) || args === undefined)
    return refused("REQUEST", "request_malformed");
  const identity = field(input, "identity");
  const [role, lane] = [field(identity, "role"), field(identity, "lane")];
  if (!isWritten(role) || !isWritten(lane)) return refused("IDENTITY", "identity_missing");
  const mapped = entry(policy.adapters.mcp.tools, field(params, "name"));
  if (mapped === undefined) return refused("MAPPING", "tool_not_mapped");
  const { tool, flags, writes } = mapped;
  const claims = { lineage: field(identity, "lineage"), approval: field(identity, "approval") };
  return { request: { role, lane, tool, scope: scopeFrom(mapped, args), flags, writes, ...claims, args } };
}

const CLAIMS = ["scope", "flags", "writes", "lineage", "approval"];

function authzen({ adapters }: AdaptedPolicy, input: unknown): Read {
  const [subject, action, resource] = ["subject", "action", "resource"].map((key) => field(input, key));
  const context = optionalObject(input, "context");
  const args = optionalObject(action, "properties");
  const texts = [field(action, "name"), field(resource, "type"), field(resource, "id")];
  if (!texts.every(isWritten) || context === undefined || args === undefined)
    return refused("REQUEST", "request_malformed");
  const { subject_type, resource_type, actions, ignored_context } = adapters.authzen;
  if (!isWritten(field(subject, "id"))) return refused("IDENTITY", "identity_missing");
  if (field(subject, "type") !== subject_type) return refused("IDENTITY", "subject_type_not_mapped");
  const mapped = entry(actions, field(action, "name"));
  if (mapped === undefined) return refused("MAPPING", "action_not_mapped");
  if (field(resource, "type") !== resource_type) return refused("MAPPING", "resource_type_not_mapped");
  if (!Object.keys(context).every((name) => CLAIMS.includes(name) || entry(ignored_context, name)))
    return refused("REQUEST", "context_not_understood");
  const claims = Object.fromEntries(CLAIMS.map((name) => [name, field(context, name)]));
  return { request: { role: field(subject, "id"), lane: mapped.lane, tool: field(resource, "id"), ...claims, args } };
}

/** What a server offers beside tools: for a role that may be in the lane, by a chain as calls need it. */
function offer(policy: AdaptedPolicy, input: unknown): Decision {
  const [kind, name] = [field(input, "kind"), field(input, "name")];
  if ((kind !== "resources" && kind !== "prompts") || !isWritten(name)) return deny("REQUEST", "request_malformed");
  if (lineage(policy, input)["allowed"] !== true) return deny("LINEAGE", "lineage_not_permitted");
  const agents = field(input, "lineage");
  if (!Array.isArray(agents) || agents.length === 0) return deny("LINEAGE", "lineage_missing");
  if (lane(policy, input)["allowed"] !== true) return deny("LANE_AUTHORIZATION", "lane_not_authorized");
  const offered = entry(policy.offers, kind);
  const listed = offered?.open === false ? entry(offered.lanes, field(input, "lane")) : undefined;
  const goesOn = (prefix: string): boolean =>
    name.startsWith(prefix) &&
    name
      .slice(prefix.length)
      .split("/")
      .every((s) => SEGMENT.test(s) && s !== "." && s !== "..");
  const isOffered =
    offered?.open === true || entry(listed?.names, name) !== undefined || listed?.prefixes.some(goesOn) === true;
  return isOffered ? { allowed: true, gate: "ALLOW", reason: "offered" } : deny("OFFER", "not_offered_in_lane");
}

const SEGMENT = /^[A-Za-z0-9._~:@-]+$/;

function envoy({ adapters }: AdaptedPolicy, input: unknown): Read {
  const http = field(field(field(input, "attributes"), "request"), "http");
  const [method, path, headers] = [field(http, "method"), field(http, "path"), field(http, "headers")];
  if (typeof method !== "string" || typeof path !== "string" || !path.startsWith("/") || !isObject(headers))
    return refused("REQUEST", "request_malformed");
  const [before, query, ...more] = path.split("?");
  const segments = (before as string).slice(1).split("/");
  if (more.length > 0 || !segments.every((s) => SEGMENT.test(s) && s !== "." && s !== ".."))
    return refused("ROUTE", "path_ambiguous");
  const routes = adapters.envoy.routes.filter(
    (one) =>
      one.method === method &&
      one.segments.length === segments.length &&
      one.segments.every((wanted, i) => wanted === null || wanted === segments[i]),
  );
  const [route] = routes;
  if (route === undefined) return refused("ROUTE", "route_not_mapped");
  if (routes.length > 1) return refused("ROUTE", "route_ambiguous");
  const pairs = query === undefined ? [] : query.split("&").map((pair) => pair.split("="));
  const isMapped = ([name, value, ...rest]: string[]): boolean =>
    entry(route.query, name) !== undefined && SEGMENT.test(value ?? "") && rest.length === 0;
  if (!pairs.every(isMapped) || new Set(pairs.map(([name]) => name)).size < pairs.length)
    return refused("ROUTE", "query_not_mapped");
  const whole = (field(input, "truncated_body") ?? absentAs(input, "truncated_body")) === false;
  const body = field(input, "parsed_body");
  if (route.body === "json" && !(whole && isObject(body))) return refused("REQUEST", "body_not_understood");
  const args = route.body === "json" ? body : {};
  const names = adapters.envoy.headers;
  const header = (name: string | undefined): unknown => (name === undefined ? undefined : field(headers, name));
  const [role, lane] = [header(names.role), route.lane ?? header(names.lane)];
  if (![role, lane].every((text) => isWritten(text) && !text.includes(",")))
    return refused("IDENTITY", "identity_missing");
  const claims: { [name: string]: unknown } = {};
  for (const name of ["lineage", "approval"] as const) {
    const text = header(names[name]);
    if (text === undefined || text === false) continue;
    try {
      claims[name] = JSON.parse(text as string);
    } catch {
      return refused("IDENTITY", "identity_malformed");
    }
    if (typeof text !== "string") return refused("IDENTITY", "identity_malformed");
  }
  const told = scopeFrom({ ...route, scope: names.scope }, headers);
  // Two headers of one name are joined by a comma on the way.
  if (Object.values(told).some((value) => typeof value === "string" && value.includes(",")))
    return refused("IDENTITY", "identity_malformed");
  const places = Object.entries(route.parameters).map(([key, i]) => [key, segments[i]]);
  const scope = {
    ...Object.fromEntries(pairs),
    ...scopeFrom(route, args),
    ...Object.fromEntries(places),
    ...told,
  };
  const { tool, flags, writes } = route;
  return { request: { role, lane, tool, scope, flags, writes, ...claims, args } };
}

/** `false` for a member that is absent; `null` is there. */
function absentAs(container: unknown, key: string): unknown {
  return isObject(container) && Object.hasOwn(container, key) ? null : false;
}

/** The suite has a rule of an author's, which denies over an argument: so it is seen which arguments the decision has. */
function decided(policy: AdaptedPolicy, read: Read): Decision {
  if ("denial" in read) return read.denial;
  const answer = call(policy, read.request);
  const told = field(field(read.request, "args"), "tell");
  return answer["allowed"] === true && isWritten(told) ? deny("ARGUMENT", told) : answer;
}

/** By entrypoint: the answer that the protocol's own side expects. */
export const adapterStatements = {
  "portcullis/mcp/call": (policy: AdaptedPolicy, input: unknown): Decision => decided(policy, mcp(policy, input)),
  "portcullis/offer/mcp": offer,
  "portcullis/authzen/evaluation": (policy: AdaptedPolicy, input: unknown): Decision => {
    const { allowed, ...context } = decided(policy, authzen(policy, input));
    return { decision: allowed ?? null, context: context as Decision };
  },
  "portcullis/envoy/authz": (policy: AdaptedPolicy, input: unknown): Decision => {
    const decision = decided(policy, envoy(policy, input));
    const short = { gate: decision["gate"] ?? null, reason: decision["reason"] ?? null };
    if (decision["allowed"] === true) return { ...decision, dynamic_metadata: short };
    const headers = { "content-type": "application/json" };
    return { ...decision, http_status: 403, headers, body: JSON.stringify(short), dynamic_metadata: short };
  },
} as const;
