/**
 * Requests, as types. `generated/types.ts` narrows their ids to those of one policy set. What a decision reads is in
 * `compiler/library`; a policy takes any value, and denies what is not a request.
 */

import type { PathFacts } from "../facts/index.ts";
import type { HistoryFacts } from "../history/index.ts";

/** May this role work in this lane? */
export interface LaneRequest<Role extends string = string, Lane extends string = string> {
  /** An id of roles.yaml. */
  readonly role: Role;
  /** An id of lanes.yaml. */
  readonly lane: Lane;
}

/** What a call is about, by key. */
export interface AnyScope {
  readonly [key: string]: unknown;
}

/** May this role use this tool in this lane? */
export interface ToolRequest<
  Role extends string = string,
  Lane extends string = string,
  Tool extends string = string,
  Scope = AnyScope,
  Args = unknown,
> extends LaneRequest<Role, Lane> {
  /** A name of tool_registry.yaml. */
  readonly tool: Tool;
  /** The subject of the request; the tool decision leaves it to authors' rules, the call decision reads it. */
  readonly scope?: Scope | null;
  /** The tool's own arguments: an object where the registry says what they may be, else anything. */
  readonly args?: Args;
}

/** May this persona's turn be handed subagents, and which? */
export interface SubagentRequest<Persona extends string = string> {
  /** The active persona, as `AGENT_<NAME>.md` names it, with `-` or `_`. */
  readonly persona: Persona;
  /** `opts.subagentGovernance` exactly as the caller sent it. */
  readonly governance?: unknown;
  /** The environment variable that counts, exactly as the host read it. */
  readonly env: {
    /** Delegation needs the text `"true"`. */
    readonly CHIRALITY_ENABLE_SUBAGENTS?: unknown;
  };
}

/** One agent of a chain. */
export interface LineageAgent<AgentType extends string = string> {
  /** A type that a spawn manifest is for. */
  readonly agent_type: AgentType;
  /** Integer, 0 at the root. */
  readonly spawn_depth: number;
  /** Who it is; no two agents of a chain have the same. */
  readonly agent_id?: string;
}

/** Did every agent of the chain have the permission to spawn the next one? */
export interface LineageRequest<AgentType extends string = string> {
  /** Root first; `null` and absent mean the same. */
  readonly lineage?: readonly LineageAgent<AgentType>[] | null;
}

/** What a host found at an artifact's path. */
export interface ArtifactEvidence {
  /** There is something at the path. */
  readonly exists: boolean;
  /** A regular file that could be read to its end. */
  readonly file: boolean;
  /** It lies inside the repository, links followed. */
  readonly contained: boolean;
  /** Where it lies, links resolved: a path from the root, with `/`. Read where the policy forbids paths to subs. */
  readonly resolved?: string;
  /** Digest of its bytes, in lower-case hex: a record that names a digest must name this one. */
  readonly sha256?: string;
  /** In bytes. */
  readonly size?: number;
}

/** Is this record of a handoff a valid delivery? */
export interface HandoffRequest {
  /** The record as it was read; whatever it is, the decision judges it. */
  readonly record: unknown;
  /** Evidence about the record's artifact paths, collected by the host; a path without evidence does not exist. */
  readonly artifacts: { readonly [path: string]: ArtifactEvidence };
}

/** A contract as the host read it, with what the host found out about it. */
export interface ExecContract {
  /** Letters, digits, `.`, `_` and `-`. */
  readonly contract_id: string;
  /** Only `open` counts. */
  readonly status: string;
  /** The host checked the signature, and it holds. */
  readonly signature_valid: boolean;
  /** By the host's clock. */
  readonly expired: boolean;
  /** The mode that the contract is for. */
  readonly mode: string;
  /** Where changes may be: files, or folders with a `/` at their end. */
  readonly declared_targets: readonly string[];
  /** What may be done there. */
  readonly declared_operations: readonly string[];
}

/** A person's signature on one script for one contract. */
export interface ExecPacket {
  /** Digest of the script that was signed, in lower-case hex. */
  readonly script_sha256: string;
  /** The contract that it was signed for. */
  readonly contract_id: string;
  /** The contract's targets when it was signed. */
  readonly declared_targets: readonly string[];
  /** The mode that it was signed for. */
  readonly mode: string;
  /** When it was signed. */
  readonly timestamp: string;
  /** The host checked the signature, and it holds. */
  readonly signature_valid: boolean;
  /** A packet of version 2 names operations as well; one without a version is of the first. */
  readonly version?: number;
  /** The contract's operations when it was signed; in packets of version 2. */
  readonly declared_operations?: readonly string[];
  /** Time since `timestamp` by the host's clock; needed where the policy limits a packet's life. */
  readonly age_seconds?: number;
}

/** May this code run? */
export interface ExecRequest<Mode extends string = string> {
  /** A mode of exec.yaml. */
  readonly mode: Mode;
  /** Code given at the call, or a staged file. */
  readonly kind: "inline" | "script";
  /** The session that asks. */
  readonly session: {
    /** The host checked it. */
    readonly valid: boolean;
  };
  /** The staged file; `null` for what there is not. */
  readonly script: {
    /** Canonical, below the staging root. */
    readonly path: string | null;
    /** Digest of its bytes, in lower-case hex. */
    readonly sha256: string | null;
  };
  /** The active contract; `null` without one. */
  readonly contract: ExecContract | null;
  /** The signed packet; `null` without one. */
  readonly hat: ExecPacket | null;
}

/** What was done to a file: it came, its content changed, it went, it moved unchanged, its mode changed. */
export type FileOperation = "CREATE" | "WRITE" | "DELETE" | "RENAME" | "MODE";

/** One thing that was done to one file. */
export interface ChangedFile {
  /** As the repository names it. */
  readonly path: string;
  /** Absolute, links followed; `null` where it could not be resolved. */
  readonly resolved: string | null;
  /** Needed where the contract declares operations. */
  readonly operation?: FileOperation;
}

/** Does what changed lie inside what was declared? */
export interface CloseRequest {
  /** The commit that changes are counted from; `null` without one. */
  readonly baseline_sha: string | null;
  /** `expired`: at the last commit. `"unsigned"`: no signature was asked for. Absent, it counts as an invalid one. */
  readonly contract?: "unsigned" | { readonly signature_valid: boolean; readonly expired: boolean };
  /** Absolute: where relative targets start. */
  readonly contract_root: string;
  /** Where changes may be: files, or folders with a `/` at their end. */
  readonly declared_targets: readonly string[];
  /** What may be done there. */
  readonly declared_operations?: readonly string[];
  /** A file to which several things were done stands there several times; `null` where no difference could be made. */
  readonly changed_files: readonly ChangedFile[] | null;
}

/** What the host of a call found out. */
export interface HostFacts {
  /** Where the files of arguments lie. */
  readonly paths?: PathFacts | null;
  /** Milliseconds since 1970, where a limit has to do with the call. */
  readonly now?: number | null;
  /** The session that calls. */
  readonly session?: string | null;
  /** What came before, by limit. */
  readonly history?: HistoryFacts | null;
  /** The digest of the call, where a bound approval may be asked for. */
  readonly call_sha256?: string | null;
  /** What is known of the approval. */
  readonly approval?: {
    readonly signature_valid: boolean;
    /** The approver whose key signed it. */
    readonly key_of?: string;
    readonly used?: boolean;
    readonly refused?: boolean;
  } | null;
}

/** A person's approval, by name alone. */
export interface NamedApproval {
  /** Where it is kept. */
  readonly ref: string;
  /** Who gave it; no role, agent or agent type of the policy. */
  readonly by: string;
}

/** An approval that is for one call: the content of the file that `portcullis approve` writes. */
export interface BoundApproval extends NamedApproval {
  readonly type: "portcullis-approval/1";
  readonly decision: "approve" | "refuse";
  /** The digest of the call, as `callDigest` makes it. */
  readonly call_sha256: string;
  /** `Policy.approvals.revision`. */
  readonly policy_revision: string;
  /** Milliseconds since 1970, at most a day ahead. */
  readonly expires_at: number;
  /** What makes it different from every other, so that it counts once. */
  readonly nonce: string;
  /** Over `approvalBytes`, in base64url. */
  readonly signature: string;
}

/** May this tool be called now, in this lane, with this scope, by this chain of agents? */
export interface CallRequest<
  Role extends string = string,
  Lane extends string = string,
  Tool extends string = string,
  AgentType extends string = string,
  Scope = AnyScope,
  Args = unknown,
> extends ToolRequest<Role, Lane, Tool, Scope, Args>,
    LineageRequest<AgentType> {
  /** Flags that the caller raises. `null` and absent mean the same, here and below. */
  readonly flags?: readonly string[] | null;
  /** What the call writes. */
  readonly writes?: readonly { readonly table: string; readonly mode: string }[] | null;
  /** A person's: by name, or bound to this call where the policy asks for that. */
  readonly approval?: NamedApproval | BoundApproval | null;
  /** What the host found out. It never comes from the caller. */
  readonly facts?: HostFacts | null;
}
