// Made by `portcullis build` from the policy set; do not edit.

import type {
  CallDecision,
  CallRequest as AnyCallRequest,
  CloseDecision,
  CloseRequest,
  ExecDecision,
  ExecRequest as AnyExecRequest,
  HandoffDecision,
  HandoffRequest,
  LaneDecision as AnyLaneDecision,
  LaneRequest as AnyLaneRequest,
  LineageDecision as AnyLineageDecision,
  LineageRequest as AnyLineageRequest,
  SubagentDecision as AnySubagentDecision,
  SubagentRequest as AnySubagentRequest,
  ToolDecision as AnyToolDecision,
  ToolRequest as AnyToolRequest,
} from "@portcullis/runtime";

export type { CallDecision, CloseDecision, CloseRequest, ExecDecision, HandoffDecision, HandoffRequest };

/** Roles of roles.yaml. */
export type Role =
  | "ARCHIVIST"
  | "COPY_EDITOR"
  | "FACT_CHECKER"
  | "LEGAL_REVIEWER"
  | "MANAGING_EDITOR"
  | "READER_DESK"
  | "RESEARCHER"
  | "RIGHTS_CLERK"
  | "SITE_OPERATOR"
  | "WRITER";

/** Lanes of lanes.yaml. */
export type Lane =
  | "ARCHIVE"
  | "COPY_DESK"
  | "DRAFTING"
  | "EMERGENCY_OVERRIDE"
  | "FACT_CHECK"
  | "LEGAL_REVIEW"
  | "PUBLISHING"
  | "READER_SUPPORT"
  | "RESEARCH"
  | "RIGHTS_AND_PAYOUTS"
  | "SITE_OPERATIONS";

/** Tools of tool_registry.yaml. */
export type Tool =
  | "archive.lookup"
  | "article.publish"
  | "article.retract"
  | "article.schedule"
  | "cache.purge"
  | "claims.extract"
  | "claims.verify"
  | "contract.draft"
  | "deploy.release"
  | "deploy.rollback"
  | "draft.create"
  | "draft.revise"
  | "headline.suggest"
  | "image.generate"
  | "interview.transcribe"
  | "legal.clear"
  | "legal.flag"
  | "legal.hold"
  | "mailbox.read"
  | "mailbox.reply"
  | "newsletter.send"
  | "override.freeze_site"
  | "override.unpublish"
  | "payout.prepare"
  | "payout.release"
  | "rights.lookup"
  | "sources.contact"
  | "style.check"
  | "subscription.refund"
  | "web.search";

/** Agents that a turn can be asked for: those that are not TYPE 2. */
export type Persona = "NEWS_DESK" | "READER_DESK" | "RIGHTS_DESK" | "STANDARDS";

/** Agents that a persona may delegate to: those that are TYPE 2. */
export type Subagent =
  | "CLAIM_CHECKER"
  | "COPY-EDITOR"
  | "COPY_EDITOR"
  | "FEE-PREPARER"
  | "LEGAL_SCREENER"
  | "PICTURE_CLEARER"
  | "STORY_RESEARCHER";

/** Agent types of the spawn manifests. */
export type AgentType =
  | "archive_reader"
  | "claim_checker"
  | "copy_editor"
  | "fee_preparer"
  | "news_desk"
  | "picture_clearer"
  | "researcher"
  | "rights_desk";

/** Modes of exec.yaml. */
export type Mode = "break-glass" | "mode-init" | "newsroom" | "site-maintenance";

export type LaneRequest = AnyLaneRequest<Role, Lane>;
export type LaneDecision = AnyLaneDecision;

export type ToolRequest = AnyToolRequest<Role, Lane, Tool>;
export type ToolDecision = AnyToolDecision;

export type SubagentRequest = AnySubagentRequest<Persona>;
/** An allowlist may name agents without a file, when the policy drops such candidates; delegates always have one. */
export type SubagentDecision = AnySubagentDecision & { readonly delegatedSubagents: readonly Subagent[] };

export type LineageRequest = AnyLineageRequest<AgentType>;
export type LineageDecision = AnyLineageDecision;

export type CallRequest = AnyCallRequest<Role, Lane, Tool, AgentType>;

/** The mode of contract and packet comes from outside; only the mode that is asked for is held to the policy. */
export type ExecRequest = AnyExecRequest & { readonly mode: Mode };

/** Request and decision of every entrypoint, by its path. */
export interface Entrypoints {
  "portcullis/lane/decision": { readonly request: LaneRequest; readonly decision: LaneDecision };
  "portcullis/tool/decision": { readonly request: ToolRequest; readonly decision: ToolDecision };
  "portcullis/subagent/decision": { readonly request: SubagentRequest; readonly decision: SubagentDecision };
  "portcullis/lineage/decision": { readonly request: LineageRequest; readonly decision: LineageDecision };
  "portcullis/handoff/decision": { readonly request: HandoffRequest; readonly decision: HandoffDecision };
  "portcullis/exec/decision": { readonly request: ExecRequest; readonly decision: ExecDecision };
  "portcullis/close/decision": { readonly request: CloseRequest; readonly decision: CloseDecision };
  "portcullis/call/decision": { readonly request: CallRequest; readonly decision: CallDecision };
}
