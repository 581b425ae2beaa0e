/** The page of `portcullis explore` in a real browser: what its views say of a call, to the keyboard, to axe and on paper. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sampled } from "../../campaign.ts";
import { Explorer, hasBrowser } from "./explorer.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, in every view. */
async function axeFindings(page: Page): Promise<string[]> {
  const found: string[] = [];
  // The page forbids scripts that are not its own; a tool of the browser's may run one all the same.
  await page.evaluate(axe);
  for (const tab of await page.locator('[role="tab"]').all()) {
    await tab.click();
    const result = (await page.evaluate("axe.run(document)")) as {
      violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
    };
    found.push(...result.violations.map((v) => `${v.id}: ${v.nodes[0]?.target} ${v.nodes[0]?.failureSummary}`));
  }
  return found;
}

describe.skipIf(!hasBrowser)("the page of explore", () => {
  const explorer = new Explorer();

  it("answers a request with the gates in their order, by keyboard alone", async () => {
    const { page, faults } = await explorer.open(await explorer.example());
    await page.getByRole("tab", { name: "Ask" }).click();
    for (const [label, value] of [
      ["role", "WRITER"],
      ["lane", "PUBLISHING"],
      ["tool", "article.publish"],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(value);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".answer .verdict").first().textContent()).toContain("Denied");
    expect(await page.locator("tr.denied").textContent()).toContain("LANE_AUTHORIZATION");
    await page.getByLabel("lane", { exact: true }).fill("DRAFTING");
    await page.getByLabel("tool", { exact: true }).fill("draft.create");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".answer .verdict").first().textContent()).toContain("Allowed");
    expect(await page.locator("tr.held").count()).toBeGreaterThan(3);

    await page.getByRole("tab", { name: "Access" }).click();
    await page.locator('.grid [tabindex="0"]').focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-colindex')")).toBe("3");
    await page.keyboard.press("Enter");
    expect(await page.locator(".detail").textContent()).toContain("article.publish in COPY_DESK");
    expect(await page.locator(".detail").textContent()).toContain("Denied now: LANE_TOOL");
    await page.getByRole("button", { name: "Ask it" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("tab", { name: "Ask" }).getAttribute("aria-selected")).toBe("true");
    await page.getByRole("tab", { name: "Agents" }).click();
    expect(await page.locator("#view-agents svg").count()).toBe(2);
    await page.getByRole("tab", { name: "Findings" }).click();
    expect(await page.locator("#view-findings").textContent()).toContain("of the author's own rules");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("asks a call with all that it may say, and tells what it cannot read", async () => {
    const { page, faults } = await explorer.open(await explorer.example());
    await page.getByRole("tab", { name: "Ask" }).click();
    await page.locator("#decision").selectOption("call");
    const say = async (what: string, text: string): Promise<void> => page.getByLabel(what, { exact: true }).fill(text);
    const verdict = async (): Promise<string | null> => {
      await page.getByRole("button", { name: "Decide" }).click();
      return page.locator(".answer").textContent();
    };
    for (const [axis, id] of Object.entries({ role: "COPY_EDITOR", lane: "COPY_DESK", tool: "style.check" }))
      await say(axis, id);
    await say("scope, as JSON", '{"story_id": "S-1", "run_id": "R-1"}');
    await say("lineage, as JSON", '[{"agent_type": "copy_editor", "spawn_depth": 0}]');
    expect(await verdict()).toContain("Denied nowARGUMENTS");
    await say("args, as JSON", '{"draft": "drafts/a.md"}');
    expect(await verdict()).toContain("Denied nowARGUMENTS");
    await say("facts, as JSON", '{"paths": {"draft": "drafts/a.md"}}');
    await say("approval, as JSON", '{"ref": "AP-1", "by": "ann"}');
    const text = await verdict();
    await say("flags, as JSON", "bulk");
    expect(await verdict()).toContain("flags is no JSON");
    await say("flags, as JSON", '["external_publication"]');
    expect(await verdict()).toContain("Denied nowFLAG");
    expect({ text, faults }).toEqual({ text: expect.stringContaining("Allowed nowALLOW"), faults: [] });
    await page.close();
  });

  it("asks with every digit that was written", async () => {
    const set = explorer.writeSet("digits", [
      ["roles.yaml", "roles: [{ role_id: A }]\n"],
      ["lanes.yaml", "lanes: [{ lane_id: L, allowed_callers: { roles: [A] }, allowed_actions: { tools: [pay] } }]\n"],
      [
        "tool_registry.yaml",
        "tools: [{ tool_name: pay, enabled: true, implementation_status: implemented, arguments: { n: { type: integer, max: 9007199254740992 } } }]\n",
      ],
    ]);
    const { page, faults } = await explorer.open(await explorer.explore(set, "digits.html"));
    await page.getByRole("tab", { name: "Ask" }).click();
    await page.locator("#decision").selectOption("call");
    for (const [axis, text] of Object.entries({ role: "A", lane: "L", tool: "pay" }))
      await page.getByLabel(axis, { exact: true }).fill(text);
    const verdictOf = async (n: string): Promise<string | null> => {
      await page.getByLabel("args, as JSON", { exact: true }).fill(`{"n": ${n}}`);
      await page.getByRole("button", { name: "Decide" }).click();
      return page.locator(".answer .verdict").textContent();
    };
    expect(await verdictOf("9007199254740992")).toContain("Allowed");
    expect(await verdictOf("9007199254740993")).toContain("Denied");
    expect(faults).toEqual([]);
    await page.close();
  });

  // Both schemes in `make test-all`.
  it.each(sampled(["light", "dark"] as const, 0))("is free of axe findings, in %s", async (scheme) => {
    const { page } = await explorer.open(await explorer.example(), scheme);
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });

  it("says what the arguments of a tool may be, and what limits its calls", async () => {
    const set = explorer.writeSet("arguments", [
      ["roles.yaml", "roles: [{ role_id: A }]\n"],
      [
        "lanes.yaml",
        "lanes: [{ lane_id: L, allowed_callers: { roles: [A] }, allowed_actions: { tools: [run, bare] } }]\n",
      ],
      [
        "tool_registry.yaml",
        `tools:
  - tool_name: run
    enabled: true
    implementation_status: implemented
    arguments: { command: { commands: ["git status", "git diff *"] }, "<img src=x>": { required: false } }
  - { tool_name: bare, enabled: true, implementation_status: implemented }
`,
      ],
      ["limits.yaml", "limits: [{ limit_id: A, calls: { tools: [run] }, max_calls: 3, within: 1h }]\n"],
    ]);
    const { page, faults } = await explorer.open(await explorer.explore(set, "arguments.html"));
    await page.getByRole("tab", { name: "Ask" }).click();
    const decide = async (decision: string, request: { tool: string }): Promise<void> => {
      await page.locator("#decision").selectOption(decision);
      for (const [axis, text] of Object.entries({ role: "A", lane: "L", ...request }))
        await page.getByLabel(axis, { exact: true }).fill(text);
      await page.getByRole("button", { name: "Decide" }).click();
    };
    for (const decision of ["tool", "call"]) {
      await decide(decision, { tool: "run" });
      expect(await page.locator(".arguments li").allTextContents()).toEqual([
        "<img src=x> may be: string, or absent",
        "command may be: git status, git diff *",
        "<img src=x> is string, command is string",
      ]);
      expect(await page.locator(".limits li").allTextContents()).toEqual(["A run: at most 3 calls in 1h"]);
      await decide(decision, { tool: "bare" });
      expect(await page.locator(".arguments, .limits").count()).toBe(0);
    }
    await decide("call", { tool: "constructor" });
    expect(await page.locator(".arguments").count()).toBe(0);
    expect({ faults, axe: await axeFindings(page) }).toEqual({ faults: [], axe: [] });
    await page.close();
  });

  it("prints the table and not the controls", async () => {
    const { page } = await explorer.open(await explorer.bundled());
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".paper table").isVisible()).toBe(true);
    expect(await page.locator(".tabs").isVisible()).toBe(false);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
    await page.close();
  });

  it("prints on white, whatever the screen was", async () => {
    const { page } = await explorer.open(await explorer.bundled(), "dark");
    const ground = async (): Promise<unknown> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await ground()).toBe("rgb(21, 23, 26)");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await ground()).toBe("rgb(255, 255, 255)");
    await page.evaluate("document.documentElement.dataset.theme = 'dark'");
    expect(await ground()).toBe("rgb(255, 255, 255)");
    await page.close();
  });
});
