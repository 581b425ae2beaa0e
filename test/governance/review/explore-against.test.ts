/** The page of `portcullis explore --against` in a real browser: what it marks as changed. */

import { describe, expect, it } from "vitest";
import { Explorer, hasBrowser } from "./explorer.ts";

describe.skipIf(!hasBrowser)("the page of explore", () => {
  const explorer = new Explorer();

  it("shows what was added and removed, in every view", async () => {
    const set = (roles: string, tools: string, spawns: string) => [
      ["roles.yaml", "roles: [{ role_id: A }, { role_id: B }]\n"] as const,
      [
        "lanes.yaml",
        `lanes: [{ lane_id: L, allowed_callers: { roles: [${roles}] }, allowed_actions: { tools: [${tools}] } }]\n`,
      ] as const,
      [
        "tool_registry.yaml",
        `tools: [${tools.split(",").map((t) => `{ tool_name: ${t}, enabled: true, implementation_status: implemented }`)}]\n`,
      ] as const,
      ["manifests/x.yaml", `can_spawn: [${spawns}]\nmax_spawn_depth: 1\n`] as const,
      ["manifests/y.yaml", "can_spawn: []\n"] as const,
      ["manifests/z.yaml", "can_spawn: []\n"] as const,
    ];
    const before = explorer.writeSet("before", set("A", "t, u", "y"));
    const now = explorer.writeSet("now", set("B", "t, v", "z"));
    const { page, faults } = await explorer.open(await explorer.explore(now, "changed.html", "--against", before));
    const state = async (name: string): Promise<string | null> =>
      page.getByRole("gridcell", { name }).getAttribute("class");
    expect(await state("u, L: denied now")).toBe("cell removed");
    expect(await state("v, L: allowed now")).toBe("cell added");
    await page.locator("#view-access select").first().selectOption("roles");
    expect(await state("A, L: denied now")).toBe("cell removed");
    expect(await state("B, L: allowed now")).toBe("cell added");
    await page.getByRole("tab", { name: "Agents" }).click();
    expect([await page.locator(".edge.now").count(), await page.locator(".edge.before").count()]).toEqual([1, 1]);
    await page.getByRole("tab", { name: "Changes" }).click();
    const said = (await page.locator("#view-changes").textContent()) ?? "";
    for (const text of ["removed tool u", "added tool v", "Allowed now, denied before: 4", "lane role B lane L"])
      expect(said).toContain(text);
    expect(said).toContain("before lanes.yaml:1:");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("marks a tool that more roles may use, or on other conditions, and gates of the house that changed", async () => {
    const set = (roles: string, tool: string, rule: string) => [
      ["roles.yaml", "roles: [{ role_id: A }, { role_id: B }]\n"] as const,
      [
        "lanes.yaml",
        `lanes: [{ lane_id: L, allowed_callers: { roles: [${roles}] }, allowed_actions: { tools: [t, u] } }, { lane_id: M, allowed_callers: { roles: [A] }, allowed_actions: { tools: [t, u] } }]\n`,
      ] as const,
      [
        "tool_registry.yaml",
        `tools: [{ tool_name: t, enabled: true, implementation_status: implemented }, { tool_name: u, enabled: true, implementation_status: implemented${tool} }]\n`,
      ] as const,
      ["own.rego", `package portcullis.ext.call\n\nmust contains "SMALL" if input.tool != "t"\n${rule}`] as const,
    ];
    const before = explorer.writeSet("strict", set("A", ", approval: required", ""));
    const now = explorer.writeSet("loose", set("A, B", "", '\nmust contains "SMALL" if input.scope.small\n'));
    const { page, faults } = await explorer.open(await explorer.explore(now, "loose.html", "--against", before));
    const cell = (name: string) => page.getByRole("gridcell", { name });
    expect(await cell("t, L: allowed before and now").getAttribute("class")).toBe("cell changed");
    expect(await cell("u, M: allowed before and now").getAttribute("class")).toBe("cell changed");
    expect(await cell("t, M: allowed, whatever").getAttribute("class")).toBe("cell allow");
    await cell("u, M: allowed before and now").click();
    expect(await page.locator(".detail .approvals").textContent()).toContain("removed every call needs the approval");
    await cell("t, L: allowed before and now").click();
    expect(await page.locator(".detail").textContent()).toContain("May now: A, BMay before: A");
    expect(await page.locator(".notice").textContent()).toContain("Not the same: 3 newly allowed");
    await page.locator(".notice button").click();
    const text = await page.locator("#view-changes").textContent();
    expect(text).toContain("data.portcullis.ext.call.must: a rule was added");
    expect(text).toContain("now own.rego:5:1");
    expect(faults).toEqual([]);
    await page.close();
  });
});
