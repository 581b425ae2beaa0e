/**
 * Decisions as types: they narrow, and what is misspelt does not compile. `make check` compiles this file; each
 * `@ts-expect-error` fails it where there is no error.
 */

import {
  type AuthoredDenial,
  type CallDecision,
  type CloseDecision,
  DECISION_KINDS,
  type Decision,
  type Denied,
  type Evaluator,
  type ExecDecision,
  type HandoffDecision,
  type Interned,
  type LaneDecision,
  type LineageDecision,
  metrics,
  Policy,
  ReloadablePolicy,
  type SubagentDecision,
  type ToolDecision,
} from "@portcullis/runtime";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type DecisionOf, type Ids, ids, isTool, type RequestOf, tools } from "../../../generated/types.ts";
import { FAULTS } from "../../../runtime/governance/answers.ts";

// Compiled, never run: what a service writes.
function narrowing(policy: Policy, known: Policy<Ids>): void {
  const tool = policy.tool({ role: "ANY", lane: "TEXT", tool: "at all" });
  expectTypeOf(tool).toEqualTypeOf<ToolDecision>();
  expectTypeOf(tool).toExtend<Decision>();
  expectTypeOf(tool.gate).toExtend<string>();
  // @ts-expect-error: only some denials have it.
  void tool.lane_reason;
  // @ts-expect-error: no gate of tools.
  void (tool.gate === "TOOOL");
  // @ts-expect-error: a gate of calls, not of tools.
  void (tool.gate === "SCOPE");
  // @ts-expect-error: no reason of tools.
  void (tool.reason === "tool_disable");
  if (tool.allowed === true) {
    expectTypeOf(tool.gate).toEqualTypeOf<"ALLOW">();
    expectTypeOf(tool.reason).toEqualTypeOf<"tool_allowed">();
  } else if (tool.gate === "LANE_AUTHORIZATION") {
    expectTypeOf(tool.lane_reason).toEqualTypeOf<LaneDecision["reason"]>();
    // @ts-expect-error: no reason of lanes.
    void (tool.lane_reason === "role_not_define");
  } else if (tool.gate === "TOOL_ENABLED") {
    expectTypeOf(tool.reason).toEqualTypeOf<"tool_disabled" | "tool_not_enabled">();
  }
  const call = policy.call({ role: "A", lane: "L", tool: "t" });
  if (call.gate === "SCOPE" && call.reason === "scope_key_missing")
    expectTypeOf(call.missing).toExtend<readonly string[]>();
  if (call.reason === "approval_required") expectTypeOf(call.approval).toEqualTypeOf<"required" | "bound">();
  if (call.gate === "LANE_TOOL") expectTypeOf(call.reason).toEqualTypeOf<"tool_not_allowed_in_lane">();
  const exec = policy.exec({
    mode: "m",
    kind: "inline",
    session: { valid: true },
    script: { path: null, sha256: null },
    contract: null,
    hat: null,
  });
  expectTypeOf(exec.reply).toEqualTypeOf<"S" | "D">();
  // @ts-expect-error: a kind that there is not.
  policy.exec({ mode: "m", kind: "inlined" });
  if (exec.gate === "CONTRACT") {
    // @ts-expect-error: a detail that there is not.
    void (exec.detail === "no_contracts");
  }
  expectTypeOf(policy.evaluate("portcullis/lane/decision", 5)).toEqualTypeOf<LaneDecision | undefined>();
  expectTypeOf(policy.evaluate("house/rule", 5)).toEqualTypeOf<unknown>();
  expectTypeOf(policy.batch("close", [])).toEqualTypeOf<CloseDecision[]>();
  // @ts-expect-error: no decision.
  policy.batch("tools", []);

  // The ids of one policy set.
  const own = known.tool({ role: "WRITER", lane: "DRAFTING", tool: "draft.create", scope: { amount_cents: 5 } });
  if (own.gate === "PAYOUT_LIMIT") expectTypeOf(own).toEqualTypeOf<Denied<"PAYOUT_LIMIT", "payout_above_limit">>();
  // @ts-expect-error: no gate of the house.
  void (own.gate === "PAYOUT_LIMITS");
  // @ts-expect-error: the house denies tools, not lanes.
  void (known.lane({ role: "WRITER", lane: "DRAFTING" }).gate === "PAYOUT_LIMIT");
  // @ts-expect-error: no role.
  known.lane({ role: "WRITTER", lane: "DRAFTING" });
  // @ts-expect-error: no key of a scope.
  known.call({ role: "WRITER", lane: "DRAFTING", tool: "draft.create", scope: { amount_cent: 5 } });
  // @ts-expect-error: no entrypoint.
  known.evaluate("portcullis/lanes/decision", {});
  // @ts-expect-error: a request without its lane.
  known.evaluate("portcullis/lane/decision", { role: "WRITER" });
  known.evaluateJson("portcullis/lane/decision", "{}");
  expectTypeOf(known.intern("WRITER")).toEqualTypeOf<Interned<"WRITER">>();
  known.lane({ role: known.intern("WRITER"), lane: "DRAFTING" });
  // @ts-expect-error: a handle for no role.
  known.lane({ role: known.intern("WRITTER"), lane: "DRAFTING" });
  expectTypeOf(known.call).parameter(0).toHaveProperty("tool");
  expectTypeOf<RequestOf<"tool">["tool"]>().toEqualTypeOf<(typeof tools)[number]>();
  expectTypeOf<DecisionOf<"subagent">["delegatedSubagents"][number]>().toExtend<(typeof ids)["subagents"][number]>();
  // @ts-expect-error: narrowed texts have no author's denial.
  expectTypeOf<DecisionOf<"lane">>().toEqualTypeOf<LaneDecision>();
  void metrics(known);
  // What takes any policy takes one that is known, and not the other way round.
  const anyPolicy: Policy = known;
  expectTypeOf(anyPolicy.tool({ role: "ANY", lane: "TEXT", tool: "at all" })).toEqualTypeOf<ToolDecision>();
  // @ts-expect-error: nothing is known of it.
  const knownPolicy: Policy<Ids> = policy;
  // @ts-expect-error: of another set.
  const another: Policy<Ids> = known as Policy<Omit<Ids, "roles"> & { readonly roles: readonly ["WALKER"] }>;
  void [knownPolicy, another];
  const reloadable = (policies: ReloadablePolicy<Ids>): ReloadablePolicy => policies;
  void reloadable;
  expectTypeOf(ReloadablePolicy.load<typeof ids>(new Uint8Array()))
    .resolves.toHaveProperty("current")
    .toEqualTypeOf<Policy<Ids>>();
}

type Every =
  | LaneDecision
  | ToolDecision
  | SubagentDecision
  | LineageDecision
  | HandoffDecision
  | ExecDecision
  | CloseDecision
  | CallDecision;

function everyDecision(decision: Every): string {
  expectTypeOf<Exclude<LaneDecision, { allowed: true }>>().toExtend<Denied>();
  expectTypeOf<AuthoredDenial>().toExtend<Denied>();
  return decision.allowed === true ? decision.gate : `${decision.gate}: ${decision.reason}`;
}

describe("decisions at run time", () => {
  it("a policy without a decision answers its denial with every member", () => {
    const policy = new Policy({ entrypoints: [] } as unknown as Evaluator, { revision: undefined });
    for (const kind of DECISION_KINDS) {
      const decision = policy.batch(kind, [{} as never])[0];
      expect(decision).toBe(FAULTS[kind]);
      expect(Object.isFrozen(decision)).toBe(true);
      expect(decision).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input" });
    }
    expect(policy.close({} as never).commit_blocked, "who asks only whether to commit does not commit").toBe(true);
    expect(policy.subagent({} as never).delegatedSubagents).toEqual([]);
    expect(policy.handoff({} as never).violations).toEqual([]);
    expect(policy.exec({} as never).reply).toBe("D");
  });

  it("what must compile and what must not is in this file", () => {
    expect([narrowing, everyDecision]).toHaveLength(2);
  });

  it("ids and their guards are there", () => {
    expect(ids.tools).toBe(tools);
    expect([...tools, "draft.creat", null].filter(isTool)).toEqual(tools);
  });
});
