/** Completion: what may follow each beginning of a command line, and the same by the Tab key of real shells. */

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import { SCRIPTS } from "../../compiler/cli/completion/scripts.ts";
import { sampled } from "../campaign.ts";
import { hasPseudoTerminal, onTerminal } from "./pseudo-terminal.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const policies = join(root, "policies");
const bundle = join(root, "generated/bundle.tar.gz");

/** The candidates, and last what may stand there besides. */
async function follows(...words: string[]): Promise<string[]> {
  const { code, out, err } = await portcullis("completion", "bash", "--words", "--", ...words);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] as string);
}

describe("completion", () => {
  it("offers every command with its summary", async () => {
    const { out } = await portcullis("completion", "fish", "--words", "--", "");
    for (const { name, summary } of COMMANDS) expect(out).toContain(`${name}\t${summary}\n`);
    expect(await follows("ex")).toEqual(["exec", "explain", "explore", ":nothing"]);
    expect(await follows("exec", "si")).toEqual(["sign", ":nothing"]);
    expect(await follows("help", "li")).toEqual(["list", ":nothing"]);
    expect(await follows("help", "list", "")).toEqual([":nothing"]);
    expect(await follows("nonsense", "")).toEqual([":nothing"]);
  });

  it("offers every option that the help of a command shows, and the values that it takes", async () => {
    for (const { name } of COMMANDS) {
      const help = (await portcullis(name, "--help")).out;
      const shown = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option);
      const offered = await follows(name, "--");
      expect(new Set(offered.slice(0, -1)), name).toEqual(new Set(shown));
    }
    expect(await follows("check", policies, "--format", "")).toEqual(["human", "json", "sarif", "github", ":nothing"]);
    expect(await follows("check", "--format=s")).toEqual(["--format=sarif", ":nothing"]);
    expect(await follows("check", "--entrypoint=x", "--str")).toEqual(["--strict", ":nothing"]);
    expect(await follows("diff", "--fail-on", "a")).toEqual(["allow", "any", ":nothing"]);
    expect(await follows("check", "--nonsense=")).toEqual([":nothing"]);
  });

  it("leaves files and folders to the shell", async () => {
    for (const words of [
      ["check", ""],
      ["check", "a", ""],
      ["build", "-o", ""],
    ])
      expect(await follows(...words)).toEqual([":folders"]);
    for (const words of [
      ["eval", ""],
      ["eval", bundle, "e", "--input", ""],
      ["verify", "--verification-key="],
    ])
      expect(await follows(...words)).toEqual([":files"]);
  });

  it.each([
    ["sources", policies],
    ["a bundle", bundle],
  ])("offers the ids of the policy that is named: %s", async (_, policy) => {
    expect(await follows("list", policy, "--tool", "article.p")).toEqual(["article.publish", ":nothing"]);
    expect(await follows("list", policy, "--role=W")).toEqual(["--role=WRITER", ":nothing"]);
    expect(await follows("hook", "--policy", policy, "--lane", "PUB")).toEqual(["PUBLISHING", ":nothing"]);
    expect(await follows("list", policy, "--agent", "NEWS_D")).toEqual(["NEWS_DESK", ":nothing"]);
    const kinds = ["call", "close", "exec", "handoff", "lane", "lineage", "subagent", "tool"];
    expect(await follows("explain", policy, "portcullis/")).toEqual(
      expect.arrayContaining(kinds.map((kind) => `portcullis/${kind}/decision`)),
    );
    expect(await follows("list", join(policy, "nowhere"), "--role", "")).toEqual([":nothing"]);
  });

  it("offers the same entrypoints for sources and for their bundle", async () => {
    expect(await follows("eval", policies, "")).toEqual(await follows("eval", bundle, ""));
  });

  it("offers codes, formats and modes", async () => {
    expect(await follows("--explain", "model/undefined-role-")).toEqual(["model/undefined-role-of-limit", ":nothing"]);
    expect(await follows("schema", "la")).toEqual(["lanes", ":nothing"]);
    expect((await follows("exec", "check", "--policy", policies, "--mode", "")).length).toBeGreaterThan(1);
  });

  it("says which shells there are", async () => {
    expect(await portcullis("completion", "tcsh")).toMatchObject({ code: 2, err: expect.stringContaining("fish") });
    expect(await portcullis("completion", "bash", "zsh")).toMatchObject({ code: 2 });
    expect((await portcullis("completion", "zsh")).out).toBe(SCRIPTS.zsh);
  });
});

for (const shell of ["bash", "zsh", "fish"])
  if (spawnSync(shell, ["-c", "true"]).status !== 0)
    console.warn(`SKIPPED: no ${shell} on this machine, so its completion is not tested (apt-get install ${shell})`);
if (!hasPseudoTerminal) console.warn("SKIPPED: no `script` of util-linux, so no Tab key is pressed");
const hasShell = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;
/** What is typed, and the words that the command then gets. `\t` is the Tab key. */
const TYPED: readonly [string, readonly string[]][] = [
  ["portcullis insp\t", ["inspect"]],
  ["portcullis check --form\tgit\t", ["check", "--format", "github"]],
  ["portcullis check --format=git\t", ["check", "--format=github"]],
  ["portcullis check rul\t", ["check", "rules here"]],
  ["portcullis list bun\t --role A\t", ["list", "bundle.tar.gz", "--role", "ARCHIVIST"]],
  ["portcullis explain bundle.tar.gz portcullis/too\t", ["explain", "bundle.tar.gz", "portcullis/tool/decision"]],
  ["portcullis list '$(touch ran)' --rol\t", ["list", "$(touch ran)", "--role"]],
];
/** What must not run at a Tab. No Enter is pressed behind it. */
const NEVER_RUN = [`$(touch ran) "$(touch ran)" \`touch ran\``, "x;touch ran;portcullis <(touch ran)"];

/** Makes the shell print the words of a command line instead of running it, with one quiet prompt. */
const SHELL_LINES: Readonly<Record<"bash" | "zsh", string>> = {
  bash: `bash --norc --noprofile -i`,
  zsh: `zsh -f -i`,
};
const PRELUDE: Readonly<Record<"bash" | "zsh", string>> = {
  bash: `PS1='ready> '; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'`,
  zsh: `PS1='ready> '; unsetopt beep zle_bracketed_paste promptcr; autoload -U compinit; compinit -u -d ./zcompdump; KEYTIMEOUT=1`,
};

// They mostly wait.
describe.concurrent("in real shells", () => {
  let folder = "";
  let path = "";
  beforeAll(() => {
    folder = temporaryFolder();
    path = `${join(folder, "bin")}:${process.env["PATH"]}`;
    mkdirSync(join(folder, "work/rules here"), { recursive: true });
    write(
      join(folder, "bin/portcullis"),
      `#!/bin/sh\nexec "${process.execPath}" "${root}/compiler/bin/portcullis.js" "$@"\n`,
    );
    chmodSync(join(folder, "bin/portcullis"), 0o755);
    copyFileSync(bundle, join(folder, "work/bundle.tar.gz"));
  });
  afterAll(() => removeFolder(folder));
  const cwd = (): string => join(folder, "work");

  // One of them in `make test`.
  for (const shell of sampled(["bash", "zsh"] as const, 0))
    it.skipIf(!hasPseudoTerminal || !hasShell(shell))(`completes at a Tab in ${shell}`, async () => {
      const terminal = onTerminal(SHELL_LINES[shell], { PATH: path, HOME: folder, HISTFILE: "" }, cwd());
      terminal.press(`${PRELUDE[shell]}; eval "$(portcullis completion ${shell})"\n`);
      terminal.press(`portcullis() { printf '<%s>' "$@"; echo END; }; echo be""gin\n`);
      await terminal.until("begin");
      await terminal.until("ready> ");
      // Each Tab is a process, and waits: a third in `make test`.
      for (const [typed, words] of sampled(TYPED, 1 / 3)) {
        // A Tab is given the time to answer, as a person would.
        for (const part of typed.split(/(?<=\t)/)) {
          terminal.press(part);
          if (part.endsWith("\t")) await settled(terminal);
        }
        terminal.press("\n");
        const printed = (await terminal.until(/<[^\n]*>END/)).replaceAll("/>", ">");
        expect(printed, JSON.stringify(typed)).toBe(`${words.map((word) => `<${word}>`).join("")}END`);
        await terminal.until("ready> ");
      }
      for (const danger of NEVER_RUN) {
        terminal.press(`portcullis list ${danger} --rol\t`);
        await settled(terminal);
        terminal.press("\x03");
        await terminal.until("ready> ");
      }
      terminal.press("exit 0\n");
      expect(await terminal.ended()).toBe(0);
      expect(readdirSync(cwd())).not.toContain("ran");
    });

  it.skipIf(!hasShell("fish"))("completes in fish", () => {
    const offered = (line: string): string[] => {
      const argv = ["--no-config", "-c", `${SCRIPTS.fish}\ncomplete -C "$argv[1]"`, line];
      const env = { ...process.env, PATH: path, HOME: folder };
      const { stdout, stderr } = spawnSync("fish", argv, { encoding: "utf8", cwd: cwd(), env });
      expect(stderr, line).toBe("");
      return stdout
        .trimEnd()
        .split("\n")
        .map((l) => l.split("\t")[0] as string);
    };
    expect(offered("portcullis insp")).toEqual(["inspect"]);
    expect(offered("portcullis check --format git")).toEqual(["github"]);
    expect(offered("portcullis check --format=git")).toEqual(["--format=github"]);
    expect(offered("portcullis check rul")).toEqual(["rules here/"]);
    expect(offered("portcullis list bun")).toEqual(["bundle.tar.gz"]);
    expect(offered("portcullis list bundle.tar.gz --role A")).toEqual(["ARCHIVIST"]);
    expect(offered("portcullis explain bundle.tar.gz portcullis/too")).toEqual(["portcullis/tool/decision"]);
    for (const danger of NEVER_RUN) offered(`portcullis list ${danger} --rol`);
    expect(readdirSync(cwd())).not.toContain("ran");
  });
});

/** Waits until nothing more is drawn for a while. */
async function settled(terminal: { seen(): string }): Promise<void> {
  let before = -1;
  while (before !== terminal.seen().length) {
    before = terminal.seen().length;
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
}
