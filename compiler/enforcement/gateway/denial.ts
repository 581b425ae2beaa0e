/**
 * The answers of a hook. A denial is one for all hosts: hosts let a call pass whose hook answers in another one's words, so it
 * has the words of each (checked with the programs themselves, `make agents`). It is exit code 2, the reason on standard error,
 * and this object on standard output.
 */

/** Characters of a reason that are shown: an answer fits into any pipe, whether the host reads it or not. */
const MOST_CHARACTERS = 2_000;

/** The event that hosts ask at; Gemini CLI calls it `BeforeTool`. */
export const TOOL_EVENT = "PreToolUse";
/** Claude Code asks at this before a command that stands in the text of a skill, or of a command of the user's. */
export const SKILL_EVENT = "PreSkillShellCommand";

export interface Denial {
  /** Gemini CLI. */
  readonly decision: "block";
  readonly reason: string;
  /** Cline. */
  readonly cancel: true;
  readonly errorMessage: string;
  /** Cursor. */
  readonly permission: "deny";
  /** Copilot CLI. */
  readonly permissionDecision: "deny";
  readonly permissionDecisionReason: string;
  /** Claude Code and Codex. */
  readonly hookSpecificOutput: Permission;
}

interface Permission {
  readonly hookEventName: string;
  readonly permissionDecision: "ask" | "deny";
  readonly permissionDecisionReason: string;
}

/** The denial that every host obeys. Always a few kilobytes at most. */
export function denial(problem: string, event = TOOL_EVENT): Denial {
  const reason = shortened(problem);
  return {
    ...{ decision: "block", reason, cancel: true, errorMessage: reason, permission: "deny" },
    ...{ permissionDecision: "deny", permissionDecisionReason: reason },
    hookSpecificOutput: { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: reason },
  };
}

/** A question for a person, in the words of Claude Code and of Copilot CLI. Other hosts let the call pass. */
export function question(problem: string, event = TOOL_EVENT): object {
  const reason = shortened(problem);
  const permission = { permissionDecision: "ask", permissionDecisionReason: reason } as const;
  return { ...permission, hookSpecificOutput: { hookEventName: event, ...permission } };
}

/** A call that no policy has decided is denied with this. */
export function undecided(problem: string): string {
  return `The call cannot be decided, so it is denied: ${problem}`;
}

/** A text of one cut length, without half of a character at its end. */
export function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, "")}…`;
}
