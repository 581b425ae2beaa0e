import type { WrittenTool } from "./arguments.ts";
import type { WrittenLimit } from "./limits.ts";

/** A policy set as the decisions see it, `data.portcullis.policy`. */
export interface PolicyData {
  readonly settings: {
    readonly lineage: {
      readonly depth: "positional" | "reported";
      readonly max_chain: number;
      readonly require: boolean;
    };
    readonly call: { readonly lineage: "required" | "optional"; readonly unknown_agents: "deny" | "allow" };
    readonly subagents: { readonly approvers: "any" | "human" };
  };
  readonly roles: { readonly [role: string]: { readonly class?: string } };
  readonly lanes: {
    readonly [lane: string]: {
      readonly roles: { readonly [role: string]: true };
      readonly tools: { readonly [tool: string]: true };
      readonly writes: { readonly [table: string]: { readonly [mode: string]: true } };
      readonly requires: { readonly [key: string]: true };
      readonly prohibits: { readonly [flag: string]: true };
    };
  };
  readonly tools: {
    readonly [tool: string]: {
      readonly enabled?: boolean;
      readonly implementation_status?: string;
      readonly lanes?: { readonly [lane: string]: true };
      readonly scope_keys: { readonly [key: string]: true };
      readonly prohibited_flags: { readonly [flag: string]: true };
      readonly write_targets?: { readonly [table: string]: true };
      readonly approval: "required" | "bound" | "none";
      /** As lowering makes them of `written`. */
      readonly arguments?: unknown;
      readonly other_arguments?: unknown;
      /** What the tool's file says of its arguments: for the statement, and no rule reads it. */
      readonly written?: WrittenTool;
      /** Which limits have to do with it: what lowering makes of them all. */
      readonly limits?: readonly string[];
    };
  };
  /** As lowering makes them of `written_limits`. */
  readonly limits?: unknown;
  /** What limits.yaml says: for the statement, and no rule reads it. */
  readonly written_limits?: readonly WrittenLimit[];
  /** By the name as written. */
  readonly approvers?: {
    readonly [name: string]: {
      readonly tools?: { readonly [tool: string]: true };
      /** The last day, in UTC. */
      readonly until?: string;
      /** As lowering makes it of `until`. */
      readonly until_ms?: number;
      readonly key?: unknown;
    };
  };
  /** The policy's revision, computed without itself. */
  readonly approval_revision?: string;
  /** Some tool says what its arguments may be. */
  readonly arguments?: true;
  /** What lowering makes of all `except`. */
  readonly path_folds?: unknown;
  /** Keys have `_` for every `-`. */
  readonly agents: {
    readonly [agent: string]: {
      readonly type: 0 | 1 | 2 | null;
      readonly allowlist: readonly string[];
      readonly delegated: readonly string[];
    };
  };
  readonly manifests: {
    readonly [type: string]: {
      readonly can_spawn: { readonly [type: string]: true };
      readonly max_spawn_depth: number;
      readonly tools?: { readonly [tool: string]: true };
    };
  };
  readonly handoff: {
    readonly required_fields: readonly string[];
    readonly forbidden_mutations: { readonly [name: string]: true };
    readonly placeholders: { readonly [word: string]: true };
    readonly agents?: { readonly [agent: string]: "master" | "sub" };
    readonly forbidden_paths: { readonly [path: string]: true };
  };
  /** Absent where no decision compares names. */
  readonly names?: {
    readonly folds: Readonly<Record<string, string>>;
    readonly others: string;
    readonly apart: string;
    readonly second: Readonly<Record<string, string>>;
  };
  readonly exec: {
    readonly modes: { readonly [mode: string]: true };
    readonly inline_modes: { readonly [mode: string]: true };
    readonly staging_root: string | null;
    readonly script_extensions: readonly string[];
    readonly hat_lifetime_seconds: number | null;
  };
}
