/** `init --for`: a host's configuration is kept but for the hook, what is a way past the hook is refused, and the hook decides. */

import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AgentHost } from "../../compiler/cli/init/agent-hosts/agent-host.ts";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { commandLine, type HookCommand, readCommandLine } from "../../compiler/cli/init/agent-hosts/command.ts";
import { denial } from "../../compiler/enforcement/gateway/denial.ts";
import { root } from "../pages/page.ts";
import { CHANGES } from "./changed-hooks.ts";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

const built = existsSync(join(root, "compiler/dist/bin/start.js"));
const isPosix = process.platform !== "win32" && existsSync("/usr/bin/timeout");
let folder = "";
let project = "";
let bundle = "";
let key = "";
beforeAll(async () => {
  folder = temporaryFolder();
  project = join(folder, "project");
  mkdirSync(project);
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  key = write(join(folder, "policy/key.pem"), publicKey.export({ type: "spki", format: "pem" }));
  const secret = write(join(folder, "private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  bundle = join(folder, "policy/bundle.tar.gz");
  mkdirSync(join(folder, "policy/approvals"));
  await portcullis("sign", join(root, "generated/bundle.tar.gz"), "--signing-key", secret, "-o", bundle);
});
afterAll(() => removeFolder(folder));

const DESK = ["--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk", "--scope", "story_id=s-1"];
const words = (): string[] => [
  ...["--policy", bundle, "--verification-key", key, ...DESK, "--scope", "run_id=r-1", "--map", "Bash=draft.create"],
  ...["--history", join(folder, "policy", "history"), "--approvals", join(folder, "policy", "approvals")],
];
const hostOf = (id: string): AgentHost => AGENT_HOSTS.find((host) => host.id === id) as AgentHost;
let file = "";
beforeEach(() => {
  file = join(folder, "host", "configuration");
  rmSync(join(folder, "host"), { recursive: true, force: true });
});
const init = (id: string, ...more: string[]): Promise<Ran> => {
  const given = ["init", "--for", id, "--file", file, "--host-version", hostOf(id).least, "--project", project];
  return portcullis(...given, ...more);
};
const HOSTS = AGENT_HOSTS.map(({ id }) => id);

/** What each host has of its own, and must keep. */
const OWN: Readonly<Record<string, string>> = {
  "claude-code": `{\n    "model": "opus",\n    "hooks": {\n        "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "/bin/true" }] }],\n        "Stop": []\n    }\n}\n`,
  gemini: `{ "security": { "auth": {} }, "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": "/bin/true" }] }] } }`,
  codex: `# mine\nmodel = "m"\n\n[[hooks.PreToolUse]]\nmatcher = "Bash"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "/bin/true"`,
};

describe.skipIf(!isPosix || !built).each(HOSTS)("init --for %s", (id) => {
  const host = hostOf(id);

  it("shows what it would write, and writes nothing without a yes", async () => {
    for (const more of [[], ["--dry-run"]]) {
      const { code, out } = await init(id, ...words(), ...more);
      expect([code, existsSync(file)]).toEqual([1, false]);
      expect(out).toContain(`+++ ${file}`);
    }
  });

  it("writes a hook that denies and allows, which is right when it is checked", async () => {
    const { code, out, err } = await init(id, ...words(), "--yes");
    expect([code, err]).toEqual([0, expect.not.stringContaining("error")]);
    expect(out).toMatch(/^wrote .*\ndeny {3}"portcullis: no such tool" {2}The policy denies .*\nallow {2}"Bash"$/m);
    if (host.isExecutable) expect(statSync(file).mode & 0o111).toBe(0o111);
    const [hook, second] = host.read(readFileSync(file, "utf8")).hooks;
    expect(second).toBeUndefined();
    expect(hook?.command.words).toEqual([...words(), "--format", id]);
    const before = readFileSync(file, "utf8");
    expect(await init(id, "--check")).toMatchObject({ code: 0, out: expect.stringMatching(/^deny .*\nallow/) });
    expect(await init(id, ...words())).toMatchObject({ code: 0, out: expect.stringContaining("unchanged ") });
    expect(await init(id, ...words(), "--deadline", "9", "--yes")).toMatchObject({ code: 0 });
    const after = host.read(readFileSync(file, "utf8"));
    expect(after.problems).toEqual([]);
    expect(after.hooks.map(({ command }) => command.seconds)).toEqual([19]);
    expect(readFileSync(file, "utf8")).not.toBe(before);
  });

  it("finds what was changed since", async () => {
    await init(id, ...words(), "--yes");
    const text = readFileSync(file, "utf8");
    const check = async (changed: string): Promise<string> => {
      writeFileSync(file, changed);
      const { code, err } = await init(id, "--check");
      expect(code).toBe(1);
      return err;
    };
    expect(await check(text.replaceAll("WRITER", "RITER"))).toContain("the policy has no role `RITER`");
    expect(await check(text.replaceAll(bundle, "bundle.tar.gz"))).toContain("is relative");
    expect(await check(text.replaceAll(bundle, `${bundle}x`))).toContain("no such file");
    expect(await check(text.replaceAll(key, join(folder, "private.pem")))).toMatch(/error: .*(key|signature)/);
    expect(await check(text.replaceAll(process.execPath, "/no/node"))).toContain("no program that can be started");
    expect(await check(text.replaceAll(`--format`, "--from"))).toContain("Unknown option");
    expect(await check(text.replaceAll(" -s KILL ", " ").replaceAll("SIGKILL", "SIGTERM"))).toContain("error: ");
    expect(await check("")).toContain(`${host.title} asks no hook of this program`);
    rmSync(file);
    expect(await init(id, "--check")).toMatchObject({ code: 1, err: expect.stringContaining("is not there") });
  });

  it("refuses files that the agent may write, options that the host does not obey, and old versions", async () => {
    const refused = async (...given: string[]): Promise<string> => {
      const { code, out, err } = await init(id, ...given, "--yes");
      expect([code, out, existsSync(file)]).toEqual([1, "", false]);
      return err;
    };
    const inside = write(join(project, "key.pem"), readFileSync(key));
    const link = join(folder, "link.pem");
    rmSync(link, { force: true });
    symlinkSync(inside, link);
    for (const path of [inside, link])
      expect(await refused(...words().with(3, path))).toContain(`lies in \`${project}\`, where the agent may write`);
    const log = ["--decision-log", join(project, "log")];
    expect(await refused(...words(), ...log)).toContain("where the agent may write");
    mkdirSync(join(project, "approvals"), { recursive: true });
    expect(await refused(...words(), "--approvals", join(project, "approvals"))).toContain("where the agent may write");
    expect(await refused(...words(), "--root", join(folder, "policy"))).toContain("where the agent may write");
    expect(await refused(...words(), "--root", key)).toContain("is not a folder");
    const open = write(join(folder, "open/key.pem"), readFileSync(key));
    chmodSync(join(folder, "open"), 0o777);
    expect(await refused(...words().with(3, open))).toContain(`everybody may write in \`${join(folder, "open")}\``);
    chmodSync(join(folder, "open"), 0o755);
    chmodSync(open, 0o666);
    expect(await refused(...words().with(3, open))).toContain(`everybody may write \`${open}\``);
    expect(await refused(...words().with(1, "bundle.tar.gz"))).toContain("is relative");
    expect(await refused(...words().toSpliced(2, 2))).toContain("nothing is verified");
    expect(await refused(...words(), "--map", "x=no.tool")).toContain("the policy has no tool `no.tool`");
    expect(await refused(...words(), "--host-version", "0.0.1")).toContain("was not seen to obey");
    expect(await refused(...words(), "--host-version", "new")).toContain("tells no version");
    if (host.refuses["ask"] !== undefined)
      expect(await refused(...words(), "--ask")).toContain(`${host.title} does not obey \`--ask\``);
    const unsigned = words().toSpliced(2, 2).with(1, join(root, "generated/bundle.tar.gz"));
    expect(await init(id, ...unsigned, "--unsigned", "--yes")).toMatchObject({ code: 0 });
  });

  it("keeps what is there, and replaces no hook of another program", async () => {
    const own = OWN[id];
    write(file, own ?? "#!/bin/sh\nexit 0\n");
    const { code, err } = await init(id, ...words(), "--yes");
    if (own === undefined) {
      expect([code, err]).toEqual([2, expect.stringContaining("a hook of another program")]);
      return;
    }
    expect(code).toBe(0);
    const text = readFileSync(file, "utf8");
    for (const kept of own.match(/"?\w+"? ?[:=] ?"[^"]*"|# mine|"Stop"/g) ?? [])
      expect(text.replace(/\s+/g, " ")).toContain(kept.replace(/\s+/g, " "));
    expect(text).toContain("/bin/true");
    expect(host.read(text).problems).toEqual([]);
  });

  it("writes over nothing that it cannot read", async () => {
    for (const broken of ['{ "hooks": 7', "hooks = 7\n[[", "\u0000"]) {
      write(file, broken);
      expect((await init(id, ...words(), "--yes")).code).toBe(2);
      expect(readFileSync(file, "utf8")).toBe(broken);
    }
    rmSync(file);
    symlinkSync(join(folder, "elsewhere"), file);
    expect(await init(id, ...words(), "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("regular file"),
    });
  });
});

describe.skipIf(!isPosix || !built)("a configured hook", () => {
  it("is told to be asked less, or not at all", async () => {
    for (const [id, from, to, problem] of CHANGES) {
      rmSync(file, { force: true });
      await init(id, ...words(), "--yes");
      const text = readFileSync(file, "utf8");
      expect(text).toContain(from);
      // Copilot CLI's file is the hook at both events, or it is not ours.
      writeFileSync(file, id === "copilot" ? text.replaceAll(from, to) : text.replace(from, to));
      expect(await init(id, "--check"), to).toMatchObject({ code: 1, err: expect.stringContaining(problem) });
    }
  });

  it("that a project's settings switch off is found", async () => {
    await init("claude-code", ...words(), "--yes");
    const local = write(join(project, ".claude/settings.local.json"), { disableAllHooks: true });
    expect(await init("claude-code", "--check")).toMatchObject({ code: 1, err: expect.stringContaining(local) });
    rmSync(local);
    expect(await init("claude-code", "--check")).toMatchObject({ code: 0 });
  });

  it("shows an allow of the call that is named, and says that it found no such call", async () => {
    const none = words().map((word) => word.replace("Bash=draft.create", "Bash=payout.release"));
    const shown = await init("codex", ...none, "--try", '{"tool":"Bash"}', "--yes");
    expect(shown).toMatchObject({ code: 1, err: expect.stringContaining("no allow was shown") });
    const named = await init("codex", ...words(), "--try", '{"tool":"Bash","args":{"command":"ls"}}', "--yes");
    expect(named).toMatchObject({ code: 0, out: expect.stringContaining('allow  "Bash"') });
    for (const bad of ["{", "7", '{"tool":7}', '{"tool":"a","args":7}'])
      expect(await init("codex", ...words(), "--try", bad, "--yes")).toMatchObject({ code: 2 });
  });

  it("of Codex goes with terminals off, whose input no hook is asked about", async () => {
    for (const [own, kept] of [
      ["[features]\ngoals = false\n", "[features]\nunified_exec_tty = false\ngoals = false\n"],
      ['[features] # mine\n\n[other]\na = "b"\n', '[features] # mine\nunified_exec_tty = false\n\n[other]\na = "b"\n'],
      ["[features]\nunified_exec_tty = false\n", "[features]\nunified_exec_tty = false\n"],
    ] as const) {
      write(file, own);
      expect(await init("codex", ...words(), "--yes")).toMatchObject({ code: 0 });
      const text = readFileSync(file, "utf8");
      expect([text.startsWith(kept), text.split("unified_exec_tty").length]).toEqual([true, 2]);
      expect(await init("codex", ...words())).toMatchObject({ code: 0, out: expect.stringContaining("unchanged ") });
    }
    for (const own of ["[features]\nunified_exec_tty = true\n", "features.goals = false\n"]) {
      write(file, own);
      const err = expect.stringContaining("write `unified_exec_tty = false` there");
      expect(await init("codex", ...words(), "--yes")).toMatchObject({ code: 2, err });
      expect(readFileSync(file, "utf8")).toBe(own);
    }
    rmSync(file);
    const settings = write(join(project, ".codex/config.toml"), "[features]\nunified_exec_tty = true\n");
    const err = expect.stringContaining(`\`${settings}\`: \`features.unified_exec_tty\` is not off`);
    expect(await init("codex", ...words(), "--yes")).toMatchObject({ code: 1, err });
    write(settings, "[features]\ngoals = true\n");
    expect(await init("codex", ...words(), "--yes")).toMatchObject({ code: 0 });
    rmSync(join(project, ".codex"), { recursive: true });
  });

  it("of Codex is written again without what Codex itself has put into its place", async () => {
    write(file, 'model = "m"\n');
    expect(await init("codex", ...words(), "--yes")).toMatchObject({ code: 0 });
    const written = readFileSync(file, "utf8");
    const own =
      '[hooks.state."/c:pre_tool_use:0:0"]\ntrusted_hash = "sha256:x"\n\n[mcp_servers.foo]\ncommand = "/bin/true"\n';
    const end = "# Written by `portcullis init --for codex`: end";
    write(file, written.replace(end, `\n${own}${end}`));
    expect(await init("codex", ...words(), "--yes")).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toContain(own);
    expect(await init("codex", ...words())).toMatchObject({ code: 0, out: expect.stringContaining("unchanged ") });
    expect(await init("codex", "--check")).toMatchObject({ code: 0 });
  });

  it("of Codex is refused where a profile beside it takes it away", async () => {
    rmSync(file, { force: true });
    expect(await init("codex", ...words(), "--yes")).toMatchObject({ code: 0 });
    for (const [profile, problem] of [
      ["[features]\nhooks = false\n", "`features.hooks` is off"],
      ["[features]\nunified_exec_tty = true\n", "`features.unified_exec_tty` is not off"],
      ['[hooks.state."/c:pre_tool_use:0:0"]\nenabled = false\n', "switches the hook off"],
    ] as const) {
      const off = write(join(dirname(file), "off.config.toml"), profile);
      const err = expect.stringContaining(
        `\`${off}\`: ${problem.startsWith("`") ? problem : "`hooks.state` " + problem}`,
      );
      expect(await init("codex", "--check")).toMatchObject({ code: 1, err });
      rmSync(off);
    }
    write(join(dirname(file), "on.config.toml"), '[hooks.state."/c:stop:0:0"]\nenabled = false\n');
    expect(await init("codex", "--check")).toMatchObject({ code: 0 });
    rmSync(join(dirname(file), "on.config.toml"));
  });

  it("of Gemini CLI refuses where texts hold commands that it is not asked about", async () => {
    expect(await init("gemini", ...words(), "--yes")).toMatchObject({ code: 0 });
    const named = [join(folder, "host/commands/a/b.toml"), join(project, ".gemini/extensions/x/commands/c.toml")];
    for (const text of named) write(text, 'prompt = "see !{git log}"');
    write(join(project, ".gemini/commands/d.toml"), 'prompt = "see @{README.md}"');
    write(join(project, ".gemini/commands/e.md"), "see !{git log}");
    for (const more of [[...words(), "--yes"], ["--check"]]) {
      const { code, err } = await init("gemini", ...more);
      expect([code, err.match(/(?<=error: `)[^`]*(?=` holds a command)/g)]).toEqual([1, named]);
    }
    rmSync(join(project, ".gemini"), { recursive: true });
    rmSync(join(folder, "host/commands"), { recursive: true });
    expect(await init("gemini", "--check")).toMatchObject({ code: 0 });
  });

  it("shows an allow by what the policy says of arguments, and names permissions that can be imported", async () => {
    const settings = write(join(project, ".claude/settings.json"), {
      permissions: { allow: ["Bash(git log --oneline)"], ask: ["Bash(git push)"] },
    });
    const [policies, out] = [join(folder, "drafted"), join(folder, "drafted-out")];
    await portcullis("import", "--from", "claude-settings", settings, "-o", policies);
    await portcullis("build", policies, "-o", out);
    const asked = ["--policy", join(out, "bundle.tar.gz"), "--unsigned", "--role", "CODER", "--lane", "CODE", "--yes"];
    const shown = await init("claude-code", ...asked);
    rmSync(join(project, ".claude"), { recursive: true });
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('allow  "Bash"') });
    expect(shown.err).toContain(`portcullis import --from claude-settings ${settings} -o DIR`);
  });

  it("is what a shell reads back, whatever the words hold", () => {
    const command: HookCommand = {
      ...{ timeout: "/usr/bin/timeout", seconds: 7, node: "/bin/echo", program: "/p/portcullis.js" },
      words: ["it's", "''", "$(touch x)", "`id`", "a\\b", '"', "; exit 0", "é\n"],
    };
    const line = commandLine(command);
    expect(readCommandLine(line)).toEqual(command);
    // The words go into a file: the line prints answers alone.
    const echo = join(folder, "echo-node");
    writeFileSync(echo, '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.words"\n', { mode: 0o755 });
    const { status, stdout } = spawnSync("/bin/sh", ["-c", commandLine({ ...command, node: echo })], {
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, ""]);
    expect(readFileSync(`${echo}.words`, "utf8")).toBe(`/p/portcullis.js\nhook\n${command.words.join("\n")}\n`);
    for (const changed of [line.replace("exit 2", "exit 0"), `${line}; exit 0`, `true; ${line}`, line.slice(1)])
      expect(readCommandLine(changed)).toBeUndefined();
  });

  /** The line whose program this is, run by each shell that hosts may give it to. */
  const SHELLS = ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/bin/busybox"].filter((path) => existsSync(path));
  const ranBy = (node: string, body: string) => {
    if (body !== "") writeFileSync(node, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    const line = commandLine({ timeout: "/usr/bin/timeout", seconds: 1, node, program: "/p/portcullis.js", words: [] });
    return SHELLS.map((shell) => {
      const words = [...(shell.endsWith("busybox") ? ["sh"] : []), "-c", line];
      const { status, stdout, stderr } = spawnSync(shell, words, { encoding: "utf8", timeout: 20_000 });
      return { status, stdout, stderr };
    });
  };
  const DENIED = JSON.stringify(denial('it is no \\ "name"'));

  it.each([
    ["denies", `printf '%s\\n' '${DENIED}'; echo why >&2; exit 2`, 2, `${DENIED}\n`],
    ["asks", `echo '{"permissionDecision":"ask"}'`, 0, '{"permissionDecision":"ask"}\n'],
    ["allows", "exit 0", 0, ""],
  ])("gives on the answer of a hook that %s", (_, body, status, stdout) => {
    for (const ran of ranBy(join(folder, "answering-node"), body)) expect(ran).toMatchObject({ status, stdout });
  });

  it.each([
    ["is missing", "/no/such/node", ""],
    ["is killed", "node", "kill -9 $$"],
    ["ends with another code", "node", "exit 1"],
    ["does not end", "node", "exec sleep 60"],
    ["denies and is killed", "node", `printf '%s\\n' '${DENIED}'; kill -9 $$`],
    ["denies and does not end", "node", `printf '%s\\n' '${DENIED}'; exec sleep 60`],
    ["ends and leaves a process behind", "node", "setsid sleep 20 2>&- & exit 2"],
    ["denies with nothing", "node", "exit 2"],
    ["denies with another text", "node", "echo no; exit 2"],
    ["denies with half of an object", "node", `printf '{"decision":"block",'; exit 2`],
    ["denies with an object that hosts do not obey", "node", "echo '{}'; exit 2"],
    ["denies twice", "node", `printf '%s\\n' '${DENIED}' '${DENIED}'; exit 2`],
    ["allows with a text", "node", "echo yes"],
    ["allows with more than an object", "node", `printf '{"a":1}\\n{"b":2}\\n'`],
    ["ends with the code of an answer and digits", "node", `printf '0'; exit 2`],
  ])("denies once where its program %s", (_, name, body) => {
    for (const { status, stdout, stderr } of ranBy(name === "node" ? join(folder, "broken-node") : name, body)) {
      expect(status).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ decision: "block", cancel: true, permissionDecision: "deny" });
      expect(stderr).toContain("the hook is missing, or was killed");
    }
  });
});

it("takes options of a hook with --for alone, and no folder with it", async () => {
  expect(await portcullis("init", join(folder, "new"), "--role", "WRITER")).toMatchObject({
    ...{ code: 2, err: expect.stringContaining("`--role` needs `--for`") },
  });
  expect(await portcullis("init", join(folder, "new"), "--for", "codex")).toMatchObject({ code: 2 });
  expect(existsSync(join(folder, "new"))).toBe(false);
  expect(await portcullis("init", "--for", "vim")).toMatchObject({ code: 2 });
});
