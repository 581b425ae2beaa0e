/**
 * `@portcullis/agents/openai`: function tools of OpenAI Agents (`@openai/agents`). A tool that is made already parses its arguments
 * behind `invoke`, where nothing can be put between parser and function: so it is the SDK's `tool` that is held, and each tool that
 * it makes asks first, with the arguments that `execute` gets.
 */

import type { CallDecider, PolicyIds, Replaceable } from "@portcullis/runtime";
import { type AgentContext, type AgentOptions, admitting, changed, ToolDenied } from "./admission.ts";
import { run } from "./running.ts";

/** What OpenAI Agents tells a tool of its call. */
export interface OpenAiCall {
  /** The run; its `context` is your own. */
  readonly runContext?: { readonly context: unknown } | undefined;
  /** The model's call (`toolCall.callId`), and a signal. */
  readonly details?: object | undefined;
}

type Execute = (args: unknown, runContext: unknown, details: unknown) => unknown;
type ToolOptions = Readonly<Record<string, unknown>>;

/**
 * The SDK's `tool`, whose tools ask first. The name of a tool, as it is given to `tool` with its dots, is looked up in
 * `options.tools`, or is the registry's id. A denial is what the tool gives back, as the SDK has no errors of tools; where a tool
 * has an `outputSchema`, it is thrown to its `errorFunction`. What `tool` makes is refused with a TypeError where it is
 * given in place of a definition, as are tools that OpenAI runs.
 */
export function guardTool<
  Make extends (definition: never) => unknown,
  Call extends OpenAiCall = OpenAiCall,
  Ids extends PolicyIds = PolicyIds,
>(
  tool: Make,
  policy: Replaceable<CallDecider<Ids>>,
  context: AgentContext<Call, Ids>,
  options: AgentOptions<Call> = {},
): Make {
  const make = (definition: ToolOptions): unknown => {
    const { execute, name } = named(definition);
    const admit = admitting(policy, context, name, options);
    const isFailure = (value: unknown): boolean => isUnfit(definition["outputSchema"], value);
    const held: Execute = async (args, runContext, details) => {
      const asked = await admit(args, { runContext, details } as never);
      if (!(asked instanceof ToolDenied))
        return run(asked, (judged) => execute(judged, runContext, details), { isFailure });
      if (definition["outputSchema"] === undefined) return asked.message;
      throw asked;
    };
    return tool(changed(definition, { name, execute: held }) as never);
  };
  return make as (definition: never) => unknown as Make;
}

/** A tool without a name has that of its function, which the SDK does not see any more. */
function named(definition: ToolOptions): { readonly execute: Execute; readonly name: string } {
  const { execute, name, invoke, type } = definition;
  const what = typeof name === "string" ? `the tool \`${name}\`` : "a tool";
  if (type !== undefined || invoke !== undefined)
    throw new TypeError(`${what} is made already: give \`tool\` its definition, with \`execute\``);
  if (typeof execute !== "function") throw new TypeError(`${what} has no \`execute\`, so that no policy can hold it`);
  return { execute: execute.bind(definition) as Execute, name: typeof name === "string" ? name : execute.name };
}

/** The SDK takes a value that does not fit a schema of Zod for a failure of the tool. */
function isUnfit(schema: unknown, value: unknown): boolean {
  const { safeParse } = Object(schema) as { readonly safeParse?: unknown };
  if (typeof safeParse !== "function") return false;
  try {
    return safeParse.call(schema, value).success !== true;
  } catch {
    return true;
  }
}
