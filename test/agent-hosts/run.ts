/**
 * Runs real agent programs against `portcullis hook`: a scripted model calls a tool that makes a file, and whether the file is
 * there is what the host did. Programs are installed into a folder of their own, speak to loopback alone, and have an
 * environment with nothing else in it.
 *
 *   npx tsx test/agent-hosts/run.ts [--write] [HOST…]       AGENT_HOSTS_FOLDER: where they are installed
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, temporaryFolder } from "../cli/terminal.ts";
import { appendix } from "../mcp-conformance/scores.ts";
import { AGENT_HOSTS, type AgentHost, type Place } from "./hosts.ts";
import { scriptedModel } from "./model.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = join(root, "compiler/HOSTS.md");
const installed = process.env["AGENT_HOSTS_FOLDER"] ?? join(root, "out/agent-hosts");
const MOST_MS = 120_000;

/** Files of one run, outside of what the agent works in. */
interface Files {
  readonly folder: string;
  readonly bundle: string;
  readonly key: string;
  /** Where the host's hook stands. */
  readonly configuration: string;
  /** Stands for Node in the hook: it leaves a mark, so that a host that never asks is told from one that obeys. */
  readonly node: string;
  readonly heard: string;
}

interface Scenario {
  readonly name: string;
  readonly made: boolean;
  /** Options of the hook; `tool` as the host calls it, `at` gives the paths of further files. */
  words(tool: string, at: (name: string) => string): readonly string[];
  /** What becomes of the hook once it is configured. */
  breaks?(files: Files, place: Place): void;
  /** The file is made by a sub-agent of this type. */
  readonly agent?: string;
  /** The sub-agent is not to start, so it calls nothing. */
  readonly isUnstarted?: true;
  /** Commands before the one that makes the file. */
  before?(place: Place): readonly string[];
  /** The hook is not there to be heard. */
  readonly isUnheard?: true;
}

const asWriter = (tool: string, id: string): string[] => [
  ...["--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk", "--scope", "story_id=s-1"],
  ...["--scope", "run_id=r-1", "--map", `${tool}=${id}`],
];
/** May do it once a person has approved. */
const approvable = (tool: string): string[] => [
  ...["--role", "MANAGING_EDITOR", "--lane", "PUBLISHING", "--lineage", "publisher", "--scope", "story_id=s-1"],
  ...["--scope", "run_id=r-1", "--scope", "approval_ref=a-1", "--map", `${tool}=article.retract`],
];
const writing = (tool: string): string[] => asWriter(tool, "draft.create");
const GOVERNANCE = { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy: "m.okafor" };
const governed =
  (id: string) =>
  (tool: string, at: (name: string) => string): string[] => {
    writeFileSync(at("governance.json"), JSON.stringify(GOVERNANCE));
    return [...asWriter(tool, id), "--governance", at("governance.json")];
  };
const paying = (tool: string): string[] => asWriter(tool, "payout.release");

/** Changes what `init --for` wrote. Throws where the text is not there. */
function edited(path: string, ...pairs: readonly (readonly [from: string, to: string])[]): void {
  const text = readFileSync(path, "utf8");
  const changed = pairs.reduce((before, [from, to]) => before.replaceAll(from, to), text);
  if (changed === text) throw new Error(`${path} has no ${pairs[0]?.[0]}`);
  writeFileSync(path, changed);
}

const script = (path: string, ...lines: readonly string[]): void =>
  writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });

/** After the agent has changed to another folder; the first call is not asked about. */
const elsewhere = ({ home }: Place): readonly string[] => [`cd ${home}`];
const passesFirst = ({ node, heard }: Files): void =>
  script(node, `[ -e '${heard}' ] && exec '${process.execPath}' "$@"`, `: > '${heard}'`);

/** Instructions of the sub-agent, by which its questions are told from its parent's. */
const MARK = "You are the sub-agent of a scripted run.";

const SCENARIOS: readonly Scenario[] = [
  { name: "allow", made: true, words: writing },
  { name: "deny", made: false, words: paying },
  // The run has no person to ask.
  { name: "ask", made: false, words: (tool) => [...approvable(tool), "--ask"] },
  { name: "approval missing", made: false, words: approvable },
  { name: "broken bundle", made: false, words: writing, breaks: ({ bundle }) => writeFileSync(bundle, "no bundle") },
  {
    ...{ name: "relative path", made: false, words: writing },
    breaks({ bundle, configuration }, { project }) {
      copyFileSync(bundle, join(project, "bundle.tar.gz"));
      edited(configuration, [bundle, "bundle.tar.gz"]);
    },
  },
  {
    ...{ name: "unknown option", made: false, words: writing },
    breaks: ({ configuration }) =>
      edited(configuration, ["'--role'", "'--allow' '--role'"], ['"--role"', '"--allow","--role"']),
  },
  { name: "missing hook", made: false, words: writing, isUnheard: true, breaks: ({ node }) => rmSync(node) },
  {
    ...{ name: "crash", made: false, words: writing },
    breaks: ({ node, heard }) => script(node, `: > '${heard}'`, "kill -9 $$"),
  },
  {
    ...{ name: "slow hook", made: false, words: (tool) => [...writing(tool), "--deadline", "1"] },
    breaks: ({ node, heard }) => script(node, `: > '${heard}'`, "exec sleep 100"),
  },
  { name: "`cd`, allow", made: true, words: writing, before: elsewhere },
  { name: "`cd`, deny", made: false, words: paying, before: elsewhere, breaks: passesFirst },
  { name: "sub-agent, allow", made: true, words: governed("draft.revise"), agent: "copy_editor" },
  // The same tool: the sub-agent may not, and its parent may.
  { name: "sub-agent, deny", made: false, words: governed("draft.create"), agent: "copy_editor" },
  { name: "spawn of another", made: false, words: governed("draft.revise"), agent: "researcher", isUnstarted: true },
  {
    name: "spawn unapproved",
    made: false,
    words: (tool) => asWriter(tool, "draft.revise"),
    agent: "copy_editor",
    isUnstarted: true,
  },
];

/** Each host with its version, and what became of each scenario. */
type Row = readonly [host: string, version: string, ...cells: string[]];

async function main(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => word !== "--write");
  const hosts = AGENT_HOSTS.filter(
    ({ name, program }) => names.length === 0 || [name, program].some((n) => names.includes(n)),
  );
  const rows: Row[] = [];
  for (const host of hosts) {
    const version = versionOf(host);
    const cells: string[] = [];
    for (const scenario of version === undefined ? [] : SCENARIOS)
      cells.push(await outcome(host, version as string, scenario));
    const row: Row = [host.name, version ?? "not installed", ...(version ? cells : SCENARIOS.map(() => "not run"))];
    process.stdout.write(`${row.join(" | ")}\n`);
    rows.push(row);
  }
  if (words.includes("--write")) writeFileSync(page, `${pageOf(rows)}${appendix(readFileSync(page, "utf8"))}`);
  return rows.some((row) => row.includes("NOT OBEYED")) ? 1 : 0;
}

/** Installs the program where it is not there yet; `undefined` where npm cannot. */
function versionOf({ package: name }: AgentHost): string | undefined {
  const manifest = join(installed, "node_modules", name, "package.json");
  if (!existsSync(manifest)) {
    mkdirSync(installed, { recursive: true });
    const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", installed, name];
    spawnSync("npm", words, { stdio: "inherit" });
  }
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version : undefined;
}

/** What a host did: `obeyed`, or what went wrong. */
async function outcome(host: AgentHost, version: string, scenario: Scenario): Promise<string> {
  const folder = temporaryFolder();
  const made = join(folder, "made");
  const place = { home: join(folder, "home"), project: join(folder, "project") };
  const { agent } = scenario;
  /** The host would not say that a sub-agent calls: none is to start. */
  const isBlind = agent !== undefined && host.isBlind === true;
  const isUnstarted = isBlind || scenario.isUnstarted === true;
  const commands = [...(scenario.before?.({ ...place, port: 0 }) ?? []), `touch ${made}`];
  const calls = commands.map((command) => host.shell(command));
  const script =
    agent === undefined ? calls : [host.agent(agent), ...(isBlind ? [] : calls.map((c) => ({ ...c, by: MARK })))];
  const model = await scriptedModel(script);
  try {
    const at: Place = { ...place, port: model.port };
    for (const path of [at.home, at.project]) mkdirSync(path, { recursive: true });
    execFileSync("git", ["init", "-q", at.project]);
    host.configure?.(at);
    if (agent !== undefined) host.writeAgent?.(at, agent, MARK);
    mkdirSync(join(folder, "policy/approvals"), { recursive: true });
    const words = scenario.words(host.tool, (name) => join(folder, "policy", name));
    const configured = configuredHook(folder, host, version, at, words);
    if (typeof configured === "string") return configured;
    scenario.breaks?.(configured, at);
    await run(host, at);
    if (model.called() !== (isUnstarted ? 1 : script.length)) return "the calls of the script were not made";
    if (scenario.isUnheard !== true && !existsSync(configured.heard)) return "the hook was not asked";
    const isRight = existsSync(made) === (scenario.made && !isBlind);
    if (!isRight || model.conversations() !== (agent === undefined || isUnstarted ? 1 : 2)) return "NOT OBEYED";
    return isBlind ? "denied by the hook" : "obeyed";
  } finally {
    model.close();
    removeFolder(folder);
  }
}

/** Runs `init --for`, as a user does. Gives its files, or that it refuses. */
function configuredHook(
  folder: string,
  host: AgentHost,
  version: string,
  place: Place,
  words: readonly string[],
): Files | string {
  const at = (name: string): string => join(folder, "policy", name);
  const [bundle, key] = [at("bundle.tar.gz"), at("key.pem")];
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(key, publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(at("private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const portcullis = [join(root, "compiler/bin/portcullis.js")];
  const options = { cwd: place.project, encoding: "utf8", env: environmentOf(host, place) } as const;
  const signing = ["sign", join(root, "generated/bundle.tar.gz"), "--signing-key", at("private.pem"), "-o", bundle];
  execFileSync(process.execPath, [...portcullis, ...signing], options);
  const init = [...portcullis, "init", "--for", host.id, "--host-version", version, "--yes"];
  const kept = ["--history", at("history"), "--approvals", at("approvals")];
  const given = [...init, "--policy", bundle, "--verification-key", key, ...kept, ...words];
  const { stdout, stderr } = spawnSync(process.execPath, given, options);
  const configuration = /^wrote (.*)$/m.exec(stdout)?.[1];
  if (configuration === undefined) {
    if (/does not obey/.test(stderr)) return "refused";
    throw new Error(`init --for ${host.id}: ${stderr}`);
  }
  const [node, heard] = [join(folder, "node"), join(folder, "heard")];
  script(node, `: > '${heard}'`, `exec '${process.execPath}' "$@"`);
  edited(configuration, [`'${process.execPath}'`, `'${node}'`], [`"${process.execPath}"`, `"${node}"`]);
  return { folder, bundle, key, configuration, node, heard };
}

function environmentOf({ environment }: AgentHost, place: Place): Record<string, string> {
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  return { CHIRALITY_ENABLE_SUBAGENTS: "true", PATH: path, HOME: place.home, LANG: "C.UTF-8", ...environment(place) };
}

async function run(host: AgentHost, place: Place): Promise<void> {
  const child = spawn(join(installed, "node_modules/.bin", host.program), host.args, {
    ...{ cwd: place.project, env: environmentOf(host, place), stdio: ["ignore", "ignore", "ignore"], detached: true },
  });
  const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), MOST_MS);
  await once(child, "exit");
  clearTimeout(timer);
}

function pageOf(rows: readonly Row[]): string {
  const head = ["host", "version", ...SCENARIOS.map(({ name }) => name)];
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `# Agent hosts

<!-- Written by \`make agents\`; do not edit. -->

Real agent programs with a scripted model on loopback, configured by \`portcullis init --for\` with a signed bundle. The model calls a tool that makes a file. A host has obeyed when the hook was asked, and the file is there for an allow and for nothing else; with \`ask\` no person is there to be asked. *Refused*: the host does not obey it, so \`init --for\` does not configure it. A missing hook is one whose Node is not there; a crash, a killed one; a slow one never answers. \`cd\`: the agent has changed to another folder before. Codex runs hooks that a person has trusted (\`/hooks\`), and no others.

${table}

*Denied by the hook*: the model starts a sub-agent of the host's own, and the hook denies it, as the host does not say which agent calls; no second agent asked the model. Not run: Cursor, Windsurf, goose, Kiro, VS Code.
`;
}

process.exitCode = await main(process.argv.slice(2));
