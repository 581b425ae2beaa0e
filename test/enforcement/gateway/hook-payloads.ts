/** What each agent host sends before a tool, and what `portcullis hook` answers by the example's policy. */

import {
  answerHook,
  type Caller,
  type HookFormat,
  type HookHost,
  type HookOptions,
  NO_TOOLS,
  type ToolMap,
} from "../../../compiler/enforcement/gateway/index.ts";
import { examplePolicy, writer } from "./session.ts";

export const policy = await examplePolicy();

/** Somebody has approved of sub-agents. */
export const spawns = {
  policy,
  governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy: "m.okafor" },
  env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
};

export const answer = (
  input: unknown,
  options: Partial<HookOptions> = {},
  caller: Caller = writer,
  tools: ToolMap = NO_TOOLS,
  record: HookHost["record"] = () => {},
) =>
  answerHook(
    typeof input === "string" ? input : JSON.stringify(input),
    { policy, caller, tools, record, spawns },
    { format: "auto", ask: false, ...options },
  );

export const newsDesk: Caller = { ...writer, lineage: [{ agent_type: "news_desk", spawn_depth: 0 }] };
export const words = (tool: string, more: string): string => `The policy denies "${tool}": ${more}`;
/** What every host obeys, for this reason. */
export const deny = (reason: string, hookEventName = "PreToolUse"): object => ({
  ...{ decision: "block", reason, cancel: true, errorMessage: reason, permission: "deny" },
  ...{ permissionDecision: "deny", permissionDecisionReason: reason },
  hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: reason },
});

const texts = (input: object): object =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, JSON.stringify(value)]));

/** What each host sends before a tool, as its program does. */
export const PAYLOADS: Readonly<
  Record<Exclude<HookFormat, "auto" | "ended">, (name: unknown, args?: object) => object>
> = {
  "claude-code": (tool_name, tool_input = {}) => ({
    ...{ session_id: "s", transcript_path: "/t.jsonl", cwd: "/", prompt_id: "p", permission_mode: "default" },
    ...{ hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "toolu_1" },
  }),
  codex: (tool_name, tool_input = {}) => ({
    ...{ session_id: "s", turn_id: "t", transcript_path: null, cwd: "/", model: "m", permission_mode: "default" },
    ...{ hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "call_1" },
  }),
  gemini: (tool_name, tool_input = {}) => ({
    ...{ session_id: "s", transcript_path: "/t.json", cwd: "/", timestamp: "2026-11-25T20:39:21.260Z" },
    ...{ hook_event_name: "BeforeTool", tool_name, tool_input },
  }),
  copilot: (tool_name, tool_input = {}) => ({
    ...{ hook_event_name: "PreToolUse", session_id: "s", timestamp: "2026-11-25T20:39:21.260Z", cwd: "/" },
    ...{ tool_name, tool_input },
  }),
  cline: (name, input = {}) => ({
    ...{ clineVersion: "", timestamp: "2026-11-25T21:16:23.007Z", taskId: "t", workspaceRoots: ["/"] },
    ...{ agent_id: "agent_1", parent_agent_id: null, hookName: "tool_call", iteration: 1 },
    ...{ tool_call: { id: "call_1", name, input }, preToolUse: { toolName: name, parameters: texts(input) } },
  }),
  opencode: (tool, args = {}) => ({
    ...{ hook_event_name: "tool.execute.before", session_id: "s", tool_use_id: "call_1", tool, args },
  }),
  generic: (tool, args = {}) => ({ tool, args }),
};
export const HOSTS = Object.keys(PAYLOADS) as (keyof typeof PAYLOADS)[];
