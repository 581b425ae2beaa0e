/**
 * Runs real agent programs against `portcullis hook`: a scripted model calls a tool that makes a file, and whether the file is
 * there is what the host did. Programs are installed into a folder of their own, speak to loopback alone, and have an
 * environment with nothing else in it.
 *
 *   npx tsx test/agent-hosts/run.ts [--write] [HOST…]       AGENT_HOSTS_FOLDER: where they are installed
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, temporaryFolder } from "../cli/terminal.ts";
import { AGENT_HOSTS, type AgentHost, type Place } from "./hosts.ts";
import { scriptedModel } from "./model.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = join(root, "compiler/HOSTS.md");
const installed = process.env["AGENT_HOSTS_FOLDER"] ?? join(root, "out/agent-hosts");
const MOST_MS = 120_000;

interface Scenario {
  readonly name: string;
  readonly made: boolean;
  /** Words behind `portcullis hook`; `tool` as the host calls it. */
  words(tool: string): readonly string[];
}

const BUNDLE = join(root, "generated/bundle.tar.gz");
const DESK = ["--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk"];
const SCOPED = ["--scope", "story_id=s-1", "--scope", "run_id=r-1"];
const asWriter = (tool: string, id: string): string[] => [
  ...["--policy", BUNDLE, ...DESK, ...SCOPED],
  ...["--map", `${tool}=${id}`],
];
/** May do it once a person has approved. */
const APPROVABLE = [
  ...["--policy", BUNDLE, "--role", "MANAGING_EDITOR", "--lane", "PUBLISHING", "--lineage", "publisher"],
  ...[...SCOPED, "--scope", "approval_ref=a-1", "--ask"],
];

const SCENARIOS: readonly Scenario[] = [
  { name: "allow", made: true, words: (tool) => asWriter(tool, "draft.create") },
  { name: "deny", made: false, words: (tool) => asWriter(tool, "payout.release") },
  // The run has no person to ask.
  { name: "ask", made: false, words: (tool) => [...APPROVABLE, "--map", `${tool}=article.retract`] },
  {
    name: "broken bundle",
    made: false,
    words: (tool) => asWriter(tool, "draft.create").with(1, fileURLToPath(import.meta.url)),
  },
  { name: "relative path", made: false, words: (tool) => asWriter(tool, "draft.create").with(1, "bundle.tar.gz") },
  { name: "unknown option", made: false, words: (tool) => [...asWriter(tool, "draft.create"), "--allow"] },
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
    for (const scenario of version === undefined ? [] : SCENARIOS) cells.push(await outcome(host, scenario));
    const row: Row = [host.name, version ?? "not installed", ...(version ? cells : SCENARIOS.map(() => "not run"))];
    process.stdout.write(`${row.join(" | ")}\n`);
    rows.push(row);
  }
  if (words.includes("--write")) writeFileSync(page, pageOf(rows));
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
async function outcome(host: AgentHost, { made, words }: Scenario): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, "made");
  const model = await scriptedModel(host.call(file));
  try {
    const place: Place = { home: join(folder, "home"), project: join(folder, "project"), port: model.port };
    const { heard, command } = hookScript(folder, words(host.tool));
    for (const path of [place.home, place.project]) mkdirSync(path, { recursive: true });
    execFileSync("git", ["init", "-q", place.project]);
    host.configure(place, command);
    await run(host, place);
    if (!model.called()) return "the program offered no tool";
    if (!existsSync(heard)) return "the hook was not asked";
    return existsSync(file) === made ? "obeyed" : "NOT OBEYED";
  } finally {
    model.close();
    removeFolder(folder);
  }
}

/** The hook as a program of one path: it leaves a mark, so that a host that never asks is told from one that obeys. */
function hookScript(folder: string, words: readonly string[]): { readonly heard: string; readonly command: string } {
  const command = join(folder, "hook");
  const heard = join(folder, "heard");
  const line = [process.execPath, join(root, "compiler/bin/portcullis.js"), "hook", ...words];
  const quoted = line.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  writeFileSync(command, `#!/bin/sh\n: > '${heard}'\nexec ${quoted}\n`, { mode: 0o755 });
  return { heard, command };
}

async function run({ program, args, environment }: AgentHost, place: Place): Promise<void> {
  const env = {
    ...{ PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: place.home, LANG: "C.UTF-8" },
    ...environment(place),
  };
  const child = spawn(join(installed, "node_modules/.bin", program), args, {
    ...{ cwd: place.project, env, stdio: ["ignore", "ignore", "ignore"], detached: true },
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

Real agent programs with a scripted model on loopback, and \`portcullis hook\` as their hook. The model calls a tool that makes a file. A host has obeyed when the hook was asked, and the file is there for an allow and for nothing else; with \`ask\` no person is there to be asked. Codex runs hooks that a person has trusted (\`/hooks\`), and no others.

${table}

Not run: opencode (in process, by a plugin), Cursor, Windsurf, goose, Kiro, VS Code; a hook that is missing or slow; sub-agents and spawns.
`;
}

process.exitCode = await main(process.argv.slice(2));
