/** `adapters` of portcullis.yaml: how requests of other protocols are calls. Each part is there where the file has it. */

import type { LaneWrite, Named } from "./model.ts";

export interface Adapters {
  readonly envoy: EnvoyAdapter | undefined;
  readonly authzen: AuthzenAdapter | undefined;
  readonly mcp: McpAdapter | undefined;
}

/** What a request of another protocol calls. */
export interface MappedCall {
  readonly tool: Named;
  readonly scope: readonly ScopeSource[];
  readonly flags: readonly Named[];
  readonly writes: readonly LaneWrite[];
}

/** A key of the call's scope, and the argument or header that holds its value. */
export interface ScopeSource {
  readonly key: Named;
  readonly from: Named;
}

export interface EnvoyAdapter {
  readonly headers: {
    readonly role: Named;
    readonly lane: Named | undefined;
    readonly lineage: Named | undefined;
    readonly approval: Named | undefined;
    readonly scope: readonly ScopeSource[];
  };
  readonly routes: readonly Route[];
}

export interface Route extends MappedCall {
  readonly method: Named;
  readonly path: Named;
  readonly segments: readonly Segment[];
  readonly lane: Named | undefined;
  readonly query: readonly Named[];
  readonly body: "ignored" | "json";
}

/** A part of a route's path: that text, or any, which becomes a key of the scope. */
export type Segment =
  | { readonly kind: "Literal"; readonly text: string }
  | { readonly kind: "Parameter"; readonly key: string };

export interface AuthzenAdapter {
  readonly subjectType: Named;
  readonly resourceType: Named;
  readonly actions: readonly { readonly name: Named; readonly lane: Named }[];
  readonly ignoredContext: readonly Named[];
}

export interface McpAdapter {
  readonly tools: readonly MappedTool[];
}

export interface MappedTool extends MappedCall {
  readonly name: Named;
}
