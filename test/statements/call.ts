/** The call decision, stated from `call.md`. */
import { approvalDenial } from "./approval.ts";
import { argumentsDenial } from "./arguments.ts";
import { limitsDenial } from "./limits.ts";
import { lineage } from "./lineage.ts";
import type { PolicyData } from "./policy.ts";
import { tool } from "./tool.ts";
import { type Decision, entry, field, isObject, isWritten, type Json } from "./values.ts";

type Denial = Decision | undefined;

const deny = (gate: string, reason: string, more: Decision = {}): Decision => ({
  allowed: false,
  gate,
  reason,
  ...more,
});

/** `null` counts as absent. */
function optional(input: unknown, key: string): unknown {
  return field(input, key) ?? undefined;
}

/** Unique, in the order of code points. */
function sorted(names: Iterable<string>): Json {
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

export function call(policy: PolicyData, input: unknown): Decision {
  const gates = [
    chainGate,
    capabilityGate,
    toolGate,
    toolLaneGate,
    scopeGate,
    flagsGate,
    argumentsGate,
    writesGate,
    approvalDenial,
    limitsGate,
  ];
  for (const gate of gates) {
    const denial = gate(policy, input);
    if (denial !== undefined) return denial;
  }
  return { allowed: true, gate: "ALLOW", reason: "call_allowed" };
}

function chainGate(policy: PolicyData, input: unknown): Denial {
  const chain = lineage(policy, input);
  if (chain["allowed"] !== true) {
    const { allowed: _allowed, gate: _gate, reason, ...more } = chain;
    return deny("LINEAGE", "lineage_not_permitted", { lineage_reason: reason ?? null, ...more });
  }
  const agents = optional(input, "lineage");
  const missing = !Array.isArray(agents) || agents.length === 0;
  return missing && policy.settings.call.lineage === "required" ? deny("LINEAGE", "lineage_missing") : undefined;
}

function capabilityGate(policy: PolicyData, input: unknown): Denial {
  const agents = optional(input, "lineage");
  const wanted = field(input, "tool");
  for (const [index, agent] of (Array.isArray(agents) ? agents : []).entries()) {
    const manifest = entry(policy.manifests, field(agent, "agent_type"));
    if (manifest === undefined) {
      if (policy.settings.call.unknown_agents === "allow") continue;
      return deny("CAPABILITY", "agent_unknown", { index });
    }
    if (manifest.tools !== undefined && entry(manifest.tools, wanted) === undefined) {
      return deny("CAPABILITY", "tool_not_delegable", { index });
    }
  }
  return undefined;
}

function toolGate(policy: PolicyData, input: unknown): Denial {
  const decision = tool(policy, input);
  return decision["allowed"] === true ? undefined : decision;
}

interface Named {
  readonly lane: PolicyData["lanes"][string] | undefined;
  readonly tool: PolicyData["tools"][string] | undefined;
}

function named(policy: PolicyData, input: unknown): Named {
  return { lane: entry(policy.lanes, field(input, "lane")), tool: entry(policy.tools, field(input, "tool")) };
}

function toolLaneGate(policy: PolicyData, input: unknown): Denial {
  const lanes = named(policy, input).tool?.lanes;
  if (lanes === undefined || entry(lanes, field(input, "lane")) !== undefined) return undefined;
  return deny("TOOL_LANE", "lane_not_allowed_for_tool");
}

function scopeGate(policy: PolicyData, input: unknown): Denial {
  const scope = optional(input, "scope");
  if (scope !== undefined && !isObject(scope)) return deny("SCOPE", "scope_malformed");
  const { lane, tool } = named(policy, input);
  const required = [...Object.keys(lane?.requires ?? {}), ...Object.keys(tool?.scope_keys ?? {})];
  const missing = required.filter((key) => {
    const value = field(scope, key);
    return !isWritten(value) && typeof value !== "number";
  });
  return missing.length === 0 ? undefined : deny("SCOPE", "scope_key_missing", { missing: sorted(missing) });
}

function flagsGate(policy: PolicyData, input: unknown): Denial {
  const flags = optional(input, "flags");
  if (flags !== undefined && !(Array.isArray(flags) && flags.every((flag) => typeof flag === "string"))) {
    return deny("FLAGS", "flags_malformed");
  }
  const { lane, tool } = named(policy, input);
  const prohibited = [...Object.keys(lane?.prohibits ?? {}), ...Object.keys(tool?.prohibited_flags ?? {})];
  const raised = prohibited.filter((flag) => {
    if (Array.isArray(flags) && flags.includes(flag)) return true;
    const values = [optional(input, "scope"), optional(input, "args")].map((of) => field(of, flag));
    return values.some((value) => value !== undefined && value !== false && value !== null);
  });
  return raised.length === 0 ? undefined : deny("FLAGS", "flag_prohibited", { flags: sorted(raised) });
}

function argumentsGate(policy: PolicyData, input: unknown): Denial {
  return argumentsDenial(named(policy, input).tool?.written, input);
}

function writesGate(policy: PolicyData, input: unknown): Denial {
  const writes = optional(input, "writes");
  if (writes === undefined) return undefined;
  const isWrite = (write: unknown): boolean =>
    isObject(write) && typeof field(write, "table") === "string" && typeof field(write, "mode") === "string";
  if (!Array.isArray(writes) || !writes.every(isWrite)) return deny("WRITES", "writes_malformed");
  const { lane, tool } = named(policy, input);
  const beyondLane = writes.findIndex(
    (write) => entry(entry(lane?.writes, field(write, "table")), field(write, "mode")) === undefined,
  );
  if (beyondLane >= 0) return deny("WRITES", "write_not_allowed", { index: beyondLane });
  const targets = tool?.write_targets;
  if (targets === undefined) return undefined;
  const beyondTool = writes.findIndex((write) => entry(targets, field(write, "table")) === undefined);
  return beyondTool < 0 ? undefined : deny("WRITES", "write_not_of_tool", { index: beyondTool });
}

function limitsGate(policy: PolicyData, input: unknown): Denial {
  return limitsDenial(policy.written_limits ?? [], input);
}
