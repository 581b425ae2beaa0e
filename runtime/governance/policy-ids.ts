/** What the compiler of a program knows of one policy set: `Policy<Ids>` and `load<typeof ids>` are held to it. */

import type { DecisionKind } from "../abi/index.ts";
import type { WithHandles } from "../encode/index.ts";
import type { AuthoredDenial, DecisionKinds, Denied } from "./decision.ts";
import type { AnyScope } from "./requests.ts";

/** The shape of `ids` in a generated `types.ts`. Without one, ids are any texts. */
export interface PolicyIds {
  /** Roles of roles.yaml. */
  readonly roles: readonly string[];
  /** Lanes of lanes.yaml. */
  readonly lanes: readonly string[];
  /** Tools of tool_registry.yaml. */
  readonly tools: readonly string[];
  /** Agents that a turn can be asked for. */
  readonly personas: readonly string[];
  /** Agents that a persona may delegate to. */
  readonly subagents: readonly string[];
  /** Agent types of the spawn manifests. */
  readonly agentTypes: readonly string[];
  /** Modes of exec.yaml. */
  readonly modes: readonly string[];
  /** Denials of the authors' own rules, by decision. A type alone: there is no such value. */
  readonly denials?: { readonly [Kind in DecisionKind]?: Denied };
  /** What a scope may hold. A type alone. */
  readonly scope?: unknown;
  /** What arguments of a tool authors' rules read. A type alone. */
  readonly args?: unknown;
  /** Values of the authors' own entrypoints, by path. A type alone. */
  readonly entrypoints?: { readonly [path: string]: unknown };
}

/** What a decision takes; any text in it may be a handle. */
export type RequestOf<Ids extends PolicyIds, Kind extends DecisionKind> = WithHandles<
  DecisionKinds<Ids>[Kind]["request"]
>;

/** What a decision answers. */
export type DecisionOf<Ids extends PolicyIds, Kind extends DecisionKind> = DecisionKinds<Ids>[Kind]["decision"];

/** Whether a policy set is known: its ids are not just any text. */
export type Known<Ids extends PolicyIds> = string extends Ids["roles"][number] ? false : true;

/** The ids of a list. */
export type Id<Ids extends PolicyIds, List extends IdList> = Ids[List][number];

/** Names of the lists. */
export type IdList = "roles" | "lanes" | "tools" | "personas" | "subagents" | "agentTypes" | "modes";

/** What authors' rules of a decision deny with. */
export type DenialOf<Ids extends PolicyIds, Kind extends DecisionKind> =
  Known<Ids> extends false ? AuthoredDenial : DeclaredDenial<NonNullable<Ids["denials"]>, Kind>;

/** The denials that a policy set declares for one decision. */
export type DeclaredDenial<Denials, Kind extends DecisionKind> = Kind extends keyof Denials
  ? Extract<Denials[Kind], Denied>
  : never;

/** What a scope may hold. */
export type ScopeOf<Ids extends PolicyIds> = Known<Ids> extends false ? AnyScope : NonNullable<Ids["scope"]>;

/** What arguments may be. */
export type ArgsOf<Ids extends PolicyIds> = Known<Ids> extends false ? unknown : NonNullable<Ids["args"]>;

/** Paths of entrypoints: those of the policy set, or any text where the set is not known. */
export type EntrypointPath<Ids extends PolicyIds> =
  Known<Ids> extends false
    ? string
    : DecisionPath | AdapterPath | Extract<keyof NonNullable<Ids["entrypoints"]>, string>;

/** Paths of the library's entrypoints. */
export type DecisionPath = `portcullis/${DecisionKind}/decision`;

/** Paths of the adapters, which a policy set has where its settings say so. */
export type AdapterPath =
  | "portcullis/authzen/actions"
  | "portcullis/authzen/asked"
  | "portcullis/authzen/evaluation"
  | "portcullis/envoy/authz"
  | "portcullis/mcp/call"
  | "portcullis/offer/mcp";

/** What an entrypoint takes: for a decision of a known policy set its request, otherwise any value. */
export type EntrypointInput<Ids extends PolicyIds, Path extends string> =
  Known<Ids> extends false
    ? unknown
    : Path extends `portcullis/${infer Kind extends DecisionKind}/decision`
      ? WithHandles<DecisionKinds<Ids>[Kind]["request"]>
      : unknown;

/** What an entrypoint gives. `undefined`: it has no answer; treat it as a denial. */
export type EntrypointValue<
  Ids extends PolicyIds,
  Path extends string,
> = Path extends `portcullis/${infer Kind extends DecisionKind}/decision`
  ? DecisionKinds<Ids>[Kind]["decision"] | undefined
  : Path extends keyof NonNullable<Ids["entrypoints"]>
    ? NonNullable<Ids["entrypoints"]>[Path] | undefined
    : unknown;

/** The key of `KnownAs`. Declared alone: there is no such symbol at run time. */
export declare const known: unique symbol;

/** What a policy is known to be. A type alone: no value has this member. A guard takes its requests and answers from it. */
export interface KnownAs<Ids extends PolicyIds> {
  readonly [known]?: Ids;
}
