/** What the generators hold against every text, number and list of a right request, whatever the decision. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { type DecisionName, decisionNames } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { combined } from "./combinations.ts";
import { plain, statedAnswer } from "./disagreements.ts";
import { libraryModules } from "./library-modules.ts";
import { nearMisses, neighbours } from "./near-misses.ts";
import { portcullisEvaluator } from "./portcullis-evaluator.ts";
import { right } from "./right-requests.ts";
import { absent, placesOf, replaced, valueAt } from "./spoiling.ts";

/**
 * Texts of the right requests that need not be some text exactly, as the pages have it: words for people, ids of their own,
 * and places that are folded because a file system folds them.
 */
const FREE: Readonly<Record<DecisionName, RegExp>> = {
  lane: /^$/,
  tool: /^$/,
  subagent: /^.governance.approv/,
  lineage: /agent_id$/,
  handoff:
    /^.record.(handoff_id|task_id|input_scope|actions_taken|next_action|attempted|severity|failure|rulebook)|kind$|status$|resolved$/,
  exec: /timestamp$|^.(script|hat).(path|script_sha256)$/,
  close: /^.(baseline_sha|changed_files.0.(path|resolved))$/,
  // A chain of one needs no manifest, so its agent may have any name.
  call: /^.(scope|args|approval|lineage)|^.flags|^.facts.session$/,
};

describe.each(decisionNames)("a near miss of a request to %s", (decision) => {
  it("is not what the policy asks for: each text is compared exactly", async () => {
    const evaluator = portcullisEvaluator({ caller: "typed", policyIs: "data", policies: 1, requests: 1 });
    const exact = placesOf(right[decision]).filter((place) => !FREE[decision].test(place));
    const inputs = exact.flatMap((place) => {
      const value = valueAt(right[decision], place);
      return typeof value === "string" ? nearMisses(value).map((near) => replaced(right[decision], place, near)) : [];
    });
    expect(inputs.length).toBeGreaterThan(10);
    const [answers = []] = await evaluator.decide(decision, [
      { policy: combined, inputs: [right[decision], ...inputs] },
    ]);
    const allowed = answers.flatMap((answer, i) => ((answer as { allowed: boolean }).allowed ? [i] : []));
    expect(allowed.map((i) => (i === 0 ? "the right one" : inputs[i - 1]))).toEqual(["the right one"]);
  });
});

describe.each(decisionNames)("near misses of a request to %s", (decision) => {
  const values = placesOf(right[decision]).map((place) => valueAt(right[decision], place));

  it("are texts in other case, shorter, longer, and of letters that look the same", () => {
    for (const text of values.filter((value) => typeof value === "string")) {
      const near = nearMisses(text);
      expect(near, text).not.toContain(text);
      expect(near, text).toContain(text.slice(0, -1));
      expect(near, text).toContain(text.slice(1));
      expect(near, text).toContain(text + text.slice(-1));
      const isOtherCase = (one: string): boolean => one.toLowerCase() === text.toLowerCase();
      if (/[a-z]/i.test(text)) expect(near.some(isOtherCase), text).toBe(true);
      const isLookAlike = (one: string): boolean =>
        [...one].length === [...text].length && [...one].every((letter) => letter === " " || letter > "\u007f");
      if (/^[ -~]+$/.test(text)) expect(near.some(isLookAlike), text).toBe(true);
    }
  });

  it("are numbers and lists with one more and one less", () => {
    for (const value of values) {
      if (typeof value === "number") expect(neighbours(value)).toEqual([value - 1, value + 1]);
      if (Array.isArray(value) && value.length > 0)
        expect(new Set(neighbours(value).map((one) => (one as unknown[]).length - value.length))).toEqual(
          new Set([-1, 1]),
        );
    }
  });
});

/** A policy in which one text, as a value or as a name, is almost what it was. */
const nearPolicies: readonly PolicyData[] = placesOf(combined).flatMap((place) => {
  // Limits stand there twice: as written, for the statement, and as lowered.
  if (/^\/(?:written_)?limits\b/.test(place)) return [];
  const value = valueAt(combined, place);
  const key = place.slice(place.lastIndexOf("/") + 1);
  const parent = place.slice(0, place.lastIndexOf("/"));
  const values =
    typeof value === "string" && value !== "" ? nearMisses(value).map((near) => replaced(combined, place, near)) : [];
  const names =
    value === true
      ? nearMisses(key).map((near) => {
          const without = replaced(combined, place, absent);
          return replaced(without, parent, { ...(valueAt(without, parent) as object), [near]: true });
        })
      : [];
  return [...values, ...names] as PolicyData[];
});

describe.each(decisionNames)("a policy that almost says what it said, asked for %s", (decision) => {
  it("answers as the statement does: each text of the policy is compared exactly", async () => {
    expect(nearPolicies.length).toBeGreaterThan(500);
    const evaluator = portcullisEvaluator({ caller: "typed", policyIs: "data", policies: 1, requests: 1 });
    const batches = nearPolicies.map((policy) => ({ policy, inputs: [right[decision]] }));
    const answers = await evaluator.decide(decision, batches);
    const wrong = batches.flatMap((batch, i) => {
      const [stated, found] = [statedAnswer(batch, right[decision], decision), answers[i]?.[0]].map(plain);
      return isDeepStrictEqual(found, stated) ? [] : [{ policy: batch.policy, stated, found }];
    });
    expect(wrong).toEqual([]);
  });
});

it("tells a gate that reads the beginning of `implementation_status` alone", async () => {
  const gate = 'implementation_status == "implemented"';
  const modules = libraryModules().map(({ name, text }) => ({
    name,
    text: text.replace(
      new RegExp(`(\\S+\\.)${gate.replace(/[ "=]/g, ".")}`),
      'startswith($1implementation_status, "implement")',
    ),
  }));
  expect(modules.some(({ text }) => text.includes("startswith(") && text.includes('"implement")'))).toBe(true);
  const evaluator = portcullisEvaluator({ caller: "typed", policyIs: "data", policies: 1, requests: 1, modules });
  const batches = nearPolicies.map((policy) => ({ policy, inputs: [right.tool] }));
  const answers = await evaluator.decide("tool", batches);
  const isTold = batches.some(
    (batch, i) => !isDeepStrictEqual(plain(answers[i]?.[0]), plain(statedAnswer(batch, right.tool, "tool"))),
  );
  expect(isTold).toBe(true);
});
