/** What the statement of `approvals.md` says of a call is what every evaluator answers: each fault of an approval, alone and in pairs. */

import { describe, expect, it } from "vitest";
import { statements } from "../../statements/index.ts";
import { approvalCalls, approvalPolicy } from "./approval-calls.ts";
import { disagreements } from "./disagreements.ts";
import { evaluators } from "./evaluators.ts";

const calls = approvalCalls();

describe("calls with faults of approvals", () => {
  it("meet every row of the gate, and are many", () => {
    const answers = calls.map((input) => statements.call(approvalPolicy, input));
    const count = (reason: string): number => answers.filter((answer) => answer["reason"] === reason).length;
    const rows = [
      ...["approval_required", "approval_malformed", "approval_not_human", "approver_unknown", "approver_expired"],
      ...["approver_not_for_tool", "approval_signature_invalid", "approval_not_for_this_call"],
      ...["approval_for_other_policy", "approval_expired", "approval_refused", "approval_used", "call_allowed"],
    ];
    expect(Object.fromEntries(rows.map((row) => [row, count(row) > 4]))).toEqual(
      Object.fromEntries(rows.map((row) => [row, true])),
    );
    expect(calls.length).toBeGreaterThan(600);
    const needs = new Set(answers.map((answer) => answer["approval"]));
    expect(needs).toEqual(new Set([undefined, "bound", "required"]));
  });
});

describe.each(evaluators)("$name", (evaluator) => {
  it("agrees on every fault of an approval", async () => {
    const batches = [{ policy: approvalPolicy, inputs: calls }];
    const found = disagreements(batches, await evaluator.decide("call", batches), "call");
    expect(found.map(({ policy: _, ...rest }) => rest)).toEqual([]);
  });
});
