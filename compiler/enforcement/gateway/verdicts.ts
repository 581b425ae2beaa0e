/** What the policy says of a server's tools: which may be seen, and whether a call may go on. */

import {
  type CallContext,
  type CallDecider,
  type CallDecision,
  type CallRecord,
  guardTool,
  type Replaceable,
  type ToolOutcome,
} from "@portcullis/runtime";
import type { Caller } from "./caller.ts";
import { lookAlike, quoted } from "./look-alikes.ts";
import type { MappedTool, ToolMap } from "./tool-map.ts";

/** Denials that other arguments, or a person, can turn into an allow: a tool that has only these is worth showing. */
const OPEN_GATES: ReadonlySet<string> = new Set(["SCOPE", "WRITES", "APPROVAL"]);

export class Verdicts {
  private readonly policy: Replaceable<CallDecider>;
  private readonly caller: Caller;
  private readonly tools: ToolMap;
  private readonly record: (record: CallRecord, name: string) => void;

  /** `record` is called before an allowed call goes on; the call does not go on when it throws. */
  constructor(
    policy: Replaceable<CallDecider>,
    caller: Caller,
    tools: ToolMap,
    record: (record: CallRecord, name: string) => void,
  ) {
    this.policy = policy;
    this.caller = caller;
    this.tools = tools;
    this.record = record;
  }

  /** Whether a tool of the server, by its own name, may be called by somebody here, with whatever arguments. */
  async visible(name: string): Promise<boolean> {
    const { decision } = await guardTool(this.policy, this.context(name), this.idOf(name), () => undefined)(undefined);
    return decision.allowed === true || OPEN_GATES.has(decision.gate);
  }

  /**
   * Decides one call, and hands the arguments that were decided on to `forward` after an allow. Rejects with what `forward`
   * or the record throws.
   */
  async call(name: string, args: unknown, forward: (args: unknown) => void): Promise<ToolOutcome<void>> {
    let unrecorded: unknown;
    const record = (written: CallRecord): void => {
      try {
        this.record(written, name);
      } catch (error) {
        unrecorded = error ?? new Error("no record");
      }
    };
    const context = (copied: unknown): CallContext => this.context(name, copied);
    const execute = (copied: unknown): void => {
      if (unrecorded !== undefined) throw unrecorded;
      forward(copied);
    };
    return guardTool(this.policy, context, this.idOf(name), execute, { record })(args);
  }

  private idOf(name: string): string {
    return this.tools.get(name)?.tool ?? name;
  }

  /** Throws where arguments say otherwise than the host: the tool would act on what was not decided. */
  private context(name: string, args?: unknown): CallContext {
    const { role, lane, lineage, flags, scope } = this.caller;
    const mapped = this.tools.get(name);
    const given = fromArguments(mapped, args);
    const other = Object.keys(given).find((key) => Object.hasOwn(scope, key) && textOf(given[key]) !== scope[key]);
    if (other !== undefined) throw new Error(`the arguments give another ${JSON.stringify(other)} than the host`);
    return {
      role,
      lane,
      ...(lineage === undefined ? {} : { lineage }),
      scope: { ...given, ...scope },
      flags: [...flags, ...(mapped?.flags ?? [])],
      ...(mapped === undefined || mapped.writes.length === 0 ? {} : { writes: mapped.writes }),
    };
  }
}

/** `a, b` for people and models: the gate, the reason, and what the decision says besides. */
export function denialText(name: string, decision: CallDecision): string {
  const { allowed: _, gate, reason, ...details } = decision;
  const more = Object.entries(details).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [`The policy denies ${quoted(name)}: ${gate}, ${reason}`, ...more].join("; ");
}

/** Throws where another argument could be read as one of the scope's: the tool may not see what was decided. */
function fromArguments(mapped: MappedTool | undefined, args: unknown): Record<string, unknown> {
  if (mapped === undefined || typeof args !== "object" || args === null) return {};
  const twin = lookAlike(args, [...mapped.scope.values()]);
  if (twin !== undefined) throw new Error(`${quoted(twin)} could be read as another argument`);
  const found = [...mapped.scope].filter(([, argument]) => Object.hasOwn(args, argument));
  return Object.fromEntries(found.map(([key, argument]) => [key, (args as Record<string, unknown>)[argument]]));
}

/** A host's words are texts. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
