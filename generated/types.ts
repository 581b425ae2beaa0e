// Made by `portcullis build` from the policy set; do not edit.
//
//   const policy = await load<typeof ids>(bundle);

import type { DecisionKind, DecisionKinds, Denied, PolicyIds } from "@portcullis/runtime";

/** Roles of roles.yaml. */
export const roles = [
  "ARCHIVIST",
  "COPY_EDITOR",
  "FACT_CHECKER",
  "LEGAL_REVIEWER",
  "MANAGING_EDITOR",
  "READER_DESK",
  "RESEARCHER",
  "RIGHTS_CLERK",
  "SITE_OPERATOR",
  "WRITER",
] as const;
export type Role = (typeof roles)[number];
const everyRole: ReadonlySet<unknown> = /* @__PURE__ */ new Set(roles);
/** For a value from outside. */
export function isRole(value: unknown): value is Role {
  return everyRole.has(value);
}

/** Lanes of lanes.yaml. */
export const lanes = [
  "ARCHIVE",
  "COPY_DESK",
  "DRAFTING",
  "EMERGENCY_OVERRIDE",
  "FACT_CHECK",
  "LEGAL_REVIEW",
  "PUBLISHING",
  "READER_SUPPORT",
  "RESEARCH",
  "RIGHTS_AND_PAYOUTS",
  "SITE_OPERATIONS",
] as const;
export type Lane = (typeof lanes)[number];
const everyLane: ReadonlySet<unknown> = /* @__PURE__ */ new Set(lanes);
/** For a value from outside. */
export function isLane(value: unknown): value is Lane {
  return everyLane.has(value);
}

/** Tools of tool_registry.yaml. */
export const tools = [
  "archive.lookup",
  "article.publish",
  "article.retract",
  "article.schedule",
  "cache.purge",
  "claims.extract",
  "claims.verify",
  "contract.draft",
  "deploy.release",
  "deploy.rollback",
  "draft.create",
  "draft.revise",
  "headline.suggest",
  "image.generate",
  "interview.transcribe",
  "legal.clear",
  "legal.flag",
  "legal.hold",
  "mailbox.read",
  "mailbox.reply",
  "newsletter.send",
  "override.freeze_site",
  "override.unpublish",
  "payout.prepare",
  "payout.release",
  "rights.lookup",
  "sources.contact",
  "style.check",
  "subscription.refund",
  "web.search",
] as const;
export type Tool = (typeof tools)[number];
const everyTool: ReadonlySet<unknown> = /* @__PURE__ */ new Set(tools);
/** For a value from outside. */
export function isTool(value: unknown): value is Tool {
  return everyTool.has(value);
}

/** Agents that a turn can be asked for: those that are not TYPE 2. */
export const personas = ["NEWS_DESK", "READER_DESK", "RIGHTS_DESK", "STANDARDS"] as const;
export type Persona = (typeof personas)[number];
const everyPersona: ReadonlySet<unknown> = /* @__PURE__ */ new Set(personas);
/** For a value from outside. */
export function isPersona(value: unknown): value is Persona {
  return everyPersona.has(value);
}

/** Agents that a persona may delegate to: those that are TYPE 2. */
export const subagents = [
  "CLAIM_CHECKER",
  "COPY-EDITOR",
  "COPY_EDITOR",
  "FEE-PREPARER",
  "LEGAL_SCREENER",
  "PICTURE_CLEARER",
  "STORY_RESEARCHER",
] as const;
export type Subagent = (typeof subagents)[number];
const everySubagent: ReadonlySet<unknown> = /* @__PURE__ */ new Set(subagents);
/** For a value from outside. */
export function isSubagent(value: unknown): value is Subagent {
  return everySubagent.has(value);
}

/** Agent types of the spawn manifests. */
export const agentTypes = [
  "archive_reader",
  "claim_checker",
  "copy_editor",
  "fee_preparer",
  "news_desk",
  "picture_clearer",
  "publisher",
  "researcher",
  "rights_desk",
] as const;
export type AgentType = (typeof agentTypes)[number];
const everyAgentType: ReadonlySet<unknown> = /* @__PURE__ */ new Set(agentTypes);
/** For a value from outside. */
export function isAgentType(value: unknown): value is AgentType {
  return everyAgentType.has(value);
}

/** Modes of exec.yaml. */
export const modes = ["break-glass", "mode-init", "newsroom", "site-maintenance"] as const;
export type Mode = (typeof modes)[number];
const everyMode: ReadonlySet<unknown> = /* @__PURE__ */ new Set(modes);
/** For a value from outside. */
export function isMode(value: unknown): value is Mode {
  return everyMode.has(value);
}

/** What a request is about, by key. */
export type Scope = {
  /** Rules of the authors read it. */
  readonly amount_cents?: unknown;
  /** Lanes or tools need it. */
  readonly approval_ref?: string | number;
  /** A flag that lanes or tools prohibit. */
  readonly bulk_mail?: unknown;
  /** A flag that lanes or tools prohibit. */
  readonly cash_equivalents?: unknown;
  /** Lanes or tools need it. */
  readonly change_id?: string | number;
  /** Lanes or tools need it. */
  readonly contributor_id?: string | number;
  /** A flag that lanes or tools prohibit. */
  readonly deletion?: unknown;
  /** A flag that lanes or tools prohibit. */
  readonly external_publication?: unknown;
  /** Lanes or tools need it. */
  readonly override_reason?: string | number;
  /** A flag that lanes or tools prohibit. */
  readonly privileged_text_outside_lane?: unknown;
  /** Lanes or tools need it. */
  readonly run_id?: string | number;
  /** A flag that lanes or tools prohibit. */
  readonly schema_migration?: unknown;
  /** A flag that lanes or tools prohibit. */
  readonly silent_changes?: unknown;
  /** Lanes or tools need it. */
  readonly story_id?: string | number;
  /** Lanes or tools need it. */
  readonly ticket_id?: string | number;
  /** A flag that lanes or tools prohibit. */
  readonly unattributed_quotes?: unknown;
  /** A flag that lanes or tools prohibit. */
  readonly unsigned_release?: unknown;
};

/** A tool's own arguments. */
export type Args = unknown;

/** Arguments of the tools that say what these may be. */
export type ToolArgs = {
  readonly "style.check": { readonly draft: string; readonly rules?: readonly ("names" | "numbers" | "quotes")[] | null; readonly run?: string | null };
};

/** What a tool takes: `ArgsOf<"publish">`. */
export type ArgsOf<T extends Tool> = T extends keyof ToolArgs ? ToolArgs[T] : Args;

/** What the rules of the authors deny with, by decision. */
export type Denials = {
  readonly tool: Denied<"PAYOUT_LIMIT", "payout_above_limit">;
};

/** The authors' own entrypoints, by path. */
export type Entrypoints = Record<never, never>;

/** What is known of the policy set: `load<typeof ids>(…)`, `Policy<Ids>`. */
export interface Ids extends PolicyIds {
  readonly roles: typeof roles;
  readonly lanes: typeof lanes;
  readonly tools: typeof tools;
  readonly personas: typeof personas;
  readonly subagents: typeof subagents;
  readonly agentTypes: typeof agentTypes;
  readonly modes: typeof modes;
  readonly scope?: Scope;
  readonly args?: Args;
  readonly denials?: Denials;
  readonly entrypoints?: Entrypoints;
}
export const ids: Ids = { roles, lanes, tools, personas, subagents, agentTypes, modes };

/** What a decision takes. */
export type RequestOf<Kind extends DecisionKind> = DecisionKinds<Ids>[Kind]["request"];
/** What a decision answers. */
export type DecisionOf<Kind extends DecisionKind> = DecisionKinds<Ids>[Kind]["decision"];

export type LaneRequest = RequestOf<"lane">;
export type ToolRequest = RequestOf<"tool">;
export type SubagentRequest = RequestOf<"subagent">;
export type LineageRequest = RequestOf<"lineage">;
export type HandoffRequest = RequestOf<"handoff">;
export type ExecRequest = RequestOf<"exec">;
export type CloseRequest = RequestOf<"close">;
export type CallRequest = RequestOf<"call">;

export type LaneDecision = DecisionOf<"lane">;
export type ToolDecision = DecisionOf<"tool">;
export type SubagentDecision = DecisionOf<"subagent">;
export type LineageDecision = DecisionOf<"lineage">;
export type HandoffDecision = DecisionOf<"handoff">;
export type ExecDecision = DecisionOf<"exec">;
export type CloseDecision = DecisionOf<"close">;
export type CallDecision = DecisionOf<"call">;
