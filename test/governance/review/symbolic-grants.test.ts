/** Claims that a grant never matters, for all requests: proved where the policy without it decides alike, refuted by a request where not. */

import { describe, expect, it } from "vitest";
import { hostDataPolicy } from "../../../compiler/governance/review/host-data-policy.ts";
import { policyTables } from "../../../compiler/governance/review/policy-ids.ts";
import { grantsOf } from "../../../compiler/governance/review/prove/grants.ts";
import { withTables } from "../../../compiler/governance/review/prove/properties.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { opened } from "./opened.ts";
import { requestsTo } from "./policy-requests.ts";
import { filesOf, randomSet } from "./policy-sets.ts";
import { native } from "./solvers.ts";
import { claimed, EXTENDED, SMALL, verdictOf } from "./symbolic-claims.ts";

const claim = (grant: string): string => `never: { decision: tool, grant: "${grant}" }`;

describe.skipIf(native === undefined)("a grant that never matters", () => {
  it("is proved, and one that does is shown with a request that it decides", async () => {
    const [dead, alive] = [
      ["lanes.DESK.tools.erase", "lanes.DESK.tools.plan", "tools.erase"],
      ["lanes.DESK.tools.draft", "lanes.DESK.roles.WRITER", "roles.WRITER", "tools.send"],
    ];
    const properties = await claimed(await opened(SMALL), [...dead, ...alive].map(claim));
    expect(properties.map(verdictOf)).toEqual([...dead.map(() => "proved"), ...alive.map(() => "refuted")]);
    expect(properties.at(-1)?.counterexamples).toMatchObject([{ request: { tool: "send" } }]);
  });

  it("is proved by a rule of the author's that denies what it grants", async () => {
    const policy = await opened(EXTENDED('deny contains {"gate": "A", "reason": "a"} if input.tool == "send"'));
    const grants = ["lanes.DESK.tools.send", "lanes.DESK.tools.draft"];
    expect((await claimed(policy, grants.map(claim))).map(verdictOf)).toEqual(["proved", "refuted"]);
  });

  it("agrees with asking", async () => {
    const random = new Random(11);
    const set = randomSet(random);
    const policy = await opened(filesOf(set));
    const tables = policyTables(policy.data) ?? {};
    const grants = grantsOf(tables).filter(({ name }) => /^(roles|lanes|tools)/.test(name));
    const some = grants.filter((_, i) => i % Math.ceil(grants.length / 6) === 0);
    const verdicts = (
      await claimed(
        policy,
        some.map(({ name }) => claim(name)),
      )
    ).map(verdictOf);
    expect(verdicts).not.toContain("unknown");
    for (const [i, grant] of some.entries()) {
      const without = await hostDataPolicy(policy, { data: withTables(policy.data, grant.remove(tables)) });
      if (!without.ok) throw new Error(without.problem.message);
      const matters = [...requestsTo(set)].some((request) => {
        const [a, b] = [policy.policy, without.value].map(
          (one) => (one.evaluate("portcullis/tool/decision", request) as { allowed: boolean }).allowed,
        );
        return a !== b;
      });
      // What asking finds, the solver finds. What it finds is asked there, of both.
      if (matters) expect([grant.name, verdicts[i]]).toEqual([grant.name, "refuted"]);
    }
  });
});
