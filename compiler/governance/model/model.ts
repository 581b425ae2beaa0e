/**
 * The typed model of a policy set, with the location of every name, so that rules can point at it.
 * INVARIANT: a model is always complete enough to be checked and, when no error was found, lowered. It judges nothing itself.
 */

import type { Span } from "@portcullis/rego/diagnostics";
import type { AgentType, SourceKind } from "../sources/index.ts";
import type { Adapters } from "./adapters.ts";

/** A name as written somewhere: an id where it is defined, a reference elsewhere. */
export interface Named {
  readonly name: string;
  readonly span: Span;
}

export interface Role {
  readonly id: Named;
  readonly class: string | undefined;
  readonly description: string | undefined;
  /** `privileges.lanes`; `undefined` where the role does not say. */
  readonly claims: readonly Named[] | undefined;
}

export interface Lane {
  readonly id: Named;
  readonly purpose: string | undefined;
  readonly roles: readonly Named[];
  readonly tools: readonly Named[];
  readonly writes: readonly LaneWrite[];
  readonly requires: readonly Named[];
  readonly prohibits: readonly Named[];
}

/** A table that calls in a lane may write, and how. */
export interface LaneWrite {
  readonly table: Named;
  readonly mode: Named;
}

export interface Tool {
  readonly id: Named;
  readonly description: string | undefined;
  readonly enabled: boolean | undefined;
  readonly implementationStatus: string | undefined;
  /** `allowed_lanes`; `undefined` where the tool does not say. */
  readonly lanes: readonly Named[] | undefined;
  readonly scopeKeys: readonly Named[];
  readonly prohibitedFlags: readonly Named[];
  /** `write_targets`; `undefined` where the tool does not say. */
  readonly writeTargets: readonly Named[] | undefined;
  readonly approval: "required" | "none";
}

export interface Agent {
  /** The name with `-` as `_`: names are compared in this form. */
  readonly key: string;
  /** The name as the file has it; its location is the start of the file. */
  readonly name: Named;
  readonly type: AgentType | undefined;
  readonly class: Named | undefined;
  /** In the order and spelling of the front matter, without repetitions. */
  readonly allowlist: readonly Named[];
}

export interface Manifest {
  readonly type: Named;
  readonly canSpawn: readonly Named[];
  readonly maxSpawnDepth: number;
  /** Where the limit is written, or else the type. */
  readonly limitSpan: Span;
  readonly tools: readonly Named[] | undefined;
  readonly paths: readonly Named[] | undefined;
  readonly egress: readonly Named[] | undefined;
}

/** Who hands over, by role. */
export interface HandoffAgents {
  readonly span: Span;
  readonly master: readonly Named[];
  readonly sub: readonly Named[];
}

/** The additions of `handoff.yaml` to the contract's floor. */
export interface HandoffAdditions {
  readonly requiredFields: readonly Named[];
  readonly forbiddenMutations: readonly Named[];
  /** Masters and subs; `undefined` where no file names any. */
  readonly agents: HandoffAgents | undefined;
  /** Files and folders from the root that a sub must not touch. */
  readonly forbiddenPaths: readonly Named[];
  readonly placeholders: readonly Named[];
}

export interface ExecPolicy {
  readonly span: Span;
  readonly modes: readonly Named[];
  /** `undefined` where the file leaves the default. */
  readonly inlineModes: readonly Named[] | undefined;
  /** Without a `/` at its end. */
  readonly stagingRoot: Named | undefined;
  readonly scriptExtensions: readonly Named[] | undefined;
  readonly hatLifetimeSeconds: number | undefined;
  /** What `exec run` starts; empty where the file names none. */
  readonly interpreters: readonly Interpreter[];
  readonly environment: readonly Named[] | undefined;
}

/** By the extension of scripts: an absolute path, and arguments before the script's. */
export interface Interpreter {
  readonly extension: string;
  readonly command: readonly string[];
}

export interface Settings {
  readonly subagents: {
    readonly unresolved: "error" | "drop";
    /** Who `approvedBy` may name. */
    readonly approvers: "any" | "human";
  };
  readonly lineage: {
    readonly depth: "positional" | "reported";
    readonly maxChain: number;
    readonly roots: readonly Named[];
    /** Whether a request without a lineage is denied; `undefined` where the file does not say, which means no. */
    readonly require: boolean | undefined;
  };
  /** `undefined` where the file leaves it to whether there are manifests. */
  readonly call: {
    readonly lineage: "required" | "optional" | undefined;
    /** `allow` or `deny`, for agents of a chain that have no manifest. */
    readonly unknownAgents: Named | undefined;
  };
  readonly adapters: Adapters;
  readonly rego: {
    readonly allowBuiltins: readonly Named[];
    /** Paths below `data` that the host supplies. */
    readonly hostData: readonly Named[];
  };
  readonly bundle: { readonly revision: string | undefined };
  readonly waive: readonly Waiver[];
}

/** A warning that the set lives with. */
export interface Waiver {
  readonly code: Named;
  /** `FILE`, or `FILE#NAME`. */
  readonly at: Named;
  readonly reason: Named;
  readonly until: Named | undefined;
}

/** A part of the policy set that decisions need; each comes from files of one kind. */
export type Part = "roles" | "lanes" | "tool_registry" | "agent" | "manifest" | "exec";

export interface Model {
  readonly settings: Settings;
  readonly roles: ReadonlyMap<string, Role>;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly tools: ReadonlyMap<string, Tool>;
  /** By `Agent.key`. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly handoff: HandoffAdditions;
  readonly exec: ExecPolicy | undefined;
  /** `version` of the lanes and roles files. */
  readonly versions: { readonly lanes: string | undefined; readonly roles: string | undefined };
  /** Parts of which every file was read. Only in these does the absence of an entry mean anything. */
  readonly complete: ReadonlySet<Part>;
  /** Parts of which there is a file, usable or not. */
  readonly present: ReadonlySet<Part>;
  /** Whether there is any governance source at all; otherwise the set is an author's plain Rego. */
  readonly governed: boolean;
}

/** Kinds of files that make a policy set a governed one. */
export const GOVERNANCE_KINDS: readonly SourceKind[] = [
  "settings",
  "roles",
  "lanes",
  "tool_registry",
  "agent",
  "manifest",
  "handoff",
  "exec",
];

/** Agent names are compared with `-` as `_`. */
export function agentKey(name: string): string {
  return name.replace(/-/g, "_");
}

/** The form of an agent name. */
export function isAgentName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name);
}
