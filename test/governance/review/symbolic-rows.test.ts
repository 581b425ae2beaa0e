/** `no request is newly allowed` where a row of a table differs: of other rows' requests by names alone, whatever else reads the row. */

import { describe, expect, it } from "vitest";
import { type OpenedPolicy, proveNoMore } from "../../../compiler/governance/review/index.ts";
import { opened } from "./opened.ts";
import { native } from "./solvers.ts";
import { EXTENDED, verdictOf, z3 } from "./symbolic-claims.ts";

const TOOLS = "data.portcullis.policy.tools";

/** A rule that denies while `erase` is on, without asking the request's tool for it. */
const READINGS: readonly (readonly [name: string, body: string, helper?: string])[] = [
  ["by its key", `${TOOLS}.erase.enabled`],
  ["in a loop", `some name, row in ${TOOLS}\n\tname == "erase"\n\trow.enabled`],
  ["by another member", `${TOOLS}[input.scope.k].enabled`],
  [
    "by this member or another",
    `name := object.get(input.scope, "k", input.tool)\n\t${TOOLS}[name].enabled\n\tname != input.tool`,
  ],
  ["by an argument", 'data.house.is_on("erase")', `is_on(name) if ${TOOLS}[name].enabled`],
  ["of another request", 'data.house.is_on with input.tool as "erase"', `is_on if ${TOOLS}[input.tool].enabled`],
  ["by all rows together", `count([1 | some row in ${TOOLS}; row.enabled]) > 3`],
];

describe.skipIf(native === undefined)("a tool that is switched off", () => {
  it.each(READINGS)("newly allows another that a rule denied for it: read %s", async (_, body, helper = "") => {
    const rule = `deny contains {"gate": "A", "reason": "a"} if {\n\tinput.scope\n\t${body}\n}`;
    const before: Record<string, string> = { ...EXTENDED(rule), "rules/house.rego": `package house\n\n${helper}\n` };
    const on = before["tool_registry.yaml"]?.replace("erase, enabled: false", "erase, enabled: true") ?? "";
    const result = await proveNoMore(await opened({ ...before, "tool_registry.yaml": on }), await opened(before), z3);
    if (!result.ok) throw new Error(result.problem.message);
    const tool = result.value.find(({ name }) => name.startsWith("tool:"));
    expect(tool && verdictOf(tool)).not.toBe("proved");
  });

  it("allows nothing new, and a tool that is switched on does", async () => {
    const off = EXTENDED('must contains "A" if input.scope.k == 1');
    const on = off["tool_registry.yaml"]?.replace("erase, enabled: false", "erase, enabled: true") ?? "";
    const [without, having] = [await opened(off), await opened({ ...off, "tool_registry.yaml": on })];
    const verdicts = async (before: OpenedPolicy, after: OpenedPolicy): Promise<unknown> => {
      const result = await proveNoMore(before, after, z3);
      return result.ok && result.value.map(verdictOf);
    };
    expect(await verdicts(having, without)).toEqual(["proved", "proved", "proved"]);
    expect(await verdicts(without, having)).toEqual(["proved", "refuted", "refuted"]);
  });
});
