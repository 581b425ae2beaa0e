/**
 * One call of a tool that an agent host asks about before it makes it. What cannot be read is denied, as is what the policy
 * denies.
 */

import type { CallDecision } from "@portcullis/runtime";
import { failure, type Result, success } from "../base/result.ts";
import { SourceFile } from "../base/source-file.ts";
import { parseJson } from "../sources/index.ts";
import { beyondDouble } from "./beyond-double.ts";
import { denialText, type Verdicts } from "./verdicts.ts";

export const HOOK_FORMATS = ["claude-code", "generic"] as const;
export type HookFormat = (typeof HOOK_FORMATS)[number];

export interface HookOptions {
  readonly format: HookFormat;
  /** A call that lacks only a person's approval is one for the host to ask about. Only where the format has a word for it. */
  readonly ask: boolean;
}

export interface HookAnswer {
  readonly verdict: "allow" | "ask" | "deny";
  /** For the host, as JSON. */
  readonly output: object;
  /** For the model, on denial. */
  readonly message: string;
}

/**
 * Values that a call may have. To read one takes up to 200 bytes of memory, and a process that runs out of memory ends in a way
 * that hosts let pass.
 */
const MOST_VALUES = 100_000;

interface AskedCall {
  readonly name: string;
  readonly args: unknown;
}

/** Never rejects. */
export async function answerHook(text: string, verdicts: Verdicts, options: HookOptions): Promise<HookAnswer> {
  try {
    const call = readCall(text, options.format);
    if (!call.ok) return refusal(options.format, call.problem.message);
    const { name, args } = call.value;
    const { decision } = await verdicts.call(name, args, () => undefined);
    return answerOf(name, decision, options);
  } catch (error) {
    return refusal(options.format, error instanceof Error ? error.message : String(error));
  }
}

/** The answer where there is no decision: a denial. */
export function refusal(format: HookFormat, problem: string): HookAnswer {
  const decision = { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input", problem };
  const message = `The call cannot be decided, so it is denied: ${problem}`;
  return { verdict: "deny", output: format === "generic" ? decision : permission("deny", message), message };
}

function answerOf(name: string, decision: CallDecision, { format, ask }: HookOptions): HookAnswer {
  const approvable = "approval" in decision && decision.approval === "required";
  const verdict = decision.allowed === true ? "allow" : ask && approvable ? "ask" : "deny";
  const message = verdict === "allow" ? "" : denialText(name, decision);
  switch (format) {
    case "generic":
      return { verdict: verdict === "ask" ? "deny" : verdict, output: decision, message };
    case "claude-code":
      // An allow of the policy says nothing about the host's own questions: it goes on to ask them.
      return {
        verdict,
        output: verdict === "allow" ? { suppressOutput: true } : permission(verdict, message),
        message,
      };
  }
}

function permission(permissionDecision: "ask" | "deny", permissionDecisionReason: string): object {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } };
}

/** Of two members of one name the host may read the other one, and of a number more digits: they are refused. */
function readCall(text: string, format: HookFormat): Result<AskedCall, "not-a-call"> {
  if (marksIn(text) > MOST_VALUES) return failure("not-a-call", `standard input has more than ${MOST_VALUES} values`);
  const { root, diagnostics } = parseJson(new SourceFile("standard input", text));
  const [broken] = diagnostics;
  if (broken !== undefined)
    return failure("not-a-call", `standard input is not JSON as it should be: ${broken.message}`);
  const number = root && beyondDouble(root);
  if (number !== undefined) return wrong(`not every reader reads the number ${number.text} alike`);
  const input: unknown = JSON.parse(text);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return wrong("it is no object");
  const members = new Map<string, unknown>(Object.entries(input));
  switch (format) {
    case "generic": {
      const stranger = [...members.keys()].find((key) => key !== "tool" && key !== "args");
      if (stranger !== undefined) return wrong(`\`${stranger}\` has no meaning; it takes \`tool\` and \`args\``);
      return asked(members.get("tool"), "tool", members.get("args"));
    }
    case "claude-code":
      if (members.get("hook_event_name") !== "PreToolUse") return wrong("`hook_event_name` is not `PreToolUse`");
      return asked(members.get("tool_name"), "tool_name", members.get("tool_input"));
  }
}

/** Brackets and commas outside of strings. JSON has at most one value more than these. */
function marksIn(text: string): number {
  let marks = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    // Outside of a string it is no JSON, and refused when it is read.
    if (c === "\\") at++;
    else if (c === '"') isString = !isString;
    else if (!isString && (c === "[" || c === "{" || c === ",")) marks++;
  }
  return marks;
}

function asked(name: unknown, member: string, args: unknown): Result<AskedCall, "not-a-call"> {
  return typeof name === "string" && name !== ""
    ? success({ name, args })
    : wrong(`\`${member}\` is the name of a tool`);
}

function wrong(what: string): Result<never, "not-a-call"> {
  return failure("not-a-call", `standard input is no call of a tool: ${what}`);
}
