/** What codes say of each other. */

import { expect, it } from "vitest";
import { allCodes } from "../../../compiler/governance/checks/index.ts";

it("findings follow from findings that there are", () => {
  const rules = [...allCodes].flatMap(([name, { causedBy = [] }]) => causedBy.map((rule) => ({ name, rule })));
  expect(rules.length).toBeGreaterThan(50);
  for (const { name, rule } of rules) {
    if (rule.code !== undefined) expect(allCodes.has(rule.code), `${name}: ${rule.code}`).toBe(true);
    if (rule.by === "meant") expect(allCodes.get(name)?.message).toContain(`{${rule.parameter}}`);
    if (rule.by !== "parameters") continue;
    expect(allCodes.get(name)?.message).toContain(`{${rule.finding}}`);
    expect(allCodes.get(rule.code)?.message).toContain(`{${rule.cause}}`);
  }
});
