/**
 * `ASKED-AND-BUILT.md` against the tree: its verdicts are known words, and the files, tests and gates that it names are there.
 * It cannot tell whether a test proves its row.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../architecture/import-graph.ts";
import { gates } from "../governance/library/gates.ts";
import { type DecisionName, decisionNames } from "../statements/index.ts";

const page = readFileSync(join(root, "test/acceptance/ASKED-AND-BUILT.md"), "utf8");

interface Row {
  readonly id: string;
  readonly demand: string;
  readonly verdict: string;
  readonly built: readonly string[];
  readonly held: readonly string[];
  readonly why: string;
}

/** What stands in backticks. */
const spans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);

/** Rows with any number of cells: a row that is broken must not be left out. */
const cells = page
  .split("\n")
  .filter((line) => /^\| *[A-Z]\d+ *\|/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const rows = cells.map(([id = "", demand = "", verdict = "", built = "", held = "", why = ""]): Row => {
  return { id, demand, verdict, built: spans(built), held: spans(held), why };
});

/** The words of the page's first table. */
const verdicts = [...page.matchAll(/^\| (\w+) \| [^|]+ \|$/gm)]
  .map((match) => match[1])
  .filter((word) => word !== "verdict");

const isThere = (path: string): boolean => existsSync(join(root, path));

/** What is wrong with `path › name`: nothing, or why no such test is found. */
function missing(reference: string): string | undefined {
  const [path = "", name] = reference.split(" › ");
  if (!isThere(path) || !statSync(join(root, path)).isFile()) return `${reference}: no such file`;
  if (name !== undefined && !readFileSync(join(root, path), "utf8").includes(name)) return `${reference}: no such test`;
  return undefined;
}

function isGate(name: string): boolean {
  const [decision, gate] = name.split(":");
  const known = decisionNames.find((each) => each === decision) as DecisionName | undefined;
  return known !== undefined && gates[known].some((each) => each.split(" ")[0] === gate);
}

describe("asked and built", () => {
  it("has a row of six cells for each demand, each with an id of its own", () => {
    expect(rows.length).toBeGreaterThan(90);
    expect(cells.filter((row) => row.length !== 6)).toEqual([]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.filter(({ demand }) => demand === "")).toEqual([]);
  });

  it("judges with the words that it explains, and uses each", () => {
    expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set(verdicts));
  });

  it("names where each demand is built, and files and gates that there are", () => {
    for (const { id, verdict, built } of rows) {
      if (verdict !== "open" && verdict !== "outside") expect(built.length, id).toBeGreaterThan(0);
      for (const name of built)
        expect(/^[a-z]+:/.test(name) ? isGate(name) : isThere(name), `${id} ${name}`).toBe(true);
    }
  });

  it("names tests that there are", () => {
    for (const { id, verdict, held } of rows) {
      if (verdict !== "open" && verdict !== "outside") expect(held.length, id).toBeGreaterThan(0);
    }
    expect(rows.flatMap(({ held }) => held.flatMap((reference) => missing(reference) ?? []))).toEqual([]);
  });

  it("gives the reason of every deviation, and of nothing else", () => {
    for (const { id, verdict, why } of rows) expect(why !== "", id).toBe(verdict !== "done");
  });

  it("finds what is not there", () => {
    expect(missing("test/acceptance/none.test.ts")).toMatch(/no such file/);
    expect(missing("test/acceptance/exec.test.ts › T99")).toMatch(/no such test/);
    expect(isGate("exec:NO_SUCH_GATE") || isGate("nothing:HASH")).toBe(false);
  });
});
