/** Every mistake gives one finding: at its place, with its cause, and with a fix where there is one. None is silent. */

import { describe, expect, it } from "vitest";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { sampled } from "../../campaign.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { brief } from "./author.ts";
import { type Mistake, RIGHT } from "./hospital.ts";
import { MISTAKES } from "./mistakes.ts";
import { RIGHT_ARGUMENTS } from "./mistakes-of-arguments.ts";
import { RIGHT_HELPERS } from "./mistakes-of-helpers.ts";
import { RIGHT_LOGIC } from "./mistakes-of-logic.ts";
import { RIGHT_ORDERS } from "./mistakes-of-orders.ts";
import { RIGHT_REQUIREMENTS } from "./mistakes-of-requirements.ts";
import { RIGHT_ROWS } from "./mistakes-of-rows.ts";
import { RIGHT_RULES } from "./mistakes-of-rules.ts";
import { RIGHT_SILENCE } from "./mistakes-of-silence.ts";
import { RIGHT_TESTS } from "./mistakes-of-tests.ts";

async function findings(files: Mistake["files"]) {
  const all = Object.entries({ ...RIGHT, ...files }).flatMap(([path, text]) => (text === null ? [] : [[path, text]]));
  const host = virtualHost({ p: Object.fromEntries(all) });
  return (await compileTests({ host, dirs: ["p"], checkOnly: true })).diagnostics;
}

describe("mistakes", () => {
  it("are looked for in a set without one", async () => {
    expect((await findings({})).map(brief)).toEqual([]);
    expect(MISTAKES.length).toBeGreaterThanOrEqual(234);
    expect(new Set(MISTAKES.map((m) => m.name)).size).toBe(MISTAKES.length);
  });

  it("are not seen in rules that only look like one", async () => {
    for (const files of [
      ...RIGHT_LOGIC,
      ...RIGHT_ORDERS,
      ...RIGHT_REQUIREMENTS,
      ...RIGHT_ROWS,
      ...RIGHT_RULES,
      ...RIGHT_SILENCE,
      ...RIGHT_HELPERS,
      ...RIGHT_TESTS,
      ...RIGHT_ARGUMENTS,
    ])
      expect((await findings(files)).map(brief), Object.values(files).join()).toEqual([]);
  });

  // Each compiles the set: a quarter in `make test`.
  it.each(sampled(MISTAKES, 1 / 4).map((m) => [m.name, m] as const))("%s", async (_name, { files, found, help }) => {
    const all = await findings(files);
    expect(all.map(brief)).toEqual([expect.stringContaining(found)]);
    expect(brief(all[0] as never).startsWith(found), brief(all[0] as never)).toBe(true);
    if (help !== undefined) expect(all[0]?.help).toBe(help);
  });
});
