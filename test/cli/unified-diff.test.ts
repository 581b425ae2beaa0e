/** The diffs that `fmt --diff` prints: git, which reads them, makes the second text of the first. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unifiedDiff } from "../../compiler/cli/unified-diff.ts";
import { hasGit } from "../git.ts";
import { removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

function applied(before: string, after: string): string {
  const name = "a b.rego";
  writeFileSync(join(folder, name), before);
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, "..") };
  execFileSync("git", ["apply", "-p0", "--whitespace=nowarn"], {
    cwd: folder,
    input: unifiedDiff(name, before, after),
    env,
  });
  return readFileSync(join(folder, name), "utf8");
}

describe("a unified diff", () => {
  it.skipIf(!hasGit).each([
    ["a line", "package a\n\np:=1\n", "package a\n\np := 1\n"],
    ["no newline at the end", "package a\np:=1", "package a\n\np := 1\n"],
    ["no newline at either end", "package a\np:=1", "package a\np := 1"],
    ["line ends of Windows", "package a\r\n\r\np := 1\r\n", "package a\n\np := 1\n"],
    ["characters outside ASCII", 'package a\n\np:="é\u{1f600}"\n', 'package a\n\np := "é\u{1f600}"\n'],
    ["two places", `a\n${"x\n".repeat(30)}b\n${"y\n".repeat(30)}`, `A\n${"x\n".repeat(30)}B\n${"y\n".repeat(30)}`],
    ["more lines than are told apart", lines(3_000, "    x"), lines(3_000, "\tx")],
    ["many lines, none ended", lines(3_000, "    x").trimEnd(), lines(3_000, "\tx").trimEnd()],
  ])("applies: %s", (_, before, after) => {
    expect(applied(before, after)).toBe(after);
  });

  it("names the file and has the changed lines", () => {
    expect(unifiedDiff("p/a.rego", "package a\n\np:=1\n", "package a\n\np := 1\n")).toBe(
      "--- p/a.rego\n+++ p/a.rego\n@@ -1,3 +1,3 @@\n package a\n \n-p:=1\n+p := 1\n",
    );
  });

  it("is empty where nothing differs", () => {
    expect(unifiedDiff("a.rego", "package a\n", "package a\n")).toBe("");
  });
});

function lines(count: number, prefix: string): string {
  return Array.from({ length: count }, (_, i) => `${prefix}${i} := 1\n`).join("");
}
