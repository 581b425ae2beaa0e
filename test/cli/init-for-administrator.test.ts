/** `init --for`: settings of a machine's administrator with which a host asks no hook of the user. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administratorProblems } from "../../compiler/cli/init/agent-hosts/administrator.ts";
import type { AgentHost } from "../../compiler/cli/init/agent-hosts/agent-host.ts";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const OFF = "no hook is asked";
const ONLY = "this one belongs there";
const CLAUDE = "etc/claude-code/managed-settings.json";

describe("an administrator's settings", () => {
  it.each([
    ["codex", "etc/codex/requirements.toml", "allow_managed_hooks_only = true", ONLY, []],
    ["codex", "etc/codex/requirements.toml", "[features]\nhooks = false", OFF, [OFF]],
    [
      "codex",
      "etc/codex/requirements.toml",
      "allow_managed_hooks_only = false\n[features]\nhooks = true",
      undefined,
      [],
    ],
    ["codex", "etc/codex/requirements.toml", "=", "cannot be read", ["cannot be read"]],
    ["codex", "etc/codex/config.toml", "[features]\nhooks = false", OFF, [OFF]],
    ["codex", "etc/codex/config.toml", "=", "cannot be read", ["cannot be read"]],
    ["codex", "etc/codex/config.toml", 'a = "\\e"\n[features]\nhooks = false', "cannot be read", ["cannot be read"]],
    // The settings of the user count before it.
    ["codex", "etc/codex/config.toml", "[features]\nunified_exec_tty = true", undefined, []],
    ["codex", "etc/codex/managed_config.toml", "[features]\nhooks = false", OFF, [OFF]],
    ["codex", "etc/codex/managed_config.toml", "[features]\nunified_exec_tty = true", "is not off", ["is not off"]],
    ["claude-code", CLAUDE, { allowManagedHooksOnly: true }, ONLY, []],
    ["claude-code", CLAUDE, { strictPluginOnlyCustomization: true }, ONLY, []],
    ["claude-code", CLAUDE, { strictPluginOnlyCustomization: ["skills", "hooks"] }, ONLY, []],
    ["claude-code", CLAUDE, { strictPluginOnlyCustomization: ["skills"] }, undefined, []],
    ["claude-code", CLAUDE, { disableAllHooks: true }, OFF, [OFF]],
    ["claude-code", CLAUDE, "{", "not JSON", ["not JSON"]],
    ["claude-code", "etc/claude-code/managed-settings.d/1.json", { allowManagedHooksOnly: true }, ONLY, []],
    ["claude-code", "etc/claude-code/managed-settings.d/1.txt", { allowManagedHooksOnly: true }, undefined, []],
    ["gemini", "etc/gemini-cli/settings.json", { hooksConfig: { enabled: false } }, OFF, [OFF]],
    [
      "gemini",
      "etc/gemini-cli/system-defaults.json",
      { hooksConfig: { disabled: ["portcullis"] } },
      "switches",
      ["switches"],
    ],
    ["gemini", "etc/gemini-cli/settings.json", { ui: {} }, undefined, []],
    ["cline", "etc/codex/requirements.toml", "allow_managed_hooks_only = true", undefined, []],
  ] as const)("for %s are found: %s %j", (id, name, content, problem, inOwn) => {
    const root = temporaryFolder();
    const file = write(join(root, name), content);
    const host = AGENT_HOSTS.find((one) => one.id === id) as AgentHost;
    const found = (own: string): unknown => administratorProblems(host, own, root);
    const said = (words: readonly string[]): unknown =>
      words.map((word) => expect.stringMatching(new RegExp(`^\`${file}\`: .*${word}`)));
    expect(found("/elsewhere")).toEqual(said(problem === undefined ? [] : [problem]));
    // The hook may stand in them.
    expect(found(file)).toEqual(said(inOwn));
  });

  it("need not be there", () => {
    for (const host of AGENT_HOSTS) expect(administratorProblems(host, "/x", join(folder, "empty"))).toEqual([]);
  });
});
