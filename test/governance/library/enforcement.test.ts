/** `compiler/ENFORCEMENT.md` against the library: it names every gate, and nothing that is not there. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allCodes } from "../../../compiler/governance/checks/index.ts";
import { root } from "../../architecture/import-graph.ts";
import { decisionNames } from "../../statements/index.ts";
import { gates } from "./gates.ts";

const page = readFileSync(join(root, "compiler/ENFORCEMENT.md"), "utf8");

/** Rule, how it is held, and what holds it. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:rule|---) /.test(line))
  .map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

/** What stands in backticks in the last column. */
const named = rows.flatMap(([, , held = ""]) => [...held.matchAll(/`([^`]*)`/g)].map((match) => match[1] as string));

const known = decisionNames.flatMap((decision) =>
  gates[decision].map((gate) => `${decision}:${gate.split(" ")[0] as string}`),
);

describe("what is enforced", () => {
  it("is a table of rules, each held in one of four ways", () => {
    expect(rows.length).toBeGreaterThan(90);
    for (const row of rows) {
      expect(row, row.join("|")).toHaveLength(3);
      expect(["decides", "checked", "informs", "outside"], row[0]).toContain(row[1]);
      expect(row[2], row[0]).not.toBe("");
    }
  });

  it("names every gate, and no other", () => {
    const written = new Set(named.filter((name) => /^[a-z]+:[^ ]/.test(name)));
    expect([...written].filter((name) => !known.includes(name))).toEqual([]);
    expect([...new Set(known)].filter((gate) => !gate.endsWith(":ALLOW") && !written.has(gate))).toEqual([]);
  });

  it("names a gate, or what is put together from gates, wherever it says that one decides", () => {
    for (const [rule, how, held] of rows) {
      if (how !== "decides" || rule === "a contract grants nothing by itself") continue;
      expect(held, rule).toMatch(/`[a-z]+:[A-Z_]+`/);
    }
  });

  it("names findings and tests that there are", () => {
    for (const name of named) {
      if (/^(?:test|generated)\//.test(name)) expect(existsSync(join(root, name)), name).toBe(true);
      if (/^(?:model|sources|pipeline)\//.test(name)) expect(allCodes.has(name), name).toBe(true);
    }
  });
});
