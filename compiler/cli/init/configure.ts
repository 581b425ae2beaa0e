/** `portcullis init --for HOST`: a host's configuration, written whole and tried, or examined as it stands. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { agreed, type Consent } from "../agreed.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, type ExitCode, fileProblem } from "../exit.ts";
import { MOST_DEADLINE_SECONDS } from "../hook/limits.ts";
import { hookWords, readHookFlags } from "../hook/options.ts";
import { type Flags, wholeNumber } from "../option-words.ts";
import type { Terminal } from "../terminal.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { writeAllAtomic } from "../write.ts";
import { administratorProblems } from "./agent-hosts/administrator.ts";
import type { AgentHost, Hook } from "./agent-hosts/agent-host.ts";
import { AGENT_HOSTS } from "./agent-hosts/agent-hosts.ts";
import { demonstrate, type TriedCall } from "./agent-hosts/demonstrate.ts";
import { doctorProblems } from "./agent-hosts/doctor.ts";
import { examineHook, messageOf, openPolicy, type Surroundings, waitingLimits } from "./agent-hosts/examine.ts";
import { folderOf } from "./agent-hosts/folders.ts";
import { projectNotes, projectProblems } from "./agent-hosts/project.ts";

export interface ForFlags extends Consent {
  readonly for: string;
  readonly check: boolean;
  readonly file?: string;
  readonly project: readonly string[];
  readonly unsigned: boolean;
  readonly hostVersion?: string;
  readonly try?: string;
}

/** A hook starts in less than a second; a machine may be busy. */
const MORE_SECONDS = 10;
const TIMEOUTS = ["/usr/bin/timeout", "/bin/timeout", "/opt/homebrew/bin/gtimeout", "/usr/local/bin/gtimeout"];

/** Throws CliError. `hookFlags`: the options of the hook, as Commander read them. */
export async function configureHost(terminal: Terminal, flags: ForFlags, hookFlags: Flags): Promise<ExitCode> {
  if (process.platform === "win32") throw new CliError("`init --for` writes lines for a POSIX shell");
  const host = AGENT_HOSTS.find(({ id }) => id === flags.for) as AgentHost;
  const file = resolve(flags.file ?? join(folderOf(host), host.file));
  const text = textOf(file);
  const around: Surroundings = { projects: projectsOf(flags.project), unsigned: flags.unsigned };
  const version = versionProblem(host, flags.hostVersion);
  const own =
    flags.hostVersion === undefined && version === undefined ? doctorProblems(host, file) : [version ?? []].flat();
  if (flags.check) return checked(terminal, host, file, text, { around, own, tried: triedCall(flags.try) });
  const hook = await hookOf(host, hookFlags);
  const written = host.write(text, hook);
  const end = [endFile(host, file) ?? []].flat();
  // One that is there would go on with what the hook was before.
  const isTold = (path: string): boolean => hook.hearsEnds || host.read(textOf(path) ?? "").hooks.length > 0;
  const files = [file, ...end.filter(isTold)].map((path) => {
    const before = path === file ? text : textOf(path);
    return { path, before, content: path === file ? written : host.write(before, hook) };
  });
  const { problems, notes } = await findings(host, file, written, around, own, hook.hearsEnds);
  for (const problem of problems) terminal.err(`${terminal.paint.red("error:")} ${problem}\n`);
  if (problems.length > 0) {
    terminal.err("nothing was written\n");
    return EXIT_FINDINGS;
  }
  const changed = files.filter(({ before, content }) => before !== content);
  if (changed.length > 0) {
    for (const { path, before = "", content } of changed) terminal.out(unifiedDiff(path, before, content));
    if (!(await agreed(terminal, flags))) return EXIT_FINDINGS;
    writeAllAtomic(changed);
    if (host.isExecutable) for (const { path } of changed) chmodSync(path, 0o755);
  }
  const all = [...host.notes, ...notes, ...permissionNotes(host, file, around)];
  for (const note of all) terminal.err(`${terminal.paint.yellow("note:")} ${note}\n`);
  for (const { path } of files)
    terminal.out(`${changed.some((one) => one.path === path) ? "wrote" : "unchanged"} ${path}\n`);
  return shown(terminal, host, file, triedCall(flags.try));
}

interface Checking {
  readonly around: Surroundings;
  /** What is wrong with the program, and what it finds wrong itself. */
  readonly own: readonly string[];
  readonly tried: TriedCall | undefined;
}

async function checked(
  terminal: Terminal,
  host: AgentHost,
  file: string,
  text: string | undefined,
  { around, own, tried }: Checking,
): Promise<ExitCode> {
  const { problems, notes } =
    text === undefined
      ? { problems: [`\`${file}\` is not there: ${host.title} asks no hook`], notes: [] }
      : await findings(host, file, text, around, own, hearsEnds(host, file, text));
  const idle = [file, ...[endFile(host, file) ?? []].flat()].filter(
    (path) => host.isExecutable && existsSync(path) && (lstatSync(path).mode & 0o111) === 0,
  );
  const all = [...problems, ...idle.map((path) => `\`${path}\` is no program that can be started`)];
  for (const problem of all) terminal.err(`${terminal.paint.red("error:")} ${problem}\n`);
  for (const note of [...host.notes, ...notes]) terminal.err(`${terminal.paint.yellow("note:")} ${note}\n`);
  return all.length > 0 ? EXIT_FINDINGS : shown(terminal, host, file, tried);
}

/** Where a host takes a file for each event, that of the end of a call. */
function endFile(host: AgentHost, file: string): string | undefined {
  return host.endFile === undefined ? undefined : join(dirname(file), host.endFile);
}

/** Whether the file of the end is there, with the same hook. */
function hearsEnds(host: AgentHost, file: string, text: string): boolean {
  const end = endFile(host, file);
  return end !== undefined && textOf(end) === text;
}

/** Findings on the one hook that a text must have; `endsToo`: another file has it for the end of a call. */
async function findings(
  host: AgentHost,
  file: string,
  text: string,
  around: Surroundings,
  own: readonly string[],
  endsToo: boolean,
): Promise<{ readonly problems: readonly string[]; readonly notes: readonly string[] }> {
  const { hooks, problems } = host.read(text);
  const [hook, second] = hooks;
  const others = [...administratorProblems(host, file), ...projectProblems(host, file, around.projects)];
  const all = [...problems, ...own, ...others];
  if (second !== undefined) all.push(`there are ${hooks.length} hooks of this program: one decides`);
  if (hook === undefined) return { problems: [...all, `${host.title} asks no hook of this program`], notes: [] };
  const examined = await examineHook(host, { ...hook, hearsEnds: hook.hearsEnds || endsToo }, around);
  const notes = [...examined.notes, ...projectNotes(host, file, around.projects)];
  return { problems: [...all, ...examined.problems], notes };
}

/** Permissions that the host has already, and that the hook does not read. */
function permissionNotes({ imported, projectFiles }: AgentHost, file: string, { projects }: Surroundings): string[] {
  if (imported === undefined) return [];
  const files = [file, ...projects.flatMap((project) => projectFiles.map((name) => join(project, name)))];
  const holding = files.filter((name) => existsSync(name) && textOf(name)?.includes(`"${imported.member}"`));
  return holding.map(
    (name) =>
      `\`${name}\` has \`${imported.member}\`: \`portcullis import --from ${imported.from} ${name} -o DIR\` drafts a policy of them`,
  );
}

/** Runs the hook as it is configured: a denial, and an allow. */
async function shown(terminal: Terminal, host: AgentHost, file: string, tried?: TriedCall): Promise<ExitCode> {
  const [hook] = host.read(textOf(file) ?? "").hooks;
  const outcomes = hook === undefined ? [] : await demonstrate(host, file, hook, tried);
  for (const { verdict, tool, message } of outcomes)
    terminal.out(`${verdict.padEnd(6)} ${JSON.stringify(tool)}${message === "" ? "" : `  ${message}`}\n`);
  const verdicts = outcomes.map(({ verdict }) => verdict);
  if (verdicts.join() === "deny,allow") return EXIT_OK;
  terminal.err(
    verdicts.join() === "deny"
      ? 'no allow was shown: name a call that is allowed, `--try \'{"tool":"…","args":{…}}\'`\n'
      : `${terminal.paint.red("error:")} the hook does not decide as it is configured\n`,
  );
  return EXIT_FINDINGS;
}

/** A policy that is refused, which is found afterwards, has no limits here. */
async function hookOf(host: AgentHost, given: Flags): Promise<Hook> {
  const timeout = TIMEOUTS.find(existsSync);
  if (timeout === undefined)
    throw new CliError(
      `${host.title} lets a call pass whose hook does not end, and there is no \`timeout\` to end it`,
      EXIT_USAGE,
      "install coreutils",
    );
  const words = hookWords({ ...given, format: host.id });
  const flags = readHookFlags(words);
  const seconds = wholeNumber("--deadline", flags.deadline, MOST_DEADLINE_SECONDS);
  const opened = await openPolicy(flags).catch(() => undefined);
  const program = fileURLToPath(new URL("../../bin/portcullis.js", import.meta.url));
  return {
    command: { timeout, seconds: seconds + MORE_SECONDS, node: process.execPath, program, words },
    seconds: seconds + 2 * MORE_SECONDS,
    hearsEnds: opened !== undefined && waitingLimits(opened.policy).length > 0,
  };
}

function projectsOf(folders: readonly string[]): string[] {
  try {
    return (folders.length === 0 ? ["."] : folders).map((folder) => realpathSync.native(folder));
  } catch (error) {
    throw new CliError(`\`--project\`: ${fileProblem(error)}`);
  }
}

/** Throws CliError for a link, and for a file that cannot be read. */
function textOf(file: string): string | undefined {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return undefined;
  if (!there.isFile())
    throw new CliError(`\`${file}\` is no regular file`, EXIT_USAGE, "name the file behind it: `--file`");
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(`cannot read \`${file}\`: ${fileProblem(error)}`);
  }
}

/** Why this version of the host is not known to obey. */
function versionProblem({ title, program, least }: AgentHost, given: string | undefined): string | undefined {
  const said = given ?? spawnSync(program, ["--version"], { encoding: "utf8", timeout: 20_000 }).stdout ?? "";
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
  if (version === undefined)
    return `\`${program} --version\` tells no version of ${title}: put it on the PATH, or say \`--host-version\``;
  return isBelow(version, least)
    ? `${title} ${version} was not seen to obey: ${least} was, and is the least`
    : undefined;
}

function isBelow(version: string, least: string): boolean {
  const [have, need] = [version, least].map((text) => text.split(".").map(Number));
  for (const [i, number] of (need as number[]).entries()) {
    const mine = have?.[i] ?? 0;
    if (mine !== number) return mine < number;
  }
  return false;
}

function triedCall(text: string | undefined): TriedCall | undefined {
  if (text === undefined) return undefined;
  try {
    const { tool, args = {} } = JSON.parse(text) as { readonly tool?: unknown; readonly args?: unknown };
    if (typeof tool === "string" && typeof args === "object" && args !== null) return { tool, args };
  } catch (error) {
    throw new CliError(`\`--try\` is not JSON: ${messageOf(error)}`);
  }
  throw new CliError('`--try` is `{"tool": "…", "args": {…}}`');
}
