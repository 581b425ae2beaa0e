/** `init --for`: what a project brings along, and a host obeys, is refused; and what it puts into the environment runs in no hook. */

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { commandLine, LOADING } from "../../compiler/cli/init/agent-hosts/command.ts";
import { opencodePlugin } from "../../compiler/cli/init/agent-hosts/opencode-plugin.ts";
import { hasGit } from "../git.ts";
import { root } from "../pages/page.ts";
import { canConfigure, emptyProject, hookWords } from "./configured-hosts.ts";
import { portcullis, type Ran, write } from "./terminal.ts";

const place = emptyProject();

const init = (id: string, ...more: string[]): Promise<Ran> => {
  const least = AGENT_HOSTS.find((host) => host.id === id)?.least ?? "";
  const host = [
    "--file",
    join(place.folder, "host/configuration"),
    "--host-version",
    least,
    "--project",
    place.project,
  ];
  return portcullis("init", "--for", id, ...host, ...more);
};
const words = (): string[] => hookWords(join(place.folder, "policy"));
const hooksAt = (event: string): object => ({ hooks: { [event]: [{ hooks: [{ type: "command", command: "/x" }] }] } });
const CHANGES = "may change a call";
const OFF = "no hook is asked";
const ENVIRONMENT = "is the environment of hooks";
const COMMAND = "holds a command";
const SETS = "may ask another hook, or none";
const LOADS = "loads what `npm` names";
const SHELL = "commands that are allowed run in `shell`";
const BEHIND = "says what stands behind tools";
const GIT = "npm runs what `git` names";
const CALLS = "calls a tool of a server";
const ENVIRONMENT_OF_COMMANDS = "is the environment of commands";

describe.skipIf(!canConfigure)("a file outside of the project", () => {
  const REACHED = "where the agent may write";
  const at = (path: string): string => path.replace("PROJECT", place.project).replace("FOLDER", place.folder);
  const asked = (path: string): Promise<Ran> => init("claude-code", ...words().with(1, at(path)));
  beforeEach(() => {
    copyFileSync(join(root, "generated/bundle.tar.gz"), join(place.folder, "policy/bundle.tar.gz"));
    mkdirSync(join(place.project, "deep"));
    copyFileSync(join(root, "generated/bundle.tar.gz"), join(place.project, "bundle.tar.gz"));
    symlinkSync(join(place.folder, "policy/bundle.tar.gz"), join(place.project, "link.tar.gz"));
    symlinkSync(join(place.folder, "policy"), join(place.project, "linked"));
    for (const [name, target] of [
      ["beside.tar.gz", "project/../policy/bundle.tar.gz"],
      ["inside.tar.gz", "project/bundle.tar.gz"],
      ["through.tar.gz", "project/deep/../../policy/bundle.tar.gz"],
    ] as const) {
      rmSync(join(place.folder, name), { force: true });
      symlinkSync(target, join(place.folder, name));
    }
  });

  it.each([
    "FOLDER/policy/bundle.tar.gz",
    "PROJECT/../policy/bundle.tar.gz",
    "PROJECT/.././/policy/../policy/bundle.tar.gz",
    "FOLDER/beside.tar.gz",
  ])("is taken where no way to it is the agent's: %s", async (path) => {
    expect(await asked(path)).toMatchObject({ code: 0, err: expect.not.stringContaining(REACHED) });
  });

  it("may be named for what the hook writes, too", async () => {
    const history = ["--history", at("PROJECT/../policy/history"), "--approvals", at("PROJECT/../policy/approvals")];
    expect(await init("claude-code", ...words(), ...history)).toMatchObject({ code: 0 });
  });

  it.each([
    "PROJECT/bundle.tar.gz",
    "PROJECT/../project/bundle.tar.gz",
    "PROJECT/link.tar.gz",
    "PROJECT/linked/bundle.tar.gz",
    "PROJECT/linked/../policy/bundle.tar.gz",
    // The agent can put a link in the place of the folder.
    "PROJECT/deep/../../policy/bundle.tar.gz",
    "FOLDER/inside.tar.gz",
    "FOLDER/through.tar.gz",
  ])("is refused where the agent may change the way to it: %s", async (path) => {
    const { code, err } = await asked(path);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`\`${at(path)}\` lies in \`${place.project}\`, ${REACHED}`),
    ]);
  });

  it("is no approval folder where it is the project itself", async () => {
    const { code, err } = await init("claude-code", ...words(), "--approvals", at("PROJECT/deep/.."));
    expect([code, err]).toEqual([1, expect.stringContaining(REACHED)]);
  });
});

describe.skipIf(!canConfigure)("what a project brings along", () => {
  it.each([
    ["claude-code", ".claude/settings.json", { disableAllHooks: true }, OFF],
    ["claude-code", ".claude/settings.json", { hooks: "x" }, OFF],
    ["claude-code", ".claude/settings.json", hooksAt("PreToolUse"), CHANGES],
    ["claude-code", ".claude/settings.local.json", hooksAt("PermissionRequest"), CHANGES],
    ["claude-code", ".claude/settings.json", { env: { NODE_OPTIONS: "--require=/x" } }, ENVIRONMENT],
    ["claude-code", ".claude/settings.json", { env: "x" }, ENVIRONMENT],
    ["claude-code", ".claude/settings.json", "{", "not JSON"],
    ["claude-code", ".claude/settings.json", { hooks: { Stop: [{ hooks: [{ type: "mcp_tool" }] }] } }, CALLS],
    ["claude-code", "a/.claude/settings.json", '{"hooks":{"Setup":[{"hooks":[{ "type" : "mcp\\u005ftool"}]}]}}', CALLS],
    ["claude-code", ".claude/agents/a/x.md", "---\nname: x\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.md", "---\n{ name: x, 'hooks' : {} }\n---\nx", CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.md", "\uFEFF---\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.md", '---\n"\\x68ooks":\n  PreToolUse: []\n---\nx', CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.md", "---\nname: &k hooks\n*k :\n  PreToolUse: []\n---\nx", CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.md", "---\n? hooks\n# c\n: { PreToolUse: [] }\n---\nx", CHANGES],
    ["claude-code", ".claude/skills/x/.claude-plugin/plugin.json", { name: "x" }, CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.MD", "---\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.md", '---\n{ "hooks" # c\n : { PreToolUse: [] } }\n---\nx', CHANGES],
    ["claude-code", ".claude/skills/x/SKILL.md", "---\n{ n: &k hooks, ? *k : { PreToolUse: [] } }\n---\nx", CHANGES],
    ["copilot", ".github/hooks/a.JSON", hooksAt("preToolUse"), CHANGES],
    ["gemini", ".gemini/commands/x.toml", 'prompt = "\\u0021{ls}"', COMMAND],
    ["gemini", ".gemini/commands/x.toml", 'prompt = "!\\U0000007B ls}"', COMMAND],
    ["gemini", ".gemini/commands/x.toml", 'prompt = """!\\\n  {ls}"""', COMMAND],
    ["codex", ".codex/config.toml", "[features]\nhooks = false\n", OFF],
    ["codex", ".codex/config.toml", '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ncommand = "/x"\n', CHANGES],
    ["codex", ".codex/hooks.json", hooksAt("PreToolUse"), CHANGES],
    ["claude-code", ".claude/settings.json", { enabledPlugins: { "a@b": true } }, CHANGES],
    ["claude-code", "a/b/.claude/settings.json", { disableAllHooks: true }, OFF],
    ["claude-code", "a/.claude/skills/x/SKILL.md", "---\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
    ["codex", "a/.codex/config.toml", "[features]\nhooks = false\n", OFF],
    ["codex", "a/b/.codex/hooks.json", hooksAt("PreToolUse"), CHANGES],
    ["gemini", "a/.env", "BASH_ENV=./x", SETS],
    ["gemini", ".gemini/settings.json", { tools: { callCommand: "./x" } }, BEHIND],
    ["gemini", "a/.gemini/settings.json", { tools: { discoveryCommand: "./x" } }, BEHIND],
    ["gemini", ".gemini/settings.json", { mcp: { serverCommand: "./x" } }, BEHIND],
    ["gemini", ".gemini/settings.json", { telemetry: { outfile: "/x" } }, "names a file, anywhere"],
    ["gemini", ".env", "GEMINI_CLI_HOME=x", SETS],
    ["gemini", ".env", "GEMINI_RESTRICTED_MODE=true", SETS],
    ["gemini", ".gemini/.env", "GEMINI_SANDBOX=docker\nGEMINI_SANDBOX_IMAGE=x/y", SETS],
    ["gemini", "a/.env", "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND=./x", SETS],
    ["gemini", ".env", "GIT_EXTERNAL_DIFF=./x", SETS],
    ["gemini", ".env", "export npm_config_script_shell=./x", SETS],
    ["gemini", ".gemini/agents/x.md", `---\nauth:\n  key: "!touch x"\n---\n`, "may hold a command"],
    ["gemini", "a/.gemini/agents/x.md", `---\n- { "\\x61uth": { key: "\\x21x" } }\n---\n`, "may hold a command"],
    ["gemini", ".gemini/agents/x.md", `---\nname: &a auth\n*a : { token: !!str "!x" }\n---\n`, "may hold a command"],
    ["gemini", ".gemini/agents/x.md", `---\n{ "auth" # c\n : { key: "!x" } }\n---\n`, "may hold a command"],
    ["gemini", ".env", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=x", SETS],
    ["gemini", ".env", "SANDBOX_PORTS=1; ./x #", SETS],
    ["gemini", ".env", "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1", SETS],
    ["gemini", "a/.env", "RIPGREP_CONFIG_PATH=./x", SETS],
    ["gemini", ".gemini/sandbox.bashrc", "GEMINI_CLI_HOME=./x", "Gemini CLI runs it"],
    ["copilot", "a/.github/hooks/a.json", hooksAt("preToolUse"), CHANGES],
    ["cline", "a/.cline/plugins/x.ts", "x", CHANGES],
    ["cline", ".cline/plugins/x/package.json", { cline: { plugins: [{ paths: ["../../../x.ts"] }] } }, CHANGES],
    ["opencode", "a/.opencode/plugin/x.js", "x", CHANGES],
    ["opencode", ".opencode/tool/bash.ts", "x", CHANGES],
    ["opencode", ".opencode/tools/bash.js", "x", CHANGES],
    ["opencode", "opencode.json", '{ "plugi\\u006e": ["x"] }', CHANGES],
    ["opencode", "opencode.jsonc", '{ /* " */ "plugin" // :\n : ["x"] }', CHANGES],
    ["opencode", "opencode.json", '{ "{file:./name}": ["x"] }', CHANGES],
    ["gemini", ".gemini/settings.json", { hooks: null }, OFF],
    ["gemini", ".gemini/settings.json", { hooks: [] }, OFF],
    ["gemini", ".gemini/settings.json", { hooksConfig: { enabled: false } }, OFF],
    ["gemini", ".gemini/settings.json", { hooksConfig: { disabled: ["portcullis"] } }, "switches hooks off"],
    ["gemini", ".gemini/settings.json", hooksAt("BeforeTool"), CHANGES],
    ["gemini", ".env", "A=1\nexport BASH_ENV=./x\n", SETS],
    ["gemini", ".gemini/.env", "LD_PRELOAD = ./x.so", SETS],
    ["copilot", ".github/copilot/settings.json", { disableAllHooks: true }, OFF],
    ["copilot", ".github/copilot/settings.local.json", hooksAt("preToolUse"), CHANGES],
    ["copilot", ".claude/settings.json", { disableAllHooks: true }, OFF],
    ["copilot", ".claude/settings.local.json", hooksAt("PreToolUse"), CHANGES],
    ["copilot", ".github/hooks/a.json", { version: 1, hooks: { preToolUse: [{ bash: "/x" }] } }, CHANGES],
    ["copilot", ".github/extensions/a/extension.mjs", "x", CHANGES],
    ["copilot", ".github/agents/x.agent.md", "---\nname: x\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
    ["copilot", "a/.claude/agents/x.md", "---\nname: x\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
    ["cline", ".clinerules/hooks/PreToolUse", "#!/bin/sh\n", CHANGES],
    ["cline", ".cline/hooks/PreToolUse.sh", "#!/bin/sh\n", CHANGES],
    ["cline", ".clinerules/hooks/pretooluse.sh", "#!/bin/sh\n", CHANGES],
    ["cline", "a/.cline/hooks/ PRETOOLUSE .py", "#!/bin/sh\n", CHANGES],
    ["cline", ".cline/plugins/x.ts", "x", CHANGES],
    ["cline", ".env", "NODE_OPTIONS='--require ./x.js'", SETS],
    ["cline", ".env.local", "DYLD_INSERT_LIBRARIES: x", SETS],
    ["cline", ".env", "CLINE_DIR=./x", SETS],
    ["cline", ".env", "BUN_OPTIONS=--preload=./x.js", SETS],
    ["cline", "a/.env.local", "GIT_SSH_COMMAND: ./x", SETS],
    ["cline", ".env", "PYTHONPATH=./x", SETS],
    ["cline", ".env", "XDG_CONFIG_HOME=./x", SETS],
    ["cline", ".env", "ZDOTDIR=./x", SETS],
    ["cline", ".env", "MAKEFLAGS=x", SETS],
    ["gemini", ".env", "AWS_CONFIG_FILE=./x", SETS],
    ["gemini", ".env", "RUSTC_WRAPPER=./x", SETS],
    ["cline", "bunfig.toml", 'preload = ["./x.ts"]', CHANGES],
    ["cline", "a/bunfig.toml", '"pre\\u006coad" = ["./x.ts"]', CHANGES],
    ["opencode", ".opencode/plugin/x.js", "x", CHANGES],
    ["opencode", ".opencode/plugins/x.ts", "x", CHANGES],
    ["opencode", "opencode.json", { plugin: ["x"] }, CHANGES],
    ["opencode", "opencode.json", { plugins: ["x"] }, CHANGES],
    ["opencode", ".opencode/opencode.jsonc", "{ 'plugin' : [] }", CHANGES],
    ["opencode", "tui.json", { plugin: ["./x.tsx"] }, CHANGES],
    ["opencode", "a/.opencode/tui.jsonc", { plugin: ["./x.tsx"] }, CHANGES],
    ["opencode", "opencode.json", { provider: { x: { npm: "file:///x.mjs" } } }, LOADS],
    ["opencode", "opencode.json", '{ "provider": { "x": { "np\\u006d": /* */ "@ai-sdk/{file:x}" } } }', LOADS],
    ["opencode", "opencode.json", { provider: { x: { models: { y: { provider: { npm: "x" } } } } } }, LOADS],
    ["opencode", "opencode.json", { shell: "./bash" }, SHELL],
    ["opencode", ".opencode/.npmrc", "registry=x\n git = ./x", GIT],
    ["opencode", "a/.npmrc", '"g\\u0069t"=./x', GIT],
    ["opencode", "opencode.jsonc", "{ 'shell' : // :\n './bash' }", SHELL],
    [
      "codex",
      ".codex/config.toml",
      '[shell_environment_policy]\nset = { BASH_ENV = "./x" }\n',
      ENVIRONMENT_OF_COMMANDS,
    ],
    ["codex", "a/.codex/config.toml", '[shell_environment_policy.set]\nPATH = "./x"\n', ENVIRONMENT_OF_COMMANDS],
    ["codex", ".codex/config.toml", 'shell_environment_policy.set = "x"\n', ENVIRONMENT_OF_COMMANDS],
    ["claude-code", "node_modules/a/.claude/skills/x/SKILL.md", "---\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
    ["claude-code", ".git/a/.claude/skills/x/SKILL.md", "---\nhooks:\n  PreToolUse: []\n---\nx", CHANGES],
  ] as const)("of %s is refused, and found later: %s %j", async (id, name, content, problem) => {
    expect(await init(id, ...words())).toMatchObject({ code: 0 });
    const file = write(join(place.project, name), content);
    const err = expect.stringMatching(new RegExp(`error: \`${file}\`.*${problem}`));
    expect(await init(id, "--unsigned", "--check")).toMatchObject({ code: 1, err });
    rmSync(join(place.folder, "host"), { recursive: true });
    expect(await init(id, ...words())).toMatchObject({ code: 1, err });
    expect(existsSync(join(place.folder, "host/configuration"))).toBe(false);
  });

  it.each([
    [
      "claude-code",
      ".claude/settings.json",
      { env: {}, permissions: {}, hooks: { PostToolUse: [{}], PreToolUse: [] } },
    ],
    ["claude-code", ".claude/agents/x.md", "---\nname: x\n---\nhooks: none"],
    ["claude-code", ".claude/agents/x.md", "hooks: none"],
    [
      "claude-code",
      ".claude/agents/x.md",
      "---\ndescription: React hooks? **All** of C:\\Users, *.md\n---\n? *k : \\x68",
    ],
    ["claude-code", ".claude/agents/x.md", "---\ndescription: Rules for hooks & *all\nglobs: *.ts\n---\n"],
    ["gemini", ".gemini/commands/x.toml", 'prompt = "Well! \\u00e9 {{args}}"'],
    ["codex", ".codex/config.toml", "[features]\ngoals = true\n"],
    ["codex", ".codex/hooks.json", hooksAt("SessionStart")],
    ["gemini", ".gemini/settings.json", { hooks: { AfterTool: [{}] }, hooksConfig: { enabled: true }, telemetry: {} }],
    ["gemini", ".env", "NODE_ENV=test\nMY_BASH_ENV=1\nGEMINI_API_KEY=k\nGEMINI_MODEL=m\nGIT_BRANCH=b\nBROWSER=none\n"],
    ["gemini", ".gemini/agents/x.md", `---\nkind: remote\nauth: { type: apiKey, key: $KEY }\n---\nGo!`],
    ["gemini", ".gemini/agents/x.md", "---\ndescription: For auth? Use it!\n---\nGo"],
    ["copilot", ".github/copilot/settings.json", { hooks: { sessionStart: [{}] } }],
    ["copilot", ".github/hooks/a.txt", "x"],
    ["copilot", ".github/skills/x/SKILL.md", "---\nname: x\nhooks:\n  PreToolUse: []\n---\nx"],
    ["copilot", ".github/extensions/README.md", "x"],
    ["cline", ".clinerules/hooks/TaskStart", "#!/bin/sh\n"],
    ["cline", ".envrc/x", "NODE_OPTIONS=x"],
    ["cline", ".env", "CLINE_API_KEY=x\nGEMINI_RESTRICTED_MODE=true\nCARGO_REGISTRY_TOKEN=x\nAWS_REGION=x"],
    ["cline", "bunfig.toml", "[install]\nexact = true\n"],
    ["opencode", "opencode.json", { permission: {}, prompt: "{file:./x}", agent: "plugin", description: '"plugin"' }],
    [
      "opencode",
      "opencode.json",
      { provider: { x: { npm: "@ai-sdk/openai-compatible" } }, mcp: { shell: {}, npm: {} } },
    ],
    ["opencode", "tui.json", { theme: "x" }],
    ["opencode", ".npmrc", "registry=https://git.x/\n//x/:_authToken=${TOKEN}\n"],
    // In all ways of taking some comments for one, they would be read 2 ** 60 times.
    ["opencode", "opencode.jsonc", `{ "theme": "x" ${"/**/ ".repeat(60)} }`],
    ["codex", ".codex/config.toml", '[shell_environment_policy]\ninherit = "core"\nset = {}\n'],
    ["claude-code", ".claude/settings.json", { enabledPlugins: { "a@b": false } }],
    ["claude-code", "node_modules/a/.claude/settings.json", { disableAllHooks: true }],
    ["codex", ".codex/config.toml", '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.b]\ncommand = "x"\n'],
    ["claude-code", ".env", "NODE_OPTIONS=x"],
  ] as const)("of %s is let be where it takes nothing away: %s %j", async (id, name, content) => {
    write(join(place.project, name), content);
    expect(await init(id, ...words())).toMatchObject({ code: 0 });
  });

  it("is found in folders around it, to the root of its repository, and behind links", async () => {
    mkdirSync(join(place.project, "a/b"), { recursive: true });
    mkdirSync(join(place.project, ".claude/skills"), { recursive: true });
    symlinkSync("../..", join(place.project, ".claude/skills/round"));
    const settings = write(join(place.project, ".codex/config.toml"), "[features]\nhooks = false\n");
    const asked = (id: string): Promise<Ran> => init(id, ...words(), "--project", join(place.project, "a/b"));
    const inner = ["--for", "codex", "--file", join(place.folder, "host/configuration"), "--host-version", "9.0.0"];
    const started = (): Promise<Ran> =>
      portcullis("init", ...inner, ...words(), "--project", join(place.project, "a/b"));
    expect(await started()).toMatchObject({ code: 0 });
    mkdirSync(join(place.project, ".git"));
    expect(await started()).toMatchObject({ code: 1, err: expect.stringContaining(`error: \`${settings}\``) });
    rmSync(join(place.folder, "host"), { recursive: true });
    const skill = write(join(place.folder, "elsewhere/x/SKILL.md"), "---\nhooks:\n  PreToolUse: []\n---\nx");
    expect(await asked("claude-code")).toMatchObject({ code: 0 });
    symlinkSync(join(place.folder, "elsewhere"), join(place.project, ".claude/skills/linked"));
    const err = expect.stringContaining("linked/x/SKILL.md` has hooks");
    expect([existsSync(skill), await asked("claude-code")]).toMatchObject([true, { code: 1, err }]);
  });

  it.skipIf(!hasGit)("is found in the checkout that a linked work tree comes from", async () => {
    const main = join(place.folder, "main");
    const git = (...more: string[]): void =>
      void spawnSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a", ...more]);
    mkdirSync(main);
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "a");
    rmSync(place.project, { recursive: true });
    git("worktree", "add", "-q", place.project);
    mkdirSync(join(place.project, "a/.codex"), { recursive: true });
    for (const id of ["claude-code", "codex"]) {
      expect(await init(id, ...words())).toMatchObject({ code: 0 });
      rmSync(join(place.folder, "host"), { recursive: true });
    }
    const files = [".claude/settings.local.json", "a/.codex/hooks.json"].map((name) => join(main, name));
    write(files[0] as string, { disableAllHooks: true });
    write(files[1] as string, hooksAt("PreToolUse"));
    for (const [i, id] of ["claude-code", "codex"].entries())
      expect(await init(id, ...words())).toMatchObject({
        code: 1,
        err: expect.stringContaining(`error: \`${files[i]}\``),
      });
    rmSync(main, { recursive: true });
  });

  it("of Gemini CLI is not the only place: an extension of the user may change a call, or run a command", async () => {
    const at = (name: string): string => join(place.folder, "host/extensions", name);
    write(at("a/hooks/hooks.json"), hooksAt("AfterTool"));
    expect(await init("gemini", ...words())).toMatchObject({ code: 0 });
    write(at("a/hooks/hooks.json"), hooksAt("BeforeTool"));
    expect(await init("gemini", ...words())).toMatchObject({ code: 1, err: expect.stringContaining(CHANGES) });
    rmSync(at("a"), { recursive: true });
    write(at("b/.gemini-extension-install.json"), { type: "link", source: join(place.folder, "source") });
    write(join(place.folder, "source/commands/x.toml"), 'prompt = "!{ls}"');
    expect(await init("gemini", ...words())).toMatchObject({ code: 1, err: expect.stringContaining(COMMAND) });
    write(join(place.folder, "source/commands/x.toml"), 'prompt = "ls"');
    write(join(place.folder, "source/hooks/hooks.json"), hooksAt("BeforeTool"));
    expect(await init("gemini", ...words())).toMatchObject({ code: 1, err: expect.stringContaining(CHANGES) });
    rmSync(join(place.folder, "source"), { recursive: true });
  });

  it.each([
    [{ PROJECT: "DO_NOT_TRUST" }, 1],
    [{ PROJECT: "TRUST_FOLDER", FOLDER: "DO_NOT_TRUST", "PROJECT/a": "DO_NOT_TRUST", "PROJECTS/a": "DO_NOT_TRUST" }, 0],
    [{ FOLDER: "DO_NOT_TRUST" }, 1],
    [{ FOLDER: "DO_NOT_TRUST", "PROJECT/x": "TRUST_PARENT" }, 0],
    ["{", 1],
  ] as const)("that a person does not trust is refused by Gemini CLI's list: %j", async (rules, code) => {
    const text = JSON.stringify(rules).replaceAll("PROJECT", place.project).replaceAll("FOLDER", place.folder);
    for (const name of ["host/trustedFolders.json", "elsewhere/list.json"]) {
      const list = write(join(place.folder, name), typeof rules === "string" ? rules : text);
      if (name.startsWith("elsewhere")) vi.stubEnv("GEMINI_CLI_TRUSTED_FOLDERS_PATH", list);
      const { code: ended, err } = await init("gemini", ...words());
      expect([ended, err.includes(`error: \`${list}\``)]).toEqual([code, code === 1]);
      rmSync(list);
    }
    vi.unstubAllEnvs();
  });

  it("runs nothing in the hook, whatever the environment names", async () => {
    const loaded = write(join(place.project, "loaded.cjs"), "process.exit(0);");
    const env = { PATH: "/usr/bin:/bin", NODE_OPTIONS: `--require=${loaded}`, CHIRALITY_ENABLE_SUBAGENTS: "true" };
    const program = write(
      join(place.folder, "program.cjs"),
      'console.log(JSON.stringify({ decision: "block", ...process.env })); process.exit(2);',
    );
    const command = { timeout: "/usr/bin/timeout", seconds: 9, node: process.execPath, program, words: [] };
    const more = Object.fromEntries(
      LOADING.filter((name) => /^NODE_(?:T|CHANNEL_S)/.test(name)).map((name) => [name, "1"]),
    );
    const line = commandLine(command);
    const ran = spawnSync("/bin/sh", ["-c", line], { encoding: "utf8", env: { ...env, ...more } });
    expect([ran.status, Object.keys(JSON.parse(ran.stdout) as object)]).toEqual([
      2,
      expect.arrayContaining(["PATH", "CHIRALITY_ENABLE_SUBAGENTS"]),
    ]);
    expect(Object.keys(JSON.parse(ran.stdout) as object).filter((name) => LOADING.includes(name))).toEqual([]);

    const plugin = join(place.folder, "plugin.mjs");
    writeFileSync(plugin, opencodePlugin({ command, seconds: 9, hearsEnds: false }));
    const calls = `const hooks = await (await import(${JSON.stringify(plugin)})).Portcullis();
process.env.NODE_OPTIONS = ${JSON.stringify(`--require=${loaded}`)};
await hooks["tool.execute.before"]({ tool: "bash" }, { args: {} }).then(() => console.log("allowed"), () => console.log("denied"));
const settings = {};
await hooks.config(settings);
const { spawnSync } = await import("node:child_process");
console.log(spawnSync(settings.shell, ["-c", "echo ran"], { encoding: "utf8" }).stdout.includes("ran"));`;
    const asked = spawnSync(process.execPath, ["--input-type=module", "-e", calls], { encoding: "utf8" });
    expect([asked.stdout, asked.stderr]).toEqual(["denied\nfalse\n", ""]);
  });
});
