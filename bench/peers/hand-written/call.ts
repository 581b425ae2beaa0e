import type { CallRequest, LineageRequest, ToolRequest } from "@portcullis/runtime";
import type { PolicyTables } from "../../bundles.ts";
import { agentNames } from "./agents.ts";
import { argumentsOf } from "./arguments.ts";
import { boundDenialOf, denial, isBound } from "./bound-approval.ts";
import { type Answer, constant } from "./constant.ts";
import { isWritten, type Members } from "./text.ts";

const ALLOW: Answer = constant({ allowed: true, gate: "ALLOW", reason: "call_allowed" });
const NO_LINEAGE: Answer = constant({ allowed: false, gate: "LINEAGE", reason: "lineage_missing" });
const OTHER_LANE: Answer = constant({ allowed: false, gate: "TOOL_LANE", reason: "lane_not_allowed_for_tool" });
const BAD_SCOPE: Answer = constant({ allowed: false, gate: "SCOPE", reason: "scope_malformed" });
const BAD_FLAGS: Answer = constant({ allowed: false, gate: "FLAGS", reason: "flags_malformed" });
const BAD_WRITES: Answer = constant({ allowed: false, gate: "WRITES", reason: "writes_malformed" });
const UNAPPROVED: Answer = constant({ allowed: false, gate: "APPROVAL", reason: "approval_required" });

export function callOf(
  policy: PolicyTables,
  decideLineage: (request: LineageRequest) => Answer,
  decideTool: (request: ToolRequest) => Answer,
): (request: CallRequest) => Answer {
  const set = (table: object | undefined): Set<string> => new Set(Object.keys(table ?? {}));
  const lanes = new Map(
    Object.entries(policy.lanes).map(([id, lane]) => [
      id,
      {
        writes: new Map(Object.entries(lane.writes).map(([table, modes]) => [table, set(modes)])),
        requires: Object.keys(lane.requires),
        prohibits: Object.keys(lane.prohibits),
      },
    ]),
  );
  const tools = new Map(
    Object.entries(policy.tools).map(([id, tool]) => [
      id,
      {
        lanes: tool.lanes && set(tool.lanes),
        keys: Object.keys(tool.scope_keys),
        flags: Object.keys(tool.prohibited_flags),
        targets: tool.write_targets && set(tool.write_targets),
        denial: tool.arguments && argumentsOf(tool.arguments),
        approval: tool.approval,
        unapproved: constant({ ...UNAPPROVED, approval: tool.approval }),
      },
    ]),
  );
  const delegable = new Map(
    Object.entries(policy.manifests).map(([type, m]) => [type, m.tools === undefined ? "any" : set(m.tools)]),
  );
  const areStrangersAllowed = policy.settings.call?.unknown_agents === "allow";
  const agents = agentNames(policy);
  const boundDenial = boundDenialOf(policy);
  const isOptional = policy.settings.call?.lineage === "optional";

  return (request) => {
    const { lineage, scope, flags, writes, approval } = request;
    const chain = decideLineage(request);
    if (!chain.allowed)
      return { ...chain, gate: "LINEAGE", reason: "lineage_not_permitted", lineage_reason: chain.reason };
    if (!isOptional && (lineage ?? []).length === 0) return NO_LINEAGE;
    if (lineage) {
      for (let index = 0; index < lineage.length; index++) {
        const powers = delegable.get((lineage[index] as { agent_type: string }).agent_type);
        if (powers === undefined && !areStrangersAllowed)
          return { allowed: false, gate: "CAPABILITY", reason: "agent_unknown", index };
        if (powers !== undefined && powers instanceof Set && !powers.has(request.tool))
          return { allowed: false, gate: "CAPABILITY", reason: "tool_not_delegable", index };
      }
    }
    const permitted = decideTool(request);
    const lane = lanes.get(request.lane);
    const tool = tools.get(request.tool);
    if (!permitted.allowed || lane === undefined || tool === undefined) return permitted;
    if (tool.lanes !== undefined && !tool.lanes.has(request.lane)) return OTHER_LANE;

    const given: unknown = scope ?? undefined;
    if (given !== undefined && (typeof given !== "object" || Array.isArray(given))) return BAD_SCOPE;
    const about = (given ?? {}) as { readonly [key: string]: unknown };
    const lacks = (key: string): boolean =>
      !Object.hasOwn(about, key) || !(typeof about[key] === "number" || isWritten(about[key]));
    const missing = [...lane.requires.filter(lacks), ...tool.keys.filter(lacks)];
    if (missing.length > 0)
      return { allowed: false, gate: "SCOPE", reason: "scope_key_missing", missing: [...new Set(missing)].sort() };

    const said: unknown = flags ?? [];
    if (!Array.isArray(said) || said.some((flag) => typeof flag !== "string")) return BAD_FLAGS;
    const raises = (flag: string): boolean =>
      said.includes(flag) || (Object.hasOwn(about, flag) && about[flag] !== false && about[flag] !== null);
    const raised = [...lane.prohibits.filter(raises), ...tool.flags.filter(raises)];
    if (raised.length > 0)
      return { allowed: false, gate: "FLAGS", reason: "flag_prohibited", flags: [...new Set(raised)].sort() };

    const args = tool.denial?.(request);
    if (args !== undefined) return args;

    const changes: unknown = writes ?? [];
    if (!Array.isArray(changes) || changes.some((w) => typeof w?.table !== "string" || typeof w.mode !== "string"))
      return BAD_WRITES;
    for (let index = 0; index < changes.length; index++)
      if (lane.writes.get(changes[index].table)?.has(changes[index].mode) !== true)
        return { allowed: false, gate: "WRITES", reason: "write_not_allowed", index };
    for (let index = 0; index < changes.length; index++)
      if (tool.targets !== undefined && !tool.targets.has(changes[index].table))
        return { allowed: false, gate: "WRITES", reason: "write_not_of_tool", index };

    if (tool.approval === "none") return ALLOW;
    if (approval === undefined || approval === null) {
      const digest: unknown = request.facts?.call_sha256;
      return typeof digest === "string" ? { ...tool.unapproved, call_sha256: digest } : tool.unapproved;
    }
    const { by, ref } = approval;
    const isWhole = tool.approval === "required" || isBound(approval as unknown as Members);
    if (!isWhole || !isWritten(ref) || typeof by !== "string" || agents.read(by) === "")
      return denial("approval_malformed");
    if (!agents.isPerson(by)) return denial("approval_not_human");
    if (tool.approval === "required") return ALLOW;
    return boundDenial(request.tool, approval as unknown as Members, request.facts) ?? ALLOW;
  };
}
