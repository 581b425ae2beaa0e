/** What agent hosts say when a tool has ended, as their programs were heard to, and whether it is a success. */

import type { HookFormat } from "../../../compiler/enforcement/gateway/asked-call.ts";

export type Members = Readonly<Record<string, unknown>>;

export const claude = (tool_name: string, tool_response: unknown): Members => ({
  ...{ session_id: "s", transcript_path: "/t.jsonl", cwd: "/", permission_mode: "default", tool_use_id: "toolu_1" },
  ...{ hook_event_name: "PostToolUse", tool_name, tool_input: {}, tool_response, duration_ms: 29 },
});
export const codex = (tool_name: string, tool_response: unknown): Members => ({
  ...{ session_id: "s", turn_id: "t", transcript_path: null, cwd: "/", model: "m", permission_mode: "default" },
  ...{ hook_event_name: "PostToolUse", tool_name, tool_input: {}, tool_response, tool_use_id: "call_1" },
});
const gemini = (tool_name: string, tool_response: unknown): Members => ({
  ...{ session_id: "s", transcript_path: "/t.json", cwd: "/", timestamp: "2026-11-30T12:57:53.939Z" },
  ...{ hook_event_name: "AfterTool", tool_name, tool_input: {}, tool_response },
});
const copilot = (tool_name: string, result_type: string, text_result_for_llm = ""): Members => ({
  ...{ hook_event_name: "PostToolUse", session_id: "s", timestamp: "2026-11-30T12:57:57.729Z", cwd: "/" },
  ...{ tool_name, tool_input: {}, tool_result: { result_type, text_result_for_llm } },
});
const ownCopilot = (toolName: string, resultType: string, textResultForLlm = ""): Members => ({
  ...{ sessionId: "s", timestamp: 1796043477729, cwd: "/", toolName, toolArgs: {} },
  toolResult: { resultType, textResultForLlm },
});
export const cline = (name: string, output: unknown, success = true, more = {}): Members => {
  const use = { toolName: name, parameters: {}, result: JSON.stringify(output), success, executionTimeMs: 39 };
  const tool_result = { id: "call_1", name, input: {}, output, durationMs: 39, ...more };
  const agent = { agent_id: "agent_1", parent_agent_id: null, hookName: "tool_result", iteration: 1 };
  return { taskId: "t", workspaceRoots: ["/"], ...agent, tool_result, postToolUse: use };
};
const opencode = (tool: string, tool_response: unknown): Members => ({
  ...{ hook_event_name: "tool.execute.after", session_id: "s", tool_use_id: "call_1", tool, tool_response },
});

export const shell = { stdout: "", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
export const answered = { content: [{ type: "text", text: "answer" }], isError: false };
const background = "Command moved to background (PID: 17405). Output hidden.";
const ends: readonly (readonly [what: string, payload: Members, succeeded: boolean])[] = [
  ["Claude Code: a command", claude("Bash", shell), true],
  ["Claude Code: a tool of a server", claude("mcp__s__good", answered.content), true],
  ["Claude Code: a tool that gives nothing", claude("mcp__s__good", null), true],
  ["Claude Code: a text", claude("mcp__s__good", "answer"), true],
  ["Claude Code: a command that goes on", claude("Bash", { ...shell, backgroundTaskId: "b" }), false],
  ["Claude Code: a command that was stopped", claude("Bash", { ...shell, interrupted: true }), false],
  ["Claude Code: an agent that goes on", claude("Agent", { status: "async_launched", agentId: "a" }), false],
  ["Claude Code: an agent that goes on elsewhere", claude("Agent", { status: "remote_launched", taskId: "a" }), false],
  ["Claude Code: a command that is watched", claude("Monitor", { taskId: "b", timeoutMs: 0, persistent: true }), false],
  ["Claude Code: an answer without success", claude("TaskUpdate", { success: false, taskId: "9" }), false],
  ["Claude Code: an answer with success", claude("TaskUpdate", { success: true, taskId: "9" }), true],
  ["Claude Code: an error", claude("mcp__s__bad", { ...answered, isError: true }), false],
  ["Claude Code: no response", { ...claude("Bash", 1), tool_response: undefined }, false],
  ["Codex: a command, of which the code is not told", codex("Bash", ""), false],
  ["Codex: a command with an output", codex("Bash", "last\n"), false],
  ["Codex: a tool of a server", codex("mcp__s__good", answered), true],
  ["Codex: an error", codex("mcp__s__bad", { ...answered, isError: true }), false],
  ["Codex: no response", { ...codex("Bash", 1), tool_response: undefined }, false],
  ["Gemini CLI: a tool of a server", gemini("review", { llmContent: [], returnDisplay: "answer" }), true],
  ["Gemini CLI: an error", gemini("review", { llmContent: "", error: { message: "no" } }), false],
  ["Gemini CLI: a command", gemini("run_shell_command", { llmContent: "Output: last", returnDisplay: "last" }), false],
  ["Gemini CLI: a command that goes on", gemini("run_shell_command", { llmContent: background }), false],
  ["Gemini CLI: no response", gemini("review", undefined), false],
  ["Copilot CLI: a tool of a server", copilot("s-good", "success", "answer"), true],
  ["Copilot CLI: a command", copilot("Bash", "success", "\n<shellId: 0 completed with exit code 0>"), true],
  [
    "Copilot CLI: a command that failed",
    copilot("Bash", "success", "\n<shellId: 1 completed with exit code 3>"),
    false,
  ],
  [
    "Copilot CLI: a command that says of itself what the host says of one",
    copilot("Bash", "success", "<shellId: 0 completed with exit code 0>\n<shellId: 1 completed with exit code 3>"),
    false,
  ],
  [
    "Copilot CLI: a command that goes on",
    copilot("Bash", "success", "<command started in background with shellId: one>"),
    false,
  ],
  ["Copilot CLI: a failure", copilot("s-bad", "failure"), false],
  ["Copilot CLI: a denial", copilot("s-bad", "denied"), false],
  ["Copilot CLI: no result", { ...copilot("s-good", "success"), tool_result: undefined }, false],
  ["Copilot CLI, its own spelling", ownCopilot("s-good", "success", "answer"), true],
  ["Copilot CLI, its own spelling: a command", ownCopilot("bash", "success", "<… completed with exit code 0>"), true],
  [
    "Copilot CLI, its own spelling: a failed one",
    ownCopilot("bash", "success", "<… completed with exit code 3>"),
    false,
  ],
  ["Copilot CLI, its own spelling: a failure", ownCopilot("s-bad", "failure"), false],
  ["Cline: a command", cline("run_commands", [{ query: "true", result: "", success: true }]), true],
  ["Cline: a command that failed", cline("run_commands", [{ query: "exit 3", error: "3", success: false }]), false],
  ["Cline: one of two commands", cline("run_commands", [{ success: true }, { success: false }]), false],
  ["Cline: results that say nothing", cline("run_commands", [{ query: "true" }]), false],
  ["Cline: no results", cline("run_commands", [{ success: true }, null]), false],
  ["Cline: no output", cline("s__good", null), true],
  ["Cline: of the time before it told results", { ...cline("s__good", 1), tool_result: undefined }, false],
  ["Cline: a tool of a server", cline("s__good", answered), true],
  ["Cline: an error", cline("s__bad", { ...answered, isError: true }), false],
  ["Cline: no answer of a server", cline("s__worse", { error: "no" }, false, { error: "no" }), false],
  ["Cline: an error beside a result", cline("s__good", answered, true, { error: "no" }), false],
  ["Cline: no success", cline("s__good", answered, false), false],
  ["opencode: a command", opencode("bash", { exit: 0 }), true],
  ["opencode: a command that failed", opencode("bash", { exit: 3 }), false],
  ["opencode: a command that was stopped", opencode("bash", { exit: null }), false],
  ["opencode: a command without a code", opencode("bash", {}), false],
  ["opencode: a tool of a server", opencode("s_good", { isError: false }), true],
  ["opencode: an error", opencode("s_bad", { isError: true }), false],
  ["opencode: no response", opencode("s_good", undefined), false],
  ["A host of one's own: a success", { tool: "review", args: {}, succeeded: true }, true],
  ["A host of one's own: a failure", { tool: "review", args: {}, succeeded: false }, false],
];

const FORMATS: Readonly<Record<string, HookFormat>> = {
  ...{ "Claude Code": "claude-code", Codex: "codex", "Gemini CLI": "gemini", "Copilot CLI": "copilot", Cline: "cline" },
  ...{ opencode: "opencode", "A host of one's own": "ended" },
};
/** With the format that each is read by. */
export const ENDS = ends.map(([what, payload, succeeded]) => {
  const [host = ""] = what.split(/[:,] /);
  return [what, FORMATS[host] as HookFormat, payload, succeeded] as const;
});
