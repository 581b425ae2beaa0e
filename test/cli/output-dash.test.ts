/** `-` after `-o` or `--out`: a file of that name is never made, and the error says what to name. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
  write(at("set/roles.yaml"), "roles: [{ role_id: R }]\n");
});
afterEach(() => removeFolder(folder));

describe("`-` after -o", () => {
  it.each([
    ["build", "@SET@", "-o", "-"],
    ["explore", "@SET@", "-o", "-"],
    ["types", "@SET@", "--output=-"],
    ["schema", "-o", "-"],
    ["import", "--from", "claude-agents", "@SET@", "-o", "-"],
    ["harness", "--request", "r.json", "--policy", "@SET@", "--out", "-"],
  ])("names no file: %s", async (...argv) => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const { code, err, out } = await portcullis(...argv.map((word) => (word === "@SET@" ? at("set") : word)));
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(/error: `--out(?:put)? -` names no (?:file|folder)\nhelp: /);
      expect(existsSync(at("-"))).toBe(false);
    } finally {
      process.chdir(before);
    }
  });
});
