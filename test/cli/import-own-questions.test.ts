/**
 * What Claude Code denies or asks about although a rule of its settings seems to allow it: measured with 2.1.332, the rules in a
 * trusted project and a scripted model that made the calls.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { effectOf, type Permissions, policyOfPermissions } from "./drafts.ts";
import { removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const others: Readonly<Record<string, object>> = {
  ...{ Edit: { old_string: "a", new_string: "b" }, Write: { content: "c" } },
  ...{ MultiEdit: { edits: [] }, NotebookEdit: { new_source: "a" } },
};

async function effectsOf(
  permissions: Permissions,
  calls: readonly (readonly [tool: string, of: string])[],
  at?: string,
) {
  const { policy, leftOut } = await policyOfPermissions(folder, permissions, at);
  const effects = calls.map(([tool, of]) => {
    const name =
      tool === "Bash" || tool === "Monitor" ? "command" : tool === "NotebookEdit" ? "notebook_path" : "file_path";
    return effectOf(policy, tool, { [name]: of, ...others[tool] }, name === "command" ? {} : { [name]: of });
  });
  return { effects, leftOut: leftOut.map(({ what }) => what) };
}

const everyCall = (tool: string, ...ofs: readonly string[]) => ofs.map((of): readonly [string, string] => [tool, of]);

describe("commands that Claude Code asks about", () => {
  it("are left out where more may follow", async () => {
    const begun: readonly (readonly [begin: string, command: string])[] = [
      ["cat", "cat /etc/hostname"],
      ["ls", "ls /root"],
      ["cd", "cd /tmp"],
      ["tr", "tr a b"],
      ["rev", "rev /etc/hostname"],
      ["git", "git diff --no-index /dev/null /etc/hostname"],
      ["git diff", "git diff --no-index /dev/null /etc/hostname"],
      ["git grep", "git grep a /etc"],
      ["git -C .", "git -C . grep a /etc"],
      ["mkdir", "mkdir .claude/skills"],
      ["touch", "touch .git/x"],
      ["timeout 5", "timeout 5 cat /etc/hostname"],
      ["sudo", "sudo cat /etc/hostname"],
      ["strace", "strace touch a"],
      ["source", "source a.sh"],
      ["trap", "trap a EXIT"],
      ["hash", "hash a"],
      ["zmodload", "zmodload -n a"],
      ["jq", "jq -f a"],
    ];
    const allow = begun.map(([begin]) => `Bash(${begin}:*)`);
    const found = await effectsOf({ allow }, everyCall("Bash", ...begun.map(([, command]) => command)));
    expect(found.effects).toEqual(begun.map(() => "deny"));
    expect(found.leftOut).toEqual(allow.map((rule) => `allow \`${rule}\``));
  });

  it("are denied where a word may be anything, and one is the environment of a process", async () => {
    const found = await effectsOf(
      { allow: ["Bash(npm test:*)"] },
      everyCall("Bash", "npm test /proc/self/environ", "npm test a"),
    );
    expect(found).toEqual({ effects: ["deny", "allow"], leftOut: [] });
  });

  it("are left out by themselves", async () => {
    const away = [
      ...["cat /etc/hostname", "cat ../a", "ls /root", "cd", "cd -", "rm -rf .", "touch .git/x", "tee sub/.GIT/x"],
      ...["cp a .claude/x", "timeout 5 cat /etc/hostname", "grep -f/etc/hostname a", "grep --file=/etc/hostname a"],
      ...["git grep a /etc", "sudo cat ../a", "mv bunfig.toml a"],
    ];
    const here = [
      ...["cat src/a", "ls", "ls -la", "cd sub", "rm -rf sub", "source a.sh", "timeout 5 npm test", "git diff --stat"],
      ...["find . -name a", "git push /tmp/a"],
    ];
    const allow = [...away, ...here].map((command) => `Bash(${command})`);
    const found = await effectsOf({ allow }, everyCall("Bash", ...away, ...here));
    expect(found.effects).toEqual([...away.map(() => "deny"), ...here.map(() => "allow")]);
    expect(found.leftOut).toEqual(away.map((command) => `allow \`Bash(${command})\``));
  });

  it.each(["Bash", "Bash(*)", "Monitor", "PowerShell"])("are among all of `%s`", async (rule) => {
    const calls = [...everyCall("Bash", "touch .git/x", "git log"), ...everyCall("Monitor", "touch a")];
    const found = await effectsOf({ allow: [rule, "Bash(git log)"] }, calls);
    expect(found).toEqual({ effects: ["deny", "allow", "deny"], leftOut: [`allow \`${rule}\``] });
  });

  it.each([
    ["a program by its path", "Bash(/usr/bin/git:*)", "Bash(git push:*)"],
    ["a program of which the path is denied", "Bash(git push origin)", "Bash(/usr/bin/git push:*)"],
    ["what runs it", "Bash(sudo npm publish)", "Bash(npm publish:*)"],
    ["what runs it for a time", "Bash(taskset 1 npm publish)", "Bash(npm publish:*)"],
  ])("are those of a denial: %s", async (_, allow, deny) => {
    const { leftOut } = await effectsOf({ allow: [allow], deny: [deny] }, []);
    expect(leftOut).toEqual([`allow \`${allow}\``]);
  });
});

describe("files that Claude Code asks about", () => {
  const files = [
    ...[
      ".git/hooks/x",
      "a/.git/x",
      ".GIT/x",
      ".claude/settings.json",
      "a/.claude/commands/x.md",
      ".mcp.json",
      ".vscode/x",
    ],
    ...[
      ".idea/x",
      ".husky/x",
      ".cargo/config",
      ".devcontainer/x",
      ".yarn/x",
      ".mvn/x",
      ".config/git/x",
      ".bashrc",
      ".zshenv",
    ],
    ...[".gitmodules", ".npmrc", ".envrc", ".ripgreprc", "a/bunfig.toml", "lefthook.yml", ".pre-commit-config.yaml"],
    ...["pyrightconfig.json", "gradle-wrapper.properties", ".pnp.cjs", ".huſky/x", ".gıt/x"],
  ];

  it("are denied in any folder, and may be read", async () => {
    const tools = ["Edit", "MultiEdit", "NotebookEdit", "Write"];
    for (const tool of tools) {
      const { effects } = await effectsOf(
        { allow: ["Edit(./**)"] },
        everyCall(tool, ...files, "src/a", ".github/x", "a.git"),
      );
      expect(effects).toEqual([...files.map(() => "deny"), "allow", "allow", "allow"]);
    }
    const { effects } = await effectsOf({ allow: ["Read", "Edit"] }, everyCall("Read", ".git/config", "src/a"));
    expect(effects).toEqual(["allow", "allow"]);
  });

  it.each([
    ["all of `Edit`, for other tools", { allow: ["Edit"] }, "Write", []],
    ["all of `Edit`, for notebooks", { allow: ["Edit"] }, "NotebookEdit", []],
    ["a path of `Write`", { allow: ["Write(./src/**)"] }, "Write", ["allow `Write(./src/**)`"]],
    [
      "a path of `NotebookEdit`",
      { allow: ["NotebookEdit(./src/**)"] },
      "NotebookEdit",
      ["allow `NotebookEdit(./src/**)`"],
    ],
    ["a plan", { allow: ["Edit(./src/**)"], defaultMode: "plan" }, "Edit", ["allow `Edit(./src/**)`"]],
    ["a question in a mode that denies it", { ask: ["Edit(./src/**)"], defaultMode: "dontAsk" }, "Edit", []],
  ] as readonly (readonly [string, Permissions, string, readonly string[]])[])(
    "are not allowed by %s",
    async (_, permissions, tool, leftOut) => {
      expect(await effectsOf(permissions, [[tool, "src/a"]])).toEqual({ effects: ["deny"], leftOut });
    },
  );

  it("are not a project's where a path begins at the user's settings", async () => {
    const permissions = { allow: ["Edit(/src/**)", "Edit(./docs/**)"] };
    const calls = everyCall("Edit", "src/a", "docs/a");
    expect(await effectsOf(permissions, calls, "settings.json")).toEqual({
      ...{ effects: ["deny", "allow"], leftOut: ["allow `Edit(/src/**)`"] },
    });
    expect(await effectsOf(permissions, calls)).toEqual({ effects: ["allow", "allow"], leftOut: [] });
  });
});

describe("names of tools", () => {
  it("are one where Claude Code has two for a tool", async () => {
    const { policy } = await policyOfPermissions(folder, { allow: ["Agent", "TaskStop"], deny: ["Task", "KillShell"] });
    expect(["Agent", "TaskStop"].map((tool) => effectOf(policy, tool, {}))).toEqual(["deny", "deny"]);
  });

  it("of a tool that reads files are no way around", async () => {
    const { policy, leftOut } = await policyOfPermissions(folder, { allow: ["LSP"], deny: ["Read(./secrets/**)"] });
    expect(leftOut.map(({ what }) => what)).toEqual(["allow `LSP`"]);
    expect(effectOf(policy, "LSP", {})).toBe("deny");
  });
});
