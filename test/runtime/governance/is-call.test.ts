/** `isCall`: what it takes is a call request, member by member, and its type says so. */

import { type CallRequest, isCall, type Policy } from "@portcullis/runtime";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type Ids, ids, type CallRequest as OwnCall } from "../../../generated/types.ts";

const WHOLE = {
  role: "WRITER",
  lane: "DRAFTING",
  tool: "draft.create",
  scope: { story_id: "s-1" },
  args: 5,
  flags: ["dry_run"],
  writes: [{ table: "drafts", mode: "append" }],
  lineage: [{ agent_type: "news_desk", spawn_depth: 0, agent_id: "run-1" }],
  approval: { ref: "AP-1", by: "m.ortiz" },
};
const { role, lane, tool } = WHOLE;

// Compiled, never run: what a service writes.
function service(policy: Policy, known: Policy<Ids>, body: unknown): void {
  // @ts-expect-error: nothing is known of it yet.
  policy.call(body);
  if (isCall(body)) {
    expectTypeOf(body).toEqualTypeOf<CallRequest>();
    policy.call(body);
    // @ts-expect-error: its ids may be any texts.
    known.call(body);
  }
  if (isCall(body, ids)) {
    expectTypeOf(body).toEqualTypeOf<OwnCall>();
    known.call(body);
  }
}

describe("isCall", () => {
  it("takes the least and the whole of a call, with and without ids", () => {
    for (const body of [{ role, lane, tool }, WHOLE, { ...WHOLE, other: 1 }]) {
      expect(isCall(body)).toBe(true);
      expect(isCall(body, ids)).toBe(true);
    }
    for (const member of ["scope", "flags", "writes", "lineage", "approval"])
      expect(isCall({ ...WHOLE, [member]: null }, ids), member).toBe(true);
  });

  it.each([
    ...[undefined, null, 5, "text", [], [WHOLE], {}],
    ...["role", "lane", "tool"].flatMap((name) => [
      { ...WHOLE, [name]: undefined },
      { ...WHOLE, [name]: 5 },
    ]),
    ...["scope", "flags", "writes", "lineage", "approval"].flatMap((name) => [
      { ...WHOLE, [name]: "text" },
      { ...WHOLE, [name]: name === "scope" || name === "approval" ? [] : {} },
    ]),
    { ...WHOLE, flags: ["a", 5] },
    ...[{ table: "drafts" }, { mode: "append" }, { table: 5, mode: "append" }, null].map((w) => ({
      ...WHOLE,
      writes: [w],
    })),
    ...[{ agent_type: "a" }, { spawn_depth: 0 }, { agent_type: "a", spawn_depth: "0" }, null].map((a) => ({
      ...WHOLE,
      lineage: [a],
    })),
    { ...WHOLE, lineage: [{ agent_type: "news_desk", spawn_depth: 0, agent_id: 5 }] },
    ...[{ ref: "AP-1" }, { by: "m.ortiz" }, { ref: 1, by: "m.ortiz" }].map((approval) => ({ ...WHOLE, approval })),
  ])("refuses %j", (body) => {
    expect(isCall(body)).toBe(false);
    expect(isCall(body, ids)).toBe(false);
  });

  it("holds ids to those of the policy set, where it has them", () => {
    for (const near of [
      { ...WHOLE, role: "WRITTER" },
      { ...WHOLE, lane: "writer" },
      { ...WHOLE, tool: "draft.creat" },
      { ...WHOLE, lineage: [{ agent_type: "newsdesk", spawn_depth: 0 }] },
    ]) {
      expect(isCall(near)).toBe(true);
      expect(isCall(near, ids)).toBe(false);
    }
  });

  it("what must compile and what must not is in this file", () => {
    expect(service).toBeTypeOf("function");
  });
});
