/** Whatever a package exports says what it is: in editors, a name without a docstring is a name to be guessed. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./import-graph.ts";

const folder = join(root, "generated/reference/api");

/** What services do not read. */
const WITHOUT: Readonly<Record<string, string>> = {
  "runtime-abi.api.md": "numbers and layouts that the compiler and the runtime share; `runtime/abi` draws them",
};

/** Names that a report calls exported and undocumented. */
function undocumented(report: string): string[] {
  const text = readFileSync(join(folder, report), "utf8");
  return [...text.matchAll(/@public \(undocumented\)\nexport (?:abstract )?\w+ (\w+)/g)].map((m) => m[1] as string);
}

describe.each(readdirSync(folder))("%s", (report) => {
  it("has a docstring for every export, or a reason", () => {
    if (report in WITHOUT) expect(undocumented(report)).not.toEqual([]);
    else expect(undocumented(report)).toEqual([]);
  });
});
