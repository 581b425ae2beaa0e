/** The plugin that `init --for opencode` writes: commands in texts run in the shell of the settings, which asks the hook. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { root } from "../pages/page.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

interface Settings {
  shell?: string | undefined;
}
interface Plugin {
  config(settings: Settings): Promise<void>;
  "shell.env"(input: object, output: { env: Record<string, string> }): Promise<void>;
}

const built = existsSync(join(root, "compiler/dist/bin/start.js"));
const isPosix = process.platform !== "win32" && existsSync("/usr/bin/timeout");
const least = AGENT_HOSTS.find(({ id }) => id === "opencode")?.least ?? "";
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "project"));
});
afterAll(() => removeFolder(folder));

/** A plugin whose policy takes the shell for this tool. */
async function pluginFor(tool: string): Promise<Plugin> {
  const file = join(folder, tool, "portcullis.js");
  const who = ["--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk", "--scope", "story_id=s-1"];
  const called = [...who, "--scope", "run_id=r-1", "--map", `bash=${tool}`];
  const state = ["--history", join(folder, "history"), "--approvals", folder];
  const policy = ["--policy", join(root, "generated/bundle.tar.gz"), "--unsigned", ...state];
  const host = ["--for", "opencode", "--host-version", least, "--file", file, "--project", join(folder, "project")];
  await portcullis("init", ...host, ...policy, ...called, "--yes");
  const text = readFileSync(file, "utf8");
  const module = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as {
    Portcullis(): Promise<Plugin>;
  };
  return module.Portcullis();
}

async function shellOf(plugin: Plugin, named?: string): Promise<string> {
  const settings: Settings = { shell: named };
  await plugin.config(settings);
  return settings.shell ?? "";
}
const ran = (shell: string, words: readonly string[], env: Record<string, string> = {}) => {
  const { status, stdout } = spawnSync(shell, words, { encoding: "utf8", env: { PATH: "/usr/bin:/bin", ...env } });
  return { status, stdout };
};

describe.skipIf(!isPosix || !built)("commands in the texts of opencode's commands", () => {
  let [allowing, denying] = [undefined as unknown as Plugin, undefined as unknown as Plugin];
  beforeAll(async () => {
    [allowing, denying] = [await pluginFor("draft.create"), await pluginFor("payout.release")];
  });

  it("run where the policy allows them as calls of the shell", async () => {
    expect(ran(await shellOf(allowing), ["-c", "echo it ran"])).toEqual({ status: 0, stdout: "it ran\n" });
  });

  it("do not run where it denies, and the text says why", async () => {
    const { status, stdout } = ran(await shellOf(denying), ["-c", "echo it ran"]);
    expect([status, stdout]).toEqual([2, expect.stringContaining('The policy denies "bash": ')]);
    expect(stdout).not.toContain("it ran");
  });

  it("run in the shell that the settings name, with its own end", async () => {
    const file = write(join(folder, "of its own/sh'ell"), "#!/bin/sh\necho own; exit 7\n");
    chmodSync(file, 0o755);
    const shell = await shellOf(allowing, file);
    expect(shell).toMatch(/\/sh'ell$/);
    expect(ran(shell, ["-c", "echo it ran"])).toEqual({ status: 7, stdout: "own\n" });
  });

  it("are not asked about again where a call of a tool was decided, whatever its form", async () => {
    const output = { env: {} as Record<string, string> };
    await denying["shell.env"]({}, output);
    const shell = await shellOf(denying, "/bin/sh");
    expect(ran(shell, ["-c", "echo it ran"], output.env)).toEqual({ status: 0, stdout: "it ran\n" });
    expect(ran(shell, ["-e", "-c", "echo $0", "named"], output.env).stdout).toBe("named\n");
    expect(ran(shell, ["-c", "env"], output.env).stdout).not.toContain("PORTCULLIS");
  });

  it.each([
    ["no command", []],
    ["a file", ["file"]],
    ["no text", ["-c"]],
    ["more than one", ["-c", "echo it ran", "more"]],
    ["other options", ["-lc", "echo it ran"]],
  ])("of another form do not run: %s", async (_, words) => {
    const { status, stdout } = ran(await shellOf(allowing, "/bin/sh"), words);
    expect([status, stdout]).toEqual([2, "The command cannot be decided, so it is denied"]);
  });

  it("are not let through by the word of another process", async () => {
    const output = { env: {} as Record<string, string> };
    await allowing["shell.env"]({}, output);
    const shell = await shellOf(denying);
    for (const env of [output.env, { PORTCULLIS_DECIDED: "" }])
      expect(ran(shell, ["-c", "echo it ran"], env)).toEqual({
        status: 2,
        stdout: expect.stringMatching(/^The policy/),
      });
  });

  it("have one shell, however often the settings are read", async () => {
    const settings: Settings = {};
    await allowing.config(settings);
    const first = settings.shell;
    await allowing.config(settings);
    expect(settings.shell).toBe(first);
  });

  it("do not run where the program that asks cannot be written", async () => {
    const plugin = await pluginFor("draft.revise");
    const settings: Settings = {};
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = join(folder, "not there");
    await expect(plugin.config(settings)).rejects.toThrow("ENOENT");
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    expect(ran(settings.shell ?? "", ["-c", "echo it ran"])).toEqual({ status: 1, stdout: "" });
  });

  it("leave nothing behind", () => {
    const file = join(folder, "draft.create", "portcullis.js");
    const source = `data:text/javascript,${encodeURIComponent(readFileSync(file, "utf8"))}`;
    const program = `const { Portcullis } = await import(${JSON.stringify(source)});
      const settings = {};
      await (await Portcullis()).config(settings);
      process.stdout.write(settings.shell);`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect(stdout).toMatch(/portcullis-/);
    expect(readdirSync(tmpdir())).not.toContain(stdout.split("/").at(-2));
  });
});
