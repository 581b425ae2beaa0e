/** A rule on approvals, arguments, limits or of an author that opens something is never compared in silence; one that closes is. */

import { beforeAll, describe, expect, it } from "vitest";
import { diffPolicies, type OpenedPolicy } from "../../../compiler/governance/review/index.ts";
import { sampled } from "../../campaign.ts";
import { FILES, MUTATIONS, SHOWN_BY_NO_REQUEST } from "./mutated-rules.ts";
import { opened } from "./opened.ts";

let before: OpenedPolicy;
beforeAll(async () => {
  before = await opened(FILES);
});

describe("diff tells", () => {
  it.each(sampled(MUTATIONS, 1 / 30))("%s: %s -> %s", async (file, from, to, effect, path) => {
    const text = FILES[file] as string;
    expect(text.split(from)).toHaveLength(2);
    const result = await diffPolicies(before, await opened({ ...FILES, [file]: text.replace(from, to) }));
    if (!result.ok) throw new Error(result.problem.message);
    const { changes, found, unseen, rules } = result.value;
    const isShown = [...changes, ...found].some(({ kind }) => kind === "newly-allowed");
    const said = unseen.filter((one) => path.test(one.path));
    if (effect === "less") expect({ isShown, unseen }).toEqual({ isShown: false, unseen: [] });
    else expect(said).not.toEqual([]);
    if (effect === "more" && !SHOWN_BY_NO_REQUEST.test(to))
      expect({ isShown, why: said.map(({ why }) => why) }).toMatchObject({ isShown: true });
    // In words, except for the rules of an author.
    if (file !== "portcullis.yaml" && !file.startsWith("house/")) expect(rules).not.toEqual([]);
  });
});

it("a comment and the order of rows are no difference, although approvals are given anew", async () => {
  const call = `# reviewed\n${FILES["house/call.rego"]}`;
  const result = await diffPolicies(before, await opened({ ...FILES, "house/call.rego": call }));
  expect(result).toMatchObject({ value: { found: [], rules: [], unseen: [] } });
});
