/**
 * The typed model of a policy set, with the location of every name, so that rules can point at it.
 * INVARIANT: a model is always complete enough to be checked and, when no error was found, lowered. It judges nothing itself.
 */

import type { Span } from "@portcullis/rego/diagnostics";
import type {
  AgentType,
  APPROVER,
  EXEC,
  HANDOFF,
  LANE,
  MANIFEST,
  Named,
  ROLE,
  SETTINGS,
  SourceKind,
  TOOL,
} from "../sources/index.ts";
import type { Adapters } from "./adapters.ts";
import type { ToolArguments } from "./arguments.ts";
import type { CallLimit } from "./limits.ts";
import type { Offers } from "./offers.ts";
import type { PublicKey } from "./public-key.ts";
import type { ModelOf } from "./read-fields.ts";
import type { RequiredGates } from "./required-gates.ts";

export type { Named };

export type Role = ModelOf<typeof ROLE>;
export type Lane = ModelOf<typeof LANE>;
/** A table that calls in a lane may write, and how. */
export type LaneWrite = Lane["writes"][number];
export type Tool = ModelOf<typeof TOOL> & {
  /** `undefined` where the tool does not say. */
  readonly arguments: ToolArguments | undefined;
  /** Where its `implementation_status` stands. */
  readonly statusSpan: Span | undefined;
};

/** Who may approve calls that need a bound approval. */
export type Approver = ModelOf<typeof APPROVER> & {
  /** `undefined` where the file has none that can be used. */
  readonly key: PublicKey | undefined;
};

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

export interface Manifest extends ModelOf<typeof MANIFEST> {
  readonly type: Named;
  /** Where the limit is written, or else the type. */
  readonly limitSpan: Span;
}

/** Who hands over, by role. */
export interface HandoffAgents {
  readonly span: Span;
  readonly master: readonly Named[];
  readonly sub: readonly Named[];
}

/** The additions of `handoff.yaml` to the contract's floor. */
export interface HandoffAdditions extends ModelOf<typeof HANDOFF> {
  /** Masters and subs; `undefined` where no file names any. */
  readonly agents: HandoffAgents | undefined;
}

export interface ExecPolicy extends ModelOf<typeof EXEC> {
  readonly span: Span;
  /** What `exec run` starts; empty where the file names none. */
  readonly interpreters: readonly Interpreter[];
}

/** By the extension of scripts: an absolute path, and arguments before the script's. */
export interface Interpreter {
  readonly extension: string;
  readonly command: readonly string[];
}

export interface Settings extends ModelOf<typeof SETTINGS> {
  readonly adapters: Adapters;
  /** Absent where the file does not speak of it. */
  readonly mcp: Offers | undefined;
}

/** A warning that the set lives with. */
export type Waiver = Settings["waive"][number];

/** A part of the policy set that decisions need; each comes from files of one kind. */
export type Part = "roles" | "lanes" | "tool_registry" | "approvers" | "agent" | "manifest" | "exec";

export interface Model {
  readonly settings: Settings;
  readonly roles: ReadonlyMap<string, Role>;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly approvers: ReadonlyMap<string, Approver>;
  /** By `Agent.key`. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly handoff: HandoffAdditions;
  readonly exec: ExecPolicy | undefined;
  readonly limits: ReadonlyMap<string, CallLimit>;
  /** The authors' `must`, of Rego that is not a test. */
  readonly requiredGates: RequiredGates;
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
  "approvers",
  "agent",
  "manifest",
  "handoff",
  "exec",
  "limits",
];

/** Agent names are compared with `-` as `_`. */
export function agentKey(name: string): string {
  return name.replace(/-/g, "_");
}

/** The form of an agent name. */
export function isAgentName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name);
}
