/** Claims that a gate never denies, for all requests: refuted where asking finds a denial by it, and proved where none can be. */

import { describe, expect, it } from "vitest";
import { prove } from "../../../compiler/governance/review/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { opened } from "./opened.ts";
import { requestsTo } from "./policy-requests.ts";
import { filesOf, randomSet } from "./policy-sets.ts";
import { native } from "./solvers.ts";
import { claimed, EXTENDED, SMALL, verdictOf } from "./symbolic-claims.ts";

const claim = (gate: string, more = ""): string => `never: { decision: tool, gate: ${gate}${more} }`;

describe.skipIf(native === undefined)("a gate that never denies", () => {
  it("is proved, and one that does is shown with a request that it denies", async () => {
    const policy = await opened(
      EXTENDED(
        'deny contains {"gate": "LONG", "reason": "long"} if count(input.args.x) > 2\n\ndeny contains {"gate": "NEVER", "reason": "never"} if {\n\tinput.tool == "erase"\n}',
      ),
    );
    const claims: readonly (readonly [claim: string, verdict: string])[] = [
      [claim("TOOL_ENABLED"), "refuted"],
      [claim("TOOL_ENABLED", ", tool: [draft, plan, send]"), "proved"],
      [claim("TOOL_IMPLEMENTED"), "refuted"],
      [claim("TOOL_IMPLEMENTED", ", tool: send"), "proved"],
      [claim("LONG"), "refuted"],
      [claim("LONG", ", lane: BACK, role: WRITER"), "proved"],
      // A tool that is switched off is denied before a rule of the author's is asked.
      [claim("NEVER"), "proved"],
      [claim("INTERNAL_ERROR"), "proved"],
    ];
    const properties = await claimed(
      policy,
      claims.map(([text]) => text),
    );
    expect(properties.map((property, i) => [claims[i]?.[0], verdictOf(property)])).toEqual(claims);
    for (const { name, counterexamples } of properties)
      for (const { request } of counterexamples) {
        const answer = policy.policy.evaluate("portcullis/tool/decision", request);
        expect(answer).toMatchObject({ allowed: false });
        expect(name).toContain((answer as { gate: string }).gate);
      }
  });

  it("but one that two rules contradict each other about: an error", async () => {
    const policy = await opened({
      ...EXTENDED('deny contains {"gate": "ONE", "reason": "one"} if data.house.one == 3'),
      "house.rego": "package house\n\none := 1 if input.args.x\n\none := 2 if input.args.y\n",
    });
    const [errors, gate] = await claimed(policy, [claim("INTERNAL_ERROR"), claim("ONE")]);
    expect([errors, gate].map((property) => property && verdictOf(property))).toEqual(["refuted", "proved"]);
  });

  it("agrees with asking", async () => {
    const random = new Random(7);
    const set = randomSet(random);
    const policy = await opened(filesOf(set));
    const denied = new Set(
      [...requestsTo(set)].map(
        (request) => (policy.policy.evaluate("portcullis/tool/decision", request) as { gate: string }).gate,
      ),
    );
    const gates = ["LANE_AUTHORIZATION", "LANE_TOOL", "TOOL", "TOOL_ENABLED", "TOOL_IMPLEMENTED"];
    const verdicts = (
      await claimed(
        policy,
        gates.map((gate) => claim(gate)),
      )
    ).map(verdictOf);
    for (const [i, gate] of gates.entries())
      if (denied.has(gate)) expect([gate, verdicts[i]]).toEqual([gate, "refuted"]);
    expect(verdicts).not.toContain("unknown");
  });
});

describe("a claim about a gate", () => {
  const proved = async (text: string) =>
    prove(await opened(SMALL), { claims: new SourceFile("claims.yaml", `claims: [{ ${text} }]\n`), removals: 0 });

  it("is not proved without a solver", async () => {
    const result = await proved(claim("TOOL_ENABLED"));
    if (!result.ok) throw new Error(result.problem.message);
    expect(result.value.properties.at(-1)?.unknown).toMatchObject([{ why: expect.stringContaining("solver") }]);
  });

  it.each([
    [claim("TOOL_ENABLE"), "the policy has no gate `TOOL_ENABLE`"],
    [claim("[]"), "no gate is named"],
    ["never: { decision: tool, grant: [] }", "no grant is named"],
    ["always: { decision: tool, gate: TOOL_ENABLED }", "the claim is `never`"],
    ["never: { decision: spawn, gate: LINEAGE }", "unknown key `gate`"],
  ])("has to name one that the decision may name: %s", async (text, message) => {
    const result = await proved(text);
    expect(result.ok ? undefined : result.problem.message).toContain(message);
  });
});
