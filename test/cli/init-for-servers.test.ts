/** `init --for`: servers of MCP that the hook takes for one another are refused, and those that a project names are told. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentHost } from "../../compiler/cli/init/agent-hosts/agent-host.ts";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { serverProblems } from "../../compiler/cli/init/agent-hosts/servers.ts";
import { canConfigure, hookWords } from "./configured-hosts.ts";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
let project = "";
beforeAll(() => {
  folder = temporaryFolder();
  project = join(folder, "home/inner/project");
  mkdirSync(join(folder, "policy/approvals"), { recursive: true });
});
afterAll(() => removeFolder(folder));
beforeEach(() => {
  rmSync(join(folder, "home"), { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
});

const hostOf = (id: string): AgentHost => AGENT_HOSTS.find((host) => host.id === id) as AgentHost;
const init = (id: string, ...more: string[]): Promise<Ran> => {
  const { least, file, folder: at } = hostOf(id);
  const host = ["--file", join(folder, "home", at[1], file), "--host-version", least, "--project", project];
  return portcullis("init", "--for", id, ...host, ...more);
};
const words = (): string[] => hookWords(join(folder, "policy"));

const named = (...names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, {}]));
const mcp = (...names: readonly string[]): object => ({ mcpServers: named(...names) });
const toml = (...names: readonly string[]): string =>
  names.map((name) => `[mcp_servers.${JSON.stringify(name)}]\nurl = "x"\n`).join("");
const agent = (lines: string): string => `---\nname: x\n${lines}---\nx`;
const ONE = "to the hook";
const UNTOLD = "cannot be told";

/** Where the user's own stand, below the home folder. */
const OWN: Readonly<Record<string, string>> = {
  "claude-code": ".claude.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
  copilot: ".copilot/mcp-config.json",
  cline: ".cline/data/settings/cline_mcp_settings.json",
  opencode: ".config/opencode/opencode.json",
};

describe.skipIf(!canConfigure)("a server of a project", () => {
  it.each([
    ["claude-code", mcp("pay"), ".mcp.json", mcp("pay"), ONE],
    ["claude-code", mcp("pay"), "a/.mcp.json", mcp("shop", "pay"), ONE],
    // It is read from folders around the one in which the host starts, to the root of the file system.
    ["claude-code", mcp("pay"), "../.mcp.json", mcp("pay"), ONE],
    ["claude-code", { projects: { "/x": mcp("pay") } }, ".mcp.json", mcp("pay"), ONE],
    ["claude-code", mcp("pay.out"), ".mcp.json", mcp("pay_out"), ONE],
    ["claude-code", mcp("pay"), ".mcp.json", mcp("pay__out"), ONE],
    ["claude-code", mcp("pay"), ".mcp.json", mcp("pay_"), ONE],
    ["claude-code", mcp("pay"), ".mcp.json", '\uFEFF{ "mcpServers": { "p\\u0061y": {} } }', ONE],
    ["claude-code", mcp("pay"), ".mcp.json", '{ "mcpServers": { "pay": {} }, "mcpServers": {} }', UNTOLD],
    ["claude-code", mcp("pay"), ".mcp.json", "{", UNTOLD],
    ["claude-code", mcp(), ".mcp.json", mcp("plugin:shop:pay"), ONE],
    ["claude-code", mcp(), ".mcp.json", mcp("claude.ai Pay"), ONE],
    ["claude-code", mcp(), ".mcp.json", mcp("ide"), ONE],
    ["claude-code", mcp("pay"), ".claude/agents/a/x.md", agent("mcpServers:\n  - pay:\n      command: x\n"), ONE],
    ["claude-code", mcp("pay"), ".claude/agents/x.md", agent("mcpServers: [{ 'pay': {} }]\n"), ONE],
    ["claude-code", mcp("pay"), ".claude/agents/x.md", agent("description: a: b\nmcpServers: [pay: {}]\n"), UNTOLD],
    ["codex", toml("pay"), ".codex/config.toml", toml("pay"), ONE],
    ["codex", toml("pay"), "a/.codex/config.toml", toml("pay_"), ONE],
    ["gemini", mcp("pay"), ".gemini/settings.json", mcp("pay"), ONE],
    ["gemini", mcp("pay"), ".gemini/agents/x.md", agent("mcp_servers:\n  pay:\n    command: x\n"), ONE],
    ["copilot", mcp("pay"), ".mcp.json", mcp("pay"), ONE],
    ["copilot", mcp("pay"), "a/.github/mcp.json", mcp("pay"), ONE],
    ["copilot", mcp("pay"), ".mcp.json", mcp("pay-out"), ONE],
    ["copilot", mcp("pay"), ".github/agents/x.agent.md", agent("mcp-servers:\n  pay:\n    type: local\n"), ONE],
    ["opencode", { mcp: named("pay") }, "opencode.json", { mcp: named("pay") }, ONE],
    ["opencode", { mcp: named("pay") }, "a/.opencode/opencode.jsonc", '{ "mcp": { // "\n "pay": { }, }, }', ONE],
    ["opencode", '{ "mcp": { "pay": {} } // mine\n}', "opencode.json", { mcp: named("pay_out") }, ONE],
    ["opencode", {}, "opencode.json", { mcp: named("apply") }, ONE],
    ["opencode", { mcp: named("pay.out") }, "opencode.jsonc", { mcp: named("pay_out") }, ONE],
  ] as const)(
    "in %s is not taken for one of the user's: %j, of the project: %s %j",
    async (id, own, name, content, problem) => {
      write(join(folder, "home", OWN[id] as string), own);
      expect(await init(id, ...words())).toMatchObject({ code: 0 });
      const file = write(join(project, name), content);
      const err = expect.stringMatching(new RegExp(`error: \`${file}\`: .*${problem}`));
      expect(await init(id, "--unsigned", "--check")).toMatchObject({ code: 1, err });
    },
  );

  it.each([
    ["claude-code", mcp("pay"), ".mcp.json", mcp("shop", "pay_out"), "`shop`, `pay_out`"],
    ["claude-code", mcp("pay"), ".claude/agents/x.md", agent("mcpServers: [pay]\n"), undefined],
    ["claude-code", mcp("pay"), ".claude/agents/x.md", agent("description: a: b\n"), undefined],
    ["claude-code", mcp("pay"), "README.md", "mcpServers: [pay: {}]", undefined],
    ["claude-code", "", ".mcp.json", "", undefined],
    ["claude-code", mcp("pay"), ".mcp.json", mcp("ideas"), "`ideas`"],
    ["claude-code", '{ "history": ["\\ud800"], "mcpServers": { "pay": {} } }', ".mcp.json", mcp("shop"), "`shop`"],
    ["codex", toml("pay", "pay_out"), ".codex/config.toml", toml("x"), "`x`"],
    ["gemini", mcp("pay"), ".gemini/settings.json", mcp("shop"), "`shop`"],
    ["copilot", mcp("pay"), ".mcp.json", mcp("payment"), "`payment`"],
    ["cline", mcp("pay", "payment"), ".mcp.json", mcp("pay"), undefined],
    [
      "opencode",
      { mcp: named("pay") },
      "opencode.json",
      { mcp: named("payment"), tools: { "pay_*": false } },
      "`payment`",
    ],
  ] as const)(
    "in %s is let be under a name of its own, and told: %j, of the project: %s %j",
    async (id, own, name, content, told) => {
      write(join(folder, "home", OWN[id] as string), own);
      const file = write(join(project, name), content);
      const { code, err } = await init(id, ...words());
      expect([code, err.includes(`note: \`${file}\` says what program stands behind ${told}: `)]).toEqual([
        0,
        told !== undefined,
      ]);
    },
  );

  it("may have a name that another project's has, too", async () => {
    for (const name of [".mcp.json", "a/.mcp.json"]) write(join(project, name), mcp("pay"));
    expect(await init("claude-code", ...words())).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!canConfigure)("two servers of the user", () => {
  it.each([
    ["codex", toml("a", "a_"), 1],
    ["codex", toml("pay_out", "pay.out"), 1],
    ["claude-code", mcp("a", "a_"), 1],
    ["opencode", { mcp: named("pay", "pay_out") }, 1],
    ["cline", mcp("pay", "pay__out"), 1],
    ["cline", mcp("pay", "pay_out"), 0],
    ["gemini", mcp("pay", "pay_out"), 0],
  ] as const)("in %s must not be one to the hook: %j", async (id, own, code) => {
    write(join(folder, "home", OWN[id] as string), own);
    expect(await init(id, ...words())).toMatchObject({ code });
  });

  it("may be written twice, as in a profile of Codex or for one project of Claude Code", async () => {
    for (const name of ["config.toml", "fast.config.toml"]) write(join(folder, "home/.codex", name), toml("pay"));
    write(join(folder, "home/.claude.json"), { ...mcp("pay"), projects: { [project]: mcp("pay") } });
    for (const id of ["codex", "claude-code"]) expect(await init(id, ...words())).toMatchObject({ code: 0 });
  });

  it("can come with an extension of Gemini CLI, which may be a link into a project", async () => {
    const at = join(folder, "home/.gemini/extensions");
    write(join(at, "one/gemini-extension.json"), mcp("pay"));
    write(join(project, ".gemini/settings.json"), mcp("pay"));
    const err = expect.stringContaining(ONE);
    expect(await init("gemini", ...words())).toMatchObject({ code: 1, err });
    write(join(project, ".gemini/settings.json"), {});
    write(join(at, "two/.gemini-extension-install.json"), { type: "link", source: join(project, "two") });
    expect(await init("gemini", ...words())).toMatchObject({ code: 0 });
    write(join(project, "two/gemini-extension.json"), mcp("pay"));
    expect(await init("gemini", ...words())).toMatchObject({ code: 1, err });
  });
});

describe("a server of an administrator", () => {
  it.each([
    ["claude-code", "etc/claude-code/managed-mcp.json", mcp("pay"), ".mcp.json", mcp("pay"), ONE],
    [
      ...["claude-code", "etc/claude-code/managed-settings.d/1.json"],
      ...[{ managedMcpServers: named("pay") }, ".mcp.json", mcp("pay"), ONE],
    ],
    ["codex", "etc/codex/config.toml", toml("pay"), ".codex/config.toml", toml("pay_"), ONE],
    ["gemini", "etc/gemini-cli/system-defaults.json", mcp("pay"), ".gemini/settings.json", mcp("pay"), ONE],
    ["opencode", "etc/opencode/opencode.json", { mcp: named("pay") }, "opencode.json", { mcp: named("pay") }, ONE],
    // A list of those that may be there.
    ["codex", "etc/codex/requirements.toml", toml("pay"), ".codex/config.toml", toml("pay"), undefined],
    ["claude-code", "etc/claude-code/managed-mcp.json", mcp("pay"), ".mcp.json", mcp("shop"), undefined],
  ] as const)("of %s is told from a project's: %s %j, %s %j", (id, machine, own, name, content, problem) => {
    const root = join(folder, "home/machine");
    write(join(root, machine), own);
    const file = write(join(project, name), content);
    const host = hostOf(id);
    const found = serverProblems(host, join(folder, "home", host.folder[1], host.file), [project], root);
    const said = expect.stringMatching(new RegExp(`^\`${file}\`: .*${machine}.*${problem}`));
    expect(found).toEqual(problem === undefined ? [] : [said]);
  });

  it("may be named by a variable of opencode's", () => {
    vi.stubEnv("OPENCODE_CONFIG", write(join(folder, "home/elsewhere.json"), { mcp: named("pay") }));
    write(join(project, "opencode.json"), { mcp: named("pay") });
    expect(serverProblems(hostOf("opencode"), "/x/y", [project])).toEqual([expect.stringContaining(ONE)]);
    vi.unstubAllEnvs();
  });
});
