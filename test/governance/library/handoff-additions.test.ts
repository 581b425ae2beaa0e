/** What `handoff.yaml` adds is found in a record however it is written: the whole way from the file to the decision. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Policy } from "../../../runtime/index.ts";
import { policyOf } from "./compiled-set.ts";

const evidence = { p: { exists: true, file: true, contained: true } };
const record = {
  handoff_id: "h",
  task_id: "t",
  from_agent: "a",
  to_agent: "b",
  input_scope: "s",
  actions_taken: ["did"],
  artifacts: [{ path: "p", kind: "k" }],
  result: "PASS",
  next_action: { owner: "o", action: "a", input: "i" },
  rulebook_update: { applied: false },
};

const ask = (change: object): string =>
  policy.handoff({ record: { ...record, ...change }, artifacts: evidence }).reason;

/** Words whose case changes in other ways in other libraries: a final sigma, a dotted I, a Kelvin sign, a sharp s. */
const words = ["ΣΟΦΟΣ", "İstanbul", "\u212aelvin", "STRAẞE", "Budget", "ǅ", "Ծ"];

let policy: Policy;
beforeAll(async () => {
  const list = JSON.stringify(words);
  const mutations = JSON.stringify([...words, "/Style.Book", "y[0]"]);
  policy = await policyOf({ "handoff.yaml": `forbidden_mutations: ${mutations}\nplaceholders: ${list}\n` });
});

describe("additions of handoff.yaml", () => {
  it.each(words)("forbid %s as it is written, and whatever lies in it", (word) => {
    for (const named of [word, ` /${word}.x[0]`, `${word}/y`])
      expect(ask({ attempted_mutations: [named] }), named).toBe("forbidden_mutation");
    expect(ask({ attempted_mutations: [`x${word}`] })).toBe("handoff_accepted");
  });

  it.each(words)("take %s for a placeholder", (word) => {
    for (const said of [word, ` ${word}, then`])
      expect(ask({ next_action: { ...record.next_action, action: said } }), said).toBe("next_action_placeholder");
    expect(ask({ next_action: { ...record.next_action, action: `x${word}` } })).toBe("handoff_accepted");
  });

  it("forbid the top-level contract of a written path", () => {
    for (const named of ["style", "Style.Other", "/STYLE", "y", "Y[1]"])
      expect(ask({ attempted_mutations: [named] }), named).toBe("forbidden_mutation");
  });

  it.each([
    ["NFC", "NFD"],
    ["NFD", "NFC"],
  ])("forbid what is written in form %s, found in form %s", async (written, found) => {
    const [ours, theirs] = [written, found].map((form) => "caf\u00e9".normalize(form));
    const spelt = await policyOf({
      "handoff.yaml": `agents: { master: [b], sub: [a] }\nforbidden_paths: [${ours}]\nforbidden_mutations: [${ours}_rules]\n`,
    });
    const reasonOf = (change: object): string =>
      spelt.handoff({ record: { ...record, ...change }, artifacts: { ...evidence, [`${theirs}/a`]: evidence.p } })
        .reason;
    expect(reasonOf({})).toBe("handoff_accepted");
    expect(reasonOf({ artifacts: [{ path: `${theirs}/a`, kind: "k" }] })).toBe("forbidden_mutation");
    expect(reasonOf({ attempted_mutations: [`${theirs}_rules.x`] })).toBe("forbidden_mutation");
    expect(reasonOf({ artifacts: [{ path: "p", kind: "k" }], attempted_mutations: ["cafe_rules"] })).toBe(
      "handoff_accepted",
    );
  });
});
