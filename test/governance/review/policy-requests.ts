/** Requests that a small policy set may answer either way. */

import type { Random } from "../../rego/plan/generate/random.ts";
import type { PolicySet } from "./policy-sets.ts";

/** Requests of the lane and tool decisions, each id of a set beside strangers. */
export function* requestsTo(set: PolicySet): Generator<{ [name: string]: unknown }> {
  const amounts = [undefined, 0, set.limit - 1, set.limit, set.limit + 1, set.limit * 10 + 1, "much"];
  for (const role of [...set.roles, "STRANGER", undefined])
    for (const { id: lane } of [...set.lanes, { id: "NOWHERE" }])
      for (const { id: tool } of [...set.tools, { id: "nothing" }])
        for (const shift of [undefined, "night", "midnight"])
          for (const amount of amounts)
            for (const signed of [undefined, true, false])
              for (const urgent of [undefined, true])
                yield { role, lane, tool, scope: { shift, amount, signed, really: signed }, args: { urgent } };
}

/** Calls of all kinds, most of them with all that their lane and tool ask for. */
export function* callsTo(set: PolicySet, random: Random, count: number): Generator<{ [name: string]: unknown }> {
  const from = <T>(...values: readonly T[]): T => values[random.int(values.length)] as T;
  const usually = <T>(value: T, ...others: readonly T[]): T => (random.chance(0.8) ? value : from(...others));
  const types = [...set.manifests.map(({ type }) => type), "stranger"];
  const chain = (length: number): unknown[] =>
    Array.from({ length }, (_, i) => ({ agent_type: from(...types), spawn_depth: usually<unknown>(i, 0, -1, 7, "1") }));
  for (let n = 0; n < count; n++) {
    const lane = from(...set.lanes);
    const amount = from<unknown>(0, set.limit - 1, set.limit, set.limit + 1, set.limit * 10 + 1, "much");
    const keys = Object.fromEntries(["k0", "k1", "k2"].map((key) => [key, usually<unknown>("x", "", 7, null, " ")]));
    const signs = {
      signed: usually<unknown>(true, false, 1),
      really: from(true, false),
      shift: from("day", "night", "midnight"),
    };
    yield {
      role: usually(from(...lane.roles), ...set.roles, "STRANGER"),
      lane: usually(lane.id, "NOWHERE"),
      tool: usually(from(...set.tools).id, "nothing"),
      scope: { ...keys, ...signs, amount, ...usually<object>({}, { f0: true }, { f1: false }) },
      args: usually<unknown>({ urgent: true }, {}, undefined),
      flags: usually<unknown>([], ["f0"], ["f1", "x"], "f0", null),
      writes: usually<unknown>(
        [],
        [{ table: "t0", mode: "append" }],
        [{ table: "t1", mode: "append" }],
        [{ table: "t2" }],
      ),
      approval: usually<unknown>({ ref: "A", by: "a person" }, null, { ref: "A", by: "ROLE0" }, "yes"),
      ...usually<object>({}, { lineage: chain(1) }, { lineage: chain(2) }, { lineage: chain(3) }),
    };
  }
}
