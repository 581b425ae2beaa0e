/**
 * `@portcullis/agents/ai-sdk`: tools of the AI SDK (`ai`), held at `execute`, which gets arguments that the SDK has parsed and
 * completed. A denial is thrown, which the SDK tells the model as an error of the tool.
 */

import type { CallDecider, PolicyIds, Replaceable } from "@portcullis/runtime";
import {
  type Admission,
  type Admit,
  type AgentContext,
  type AgentOptions,
  admitting,
  changed,
  ToolDenied,
} from "./admission.ts";
import { isErrorResult, run, stream } from "./running.ts";

/** What the AI SDK tells a tool of its call. It has more members, which depend on the version of the SDK. */
export interface AiSdkCall {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  /** Your own, in version 6. */
  readonly experimental_context?: unknown;
  /** The tool's own, from version 7 on. */
  readonly context?: unknown;
}

/** Tools of the AI SDK, by their names. */
export type AiSdkTools = Readonly<Record<string, object>>;

/**
 * The same tools, each of which asks first; the given ones stay as they are. Throws TypeError for a tool without `execute` and for
 * one that the provider runs: what does not run here cannot be held; and for one whose `execute` the SDK replaces. A tool whose
 * `execute` is an async generator function streams; of another one that returns parts, the SDK gets the last.
 */
export function guardTools<
  Given extends AiSdkTools,
  Call extends AiSdkCall = AiSdkCall,
  Ids extends PolicyIds = PolicyIds,
>(
  policy: Replaceable<CallDecider<Ids>>,
  context: AgentContext<Call, Ids>,
  tools: Given,
  options: AgentOptions<Call> = {},
): Given {
  const held = Object.entries(tools).map(([name, tool]) => [
    name,
    changed(tool, {
      execute: holding(admitting(policy, context, name, options), executeOf(name, tool), failureOf(tool)),
    }),
  ]);
  // No prototype: a tool name chosen by the model (`constructor`) must not find an inherited function.
  return Object.setPrototypeOf(Object.fromEntries(held), null) as Given;
}

type Execute<Call> = (args: unknown, call: Call) => unknown;

/** Marks of `toolSearch` and `experimental_toolCaller`, from version 7 on: each run of an agent makes their `execute` anew. */
const REPLACED: readonly PropertyKey[] = [Symbol.for("vercel.ai.toolSearch"), "experimental_toolCaller"];

function executeOf(name: string, tool: object): Execute<unknown> {
  const { execute, isProviderExecuted } = tool as Readonly<Record<string, unknown>>;
  if (isProviderExecuted === true) throw unheld(name, "its provider runs it");
  if (typeof execute !== "function") throw unheld(name, "it has no `execute`");
  if (REPLACED.some((mark) => mark in tool))
    throw unheld(name, "the SDK puts another function in place of its `execute`");
  return execute.bind(tool) as Execute<unknown>;
}

function unheld(name: string, why: string): TypeError {
  return new TypeError(`the tool \`${name}\` does not run here, so that no policy can hold it: ${why}`);
}

/** What a tool tells the model in place of a result. */
const FAILURES: ReadonlySet<unknown> = new Set(["error-text", "error-json", "execution-denied"]);

type Failure = (args: unknown, call: unknown) => (value: unknown) => boolean | Promise<boolean>;

/**
 * A tool with `toModelOutput` may tell the model of its result as a failure. The SDK asks it once more. Tools of servers of the Model
 * Context Protocol tell of a failure by the result alone.
 */
function failureOf(tool: object): Failure {
  const { toModelOutput } = tool as Readonly<Record<string, unknown>>;
  if (typeof toModelOutput !== "function") return () => isErrorResult;
  return (input, call) => async (output) => {
    if (isErrorResult(output)) return true;
    const { toolCallId } = Object(call) as Partial<AiSdkCall>;
    const told: unknown = await toModelOutput.call(tool, { toolCallId, input, output });
    return FAILURES.has((Object(told) as { readonly type?: unknown }).type);
  };
}

function holding<Call>(admit: Admit<Call>, execute: Execute<Call>, failure: Failure): Execute<Call> {
  // A bound function has the prototype of its target.
  if (Object.prototype.toString.call(execute) !== "[object AsyncGeneratorFunction]")
    return async (args, call) =>
      run(allowed(await admit(args, call)), async (judged) => wholeOf(execute(judged, call)), {
        isFailure: failure(args, call),
      });
  return async function* (args, call) {
    const tool = (judged: unknown) => parts(execute(judged, call) as AsyncIterable<unknown>);
    yield* stream(allowed(await admit(args, call)), tool, failure(args, call));
  };
}

/** Throws a denial, which the SDK tells the model as an error of the tool. */
function allowed(asked: Admission | ToolDenied): Admission {
  if (asked instanceof ToolDenied) throw asked;
  return asked;
}

/** Parts as they come; returns the last, which the SDK takes for the result. */
async function* parts(given: AsyncIterable<unknown>): AsyncGenerator<unknown, unknown> {
  let last: unknown;
  for await (const part of given) {
    last = part;
    yield part;
  }
  return last;
}

/** What the SDK takes for the result: the last of several parts. */
async function wholeOf(value: unknown): Promise<unknown> {
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  const all = parts(value as AsyncIterable<unknown>);
  for (;;) {
    const { done, value: part } = await all.next();
    if (done === true) return part;
  }
}
