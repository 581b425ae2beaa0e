/** A policy that its source no longer vouches for denies each decision, and the denial says so. */

import { readFileSync } from "node:fs";
import { builtins } from "@portcullis/builtins";
import { expect, it } from "vitest";
import { DECISION_KINDS, load } from "../../../runtime/index.ts";
import { stalePolicy } from "../../../runtime/operate/stale-evaluator.ts";

const bundle = readFileSync(new URL("../../../generated/bundle.tar.gz", import.meta.url));

it("denies every decision with the reason `stale`, and the members that its denials have", async () => {
  const policy = stalePolicy(await load(bundle, { builtins }), {});
  const writes = { role: "WRITER", lane: "DRAFTING" };
  for (const kind of DECISION_KINDS) {
    expect(policy[kind](writes as never)).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR", reason: "stale" });
    expect(policy.lastFault?.code).toBe("stale");
  }
  expect(policy.handoff({} as never)).toMatchObject({ violations: [] });
  expect(policy.batch("lane", [writes])).toEqual([{ allowed: false, gate: "INTERNAL_ERROR", reason: "stale" }]);
  expect(policy.evaluate("portcullis/lane/decision", writes)).toBeUndefined();
  expect(policy.faults).toBe(DECISION_KINDS.length + 3);
});
