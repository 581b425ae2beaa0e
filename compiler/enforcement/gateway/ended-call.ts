/**
 * What agent hosts send to a hook after a tool, as the programs do (`make agents`). A success is what a host says to be one. What it
 * leaves open, such as a command in the background, has not succeeded.
 */

import { isJsonObject } from "@portcullis/documents";
import type { Host } from "./asked-call.ts";

type Members = ReadonlyMap<string, unknown>;
/** A host of one's own has a format of its own for ends. */
type NamedHost = Exclude<Host, "generic">;

/** The event after a tool, by host. Cline says it by a member. */
export const END_EVENTS: Readonly<Partial<Record<Host, string>>> = {
  "claude-code": "PostToolUse",
  codex: "PostToolUse",
  gemini: "AfterTool",
  copilot: "PostToolUse",
  opencode: "tool.execute.after",
};

/** Members that a payload has after a tool, and never before it. */
const END_MEMBERS: Readonly<Partial<Record<Host, readonly string[]>>> = {
  cline: ["postToolUse"],
  copilot: ["toolResult"],
};

/** Whether the host speaks of a call that has ended. */
export function hasEnded(host: Host, members: Members): host is NamedHost {
  const event = END_EVENTS[host];
  if (event !== undefined && members.get("hook_event_name") === event) return true;
  return (END_MEMBERS[host] ?? []).some((member) => members.has(member));
}

/** Whether the host says that the tool has succeeded. `name` is the tool's own name at the host. */
export function hasSucceeded(host: NamedHost, name: string, members: Members): boolean {
  const response = members.get("tool_response");
  switch (host) {
    // It has another event for what failed.
    case "claude-code":
      return members.has("tool_response") && !isRunning(name, response) && !isFailure(response);
    // A command has its output alone.
    case "codex":
      return isJsonObject(response) && !isFailure(response);
    case "gemini":
      return isJsonObject(response) && !isFailure(response) && name !== "run_shell_command";
    case "copilot":
      return isCopilotSuccess(name, members);
    case "cline":
      return isClineSuccess(members);
    // It says nothing of what failed; a command that failed has its code.
    case "opencode":
      return isJsonObject(response) && !isFailure(response) && (name !== "bash" || response["exit"] === 0);
  }
}

/** The host goes on while the tool works: a command, or another agent, here or elsewhere. */
function isRunning(name: string, response: unknown): boolean {
  if (name === "Monitor") return true;
  if (!isJsonObject(response)) return false;
  return (
    (response["backgroundTaskId"] ?? undefined) !== undefined ||
    /_launched$/.test(String(response["status"])) ||
    response["interrupted"] === true
  );
}

/** A tool's answer that is an error, or says of itself that it is no success: of an MCP server, or the host's own. */
function isFailure(response: unknown): boolean {
  if (!isJsonObject(response)) return false;
  const { isError, success, error } = response as Readonly<Record<string, unknown>>;
  return isError === true || success === false || (error ?? undefined) !== undefined;
}

/** The last line of what a shell gives is the host's. */
const EXIT_0 = / completed with exit code 0>\s*$/;
const SHELLS: ReadonlySet<string> = new Set(["bash", "powershell"]);

function isCopilotSuccess(name: string, members: Members): boolean {
  const result = members.get("tool_result") ?? members.get("toolResult");
  if (!isJsonObject(result)) return false;
  const [type, text] = [
    result["result_type"] ?? result["resultType"],
    result["text_result_for_llm"] ?? result["textResultForLlm"],
  ];
  return type === "success" && (!SHELLS.has(name.toLowerCase()) || EXIT_0.test(String(text)));
}

interface Use {
  readonly success?: unknown;
}

/** `success` is true of commands that failed, too: their results say so. */
function isClineSuccess(members: Members): boolean {
  const [{ success }, result] = [Object(members.get("postToolUse")) as Use, members.get("tool_result")];
  if (success !== true || !isJsonObject(result) || isFailure(result)) return false;
  const output = result["output"];
  if (Array.isArray(output)) return output.every((one) => isJsonObject(one) && one["success"] === true);
  return !isFailure(output);
}
