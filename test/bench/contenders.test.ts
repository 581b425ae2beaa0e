/** Who answers wrongly is not measured. */

import type { DecisionKind } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { assertRight, contendersOf, inabilities } from "../../bench/parts/contenders.ts";
import { allowedOf, type Decide, type Peer } from "../../bench/peers/peer.ts";
import type { Workload } from "../../bench/workloads/index.ts";

const ALLOW = { allowed: true, gate: "ALLOW", reason: "r" };
const workload: Workload = {
  kind: "lane",
  size: "typical",
  what: "",
  outcome: "allow",
  gate: "ALLOW",
  different: 3,
  make: (index) => ({ index }),
};

function peer(name: string, decide: Decide, whole = true, kinds: readonly DecisionKind[] = ["lane"]): Peer {
  return {
    name,
    wholeDecisions: whole,
    decides: (kind) => (kinds.includes(kind) ? decide : { cannot: "no such thing" }),
    allowed: whole ? allowedOf : (answer) => answer === true,
  };
}

const right = peer("limit", () => ALLOW);

describe("contenders", () => {
  it("are asked when each answers as the code written by hand does, whole or by verdict", () => {
    const frozen = Object.freeze(Object.assign(Object.create(null) as object, ALLOW));
    expect(() =>
      assertRight([right, peer("equal", () => frozen), peer("verdict", () => true, false)], workload),
    ).not.toThrow();
  });

  it.each<[string, readonly Peer[]]>([
    ["another reason", [right, peer("x", () => ({ ...ALLOW, reason: "s" }))]],
    ["one member more", [right, peer("x", () => ({ ...ALLOW, more: 1 }))]],
    ["nothing", [right, peer("x", () => undefined)]],
    ["another verdict", [right, peer("x", () => false, false)]],
    ["another gate than the workload's, all of them", [peer("x", () => ({ ...ALLOW, gate: "LANE" }))]],
    ["wrong on one request of three", [right, peer("x", ({ index }: { index: number }) => (index === 2 ? {} : ALLOW))]],
  ])("are refused with %s", (_name, peers) => {
    expect(() => assertRight(peers, workload)).toThrow(/^x answers .*\(lane, typical, allow: ALLOW\)$/);
  });

  it("are only those who can decide the kind; of the others is said why they cannot", () => {
    const peers = [right, peer("other", () => ALLOW, true, ["tool"])];
    expect(contendersOf(peers, workload).map(({ name }) => name)).toEqual(["limit"]);
    expect(inabilities(peers, "S", [workload, workload])).toEqual([
      { policy: "S", name: "other, lane", why: "no such thing" },
    ]);
  });
});
