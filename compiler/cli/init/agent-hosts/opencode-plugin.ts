/**
 * opencode: a plugin, which runs in its process, and throws for what is not to be called. Texts of commands, skills and servers'
 * prompts may hold commands (!`…`). They run before the model has read the text, are no calls of a tool, and no plugin is
 * asked. They run in the `shell` of the settings: so the plugin puts a program there that asks, and then hands on to the real
 * shell. What was decided already has a word in its environment, which each process of opencode makes anew.
 */

import type { Configured, Hook } from "./agent-host.ts";
import { LOADING } from "./command.ts";
import { NOT_OURS, ours } from "./ours.ts";

/** In the place of a shell, by Node: `-c COMMAND` alone. It says on its output why it ran nothing, as the model reads that. */
const SHELL = `const { spawnSync } = require("node:child_process");
const [hook, shell, option, command, ...more] = process.argv.slice(1);
const { file, args, seconds } = JSON.parse(hook);
const input = JSON.stringify({ hook_event_name: "tool.execute.before", tool: "bash", args: { command } });
const options = { input, cwd: "/", encoding: "utf8", timeout: seconds * 1000, killSignal: "SIGKILL" };
const isCommand = option === "-c" && command !== undefined && more.length === 0;
const { status, stdout, stderr } = isCommand ? spawnSync(file, args, options) : {};
if (status === 0 && stdout === "") process.exitCode = spawnSync(shell, ["-c", command], { stdio: "inherit" }).status ?? 1;
else {
  process.stdout.write(String(stderr ?? "").trim() || "The command cannot be decided, so it is denied");
  process.exitCode = 2;
}`;

/** opencode tells no plugin of a call that failed; a command that failed has another code than 0. */
const HEARING = `  "tool.execute.after": (input, output) =>
    told("tool.execute.after", input, { tool_response: { exit: output?.metadata?.exit, isError: output?.isError } }),
`;

export function opencodePlugin({ command, seconds, hearsEnds }: Hook): string {
  const { node, program, words } = command;
  return `// Written by \`portcullis init --for opencode\`. Whatever but a silent success is a denial.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";

const HOOK = ${JSON.stringify({ file: node, args: [program, "hook", ...words], seconds: command.seconds, host: seconds, hearsEnds })};
const SHELL = ${JSON.stringify(SHELL)};
const DECIDED = randomUUID();
// Node would run what these name before the hook.
const LOADING = ${JSON.stringify(LOADING)};

let folder;
const quoted = (word) => "'" + word.replaceAll("'", "'\\\\''") + "'";
const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
const placesOf = (name) => (isAbsolute(name) ? [name] : (process.env.PATH ?? "").split(":").map((at) => join(at, name)));
// As opencode looks for it.
const shellOf = (named) => [named, process.env.SHELL, "bash", "/bin/sh"].flatMap((n) => (n ? placesOf(n) : [])).find(isFile);

function asking(shell) {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), "portcullis-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
  const path = join(folder, basename(shell));
  const decided = '[ "$PORTCULLIS_DECIDED" = ' + DECIDED + " ] && unset PORTCULLIS_DECIDED && exec " + quoted(shell) + ' "$@"';
  const words = [HOOK.file, "--input-type=commonjs", "-e", SHELL, "--", JSON.stringify(HOOK), shell];
  const unset = "unset " + LOADING.join(" ");
  writeFileSync(path, ["#!/bin/sh", decided, unset, "exec " + words.map(quoted).join(" ") + ' "$@"', ""].join("\\n"), { mode: 0o700 });
  return path;
}

const told = (event, { tool, sessionID, callID }, more) =>
  new Promise((allow, deny) => {
    const text = JSON.stringify({ hook_event_name: event, session_id: sessionID, tool_use_id: callID, tool, ...more });
    const env = { ...process.env };
    for (const name of LOADING) delete env[name];
    const options = { cwd: "/", env, timeout: HOOK.seconds * 1000, killSignal: "SIGKILL" };
    const child = execFile(HOOK.file, HOOK.args, options, (error, stdout, stderr) => {
      if (error === null && stdout === "") allow();
      else deny(new Error(stderr.trim() || "The call cannot be decided, so it is denied: the hook gave no answer"));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });

export const Portcullis = async () => ({
  config: async (settings) => {
    if (folder !== undefined && settings.shell?.startsWith(folder)) return;
    const shell = shellOf(settings.shell);
    settings.shell = ["/bin/false", "/usr/bin/false"].find(isFile);
    settings.shell = asking(shell);
  },
  "shell.env": async (input, output) => {
    output.env.PORTCULLIS_DECIDED = DECIDED;
  },
  "tool.execute.before": (input, output) => told("tool.execute.before", input, { args: output.args }),
${hearsEnds ? HEARING : ""}});
`;
}

export function readOpencodePlugin(text: string): Configured {
  const line = /^const HOOK = (.*);$/m.exec(text)?.[1];
  try {
    const { file, args, seconds, host, hearsEnds } = JSON.parse(line ?? "null") as {
      readonly file: string;
      readonly args: readonly string[];
      readonly seconds: number;
      readonly host: number;
      readonly hearsEnds: boolean;
    };
    const [program = "", , ...words] = args;
    // It kills by itself.
    const command = { timeout: file, node: file, program, seconds, words };
    return ours(command, { seconds: host, hearsEnds }, opencodePlugin, text);
  } catch {
    return { hooks: [], problems: [NOT_OURS] };
  }
}

const TEXT = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/.source;
/** A comment ends at its first `*` and `/`: in one way, or comments without a colon behind them would be tried in all. */
const GAP = /(?:\s|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/[^\n]*\n)*/.source;
/** A member's name, and its value where that is a text, in any way in which JSON with comments can write them. */
const MEMBER = new RegExp(`(?=(${TEXT})${GAP}:${GAP}(${TEXT})?)`, "g");
/** What opencode has in itself, or takes from the makers of the SDK. */
const PROVIDERS = /^@ai-sdk\/[a-z0-9-]+$/;

/**
 * What is wrong with a project's settings. opencode puts the text of a file in the place of `{file:…}`, in names, too. What `npm` of a
 * provider or a model names, it loads into its process, also from a file of the project.
 */
export function pluginProblems(text: string): string[] {
  const members = [...text.matchAll(MEMBER)].map(([, name = "", value]) => [
    textOf(name),
    value === undefined ? undefined : textOf(value),
  ]);
  const problems = members.flatMap(([name = "", value]) => {
    if (/^plugins?$|\{(?:file|env):/.test(name)) return ["its plugins are asked after this one, and may change a call"];
    if (value === undefined) return [];
    if (name === "npm" && !PROVIDERS.test(value))
      return [`opencode loads what \`npm\` names (\`${value}\`) into its process, where it may take the hook away`];
    return name === "shell"
      ? [`commands that are allowed run in \`shell\` (\`${value}\`), which may make others of them`]
      : [];
  });
  return [...new Set(problems)];
}

/** The key `git`, or one with an escape or a variable in it: what it names, npm runs for packages that come from git. */
const GIT = /^\s*(?:["']?git\b|[^=\n]*(?:\\|\$\{))/im;

/** What is wrong with settings of npm, which opencode starts in the folder of its settings. */
export function npmProblems(text: string): string[] {
  return GIT.test(text)
    ? ["npm runs what `git` names, and opencode starts npm by itself, so that no hook is asked"]
    : [];
}

function textOf(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written.slice(1, -1);
  }
}
