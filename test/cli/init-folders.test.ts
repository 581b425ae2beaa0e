/** The folder in which a host has its settings, and the files below one. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { AgentHost } from "../../compiler/cli/init/agent-hosts/agent-host.ts";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { filesBelow, folderOf } from "../../compiler/cli/init/agent-hosts/folders.ts";
import { removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));
afterEach(() => vi.unstubAllEnvs());

// As the programs themselves look for them.
it.each([
  ["claude-code", "CLAUDE_CONFIG_DIR", "/x"],
  ["codex", "CODEX_HOME", "/x"],
  ["gemini", "GEMINI_CLI_HOME", "/x/.gemini"],
  ["copilot", "COPILOT_HOME", "/x"],
  ["cline", "CLINE_DIR", "/x"],
  ["opencode", "XDG_CONFIG_HOME", "/x"],
])("of the settings of %s is what %s names, or one of the home folder", (id, name, named) => {
  const host = AGENT_HOSTS.find((one) => one.id === id) as AgentHost;
  vi.stubEnv("HOME", "/home");
  vi.stubEnv(name, "");
  expect(folderOf(host)).toBe(join("/home", host.folder[1]));
  vi.stubEnv(name, "/x");
  expect(folderOf(host)).toBe(named);
});

it("are read once each, however many links lead to their folders", () => {
  // Two links in each of 40 folders to the next one: by all ways it would be 2 ** 40 files.
  for (let i = 0; i < 40; i++) {
    const at = join(folder, `${i}`);
    mkdirSync(at);
    for (const name of ["a", "b"]) symlinkSync(join(folder, `${i + 1}`), join(at, name));
  }
  mkdirSync(join(folder, "40"));
  writeFileSync(join(folder, "40/SKILL.md"), "");
  symlinkSync(join(folder, "0"), join(folder, "40/round"));
  expect(filesBelow(join(folder, "0"))).toEqual([join(folder, "0", ...Array(40).fill("a"), "SKILL.md")]);
});
