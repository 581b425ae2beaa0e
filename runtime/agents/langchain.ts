/**
 * `@portcullis/agents/langchain`: tools of LangChain (`@langchain/core`), held at `_call`, which gets arguments that the tool's schema
 * has parsed. A denial is a ToolMessage with the status `error`, in the place of the tool's own.
 */

import type { CallDecider, PolicyIds, Replaceable } from "@portcullis/runtime";
import { type Admit, type AgentContext, type AgentOptions, admitting, ToolDenied } from "./admission.ts";
import { run } from "./running.ts";

/** What LangChain tells a tool of its call: its config. In an agent it has more members. */
export interface LangChainCall {
  /** `thread_id`, and what else the program gave. */
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  /** The model's call, where a model has made it. */
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
  /** The agent's context. */
  readonly context?: unknown;
}

/** A tool as LangChain's `tool` makes it, or a class that extends `StructuredTool`. */
export interface LangChainTool {
  readonly name: string;
  invoke(...given: never): unknown;
}

type Method = (...given: unknown[]) => unknown;

interface Structured {
  readonly name: string;
  readonly responseFormat?: string;
  readonly call: Method;
  readonly _call: Method;
  readonly func?: Method;
}

/**
 * The same tools, each of which asks first; the given ones stay as they are. A denial is a ToolMessage with the status `error` where a
 * model has called, and is thrown where a program has. Throws TypeError for what a provider runs, for a Runnable that is not a tool,
 * and for a tool with an `invoke` of its own, which need not come to `_call`.
 */
export function guardTools<
  Given extends readonly LangChainTool[],
  Call extends LangChainCall = LangChainCall,
  Ids extends PolicyIds = PolicyIds,
>(
  policy: Replaceable<CallDecider<Ids>>,
  context: AgentContext<Call, Ids>,
  tools: Given,
  options: AgentOptions<Call> = {},
): Given {
  return tools.map((tool) => {
    const structured = structuredTool(tool);
    return holding(structured, admitting(policy, context, structured.name, options) as Admit<unknown>);
  }) as readonly unknown[] as Given;
}

/** Tools that ask first. Held once more, one of the two policies would not be asked. */
const HELD = new WeakSet<object>();

/** A tool that has its own place between parser and function. */
function structuredTool(tool: unknown): Structured {
  const { name, call, _call } = Object(tool) as Partial<Record<keyof Structured, unknown>>;
  const what = typeof name === "string" ? `the tool \`${name}\`` : "a tool";
  if (typeof name !== "string" || typeof call !== "function" || typeof _call !== "function")
    throw new TypeError(`${what} is not a StructuredTool of LangChain, so that no policy can hold it`);
  if (HELD.has(tool as object)) throw new TypeError(`${what} is held already`);
  const [owner, ...others] = owners(tool as object, "invoke");
  // LangChain's own class says where it is from. One that only has its methods need not come to `_call`.
  if (owner === undefined || others.length > 0 || !Object.hasOwn(owner, "lc_namespace"))
    throw new TypeError(`${what} has an \`invoke\` of its own, so that no policy can hold it: make it with \`tool\``);
  return tool as Structured;
}

function owners(tool: object, member: string): readonly object[] {
  const found: object[] = [];
  for (let at: object | null = tool; at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, member)) found.push(at);
  return found;
}

function holding(tool: Structured, admit: Admit<unknown>): object {
  /** The function of one call, which says what became of it. */
  const once = (outcome: { denied?: ToolDenied; isAsked: boolean }): Method => {
    return async (args, manager, config) => {
      outcome.isAsked = true;
      const asked = await admit(args, config);
      if (!(asked instanceof ToolDenied))
        return run(asked, (judged) => tool._call(judged, manager, config), {
          streams: true,
          isFailure: (value) => isFailure(tool, value),
        });
      outcome.denied = asked;
      return tool.responseFormat === "content_and_artifact" ? [asked.message, undefined] : asked.message;
    };
  };
  const call: Method = async (...given) => {
    const outcome: { denied?: ToolDenied; isAsked: boolean } = { isAsked: false };
    const _call = once(outcome);
    // The tool itself, but for what it runs: everything else of a call is LangChain's.
    const result = await tool.call.apply(Object.create(tool, { _call: { value: _call } }), given);
    if (!outcome.isAsked) throw new TypeError(`\`${tool.name}\` passes by its \`_call\`: no policy can hold it`);
    return outcome.denied === undefined ? result : asError(result, outcome.denied);
  };
  const refused: Method = () => {
    throw new TypeError(`\`${tool.name}\` is held by a policy: use \`invoke\``);
  };
  const closed = { value: refused };
  const held = Object.create(tool, { call: { value: call }, _call: closed, ...(tool.func && { func: closed }) });
  HELD.add(held);
  return held;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Whether a tool has answered with a ToolMessage that says that it failed, by itself or in a Command, which LangChain passes on as they
 * are; or in a form for which LangChain throws.
 */
function isFailure({ responseFormat }: Structured, value: unknown): boolean {
  if (responseFormat === "content_and_artifact" && !(Array.isArray(value) && value.length === 2)) return true;
  const content: unknown = Array.isArray(value) ? value[0] : value;
  const { lc_direct_tool_output: isPassedOn, status, update } = Object(content) as Members;
  const { messages } = Object(Array.isArray(update) ? Object.fromEntries(update) : update) as Members;
  return (
    isPassedOn === true && [{ status }, messages].flat().some((one) => (Object(one) as Members)["status"] === "error")
  );
}

/** LangChain makes a ToolMessage where a model has called. */
function asError(message: unknown, denial: ToolDenied): unknown {
  if (typeof message !== "object" || message === null || !("status" in message)) throw denial;
  message.status = "error";
  return message;
}
