/** An explanation names the gates of the decision, for every kind of decision. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtins } from "@portcullis/builtins";
import { describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { openBundle, prepareExplain } from "../../../compiler/governance/review/index.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { jsonText } from "../../../compiler/rego/value/index.ts";

const policies = fileURLToPath(new URL("../../../policies", import.meta.url));
const generated = fileURLToPath(new URL("../../../generated/bundle.tar.gz", import.meta.url));

/** One in this many of the example's decision tests; every gate that they reach is among them. */
const STRIDE = 41;

describe("the example's decision tests", async () => {
  const { compiled } = await compileTests({ host: nodeHost, dirs: [policies] });
  const tests = compiled?.decisions ?? [];
  const kinds = [...new Set(tests.map((t) => t.decision))];

  it.each(kinds)("explains %s with the gates of its decisions", async (kind) => {
    const opened = await openBundle("generated", readFileSync(generated), { builtins });
    const entrypoint = `portcullis/${kind}/decision`;
    const explaining = opened.ok ? await prepareExplain(opened.value, entrypoint) : opened;
    if (!opened.ok || !explaining.ok) throw new Error(JSON.stringify(explaining));
    const { policy } = opened.value;
    const of = tests.filter((t) => t.decision === kind);
    const seen = new Set<string>();
    const chosen = of.filter((test, i) => {
      const decision = policy.evaluateJson(entrypoint, jsonText(test.input)) as { gate: string; reason: string };
      const key = `${decision.gate} ${decision.reason}`;
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew || i % STRIDE === 0;
    });
    for (const test of chosen) {
      const text = jsonText(test.input);
      const explanation = await explaining.value(text);
      if (!explanation.ok) throw new Error(explanation.problem.message);
      const { steps, decidedBy } = explanation.value;
      // Each is told by its name, not by the Rego of its answer.
      if (kind === "handoff")
        for (const s of steps.filter((step) => step.isGate)) expect(s.gate, s.text).toMatch(/^[A-Z_]+$/);
      const decision = policy.evaluateJson(entrypoint, text) as { allowed: boolean; gate: string; reason: string };
      const failed = steps.filter((s) => s.isGate && s.status === "failed").map((s) => [s.gate, s.reason]);
      if (decision.allowed) expect(failed, text).toEqual([]);
      else expect(failed, text).toContainEqual([decision.gate, decision.reason]);
      expect(decidedBy?.location, text).toMatch(/^[\w/]+\.rego:\d+$/);
    }
    expect(chosen.length).toBeGreaterThan(1);
  });
});

describe("what would allow a call with a flag too many", async () => {
  const opened = await openBundle("generated", readFileSync(generated), { builtins });
  const explaining = opened.ok ? await prepareExplain(opened.value, "portcullis/call/decision") : opened;
  const call = {
    ...{ role: "WRITER", lane: "DRAFTING", tool: "draft.create", scope: { story_id: "s", run_id: "r" } },
    lineage: [{ agent_type: "news_desk", spawn_depth: 0 }],
  };
  it.each([[["external_publication"]], [["dry", "external_publication", "other"]]])(
    "%j takes it out",
    async (flags) => {
      if (!explaining.ok) throw new Error(explaining.problem.message);
      const explanation = await explaining.value(JSON.stringify({ ...call, flags }), { remedies: true });
      if (!explanation.ok) throw new Error(explanation.problem.message);
      const changes = explanation.value.remedies.request.flatMap(({ changes }) => changes);
      expect(changes.map(({ path, to }) => [path, to])).toContainEqual([
        ["input", "flags", flags.indexOf("external_publication")],
        undefined,
      ]);
      // It becomes no other text of the request.
      expect(changes.filter(({ path, to }) => path[1] === "flags" && typeof to === "string")).toEqual([]);
    },
  );
});
