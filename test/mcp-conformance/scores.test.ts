/** Reading what the conformance suite prints, without the suite: `make agents` runs it. */

import { describe, expect, it } from "vitest";
import { appendix, differences, pageWith, pageWithPrograms, scores } from "./scores.ts";

const printed = `✓ not: 1 passed, 0 failed
=== SUMMARY ===
\u001b[32m✓\u001b[0m ping: 2 passed, 0 failed
✗ tools-list: 1 passed, 3 failed

Total: 3 passed, 3 failed
`;

describe("a summary", () => {
  it("has a score a scenario", () => {
    expect(scores(printed)).toEqual([
      { scenario: "ping", passed: 2, failed: 0 },
      { scenario: "tools-list", passed: 1, failed: 3 },
    ]);
    expect(scores("nothing")).toEqual([]);
  });

  it("is worse where one is missing, fails more or passes less", () => {
    const without = scores(printed);
    expect(differences(without, without)).toEqual([]);
    expect(differences(without, without.slice(1))).toEqual(["ping was not run behind the gateway"]);
    for (const change of ["ping: 2 passed, 1 failed", "ping: 1 passed, 0 failed"])
      expect(differences(without, scores(printed.replace("ping: 2 passed, 0 failed", change)))).toHaveLength(1);
    expect(differences(without, scores(printed.replace("3 failed", "2 failed")))).toEqual([]);
  });

  it("is a table behind what stands on the page", () => {
    const both = { without: scores(printed), through: scores(printed), worse: [] };
    const rows = [{ revision: "r", over: "stdio" as const, ...both }];
    const once = pageWith("# Hosts\n", rows);
    expect(once).toContain("# Hosts\n\n<!-- MCP");
    expect(once).toContain("| r | stdio | 1 of 2 | 1 of 2 | none |");
    expect(pageWith(once, rows)).toBe(once);
    const whole = pageWithPrograms(once, [["s", "npm", "1", "c", "as without it", "x"]], [["c", "1", "HTTP", "y"]]);
    expect(whole).toContain("| s | npm | 1 | c | as without it | x |");
    expect(whole).toContain("| c | 1 | HTTP | y |");
    expect(pageWith(whole, rows)).toBe(whole);
    expect(pageWithPrograms(whole, [["s", "npm", "1", "c", "as without it", "x"]], [["c", "1", "HTTP", "y"]])).toBe(
      whole,
    );
    expect(`# Hosts\n${appendix(once)}`).toBe(once);
    expect(appendix("# Hosts\n")).toBe("");
  });
});
